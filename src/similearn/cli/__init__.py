"""The command line, ``similearn``."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 well, 2 for what the user can mend, 130 interrupted."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        sys.stderr.write(
            f"Error: the command line needs {error.name}, which is not installed: "
            "pip install 'similearn[cli]'.\n"
        )
        sys.exit(2)
    from similearn.cli.app import run

    sys.exit(run(arguments))
