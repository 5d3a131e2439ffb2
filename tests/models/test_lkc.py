"""LKC-privacy: both statements against the definition, its special cases, what it says when it cannot be met."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Algorithm, Incognito, KMember, Mondrian, Optimal, Pais, Samarati
from shoal.coded import coded_values, stats_of
from shoal.coded.stats import MemberStats
from shoal.errors import CannotBeMet, PlanError
from shoal.models import LKC, AlphaK, KAnonymity
from shoal.models.evidence import CLASS, COUNT, PERSON, Evidence, SensitiveFacts
from shoal.roles.columns import Column
from tests.effort import examples
from tests.models.strategies import COLUMN, SHARE
from tests.oracle import Row, Setting, knowledge

STRATEGY = st.builds(
    LKC,
    l=st.integers(1, 3),
    k=st.integers(1, 4),
    c=st.one_of(st.just(1), SHARE),  # small tables seldom keep a smaller share
    column=COLUMN,
    values=st.one_of(st.none(), st.just(("HIV", "9", "not in the table"))),
)
ORACLE, TABLE_ORACLE = knowledge.passes, knowledge.holds

QUASI = ("a", "b", "c", "d")
quick = settings(max_examples=examples(150), deadline=None)

ROWS = st.lists(
    st.fixed_dictionaries(
        {name: st.sampled_from(["x", "y", "z"][:n]) for name, n in zip(QUASI, (2, 2, 3, 1), strict=True)}
        | {"ill": st.sampled_from(["flu", "HIV", None]), "who": st.sampled_from(["ann", "bob", "cat", "dan"])}
    ),
    min_size=1,
    max_size=25,
)
MODELS = st.builds(
    LKC,
    l=st.integers(1, 6),
    k=st.integers(1, 4),
    c=st.sampled_from([0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1]),
    column=st.just("ill"),
    values=st.sampled_from([None, ("HIV",), ("HIV", "flu"), ("none has it",)]),
)


def evidence(rows: list[Row], persons: bool, missing_counts: bool) -> Evidence:
    frame = pl.DataFrame(
        {CLASS: range(len(rows)), COUNT: [1] * len(rows), "ill": [row["ill"] for row in rows]},
        schema_overrides={"ill": pl.String},
    )
    if persons:
        frame = frame.with_columns(pl.Series(PERSON, [row["who"] for row in rows]))
    labels = pl.DataFrame({CLASS: range(len(rows)), **{name: [row[name] for row in rows] for name in QUASI}})
    facts = SensitiveFacts(Column(role="sensitive", missing_counts=missing_counts))
    return Evidence(frame, {"ill": facts}, {}, labels)


def setting(persons: bool, missing_counts: bool) -> Setting:
    return Setting("who" if persons else None, frozenset({"ill"}) if missing_counts else frozenset())


def parameters(model: LKC) -> dict[str, Any]:
    return {"l": model.l, "k": model.k, "c": model.c, "column": model.column, "values": model.values}


def stats_with_labels(rows: list[Row], persons: bool, missing_counts: bool) -> MemberStats:
    """Each row as a class of its own: what a lattice node without equal rows looks like."""
    who = sorted({row["who"] or "" for row in rows})
    coded = coded_values(
        {"ill": [row["ill"] or "" for row in rows]},
        person=[who.index(row["who"] or "") for row in rows] if persons else None,
        settings={"ill": Column(role="sensitive", missing_counts=missing_counts)},
        order={"ill": ["", "HIV", "flu"]},
    )
    shown = np.array([["xyz".index(row[name] or "") for name in QUASI] for row in rows], np.int32)
    return replace(stats_of(coded, [[i] for i in range(len(rows))]), shown=lambda: shown)


@given(ROWS, MODELS, st.booleans(), st.booleans())
@quick
def test_verification_agrees_with_the_definition(rows: list[Row], model: LKC, persons: bool, counts: bool) -> None:
    finding = model.holds(evidence(rows, persons, counts))
    support, confidence = knowledge.achieved(rows, QUASI, model.l, "ill", model.values, setting(persons, counts))
    assert finding.achieved["support"] == support
    assert model.c == 1 or finding.achieved["confidence"] == float(confidence)
    assert finding.holds is knowledge.holds(rows, QUASI, **parameters(model), setting=setting(persons, counts))
    assert finding.holds is (finding.failing == 0)


@given(ROWS, MODELS, st.booleans(), st.booleans())
@quick
def test_the_search_agrees_with_the_definition(rows: list[Row], model: LKC, persons: bool, counts: bool) -> None:
    expected = knowledge.holds(rows, QUASI, **parameters(model), setting=setting(persons, counts))
    allowed = model.allows(stats_with_labels(rows, persons, counts))
    assert allowed.tolist() == [expected] * len(rows)


@given(ROWS, st.integers(2, 4), st.sampled_from([0.4, 0.5, 1]))
@quick
def test_who_knows_everything_sees_k_anonymity_and_alpha_k(rows: list[Row], k: int, c: float) -> None:
    seen = evidence(rows, persons=False, missing_counts=False)
    classes = pl.DataFrame(seen.labels).select(pl.struct(QUASI).rank("dense").alias(CLASS)).to_series()
    by_class = Evidence(seen.rows.with_columns(classes), seen.facts)
    other = KAnonymity(k) if c == 1 else AlphaK("ill", c, k)
    assert LKC(len(QUASI), k, c, "ill").holds(seen).holds is other.holds(by_class).holds


@given(ROWS, st.sampled_from([0.4, 0.5, 0.75]))
@quick
def test_k_1_bounds_confidence_alone(rows: list[Row], c: float) -> None:
    _, confidence = knowledge.achieved(rows, QUASI, 2, "ill")
    assert LKC(2, 1, c, "ill").holds(evidence(rows, False, False)).holds is (confidence <= knowledge.written(c))


@given(ROWS, MODELS)
@quick
def test_who_knows_less_sees_less(rows: list[Row], model: LKC) -> None:
    if model.l > 1 and model.holds(evidence(rows, False, False)).holds:
        weaker = LKC(model.l - 1, model.k, model.c, "ill", model.values)
        assert weaker.holds(evidence(rows, False, False)).holds


@pytest.mark.parametrize("c", [0.5, 1])
def test_rows_with_wider_labels_do_not_match(c: float) -> None:
    """Three rows with `*` cover all values, but do not hide the only row with an exact one (decision 0043)."""
    wide: Row = {**dict.fromkeys(QUASI, "*"), "ill": "flu", "who": "ann"}
    exact: Row = {**dict.fromkeys(QUASI, "x"), "ill": "HIV", "who": "bob"}
    finding = LKC(1, 3, c, "ill", ("HIV",)).holds(evidence([wide] * 3 + [exact], persons=False, missing_counts=False))
    assert not finding.holds
    assert finding.achieved["support"] == 1


def test_the_columns_are_named_and_no_value_is() -> None:
    rows: list[Row] = [{"a": "x", "b": "x", "c": "x", "d": "x", "ill": "flu"}] * 4
    rows += [{"a": "x", "b": "y", "c": "y", "d": "x", "ill": "HIV"}] * 2
    achieved = LKC(1, 2, 0.5, "ill", ("HIV",)).holds(evidence(rows, False, False)).achieved
    assert achieved == {"support": 2, "support_columns": "b", "confidence": 1.0, "confidence_columns": "b"}


COLUMNS = {"age": shoal.quasi(), "ill": shoal.sensitive()}
FRAME = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6, 7, 8], "ill": ["HIV"] * 3 + ["flu"] * 5})


enforcing = pytest.mark.parametrize("algorithm", [Pais(), Optimal(), Incognito(), Samarati(), Mondrian(), KMember()])


@enforcing
def test_a_share_above_c_in_the_whole_table_cannot_be_met(algorithm: Algorithm) -> None:
    plan = shoal.Plan(columns=COLUMNS, models=[LKC(1, 2, 0.3, "ill", ("HIV",))], algorithm=algorithm)
    with pytest.raises(CannotBeMet, match=r"c of at least 0\.375"):
        shoal.anonymize(FRAME, plan)
    shoal.anonymize(FRAME, plan.changed(models=(LKC(1, 2, 0.375, "ill", ("HIV",)),)))


@enforcing
def test_more_than_all_rows_cannot_be_met(algorithm: Algorithm) -> None:
    plan = shoal.Plan(columns=COLUMNS, models=[LKC(1, 9, 1, "ill")], algorithm=algorithm)
    with pytest.raises(CannotBeMet, match="k of at most 8"):
        shoal.anonymize(FRAME, plan)


@pytest.mark.parametrize("algorithm", [Mondrian(), KMember()])
def test_algorithms_that_judge_classes_bound_the_share_in_every_class(algorithm: Algorithm) -> None:
    plan = shoal.Plan(columns=COLUMNS, models=[LKC(1, 2, 0.75, "ill")], algorithm=algorithm)
    release = shoal.anonymize(FRAME, plan)
    assert release.verification.holds and release.achieved["lkc"]["support"] >= 2
    for limited in (LKC(1, 2, 0.75, "ill"), AlphaK("ill", alpha=0.75, k=2)):
        assert shoal.verify(release.frame, shoal.Plan(columns=COLUMNS, models=[limited])).holds
    persons = shoal.Data(person="who")
    with pytest.raises(PlanError, match=r"cannot enforce 'lkc'.*persons.*optimal, incognito, samarati, pais"):
        columns = {**COLUMNS, "who": shoal.identifier()}
        shoal.Plan(columns=columns, models=[LKC(1, 2, 0.5, "ill")], algorithm=algorithm, data=persons)


@enforcing
def test_suppression_is_refused(algorithm: Algorithm) -> None:
    with pytest.raises(PlanError, match="cannot be combined with suppression"):
        shoal.Plan(columns=COLUMNS, models=[LKC(1, 2, 0.5, "ill")], algorithm=algorithm, release={"suppression": 0.1})


@pytest.mark.parametrize(
    "wrong",
    [{"l": 0}, {"k": 0}, {"c": 0}, {"c": 1.01}, {"l": 1.5}, {"column": ""}, {"values": ()}, {"values": ("a", "a")}],
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="LKC"):
        LKC(**({"l": 2, "k": 2, "c": 0.5, "column": "ill"} | wrong))
