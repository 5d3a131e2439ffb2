"""What must be known with the figures: an incomplete or unusable reference, estimates that are not reliable."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.risks.releases import require_accepted
from tests.risks.attacked import pretend
from tests.risks.tables import plan_of

TABLE = pl.DataFrame({"zip": ["02139"] * 10 + ["94110"] * 10, "sex": ["f", "m"] * 10})
WITH_REFERENCE = ("journalist", "marketer", "k_map", "presence")


def risk(reference: pl.DataFrame | None = None, table: pl.DataFrame = TABLE, **given: Any) -> shoal.Risk:
    plan = plan_of(["zip", "sex"]).changed(columns={"zip": shoal.quasi(type="text"), "sex": shoal.quasi()})
    return shoal.risk(table, plan, reference=reference, attacks=False, **given)


def test_the_columns_that_were_compared_are_stated() -> None:
    found = risk(TABLE)
    assert found.reference_columns == ("zip", "sex") and not found.warnings
    assert found.to_json()["reference_columns"] == ["zip", "sex"]
    assert "The reference table was compared on: 'zip', 'sex'." in found.notes
    assert risk().reference_columns is None and risk().to_json()["reference_columns"] is None


def test_a_quasi_identifier_that_the_reference_lacks_is_warned_of() -> None:
    found = risk(TABLE.select("sex"))
    assert found.reference_columns == ("sex",)
    assert any("It lacks: 'zip'." in note for note in found.notes)
    (warning,) = found.warnings
    assert "lacks 1 of 2 quasi-identifiers: 'zip'" in warning and found.to_json()["warnings"] == [warning]
    assert f"Warning: {warning}" in str(found)


def test_many_rows_without_a_candidate_are_warned_of() -> None:
    reference = TABLE.with_columns(pl.col("zip").cast(pl.Int64))  # 02139 has become 2139
    found = risk(reference)
    (warning,) = found.warnings
    assert warning.startswith("50 % of the rows have no candidate in the reference table")
    assert "spelling, types and leading zeros" in warning and "2139" not in warning
    assert found.figures["k_map"]["rows_without_candidates"] == 10


@pytest.mark.parametrize(("unknown", "warned"), [(5, False), (6, True)])
def test_up_to_five_percent_without_a_candidate_are_not_warned_of(unknown: int, warned: bool) -> None:
    table = pl.DataFrame({"zip": ["1"] * (100 - unknown) + ["2"] * unknown, "sex": ["f"] * 100})
    assert bool(risk(pl.DataFrame({"zip": ["1"], "sex": ["f"]}), table).warnings) is warned


def test_a_reference_without_any_candidate_gives_no_figures_and_no_gate() -> None:
    found = risk(TABLE.with_columns(pl.lit("other").alias("sex")))
    assert all(
        name not in found.figures and "No row has a candidate" in found.not_measured[name] for name in WITH_REFERENCE
    )
    assert all(found.to_json()[name] is None for name in WITH_REFERENCE)
    assert "No row has a candidate" in found.warnings[0]
    accepted = shoal.RiskSettings(highest=1.0, journalist=0.1, marketer=0.1, k_map=2, presence=0.5)
    found = risk(TABLE.with_columns(pl.lit("other").alias("sex")), thresholds=accepted)
    assert set(found.unchecked) == {"journalist", "marketer", "k_map", "presence"}
    with pytest.raises(ShoalError, match=r"cannot be checked: 'journalist'.*No row has a candidate"):
        require_accepted(found)


def test_attacks_do_without_a_reference_that_has_no_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unusable table would make every link fail, and the attack hold."""
    attacks = pretend(monkeypatch)
    shoal.risk(TABLE, plan_of(["zip", "sex"]), reference=TABLE.with_columns(pl.lit("other").alias("sex")))
    shoal.risk(TABLE, plan_of(["zip", "sex"]), reference=TABLE)
    without, usable = attacks.targets
    assert without.reference is None and usable.reference is not None


def test_individual_risk_is_not_reliable_if_most_rows_are_unique() -> None:
    table = pl.DataFrame({"zip": [str(number) for number in range(10)], "sex": ["f"] * 10})
    assert any("individual risk is not reliable" in note for note in risk(table=table, sampling_fraction=0.2).notes)
    assert not any("not reliable" in note for note in risk(sampling_fraction=0.2).notes)
    assert not any("not reliable" in note for note in risk(table=table).notes)
