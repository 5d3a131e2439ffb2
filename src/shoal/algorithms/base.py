"""What an algorithm is: a coded table and models in, a partition whose every class passes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Recoding
from shoal.models.base import ClassModel, Monotone
from shoal.progress import Progress


class Algorithm(Protocol):
    """Finds a partition. Implementations are frozen dataclasses whose fields are the plan's parameters."""

    kind: ClassVar[str]
    forms: ClassVar[tuple[str, ...]]
    """The release forms its partitions can be published in."""
    recoding: ClassVar[type[Recoding]]
    """How its classes become published values."""
    recodes_by_level: ClassVar[bool] = False
    """Whether it works on hierarchy levels, so that every quasi-identifier needs a hierarchy."""
    lists_recodings: ClassVar[bool] = False
    """Whether it goes through recodings one by one and infers what holds higher up: not every lattice will do."""
    suppresses: ClassVar[bool] = False
    """Whether it may suppress rows, up to the plan's limit."""
    judges_tables: ClassVar[bool] = False
    """Whether it asks models about whole tables, not only about one class at a time."""

    @property
    def wants_target(self) -> bool:
        """Whether the search looks at the target column."""
        return False

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        """Why this algorithm cannot work with these models, with what would work; empty when it can.

        `persons`: whether persons are counted, who may have several rows.
        """
        return ""

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """Every class of the result passes every model, or CannotBeMet is raised with the reason.

        Whatever an algorithm draws at random it draws from `seed`.
        """
        ...


def needs_pruning(kind: str, models: Sequence[ClassModel], suppression: float, persons: bool) -> str:
    """Why an algorithm that infers feasibility upwards cannot take these models; empty when it can.

    Without suppression classes only merge on the way up, so merged passing classes must pass (UNION). With suppression
    a passing class may also merge with one that failed, so it must pass with anything (UPWARD); and so it must where
    one person may have rows in both.
    """
    for model in models:
        if model.monotone is Monotone.UPWARD or (suppression == 0 and model.monotone.merges(persons)):
            continue
        suppressing = model.monotone.merges(persons)
        counting = persons and model.monotone is Monotone.UNION
        why = "with suppression " if suppressing else "with a person column " if counting else ""
        return (
            f"Algorithm '{kind}' {why}needs models that stay true when classes are merged, and '{model.kind}' need "
            "not. Hint: use 'optimal', which then searches without that shortcut"
            f"{', or set suppression = 0' if suppressing else ''}."
        )
    return ""
