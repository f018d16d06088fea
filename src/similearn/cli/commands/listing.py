"""``similearn methods`` and ``similearn similarities``: what there is to choose from."""

from collections.abc import Iterable

from similearn.cli.options import chosen_methods
from similearn.cli.output import print_listing

Row = tuple[str, str, str]


def list_methods() -> None:
    """List the methods that `compare` and `fit` know, and where they come from."""
    print_listing(
        (method.family, method.name, method.summary, f"{method.source}; {_needs(method.needs)}")
        for method in chosen_methods(None)
    )


def list_similarities() -> None:
    """List the similarities that `--similarity` knows, by what they compare."""
    from similearn.experiments.things.model_told import similarity_rows

    print_listing(_similarity_lines(similarity_rows()))


def _similarity_lines(rows: Iterable[tuple[str, ...]]) -> Iterable[tuple[str, str, str, str]]:
    for name, takes, kind, summary, parameters in rows:
        options = f"; parameters: {parameters}" if parameters else ""
        yield takes, name, summary, f"{kind}{options}"


def _needs(needs: str) -> str:
    return {
        "block": "takes either kind",
        "similarity": "takes similarities, made of dissimilarities where needed",
        "sources": "takes several sources",
        "features": "takes a table of features",
    }[needs]
