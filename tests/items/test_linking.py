from __future__ import annotations

import time

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.arrays import UInt64
from shoal.items.linking import labels_of, linked, links
from shoal.roles.knowledge import Knowledge
from tests.effort import examples
from tests.items.made import domain_of, labels_linked

ITEMS = st.frozensets(st.sampled_from("abcdef"), max_size=4)
FIGURE_1 = Knowledge.of(
    {"Flu": ["Coughing", "Headache", "Sore throat"], "Hepatitis B": ["Loss of appetite", "Vomiting", "Dark urine"]}
)


def as_sets(bits: UInt64) -> list[set[int]]:
    return [{i for i in range(64 * len(row)) if int(row[i // 64]) >> (i % 64) & 1} for row in bits]


def test_figure_1_links_rows_1_2_and_4_to_flu_alone_and_row_3_to_nothing() -> None:
    rows = ["Coughing, Headache, Sore throat", "Coughing, Headache", "Headache, Vomiting", "Headache, Sore throat"]
    domain = domain_of([frozenset(row.split(", ")) for row in rows])
    assert as_sets(links(domain, FIGURE_1)) == [{0}, {0}, set(), {0}]


@given(st.lists(ITEMS, min_size=1, max_size=6), st.lists(ITEMS, max_size=70))
@settings(max_examples=examples(100), deadline=None)
def test_links_equal_the_definition(sets: list[frozenset[str]], labels: list[frozenset[str]]) -> None:
    knowledge = Knowledge.of({f"{number:02}": items for number, items in enumerate(labels)})
    found = linked(domain_of(sets), knowledge)
    expected = [labels_linked(each, knowledge) for each in sets]
    assert as_sets(found.bits) == expected
    assert found.sizes.tolist() == [len(each) for each in expected]


def test_no_items_link_to_every_label_and_an_unknown_item_to_none() -> None:
    knowledge = Knowledge.of({str(number): ["a"] for number in range(130)})
    found = linked(domain_of([frozenset(), frozenset("a"), frozenset("ax")]), knowledge)
    assert found.sizes.tolist() == [130, 130, 0]
    assert found.labels == 130


def test_an_empty_knowledge_table_links_nothing() -> None:
    found = linked(domain_of([frozenset(), frozenset("a")]), Knowledge.of({}))
    assert (found.sizes.tolist(), found.bits.shape) == ([0, 0], (2, 0))
    assert len(labels_of(["a"], Knowledge.of({})).everything) == 0


def test_many_labels_and_sets_are_linked_fast() -> None:
    random = np.random.default_rng(1)
    names = [f"{item:03}" for item in range(200)]
    knowledge = Knowledge.of(
        {str(label): [names[i] for i in np.flatnonzero(random.random(200) < 0.5)] for label in range(3_000)}
    )
    sets = [frozenset(names[i] for i in random.choice(200, 9, replace=False)) for _ in range(2_000)]
    domain = domain_of(sets, names)
    linked(domain, knowledge)
    began = time.perf_counter()
    found = linked(domain, knowledge)
    assert time.perf_counter() - began < 1
    assert found.sizes[:20].tolist() == [len(labels_linked(each, knowledge)) for each in sets[:20]]
