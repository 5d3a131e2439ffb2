"""Verification regroups what was released and trusts nothing else."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Pais
from shoal.errors import PlanError, TableError
from shoal.hierarchies import Icd10Cm, Intervals, Learned, Prefix
from shoal.models import LKC
from shoal.models.evidence import CLASS, COUNT, PERSON
from shoal.table import Runs
from shoal.verification.tables import column_problems, facts, regrouped, verify
from tests.effort import examples


def plan_for(*models: Any, sensitive: shoal.Column | None = None, **data: Any) -> shoal.Plan:
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "d": sensitive or shoal.sensitive()}
    return shoal.Plan(columns=columns, models=models, data=shoal.Data(**data))


def table(*rows: tuple[Any, Any, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema={"age": pl.String, "sex": pl.String, "d": pl.String}, orient="row")


FOUR = table(("[1, 9]", "f", "flu"), ("[1, 9]", "f", "HIV"), ("*", "m", "flu"), ("*", "m", "HIV"))


def test_classes_are_rows_that_agree_in_every_label() -> None:
    found = verify(FOUR, plan_for(shoal.KAnonymity(k=2), shoal.LDiversity("d", l=2)))
    assert found.holds
    assert (found.rows, found.classes, sorted(found.sizes)) == (4, 2, [2, 2])
    assert [verdict.achieved for verdict in found.verdicts] == [{"k": 2}, {"l": 2}]


def test_a_broken_promise_counts_its_classes() -> None:
    found = verify(FOUR, plan_for(shoal.KAnonymity(k=3)))
    assert not found.holds
    assert found.verdicts[0].failing == 2


def test_the_order_of_columns_in_the_plan_does_not_change_what_was_achieved() -> None:
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "d": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.LKC(1, 2, 0.5, "d")], algorithm=shoal.Pais())
    turned = plan.changed(columns=dict(reversed(columns.items())))
    assert verify(FOUR, turned).verdicts[0].achieved == verify(FOUR, plan).verdicts[0].achieved


@pytest.mark.parametrize(("k", "holds"), [(2, True), (3, False)])
@pytest.mark.parametrize("kind", ["lkc", "alpha-k"])
def test_too_few_rows_are_too_few_persons_whatever_their_shares(kind: str, k: int, holds: bool) -> None:
    model = shoal.LKC(1, k, 0.9, "d") if kind == "lkc" else shoal.AlphaK("d", 0.9, k)
    plan = plan_for(shoal.KAnonymity(k=2), person="who").changed(models=[model], algorithm=shoal.Optimal())
    (verdict,) = verify(FOUR, plan).verdicts
    assert verdict.holds is holds and verdict.achieved == {"persons": "not checked"}


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "pyarrow"])
def test_every_kind_of_frame_is_taken(kind: str) -> None:
    pytest.importorskip("pandas")
    given = {"polars": lambda: FOUR, "lazy": FOUR.lazy, "pandas": FOUR.to_pandas, "pyarrow": FOUR.to_arrow}[kind]()
    assert verify(given, plan_for(shoal.KAnonymity(k=2))).holds


def test_index_labels_are_no_positions() -> None:
    """A peer read a shuffled frame's index as positions, and found l = 2 where it is 1."""
    pandas = pytest.importorskip("pandas")
    rows = [("a", "f", "flu"), ("a", "f", "flu"), ("b", "m", "flu"), ("b", "m", "HIV")]
    frame = pandas.DataFrame(rows, columns=["age", "sex", "d"], index=[2, 0, 3, 1])
    found = verify(frame, plan_for(shoal.LDiversity("d", l=2)))
    assert found.verdicts[0].achieved == {"l": 1}
    assert found.verdicts[0].failing == 1


def test_a_missing_key_is_a_class_like_any_other() -> None:
    """A peer dropped rows whose only quasi-identifier was missing, and found k = 5 where it is 1."""
    frame = pl.DataFrame({"age": ["x"] * 5 + [None], "d": ["a"] * 6})
    plan = shoal.Plan(columns={"age": shoal.quasi(), "d": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)])
    assert verify(frame, plan).verdicts[0].achieved == {"k": 1}


def test_a_missing_and_an_empty_label_are_the_same() -> None:
    frame = table((None, "f", "a"), ("", "f", "b"))
    assert verify(frame, plan_for(shoal.KAnonymity(k=2))).holds


def test_a_value_absent_from_a_class_breaks_delta_disclosure() -> None:
    """A peer ignored absent values."""
    frame = table(("1", "f", "a"), ("1", "f", "b"), ("2", "f", "a"), ("2", "f", "a"))
    assert not verify(frame, plan_for(shoal.DeltaDisclosure("d", delta=5))).holds


