"""The specialization of a release, step by step: what every column shows after each step, from the manifest alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.manifest import Manifest

if TYPE_CHECKING:
    from shoal.report.steps import Step


@dataclass(frozen=True)
class Shown:
    """A part of a column's values at a step: its label, its share of the values, and whether the step made it."""

    label: str
    share: float
    is_new: bool = False


class Replay:
    """The steps of a manifest; `at` says what the columns show after some of them.

    >>> from shoal.coded.record import Specialized
    >>> step = Specialized("age", (0, 1, 3), 2.0, classes=2, smallest_class=3, discernibility_ratio=0.5, ncp=0.5)
    >>> replay = Replay(Manifest(steps=(step,), step_values={"age": ("[1, 2]", "[3, 5]", "9")}))
    >>> [part.label for part in replay.at(0)["age"]], [part.label for part in replay.at(1)["age"]]
    (['*'], ['[1, 2]', '[3, 9]'])
    """

    def __init__(self, manifest: Manifest) -> None:
        from shoal.report.steps import steps_of

        self._manifest = manifest
        self.steps: tuple[Step, ...] = tuple(steps_of(manifest))

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def values(self) -> Mapping[str, tuple[str, ...]]:
        """Column → its released values, in order."""
        return self._manifest.step_values

    def at(self, number: int) -> dict[str, list[Shown]]:
        """Column → its parts after so many steps; the parts of the last step are new."""
        from shoal.report.steps import part_label

        edges = {column: {0, len(values)} for column, values in self.values.items()}
        for step in (self._manifest.steps or ())[:number]:
            edges[step.column] |= set(step.parts)
        last = self._manifest.steps[number - 1] if self._manifest.steps and number else None
        return {
            column: [
                Shown(
                    part_label(values[begin:end], values),
                    (end - begin) / max(len(values), 1),
                    last is not None and last.column == column and last.parts[0] <= begin < last.parts[-1],
                )
                for begin, end in _pairs(sorted(edges[column]))
            ]
            for column, values in self.values.items()
        }


def _pairs(edges: list[int]) -> list[tuple[int, int]]:
    return [(begin, end) for begin, end in pairwise(edges) if end > begin]
