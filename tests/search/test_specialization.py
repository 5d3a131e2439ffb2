"""Specialization: the state after any steps is that of the table recoded and regrouped from scratch."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Pais
from shoal.coded import Coded
from shoal.coded.domains import RANGE
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.models import LKC, ClassModel, KAnonymity, LDiversity
from shoal.progress import silent
from shoal.search.specialization import Specialization
from shoal.search.splits import Node
from tests.coded.publishing import distinct_row_of
from tests.effort import examples
from tests.oracle import knowledge
from tests.pets import QUASI, TREE, frame, plan

quick = settings(max_examples=examples(40), deadline=None)
MODELS = [
    (KAnonymity(k=3),),
    (LDiversity("ill", l=2),),
    (LKC(2, 3, 0.6, "ill", ("HIV",)),),
    (LKC(1, 5, 1, "ill"), KAnonymity(k=2)),
]


class Stepping:
    """A table that is specialized step by step, and what its rows show by now."""

    def __init__(self, pets: Path, seed: int, models: tuple[ClassModel, ...], **release: Any) -> None:
        self.rng, self.models = np.random.default_rng(seed), models
        self.table = frame(seed, 40, missing=bool(seed % 2))
        asked = plan(pets, *models).changed(release=release)
        fitted = fit(LocalEngine(self.table), asked)
        self.coded: Coded = fitted.coded
        self.row_of = distinct_row_of(fitted, self.table, asked)
        self.state = Specialization(self.coded, models)

    def candidate(self) -> tuple[Node, Any] | None:
        """Some node with more than one code, and edges by which it may be parted."""
        nodes = [node for cut in self.state.cut for node in cut if node.codes > 1]
        if not nodes:
            return None
        node = nodes[int(self.rng.integers(len(nodes)))]
        if self.coded.quasi[node.column].published == RANGE:
            return node, np.array([node.low, int(self.rng.integers(node.low, node.high)) + 1, node.high + 1])
        return node, self.state.edges(node)

    def shown(self, extra: tuple[Node, Any] | None = None) -> list[tuple[int, ...]]:
        """What every row of the table shows, as the first code of each node; as if a node were parted."""
        lows = [ends[:, 0].copy() for ends in self.state.recoded()]
        if extra is not None:
            node, edges = extra
            for low, high in pairwise(edges.tolist()):
                lows[node.column][low:high] = low
        codes = self.coded.counted.by_row[self.row_of]
        return [tuple(int(low[code]) for low, code in zip(lows, row, strict=True)) for row in codes]

    def allowed(self, shown: list[tuple[int, ...]]) -> bool:
        """Whether a table that shows this keeps every promise, in plain Python."""
        ill = self.table["ill"].to_list()
        for model in self.models:
            if isinstance(model, LKC):
                rows = [
                    {**{name: str(low) for name, low in zip(QUASI, lows, strict=True)}, "ill": value}
                    for lows, value in zip(shown, ill, strict=True)
                ]
                if not knowledge.holds(rows, QUASI, l=model.l, k=model.k, c=model.c, column="ill", values=model.values):
                    return False
            else:
                classes: dict[tuple[int, ...], list[str]] = {}
                for lows, value in zip(shown, ill, strict=True):
                    classes.setdefault(lows, []).append(value)
                sizes = [len(v) if isinstance(model, KAnonymity) else len(set(v)) for v in classes.values()]
                if min(sizes) < (model.k if isinstance(model, KAnonymity) else 2):
                    return False
        return True


@pytest.mark.parametrize("models", MODELS, ids=lambda models: "+".join(model.kind for model in models))
@given(seed=st.integers(0, 2**32 - 1), categories=st.sampled_from(["hierarchy", "sets"]))
@quick
def test_steps_are_judged_by_the_definition_and_leave_a_true_state(
    pets: Path, models: tuple[ClassModel, ...], seed: int, categories: str
) -> None:
    stepping = Stepping(pets, seed, models, categories=categories)
    state = stepping.state
    if not stepping.allowed(stepping.shown()):
        return  # a value is too frequent in the whole table
    for _ in range(12):
        found = stepping.candidate()
        if found is None:
            break
        node, edges = found
        before = state.pairs
        fall = state.pairs_parted(node, edges)
        split = state.split(node, edges)
        verdict = state.judge(split)
        shown = stepping.shown((node, edges))
        assert verdict.allowed is stepping.allowed(shown)
        assert state.pairs == before  # nothing has changed yet
        if not verdict.allowed:
            continue
        nodes = state.perform(split, verdict.seen)
        assert [(new.low, new.high + 1) for new in nodes] == list(pairwise(edges))
        assert stepping.shown() == shown
        classes = Counter(shown)
        assert state.classes == len(classes) and state.smallest_class == min(classes.values())
        assert state.pairs == sum(size**2 for size in classes.values()) == before - fall
        assert state.discernibility_ratio == state.pairs / 40**2
        class_of = state.class_of_rows()[stepping.row_of].tolist()
        assert len(set(zip(class_of, shown, strict=True))) == len(set(class_of)) == len(classes)
        for a, cut in enumerate(state.cut):
            for at in cut:
                assert state.rows_of(at) == sum(row[a] == at.low for row in shown)
        for watched, seen in zip(state.watched, verdict.seen, strict=True):
            assert watched.seen == seen


@given(seed=st.integers(0, 2**32 - 1))
@quick
def test_what_knowledge_models_see_is_what_an_intruder_finds(pets: Path, seed: int) -> None:
    model = LKC(2, 2, 0.7, "ill", ("HIV",))
    stepping = Stepping(pets, seed, (model,))
    if not stepping.allowed(stepping.shown()):
        return
    for _ in range(8):
        found = stepping.candidate()
        if found is None:
            break
        split = stepping.state.split(*found)
        verdict = stepping.state.judge(split)
        if verdict.allowed:
            stepping.state.perform(split, verdict.seen)
            rows = [
                {**{name: str(low) for name, low in zip(QUASI, lows, strict=True)}, "ill": value}
                for lows, value in zip(stepping.shown(), stepping.table["ill"], strict=True)
            ]
            support, confidence = knowledge.achieved(rows, QUASI, 2, "ill", ("HIV",))
            seen = stepping.state.watched[0].seen
            assert seen.support == support and seen.confidence == pytest.approx(float(confidence))


@given(seed=st.integers(0, 2**32 - 1))
@quick
def test_every_cut_of_a_range_parts_as_many_pairs_as_it_says(pets: Path, seed: int) -> None:
    stepping = Stepping(pets, seed, (KAnonymity(k=2),))
    state, node = stepping.state, stepping.state.cut[0][0]
    falls = state.pairs_cut(node)
    assert len(falls) == node.codes - 1
    for at, fall in enumerate(falls.tolist()):
        assert fall == state.pairs_parted(node, np.array([0, at + 1, node.high + 1]))


def test_trees_and_sets_have_fixed_parts_and_ranges_have_none(pets: Path) -> None:
    by_tree, by_set = (Stepping(pets, 0, (KAnonymity(k=2),), categories=how) for how in ("hierarchy", "sets"))
    age, pet, sex, _ = (cut[0] for cut in by_tree.state.cut)
    assert by_tree.state.edges(age).tolist() == [0, age.high + 1]
    texts = by_tree.coded.quasi[1].texts
    edges = by_tree.state.edges(pet).tolist()
    parts = [{TREE[text] for text in texts[low:high]} for low, high in pairwise(edges)]
    assert sorted(parts, key=sorted) == [{"fish"}, {"insect"}, {"mammal"}]
    assert by_tree.state.edges(sex).tolist() == [0, 1, 2]
    assert by_set.state.edges(by_set.state.cut[1][0]).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_refusal_says_what_forbids_it(pets: Path) -> None:
    stepping = Stepping(pets, 0, (LDiversity("ill", l=3),))
    state = stepping.state
    node = state.cut[0][0]
    lowest = state.split(node, np.array([0, 1, node.high + 1]))
    verdict = state.judge(lowest)
    ages = stepping.table["age"]
    ill_of_lowest = set(stepping.table.filter(ages == ages.min())["ill"])
    assert verdict.allowed is (len(ill_of_lowest) == 3)
    if not verdict.allowed:
        assert verdict.failing == 0 or verdict.watched is not None
    small = Stepping(pets, 0, (KAnonymity(k=39),)).state
    refused = small.judge(small.split(small.cut[0][0], np.array([0, 4, small.cut[0][0].high + 1])))
    assert not refused.allowed and refused.watched is not None and refused.watched.bound.support == 39


def test_privacy_is_spent_by_smaller_cells_and_surer_shares(pets: Path) -> None:
    state = Stepping(pets, 0, (LKC(2, 5, 0.6, "ill", ("HIV",)),)).state
    now = state.watched[0].seen
    assert state.has_privacy_to_spend and now.support == 40
    assert state.privacy_left([now]) == 1.0
    smaller, least = now._replace(support=20), now._replace(support=5)
    assert 0 < state.privacy_left([least]) < state.privacy_left([smaller]) < 1
    surer = now._replace(having=6, of=10)
    assert 0 < state.privacy_left([surer]) < 1
    spent = Stepping(pets, 0, (KAnonymity(k=3),)).state
    assert not spent.has_privacy_to_spend and spent.privacy_left([]) == 1.0


def test_dropped_rows_are_lost_rows(pets: Path) -> None:
    table = frame(1, 40, missing=True)
    asked = plan(pets, KAnonymity(k=2)).changed(data=shoal.Data(missing_rows="drop"))
    coded = fit(LocalEngine(table), asked).coded
    gone = table["age"].null_count()
    state = Specialization(coded, asked.enforced)
    assert coded.counted.rows_dropped == gone > 0
    assert state.ncp == 1.0
    assert state.discernibility_ratio == pytest.approx(((40 - gone) ** 2 + gone * 40) / 40**2)
    partition = Pais().partition(coded, asked.enforced, 0.0, 0, silent)
    assert partition.record.steps is not None
    last, found = partition.record.steps[-1], shoal.anonymize(table, asked).measures
    assert last.ncp == pytest.approx(found["ncp"])
    assert last.discernibility_ratio == pytest.approx(found["discernibility_ratio"])


def test_the_state_counts_what_it_shows(pets: Path) -> None:
    asked = plan(pets, KAnonymity(2))
    coded = fit(LocalEngine(frame(1, 100)), asked).coded
    state = Specialization(coded, asked.enforced)
    partition = asked.algorithm.partition(coded, asked.enforced, 0.0, 0, silent)
    node = state.cut[0][0]
    assert state.rows_of(node) == 100 and state.pairs == 100**2 and state.ncp == 1.0
    sizes = partition.rows
    assert sizes.tolist() == np.bincount(partition.class_of, partition.weight).tolist()
    last = partition.record.steps[-1]
    assert last.classes == len(sizes) and last.discernibility_ratio == (sizes**2).sum() / 100**2


def test_a_column_without_a_value_cannot_be_told_apart() -> None:
    table = pl.DataFrame(
        {"a": [None, None, None, None], "b": [1, 2, 3, 4], "ill": ["x"] * 4}, schema_overrides={"a": pl.String}
    )
    columns = {"a": shoal.quasi(), "b": shoal.quasi(), "ill": shoal.sensitive()}
    asked = shoal.Plan(columns=columns, models=[KAnonymity(k=2)], algorithm=Pais())
    state = Specialization(fit(LocalEngine(table), asked).coded, asked.enforced)
    assert state.cut[0][0].codes == 1 and state.ncp == 0.5
