"""Optimal: local recoding against the definitions, and what the manifest may say."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import shoal
from benchmarks import diabetes
from shoal.algorithms import Optimal, optimal
from shoal.coded import Partition
from shoal.errors import CannotBeMet, PlanError
from shoal.models import LKC, AlphaK, ClassModel, KAnonymity, LDiversity
from shoal.progress import silent
from shoal.search.lattice import Lattice
from tests.effort import examples
from tests.models.strategies import MODELS, SEARCHED
from tests.recodings import MEASURES, Table, model_sets, suppressions, tables

quick = settings(
    max_examples=examples(40),
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("kind", SEARCHED)
@given(data=st.data())
@quick
def test_local_recoding_keeps_every_promise_and_never_costs_more(kind: str, data: st.DataObject) -> None:
    models, table = data.draw(model_sets(kind)), data.draw(tables())
    suppression, measure = data.draw(suppressions(models)), data.draw(st.sampled_from(MEASURES))
    try:
        best = Optimal(measure).partition(table.coded, models, suppression, 0, silent)
    except CannotBeMet:
        return
    local = Optimal(measure, local=True).partition(table.coded, models, suppression, 0, silent)
    classes = table.classes_of(local)
    assert table.keep_promises(models, table.published(classes))
    assert table.rows_without([rows for rows, _ in classes]) <= math.floor(suppression * len(table.rows))
    cost = table.cost(measure, classes)
    assert cost == pytest.approx(local.record.cost, abs=1e-9)
    assert cost <= table.cost(measure, table.classes_of(best)) + 1e-9
    assert local.record.proven_optimal is None and local.record.local is True


LKCS = st.builds(
    LKC,
    l=st.sampled_from([1, 1, 2, 2, 3, 6]),
    k=st.integers(1, 6),
    c=st.sampled_from([1, 1, 0.4, 0.5, 2 / 3, 0.75]),
    column=st.sampled_from(["disease", "months"]),
    values=st.sampled_from([None, ("HIV",), ("flu", "HIV", "9"), ("not in the table",)]),
)
BESIDE = st.sampled_from(["k-anonymity", "l-diversity", "t-closeness", "alpha-k", "multi-sensitive", "lkc"])
WITH_OTHERS = st.tuples(LKCS) | st.tuples(LKCS) | st.tuples(LKCS, BESIDE.flatmap(lambda kind: MODELS[kind]))
LETTERS = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}


@st.composite
def even_tables(draw: st.DrawFn) -> Table:
    """Rows drawn evenly, so that what is known of some columns and of all of them makes a difference."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = [f"q{a}" for a in range(int(rng.integers(1, 5)))]
    domains: dict[str, Sequence[str | None]] = {name: list(LETTERS) for name in names}
    domains |= {"disease": ["flu", "HIV", "rash"], "months": ["9", "10", None], "who": [f"{i}" for i in range(20)]}
    rows = tuple(
        {name: domain[int(rng.integers(len(domain)))] for name, domain in domains.items()}
        for _ in range(int(rng.integers(10, 40)))
    )
    missing = frozenset({"months"} if draw(st.booleans()) else ())
    return Table(rows, dict.fromkeys(names, LETTERS), dict.fromkeys(names, 1.0), draw(st.booleans()), missing)


