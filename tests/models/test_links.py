from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models import links
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.roles.columns import quasi_sensitive
from shoal.roles.knowledge import Knowledge
from tests.effort import examples
from tests.oracle.quasi_sensitive import linked

ITEM = st.sampled_from("abcdef")
TABLE = st.dictionaries(st.sampled_from(["l1", "l2", "l3", "l4", "l5"]), st.sets(ITEM))
CELLS = st.lists(st.sets(st.one_of(ITEM, st.just("z"))).map(lambda items: "|".join(sorted(items))), min_size=1)


def evidence(cells: list[str], table: dict[str, set[str]]) -> Evidence:
    rows = pl.DataFrame({CLASS: [n % 3 for n in range(len(cells))], COUNT: [1] * len(cells), "s": cells})
    return Evidence(rows, {"s": SensitiveFacts(quasi_sensitive(), knowledge=Knowledge.of(table))})


@given(CELLS, TABLE, st.sampled_from([1, 7, 10**7]))
@settings(max_examples=examples(150), deadline=None)
def test_sets_link_to_the_labels_that_have_all_their_items(
    cells: list[str], table: dict[str, set[str]], room: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "_ROOM", room)
        found = links.linked(evidence(cells, table), "s")
    names = sorted(table)
    labels_of = {value: set[str]() for value in cells}
    for value, label in found.sets.join(found.pairs, on="set").select("value", "label").rows():
        labels_of[value].add(names[label])
    for value, size in found.sets.select("value", "size").rows():
        expected = linked(value, {label: sorted(items) for label, items in table.items()})
        assert size == len(expected)
        assert value == "" or labels_of[value] == set(expected)


@given(CELLS, TABLE, st.sampled_from([1, 10**7]))
@settings(max_examples=examples(100), deadline=None)
def test_floats_and_whole_numbers_say_the_same_of_every_class(
    cells: list[str], table: dict[str, set[str]], room: int
) -> None:
    given_rows = evidence(cells, table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "_ROOM", room)
        parts = list(links.linked(given_rows, "s").beliefs(given_rows.counts("s")))
    assert sorted(number for part in parts for number in part.classes[CLASS]) == sorted(set(given_rows.rows[CLASS]))
    for part in parts:
        exact = part.exact(part.classes[CLASS])
        assert {
            (number, label): share / each.under for number, each in exact.items() for label, share in each.own.items()
        } == {
            (number, label): pytest.approx(share)
            for number, label, share in part.shares.select(CLASS, "label", "share").rows()
        }
        for number, base in part.classes.select(CLASS, "base").rows():
            assert exact[number].base / exact[number].under == pytest.approx(base)
