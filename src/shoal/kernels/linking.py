"""Bitsets of labels: which labels all items of a set have, as rows of uint64 words.

Bit i of a bitset is bit i % 64 of word i // 64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part

_ONES, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _LOW = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x7F)


@njit(cache=True, nogil=True)
def linked(offsets: Array, members: Array, has: Array, everything: Array) -> Array:
    """offsets int64 [s+1], members int32, has uint64 [items, words], everything uint64 [words] → uint64 [s, words].

    The labels that have all items of each set; `everything`, all labels, for a set without items.
    """
    bits = np.empty((len(offsets) - 1, len(everything)), np.uint64)
    for s in range(len(bits)):
        for word in range(len(everything)):
            bits[s, word] = everything[word]
        for m in range(offsets[s], offsets[s + 1]):
            item = members[m]
            for word in range(len(everything)):
                bits[s, word] &= has[item, word]
    return bits


@njit(cache=True, nogil=True)
def sizes(bits: Array) -> Array:
    """bits uint64 [s, words] → int64 [s]: the number of labels in each bitset."""
    counts = np.zeros(len(bits), np.int64)
    for s in range(len(bits)):
        counts[s] = size(bits[s])
    return counts


@part
def size(bits: Array) -> int:
    """The number of labels in a bitset uint64 [words]."""
    total = 0
    for word in bits:
        total += ones(word)
    return total


@part
def ones(word: Any) -> Any:
    """uint64 → int64: the number of bits that are set."""
    word = word - ((word >> np.uint64(1)) & _ONES)
    word = (word & _PAIRS) + ((word >> np.uint64(2)) & _PAIRS)
    word = (word + (word >> np.uint64(4))) & _NIBBLES
    word = word + (word >> np.uint64(8))
    word = word + (word >> np.uint64(16))
    word = word + (word >> np.uint64(32))
    return np.int64(word & _LOW)


@part
def lowest(word: Any) -> Any:
    """uint64 → int64: the place of the lowest bit that is set, of a word that is not zero."""
    return ones((word & (~word + np.uint64(1))) - np.uint64(1))


@part
def listed(bits: Array, labels: Array) -> int:
    """Writes the labels of a bitset uint64 [words] into `labels`, ascending, and returns their number."""
    count = 0
    for word in range(len(bits)):
        rest = bits[word]
        while rest != np.uint64(0):
            labels[count] = 64 * word + lowest(rest)
            count += 1
            rest &= rest - np.uint64(1)
    return count
