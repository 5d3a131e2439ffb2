"""PAIS: what it releases holds, is maximal, repeats, and says truly how it got there."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import labels
from shoal.algorithms import Pais
from shoal.algorithms.pais import _Search
from shoal.coded import combinations
from shoal.coded.recoding import Cuts
from shoal.errors import CannotBeMet, PlanError
from shoal.models import LKC, DeltaDisclosure, KAnonymity, LDiversity, MultiSensitive, TCloseness
from shoal.pipeline import fitted
from shoal.progress import silent
from shoal.search import specialization
from shoal.search.specialization import Specialization
from shoal.search.splits import Candidate, Node
from tests.effort import examples
from tests.oracle import Row, knowledge
from tests.pets import QUASI, TREE, frame, plan


def rows_of(table: pl.DataFrame) -> list[Row]:
    return list(table.cast(pl.String).to_dicts())


ALGORITHMS = st.fixed_dictionaries(
    {"goal": st.sampled_from(["general", "classification"]), "score": st.sampled_from(["sparing", "weighted", "paper"])}
)
LKCS = st.builds(
    LKC,
    l=st.integers(1, 4),
    k=st.integers(1, 5),
    c=st.sampled_from([0.5, 0.6, 1]),
    column=st.just("ill"),
    values=st.sampled_from([None, ("HIV",), ("HIV", "rash")]),
)


@given(st.integers(0, 2**32 - 1), LKCS, ALGORITHMS, st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_what_it_releases_is_private_by_definition(
    pets: Path, seed: int, model: LKC, algorithm: dict[str, Any], missing: bool
) -> None:
    asked = plan(pets, model, **algorithm)
    try:
        release = shoal.anonymize(frame(seed, 40, missing=missing), asked)
    except CannotBeMet:
        return  # a value is too frequent in the whole table
    parameters = {"l": model.l, "k": model.k, "c": model.c, "column": "ill", "values": model.values}
    assert knowledge.holds(rows_of(release.frame), QUASI, **parameters)


def recoded(table: pl.DataFrame, cuts: dict[str, list[list[Any]]]) -> list[Row]:
    """The table with every value replaced by the number of the part it lies in."""
    places = {name: {v: f"{i}" for i, part in enumerate(parts) for v in part} for name, parts in cuts.items()}
    shown = [pl.Series(name, [places[name][value] for value in table[name]]) for name in cuts]
    return rows_of(table.with_columns(shown))


def parts_now(table: pl.DataFrame, asked: shoal.Plan) -> dict[str, list[list[Any]]]:
    """The values of the data that each released value stands for, in the order of the codes."""
    coded = fitted(table, asked).coded
    recoding = asked.algorithm.partition(coded, asked.enforced, 0.0, 0, silent).recoding
    assert isinstance(recoding, Cuts)
    return {
        column.name: [column.values[int(low) : int(high) + 1].to_list() for low, high in np.unique(ranges, axis=0)]
        for column, ranges in zip(coded.quasi, recoding.ranges, strict=True)
    }


def next_parts(name: str, part: list[Any], some: bool) -> list[list[list[Any]]]:
    """Every way to specialize a part by one step: all cuts of numbers; of a value its children, all or `some`."""
    if name == "age":
        return [[part[:at], part[at:]] for at in range(1, len(part))]
    kinds = {v: TREE[v] for v in part} if name == "pet" else {v: v for v in part}
    if len(set(kinds.values())) == 1:
        kinds = {v: v for v in part}
    children = [[v for v in part if kinds[v] == kind] for kind in dict.fromkeys(kinds.values())]
    first = 1 if some else max(len(children) - 1, 1)
    return [[*children[:told], [*chain(*children[told:])]] for told in range(first, len(children))]


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.integers(2, 5),
    st.sampled_from(["general", "classification"]),
    st.booleans(),
)
@settings(max_examples=examples(60), deadline=None)
def test_no_single_further_specialization_is_allowed(
    pets: Path, seed: int, l: int, k: int, goal: str, missing: bool
) -> None:
    table = frame(seed, 40, missing=missing)
    model = {"l": l, "k": k, "c": 0.6, "column": "ill", "values": ("HIV",)}
    try:
        cuts = parts_now(table, plan(pets, LKC(**model), goal=goal))  # type: ignore[arg-type]
    except CannotBeMet:
        return
    assert knowledge.holds(recoded(table, cuts), QUASI, **model)  # type: ignore[arg-type]
    for name, parts in cuts.items():
        for at, part in enumerate(parts):
            for finer in next_parts(name, part, some=len(parts) == 1):
                tried = {**cuts, name: [*parts[:at], *finer, *parts[at + 1 :]]}
                assert not knowledge.holds(recoded(table, tried), QUASI, **model)  # type: ignore[arg-type]


def test_rare_values_stay_together_where_frequent_ones_are_told(pets: Path) -> None:
    table = frame(1, 400).with_columns(sex=pl.Series([*["f"] * 200, *["m"] * 190, *["x"] * 3, *[None] * 7]))
    table = table.with_columns(pet=pl.Series([*["ant"] * 150, *["bee"] * 2, *["cat"] * 125, *["dog"] * 123]))
    released = shoal.anonymize(table, plan(pets, LKC(1, 8, 1, "ill"))).frame
    assert released["sex"].value_counts().sort("sex").rows() == [("*", 10), ("f", 200), ("m", 190)]
    assert set(released["pet"]) == {"insect", "cat", "dog"}
    given_up = shoal.anonymize(table, plan(pets, LKC(1, 8, 1, "ill"), score="paper")).frame
    assert set(given_up["sex"]) == {"*"}


@given(st.integers(0, 2**32 - 1), LKCS, st.sampled_from(["general", "classification"]))
@settings(max_examples=examples(40), deadline=None)
def test_what_was_seen_earlier_only_saves_judging(pets: Path, seed: int, model: LKC, goal: str) -> None:
    """Sparing judges a step again only where what it left of privacy earlier does not rule it out already."""

    def perform(self: Any, candidate: Candidate, *judged: Any) -> None:
        for other in self.spared.values():
            other.seen = None
        usual(self, candidate, *judged)

    def steps() -> Any:
        return shoal.anonymize(frame(seed, 60), plan(pets, model, goal=goal)).manifest.steps

    usual = _Search._perform
    try:
        lazy = steps()
    except CannotBeMet:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Search, "_perform", perform)
        assert steps() == lazy


@given(st.integers(0, 2**32 - 1), st.integers(0, 5), st.booleans(), st.sampled_from([1, 300, 10**6]), ALGORITHMS)
@settings(max_examples=examples(80), deadline=None)
def test_closing_forbidden_cuts_only_saves_trying_them(
    pets: Path, seed: int, which: int, persons: bool, tried: int, algorithm: dict[str, Any]
) -> None:
    models = [
        [LKC(2, 4, 0.6, "ill", ("HIV",))],
        [KAnonymity(3)],
        [LDiversity("ill", l=2, variant="distinct"), KAnonymity(2)],
        [LDiversity("ill", l=2, variant="entropy")],
        [TCloseness("ill", t=0.4), LKC(1, 6, 1, "ill")],
        [MultiSensitive(l=2, k=3, columns=("ill", "town"))],
    ][which]
    table = frame(seed, 90).with_columns(age=pl.Series(np.random.default_rng(seed).integers(0, 40, 90)))
    asked = plan(pets, KAnonymity(2), **algorithm)
    asked = asked.changed(columns={**asked.columns, "town": shoal.sensitive()}, models=models)
    if persons and all(model.monotone is shoal.models.Monotone.UPWARD for model in models):
        table = table.with_columns(pl.Series("who", np.arange(90) // 2))
        asked = asked.changed(data=shoal.Data(person="who"))

    def steps() -> Any:
        return asked.algorithm.partition(fitted(table, asked).coded, asked.enforced, 0.0, 0, silent).record.steps

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(specialization, "_MOST_TRIED", tried)
        try:
            found = steps()
        except CannotBeMet:
            return  # a value is too frequent in the whole table
        patch.setattr(Specialization, "close_cuts", lambda *_: None)
        assert steps() == found


def test_a_large_class_that_cannot_be_cut_is_not_tried_cut_by_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cut of x is forbidden, for it tells s."""
    x = np.random.default_rng(0).permutation(20_000)
    table = pl.DataFrame({"x": x, "s": [f"v{i}" for i in x * 5 // 20_000]})
    columns = {"x": shoal.quasi(), "s": shoal.sensitive()}
    asked = shoal.Plan(columns=columns, models=[TCloseness("s", t=0.2)], algorithm=Pais())
    usual, judged = Specialization.judge, []
    monkeypatch.setattr(Specialization, "judge", lambda self, split: judged.append(1) or usual(self, split))
    coded = fitted(table, asked).coded
    assert asked.algorithm.partition(coded, asked.enforced, 0.0, 0, silent).record.steps == ()
    assert len(judged) < 10


def test_a_step_that_uses_up_no_privacy_leaves_the_others_where_they_stand() -> None:
    rows = 4000
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"x": rng.permutation(rows), "s": rng.choice(list("abc"), rows)})
    columns = {"x": shoal.quasi(), "s": shoal.sensitive()}
    asked = shoal.Plan(columns=columns, models=[LKC(2, 5, 1, "s")], algorithm=Pais())
    search = _Search(Specialization(fitted(table, asked).coded, asked.enforced), Pais(), silent)
    search.run()
    assert len(search.steps) > 300 and search.offers < 20 * len(search.steps)


def test_the_order_and_the_number_of_copies_of_rows_do_not_matter(pets: Path) -> None:
    table, asked = frame(5, 200), plan(pets, LKC(2, 4, 0.5, "ill", ("HIV",)))
    once = shoal.anonymize(table, asked)
    shuffled = shoal.anonymize(table.sample(fraction=1, shuffle=True, seed=2), asked)
    assert shuffled.frame.equals(once.frame) and shuffled.manifest.steps == once.manifest.steps
    thrice = shoal.anonymize(pl.concat([table] * 3), plan(pets, LKC(2, 12, 0.5, "ill", ("HIV",))))
    assert thrice.manifest.step_values == once.manifest.step_values


def test_the_number_of_threads_does_not_matter(pets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, asked = frame(5, 200), plan(pets, LKC(3, 4, 0.5, "ill", ("HIV",)))
    once = shoal.anonymize(table, asked)
    monkeypatch.setattr(combinations, "PARALLEL_WORK", -1)
    monkeypatch.setattr(combinations, "_cores", lambda: 3)
    again = shoal.anonymize(table, asked)
    assert again.frame.equals(once.frame) and again.manifest.steps == once.manifest.steps


def test_equal_scores_go_to_the_first_column_and_the_lower_value() -> None:
    table = pl.DataFrame({"b": ["x", "y"] * 8, "a": ["x", "x", "y", "y"] * 4, "ill": ["flu"] * 16})
    columns = {"a": shoal.quasi(), "b": shoal.quasi(), "ill": shoal.sensitive()}
    asked = shoal.Plan(columns=columns, models=[LKC(2, 4, 1, "ill")], algorithm=Pais())
    steps = shoal.anonymize(table, asked).manifest.steps
    assert [step.column for step in steps] == ["b", "a"]


def test_an_offer_that_no_longer_counts_may_equal_one_that_does(pets: Path) -> None:
    """A node that was replaced leaves offers behind, with the same column and lower end as its first part."""
    asked = plan(pets, KAnonymity(2))
    state = Specialization(fitted(frame(1, 50), asked).coded, asked.enforced)
    search = _Search(state, Pais(), silent)
    for high in (8, 4):
        search._offer(Candidate(Node(0, 0, high, 0), np.array([0, 2, high + 1]), cuttable=True))
    assert len(search.heap) == 2


def test_a_parent_with_one_occupied_child_costs_no_step(pets: Path) -> None:
    table = frame(1, 60).with_columns(pl.lit("ant").alias("pet"))
    release = shoal.anonymize(table, plan(pets, KAnonymity(2)))
    assert set(release.frame["pet"]) == {"ant"}
    assert "pet" not in {step.column for step in release.manifest.steps}


def test_missing_numbers_are_a_value_of_their_own(pets: Path) -> None:
    table = frame(1, 400, missing=True)
    released = shoal.anonymize(table, plan(pets, LKC(1, 5, 1, "ill"))).frame
    assert released["age"].null_count() + (released["age"] == "").sum() == table["age"].null_count()
    alone = pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise(pl.col("age").fill_null(3))
    rare = table.with_columns(alone.alias("age"))
    found = shoal.anonymize(rare, plan(pets, LKC(1, 5, 1, "ill"))).frame["age"]
    lowest = rare["age"].value_counts().sort("age", nulls_last=False)["count"]
    assert (found == "*").sum() == lowest[0] + lowest[1]  # it hides among the lowest numbers, and only there
    assert found.n_unique() == len(lowest) - 1


def test_cut_ranges_publish_no_value_of_anybody(pets: Path) -> None:
    table, asked = frame(1, 300), plan(pets, LKC(2, 20, 1, "ill"))
    cut = shoal.anonymize(table, asked.changed(release={"ranges": "cut"}))
    tight = shoal.anonymize(table, asked)
    assert cut.verification.holds and cut.verification.classes == tight.verification.classes
    assert [step.score for step in cut.manifest.steps] == [step.score for step in tight.manifest.steps]


def test_sets_are_published_where_the_plan_wants_them(pets: Path) -> None:
    asked = plan(pets, LKC(2, 100, 1, "ill")).changed(release={"categories": "sets"})
    released = shoal.anonymize(frame(1, 300), asked)
    assert released.verification.holds
    assert all(isinstance(labels.read(v), labels.OneOf | labels.Exactly) for v in released.frame["town"])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=examples(15), deadline=None)
def test_class_models_hold_together_with_lkc(pets: Path, seed: int) -> None:
    models = [LKC(2, 3, 1, "ill"), KAnonymity(2), LDiversity("ill", l=2), TCloseness("ill", t=0.6)]
    assert shoal.anonymize(frame(seed, 80), plan(pets, *models)).verification.holds


def test_models_that_may_break_by_merging_are_refused(pets: Path) -> None:
    class Fickle(DeltaDisclosure):
        @property
        def monotone(self) -> Any:
            return shoal.models.Monotone.NONE

    assert "when classes are merged" in Pais().refuses([Fickle("ill", 1)], 0)


def test_persons_are_counted_where_that_is_sound(pets: Path) -> None:
    table = frame(3, 200).with_columns(pl.Series("who", np.arange(200) // 2))
    persons = shoal.Data(person="who")
    release = shoal.anonymize(table, plan(pets, LKC(2, 5, 1, "ill")).changed(data=persons))
    assert release.achieved["lkc"]["support"] >= 5
    with pytest.raises(PlanError, match=r"cannot count persons for 'lkc'.*Hint: use 'optimal'"):
        plan(pets, LKC(2, 5, 0.9, "ill")).changed(data=persons)


def test_classification_needs_a_target() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    with pytest.raises(PlanError, match="Exactly one column"):
        shoal.Plan(columns=columns, models=[KAnonymity(2)], algorithm=Pais(goal="classification"))


def test_two_knowledge_models_are_both_kept(pets: Path) -> None:
    models = [LKC(1, 9, 0.5, "ill", ("HIV",)), LKC(3, 2, 0.9, "ill", ("rash",))]
    assert shoal.anonymize(frame(4, 200), plan(pets, *models)).verification.holds


def test_progress_can_cancel(pets: Path) -> None:
    def stop(step: str, share: float) -> None:
        assert 0 <= share <= 1
        raise shoal.errors.Cancelled("enough")

    asked = plan(pets, KAnonymity(2))
    coded = fitted(frame(1, 50), asked).coded
    with pytest.raises(shoal.errors.Cancelled):
        asked.algorithm.partition(coded, asked.enforced, 0.0, 0, stop)


STRATEGY = st.builds(
    Pais, goal=st.sampled_from(["general", "classification"]), score=st.sampled_from(["sparing", "weighted", "paper"])
)
"""Parameters that the contract of all algorithms tries."""


def test_a_sensitive_column_may_be_the_target_and_stays_guarded() -> None:
    rng = np.random.default_rng(3)
    rows = 600
    age, noise = rng.integers(20, 80, rows), rng.integers(0, 50, rows)
    outcome = np.where(age + rng.integers(-15, 15, rows) > 50, "died", "alive")
    frame = pl.DataFrame({"noise": noise, "age": age, "outcome": outcome})
    plan = shoal.Plan(
        columns={"noise": shoal.quasi(), "age": shoal.quasi(), "outcome": shoal.sensitive(target=True)},
        models=[shoal.KAnonymity(k=5), shoal.LDiversity("outcome", l=2)],
        algorithm=shoal.Pais(goal="classification"),
    )
    release = shoal.anonymize(frame, plan)
    classes = release.frame.group_by("noise", "age").agg(pl.len(), pl.col("outcome").n_unique().alias("values"))
    assert classes["len"].min() >= 5 and classes["values"].min() >= 2
    assert release.frame["age"].n_unique() > 1, "age predicts the outcome"
    error = shoal.classification_error(frame, plan, seeds=2)
    assert error.released.mean < error.removed.mean
