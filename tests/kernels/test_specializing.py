"""The kernels of specialization, against numpy written out."""

from __future__ import annotations

import numpy as np

from shoal.kernels import specializing as kernel

RNG = np.random.default_rng(0)


def test_rows_stand_by_code_and_keep_their_order() -> None:
    codes = RNG.integers(0, 7, 100).astype(np.int32)
    rows, starts = kernel.by_code(codes, 8)
    assert rows.tolist() == np.argsort(codes, kind="stable").tolist()
    assert starts.tolist() == np.searchsorted(codes[rows], np.arange(9)).tolist()


def test_a_split_counts_the_kinds_of_every_part_and_leaves_its_scratch_clean() -> None:
    rows, edges = RNG.permutation(50).astype(np.int32), np.array([0, 20, 20, 50])
    kind_of, weight = RNG.integers(0, 5, 50).astype(np.int32), RNG.integers(1, 4, 50)
    scratch = np.full(50, -1, np.int64)
    entry, kind, total, offsets = kernel.split(kind_of[rows], weight[rows], edges, scratch)
    assert (scratch == -1).all()
    for part in range(3):
        members = rows[edges[part] : edges[part + 1]]
        own = slice(offsets[part], offsets[part + 1])
        expected = {k: int(weight[members][kind_of[members] == k].sum()) for k in set(kind_of[members].tolist())}
        assert dict(zip(kind[own].tolist(), total[own].tolist(), strict=True)) == expected
    assert (kind[entry] == kind_of[rows]).all()
    value = RNG.permutation(len(kind)).astype(np.int32)
    assert kernel.of_entries(rows, edges, kind_of, kind, offsets, value, scratch).tolist() == value[entry].tolist()
    assert (scratch == -1).all()


def test_what_some_codes_hold_is_the_same_however_it_is_gathered() -> None:
    codes, kind_of = RNG.integers(0, 9, 200).astype(np.int32), RNG.integers(0, 5, 200).astype(np.int32)
    weight = RNG.integers(1, 4, 200)
    rows, starts = kernel.by_code(codes, 9)
    own = rows[starts[2] : starts[7]]
    kinds, weights = kernel.kinds_in(own, kind_of, weight)
    found, totals, begins = kernel.kinds_by_code(codes, 2, 6, kind_of, 5, weight)
    for c in range(5):
        part, held = slice(starts[c + 2] - starts[2], starts[c + 3] - starts[2]), slice(begins[c], begins[c + 1])
        rows_of = np.bincount(kinds[part], weights[part], minlength=5)
        assert np.bincount(found[held], totals[held], minlength=5).tolist() == rows_of.tolist()
        assert (np.diff(found[held]) > 0).all() and (totals[held] > 0).all()


def test_cut_scores_are_those_of_every_cut_tried() -> None:
    codes = np.sort(RNG.integers(0, 6, 40)).astype(np.int32)
    rows, starts = kernel.by_code(codes, 6)
    class_of, weight = RNG.integers(0, 4, 40).astype(np.int32), RNG.integers(1, 4, 40)
    sizes = np.bincount(class_of, weight, minlength=4).astype(np.int64)
    every = np.arange(4, dtype=np.int32)
    left, scratch = np.zeros(4, np.int64), np.full(4, -1, np.int64)
    scores = kernel.pairs_cut(class_of[rows], weight[rows], starts, every, sizes, left)
    assert (left == 0).all()
    for cut in range(5):
        edges = np.array([0, starts[cut + 1], len(rows)])
        parted = kernel.pairs_parted(class_of[rows], weight[rows], edges, every, sizes, scratch)
        sides = [np.bincount(class_of[side], weight[side], minlength=4) for side in (codes <= cut, codes > cut)]
        assert scores[cut] == parted == int((sizes**2).sum() - sum((side**2).sum() for side in sides))


def test_gains_are_falls_of_entropy() -> None:
    counts = np.array([[[3, 1], [0, 5]], [[0, 2], [0, 0]], [[4, 4], [2, 1]]])  # by code, stratum and target
    table = np.concatenate([[0.0], np.arange(1, 5) * np.log2(np.arange(1, 5))])  # too short: the rest is computed

    def entropy(n: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        share = n[n > 0] / n.sum()
        return float(-(share * np.log2(share)).sum() * n.sum())

    def known(rows: np.ndarray[tuple[int, int, int], np.dtype[np.int64]]) -> float:
        return sum(entropy(stratum) for stratum in rows.sum(axis=0))

    expected = [known(counts) - known(counts[: c + 1]) - known(counts[c + 1 :]) for c in range(2)]
    assert np.allclose(kernel.gains_cut(counts, table), expected, atol=1e-12)
    assert np.isclose(kernel.entropy_total(counts.sum(axis=0), table), known(counts))


def test_the_best_open_cut_is_the_first_of_the_highest() -> None:
    scores = np.array([1.0, 5.0, 5.0, 9.0])
    assert kernel.best_open(scores, np.array([False, False, False, True])) == 1
    assert kernel.best_open(scores, np.ones(4, np.bool_)) == -1
