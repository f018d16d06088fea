"""``similearn demo``: the methods on bundled data."""

from pathlib import Path
from typing import Annotated

import typer

from similearn.cli.commands.comparing import run_comparison
from similearn.cli.commands.inspecting import draw_pictures
from similearn.cli.options import Jobs, Seed, chosen_methods
from similearn.cli.output import console, print_paths

EPILOG = (
    "Example: `similearn demo --all --splits 20 -o votes`. If it was interrupted, call it "
    "again: it goes on where it stopped."
)


def demo(
    splits: Annotated[int, typer.Option(min=1, max=9999, help="How many random 80/20 splits.")] = 5,
    every: Annotated[
        bool,
        typer.Option("--all", help="Also compare methods that take seconds to tune or compile."),
    ] = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for results, tables and pictures.")
    ] = Path("similearn-demo"),
) -> None:
    """Compare the methods on the votes of the US House of 1984, and draw them.

    435 members and their 16 votes; the task is to predict the party. How different two members
    are is learned from the training members alone (value difference metric). This takes less than
    a minute on two cores, and less when the methods are compiled already. With --all, which
    compares all methods, it takes about a minute per split.
    """
    from similearn.experiments.comparisons.problems import VotesProblem

    problem = VotesProblem()
    methods = chosen_methods(None)
    chosen = [method for method in methods if every or not method.slow]
    run_comparison(problem, chosen, splits, seed, jobs, output, "similearn demo")
    if len(chosen) < len(methods):
        left_out = len(methods) - len(chosen)
        console.print(f"{left_out} slower methods were left out; `similearn demo --all` has them.")
    block, y = problem.whole()
    print_paths(draw_pictures(block, y, output, problem.name))
