"""What a search was asked for in vain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.warnings.base import Case


def pointless_target(case: Case) -> Iterator[str]:
    """A target that is the same in every row guides nothing."""
    if case.encoded.target is not None and len(case.encoded.target) and not case.encoded.target.any():
        yield f"Target '{case.plan.guide}' has a single value: nothing in the table can help to predict it."


def missed_target(case: Case) -> Iterator[str]:
    """A search that was to end at a measure and did not get there."""
    wanted, steps = getattr(case.plan.algorithm, "stop_at", None), case.partition.facts.get("steps")
    if not isinstance(wanted, Mapping) or steps is None:
        return
    name, value = next(iter(wanted.items()))
    reached = steps[-1][name] if steps else 1.0
    if reached > value:
        yield f"The search was to stop at {name} = {value:g} and ended before, at {reached:.3g}: no step was left."
