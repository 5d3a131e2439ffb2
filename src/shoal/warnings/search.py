"""Goals of a search that could not be reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.warnings.base import Case


def pointless_target(case: Case) -> Iterator[str]:
    """A target that is the same in every row guides nothing."""
    target = case.coded.counted.target
    if target is not None and len(target) and not target.any():
        yield f"Target '{case.plan.guide}' has a single value: nothing in the table can help to predict it."


def missed_target(case: Case) -> Iterator[str]:
    """A search that was to end at a measure and did not get there."""
    wanted = getattr(case.plan.algorithm, "stop_at", None)
    steps = None if case.partition is None else case.partition.record.steps
    if not isinstance(wanted, Mapping) or steps is None:
        return
    name, value = next(iter(wanted.items()))
    reached = float(getattr(steps[-1], name)) if steps else 1.0
    if reached > value:
        yield f"The search should stop at {name} = {value:g} and ended before, at {reached:.3g}: no step was left."
