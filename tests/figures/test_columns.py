"""What is published in each column."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.figures import columns as module
from shoal.figures import histograms
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
    rows = {value: 2 * ILL.count(value) for value in set(ILL)}
    assert label_rows("ill", release.draft.tables, None, [*rows]) == (rows, 20)
    assert label_rows("ill", release.draft.tables, None, ["flu"]) == ({"flu": 10}, 20)


def test_levels_are_shown_with_their_rows() -> None:
    frame = pl.DataFrame({"zip": ["1234", "1235", "1236", "9876", "9877", "9878"] * 2})
    plan = shoal.Plan(columns={"zip": shoal.quasi(shoal.prefixes())}, models=[shoal.KAnonymity(k=4)])
    found = shoal.anonymize(frame, plan.changed(algorithm=shoal.Optimal())).figures.public.columns
    assert found is not None and found.columns[0].levels == {"1": 12}


def test_wide_tables_are_described_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COLUMNS", 2)
    found = released().figures.public.columns
    assert found is not None and len(found.columns) == 2 and found.more == 1


def test_unchanged_numbers_and_dates_have_a_histogram_without_bins_of_few_rows() -> None:
    costs = [float(100 + 7 * n % 400) + 0.5 for n in range(59)] + [700.0]
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)
    frame = pl.DataFrame({"age": [20, 40] * 30, "cost": costs, "day": days, "code": [f"c{n}" for n in range(60)]})
    columns = {"age": shoal.quasi(), **{name: shoal.insensitive() for name in ("cost", "day", "code")}}
    release = shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5)]))
    found = release.figures.public.columns
    assert found is not None
    by_name = {each.name: each.histogram for each in found.columns}
    cost, day = by_name["cost"], by_name["day"]
    assert cost is not None and sum(cost.rows) == 60 and min(cost.rows) >= 5, "the extreme cost is not alone in a bin"
    assert day is not None and day.type == "date" and sum(day.rows) == 60
    assert by_name["code"] is None
    compared = {each.name: each for each in release.figures.private.columns}
    assert [each.before for each in compared["cost"].bins] == [each.after for each in compared["cost"].bins]
    assert not compared["cost"].values and compared["day"].bins


def test_texts_that_are_too_many_to_be_sorted_are_described_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = released().figures
    monkeypatch.setattr(histograms, "MOST_TYPED", 1)
    found = released().figures
    assert found.public.columns == expected.public.columns
    assert found.private.columns == expected.private.columns


def sets_released() -> shoal.Release:
    """Every row has one to three symptoms; one row has none."""
    symptoms = ["fever|cough", "cough", "fever|cough|rash", "fever"] * 10 + [None]
    frame = pl.DataFrame({"age": [20, 40] * 20 + [20], "symptoms": symptoms})
    columns = {"age": shoal.quasi(), "symptoms": shoal.quasi_sensitive(items="|")}
    models = [shoal.KAnonymity(k=5), shoal.KmAnonymity("symptoms", k=5, m=2)]
    return shoal.anonymize(frame, shoal.Plan(columns=columns, models=models))


def test_rows_of_sets_are_counted_by_item() -> None:
    public = sets_released().figures.public.columns
    assert public is not None
    symptoms = public.columns[1]
    assert (symptoms.rows, symptoms.missing, symptoms.labels) == (41, 1, 3)
    assert symptoms.frequent.named == (Category("cough", 30), Category("fever", 30), Category("rash", 10))


def test_items_are_compared_with_those_of_the_input() -> None:
    private = sets_released().figures.private
    assert private is not None
    symptoms = next(each for each in private.columns if each.name == "symptoms")
    assert [(each.value, each.before, each.after) for each in symptoms.values] == [
        ("cough", 30, 30),
        ("fever", 30, 30),
        ("rash", 10, 10),
    ]
    assert (symptoms.missing_before, symptoms.missing_after, symptoms.others) == (1, 1, 0)
