"""Honest releases of unusual tables are published, and verify: a false alarm is a defect like a missed one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian, Optimal
from shoal.roles.columns import Column

N = 40
ILL = ["x", "y"] * (N // 2)


def odd_tree(folder: Path) -> str:
    (folder / "ages.csv").write_text("".join(f"{age};{100 + age % 3};900;*\n" for age in range(N)))
    return str(folder / "ages.csv")


CASES: Mapping[str, tuple[list[Any], Any]] = {
    "top within cut ranges": (list(range(N)), lambda _: shoal.quasi(top=30)),
    "bottom within cut ranges": ([i / 2 for i in range(N)], lambda _: shoal.quasi(bottom=7.3)),
    "a bound and periods": (
        [date(1930 + i, 1, 1) for i in range(N)],
        lambda _: shoal.quasi(shoal.dates("year", "decade"), bottom=date(1950, 1, 1)),
    ),
    "a bound and labels that look like numbers": (
        [str(i) for i in range(N)],
        lambda folder: shoal.quasi(shoal.tree(odd_tree(folder)), top=35, type="integer"),
    ),
    "a bound beyond 64 bits": (list(range(N)), lambda _: shoal.quasi(top=10**20)),
    "a real bound beyond 64 bits": (list(range(N)), lambda _: shoal.quasi(top=1e19)),
    "parts of seconds": ([time(i % 2, 5, 0, i % 4) for i in range(N)], lambda _: shoal.insensitive()),
    "null and empty text": (["", None, "a", "b"] * (N // 4), lambda _: shoal.insensitive()),
    "no number": ([float("nan"), None, 1.5, 2.5] * (N // 4), lambda _: shoal.insensitive()),
    "durations": ([timedelta(days=i % 9, seconds=i) for i in range(N)], lambda _: shoal.insensitive()),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("ranges", ["tight", "cut"])
@pytest.mark.parametrize("algorithm", [Mondrian(), Optimal()])
def test_an_honest_release_verifies(tmp_path: Path, case: str, format: str, ranges: str, algorithm: Any) -> None:
    values, column = CASES[case]
    columns: dict[str, Column] = {"q": shoal.quasi(), "c": column(tmp_path), "s": shoal.sensitive()}
    plan = shoal.Plan(
        columns=columns,
        models=[shoal.KAnonymity(k=2)],
        algorithm=algorithm,
        release=shoal.ReleaseSettings(format=format, ranges=ranges, suppression=0.5),
    )
    frame = pl.DataFrame({"q": [i % 3 for i in range(N)], "c": values, "s": ILL})
    release = shoal.anonymize(frame, plan)
    release.save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out", plan=plan).problems == ()


def test_times_keep_the_parts_of_their_seconds(tmp_path: Path) -> None:
    plan = shoal.Plan(
        columns={"q": shoal.quasi(), "c": shoal.insensitive(), "s": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)]
    )
    frame = pl.DataFrame({"q": [1] * 4, "c": [time(8, 5), time(9, 5, 0, 1)] * 2, "s": ["x", "y"] * 2})
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    assert set(pl.read_csv(tmp_path / "out/release.csv", infer_schema=False)["c"]) == {"08:05:00", "09:05:00.000001"}
