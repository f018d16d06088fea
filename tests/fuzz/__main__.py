"""``python -m tests.fuzz --cases 10000 --seed S [--only KIND] [--jobs 2]``, or ``--case N``."""

import argparse
import os
import signal
import sys
from collections import Counter

from tests.fuzz.children import ENVIRONMENT, Report, limited, run_in_children


def main() -> int:
    """Run cases and print a table of outcomes, and one line to repeat each failure."""
    os.environ.update(ENVIRONMENT)
    from tests.fuzz.cases import GROUPS, KINDS, cases, kind_of, play_case

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("--cases", type=int, default=500, help="how many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[*KINDS, *GROUPS], help="cases of one kind")
    parser.add_argument("--jobs", type=int, default=1, help="children at work")
    parser.add_argument("--case", type=int, help="run this one here, with its traceback")
    options = parser.parse_args()
    if options.case is not None:
        case = (kind_of(options.case, options.only), options.seed, options.case)
        with limited():
            outcome = play_case(case, lambda step: print(f"  {step}", file=sys.stderr), show=True)
        print(f"{outcome.name}: {outcome.signature}\n{outcome.message}")
        return 0 if outcome.fine else 1
    reports = []
    drawn = cases(options.seed, options.cases, options.only)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for report in run_in_children(drawn, play_case, options.jobs):
            reports.append(report)
            if not report[1].fine:
                print(f"\n{report[1].signature}: {repeat(report)}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print(f"Interrupted after {len(reports)} of {options.cases} cases.")
    print(summary(reports))
    return int(any(not outcome.fine for _, outcome, _ in reports))


def summary(reports: list[Report]) -> str:
    """The table of outcomes, and for each signature how to repeat it."""
    kinds = sorted({case[0] for case, _, _ in reports})
    counts = Counter((case[0], outcome.name) for case, outcome, _ in reports)
    names = sorted({name for _, name in counts}, key=lambda n: (n not in ("ok", "sentence"), n))
    lines = ["".join([f"{'':14}", *(f"{name:>14}" for name in names)])]
    for kind in kinds:
        lines.append("".join([f"{kind:14}", *(f"{counts[kind, name]:14}" for name in names)]))
    failures: dict[str, list[Report]] = {}
    for report in reports:
        if not report[1].fine:
            failures.setdefault(report[1].signature, []).append(report)
    for signature, same in sorted(failures.items()):
        shortest = min(same, key=lambda report: len(report[2]))
        lines.append(f"\n{signature}  ({len(same)} times)")
        lines.append(f"    {repeat(shortest)}")
        lines.append(f"    {'; '.join(shortest[2])}"[:600])
        lines.append(f"    {' '.join(shortest[1].message.split())}"[:300])
    return "\n".join(lines)


def repeat(report: Report) -> str:
    """The command that repeats a case."""
    kind, seed, number = report[0]
    return f"python -m tests.fuzz --only {kind} --seed {seed} --case {number}"


if __name__ == "__main__":
    sys.exit(main())
