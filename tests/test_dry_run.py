from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal import dry_run
from shoal.algorithms import Incognito, Optimal, Samarati
from shoal.errors import CannotBeMet, HierarchyError, PlanError
from shoal.hierarchies import Dates, File, Intervals
from shoal.models import AlphaK, KAnonymity, KmAnonymity, LDiversity, QSCloseness, QSDiversity
from shoal.pipeline import anonymize
from shoal.plan import EngineSettings, Plan
from shoal.roles.columns import Column, Data, identifier, quasi, quasi_sensitive, sensitive
from shoal.search import listing
from shoal.table import read


@pytest.fixture
def source(tmp_path: Path) -> str:
    frame = pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(12)],
            "age": [20 + i % 6 for i in range(12)],
            "ill": ["flu", "cough", None, "flu"] * 3,
        }
    )
    frame.write_csv(tmp_path / "table.csv")
    return str(tmp_path / "table.csv")


def _plan(source: str, *, k: int = 2, data: dict[str, object] | None = None, **columns: Column) -> Plan:
    roles = {"name": identifier(), "age": quasi(Intervals((5,))), "ill": sensitive(), **columns}
    settings = Data(**{"source": source, **(data or {})})
    return Plan(data=settings, columns=roles, models=[KAnonymity(k), LDiversity("ill", 2)])


def test_counts_of_what_the_search_would_see(source: str) -> None:
    found = dry_run.check(_plan(source, data={"missing_rows": "drop"}))
    assert (found.rows, found.rows_dropped, found.distinct_rows) == (12, 3, 9)
    assert found.columns["age"] == dry_run.CheckedColumn("quasi-identifier", "integer", 6, "tree", 3)
    assert found.columns["ill"].values == 2 and found.columns["name"].values is None
    assert found.warnings == ()


def test_models_that_cannot_be_met(source: str) -> None:
    with pytest.raises(CannotBeMet):
        dry_run.check(_plan(source, k=13))


@pytest.mark.parametrize("algorithm", [Incognito(), Samarati()])
def test_what_an_algorithm_cannot_take_is_known_before_the_search(
    source: str, monkeypatch: pytest.MonkeyPatch, algorithm: Any
) -> None:
    plan = _plan(source).changed(algorithm=algorithm)
    dry_run.check(plan)
    monkeypatch.setattr(listing, "LISTED_AT_MOST", 2)
    with pytest.raises(PlanError, match="would have to list 3 recodings"):
        dry_run.check(plan)
    dry_run.check(plan.changed(algorithm=Optimal()))


def test_whether_a_release_exists_is_said_only_where_it_is_sure(tmp_path: Path) -> None:
    """Shares of persons may hold in parts and not in the whole; classes are never larger than the whole."""
    frame = pl.DataFrame(
        {"who": ["0", "0", "1", "1", "2", "3"], "age": [1, 2, 1, 2, 1, 2], "ill": ["s", "s", "s", "t", "t", "t"]}
    )
    frame.write_csv(tmp_path / "table.csv")
    data = Data(source=str(tmp_path / "table.csv"), person="who")

    def asked(model: Any) -> Plan:
        return Plan(data=data, columns={"age": quasi(), "ill": sensitive()}, models=[model], algorithm=Optimal())

    assert dry_run.check(asked(KAnonymity(2))).release_exists
    assert not dry_run.check(asked(AlphaK("ill", alpha=0.5, k=2))).release_exists
    with pytest.raises(CannotBeMet, match="all 4 persons"):
        dry_run.check(asked(AlphaK("ill", alpha=0.5, k=9)))


@pytest.mark.parametrize("models", [(KAnonymity(2),), ()])
def test_removal_decides_whether_items_can_be_close_enough(tmp_path: Path, models: tuple[Any, ...]) -> None:
    """Every label has its own item: no removal brings both rows of an age near to the table."""
    pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "a", "b", "b"]}).write_csv(tmp_path / "table.csv")
    (tmp_path / "known.csv").write_text("label,item\nx,a\ny,b\nz,c\n")
    columns = {"age": quasi(), "ill": quasi_sensitive(knowledge=str(tmp_path / "known.csv"))}

    def asked(model: Any) -> Plan:
        data = Data(source=str(tmp_path / "table.csv"))
        return Plan(data=data, columns=columns, models=[*models, model])

    found = dry_run.check(asked(QSCloseness("ill", t=0.01)))
    assert not found.release_exists and found.undecided == ("qs-closeness",)
    with pytest.raises(CannotBeMet):
        anonymize(read(tmp_path / "table.csv"), asked(QSCloseness("ill", t=0.01)))
    found = dry_run.check(asked(QSDiversity("ill", c=1, l=2)))
    assert found.release_exists and found.undecided == ()


