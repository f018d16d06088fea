"""The command line of one Python among several: ``python -m similearn``."""

from similearn.cli import main

main()
