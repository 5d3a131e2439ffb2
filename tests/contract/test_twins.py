"""Two inputs that lead to the same released tables publish the same bytes, whatever else differs between them.

A twin of a table has other values in suppressed rows, other values inside the published labels, other values in columns
that are not released, and other row order. It counts only if its released tables and row counts are the same.
"""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.hierarchies import Dates, Intervals, Learned, Prefix
from tests.contract.tables import Made, Reading, Row, tables
from tests.contract.test_contract import COMBINATIONS, draw_plan, quick, released, written

ALIKE = ("rows_in", "rows_suppressed", "rows_dropped")


def public_bytes(release: shoal.Release) -> dict[str, bytes]:
    """Every file of the public folder."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "out"
        release.save(folder)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def are_twins(one: shoal.Release | None, other: shoal.Release | None) -> bool:
    """Whether all that may be published is the same."""
    if one is None or other is None or written(one) != written(other):
        return False
    return all(getattr(one.manifest, name) == getattr(other.manifest, name) for name in ALIKE)


# -- random tables ----------------------------------------------------------------------------------------------------


def twin(data: st.DataObject, made: Made, plan: shoal.Plan, release: shoal.Release) -> Made:
    """Another table that may lead to the same release."""
    origin = release.private.witness.row.tolist()
    main = next(iter(release.tables.values())).with_columns(pl.all().cast(pl.String).fill_null(""))
    shown = dict(zip(origin, main.iter_rows(named=True), strict=True))
    by_level = plan.algorithm.recodes_by_level
    readings = {
        q.name: Reading(q, [row[q.name] for row in made.rows], by_level=by_level, categories=plan.release.categories)
        for q in made.quasi
    }
    rows: list[Row] = []
    for number, row in enumerate(made.rows):
        changed = dict(row)
        if number not in shown:
            donor = data.draw(st.sampled_from(made.rows))
            changed |= {name: donor[name] for name in row if name != "who"}
        elif plan.release.form == "generalized" and data.draw(st.booleans()):
            for name, reading in readings.items():
                covered = [value for value in reading.present if reading.covers(shown[number][name], value)]
                if row[name] is not None and covered:
                    changed[name] = data.draw(st.sampled_from(covered))
        if not made.person:
            changed["who"] = f"{number} {data.draw(st.integers(0, 99))}"
        rows.append(changed)
    return dataclasses.replace(made, rows=tuple(data.draw(st.permutations(rows))))


@pytest.mark.parametrize(("kind", "algorithm", "form"), COMBINATIONS)
@given(data=st.data())
@settings(quick, max_examples=4)
def test_twins_publish_the_same_bytes(kind: str, algorithm: str, form: str, trees: Path, data: st.DataObject) -> None:
    made = data.draw(tables())
    plan = draw_plan(data, made, trees, kind, algorithm, form)
    release = released(made, plan)
    if plan is None or release is None:
        return
    other = released(twin(data, made, plan, release), plan)
    if other is not None and are_twins(release, other):
        assert public_bytes(other) == public_bytes(release)


# -- what was once given away -----------------------------------------------------------------------------------------


def saved(frame: pl.DataFrame, plan: shoal.Plan) -> tuple[shoal.Release, dict[str, bytes]]:
    release = shoal.anonymize(frame, plan)
    return release, public_bytes(release)


def assert_twins(plan: shoal.Plan, one: pl.DataFrame, other: pl.DataFrame) -> None:
    (first, here), (second, there) = saved(one, plan), saved(other, plan)
    assert are_twins(first, second), "this pair shows nothing"
    assert here == there


def patients(outlier: dict[str, str], rows: int = 40) -> pl.DataFrame:
    """Two large classes, and one patient unlike all others, whom the search leaves out."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": np.where(np.arange(rows) % 2 == 0, "31", "52"),
            "zip": np.where(np.arange(rows) % 2 == 0, "02139", "10001"),
            "born": np.where(np.arange(rows) % 2 == 0, "1980-01-31", "1971-05-05"),
            "ill": rng.choice(["flu", "gout", "asthma"], rows),
        }
    )
    return pl.concat(
        [
            frame,
            pl.DataFrame({**{name: ["31"] for name in ("age",)}, **{k: [v] for k, v in outlier.items()}}).select(
                frame.columns
            ),
        ]
    )


