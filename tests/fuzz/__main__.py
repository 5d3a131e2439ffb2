"""`python -m tests.fuzz`: many random releases, judged; the exit status is 1 if anything was wrong."""

from __future__ import annotations

import argparse
import os
import sys
import time


def main() -> int:
    """Runs what the arguments ask for and prints what was tried and what went wrong."""
    given = _arguments()
    for name in ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"):  # tables are tiny, and each core has its own process
        os.environ.setdefault(name, "1")
    from tests.fuzz.running import Coverage, run, run_many  # after that, because it imports polars

    if given.only is not None:
        done = run(given.only)
        print(done.combination, done.state, done.problem)
        return int(done.state == "wrong")
    coverage, began = Coverage.empty(), time.monotonic()
    for done in run_many(given.seed, given.runs, given.workers):
        coverage.add(done)
        if done.state == "wrong":
            print(f"seed {done.seed} {' × '.join(done.combination)}: {done.problem}", flush=True)
        if coverage.runs % 1_000 == 0:
            print(f"{coverage.runs} runs, {len(coverage.wrong)} wrong", file=sys.stderr, flush=True)
    print("\n".join(coverage.lines()))
    seconds = time.monotonic() - began
    print(f"{coverage.runs} runs in {seconds:.0f} s, seeds {given.seed} to {given.seed + given.runs - 1}")
    if coverage.wrong:
        print(f"{len(coverage.wrong)} wrong; repeat one with: python -m tests.fuzz --only SEED")
    return int(bool(coverage.wrong))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="how many tables and plans to try")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; every run has a seed of its own")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="how many processes to use")
    parser.add_argument("--only", type=int, metavar="SEED", help="repeat the one run with this seed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
