"""Interleaved timing, peak memory, and the table of ratios."""

import json
import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

BENCHMARKS: dict[str, Callable[[], "list[Result]"]] = {}
SIZE: int | None = None  # how many samples, where a benchmark can be of any size


@dataclass(frozen=True)
class Result:
    """One bar: ours, the rival, and whether the ratio keeps it.

    Parameters
    ----------
    name : what is measured
    ours, rival : seconds, bytes or what `unit` says
    bar : the ratio asked for
    higher : whether the ratio is rival / ours, at least `bar` ("times as fast"), or
        ours / rival, at most `bar` ("times its time")
    """

    name: str
    ours: float
    rival: float
    bar: float | None = None
    higher: bool = True
    unit: str = "s"
    rival_name: str = ""
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """Larger is better if `higher`, else smaller."""
        return self.rival / self.ours if self.higher else self.ours / self.rival

    @property
    def kept(self) -> bool | None:
        """Whether the bar is kept; None without one."""
        if self.bar is None:
            return None
        return bool(self.ratio >= self.bar if self.higher else self.ratio <= self.bar)


def benchmark(function):
    """Register a function that returns results."""
    BENCHMARKS[function.__name__] = function
    return function


def best_of(functions: dict[str, Callable[[], Any]], repeats: int = 7) -> dict[str, float]:
    """Best time of each function, the calls interleaved so that noise hits all alike."""
    best = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        function()  # compile, and warm the caches
    for _ in range(repeats):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def peak_memory(function: Callable[[], Any]) -> int:
    """Largest extra memory, in bytes, that NumPy and Python held during a call."""
    function()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak - before


def with_bytecode() -> dict[str, str]:
    """The environment of a user: what is installed has its bytecode.

    Python writes that of a checkout when it is first imported, unless a variable forbids it.
    """
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def show(results: list[Result], out=sys.stdout) -> None:
    """Print the table."""
    header = f"{'benchmark':58} {'ours':>11} {'rival':>11} {'ratio':>9} {'bar':>8}"
    print(header, file=out)
    for r in results:
        bar = "" if r.bar is None else f"{'≥' if r.higher else '≤'} {r.bar:g}"
        verdict = {None: "", True: "kept", False: "MISSED"}[r.kept]
        print(
            f"{r.name[:58]:58} {_told(r.ours, r.unit):>11} {_told(r.rival, r.unit):>11} "
            f"{r.ratio:9.3g} {bar:>8} {verdict}",
            file=out,
        )


def save(results: dict[str, list[Result]], path) -> None:
    """Write the results of benchmarks as JSON; those of others that the file holds stay in it."""
    path = Path(path)
    held = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else []
    rows = [row for row in held if row["benchmark"] not in results]
    for name, part in results.items():
        said = {"benchmark": name, "measured": date.today().isoformat()}
        rows += [said | asdict(r) | {"ratio": r.ratio, "kept": r.kept} for r in part]
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    text = json.dumps({"machine": machine, "results": rows}, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def _told(value: float, unit: str) -> str:
    if unit == "bytes":
        return f"{value / 2**20:.1f} MiB"
    if unit != "s":
        return f"{value:.4g} {unit}".strip()
    return f"{value * 1e3:.2f} ms" if value < 1 else f"{value:.2f} s"
