from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.coded import coded_values, stats_of
from shoal.errors import PlanError
from shoal.hierarchies.base import Hierarchy
from shoal.models import ExtendedPSensitive, PSensitive
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.roles.columns import Column
from tests.models.hand import finding, verdicts
from tests.models.strategies import tables
from tests.models.tables import COLUMNS, Made, evidence, stats
from tests.oracle import extended_p_sensitive

BOTH = ("disease", "months")
STRATEGY = st.builds(
    ExtendedPSensitive, p=st.integers(2, 3), k=st.integers(3, 5), columns=st.sampled_from([("disease",), BOTH])
)
ORACLE = extended_p_sensitive.passes


def test_values_of_one_protected_subtree_count_once() -> None:
    """flu and asthma are both of the lung, rash and HIV both outer; the stomach is not protected."""
    model = ExtendedPSensitive(p=2, k=2, columns=("disease",))
    assert verdicts(model, ["flu", "asthma"], ["rash", "HIV"], ["flu", "HIV"], ["flu", "ulcer"]) == [
        False,
        False,
        True,
        True,
    ]


def test_figures_of_the_worst_class() -> None:
    found = finding(ExtendedPSensitive(p=2, k=2, columns=("disease",)), ["flu", "asthma", "flu"], ["HIV", "flu"])
    assert (found.failing, found.achieved) == (1, {"p": 1, "k": 2})


def test_a_missing_value_counts_only_where_the_plan_says_so() -> None:
    model = ExtendedPSensitive(p=2, k=2, columns=("disease",))
    assert verdicts(model, ["flu", None], [None, None]) == [False, False]
    assert verdicts(model, ["flu", None], ["flu", "asthma"], missing_counts=True) == [True, False]


def test_a_missing_value_is_its_own_group_even_if_everything_is_protected() -> None:
    tree = Hierarchy.from_paths([("", "", "*"), ("flu", "lung", "*"), ("rash", "skin", "*")])
    settings = Column(role="sensitive", protected=("*",), missing_counts=True)
    rows = coded_values({"disease": ["flu", "rash", ""]}, settings={"disease": settings}, trees={"disease": tree})
    model = ExtendedPSensitive(p=2, k=2, columns=("disease",))
    assert model.passes(stats_of(rows, [[0, 1], [0, 2]])).tolist() == [False, True]


def test_a_label_means_its_node_at_every_level() -> None:
    """A code and its category may have the same label: the category is protected, with all its codes."""
    paths = [("C50", "C50", "*"), ("C50.1", "C50", "*"), ("J45", "J45", "*")]
    settings = Column(role="sensitive", protected=("C50",))
    rows = coded_values(
        {"code": [path[0] for path in paths]},
        settings={"code": settings},
        trees={"code": Hierarchy.from_paths(paths)},
    )
    model = ExtendedPSensitive(p=2, k=2, columns=("code",))
    assert model.passes(stats_of(rows, [[0, 1], [1, 2]])).tolist() == [False, True]


def strong_ancestor(column: str, value: str | None) -> str | None:
    """The first protected label on the way down from the top, or the value itself."""
    if value is None:
        return None
    path = COLUMNS[column].paths[value]
    return next((label for label in reversed(path) if label in COLUMNS[column].protected), value)


@given(st.data())
def test_it_is_p_sensitivity_of_strong_ancestors(data: st.DataObject) -> None:
    model, made = data.draw(STRATEGY), data.draw(tables())
    plain = PSensitive(model.p, model.k, model.columns)
    mapped = [{name: strong_ancestor(name, row[name]) for name in COLUMNS} | {"who": row["who"]} for row in made.rows]
    ours = model.passes(stats(made)).tolist()
    assert ours == [extended_p_sensitive_by_mapping(plain, mapped, made, number) for number in range(len(ours))]


def extended_p_sensitive_by_mapping(
    plain: PSensitive, mapped: list[dict[str, str | None]], made: Made, number: int
) -> bool:
    """Whether the class passes p-sensitivity after every value is replaced by its strong ancestor."""
    numbers = sorted({c for c in made.class_of if c >= 0})
    members = [row for row, c in zip(mapped, made.class_of, strict=True) if c == numbers[number]]
    settings = {name: Column(role="sensitive", missing_counts=name in made.missing_counts) for name in COLUMNS}
    people = {who: i for i, who in enumerate(sorted({row["who"] or "" for row in members}))}
    coded = coded_values(
        {name: [row[name] or "" for row in members] for name in COLUMNS},
        person=[people[row["who"] or ""] for row in members] if made.by_person else None,
        settings=settings,
    )
    return bool(plain.passes(stats_of(coded, [list(range(len(members)))]))[0])


