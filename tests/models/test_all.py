"""What every model in ALL must keep: the verdict of its definition, in both forms, and true claims about itself."""

from __future__ import annotations

import dataclasses
import json
import pickle
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from shoal import models
from shoal.coded import Coded, stats_of
from shoal.errors import PlanError
from shoal.models import (
    ALL,
    KPQR,
    AlphaK,
    BetaLikeness,
    ClassModel,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    Monotone,
    TCloseness,
)
from shoal.models.evidence import CLASS, SensitiveFacts
from tests import oracle
from tests.effort import examples
from tests.models.declared import module_name, undeclared
from tests.models.strategies import MODELS, tables
from tests.models.tables import COLUMNS, ITEMS, SETS, Made, encode, evidence, stats

KINDS = [model.kind for model in ALL]
DISEASES = ("flu", "HIV", "rash", "ulcer")
quick = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def parameters(model: ClassModel) -> dict[str, Any]:
    return dataclasses.asdict(model)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("model", ALL)
def test_every_model_is_tried_here_and_has_an_oracle(model: type[ClassModel]) -> None:
    names = ["STRATEGY", "ORACLE", *(["TABLE_ORACLE"] if model.judges_table else [])]
    lacking = undeclared("models", [(model.kind, name) for name in names])
    assert not lacking, "\n".join(lacking)
    assert module_name("models", model.kind).split("test_")[1] == model.__module__.split(".")[-1]


def test_what_a_model_lacks_names_its_test_module() -> None:
    (said,) = undeclared("models", [("brand-new", "STRATEGY")])
    assert said.startswith("'brand-new' has no STRATEGY: add `STRATEGY = …` to tests/models/test_brand_new.py, ")
    assert "brand-new" not in MODELS


def test_no_two_models_share_a_kind() -> None:
    assert len(set(KINDS)) == len(ALL)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(quick, max_examples=10)
def test_parameters_tried_are_of_the_model(kind: str, data: st.DataObject) -> None:
    assert type(data.draw(MODELS[kind])) is models.by_kind(kind)


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


@pytest.mark.parametrize("kind", [model.kind for model in ALL if not model.judges_table])
@given(data=st.data())
@quick
def test_what_attacks_expect_of_a_class_follows_from_the_definition(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables(persons=False, suppressed=False))
    fine = oracle.passing(kind, parameters(model), made.classes(), made.rows, made.setting())
    for members in [members for members, passes in zip(made.classes(), fine, strict=True) if passes]:
        assert len(members) >= model.floor
        for column in model.reads:
            counts = Counter(row[column] for row in members)
            whole = Counter(row[column] for row in made.rows)
            different = {value for value in counts if value is not None or column in made.missing_counts}
            assert model.fewest_values(column) == 1 or len(different) >= model.fewest_values(column)  # 1 is no bound
            for value in {value for value in counts if value is not None}:
                limit = model.confidence(value, whole[value] / len(made.rows))
                assert counts[value] / len(members) <= limit + 1e-12


def references(model: ClassModel, made: Made) -> list[list[oracle.Row]]:
    """The tables whose shares verification compares with: the release, and for some models the input."""
    released = [row for members in made.classes() for row in members]
    by_name = {"released": [released], "input": [list(made.rows)], "both": [released, list(made.rows)]}
    return by_name[parameters(model).get("reference", "both" if model.reads_input else "released")]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(quick, max_examples=examples(20))
def test_verification_does_not_depend_on_row_order_or_class_numbers(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables())
    plain = evidence(made)
    assert plain.labels is not None
    order = data.draw(st.permutations(range(len(plain.rows))))
    of_classes = data.draw(st.permutations(range(len(plain.labels))))
    renumbered = pl.col(CLASS) * -7 + 3
    shuffled = dataclasses.replace(
        plain,
        rows=plain.rows[order].with_columns(renumbered),
        labels=plain.labels[of_classes].with_columns(renumbered),
    )
    assert model.holds(shuffled) == model.holds(plain)


@pytest.mark.parametrize("kind", [model.kind for model in ALL if not model.judges_table])
@given(data=st.data())
@quick
def test_findings_on_parts_of_the_classes_merge_to_the_finding_on_all(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables(classes=5))
    linked, with_input = data.draw(st.booleans()), data.draw(st.booleans())
    whole = dataclasses.replace(evidence(made, with_input=with_input), linked=linked)
    references = {name: whole.reference(name) for name in (*COLUMNS, ITEMS)}
    part_of = data.draw(st.lists(st.integers(0, 2), min_size=5, max_size=5))
    part = whole.rows[CLASS].replace_strict(dict(enumerate(part_of)), return_dtype=pl.Int64)
    parts = [
        dataclasses.replace(whole, rows=whole.rows.filter(part == number), references=references)
        for number in part.unique()
    ]
    assert sum(each.rows.height for each in parts) == whole.rows.height
    assume(parts)
    assert model.merged([model.holds(each) for each in parts]) == model.holds(whole)


