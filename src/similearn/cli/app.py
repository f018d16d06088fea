"""The command line: its commands, and how every one of them ends."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from similearn.cli.commands import (
    comparing,
    demonstrating,
    fitting,
    inspecting,
    listing,
    predicting,
    reporting,
    reproducing,
    showing,
)
from similearn.cli.output import console, ends_as_sentences, warnings_as_sentences
from similearn.version import __version__

_ELSEWHERE = {
    "class_weight": "Weights of single classes are for Python: "
    "SimilarityClassifier(class_weight={'ill': 10}).",
}
"""What options refuse and Python takes."""


class _Commands(TyperGroup):
    """Says what is wrong with the value of an option, without the words of Typer's own library."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            more = _ELSEWHERE.get(getattr(error.param, "name", None) or "")
            error.message += f" {more}" * (more is not None)
            raise


app = typer.Typer(
    cls=_Commands,
    help="Class labels, with probabilities, from objects of any kind (sequences, names, molecules, "
    "series, tables) or from pairwise similarities and dissimilarities.",
    epilog="Start with `similearn demo`, then `similearn inspect FILE`, `similearn fit FILE -o "
    "MODEL` and `similearn predict MODEL NEW` on your own data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever goes wrong is one sentence.

    0 well, 2 for what the user can mend, 1 for faults of ours, 130 interrupted.
    """
    with ends_as_sentences() as end, warnings_as_sentences():
        app(args=None if arguments is None else list(arguments), prog_name="similearn")
    return end.code


def _version(asked: bool) -> None:
    if asked:
        console.print(f"similearn {__version__}")
        raise typer.Exit


@app.callback()
def _similearn(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


app.command(epilog=demonstrating.EPILOG)(demonstrating.demo)
app.command(epilog=inspecting.EPILOG)(inspecting.inspect)
app.command(epilog=comparing.EPILOG)(comparing.compare)
app.command(name="methods")(listing.list_methods)
app.command(name="similarities")(listing.list_similarities)
app.command(epilog=fitting.EPILOG)(fitting.fit)
app.command(epilog=predicting.EPILOG)(predicting.predict)
app.command(epilog=showing.EPILOG)(showing.show)
app.command(epilog=reporting.EPILOG)(reporting.report)
app.command(epilog=reproducing.EPILOG)(reproducing.reproduce)