@given(tables(classes=6), st.integers(2, 4))
def test_passing_classes_never_outnumber_the_third_condition(made: Made, p: int) -> None:
    model = ExtendedPSensitive(p=p, k=p, columns=BOTH)
    coded = stats(made.regrouped([0] * len(made.rows)))
    most = model.most_classes(coded)
    assert (most is None) == made.by_person
    assert most is None or model.passes(stats(made)).sum() <= most


def partitions(items: list[int]) -> list[list[list[int]]]:
    """All ways to put items into classes."""
    if not items:
        return [[]]
    first, rest = items[0], partitions(items[1:])
    return [
        grown
        for classes in rest
        for grown in (
            [[first], *classes],
            *([*classes[:i], [first, *members], *classes[i + 1 :]] for i, members in enumerate(classes)),
        )
    ]


@pytest.mark.parametrize("seed", range(12))
def test_the_third_condition_allows_what_brute_force_finds(seed: int) -> None:
    """No partition of a small table into passing classes has more classes than the condition says."""
    rng = np.random.default_rng(seed)
    rows = tuple(
        {"disease": str(rng.choice(list(COLUMNS["disease"].paths))), "months": "9", "who": "ann"} for _ in range(7)
    )
    model = ExtendedPSensitive(p=2, k=2, columns=("disease",))
    whole = stats(Made(rows, (0,) * 7))
    most, best = model.most_classes(whole), 0
    for classes in partitions(list(range(7))):
        if len(classes) > best:
            class_of = [next(c for c, members in enumerate(classes) if row in members) for row in range(7)]
            best = len(classes) if model.passes(stats(Made(rows, tuple(class_of)))).all() else best
    assert most is not None and best <= most
    assert (best == 0) == (most == 0)


class TestNeeds:
    def test_every_column_needs_a_hierarchy(self) -> None:
        model = ExtendedPSensitive(p=2, k=2, columns=("disease",))
        assert "needs a hierarchy for column 'disease'" in model.needs({"disease": Column(role="sensitive")})

    def test_its_trees_are_those_of_its_columns(self) -> None:
        assert ExtendedPSensitive(p=2, k=2, columns=BOTH).reads_trees == BOTH


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"p": 3, "k": 2}, "p must be at most k; got p = 3 and k = 2"),
        ({"p": 1, "k": 2}, "p must be an integer of at least 2; got 1"),
        ({"p": 2, "k": 2, "columns": []}, "columns must be a non-empty list"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=f"ExtendedPSensitive {said}"):
        ExtendedPSensitive(**parameters)


def test_the_papers_table_of_patients() -> None:
    """Table 1 of Campan and Truta: 2-anonymous, and the class of the two men discloses diabetes."""
    import polars as pl

    illness = ["Colon Cancer", "Heart Disease", "Breast Cancer", "HIV", "Diabetes", "Diabetes"]
    rows = pl.DataFrame({CLASS: [0, 0, 1, 1, 2, 2], "illness": illness, COUNT: [1] * 6})
    paths = {value: (value, "Cancer" if "Cancer" in value else value, "*") for value in dict.fromkeys(illness)}
    for protected in ((), ("Cancer",)):
        facts = SensitiveFacts(Column(role="sensitive", protected=protected), paths)
        found = ExtendedPSensitive(p=2, k=2, columns=("illness",)).holds(Evidence(rows, {"illness": facts}))
        assert (found.holds, found.failing, found.achieved) == (False, 1, {"p": 1, "k": 2})


def test_no_class_of_cancers_alone() -> None:
    made = evidence(Made(tuple({"disease": d, "months": "9", "who": "a"} for d in ("flu", "asthma", "flu")), (0, 0, 0)))
    assert PSensitive(p=2, k=3, columns=("disease",)).holds(made).holds
    assert not ExtendedPSensitive(p=2, k=3, columns=("disease",)).holds(made).holds
