"""What is said when nothing can satisfy a plan: the model that blocks, counts, and what would work."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Incognito, Mondrian, Optimal, Pais, Samarati
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.errors import CannotBeMet, PlanError
from shoal.feasibility import Whole, require_possible
from shoal.hierarchies import File
from shoal.models import (
    ALL,
    AlphaK,
    ClassModel,
    ExtendedPSensitive,
    KAnonymity,
    LDiversity,
    MultiSensitive,
    PSensitive,
)
from shoal.pipeline import partitioned
from shoal.progress import silent
from tests.effort import examples
from tests.models.strategies import MODELS
from tests.models.tables import COLUMNS

FRAME = pl.DataFrame(
    {
        "age": [20, 21, 30, 31, 40, 41, 50, 51, 60, 61],
        "ill": ["Secret A", "Secret B", "Secret A", "Secret B", "Secret C", *["Secret A"] * 5],
    }
)


def plan_of(*models: ClassModel, algorithm: Any = None, suppression: float = 0.0) -> shoal.Plan:
    return shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()},
        models=models,
        algorithm=algorithm or Optimal(),
        release=shoal.ReleaseSettings(suppression=suppression),
    )


@pytest.mark.parametrize(
    ("model", "why", "remedy"),
    [
        (KAnonymity(k=11), ["k = 11", "all 10 rows"], "k = 10"),
        (LDiversity("ill", l=4), ["'ill' has 3 values that count", "the most frequent with 7 rows"], "l = 3"),
        (LDiversity("ill", l=2.9, variant="entropy"), ["variant = entropy"], "l = 2.2295"),
        (LDiversity("ill", l=2, variant="recursive", c=2), ["c = 2"], "c = 2.3334"),
        (LDiversity("ill", l=3, variant="recursive", c=7), ["c = 7"], "c = 7.0001"),
        (AlphaK("ill", alpha=0.5, k=2), ["alpha = 0.5"], "alpha = 0.7"),
        (AlphaK("ill", alpha=0.5, k=20), ["k = 20"], "alpha = 0.7, k = 10"),
        (PSensitive(p=4, k=5), ["p = 4"], "p = 3"),
        (PSensitive(p=4, k=50), ["k = 50"], "p = 3, k = 10"),
    ],
)
@pytest.mark.parametrize("algorithm", [Optimal(), Mondrian()])
def test_the_model_the_counts_and_the_nearest_that_holds_are_named(
    model: ClassModel, why: list[str], remedy: str, algorithm: Any
) -> None:
    with pytest.raises(CannotBeMet) as caught:
        shoal.anonymize(FRAME, plan_of(model, algorithm=algorithm))
    assert f"'{model.kind}'" in caught.value.fact
    assert all(part in caught.value.fact for part in why)
    assert remedy in caught.value.hint
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize("suppression", [0.0, 0.2])
def test_what_suppression_could_do_is_told_where_it_could(suppression: float) -> None:
    plan = plan_of(AlphaK("ill", alpha=0.5, k=2), suppression=suppression)
    with pytest.raises(CannotBeMet, match=r"at least 4 of 10 rows \(40 %\) would have to be suppressed"):
        shoal.anonymize(FRAME, plan)
    with pytest.raises(CannotBeMet) as caught:
        shoal.anonymize(FRAME, plan_of(LDiversity("ill", l=4), suppression=suppression))
    assert "would have to be suppressed" not in str(caught.value)


def test_leaving_rows_out_is_tried_where_it_may_help() -> None:
    release = shoal.anonymize(FRAME, plan_of(AlphaK("ill", alpha=0.5, k=2), suppression=0.8))
    assert 4 <= release.manifest.rows_suppressed <= 8
    with pytest.raises(CannotBeMet, match=r"set suppression = 0\.\d"):
        shoal.anonymize(FRAME, plan_of(AlphaK("ill", alpha=0.5, k=2), suppression=0.4))
    with pytest.raises(CannotBeMet, match="such as 'optimal'"):
        shoal.anonymize(FRAME, plan_of(AlphaK("ill", alpha=0.5, k=2), suppression=0.8, algorithm=Mondrian()))


def test_every_blocking_model_is_named() -> None:
    with pytest.raises(CannotBeMet) as caught:
        shoal.anonymize(FRAME, plan_of(KAnonymity(k=11), LDiversity("ill", l=4), algorithm=Incognito()))
    assert "'k-anonymity'" in caught.value.fact and "'l-diversity'" in caught.value.fact
    assert "k = 10" in caught.value.hint and "l = 3" in caught.value.hint


def test_where_nothing_holds_that_is_said() -> None:
    alone = pl.DataFrame({"age": [20], "ill": ["Secret A"]})
    with pytest.raises(CannotBeMet, match="no parameters of 'k-anonymity' hold"):
        shoal.anonymize(alone, plan_of(KAnonymity(k=2)))


def test_persons_are_counted_as_persons() -> None:
    frame = FRAME.with_columns(who=pl.lit("x"))
    plan = plan_of(KAnonymity(k=2)).changed(data=shoal.Data(person="who"))
    with pytest.raises(CannotBeMet, match="the only person"):
        shoal.anonymize(frame, plan)


def test_shares_of_persons_may_hold_in_parts_and_not_in_the_whole(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("A;G;*\nx;B;*\ny;B;*\n", encoding="utf-8")
    frame = pl.DataFrame(
        {"who": ["1", "2", "1", "2"], "job": ["A", "A", "x", "y"], "ill": ["flu", "cold", "cold", "flu"]}
    )
    columns = {"job": shoal.quasi(File(str(tmp_path / "job.csv"))), "ill": shoal.sensitive()}
    asked = shoal.Plan(columns=columns, models=[AlphaK("ill", alpha=0.5, k=2)], data=shoal.Data(person="who"))
    release = shoal.anonymize(frame, asked.changed(algorithm=Optimal()))
    assert release.verification.holds and release.verification.classes == 2
    with pytest.raises(CannotBeMet, match="use 'optimal'"):
        shoal.anonymize(frame, asked)
    for algorithm in (Incognito(), Samarati(), Pais()):
        with pytest.raises(PlanError, match="person"):
            asked.changed(algorithm=algorithm)


def test_a_greedy_check_may_hold_in_parts_and_not_in_the_whole() -> None:
    frame = pl.DataFrame(
        {"q": list("0101001101001"), "a": list("dddaaabadabbc"), "b": list("wyzxzywzwxzyw"), "c": list("3121312223333")}
    )
    columns = {"q": shoal.quasi()} | {name: shoal.sensitive() for name in "abc"}
    asked = shoal.Plan(columns=columns, models=[MultiSensitive(l=3, k=3, check="greedy")], algorithm=Optimal())
    assert shoal.anonymize(frame, asked).verification.classes == 2
    with pytest.raises(CannotBeMet, match="use 'optimal'"):
        shoal.anonymize(frame, asked.changed(algorithm=Mondrian()))


@pytest.mark.parametrize("kind", [model.kind for model in ALL if not model.removes_items])
@given(data=st.data())
@settings(max_examples=examples(60), deadline=None, phases=(Phase.explicit, Phase.generate))
def test_the_nearest_parameters_hold(kind: str, data: st.DataObject, trees: Path) -> None:
    domains = {name: [*column.paths, None][: data.draw(st.integers(1, 6))] for name, column in COLUMNS.items()}
    row = st.fixed_dictionaries({name: st.sampled_from(domain) for name, domain in domains.items()})
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String)).with_columns(age=pl.lit("a"))
    model = data.draw(MODELS[kind])
    columns = {name: shoal.sensitive(File(str(trees / f"{name}.csv"))) for name in COLUMNS}
    algorithm = Pais(goal="general") if model.judges_table else Mondrian()
    plan = shoal.Plan(columns={"age": shoal.quasi(), **columns}, models=[model], algorithm=algorithm)
    try:
        coded = fit(LocalEngine(frame), plan).coded
    except PlanError:  # the model names values that the table does not have
        assume(condition=False)
    table = Whole(coded, plan)
    blocked, changes = not model.passes(table.stats)[0], table.nearest(model)
    if blocked:
        with pytest.raises(CannotBeMet, match=f"'{kind}'" if model in table.blocking else None):
            require_possible(coded, plan)
            partitioned(coded, plan, silent)  # decides about classes that would not pass if they were merged
    if blocked and changes:
        relaxed = plan.changed(models=[dataclasses.replace(model, **changes)])  # type: ignore[type-var]
        assert shoal.anonymize(frame, relaxed).verification.holds


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trees")
    for name, column in COLUMNS.items():
        (folder / f"{name}.csv").write_text("\n".join(";".join(path) for path in column.paths.values()))
    return folder


class TestConditionsOfSensitivity:
    """The three necessary conditions of Campan and Truta; the first is one of the parameters."""

    TREE = "A;cancer;*\nB;cancer;*\nC;cold;*\nD;cold;*\n"

    def plan(self, tmp_path: Path, model: ClassModel, **age: Any) -> shoal.Plan:
        (tmp_path / "tree.csv").write_text(self.TREE)
        tree = File(str(tmp_path / "tree.csv"), separator=";")
        bands = shoal.intervals(10, 50)
        return shoal.Plan(
            columns={"age": shoal.quasi(bands, **age), "ill": shoal.sensitive(tree, protected=("cancer", "cold"))},
            models=[model],
            algorithm=Optimal(),
        )

    def test_second_condition_names_the_largest_p(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["A", "B", "C", "D"]})
        with pytest.raises(CannotBeMet, match="the values of 'ill' lie in 2 protected subtrees") as caught:
            shoal.anonymize(frame, self.plan(tmp_path, ExtendedPSensitive(p=3, k=3)))
        assert "this table allows 'extended-p-sensitive' with p = 2, k = 3" in caught.value.hint
        assert caught.value.exit_code == 3

    def test_a_table_of_one_subtree_needs_narrower_nodes(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["A", "B", "A", "B"]})
        with pytest.raises(CannotBeMet, match="the values of 'ill' lie in 1 protected subtree\\.") as caught:
            shoal.anonymize(frame, self.plan(tmp_path, ExtendedPSensitive(p=2, k=2)))
        assert "protect narrower nodes" in caught.value.hint and "remove the model" not in caught.value.hint

    @pytest.mark.parametrize("model", [ExtendedPSensitive(p=2, k=2), PSensitive(p=2, k=2)])
    def test_third_condition_names_the_most_classes(self, tmp_path: Path, model: ClassModel) -> None:
        """One row alone is no cancer, so there can be one class; decades must stay apart."""
        frame = pl.DataFrame({"age": [1, 2, 11, 12, 21, 22], "ill": ["A", "A", "A", "A", "A", "C"]})
        with pytest.raises(CannotBeMet, match=r"for at most 1 class, and .*'coarsest' of the plan keep 3 apart"):
            shoal.anonymize(frame, self.plan(tmp_path, model, coarsest=1))
        released = shoal.anonymize(frame, self.plan(tmp_path, model))
        assert released.manifest.classes == 1

    @given(
        st.lists(st.tuples(st.sampled_from([1, 11, 21]), st.sampled_from("ABCD")), min_size=2, max_size=9),
        st.integers(2, 3),
        st.sampled_from([0.0, 0.34]),
    )
    @settings(max_examples=examples(40), deadline=None)
    def test_nothing_is_refused_that_brute_force_satisfies(
        self, tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]], p: int, suppression: float
    ) -> None:
        """With decades kept apart, the classes are the decades: each passes, or is suppressed."""
        plan = self.plan(tmp_path_factory.mktemp("tree"), ExtendedPSensitive(p=p, k=p), finest=1, coarsest=1)
        plan = plan.model_copy(update={"release": shoal.ReleaseSettings(suppression=suppression)})
        frame = pl.DataFrame(rows, schema=["age", "ill"], orient="row")
        classes = {age: [ill for other, ill in rows if other == age] for age, _ in rows}
        fine = [members for members in classes.values() if len({ill in "AB" for ill in members}) >= p]
        kept = sum(len(members) for members in fine if len(members) >= p)
        possible = kept > 0 and len(rows) - kept <= int(suppression * len(rows))
        fitted = fit(LocalEngine(frame), plan)
        try:
            require_possible(fitted.coded, plan)
        except CannotBeMet:
            assert not possible
