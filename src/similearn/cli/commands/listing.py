"""``similearn methods``: what there is to choose from."""

from similearn.cli.options import chosen_methods
from similearn.cli.output import console


def list_methods() -> None:
    """List the methods that `compare` and `fit` know, and where they come from."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("Name", "What it does", "Needs", "Source"):
        table.add_column(column, no_wrap=column == "Name")
    family = None
    for method in chosen_methods(None):
        if method.family != family:
            table.add_row(f"[bold]{escape(method.family)}[/]")
            family = method.family
        cells = (f"  {method.name}", method.summary, method.needs, method.source)
        table.add_row(*map(escape, cells))
    console.print(table)
