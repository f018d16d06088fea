"""``python -m benchmarks [NAME ...] [--json FILE] [--list]``."""

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.harness import BENCHMARKS, save, show


def main():
    for file in sorted(Path(__file__).parent.glob("bench_*.py")):
        import_module(f"benchmarks.{file.stem}")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmarks to run; all by default")
    parser.add_argument("--json", default="benchmarks.json", help="where the results go")
    parser.add_argument("--list", action="store_true", help="list the names and stop")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(BENCHMARKS))
    if options.list or unknown:
        parser.exit(bool(unknown), f"benchmarks: {', '.join(BENCHMARKS)}\n")
    results = []
    for name in options.names or BENCHMARKS:
        part = BENCHMARKS[name]()
        show(part)
        results += part
    save(results, options.json)


if __name__ == "__main__":
    main()
