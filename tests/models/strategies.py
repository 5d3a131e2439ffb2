"""Random tables, and for every kind of model random parameters, as the model's own test module declares them."""

from __future__ import annotations

from hypothesis import strategies as st

from shoal.models import ALL, ClassModel
from tests.models.declared import Strategies
from tests.models.tables import COLUMNS, ITEMS, SETS, Made

COLUMN = st.sampled_from(sorted(COLUMNS))
SHARE = st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.1 + 0.2, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.75, 0.8, 1, 1.0])
RATIO = st.one_of(SHARE, st.sampled_from([1.5, 2, 3, 1e-30, 12.75]))

MODELS: Strategies[ClassModel] = Strategies("models", (model.kind for model in ALL))
SEARCHED = sorted(model.kind for model in ALL if not model.removes_items)
"""The kinds of models that algorithms see. Models of items are met afterwards, by removing items."""


@st.composite
def tables(draw: st.DrawFn, *, classes: int = 3, persons: bool | None = None, suppressed: bool = True) -> Made:
    """A few rows in a few classes. Domains are cut down at random, so that classes agree, and pass, often."""
    values = {
        name: [*list(column.paths)[: draw(st.integers(1, 5))], *draw(st.sampled_from([[], [None]]))]
        for name, column in COLUMNS.items()
    }
    sets = draw(st.lists(st.sampled_from(SETS), min_size=1, max_size=4))
    rows = draw(
        st.lists(
            st.fixed_dictionaries(
                {name: st.sampled_from(domain) for name, domain in values.items()}
                | {ITEMS: st.sampled_from(sets)}
                | {"who": st.sampled_from(["ann", "bob", "cat", "dan", "eve", "fay"])}
            ),
            min_size=1,
            max_size=16,
        )
    )
    least = -1 if suppressed else 0
    class_of = draw(st.lists(st.integers(least, classes - 1), min_size=len(rows), max_size=len(rows)))
    return Made(
        tuple(rows),
        tuple(class_of),
        by_person=draw(st.booleans()) if persons is None else persons,
        missing_counts=frozenset(draw(st.sets(COLUMN))),
    )


MODELS.load()
