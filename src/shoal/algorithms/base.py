"""What an algorithm is: encoded rows and models in, a partition whose every class passes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from shoal.coded.encode import Encoded
from shoal.coded.partition import Partition
from shoal.models.base import ClassModel, Monotone
from shoal.progress import Progress


class Algorithm(Protocol):
    """Finds a partition. Implementations are frozen dataclasses whose fields are the plan's parameters."""

    kind: ClassVar[str]
    forms: ClassVar[tuple[str, ...]]
    """The release forms its partitions can be published in."""
    recodes_by_level: ClassVar[bool]
    """Whether it works on hierarchy levels, so that every quasi-identifier needs a hierarchy."""
    lists_recodings: ClassVar[bool]
    """Whether it goes through recodings one by one and infers what holds higher up: not every lattice will do."""
    suppresses: ClassVar[bool]
    """Whether it may leave rows out, up to the plan's limit."""
    takes: ClassVar[tuple[str, ...]]
    """What the models it enforces may be about: "classes", "knowledge" (see `judges` of a model)."""

    @property
    def wants_target(self) -> bool:
        """Whether the search looks at the target column."""
        ...

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        """Why this algorithm cannot work with these models, with what would work; empty when it can.

        `persons`: whether persons are counted, who may have several rows.
        """
        ...

    def partition(
        self, encoded: Encoded, models: Sequence[ClassModel], suppression: float, progress: Progress
    ) -> Partition:
        """Every class of the result passes every model, or CannotBeMet is raised with the reason."""
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
