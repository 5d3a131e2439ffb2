"""Time of all attacks on a release of a million rows: `python -m benchmarks.attacks`.

The release is that of Mondrian with k = 5. The attacks know the raw table, an equally large reference and an earlier
release with k = 10. All of them together must take less than a minute.
"""

from __future__ import annotations

import time

import polars as pl

import shoal
from benchmarks.tables import QUASI, SEPARATOR, blowup
from shoal.attacks import ALL, Target

LIMIT = 60


def target() -> Target:
    """A release of the table of a million rows, with everything that an attack can use."""
    raw = pl.read_csv(blowup("adult_1m"), separator=SEPARATOR, infer_schema=False)
    columns = {name: shoal.quasi(type="integer") if name == "age" else shoal.quasi() for name in QUASI}
    columns |= {"occupation": shoal.sensitive(), "salary-class": shoal.insensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5)])
    tables = shoal.anonymize(raw, plan).tables
    earlier = shoal.anonymize(raw, plan.changed(models=[shoal.KAnonymity(k=10)])).tables
    return Target(tables, plan, raw=raw, reference=raw.select(QUASI), earlier=earlier)


def main() -> None:
    attacked, total, processor = target(), 0.0, 0.0
    began = time.perf_counter()
    print(f"classes: {len(attacked.labelled):,} ({time.perf_counter() - began:.1f} s to group)")
    for cls in ALL:
        attack = cls()
        if reason := attack.applies(attacked):
            print(f"{attack.kind:18} not tried: {reason}")
            continue
        wall, cpu = time.perf_counter(), time.process_time()
        outcomes = attack.attack(attacked)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        total, processor = total + wall, processor + cpu
        for outcome in outcomes:
            bound = "none" if outcome.bound is None else f"{outcome.bound:.3f}"
            print(
                f"{attack.kind:18} {wall:6.1f} s  {outcome.column or '':12} success {outcome.success:.3f} "
                f"[{outcome.low:.3f}, {outcome.high:.3f}]  baseline {outcome.baseline:.3f}  bound {bound}"
            )
    print(f"all: {total:.1f} s ({processor:.1f} s of processor time); limit {LIMIT} s")


if __name__ == "__main__":
    main()
