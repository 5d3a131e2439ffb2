"""The kernel counts what comparing every class with every reference row counts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.overlapping import overlapping


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 12), st.integers(1, 15))
def test_it_counts_the_rows_that_overlap_in_all_columns(seed: int, columns: int, classes: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    labels, values = rng.integers(1, 5, columns), rng.integers(1, 5, columns)
    fits = [rng.random((labels[a], values[a])) < 0.6 for a in range(columns)]
    drawn = [tuple(int(rng.integers(0, labels[a])) for a in range(columns)) for _ in range(classes)]
    codes = np.array(sorted(set(drawn)), np.int32).reshape(-1, columns)
    reference = np.stack([rng.integers(0, values[a], rows) for a in range(columns)]).astype(np.int32)
    same = int(rng.integers(0, columns + 1))  # in this column, if it is one, equal codes overlap
    if same < columns:
        fits[same] = np.eye(labels[same], values[same], dtype=np.bool_)
    sizes, weights = rng.integers(1, 9, len(codes)), rng.integers(1, 9, rows)
    presence = np.zeros(rows)
    given = [np.zeros((0, 0), np.bool_) if a == same else fits[a] for a in range(columns)]
    starts, widths = np.cumsum([0, *(each.size for each in given)])[:-1], np.array([each.shape[1] for each in given])
    flat = np.concatenate([each.reshape(-1) for each in given]).view(np.uint8)
    found = overlapping(codes, sizes, reference, weights, flat, starts, widths, presence)

    matches = [
        [all(fits[a][code[a], reference[a, row]] for a in range(columns)) for row in range(rows)] for code in codes
    ]
    expected = [sum(int(weights[row]) for row in range(rows) if each[row]) for each in matches]
    assert found.tolist() == expected
    for row in range(rows):
        shares = [sizes[c] / expected[c] for c in range(len(codes)) if matches[c][row]]
        assert np.isclose(presence[row], sum(shares))