OUTLIERS = (
    {"age": "77", "zip": "94110", "born": "1944-12-24", "ill": "HIV"},
    {"age": "3", "zip": "60601", "born": "2019-02-03", "ill": "flu"},
)


@pytest.mark.parametrize("measure", ["loss", "entropy", "discernibility", "precision", "average-class-size"])
@pytest.mark.parametrize("learned", [False, True])
def test_costs_do_not_tell_who_was_suppressed(measure: str, learned: bool) -> None:
    spec = {"age": Intervals((5, 10)), "zip": Prefix(), "born": Dates()}
    plan = shoal.Plan(
        columns={
            **{
                name: shoal.quasi(Learned(2) if learned else tree, type="text" if name == "zip" else None)
                for name, tree in spec.items()
            },
            "ill": shoal.sensitive(),
        },
        models=[shoal.KAnonymity(k=5), shoal.TCloseness("ill", t=0.9)],
        algorithm=Optimal(measure=measure),
        release=shoal.ReleaseSettings(suppression=0.1),
    )
    assert_twins(plan, *(patients(outlier) for outlier in OUTLIERS))


@pytest.mark.parametrize(
    ("others", "outermost"),
    [
        ([str(age) for age in range(20, 60)], ("19", "18", "17", "90")),
        ([f"{year}-05-17" for year in range(1950, 1990)], ("1949-11-02", "1949-11-01", "1949-10-30", "2011-02-03")),
    ],
    ids=["ages", "dates of birth"],
)
def test_ranges_that_end_at_cuts_do_not_tell_the_youngest_and_the_oldest(
    others: list[str], outermost: tuple[str, ...]
) -> None:
    *youngest, oldest = outermost
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=10)],
        release=shoal.ReleaseSettings(ranges="cut"),
    )
    frames = [pl.DataFrame({"age": [*others, first, oldest], "ill": ["flu"] * (len(others) + 2)}) for first in youngest]
    releases = [saved(frame, plan) for frame in frames]
    alike = [files for release, files in releases if are_twins(release, releases[0][0])]
    assert len(alike) > 1, "these pairs show nothing"
    assert all(files == alike[0] for files in alike)


def test_persons_are_not_counted_in_public() -> None:
    plan = shoal.Plan(
        columns={"who": shoal.identifier(), "age": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=3)],
        data=shoal.Data(person="who"),
    )
    frame = pl.DataFrame({"age": ["31"] * 8, "ill": ["flu", "gout"] * 4})
    few, many = (frame.with_columns(who=pl.Series([str(i % n) for i in range(8)])) for n in (4, 8))
    assert_twins(plan, few, many)


def test_steps_do_not_depend_on_values_inside_labels() -> None:
    plan = shoal.Plan(
        columns={
            "age": shoal.quasi(Intervals((10, 20))),
            "zip": shoal.quasi(Prefix(), type="text"),
            "ill": shoal.sensitive(),
        },
        models=[shoal.KAnonymity(k=10)],
        algorithm=Pais(),
    )
    one = pl.DataFrame({"age": ["21", "24", "33", "38"] * 6, "zip": ["021", "022"] * 12, "ill": ["flu"] * 24})
    other = one.with_columns(age=pl.Series(["22", "25", "31", "39"] * 6))
    assert_twins(plan, one, other)


def test_warnings_do_not_tell_which_diagnosis_was_suppressed() -> None:
    plan = shoal.Plan(
        columns={
            "age": shoal.quasi(Intervals((5, 10))),
            "zip": shoal.quasi(Prefix(), type="text"),
            "born": shoal.quasi(Dates()),
            "ill": shoal.sensitive(),
        },
        models=[shoal.KAnonymity(k=5), shoal.AlphaK("ill", alpha=0.9, k=5, values=("HIV",))],
        algorithm=Optimal(),
        release=shoal.ReleaseSettings(suppression=0.1),
    )
    assert_twins(plan, *(patients(outlier) for outlier in OUTLIERS))


def test_two_saves_of_one_release_are_the_same() -> None:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=5)], algorithm=Mondrian()
    )
    release = shoal.anonymize(patients(OUTLIERS[0]).select("age", "ill"), plan)
    assert public_bytes(release) == public_bytes(release)