def test_two_even_values_have_an_entropy_of_two() -> None:
    """A peer floored e^entropy with float error and found 1."""
    found = verify(FOUR, plan_for(shoal.LDiversity("d", l=2, variant="entropy")))
    assert found.holds
    assert found.verdicts[0].achieved["l"] == pytest.approx(2)


@pytest.mark.parametrize("gone", ["", " ", "?", "NA", " NA ", None])
def test_a_missing_sensitive_value_is_no_value(gone: str | None) -> None:
    frame = table(("1", "f", "a"), ("1", "f", gone))
    assert verify(frame, plan_for(shoal.LDiversity("d", l=2))).verdicts[0].achieved == {"l": 1}
    counting = shoal.sensitive(missing_counts=True)
    assert verify(frame, plan_for(shoal.LDiversity("d", l=2), sensitive=counting)).holds


@pytest.mark.parametrize(
    ("type_", "one", "other"),
    [("integer", "7", "07"), ("real", "1.5", "1.50"), ("real", "0", "-0.0"), ("date", "2020-01-02", "2020-01-02 ")],
)
def test_one_value_written_in_two_ways_is_one_value(type_: str, one: str, other: str) -> None:
    frame = table(("1", "f", one), ("1", "f", other))
    found = verify(frame, plan_for(shoal.LDiversity("d", l=2), sensitive=shoal.sensitive(type=type_)))
    assert found.verdicts[0].achieved == {"l": 1}


# -- columns ------------------------------------------------------------------------------------------------------


def test_an_identifier_or_an_unlisted_column_is_a_problem() -> None:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "d": shoal.sensitive(), "name": shoal.identifier()},
        models=[shoal.KAnonymity(k=2)],
        data=shoal.Data(person="id"),
    )
    frame = pl.DataFrame({"age": ["1", "1"], "d": ["a", "b"]})
    for extra in ("name", "id", "else"):
        problems = verify(frame.with_columns(pl.lit("x").alias(extra)), plan).problems
        assert len(problems) == 1 and f"'{extra}'" in problems[0]
    assert "missing" in verify(frame.drop("age"), plan).problems[0]
    unlisted = plan.changed(data=shoal.Data(unlisted="insensitive"))
    assert verify(frame.with_columns(pl.lit("x").alias("else")), unlisted).holds


def test_a_table_without_rows_verifies_nothing() -> None:
    with pytest.raises(PlanError, match="no rows"):
        verify(table(), plan_for(shoal.KAnonymity(k=2)))


