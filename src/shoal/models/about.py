"""What a model says of itself, in plain sentences and on a small table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Weak:
    """A small released table that satisfies a model, and the attack that shows what the model does not protect.

    `parameters` are those of the model on this table. `rows` are released cells, in the order of `columns`; those that
    are not `sensitive` are quasi-identifiers. `hierarchies` and `protected`: column → hierarchy, and protected nodes of
    it. `knowledge`: quasi-sensitive column → the items of each label. `attack`: its kind. `shows`: what it shows, in
    one sentence. The attack itself is run, so that the sentence need not be believed.
    """

    attack: str
    parameters: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    shows: str
    sensitive: tuple[str, ...] = ("diagnosis",)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    protected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    knowledge: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


@dataclass(frozen=True)
class About:
    """The description of a model that `shoal explain` prints, in plain sentences.

    `example` shows a class that fails, and why. `sample` holds example parameters, for a sensitive column called
    "diagnosis". `weak`: what the model does not protect, on a small table.
    """

    promise: str
    not_protected: str
    example: str
    paper: str
    sample: Mapping[str, Any]
    weak: Weak | None = None

    def to_json(self) -> dict[str, Any]:
        """The sentences and the example parameters. The small table is shown together with its attack."""
        return {name: value for name, value in vars(self).items() if name != "weak"}
