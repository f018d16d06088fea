"""``python -m benchmarks [NAME ...] [--size N] [--json FILE] [--list]``."""

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks import harness
from benchmarks.harness import BENCHMARKS, save, show


def main():
    for file in sorted(Path(__file__).parent.glob("bench_*.py")):
        import_module(f"benchmarks.{file.stem}")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmarks to run, or how their names begin")
    parser.add_argument("--json", default="benchmarks.json", help="where the results go")
    parser.add_argument("--size", type=int, help="samples, where a benchmark can be of any size")
    parser.add_argument("--list", action="store_true", help="list the names and stop")
    options = parser.parse_args()
    named = {name: _meant_by(name) for name in options.names}
    unknown = sorted(name for name, meant in named.items() if not meant)
    if options.list or unknown:
        parser.exit(bool(unknown), f"benchmarks: {', '.join(BENCHMARKS)}\n")
    harness.SIZE = options.size
    results = {}
    meant = dict.fromkeys(name for names in named.values() for name in names)
    for name in meant or BENCHMARKS:
        results[name] = BENCHMARKS[name]()
        show(results[name])
        save(results, options.json)  # at once: what is interrupted later is not lost


def _meant_by(name):
    """The benchmark of this name; or else all of its group, "combiner" for "combiner_..."."""
    group = [known for known in BENCHMARKS if known.startswith(f"{name}_")]
    return [name] if name in BENCHMARKS else group


if __name__ == "__main__":
    main()
