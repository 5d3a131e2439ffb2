"""Algorithms: each turns a coded table and models into a partition in which every class passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Recoding
from shoal.coded.record import Specialized
from shoal.models.base import ClassModel, Monotone
from shoal.progress import Progress
from shoal.roles.scope import Scope


class Algorithm(Protocol):
    """Finds a partition.

    Implementations are frozen dataclasses whose fields are the parameters in the plan.
    """

    kind: ClassVar[str]
    forms: ClassVar[tuple[str, ...]]
    """The release forms in which its partitions can be published."""
    recoding: ClassVar[type[Recoding]]
    """How its classes become published values."""
    recodes_by_level: ClassVar[bool] = False
    """Whether it works on hierarchy levels, so that every quasi-identifier needs a hierarchy."""
    lists_recodings: ClassVar[bool] = False
    """Whether it lists recodings and infers which ones above them pass. Not every lattice allows this."""
    suppresses: ClassVar[bool] = False
    """Whether it may suppress rows, up to the limit of the plan."""
    judges_tables: ClassVar[bool] = False
    """Whether it asks models about whole tables, not only about one class at a time."""

    specializes: ClassVar[bool] = False
    """Whether it proceeds in steps from the top downwards, which can be replayed on a released table."""

    works_in_blocks: ClassVar[bool] = False
    """Whether it can search the parts of a table one after the other, and knows how to divide the table."""

    @property
    def row_bytes(self) -> int:
        """About how many bytes of memory a search in blocks takes for a distinct row, besides its codes; measured."""
        return 60

    @property
    def scope(self) -> Scope | None:
        """The rows to which the promises of its releases are limited; None for all rows."""
        return None

    @property
    def recodes_globally(self) -> bool:
        """Whether a value gets the same label in every row, so that the recoding can be applied to other rows."""
        return False

    @property
    def weighs(self) -> bool:
        """Whether the weights of the columns guide the search."""
        return True

    @property
    def wants_target(self) -> bool:
        """Whether the search uses the target column."""
        return False

    def refuses_ranges(self, ranges: str) -> str:
        """Why its classes cannot be published with these ranges, `tight` or `cut`; empty if they can."""
        return self.recoding.refuses(ranges)

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        """Why this algorithm cannot work with these models, and what would work; empty if it can.

        `persons`: whether persons are counted, who may have several rows.
        """
        return ""

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """A partition in which every class passes every model.

        Raises CannotBeMet with the reason if there is none. All random choices are drawn from `seed`.
        """
        ...

    def divided(self, coded: Coded, models: Sequence[ClassModel], size: Int64, most: int) -> Partition:
        """Parts that pass every model, cut until each has at most `most` of the `size` int64 [d] of its rows, or as far
        as possible. Only algorithms that work in blocks have this."""
        raise AssertionError(f"{self.kind} does not work in blocks")

    def replayed(self, coded: Coded, models: Sequence[ClassModel]) -> tuple[Specialized, ...] | None:
        """The steps from the top to all values of a released table; None if the algorithm does not specialize."""
        return None


def needs_pruning(kind: str, models: Sequence[ClassModel], suppression: float, persons: bool) -> str:
    """Why an algorithm that infers feasibility upwards cannot take these models; empty if it can.

    Without suppression, classes only merge on the way up, so merged passing classes must pass (UNION). With
    suppression, a passing class may also merge with a failing one, so it must pass whatever rows are added (UPWARD).
    The same is required if one person may have rows in both classes.
    """
    for model in models:
        if model.monotone is Monotone.UPWARD or (suppression == 0 and model.monotone.merges(persons)):
            continue
        suppressing = model.monotone.merges(persons)
        counting = persons and model.monotone is Monotone.UNION
        why = "with suppression " if suppressing else "with a person column " if counting else ""
        return (
            f"Algorithm '{kind}' {why}needs models that still hold when classes are merged, but '{model.kind}' may "
            "not. Hint: use 'optimal', which does not need this"
            f"{', or set suppression = 0' if suppressing else ''}."
        )
    return ""