@pytest.mark.parametrize("measure", MEASURES)
@given(models=WITH_OTHERS, table=even_tables() | even_tables() | tables(columns=4))
@settings(quick, max_examples=examples(60))
def test_under_lkc_no_recoding_that_keeps_the_promise_costs_less(
    measure: str, models: tuple[ClassModel, ...], table: Table
) -> None:
    costs = {}
    for node in table.nodes():
        for classes in table.releases(models, node, limit=0):
            costs[node] = table.cost(measure, [(rows, node) for rows in classes])
    if not costs:
        with pytest.raises(CannotBeMet, match="relax model") as caught:
            Optimal(measure).partition(table.coded, models, 0.0, 0, silent)
        assert "suppress" not in str(caught.value)
        return
    found = Optimal(measure).partition(table.coded, models, 0.0, 0, silent)
    assert found.record.proven_optimal is True
    assert found.record.cost == pytest.approx(min(costs.values()), abs=1e-9)
    released = table.classes_of(found)
    assert sum(len(rows) for rows, _ in released) == len(table.rows)
    assert costs[released[0][1]] == pytest.approx(min(costs.values()), abs=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
@given(table=tables(rows=16), k=st.integers(2, 4), c=st.sampled_from([1, 0.5, 0.75]), data=st.data())
@quick
def test_lkc_of_one_who_knows_every_column_is_k_anonymity_or_alpha_k(
    measure: str, table: Table, k: int, c: float, data: st.DataObject
) -> None:
    if table.by_person and c < 1:
        return  # shares of persons are not those of unions: who knows less may be surer
    l = len(table.heights) + data.draw(st.integers(0, 2))
    both = (LKC(l, k, c, "disease"), KAnonymity(k) if c == 1 else AlphaK("disease", c, k))
    found: list[Partition | None] = []
    for model in both:
        try:
            found.append(Optimal(measure).partition(table.coded, [model], 0.0, 0, silent))
        except CannotBeMet:
            found.append(None)
    assert (found[0] is None) is (found[1] is None)
    if found[0] is not None and found[1] is not None:
        assert found[0].row.tolist() == found[1].row.tolist()
        assert found[0].class_of.tolist() == found[1].class_of.tolist()
        # a model that judges the table does not count the classes of recodings that fail
        first, second = (replace(each.record, lattice=None) for each in (found[0], found[1]))
        assert first == second


def everyone_different() -> Table:
    """Every combination of three columns of two values once: any two of them are shared by two rows."""
    rows = tuple(
        {"q0": a, "q1": b, "q2": c, "disease": "flu", "months": "9", "who": a + b + c}
        for a, b, c in product("ab", repeat=3)
    )
    tree = {leaf: (leaf, "*") for leaf in "ab"}
    return Table(rows, dict.fromkeys(("q0", "q1", "q2"), tree), {"q0": 1.0, "q1": 1.0, "q2": 1.0})


@pytest.mark.parametrize(("l", "classes", "cost"), [(1, 8, 0.0), (2, 8, 0.0), (3, 4, 1 / 3), (9, 4, 1 / 3)])
@pytest.mark.parametrize("by_person", [False, True])
def test_classes_of_one_row_are_allowed_where_nobody_knows_so_much(
    l: int, classes: int, cost: float, by_person: bool
) -> None:
    table = replace(everyone_different(), by_person=by_person)
    found = Optimal().partition(table.coded, [LKC(l, 2, 1, "disease")], 0.0, 0, silent)
    assert (found.classes, found.record.cost) == (classes, pytest.approx(cost))


def test_a_share_of_persons_may_fail_higher_up() -> None:
    """Above a recoding that keeps the promise lies one that does not, so neither tells anything of the other."""
    told = [("a", "ann", "flu"), ("a", "bob", "HIV"), ("b", "ann", "flu"), ("b", "cat", "HIV")]
    told += [("c", "ann", "flu"), ("c", "dan", "HIV")]
    rows = tuple({"q0": q, "disease": ill, "months": "9", "who": who} for q, who, ill in told)
    tree = {"a": ("a", "ab", "*"), "b": ("b", "ab", "*"), "c": ("c", "c", "*")}
    table = Table(rows, {"q0": tree}, {"q0": 1.0}, by_person=True)
    lattice = Lattice(table.coded, [LKC(1, 2, 0.5, "disease", ("HIV",))])
    assert [lattice.feasible(lattice.check((level,))) for level in range(3)] == [True, False, False]
    assert not lattice.monotone
    assert Optimal().search(lattice, 0, silent).best.classes.node == (0,)


def test_a_wide_lattice_is_descended_under_lkc() -> None:
    frame, plan = wide_table(24)
    frame = frame.with_columns(ill=pl.Series(["flu", "HIV", "rash", "flu"] * 100))
    columns = {**plan.columns, "ill": shoal.sensitive()}
    models = [LKC(2, 60, 0.4, "ill", ("HIV",))]
    wide = shoal.Plan(columns=columns, models=models, algorithm=Optimal(budget=1))
    release = shoal.anonymize(frame, wide)
    assert release.verification.holds and release.steward.search.lattice_nodes == 2**24
    assert release.steward.search.lower_bound <= release.steward.search.cost < 1
    assert release.manifest.rows_suppressed == 0


def test_local_recoding_is_refused_with_lkc() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    models = [KAnonymity(k=2), LKC(1, 2, 0.5, "ill")]
    with pytest.raises(PlanError, match=r"local = true.*'lkc'.*Hint: .*local"):
        shoal.Plan(columns=columns, models=models, algorithm=Optimal(local=True))
    shoal.Plan(columns=columns, models=models, algorithm=Optimal())


@pytest.mark.parametrize("measure", MEASURES)
def test_the_record_says_what_was_found(measure: str) -> None:
    frame = pl.DataFrame({"age": [20, 20, 21, 21, 30, 31] * 3, "sex": ["f", "m"] * 9, "ill": ["a", "b", "c"] * 6})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()},
        models=[KAnonymity(k=3), LDiversity("ill", l=2)],
        algorithm=Optimal(measure=measure),
    )
    manifest = shoal.anonymize(frame, plan).steward
    assert manifest.search.proven_optimal is True
    assert manifest.search.lower_bound == pytest.approx(manifest.search.cost)
    assert set(manifest.levels) == {"age", "sex"}
    figure = {"loss": "ncp", "discernibility": "discernibility_ratio"}.get(measure)
    if figure is not None:
        assert manifest.measures[figure] == pytest.approx(manifest.search.cost)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"measure": "beauty"}, "beauty"),
        ({"budget": 0}, "0"),
        ({"budget": 10**400}, "budget"),
        ({"budget": True}, "True"),
    ],
)
def test_wrong_parameters_are_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises(PlanError, match=named):
        Optimal(**given)


