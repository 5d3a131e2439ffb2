"""What is published in each column."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.figures import columns as module
from shoal.figures.columns import label_rows
from shoal.figures.folding import Categories, Category
from tests.figures.releases import ILL, released


def test_each_column_has_its_role_its_labels_and_their_rows() -> None:
    found = released().figures.public.columns
    assert found is not None and found.fewest == 5 and found.more == 0
    age, sex, ill = found.columns
    assert (age.role, age.published_as, age.labels) == ("quasi-identifier", "ranges", 2)
    assert sex.frequent.named == (Category("f", 10), Category("m", 10))
    assert ill.role == "sensitive"
    assert ill.frequent == Categories((Category("flu", 10),), others=2, other_rows=10)


def test_the_sensitive_values_of_an_anatomy_are_counted_in_their_own_table() -> None:
    release = released(models=[shoal.LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form="anatomy"))
    found = release.figures.public.columns
    assert found is not None and [each.name for each in found.columns] == ["age", "sex", "ill"]
    assert label_rows("ill", release.draft.tables, None) == {value: 2 * ILL.count(value) for value in set(ILL)}


def test_levels_are_shown_with_their_rows() -> None:
    frame = pl.DataFrame({"zip": ["1234", "1235", "1236", "9876", "9877", "9878"] * 2})
    plan = shoal.Plan(columns={"zip": shoal.quasi(shoal.prefixes())}, models=[shoal.KAnonymity(k=4)])
    found = shoal.anonymize(frame, plan.changed(algorithm=shoal.Optimal())).figures.public.columns
    assert found is not None and found.columns[0].levels == {"1": 12}


def test_wide_tables_are_described_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COLUMNS", 2)
    found = released().figures.public.columns
    assert found is not None and len(found.columns) == 2 and found.more == 1
