"""Evidence: counted rows say what single rows say, persons count once, verdicts come back from JSON as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.models import ALL
from shoal.models.evidence import (
    CLASS,
    COUNT,
    PERSON,
    Evidence,
    SensitiveFacts,
    Verdict,
    exceeds,
    largest_ratio,
    least,
    small_total,
)
from shoal.roles.columns import Column
from shoal.verification.tables import _parameters
from tests.effort import examples
from tests.models.strategies import MODELS, tables
from tests.models.tables import COLUMNS, Made, evidence, repeated

KINDS = [model.kind for model in ALL]
quick = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])

RELEASED = Evidence(
    pl.DataFrame({CLASS: [0, 0, 0, 1], COUNT: 1, "d": ["a", "a", None, "b"], PERSON: ["x", "x", "y", "x"]}),
    {"d": SensitiveFacts()},
)
LENIENT = SensitiveFacts(Column(role="sensitive", missing_counts=True))


def counted(frame: pl.DataFrame) -> set[tuple[object, ...]]:
    return set(frame.iter_rows())


class TestEvidence:
    def test_persons_are_counted_once(self) -> None:
        assert counted(RELEASED.sizes) == {(0, 2), (1, 1)}
        assert counted(RELEASED.counts("d")) == {(0, "a", 1), (0, None, 1), (1, "b", 1)}
        assert counted(RELEASED.reference("d")) == {("a", 1), (None, 1), ("b", 1)}

    def test_persons_are_counted_once_however_many_rows_are_alike(self) -> None:
        more = replace(RELEASED, rows=RELEASED.rows.with_columns(pl.Series(COUNT, [5, 7, 1, 9])))
        assert counted(more.sizes) == counted(RELEASED.sizes)
        assert counted(more.counts("d")) == counted(RELEASED.counts("d"))
        assert counted(more.reference("d")) == counted(RELEASED.reference("d"))
        assert (more.counts_persons, more.released_rows) == (True, 22)

    def test_rows_are_counted_where_there_are_no_persons(self) -> None:
        rows = replace(RELEASED, rows=RELEASED.rows.drop(PERSON))
        assert not rows.counts_persons
        assert counted(rows.sizes) == {(0, 3), (1, 1)}
        assert counted(rows.counts("d")) == {(0, "a", 2), (0, None, 1), (1, "b", 1)}

    def test_rows_that_are_alike_count_as_often_as_they_occur(self) -> None:
        rows = replace(RELEASED, rows=RELEASED.rows.drop(PERSON).with_columns(pl.Series(COUNT, [5, 7, 1, 9])))
        assert counted(rows.sizes) == {(0, 13), (1, 9)}
        assert counted(rows.counts("d")) == {(0, "a", 12), (0, None, 1), (1, "b", 9)}
        assert counted(rows.reference("d")) == {("a", 12), (None, 1), ("b", 9)}
        assert rows.released_rows == 22

    def test_missing_counts_only_where_the_plan_says_so(self) -> None:
        assert counted(RELEASED.counted("d")) == {(0, "a", 1), (1, "b", 1)}
        lenient = replace(RELEASED, facts={"d": LENIENT})
        assert counted(lenient.counted("d")) == {(0, "a", 1), (0, None, 1), (1, "b", 1)}

    def test_a_part_is_compared_with_what_it_is_told_of_the_whole(self) -> None:
        whole = RELEASED.reference("d")
        part = replace(RELEASED, rows=RELEASED.rows.filter(pl.col(CLASS) == 1))
        assert counted(part.reference("d")) == {("b", 1)}
        assert counted(replace(part, references={"d": whole}).reference("d")) == counted(whole)

    def test_a_row_without_a_class_is_refused_rather_than_left_out(self) -> None:
        with pytest.raises(TableError, match="1 released rows belong to no class"):
            Evidence(pl.DataFrame({CLASS: [0, None], COUNT: 1}), {})


@pytest.mark.parametrize(
    ("type_", "paths", "order"),
    [
        (None, {}, "text"),
        ("text", {}, "text"),
        ("integer", {}, "number"),
        ("real", {}, "number"),
        ("date", {}, "date"),
        ("real", {"1": ("1", "*")}, "tree"),
    ],
)
def test_values_are_ordered_by_their_tree_or_their_type(
    type_: str | None, paths: dict[str, tuple[str, ...]], order: str
) -> None:
    assert SensitiveFacts(Column(role="sensitive", type=type_), paths).order == order


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@quick
def test_counted_rows_are_judged_as_repeated_ones(kind: str, data: st.DataObject) -> None:
    model, drawn = data.draw(MODELS[kind]), data.draw(tables())
    times = data.draw(st.lists(st.integers(1, 4), min_size=len(drawn.rows), max_size=len(drawn.rows)))
    made = replace(
        drawn,
        rows=tuple(row for row, n in zip(drawn.rows, times, strict=True) for _ in range(n)),
        class_of=tuple(c for c, n in zip(drawn.class_of, times, strict=True) for _ in range(n)),
    )
    counted_rows = replace(evidence(made), linked=data.draw(st.booleans()))
    single = repeated(counted_rows)
    assert single.rows.height == counted_rows.released_rows == sum(c >= 0 for c in made.class_of)
    assert model.holds(single) == model.holds(counted_rows)


@given(tables())
@quick
def test_counted_rows_are_counted_as_repeated_ones(made: Made) -> None:
    seen = evidence(made)
    single = repeated(seen)
    assert counted(single.sizes) == counted(seen.sizes)
    for name in COLUMNS:
        assert counted(single.counts(name)) == counted(seen.counts(name))
        assert counted(single.counted(name)) == counted(seen.counted(name))
        assert counted(single.reference(name)) == counted(seen.reference(name))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(quick, max_examples=examples(20))
def test_a_verdict_comes_back_from_json_as_it_was(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables())
    found = model.holds(evidence(made, with_input=data.draw(st.booleans())))
    checked = data.draw(st.sampled_from(["", "when the release was made"]))
    verdict = Verdict(kind, _parameters(model), found.holds, found.achieved, found.failing, checked)
    told = json.loads(json.dumps(verdict.to_json(), allow_nan=False))
    again = Verdict.from_json(told)
    assert again.to_json() == told
    assert (again.kind, again.holds, again.achieved) == (kind, found.holds, dict(found.achieved))
    assert (again.failing, again.checked) == (found.failing, checked)
    assert json.dumps(again.parameters) == json.dumps(verdict.parameters)


def test_a_verdict_stands_in_a_manifest_with_its_parameters_beside_it() -> None:
    verdict = Verdict("alpha-k", {"column": "d", "alpha": 0.5, "k": 2}, False, {"alpha": 0.75, "k": 1}, 3)
    told = verdict.to_json()
    assert told == {
        "kind": "alpha-k",
        "column": "d",
        "alpha": 0.5,
        "k": 2,
        "achieved": {"alpha": 0.75, "k": 1},
        "holds": False,
        "failing_classes": 3,
    }
    assert Verdict.from_json(told) == verdict
    checked = replace(verdict, checked="when the release was made")
    assert checked.to_json()["checked"] == "when the release was made"
    assert Verdict.from_json(checked.to_json()) == checked


@pytest.mark.parametrize("said", [None, "true", 1, "false", []])
def test_only_true_itself_says_that_a_promise_holds(said: object) -> None:
    assert not Verdict.from_json({"kind": "k-anonymity", "k": 2, "holds": said}).holds


@given(
    st.lists(st.tuples(st.integers(-(10**20), 10**20), st.integers(1, 10**20)), min_size=1),
    st.fractions(min_value=0, max_denominator=10**40),
    st.booleans(),
)
def test_exceeds_is_exact_however_large_the_numbers(
    pairs: list[tuple[int, int]], limit: Fraction, or_equals: bool
) -> None:
    over, under = (pl.Series(column, dtype=pl.Int128) for column in zip(*pairs, strict=True))
    expected = [Fraction(a, b) >= limit if or_equals else Fraction(a, b) > limit for a, b in pairs]
    assert exceeds(over, under, limit, or_equals=or_equals).to_list() == expected
    own = Fraction(*pairs[0])
    assert exceeds(over, under, own)[0] is False
    assert exceeds(over, under, own, or_equals=True)[0] is True


def test_nothing_to_compare() -> None:
    nothing = pl.Series([], dtype=pl.Int64)
    assert exceeds(nothing, nothing, Fraction(1, 2)).to_list() == []
    assert largest_ratio(nothing, nothing) == 0
    assert least(nothing) == 0


def test_tables_too_large_for_exact_products_are_refused() -> None:
    assert small_total(2**31 - 1) == 2**31 - 1
    with pytest.raises(TableError, match="too many to compare"):
        small_total(2**31)