def test_progress_can_cancel(source: str) -> None:
    def stop(_step: str, _share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        dry_run.check(_plan(source), progress=stop)


def test_hierarchies_are_checked_without_having_to_fit(source: str, tmp_path: Path) -> None:
    (tmp_path / "ill.csv").write_text("flu;*\n")
    plan = _plan(source, ill=sensitive(File(str(tmp_path / "ill.csv"))))
    found = dry_run.check_hierarchies(plan)
    assert {name: coverage.uncovered for name, coverage in found.items()} == {"age": 0, "ill": 1}
    assert list(dry_run.check_hierarchies(plan, "ill")) == ["ill"]
    with pytest.raises(PlanError, match="no hierarchy for column 'name'"):
        dry_run.check_hierarchies(plan, "name")


def test_the_hierarchy_of_a_set_valued_column_covers_its_items(tmp_path: Path) -> None:
    pl.DataFrame({"age": [1, 2, 3], "s": ["flu|gout", "gout|NA", "acne | flu"]}).write_csv(tmp_path / "table.csv")
    (tmp_path / "s.csv").write_text("flu;ill;*\ngout;ill;*\nrash;skin;*\n")
    column = quasi_sensitive(File(str(tmp_path / "s.csv")))
    plan = Plan(
        data=Data(source=str(tmp_path / "table.csv")),
        columns={"age": quasi(), "s": column},
        models=[KmAnonymity("s", k=2, m=1)],
    )
    coverage = dry_run.check_hierarchies(plan)["s"]
    assert (coverage.values, coverage.uncovered, coverage.uncovered_values) == (3, 1, ("acne",))
    with pytest.raises(HierarchyError, match="does not cover 1 of the column's 3 distinct values") as refused:
        dry_run.check(plan)
    assert "acne" not in str(refused.value)
    (tmp_path / "s.csv").write_text("flu;ill;*\ngout;ill;*\nacne;skin;*\n")
    assert dry_run.check(plan).release_exists and not dry_run.check(plan).undecided
    assert dry_run.check(plan).columns["s"] == dry_run.CheckedColumn("quasi-sensitive", None, 3, "sets", 3)


def test_bounds_between_whole_numbers_are_those_of_the_search(source: str, tmp_path: Path) -> None:
    (tmp_path / "ages.csv").write_text("".join(f"{age};*\n" for age in (22, 23, 24)), encoding="utf-8")
    ages = quasi(File(str(tmp_path / "ages.csv")), bottom=21.5, top=24.5)
    assert dry_run.check_hierarchies(_plan(source, age=ages))["age"].uncovered == 0
    assert dry_run.check(_plan(source, age=ages)).columns["age"].values == 3


def test_a_malformed_hierarchy_names_its_column(source: str) -> None:
    with pytest.raises(HierarchyError, match="Column 'age'"):
        dry_run.check_hierarchies(_plan(source, age=quasi(Dates())))


def test_a_folder_of_files_is_checked(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for number in range(3):
        (tmp_path / "parts" / f"part-{number}.csv").write_text("age,sex\n" + f"{20 + number},f\n" * 4)
    columns = {"age": quasi(), "sex": quasi()}
    plan = Plan(columns=columns, models=[KAnonymity(k=2)], data=Data(source=str(tmp_path / "parts")))
    assert dry_run.check(plan).rows == 12


def test_a_table_with_more_distinct_rows_than_the_limit_is_searched_in_blocks(source: str) -> None:
    few, many = (EngineSettings.model_construct(distinct_limit=limit) for limit in (11, 12))
    assert dry_run.check(_plan(source).changed(engine=few)).in_blocks
    assert not dry_run.check(_plan(source).changed(engine=many)).in_blocks
    with pytest.raises(PlanError, match="Algorithm 'optimal' cannot search in blocks"):
        dry_run.check(_plan(source).changed(engine=few, algorithm=Optimal()))
