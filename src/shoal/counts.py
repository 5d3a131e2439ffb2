"""How a count is written with its noun, everywhere in the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

_NAMED = 5


def counted(number: int, noun: str, nouns: str) -> str:
    """A number with its noun, or with any words that agree with it.

    >>> counted(1, "class", "classes"), counted(1200, "class", "classes")
    ('1 class', '1,200 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns}"


def each_once(names: Iterable[str]) -> str:
    """Names, each of them once, with the number of its repetitions.

    >>> each_once(["k-anonymity", "t-closeness", "t-closeness"])
    'k-anonymity, t-closeness (2 times)'
    """
    return ", ".join(name if times == 1 else f"{name} ({times} times)" for name, times in Counter(names).items())


def some_of(names: Sequence[str]) -> str:
    """The first names, and the number of all others.

    >>> some_of(["a", "b"]), some_of([str(n) for n in range(1, 9)])
    ("'a', 'b'", "'1', '2', '3', '4', '5' and 3 more")
    """
    more = len(names) - _NAMED
    return ", ".join(f"'{name}'" for name in names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
