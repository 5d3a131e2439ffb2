"""Hierarchies: what a value may become, checked against the data before anything is released."""

from datetime import date
from pathlib import Path

import polars as pl

from shoal import hierarchies
from shoal.hierarchies import Dates, File, Icd10Cm, Intervals, Learned, Prefix


def show(name: str, spec: hierarchies.HierarchySpec, values: pl.Series) -> None:
    tree = spec.build(values)
    leaf = tree.index[hierarchies.text_of(values)[0]]
    print(f"{name}: {' → '.join(tree.path(leaf))}")


show("intervals", Intervals((5, 10, 20)), pl.Series([37, 52]))
show("prefixes", Prefix((3, 1)), pl.Series(["02138", "94110"]))
show("dates", Dates(("month", "year", "decade")), pl.Series([date(1987, 6, 5)]))
show("ICD-10-CM", Icd10Cm(), pl.Series(["E11.65"]))
show("learned", Learned(fanout=2), pl.Series(range(16)))

# One row per leaf, from the value upwards; a top level * is added where it is missing.
Path("job.csv").write_text("nurse;health care\nsurgeon;health care\nteacher;education\n", encoding="utf-8")
show("file", File("job.csv"), pl.Series(["nurse", "teacher"]))

# A value that the file does not list is counted, never printed: it may be the only person with that job.
found = hierarchies.check(File("job.csv"), pl.Series(["nurse", "lighthouse keeper"]))
print(f"{found.uncovered} of {found.values} values uncovered, {found.unused} of {found.leaves} leaves unused")
