"""Goals of a search that were not reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.warnings.base import Case, Warning


def pointless_target(case: Case) -> Iterator[Warning]:
    """Warns of a target with a single value, which cannot guide the search."""
    target = case.coded.counted.target
    if target is not None and len(target) and not target.any():
        yield Warning(
            f"Target '{case.plan.guide}' has a single value, so there is nothing to predict.",
            remedy="Name another target, or use an algorithm that needs none.",
        )


def missed_target(case: Case) -> Iterator[Warning]:
    """Warns of a search that ended before it reached the value of its `stop_at`."""
    stop_at = getattr(case.plan.algorithm, "stop_at", None)
    steps = None if case.partition is None else case.partition.record.steps
    if not isinstance(stop_at, Mapping) or steps is None:
        return
    name, value = next(iter(stop_at.items()))
    reached = float(getattr(steps[-1], name)) if steps else 1.0
    if reached > value:
        yield Warning(
            f"The search should stop at {name} = {value:g} but ended at {reached:.3g}: no further step was possible.",
            remedy="Weaken a model, allow suppression, or accept the loss that was reached.",
        )
