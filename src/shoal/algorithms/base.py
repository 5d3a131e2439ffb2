"""What an algorithm is: encoded rows and models in, a partition whose every class passes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from shoal.encode import Encoded
from shoal.models.base import ClassModel
from shoal.partition import Partition

Progress = Callable[[str, float], None]
"""Called with what is being done and the share done, 0 to 1; raising from it cancels the work."""


def silent(_step: str, _share: float) -> None:
    """The progress of someone who does not look."""


class Algorithm(Protocol):
    """Finds a partition. Implementations are frozen dataclasses whose fields are the plan's parameters."""

    kind: ClassVar[str]
    forms: ClassVar[tuple[str, ...]]
    """The release forms its partitions can be published in."""

    def refuses(self, models: Sequence[ClassModel], suppression: float) -> str:
        """Why this algorithm cannot work with these models, with what would work; empty when it can."""
        ...

    def partition(
        self, encoded: Encoded, models: Sequence[ClassModel], suppression: float, progress: Progress
    ) -> Partition:
        """Every class of the result passes every model, or CannotBeMet is raised with the reason."""
        ...
