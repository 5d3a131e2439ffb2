"""What every model in ALL must keep: the verdict of its definition, in both forms, and true claims about itself."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal import models
from shoal.coded.partition import Rows, stats_of
from shoal.errors import PlanError
from shoal.models import (
    ALL,
    AlphaK,
    BetaLikeness,
    ClassModel,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    Monotone,
    TCloseness,
)
from shoal.models.base import CLASS, SensitiveFacts
from tests import oracle
from tests.models.strategies import MODELS, tables
from tests.models.tables import COLUMNS, Made, encode, evidence, stats

KINDS = [model.kind for model in ALL]
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def parameters(model: ClassModel) -> dict[str, Any]:
    return dataclasses.asdict(model)  # type: ignore[call-overload, no-any-return]


def test_every_model_is_tried_here_and_has_an_oracle() -> None:
    assert sorted(MODELS) == sorted(KINDS)
    assert set(KINDS) <= set(oracle.FAMILIES)
    assert len(set(KINDS)) == len(ALL)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@quick
def test_the_search_agrees_with_the_definition(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables())
    expected = oracle.passing(kind, parameters(model), made.classes(), made.rows, made.setting())
    found = model.passes(stats(made))
    assert found.dtype == np.bool_
    assert found.tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@quick
def test_verification_agrees_with_the_definition(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables())
    finding = model.holds(evidence(made))
    fails = [
        [not fine for fine in oracle.passing(kind, parameters(model), made.classes(), whole, made.setting())]
        for whole in references(model, made)
    ]
    assert finding.failing == sum(any(of_class) for of_class in zip(*fails, strict=True))
    assert finding.holds is (finding.failing == 0)
    json.dumps(finding.achieved, allow_nan=False)


def references(model: ClassModel, made: Made) -> list[list[oracle.Row]]:
    """The tables whose shares verification compares with: the release, and for some models the input."""
    released = [row for members in made.classes() for row in members]
    by_name = {"released": [released], "input": [list(made.rows)], "both": [released, list(made.rows)]}
    return by_name[parameters(model).get("reference", "released")]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(quick, max_examples=20)
def test_verification_does_not_depend_on_row_order_or_class_numbers(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables())
    plain = evidence(made)
    order = data.draw(st.permutations(range(len(plain.frame))))
    shuffled = plain.frame[order].with_columns(pl.col(CLASS) * -7 + 3)
    assert plain.labels is not None
    assert model.holds(dataclasses.replace(plain, frame=shuffled, labels=plain.labels[order])) == model.holds(plain)


class Treeless(SensitiveFacts):
    """Facts of a column whose hierarchy is not at hand."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("paths", "order", "protected"):
            raise AssertionError(f"'{name}' is looked at, and the model does not say so")
        return super().__getattribute__(name)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(quick, max_examples=20)
def test_a_model_looks_only_at_the_trees_that_it_names(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables())
    plain = evidence(made)
    assert set(model.reads_trees) <= set(model.reads)
    known = {
        name: facts if name in model.reads_trees else Treeless(facts.missing_counts)
        for name, facts in plain.facts.items()
    }
    assert model.holds(dataclasses.replace(plain, facts=known)) == model.holds(plain)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(quick, max_examples=5)
def test_no_class_at_all_breaks_no_promise(kind: str, data: st.DataObject) -> None:
    model = data.draw(MODELS[kind])
    made = Made(rows=({"disease": "flu", "months": "9", "who": "ann"},), class_of=(-1,))
    assert model.passes(stats(made)).tolist() == []
    assert model.holds(evidence(made)).failing == 0


class Falsified(AssertionError):
    """A model claims of itself what is not so."""


def random_table(seed: int, *, by_person: bool) -> tuple[Rows, list[list[int]], list[list[int]]]:
    """Some rows, and many pairs of classes without a common row."""
    rng = np.random.default_rng(seed)
    n, pairs = int(rng.integers(4, 20)), 60
    domains = {name: [*list(column.paths)[: rng.integers(1, 6)], None] for name, column in COLUMNS.items()}
    missing = rng.choice([0.0, 0.2])
    drawn = {
        name: [domain[-1] if rng.random() < missing else domain[rng.integers(len(domain) - 1)] for _ in range(n)]
        for name, domain in domains.items()
    }
    who = [str(rng.integers(6)) for _ in range(n)]
    made_rows = tuple({"disease": d, "months": m, "who": w} for d, m, w in zip(*drawn.values(), who, strict=True))
    rows, _ = encode(Made(made_rows, tuple(range(n)), by_person=by_person))
    first, second = [], []
    while len(first) < pairs:
        side = rng.choice(3, n, p=rng.dirichlet([1, 1, 0.5]))
        if {0, 1} <= set(side.tolist()):
            first.append(np.flatnonzero(side == 0).tolist())
            second.append(np.flatnonzero(side == 1).tolist())
    return rows, first, second


def falsify_monotone(model: ClassModel, claim: Monotone, seed: int, *, by_person: bool = False) -> int:
    """Raises where a merged class breaks the claim; returns how many merged classes the claim spoke of."""
    rows, first, second = random_table(seed, by_person=by_person)
    union = [a + b for a, b in zip(first, second, strict=True)]
    one, other, merged = (model.passes(stats_of(rows, classes)) for classes in (first, second, union))
    spoken_of = {Monotone.UPWARD: one, Monotone.UNION: one & other, Monotone.NONE: np.zeros_like(one)}[claim]
    if (spoken_of & ~merged).any():
        raise Falsified(f"{model} is not {claim}")
    return int(spoken_of.sum())


