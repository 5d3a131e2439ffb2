"""Query error: exact where nothing was lost, by hand on small tables, seeded, on both forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.datasets import registry
from shoal.errors import ShoalError
from shoal.estimating import query_error as queries

COLUMNS = {"age": shoal.quasi(type="integer"), "sex": shoal.quasi(), "ill": shoal.sensitive()}
TABLE = pl.DataFrame({"age": [1, 2, 3, 4], "sex": ["f", "f", "m", "m"], "ill": ["a", "b", "a", "b"]})


def plan(form: str = "generalized") -> shoal.Plan:
    return shoal.Plan(columns=COLUMNS, models=[shoal.LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form=form))


def answers(tables: dict[str, pl.DataFrame], form: str) -> tuple[queries.Answers, dict[str, int]]:
    used = plan(form)
    quasi = [queries._quasi_domain(TABLE[name], used) for name in ("age", "sex")]
    sensitive = [queries._sensitive_domain(TABLE["ill"], used)]
    if form == "anatomy":
        return queries._Anatomy(tables, used, quasi, sensitive), {"age": 0, "sex": 1, "ill": 2}
    return queries._Generalized(tables["release"], used, quasi, sensitive), {"age": 0, "sex": 1, "ill": 2}


def test_an_anatomy_multiplies_rows_by_shares() -> None:
    tables = {
        "quasi_identifiers": TABLE.select(pl.col("age").cast(pl.String), "sex", class_id=pl.Series([1, 1, 1, 2])),
        "sensitive_ill": pl.DataFrame({"class_id": [1, 1, 2], "value": ["a", "b", "b"], "count": [2, 1, 1]}),
    }
    asked, at = answers(tables, "anatomy")
    assert asked.count([(at["ill"], 0, 0)]) == pytest.approx(2)
    assert asked.count([(at["sex"], 0, 0), (at["ill"], 0, 0)]) == pytest.approx(2 * 2 / 3)
    assert asked.count([(at["age"], 2, 3), (at["ill"], 1, 1)]) == pytest.approx(1 * 1 / 3 + 1)


def test_a_generalized_cell_is_spread_over_its_range_and_its_leaves() -> None:
    table = pl.DataFrame({"age": ["[1, 4]"] * 4, "sex": ["*", "*", "m", "m"], "ill": TABLE["ill"]})
    asked, at = answers({"release": table}, "generalized")
    assert asked.count([(at["ill"], 0, 0)]) == pytest.approx(2)
    assert asked.count([(at["age"], 0, 0), (at["ill"], 0, 1)]) == pytest.approx(4 / 4)
    assert asked.count([(at["sex"], 1, 1), (at["ill"], 0, 1)]) == pytest.approx(2 * 0.5 + 2)
    assert asked.count([(at["sex"], 0, 0), (at["age"], 0, 1), (at["ill"], 0, 0)]) == pytest.approx(0.5 * 0.5)


def test_a_table_that_lost_nothing_answers_exactly() -> None:
    same = TABLE.with_columns(pl.col("age").cast(pl.String))
    found = shoal.query_error(TABLE, {"release": same}, plan(), queries=200)
    assert found.all == pytest.approx(0) and found.queries == 200


def test_dates_without_a_declared_type_may_be_missing() -> None:
    days = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", None, None]
    frame = pl.DataFrame({"visit": days, "ill": ["a", "b"] * 3}).with_columns(pl.col("visit").str.to_date())
    used = shoal.Plan(columns={"visit": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)])
    ranges = pl.Series(["[2024-01-01, 2024-01-02]"] * 2 + ["[2024-01-03, 2024-01-04]"] * 2 + [None, None])
    found = shoal.query_error(frame, {"release": frame.with_columns(visit=ranges)}, used, queries=200)
    assert 0 < found.all < 1


def test_the_workload_is_what_the_paper_says() -> None:
    frame, used = registry(800, 0), _registry_plan("anatomy")
    domains = [queries._quasi_domain(frame[name], used) for name in used.quasi_identifiers]
    domains += [queries._sensitive_domain(frame[name], used) for name in used.sensitive]
    work = queries.workload(domains, 4, 600, np.random.default_rng(1))
    conditions = work.asked.sum(axis=1)
    assert set(conditions) == {1, 2, 3, 4}
    assert (work.asked[:, 4:].sum(axis=1) == 1).all() and (work.truth > 0).all()
    spread = (work.high - work.low)[work.asked]
    assert 0.2 < (spread == 0).mean() < 0.8
    for q in range(0, 600, 50):
        rows = np.ones(frame.height, np.bool_)
        for c in np.flatnonzero(work.asked[q]):
            rows &= (domains[c].codes >= work.low[q, c]) & (domains[c].codes <= work.high[q, c])
        assert rows.sum() == work.truth[q]


def test_numbers_are_in_the_order_of_numbers() -> None:
    frame, used = registry(800, 0), _registry_plan("anatomy")
    texts = queries._sensitive_domain(frame["survival_years"], used).texts
    assert texts == sorted(texts, key=int)


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_it_is_seeded_and_grows_with_the_loss(form: str) -> None:
    frame = registry(1500, 0)
    errors = []
    for k in (10, 300):
        used = _registry_plan(form, k)
        tables = shoal.anonymize(frame, used).frames
        errors.append(shoal.query_error(frame, tables, used, queries=400, seed=3))
        assert errors[-1] == shoal.query_error(frame, tables, used, queries=400, seed=3)
    assert 0 < errors[0].all < errors[1].all
    assert errors[0] != shoal.query_error(frame, tables, used, queries=400, seed=4)


def test_a_plan_without_sensitive_columns_is_refused() -> None:
    used = shoal.Plan(columns={"age": shoal.quasi(), "sex": shoal.quasi()}, models=[shoal.KAnonymity(k=2)])
    with pytest.raises(ShoalError, match="needs a sensitive column"):
        shoal.query_error(TABLE, {"release": TABLE}, used)


def _registry_plan(form: str, k: int = 20) -> shoal.Plan:
    columns = {name: shoal.quasi() for name in ("birth_date", "gender", "race")} | {"zip": shoal.quasi(type="integer")}
    columns |= {name: shoal.sensitive() for name in ("topography", "survival_years")}
    return shoal.Plan(
        columns=columns,
        models=[shoal.MultiSensitive(l=4, k=k)],
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(form=form),
    )


@pytest.mark.parametrize("absent", ["", "20", "35"])
def test_numbers_with_a_hierarchy_are_in_order_and_missing_ones_first(absent: str) -> None:
    ages = ["" if age == absent else age for age in (str(20 + row % 30) for row in range(90))] + [""]
    hierarchy = shoal.hierarchies.Intervals(widths=[5, 10])
    plan = shoal.Plan(
        columns={"age": shoal.quasi(hierarchy=hierarchy), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)]
    )
    found = queries.asked(pl.DataFrame({"age": ages, "ill": ["flu", "HIV", "rash"] * 30 + ["flu"]}), plan, queries=50)
    domain = found.quasi[0]
    assert domain.numbers is not None and domain.texts == sorted({*ages}) and domain.missing == 0
    assert [domain.texts[code] for code in domain.codes] == ages
    assert np.isnan(domain.numbers[0]) and (np.diff(domain.numbers[1:]) > 0).all()
    assert (found.work.low[found.work.asked] >= np.array([1, 0])[np.nonzero(found.work.asked)[1]]).all()


def test_a_year_below_1000_does_not_stop_a_release() -> None:
    """One typo makes the lower end of a decade 0980, which reads as text among numbers of years."""
    days = ["0985-01-01", "0986-02-01", *["1985-01-01", "1992-02-01"] * 4] * 3
    frame = pl.DataFrame({"born": days, "ill": ["a", "b"] * 15})
    columns = {"born": shoal.quasi(shoal.dates("year", "decade")), "ill": shoal.sensitive()}
    plan_ = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=6)], algorithm=shoal.Optimal())
    release = shoal.anonymize(frame, plan_)
    assert "[0980, 0989]" in release.frame["born"].to_list()
    assert np.isfinite(shoal.query_error(frame, release.frames, plan_).all)


def test_a_decade_is_a_range_of_days() -> None:
    """A query for a quarter of a decade finds a quarter of its rows, although decades are written as years."""
    days = pl.Series(["2000-01-01", "2002-07-01", "2005-01-01", "2009-12-31"]).str.to_date()
    plan_ = shoal.Plan(
        columns={"born": shoal.quasi(shoal.dates("year", "decade")), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2)],
    )
    domain = queries._quasi_domain(days.alias("born"), plan_)
    cells = queries._Cells(pl.Series("born", ["[2000, 2009]"] * 4), domain, plan_)
    assert cells.shares(0, 1)[0] == pytest.approx(913 / 3653)
    assert cells.shares(0, 3)[0] == pytest.approx(1)


def test_very_large_numbers_do_not_stop_a_release() -> None:
    frame = pl.DataFrame({"q": [-1e16, 0.1, 0.3, 0.4, 7.0, 8.0, 9.0, 2.0] * 3, "ill": ["a", "b"] * 12})
    columns = {"q": shoal.quasi(), "ill": shoal.sensitive()}
    release = shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5)]))
    assert "e+" in "".join(release.frame["q"])
    assert np.isfinite(shoal.query_error(frame, release.frames, release.plan).all)


def test_ranges_of_a_hierarchy_file_are_its_nodes(tmp_path: Path) -> None:
    """They may look like ranges of numbers, or of anything else."""
    path = tmp_path / "ages.csv"
    path.write_text("1;[low, mid];*\n2;[low, mid];*\n3;[mid, high];*\n4;[mid, high];*\n")
    columns = {"age": shoal.quasi(shoal.hierarchies.File(str(path))), "ill": shoal.sensitive()}
    plan_ = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    domain = queries._quasi_domain(pl.Series("age", [1, 2, 3, 4]), plan_)
    cells = queries._Cells(pl.Series("age", ["[low, mid]", "[mid, high]"]), domain, plan_)
    assert cells.shares(0, 0).tolist() == [0.5, 0]
