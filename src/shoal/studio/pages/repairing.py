"""A problem of the plan, on a page where it cannot be repaired."""

from __future__ import annotations

from shoal.errors import ShoalError
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box
from shoal.studio.steps import STEPS, Step, repaired_at
from shoal.studio.workspace import Workspace


def lead_to_repair(workspace: Workspace, problem: ShoalError) -> None:
    """Says that the plan has a problem, and leads to the step where it is repaired."""
    step = step_of_repair(workspace)
    with parts.error_box(problem, "The plan is not complete yet"), box("line"):
        parts.second(f"Repair it at {step.name}", lambda: parts.to_step(step.path), "arrow_back")


def step_of_repair(workspace: Workspace) -> Step:
    """The step at which the first problem of the plan is repaired."""
    return next(step for step in STEPS if step.path == repaired_at(workspace))