def falsify_floor(model: ClassModel, floor: int, seed: int, *, by_person: bool = False) -> int:
    """Raises where a class of fewer rows passes; returns how many passing classes were seen."""
    rows, first, second = random_table(seed, by_person=by_person)
    classes = first + second
    passing = model.passes(stats_of(rows, classes))
    smallest = min((len(members) for members, fine in zip(classes, passing, strict=True) if fine), default=floor)
    if smallest < floor:
        raise Falsified(f"{model} passes {smallest} rows, below its floor of {floor}")
    return int(passing.sum())


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_no_merged_class_breaks_the_declared_monotony(kind: str) -> None:
    tried = []

    @given(MODELS[kind], SEEDS)
    @settings(quick, max_examples=100)
    def attempt(model: ClassModel, seed: int) -> None:
        tried.append(falsify_monotone(model, model.monotone, seed))

    attempt()
    assert sum(tried) > 200  # enough merged classes for the attempt to mean something


@pytest.mark.parametrize("kind", KINDS)
def test_upward_also_holds_over_persons(kind: str) -> None:
    @given(MODELS[kind], SEEDS)
    @settings(quick, max_examples=40)
    def attempt(model: ClassModel, seed: int) -> None:
        if model.monotone is Monotone.UPWARD:
            falsify_monotone(model, Monotone.UPWARD, seed, by_person=True)

    attempt()


@pytest.mark.parametrize("kind", KINDS)
def test_no_class_below_the_floor_passes(kind: str) -> None:
    tried = []

    @given(MODELS[kind], SEEDS, st.booleans())
    @settings(quick, max_examples=100)
    def attempt(model: ClassModel, seed: int, by_person: bool) -> None:
        tried.append(falsify_floor(model, model.floor, seed, by_person=by_person))

    attempt()
    assert sum(tried) > 200


@pytest.mark.parametrize(
    ("model", "claim"),
    [
        (LDiversity("disease", l=1.9, variant="entropy"), Monotone.UPWARD),
        (LDiversity("disease", l=2, variant="recursive", c=2), Monotone.UPWARD),
        (TCloseness("disease", t=0.2), Monotone.UPWARD),
        (AlphaK("disease", alpha=0.5, k=2), Monotone.UPWARD),
        (BetaLikeness("disease", beta=1), Monotone.UPWARD),
        (DeltaDisclosure("disease", delta=1), Monotone.UPWARD),
    ],
)
def test_a_false_claim_of_monotony_is_caught(model: ClassModel, claim: Monotone) -> None:
    with pytest.raises(Falsified):
        for seed in range(200):
            falsify_monotone(model, claim, seed)


def test_union_does_not_carry_over_to_persons() -> None:
    with pytest.raises(Falsified):
        for seed in range(500):
            falsify_monotone(AlphaK("disease", alpha=0.5, k=2), Monotone.UNION, seed, by_person=True)


def test_a_false_floor_is_caught() -> None:
    with pytest.raises(Falsified):
        for seed in range(50):
            falsify_floor(KAnonymity(k=3), 4, seed)


@pytest.mark.parametrize("model", ALL)
def test_each_model_explains_itself(model: type[ClassModel]) -> None:
    told = dataclasses.asdict(model.about)
    assert all(len(text) > 30 and text == text.strip() and text.endswith(".") for text in told.values())
    assert "Monotone:" in (model.__doc__ or "") and "Paper:" in (model.__doc__ or "")


@pytest.mark.parametrize("model", ALL)
def test_models_are_found_by_kind(model: type[ClassModel]) -> None:
    assert models.by_kind(model.kind) is model


def test_an_unknown_kind_is_refused_with_a_hint() -> None:
    with pytest.raises(PlanError, match=r"no model 'k-anonimity'.*'l-diversity'.*did you mean 'k-anonymity'\?"):
        models.by_kind("k-anonimity")


def test_verification_never_loads_the_kernels() -> None:
    code = """
import sys
import polars as pl
from shoal.models import ALL, AlphaK, BetaLikeness, DeltaDisclosure, Evidence, ExponentialL, KAnonymity, LDiversity
from shoal.models import LKC, MultiSensitive, PSensitive, SensitiveFacts, TCloseness
from shoal.models.base import CLASS
frame = pl.DataFrame({CLASS: [0, 0, 1, 1], "d": ["a", "b", "a", "b"]})
facts = {"d": SensitiveFacts(paths={"a": ("a", "*"), "b": ("b", "*")})}
evidence = Evidence(frame, facts, {}, frame.select(pl.col(CLASS).cast(pl.String).alias("q")))
used = [KAnonymity(2), LDiversity("d", 2), TCloseness("d", 0.1, "ordered"), TCloseness("d", 0.1, "hierarchical"),
        AlphaK("d", 0.5, 2), PSensitive(2, 2, ("d",)), BetaLikeness("d", 1), DeltaDisclosure("d", 1),
        MultiSensitive(2, 2, ("d",)), ExponentialL(2, ("d",)), LKC(2, 2, 0.5, "d")]
assert {type(model) for model in used} == set(ALL)
assert all(model.holds(evidence).holds for model in used)
assert "numba" not in sys.modules and "shoal.kernels" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
