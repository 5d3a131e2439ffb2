from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.models import ClassModel, KAnonymity, KmAnonymity
from shoal.roles.columns import quasi, quasi_sensitive
from shoal.warnings.base import Warning
from shoal.warnings.unrestricted import unrestricted_quasi_identifiers
from tests.warnings.cases import case

KM = KmAnonymity("drugs", k=2, m=1)
COLUMNS = {"age": quasi(), "zip": quasi(), "drugs": quasi_sensitive()}


def warned(unique: int, rows: int, *models: ClassModel) -> list[Warning]:
    """The warnings about a table in which so many rows are unique."""
    ages = [*range(unique), *[-1] * (rows - unique)]
    frame = pl.DataFrame({"age": ages, "zip": ["1"] * rows, "drugs": ["a"] * rows})
    classes = [*range(1, unique + 1), *[0] * (rows - unique)]
    return list(unrestricted_quasi_identifiers(case(frame, COLUMNS, classes, *models)))


def test_unchanged_quasi_identifiers_that_are_unique_are_a_serious_warning() -> None:
    (warning,) = warned(8, 10, KM)
    assert warning.serious and warning.public
    assert "No model of the plan restricts the quasi-identifiers" in warning.text
    assert "80 % of the rows are unique" in warning.text and "k-anonymity" in warning.text


@pytest.mark.parametrize("unique", [0, 1])
def test_few_unique_rows_are_not_noteworthy(unique: int) -> None:
    assert not warned(unique, 200, KM)


def test_a_model_of_classes_restricts_them() -> None:
    assert not warned(8, 10, KAnonymity(k=2), KM)


def test_steward_recipients_and_risk_see_it() -> None:
    frame = pl.DataFrame({"age": [*range(8), 9, 9], "drugs": ["a"] * 10})
    plan = shoal.Plan(columns={"age": quasi(), "drugs": quasi_sensitive()}, models=[KM])
    release = shoal.anonymize(frame, plan)
    assert release.manifest.serious_warnings == 1 and release.steward.serious_warnings == 1
    assert "80 % of the rows are unique" in release.manifest.warnings[0]
    assert release.manifest.warnings[0] in release.warnings
    assert any("No model of the plan restricts" in warning for warning in shoal.risk(frame, plan).warnings)
