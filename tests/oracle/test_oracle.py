"""The oracle is itself checked: against hand-worked cases, and its distances against trying every way to move earth."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import lcm
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.oracle import Setting, check, passing, t_closeness

PATHS = {
    "flu": ("flu", "lung", "inner", "*"),
    "asthma": ("asthma", "lung", "inner", "*"),
    "ulcer": ("ulcer", "stomach", "inner", "*"),
    "rash": ("rash", "skin", "outer", "*"),
}
ORDER = [None, *PATHS]


def rows(values: Sequence[str | None], column: str = "d") -> list[dict[str, str | None]]:
    return [{column: value} for value in values]


def test_the_oracle_imports_nothing_of_shoal() -> None:
    imported: list[str] = []
    here = Path(__file__).parent
    for path in [*here.glob("*.py"), here.parent / "models" / "declared.py"]:
        for statement in ast.walk(ast.parse(path.read_text())):
            if isinstance(statement, ast.Import):
                imported += [alias.name for alias in statement.names]
            elif isinstance(statement, ast.ImportFrom):
                imported.append(statement.module or "")
    assert "fractions" in imported
    assert [name for name in imported if name.split(".")[0] == "shoal"] == []
    ours = {name for name in imported if name.split(".")[0] == "tests"}
    assert ours == {"tests.oracle", "tests.models.declared", "tests.effort"}


def cheapest(here: Sequence[str | None], table: Sequence[str | None], apart: Callable[..., Fraction]) -> Fraction:
    """The least mean distance over all ways to match the class's earth with the table's, unit by unit."""
    units = lcm(len(here), len(table))
    left = [v for v in here for _ in range(units // len(here))]
    right = [v for v in table for _ in range(units // len(table))]
    return (
        min(sum((apart(a, b) for a, b in zip(left, way, strict=True)), Fraction()) for way in permutations(right))
        / units
    )


def shares(values: Sequence[str | None]) -> dict[str | None, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def tree_apart(a: str | None, b: str | None) -> Fraction:
    height = next(h for h in range(4) if t_closeness.node(a, h, PATHS, 3) == t_closeness.node(b, h, PATHS, 3))
    return Fraction(height, 3)


@given(st.lists(st.sampled_from(ORDER), min_size=6, max_size=6), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_distances_are_the_cheapest_of_all_ways_to_move(table: list[str | None], data: st.DataObject) -> None:
    chosen = data.draw(st.permutations(range(6))), data.draw(st.sampled_from([1, 2, 3]))
    here = [table[i] for i in chosen[0][: chosen[1]]]
    p, q = shares(here), shares(table)
    rank = {value: i for i, value in enumerate(v for v in ORDER if v in q)}
    steps = max(len(rank) - 1, 1)
    assert t_closeness.equal(p, q) == cheapest(here, table, lambda a, b: Fraction(a != b))
    assert t_closeness.ordered(p, q, ORDER) == cheapest(
        here, table, lambda a, b: Fraction(abs(rank[a] - rank[b]), steps)
    )
    assert t_closeness.hierarchical(p, q, PATHS) == cheapest(here, table, tree_apart)


@pytest.mark.parametrize(
    ("kind", "parameters", "members", "expected"),
    [
        ("k-anonymity", {"k": 3}, ["a", "a", None], True),
        ("k-anonymity", {"k": 4}, ["a", "a", None], False),
        ("l-diversity", {"column": "d", "l": 2}, ["a", "a", None], False),
        ("l-diversity", {"column": "d", "l": 2}, ["a", "b", None], True),
        ("l-diversity", {"column": "d", "l": 2, "variant": "entropy"}, ["a", "b"], True),
        ("l-diversity", {"column": "d", "l": 2, "variant": "entropy"}, ["a", "a", "b", None], False),
        ("l-diversity", {"column": "d", "l": 2, "variant": "entropy"}, [None, None], False),
        ("l-diversity", {"column": "d", "l": 2, "variant": "recursive", "c": 2}, ["a", "a", "b"], False),
        ("l-diversity", {"column": "d", "l": 2, "variant": "recursive", "c": 2.1}, ["a", "a", "b"], True),
        ("alpha-k", {"column": "d", "alpha": 0.5, "k": 2}, ["a", "a", "b", None], True),
        ("alpha-k", {"column": "d", "alpha": 0.5, "k": 2}, ["a", "a", "b"], False),
        ("alpha-k", {"column": "d", "alpha": 0.5, "k": 2, "values": ["b"]}, ["a", "a", "b"], True),
        ("p-sensitive", {"p": 2, "k": 3, "columns": ["d"]}, ["a", "b", None], True),
        ("p-sensitive", {"p": 2, "k": 3, "columns": ["d"]}, ["a", "a", None], False),
    ],
)
def test_single_classes(kind: str, parameters: dict[str, object], members: list[str | None], expected: bool) -> None:
    assert check(kind, parameters, [rows(members)]) is expected


def test_shares_are_compared_with_the_whole_table() -> None:
    classes = [rows(["a", "b"]), rows(["a", "a", "a", "b"])]  # the table: 4 a, 2 b
    assert passing("t-closeness", {"column": "d", "t": 1 / 6}, classes) == [False, True]  # 1/6 > 0.16666666666666666
    assert passing("t-closeness", {"column": "d", "t": 0.17}, classes) == [True, True]
    assert passing("beta-likeness", {"column": "d", "beta": 0.5}, classes) == [True, True]
    assert passing("beta-likeness", {"column": "d", "beta": 0.4}, classes) == [False, True]
    assert passing("delta-disclosure", {"column": "d", "delta": 0.41}, classes) == [True, True]
    assert passing("delta-disclosure", {"column": "d", "delta": 0.4}, classes) == [False, True]
    assert passing("delta-disclosure", {"column": "d", "delta": 9}, [rows(["a"]), rows(["a", "b"])]) == [False, True]


def test_persons_are_counted_once() -> None:
    members = [{"d": "a", "who": "1"}, {"d": "a", "who": "1"}, {"d": "b", "who": "2"}]
    assert not check("k-anonymity", {"k": 3}, [members], setting=Setting(person="who"))
    assert check("alpha-k", {"column": "d", "alpha": 0.5, "k": 2}, [members], setting=Setting(person="who"))
