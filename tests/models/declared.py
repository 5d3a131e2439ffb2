"""What the test module of a model or an algorithm declares, for the tests that go through all of them.

A model `k-anonymity` has its test module at `tests/models/test_k_anonymity.py`, an algorithm `pais` at
`tests/algorithms/test_pais.py`. What these tests need stands there under a name of `MEANING`, and nowhere else is a
kind listed by hand. Nothing here imports shoal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

MEANING = {
    "STRATEGY": "a hypothesis strategy of parameters that pass often enough to be worth trying",
    "ORACLE": "`passes(members, whole, setting, **parameters)`, the plain definition for one class, as in tests/oracle",
    "TABLE_ORACLE": "`holds(rows, quasi, *, setting, **parameters)`, the plain definition for a whole released table",
}


class Undeclared(LookupError):
    """The test module of a kind lacks what tests of all kinds need."""


def module_name(room: str, kind: str) -> str:
    """The test module of a kind.

    >>> module_name("models", "k-anonymity")
    'tests.models.test_k_anonymity'
    """
    return f"tests.{room}.test_{kind.replace('-', '_')}"


def declared(room: str, kind: str, name: str) -> Any:
    """What the test module of a kind declares under a name; the error says what to add where."""
    found = _names(room, kind)
    if name not in found:
        place = module_name(room, kind).replace(".", "/")
        raise Undeclared(f"'{kind}' has no {name}: add `{name} = …` to {place}.py, {MEANING[name]}.")
    return found[name]


def _names(room: str, kind: str) -> Mapping[str, Any]:
    """All names of a test module; none where there is no such module."""
    place = module_name(room, kind)
    try:
        return vars(import_module(place))
    except ModuleNotFoundError as error:
        if error.name != place:  # it is there, and what it imports is not
            raise
        return {}


def undeclared(room: str, wanted: Iterable[tuple[str, str]]) -> list[str]:
    """For every wanted kind and name that is not declared, what to add where."""
    said = []
    for kind, name in wanted:
        try:
            declared(room, kind, name)
        except Undeclared as error:
            said.append(str(error))
    return said


class Strategies(Mapping[str, SearchStrategy[T]]):
    """Kind → the STRATEGY of its test module, for those kinds that have one.

    They are looked up when asked for, never before: test modules import what stands beside this mapping. But the
    modules have to be loaded before a test runs, because tests cannot be defined inside of one: see `load`.
    """

    def __init__(self, room: str, kinds: Iterable[str]) -> None:
        self.room, self.kinds = room, tuple(kinds)

    def load(self) -> None:
        """Imports the test modules; to be called last where the mapping is defined, so that they can import it."""
        for kind in self.kinds:
            _names(self.room, kind)

    def __getitem__(self, kind: str) -> SearchStrategy[T]:
        if kind not in self.kinds:
            raise KeyError(kind)
        found: SearchStrategy[T] = declared(self.room, kind, "STRATEGY")
        return found

    def __iter__(self) -> Iterator[str]:
        return (kind for kind in self.kinds if kind in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, kind: object) -> bool:
        return kind in self.kinds and not undeclared(self.room, [(str(kind), "STRATEGY")])
