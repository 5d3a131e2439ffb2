"""How a count is written with its noun, everywhere in the same way."""

from __future__ import annotations


def counted(number: int, noun: str, nouns: str) -> str:
    """A number with its noun, or with any words that agree with it.

    >>> counted(1, "class", "classes"), counted(1200, "class", "classes")
    ('1 class', '1,200 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns}"
