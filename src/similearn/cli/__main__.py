"""``python -m similearn.cli``."""

from similearn.cli import main

main()
