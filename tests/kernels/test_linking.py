from __future__ import annotations

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import linking


@njit
def places(bits: Array, room: Array) -> int:
    return linking.listed(bits, room)


def test_the_labels_of_a_bitset_are_counted_and_listed() -> None:
    random = np.random.default_rng(2)
    for density in (0.01, 0.5, 1.0):
        flags = random.random((20, 200)) < density
        words = np.zeros((20, 4), np.uint64)
        for s, label in zip(*np.nonzero(flags), strict=True):
            words[s, label // 64] |= np.uint64(1 << int(label) % 64)
        assert linking.sizes(words).tolist() == flags.sum(axis=1).tolist()
        room = np.empty(200, np.int64)
        for s in range(20):
            count = places(words[s], room)
            assert room[:count].tolist() == np.flatnonzero(flags[s]).tolist()


def test_sets_link_to_the_labels_that_all_of_their_items_have() -> None:
    has = np.array([[0b0111], [0b1101], [0b0000]], np.uint64)
    offsets, members = np.array([0, 2, 3, 5, 5]), np.array([0, 1, 1, 0, 2], np.int32)
    found = linking.linked(offsets, members, has, np.array([0b1111], np.uint64))
    assert found[:, 0].tolist() == [0b0101, 0b1101, 0b0000, 0b1111]
