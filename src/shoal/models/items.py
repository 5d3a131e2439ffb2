"""Models of items: what the items of a set-valued column reveal about labels that anyone can look up, or about rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np

from shoal.arrays import Flags, Float64, Int64
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Rewritten
from shoal.coded.stats import ClassStats
from shoal.items.beliefs import Belief
from shoal.items.linking import Links, linked
from shoal.items.rules import Rule, passing
from shoal.models.base import ClassModel, Setting
from shoal.roles.knowledge import Knowledge
from shoal.roles.parameters import column_name, number


class ItemModel(ClassModel, Protocol):
    """A model of the items of one set-valued column, named by its field `column`.

    The search need not know it: items are removed or generalized afterwards.
    """

    removes_items: ClassVar[bool] = True
    looks_up: ClassVar[bool] = False
    """Whether the model looks items up in a knowledge table."""

    removal_suffices: ClassVar[bool] = False
    """Whether every class passes once enough items are removed, unless the model is `impossible`."""

    column: str

    @property
    def reads(self) -> tuple[str, ...]:
        return ()

    @property
    def reads_items(self) -> tuple[str, ...]:
        return (self.column,)

    def refuses(self, setting: Setting) -> str:
        if setting.persons:
            return (
                f"Model '{self.kind}' judges the items of one row per person, but the plan counts persons, who may "
                "have several. Hint: join the items of a person into one row, and omit person under [data]."
            )
        return ""

    def rewritten(self, domain: ItemDomain, rows: Int64) -> Rewritten | None:
        """The sets to publish in place of those of a column, whatever their classes; None if it depends on the class.

        rows int64 [sets]: the released rows that have each set.
        """
        return None


class LinkingModel(ItemModel, Protocol):
    """A model of the labels that the items of a row link to. Items are removed from the classes that fail."""

    looks_up: ClassVar[bool] = True

    budget: int | float

    def needs(self, columns: Mapping[str, Any]) -> str:
        column = columns[self.column]
        if column.hierarchy is not None:
            return (
                f"Model '{self.kind}' looks the items of column '{self.column}' up as they are, and cannot use its "
                "hierarchy: omit it."
            )
        if column.knowledge is None and column.knowledge_sha256 is None:
            return (
                f"Model '{self.kind}' needs a knowledge table for column '{self.column}': "
                'name its file with knowledge = "diseases.csv".'
            )
        return ""

    @abstractmethod
    def rule(self, reference: Callable[[], Belief], slack: Fraction = Fraction(0)) -> Rule:
        """What a class may reveal, given the reference distribution, which is computed only if it is needed.

        With `slack`, a class must be nearer to the reference by so much than the model requires.
        """
        ...

    @property
    def radius(self) -> Fraction:
        """The distance to the reference distribution that the model allows; 0 if it measures none."""
        return Fraction(0)

    def excess(self, stats: ClassStats) -> Float64:
        """float64 [classes]: how much farther each class is from the reference distribution than the model allows."""
        return np.zeros(len(stats))

    def largest_belief(self, labels: int, prior: float) -> float:
        """The largest belief in a label about a class under the promise; 1 if it is unbounded.

        `labels`: the number of labels of the knowledge table. `prior`: the largest belief about all released rows.
        Attacks compare this with what they achieve. The search and verification do not use it.
        """
        return 1.0

    def impossible(self, labels: int) -> str:
        """Why no class that links to a label can pass, whichever items are removed; empty if some may.

        `labels`: the number of labels of the knowledge table.
        """
        return ""

    def passes(self, stats: ClassStats) -> Flags:
        rule = self.rule(lambda: reference_of(stats, self.column))
        return passing(rule, links_of(stats.item_domain(self.column)), stats.items(self.column))

    def _check_linking_model(self) -> None:
        """Raises PlanError unless the column is a name and the budget a number of seconds."""
        column_name(self, self.column)
        number(self, "budget", self.budget, least=0)


def links_of(domain: ItemDomain) -> Links:
    """The labels that each set of a column links to."""
    return linked(domain, known(domain))


def known(domain: ItemDomain) -> Knowledge:
    """The knowledge table of a column, which the plan requires."""
    if domain.knowledge is None:
        raise AssertionError(f"column {domain.name} was coded without its knowledge table")
    return domain.knowledge


def reference_of(stats: ClassStats, column: str) -> Belief:
    """What an intruder believes who does not know the class: the mean over the rows of the reference."""
    domain, rows = stats.item_reference(column)
    return Belief(links_of(domain), rows)