def wide_table(columns: int, rows: int = 400) -> tuple[pl.DataFrame, shoal.Plan]:
    """Many columns of two or three values each: a lattice too large to list."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{a}": rng.integers(0, 2 + a % 2, rows).astype(str) for a in range(columns)})
    plan = shoal.Plan(
        columns={name: shoal.quasi() for name in frame.columns},
        models=[KAnonymity(k=5)],
        algorithm=Optimal(budget=0.5),
        release=shoal.ReleaseSettings(suppression=0.05),
    )
    return frame, plan


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("columns", [24, 70])
def test_a_lattice_of_any_size_ends_in_time_with_a_bound(columns: int, local: bool) -> None:
    frame, plan = wide_table(columns)
    plan = plan.changed(algorithm=Optimal(budget=0.5, local=local))
    shoal.anonymize(frame, plan)  # compiled by now
    began = time.monotonic()
    manifest = shoal.anonymize(frame, plan).steward
    assert time.monotonic() - began < 3
    assert manifest.search.lattice_nodes == math.prod(2 for _ in range(columns))
    assert manifest.rows_suppressed <= 20
    if not local:
        assert 0 <= manifest.search.lower_bound <= manifest.search.cost
        assert manifest.search.proven_optimal is (manifest.search.cost - manifest.search.lower_bound < 1e-12)


def test_how_fast_the_machine_is_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is not ended by its budget looks at the same nodes whatever the clock says in between."""
    monkeypatch.setattr(optimal, "LISTED_AT_MOST", 0)
    frame, plan = wide_table(9)
    plan = plan.changed(models=[KAnonymity(k=20)], algorithm=Optimal(budget=10**9), release=shoal.ReleaseSettings())

    def found(tick: float) -> dict[str, Any]:
        ticks = count()
        with monkeypatch.context() as patch:
            patch.setattr(time, "monotonic", lambda: next(ticks) * tick)
            manifest = shoal.anonymize(frame, plan).steward.to_json()
        return {key: manifest[key] for key in ("levels", "cost", "lower_bound", "proven_optimal", "nodes_checked")}

    assert found(1e-6)["proven_optimal"]
    assert found(1e-6) == found(1e-3) == found(0.5)


def test_what_is_drawn_at_random_is_drawn_from_the_seed_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal, "LISTED_AT_MOST", 0)
    frame, plan = wide_table(4)
    usual, seeds = optimal.Descent, []

    def noted(*given: Any) -> Any:
        seeds.append(given[-1])
        return usual(*given)

    monkeypatch.setattr(optimal, "Descent", noted)
    for seed in (0, 7):
        shoal.anonymize(frame, plan.changed(seed=seed))
    assert seeds == [0, 7]


def test_more_levels_than_a_byte_holds() -> None:
    paths = {leaf: (leaf, *(f"{leaf if level < 150 else ''}{level}" for level in range(200)), "*") for leaf in "ab"}
    rows = tuple({"q0": leaf, "disease": "flu", "months": "9", "who": "ann"} for leaf in "aab")
    table = Table(rows, {"q0": paths}, {"q0": 1.0})
    partition = Optimal().partition(table.coded, [KAnonymity(k=3)], 0.0, 0, silent)
    assert table.classes_of(partition) == [([0, 1, 2], (151,))]


