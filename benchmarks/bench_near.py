"""Where exact cannot: NN-descent, an index of vectors, and forests, each in a process of its own.

``--size 100000`` (names), ``--size 200000`` (vectors) are the sizes of the bars; without it, rows
are small.
"""

from benchmarks import harness
from benchmarks.harness import Result, benchmark
from benchmarks.near_rows import NEAR
from benchmarks.scale_rows import measured

SMALL = 2000
SECONDS_PER_PAIR = 1e-3


def _size() -> int:
    return harness.SIZE or SMALL


@benchmark
def scale_descent():
    """Recall of the ten nearest, and pairs compared of each name, against all pairs."""
    n = _size()
    found = measured("descent", n)
    return [
        Result(f"NN-descent of {n} names: recall@{NEAR}", 0.95, found["recall"], 1.0, True, "",
               "the recall, against the bar", found),
        Result(f"NN-descent of {n} names: pairs of each", found["compared"], (n - 1) / 2, None,
               True, "pairs", "all pairs", found),
    ]  # fmt: skip


@benchmark
def scale_index():
    """Vectors of 64 dimensions: recall, and processor time against usearch alone."""
    n = _size()
    ours, alone = measured("index", n), measured("index_alone", n)
    return [
        Result(f"index of {n} vectors", ours["cpu"], alone["cpu"], 1.3, False,
               rival_name="usearch alone", notes={"ours": ours, "alone": alone}),
        Result(f"index of {n} vectors: recall@{NEAR}", 0.95, ours["recall"], 1.0, True, "",
               "the recall, against the bar"),
    ]  # fmt: skip


@benchmark
def scale_forest():
    """Comparisons of a forest, as hours at a millisecond per pair, against all pairs."""
    n = _size()
    found = measured("forest", n)
    hours = SECONDS_PER_PAIR / 3600
    return [
        Result(f"forest of {n} samples at 1 ms per pair", found["compared"] * hours,
               n * (n - 1) / 2 * hours, None, True, "core-hours", "all pairs", found),
    ]  # fmt: skip
