from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.models import ClassModel, KAnonymity, KmAnonymity, QSDiversity


def risk(folder: Path, sets: list[str], *models: ClassModel, separator: str = "|", attacks: bool = True) -> shoal.Risk:
    (folder / "k.csv").write_text("label,item\nflu,fever\nflu,cough\ncold,fever\ncold,cough\n", encoding="utf-8")
    column = shoal.quasi_sensitive(items=separator, knowledge=str(folder / "k.csv"))
    frame = pl.DataFrame({"age": [1, 2] * (len(sets) // 2), "ill": sets})
    return shoal.risk(frame, shoal.Plan(columns={"age": shoal.quasi(), "ill": column}, models=models), attacks=attacks)


LINKING = (KAnonymity(k=2), QSDiversity("ill", c=1, l=2))


def test_rows_that_link_to_no_label_are_counted_and_their_items_not_named(tmp_path: Path) -> None:
    (warning,) = risk(tmp_path, ["fever;cough", "cough"] * 10, *LINKING).warnings  # `items` was forgotten
    assert warning.startswith("50 % of the rows have an item in column 'ill' that no label of the knowledge table has")
    assert "fever" not in warning
    assert not risk(tmp_path, ["fever;cough", "cough"] * 10, *LINKING, separator=";").warnings


@pytest.mark.parametrize(("unknown", "warned"), [(1, False), (2, True)])
def test_a_few_such_rows_are_not_warned_of(tmp_path: Path, unknown: int, warned: bool) -> None:
    sets = ["zest"] * unknown + ["cough"] * (20 - unknown)
    assert bool(risk(tmp_path, sets, *LINKING).warnings) is warned


def test_without_attacks_no_knowledge_table_is_read(tmp_path: Path) -> None:
    assert not risk(tmp_path, ["zest"] * 20, *LINKING, attacks=False).warnings


def test_unique_rows_that_no_model_restricts_are_warned_of(tmp_path: Path) -> None:
    (warning,) = risk(tmp_path, ["zest", "zest"], KmAnonymity("ill", k=2, m=1)).warnings
    assert "No model of the plan restricts the quasi-identifiers, and 100 % of the rows are unique" in warning
    assert not risk(tmp_path, ["zest"] * 20, KmAnonymity("ill", k=2, m=1)).warnings
    assert not risk(tmp_path, ["cough", "cough"], *LINKING).warnings