def test_the_codebook_tells_which_rows_have_which_level(tmp_path: Path) -> None:
    ages = [20, 20, 20, 31, 31, 31, 42, 43, 44]
    frame = pl.DataFrame({"age": ages, "sex": ["f"] * 9})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(shoal.intervals(10, 50)), "sex": shoal.quasi()},
        models=[KAnonymity(k=3)],
        algorithm=Optimal(local=True),
    )
    release = shoal.anonymize(frame, plan)
    release.save(tmp_path / "out")
    columns = json.loads((tmp_path / "out" / "codebook.json").read_text())["columns"]
    assert columns["age"]["labels"] == ["20", "31", "[40, 49]"] and columns["age"]["levels"] == [0, 0, 1]
    assert columns["sex"]["level"] == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["rows_by_level"] == {"age": {"0": 6, "1": 3}}
    assert manifest["levels"] == {"sex": 0}
    private = json.loads((tmp_path / "out.private" / "steward.json").read_text())
    assert 0 < private["cost"] < 1 and private["local"] is True and "cost" not in manifest
    assert "0 to 1" in release.report.text() and "0 to 1" in release.report.page()


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.skipif(not diabetes.SOURCE.exists(), reason="needs the diabetes data beside the project")
@pytest.mark.parametrize("suppression", [0.0, 0.05])
def test_twenty_quasi_identifiers_end_in_time_with_a_verified_release_and_a_bound(suppression: float) -> None:
    release = shoal.anonymize(diabetes.frame(), diabetes.plan(budget=4, suppression=suppression))
    manifest = release.steward
    assert manifest.timings["search"] < 6
    assert release.verification.holds
    assert manifest.rows_suppressed <= suppression * manifest.rows_in
    assert manifest.search.lattice_nodes > 10**9
    assert 0 < manifest.search.lower_bound <= manifest.search.cost < 1


STRATEGY = st.builds(Optimal, measure=st.sampled_from(MEASURES), local=st.booleans())
"""Parameters that the contract of all algorithms tries."""


@pytest.mark.parametrize("measure", MEASURES)
def test_a_wide_lattice_whose_top_fails_is_searched_below(measure: str) -> None:
    """Ten patients of one place all have flu. With them, the table as a whole has too much flu; without them, not."""
    places = ["a"] * 20 + ["b"] * 10
    frame = pl.DataFrame({"place": places, "ill": ["flu", "rash"] * 10 + ["flu"] * 10})
    rng = np.random.default_rng(0)
    others = {f"c{a}": rng.integers(0, 2, 30).astype(str) for a in range(23)}
    frame = frame.with_columns(**{name: pl.Series(values) for name, values in others.items()})
    plan = shoal.Plan(
        columns={name: shoal.sensitive() if name == "ill" else shoal.quasi() for name in frame.columns},
        models=[AlphaK("ill", alpha=0.5, k=5)],
        algorithm=Optimal(measure=measure, budget=1),
        release=shoal.ReleaseSettings(suppression=0.4),
    )
    release = shoal.anonymize(frame, plan)
    assert release.verification.holds and release.steward.search.lattice_nodes == 2**24
    assert release.manifest.rows_suppressed <= 12
    assert release.manifest.levels["place"] == 0


def test_a_wide_lattice_of_persons_whose_top_fails_is_searched_below() -> None:
    """The ten rows of place b belong to one person, who has flu in all of them; by persons, a third has flu."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "place": ["a"] * 20 + ["b"] * 10,
            "ill": ["flu", "rash"] * 10 + ["flu"] * 10,
            "who": [*(f"p{i}" for i in range(20)), *["q"] * 10],
            **{f"c{a}": rng.integers(0, 2, 30).astype(str) for a in range(23)},
        }
    )
    roles = {"ill": shoal.sensitive(), "who": shoal.identifier()}
    plan = shoal.Plan(
        data=shoal.Data(person="who"),
        columns={name: roles.get(name, shoal.quasi()) for name in frame.columns},
        models=[AlphaK("ill", alpha=0.5, k=5)],
        algorithm=Optimal(budget=5),
        release=shoal.ReleaseSettings(suppression=0.4),
    )
    release = shoal.anonymize(frame, plan)
    assert release.verification.holds and release.steward.search.lattice_nodes == 2**24
    assert release.manifest.rows_suppressed <= 12


def test_a_wide_lattice_without_any_release_is_refused_in_time() -> None:
    """All recodings fail, but not all can be tried."""
    frame, plan = wide_table(24)
    frame = frame.with_columns(ill=pl.Series(["flu"] * 300 + ["rash"] * 100))
    plan = plan.changed(
        columns={**plan.columns, "ill": shoal.sensitive()},
        models=[AlphaK("ill", alpha=0.3, k=300)],
        algorithm=Optimal(budget=0.5),
        release=shoal.ReleaseSettings(suppression=0.2),
    )
    began = time.monotonic()
    with pytest.raises(CannotBeMet, match=r"No recoding.*found|No recoding satisfies|cannot be met"):
        shoal.anonymize(frame, plan)
    assert time.monotonic() - began < 5
