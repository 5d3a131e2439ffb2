"""Persons with several rows are told from namesakes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.models import KAnonymity, LDiversity
from shoal.plan import Plan
from shoal.roles.columns import Column, Data, identifier, quasi, sensitive
from shoal.warnings import persons
from tests.warnings.cases import case


def visits(**identifiers: Sequence[object]) -> tuple[pl.DataFrame, dict[str, Column]]:
    """300 patients with two visits each, and identifiers for each of the 600 rows."""
    rng = np.random.default_rng(0)
    facts = {"age": rng.integers(0, 90, 300).repeat(2), "zip": rng.integers(0, 50, 300).repeat(2)}
    columns = {**dict.fromkeys(facts, quasi()), **dict.fromkeys(identifiers, identifier())}
    return pl.DataFrame({**facts, **identifiers}), columns


def repeated(frame: pl.DataFrame, columns: dict[str, Column], **data: object) -> list[str]:
    found = persons.repeated_persons(case(frame, columns, [0] * len(frame), **data))
    return [warning.text for warning in found]


def test_a_repeated_identifier_is_told() -> None:
    (only,) = repeated(*visits(patient=[number // 2 if number < 60 else number for number in range(600)]))
    assert "'patient' repeats: 10 % of the rows" in only and "not persons" in only


def test_an_identifier_that_tells_rows_apart_is_fine() -> None:
    assert not repeated(*visits(visit=range(600)))


def test_patients_are_found_beside_a_unique_visit_number() -> None:
    (only,) = repeated(*visits(visit=range(600), patient=[f"p{number // 2}" for number in range(600)]))
    assert "'patient'" in only and "100 % of the rows" in only


def test_namesakes_are_not_taken_for_one_person() -> None:
    assert not repeated(*visits(visit=range(600), name=[f"n{number % 300}" for number in range(600)]))


def test_missing_identifiers_are_not_one_person() -> None:
    assert not repeated(*visits(patient=[str(number) if number < 300 else "?" for number in range(600)]))
    assert not repeated(*visits(patient=[None] * 600))


def test_a_plan_that_names_the_person_is_not_warned() -> None:
    frame, columns = visits(patient=[number // 2 for number in range(600)])
    assert not repeated(frame, columns, person="patient")


def test_in_a_wide_table_persons_are_known_by_what_stays_the_same() -> None:
    rng = np.random.default_rng(0)
    steady = {f"steady{a}": rng.integers(0, 30, 300).repeat(2) for a in range(5)}
    varying = {f"varying{a}": rng.integers(0, 30, 600) for a in range(6)}
    frame = pl.DataFrame(
        {
            **steady,
            **varying,
            "visit": range(600),
            "patient": np.arange(600) // 2,
            "name": np.where(steady["steady0"] < 15, "Ann", "Bob"),
        }
    )
    columns = {name: quasi() for name in (*steady, *varying)}
    columns |= {name: identifier() for name in ("visit", "patient", "name")}
    (only,) = repeated(frame, columns)
    assert "'patient' repeats" in only


def with_others(**columns: Sequence[object]) -> list[str]:
    """The warnings about the visits if these columns are released or dropped without a role."""
    frame, roles = visits()
    frame = frame.with_columns(pl.Series(name, values) for name, values in columns.items())
    found = [repeated(frame, roles, unlisted=unlisted) for unlisted in ("drop", "insensitive")]
    assert found[0] == found[1]
    return found[0]


def test_numbers_of_persons_are_found_in_columns_without_a_role() -> None:
    (only,) = with_others(who=[f"p{number // 2}" for number in range(600)])
    assert "Column 'who' seems to number persons, and repeats: 100 % of the rows" in only
    assert 'set person = "who"' in only


def test_columns_that_repeat_for_other_reasons_are_not() -> None:
    frame, _ = visits()
    rng = np.random.default_rng(3)
    assert not with_others(
        copy=frame["age"].cast(pl.String).to_list(),
        city=(frame["zip"] // 5).cast(pl.String).to_list(),
        name=[f"n{number % 300}" for number in range(600)],
        day=rng.integers(0, 400, 600).astype(str).tolist(),
        visit=list(range(600)),
        flag=["yes", "no"] * 300,
    )


def test_persons_are_found_in_a_sample_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persons, "_ROWS_SAMPLED", 100)
    (only,) = with_others(who=[f"p{number // 2}" for number in range(600)])
    assert "'who'" in only and "100 % of the rows" in only


def test_classes_of_one_person_are_counted() -> None:
    frame, roles = visits()
    frame = frame.with_columns(who=pl.Series(np.arange(600) // 2), age=pl.Series(np.arange(600) // 2))
    given = case(frame, roles, (np.arange(600) // 4).tolist(), unlisted="drop")
    (two,) = persons.repeated_persons(given)
    assert "classes" not in two.text.partition("form a class")[2]
    given = case(frame, roles, [number // 2 for number in range(600)], unlisted="drop")
    (one,) = persons.repeated_persons(given)
    assert one.serious and "as in 300 of 300 classes" in one.text


def test_classes_of_a_single_person_are_told() -> None:
    frame = pl.DataFrame(
        {"who": ["1", "2", "3", "4"] * 3, "age": ["20", "60", "60", "60"] * 3, "ill": ["a"] * 4 + ["b"] * 4 + ["c"] * 4}
    )
    columns = {"who": identifier(), "age": quasi(), "ill": sensitive()}
    plan = Plan(columns=columns, models=(LDiversity("ill", l=3),), data=Data(person="who"))
    release = shoal.anonymize(frame, plan)
    assert release.verification.classes == 2
    assert "1 of 2 classes contains only one person" in release.warnings[0] and "serious" in repr(release)
    counted = shoal.anonymize(frame, plan.changed(models=(LDiversity("ill", l=3), KAnonymity(k=2))))
    assert not [text for text in counted.warnings if "only one person" in text]


def test_the_remedy_for_a_single_person_suits_an_anatomy() -> None:
    frame = pl.DataFrame(
        {"who": ["1"] * 3 + ["2", "3", "4"], "age": ["20"] * 3 + ["60"] * 3, "ill": ["a", "b", "c"] * 2}
    )
    columns = {"who": identifier(), "age": quasi(), "ill": sensitive()}
    form = shoal.ReleaseSettings(form="anatomy")
    plan = Plan(columns=columns, models=(LDiversity("ill", l=3),), data=Data(person="who"), release=form)
    release = shoal.anonymize(frame, plan)
    (alone,) = [text for text in release.warnings if "only one person" in text]
    assert "k-anonymity" not in alone and "p-sensitive" in alone
    counted = shoal.anonymize(frame, plan.changed(models=(*plan.models, shoal.PSensitive(p=2, k=2, columns=("ill",)))))
    assert not [text for text in counted.warnings if "only one person" in text]