@given(
    st.lists(st.tuples(*[st.sampled_from(["a", "b", "", None])] * 3, st.integers(1, 4)), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
@settings(max_examples=examples(100), deadline=None)
def test_rows_that_repeat_count_as_often_as_they_stand_there(runs: list[Any], random: Any) -> None:
    """Categories that stand in runs are looked at once a run; text in any order is looked at row by row."""
    rows = [row for *row, times in runs for _ in range(times)]
    by_class = plan_for(shoal.KAnonymity(k=3), shoal.LDiversity("d", l=2))
    by_knowledge = shoal.Plan(columns=by_class.columns, models=[LKC(1, 3, 0.5, "d")], algorithm=Pais())
    in_runs = table(*(tuple(row) for row in rows)).cast(pl.Enum(["a", "b", ""]))
    random.shuffle(rows)
    for plan in (by_class, by_knowledge):
        one, other = verify(in_runs, plan), verify(table(*(tuple(row) for row in rows)), plan)
        assert [verdict.holds for verdict in one.verdicts] == [verdict.holds for verdict in other.verdicts]
        assert [verdict.failing for verdict in one.verdicts] == [verdict.failing for verdict in other.verdicts]
        assert (one.rows, sorted(one.sizes)) == (other.rows, sorted(other.sizes))


def test_counted_rows_have_their_class_and_the_columns_that_models_read() -> None:
    rows, labels = regrouped(Runs.of(FOUR), plan_for(shoal.LDiversity("d", l=2)), None)
    assert set(rows.columns) == {CLASS, COUNT, "d"} and labels.columns == [CLASS, "age", "sex"]
    assert rows[COUNT].to_list() == [1] * 4 and labels.height == 2
    unread, _ = regrouped(Runs.of(FOUR), plan_for(shoal.KAnonymity(k=2)), None)
    assert set(unread.columns) == {CLASS, COUNT} and unread[COUNT].to_list() == [2, 2]
    known, _ = regrouped(Runs.of(FOUR), plan_for(shoal.KAnonymity(k=2)), pl.Series(["p", "p", "q", "r"]))
    assert sorted(known.select(PERSON, COUNT).rows()) == [("p", 2), ("q", 1), ("r", 1)]


def test_problems_of_columns_are_told_one_by_one() -> None:
    plan = plan_for(shoal.KAnonymity(k=2), person="who")
    assert column_problems(["age", "sex", "d"], plan) == []
    assert column_problems(["who", "age", "else"], plan) == [
        "The identifier 'who' is in the released table.",
        "Column 'else' of the released table has no role in the plan.",
        "Column 'sex' is missing from the released table.",
        "Column 'd' is missing from the released table.",
    ]


# -- persons ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reserved", [CLASS, COUNT, PERSON])
def test_a_column_cannot_have_a_name_that_verification_uses(reserved: str) -> None:
    """A column taken for the persons would let a class of one row pass, if its values differ."""
    with pytest.raises(PlanError, match="null character"):
        shoal.Plan(
            columns={"age": shoal.quasi(), reserved: shoal.sensitive()}, models=[shoal.LDiversity(reserved, l=2)]
        )
    plan = plan_for(shoal.KAnonymity(k=2), unlisted="insensitive")
    with pytest.raises(TableError, match="null character"):
        verify(FOUR.with_columns(pl.Series(reserved, ["a", "b", "c", "d"])), plan)


def test_persons_are_counted_where_they_are_known() -> None:
    plan = plan_for(shoal.KAnonymity(k=2), person="id")
    rows = table(("1", "f", "a"), ("1", "f", "b"))
    assert not verify(rows, plan, persons=pl.Series(["p", "p"])).holds
    assert verify(rows, plan, persons=pl.Series(["p", "q"])).holds


def test_without_persons_rows_are_counted_and_it_is_said() -> None:
    plan = plan_for(shoal.KAnonymity(k=2), shoal.AlphaK("d", alpha=0.5, k=2), person="id")
    rows = table(("1", "f", "a"), ("1", "f", "a"), ("1", "f", "a"), ("1", "f", "b"))
    known = verify(rows, plan, persons=pl.Series(["p", "p", "p", "q"]))
    assert known.holds  # of two persons one has a, although three of four rows do
    unknown = verify(rows, plan)
    assert unknown.holds
    assert unknown.verdicts[0].achieved == {"k": 4}
    assert unknown.verdicts[1].achieved == {"persons": "not checked"}
    assert "'alpha-k'" in " ".join(unknown.notes)
    one_class_too_small = table(("1", "f", "a"), ("2", "f", "b"), ("2", "f", "a"))
    assert not verify(one_class_too_small, plan).holds


# -- trees --------------------------------------------------------------------------------------------------------


def test_the_tree_is_made_of_typed_values() -> None:
    """As text "10" comes before "9", and an interval has no text to be of."""
    column = shoal.sensitive(Intervals(widths=(5, 10)), type="integer")
    found = facts(column, pl.Series(["10", "9", "1", None]))
    assert list(found.paths) == ["1", "9", "10"]
    assert found.paths["9"] == ("9", "[5, 9]", "[0, 9]", "*")
    assert found.order == "tree"


def test_the_tree_is_as_high_as_all_known_values_make_it() -> None:
    few, many = pl.Series(["ab", "cd"]), pl.Series(["abcdef", "xyz", "ab"])
    assert len(facts(shoal.sensitive(Prefix()), few).paths["ab"]) == 3
    assert len(facts(shoal.sensitive(Prefix()), few, many).paths["ab"]) == 7
    learned = shoal.sensitive(Learned(fanout=2))
    assert len(facts(learned, pl.Series(["a", "b"])).paths["a"]) == 2
    assert len(facts(learned, pl.Series(["a", "b"]), pl.Series(list("abcdefgh"))).paths["a"]) == 4


def test_a_column_of_missing_values_alone_has_a_tree_all_the_same() -> None:
    for tree in (Intervals(widths=(5,)), Icd10Cm(), Learned()):
        frame = table(("1", "f", None), ("1", "f", ""))
        model = shoal.TCloseness("d", t=0, distance="hierarchical")
        assert verify(frame, plan_for(model, sensitive=shoal.sensitive(tree))).holds


def test_verification_never_loads_kernels_or_searches() -> None:
    code = """
import sys
import polars as pl
import shoal
from shoal.table import Runs
plan = shoal.Plan(columns={"a": shoal.quasi(), "d": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)])
assert shoal.verify(pl.DataFrame({"a": ["1", "1"], "d": ["x", "y"]}), plan).holds
assert "numba" not in sys.modules
assert not any(name.startswith("shoal.kernels") for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
