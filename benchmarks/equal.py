"""Equal results: stream and Spark release what the local engine releases, on a grid larger than that of the tests.

    python -m benchmarks.equal [--rows 3000] [--seeds 2] [--engines stream spark]

Every table, algorithm and form, with several seeds. The number of files and the rows of a batch change between cases.
Results are written to `results/equal.json`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count, product
from pathlib import Path
from typing import Any

from tests.contract.engine_samples import KINDS, SAMPLES, differences, outcome
from tests.spark import running

RESULTS = Path(__file__).parent / "results" / "equal.json"
FILES, BATCHES = (1, 3, 8), (100, 1000, 5000)


def cases(seeds: int) -> Iterator[tuple[str, str, str, int, int, int]]:
    """Table, algorithm, form, seed, number of files, rows of a batch."""
    numbers = count()
    searches = [*((kind, "generalized") for kind in KINDS), ("mondrian", "anatomy")]
    for table, (algorithm, form), seed in product(SAMPLES, searches, range(seeds)):
        number = next(numbers)
        yield table, algorithm, form, seed, FILES[number % len(FILES)], BATCHES[number // 2 % len(BATCHES)]


def compared(case: tuple[str, str, str, int, int, int], rows: int, engines: list[str]) -> dict[str, Any]:
    """Engine → what it releases or says differently from the local engine."""
    table, algorithm, form, seed, files, batch = case
    frame, plan = SAMPLES[table].frame(rows, seed), SAMPLES[table].plan(algorithm, seed, form)
    with tempfile.TemporaryDirectory() as folder:
        expected = outcome(plan, frame, "local", Path(folder), 1, 1 << 20)
        return {
            engine: differences(expected, outcome(plan, frame, engine, Path(folder), files, batch))
            for engine in engines
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--engines", nargs="+", default=["stream", "spark"])
    given = parser.parse_args()
    found = dict[str, dict[str, Any]]()
    with contextlib.ExitStack() as stack:
        if "spark" in given.engines:
            stack.enter_context(contextlib.contextmanager(running)())
        for case in cases(given.seeds):
            began = time.perf_counter()
            name = " ".join(map(str, case))
            found[name] = compared(case, given.rows, given.engines)
            print(f"{name:50} {time.perf_counter() - began:6.1f} s  {found[name]}", flush=True)
    RESULTS.write_text(json.dumps({"rows": given.rows, "cases": found}, indent=2) + "\n", encoding="utf-8")
    different = [name for name, each in found.items() if any(each.values())]
    print(f"{len(found)} cases, {len(different)} different: {', '.join(different)}")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