class Treeless(SensitiveFacts):
    """Facts of a column whose hierarchy is not at hand."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("paths", "order"):
            raise AssertionError(f"'{name}' is looked at, and the model does not say so")
        return super().__getattribute__(name)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(quick, max_examples=examples(20))
def test_a_model_looks_only_at_the_trees_that_it_names(kind: str, data: st.DataObject) -> None:
    model, made = data.draw(MODELS[kind]), data.draw(tables())
    plain = evidence(made)
    assert set(model.reads_trees) <= set(model.reads)
    known = {
        name: facts if name in model.reads_trees else Treeless(facts.settings, knowledge=facts.knowledge)
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


def random_table(seed: int, *, by_person: bool) -> tuple[Coded, list[list[int]], list[list[int]]]:
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
    sets = [SETS[i] for i in rng.choice(rng.choice(len(SETS), 4), n)]
    made_rows = tuple(
        {"disease": d, "months": m, "who": w, ITEMS: items}
        for d, m, w, items in zip(*drawn.values(), who, sets, strict=True)
    )
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
    @settings(quick, max_examples=examples(100))
    def attempt(model: ClassModel, seed: int) -> None:
        tried.append(falsify_monotone(model, model.monotone, seed))

    attempt()
    assert sum(tried) > 200  # enough merged classes for the attempt to mean something


@pytest.mark.parametrize("kind", KINDS)
def test_upward_also_holds_over_persons(kind: str) -> None:
    @given(MODELS[kind], SEEDS)
    @settings(quick, max_examples=examples(40))
    def attempt(model: ClassModel, seed: int) -> None:
        if model.monotone is Monotone.UPWARD:
            falsify_monotone(model, Monotone.UPWARD, seed, by_person=True)

    attempt()


@pytest.mark.parametrize("kind", KINDS)
def test_no_class_below_the_floor_passes(kind: str) -> None:
    tried = []

    @given(MODELS[kind], SEEDS, st.booleans())
    @settings(quick, max_examples=examples(100))
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
        (KPQR("disease", k=3, p=3, q=0.3), Monotone.UPWARD),
        (KPQR("months", k=2, p=2, q=0.3, r=0.9), Monotone.UNION),
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
    told = {name: text for name, text in dataclasses.asdict(model.about).items() if name not in ("sample", "weak")}
    poor = [name for name, text in told.items() if len(text) <= 30 or text != text.strip() or not text.endswith(".")]
    assert not poor, (
        f"about.{poor[0]} of {model.__name__} must be a sentence of more than 30 characters, with a full stop"
    )
    assert "Monotone:" in (model.__doc__ or "") and "Paper:" in (model.__doc__ or "")


@pytest.mark.parametrize("model", ALL)
def test_each_model_can_be_made_of_its_sample(model: type[ClassModel]) -> None:
    made = model(**model.about.sample).resolved(("diagnosis",))
    assert set(made.reads) <= {"diagnosis"}


@pytest.mark.parametrize("model", ALL)
def test_models_are_found_by_kind(model: type[ClassModel]) -> None:
    assert models.by_kind(model.kind) is model


def test_an_unknown_kind_is_refused_with_a_hint() -> None:
    with pytest.raises(PlanError, match=r"no model 'k-anonimity'.*'l-diversity'.*did you mean 'k-anonymity'\?"):
        models.by_kind("k-anonimity")


def test_verification_never_loads_the_kernels() -> None:
    """Models of every kind find the same where nothing of the search is at hand."""
    made = Made(
        rows=tuple({"disease": d, "months": m, "who": "ann"} for _ in range(3) for d in DISEASES for m in ("9", "10")),
        class_of=(0, 1, 1, 0) * 6,
    )
    used: list[ClassModel] = []
    for kind in KINDS:

        @given(MODELS[kind])
        @settings(quick, max_examples=20, database=None, derandomize=True, phases=[Phase.generate])
        def collect(model: ClassModel) -> None:
            used.append(model)

        collect()
    found = [model.holds(evidence(made)) for model in used]
    assert {model.kind for model, finding in zip(used, found, strict=True) if finding.holds} == set(KINDS)
    code = """
import pickle, sys
used, evidence, found = pickle.load(sys.stdin.buffer)
assert [model.holds(evidence) for model in used] == found
assert "numba" not in sys.modules and "shoal.kernels" not in sys.modules
"""
    told = pickle.dumps((used, evidence(made), found))
    done = subprocess.run([sys.executable, "-c", code], input=told, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
