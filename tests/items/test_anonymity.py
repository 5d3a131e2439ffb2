from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.coded.coding import coded_sets, with_tree
from shoal.coded.domains import ItemDomain
from shoal.errors import HierarchyError
from shoal.items.anonymity import anonymous_sets, having_rare
from shoal.roles.columns import quasi_sensitive, tree
from tests.effort import examples
from tests.models.tables import ITEM_PATHS, SETS
from tests.oracle import Setting
from tests.oracle.km_anonymity import items, passes

CELLS = st.lists(st.sampled_from(SETS), min_size=1, max_size=12)


def column(cells: list[str | None]) -> tuple[ItemDomain, list[int]]:
    coded = coded_sets({"s": [cell or "" for cell in cells]})
    return coded.items["s"], coded.counted.items["s"].tolist()


def rows_of(domain: ItemDomain, codes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.bincount(codes, minlength=domain.size).astype(np.int64)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("trees") / "items.csv"
    file.write_text("\n".join(";".join(path) for path in ITEM_PATHS.values()), encoding="utf-8")
    return str(file)


@given(CELLS, st.integers(2, 4), st.integers(1, 3), st.booleans(), st.integers(0, 3))
@settings(max_examples=examples(200), deadline=None)
def test_published_sets_are_anonymous_and_true(
    path: str, cells: list[str | None], k: int, m: int, generalizes: bool, suppressed: int
) -> None:
    domain, codes = column(cells)
    if generalizes:
        domain = with_tree(replace(domain, settings=quasi_sensitive(tree(path))), ())
    released = cells[suppressed:]
    found = anonymous_sets(domain, rows_of(domain, codes[suppressed:]), k, m)
    texts = ["|".join(found.domain.of_set(int(found.of_set[code]))) for code in codes[suppressed:]]
    shown = [{"s": text} for text in texts]
    assert passes(shown, shown, Setting(), column="s", k=k, m=m)
    for cell, text in zip(released, texts, strict=True):
        own = items(cell)
        assert items(text) <= ({label for item in own for label in ITEM_PATHS[item]} if generalizes else own)
    before = [{"s": cell} for cell in released]
    failing = [not passes([row], before, Setting(), column="s", k=k, m=m) for row in before]
    assert found.failing[codes[suppressed:]].tolist() == failing
    assert found.lower_bound is None or 0 <= found.lower_bound <= found.cost + 1e-9
    assert generalizes or found.lower_bound is not None
    assert (found.cost > 0) == any(failing)


@given(CELLS, CELLS, st.integers(2, 4), st.integers(1, 3))
@settings(max_examples=examples(200), deadline=None)
def test_sets_are_judged_by_the_rows_of_another_table(
    cells: list[str | None], others: list[str | None], k: int, m: int
) -> None:
    own, codes = column(cells)
    whole, other_codes = column(others)
    found = having_rare(own, whole, rows_of(whole, other_codes), k, m)
    reference = [{"s": cell} for cell in others]
    expected = [not passes([{"s": cell}], reference, Setting(), column="s", k=k, m=m) for cell in cells]
    assert found[codes].tolist() == expected


def test_sets_of_no_row_become_empty() -> None:
    domain, codes = column(["ache", "rash|zest"])
    found = anonymous_sets(domain, np.array([2, 0]), 2, 2)
    assert found.domain.texts.gather(found.of_set).to_list() == ["ache", None]
    assert codes == [0, 1]


def test_nodes_with_equal_labels_are_one(tmp_path: object) -> None:
    """'x' is an item, and the label above it, a and b."""
    domain, _ = column(["a|x", "b|x", "a", "b"])
    levels = {"a": ("a", "x", "*"), "b": ("b", "x", "*"), "x": ("x", "x", "*")}
    file = f"{tmp_path}/tree.csv"
    pl.DataFrame([*levels.values()], orient="row").write_csv(file, include_header=False, separator=";")
    domain = with_tree(replace(domain, settings=quasi_sensitive(tree(file))), ())
    found = anonymous_sets(domain, np.ones(4, np.int64), 4, 1)
    assert found.generalized is not None
    texts = found.domain.texts.gather(found.of_set)
    assert all("x|x" not in (text or "") for text in texts)


def test_a_column_without_items_stays_as_it_is(path: str) -> None:
    domain, codes = column([None, None])
    domain = with_tree(replace(domain, settings=quasi_sensitive(tree(path))), ())
    found = anonymous_sets(domain, rows_of(domain, codes), 3, 2)
    assert (found.cost, found.failing.any(), found.domain.texts.gather(found.of_set).to_list()) == (0.0, False, [None])


def test_a_hierarchy_with_a_label_of_two_nodes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    file.write_text("a1;b1;*\na2;b1;*\nb1;c;*\nb2;c;*\n")
    domain, _ = column(["a1|b1", "a2"])
    with pytest.raises(HierarchyError, match="1 label names several nodes of its hierarchy"):
        with_tree(replace(domain, settings=quasi_sensitive(tree(str(file)))), ())
