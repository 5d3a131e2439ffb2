"""Random tables, and for every kind of model random parameters that pass often enough to be worth trying."""

from __future__ import annotations

from hypothesis import strategies as st

from shoal.models import (
    LKC,
    AlphaK,
    BetaLikeness,
    ClassModel,
    DeltaDisclosure,
    ExponentialL,
    KAnonymity,
    LDiversity,
    MultiSensitive,
    PSensitive,
    TCloseness,
)
from tests.models.tables import COLUMNS, Made

COLUMN = st.sampled_from(sorted(COLUMNS))
SHARE = st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.1 + 0.2, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.75, 0.8, 1, 1.0])
RATIO = st.one_of(SHARE, st.sampled_from([1.5, 2, 3, 1e-30, 12.75]))

# A new model joins every test of this folder by a line here; a test fails while one is missing.
MODELS: dict[str, st.SearchStrategy[ClassModel]] = {
    "k-anonymity": st.builds(KAnonymity, k=st.integers(2, 6)),
    "l-diversity": st.one_of(
        st.builds(LDiversity, column=COLUMN, l=st.integers(2, 4)),
        st.builds(
            LDiversity,
            column=COLUMN,
            l=st.sampled_from([1.2, 1.5, 2, 2.0, 2.5, 3]),
            variant=st.just("entropy"),
        ),
        st.builds(LDiversity, column=COLUMN, l=st.integers(2, 4), variant=st.just("recursive"), c=RATIO),
    ),
    "t-closeness": st.builds(
        TCloseness,
        column=COLUMN,
        t=st.one_of(SHARE, st.sampled_from([0, 0.05, 0.15, 1 / 6])),
        distance=st.sampled_from(["equal", "ordered", "hierarchical"]),
        reference=st.sampled_from(["both", "released", "input"]),
    ),
    "alpha-k": st.builds(
        AlphaK,
        column=COLUMN,
        alpha=SHARE,
        k=st.integers(1, 4),
        values=st.one_of(st.none(), st.just(("HIV", "9", "not in the table"))),
    ),
    "lkc": st.builds(
        LKC,
        l=st.integers(1, 3),
        k=st.integers(1, 4),
        c=st.one_of(st.just(1), SHARE),  # small tables seldom keep a smaller share
        column=COLUMN,
        values=st.one_of(st.none(), st.just(("HIV", "9", "not in the table"))),
    ),
    "p-sensitive": st.builds(
        PSensitive,
        p=st.integers(2, 3),
        k=st.integers(3, 5),
        columns=st.sampled_from([("disease",), ("disease", "months")]),
    ),
    "beta-likeness": st.builds(BetaLikeness, column=COLUMN, beta=RATIO, variant=st.sampled_from(["basic", "enhanced"])),
    "delta-disclosure": st.builds(
        DeltaDisclosure, column=COLUMN, delta=st.sampled_from([0.2, 0.5, 0.6931471805599453, 1, 1.5, 2, 3])
    ),
    "multi-sensitive": st.one_of(
        st.builds(
            MultiSensitive,
            l=st.integers(2, 4),
            k=st.integers(2, 4),
            columns=st.sampled_from([("disease",), ("disease", "months")]),
        ),
        st.builds(
            MultiSensitive,
            l=st.integers(2, 3),
            k=st.integers(2, 4),
            columns=st.just(("disease", "months")),
            limits=st.sampled_from([{"months": 0}, {"months": 1}, {"disease": 1, "months": 3}, {"disease": 2}]),
        ),
    ),
    "exponential-l": st.builds(
        ExponentialL, l=st.integers(2, 3), columns=st.sampled_from([("disease",), ("months",), ("disease", "months")])
    ),
}


@st.composite
def tables(draw: st.DrawFn, *, classes: int = 3, persons: bool | None = None, suppressed: bool = True) -> Made:
    """A few rows in a few classes. Domains are cut down at random, so that classes agree, and pass, often."""
    values = {
        name: [*list(column.paths)[: draw(st.integers(1, 5))], *draw(st.sampled_from([[], [None]]))]
        for name, column in COLUMNS.items()
    }
    rows = draw(
        st.lists(
            st.fixed_dictionaries(
                {name: st.sampled_from(domain) for name, domain in values.items()}
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
