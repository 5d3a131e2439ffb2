"""The steps from a file to a release: in which order they are, and how far each of them is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from shoal.counts import counted
from shoal.studio.states import State
from shoal.studio.workspace import Workspace

Standing = Literal["done", "attention", "blocked", "busy", "open"]


@dataclass(frozen=True)
class Progress:
    """How far a step is, and why, in a few words."""

    standing: Standing
    why: str = ""


@dataclass(frozen=True)
class Step:
    """A step: its path, its name, and how far it is in a project."""

    path: str
    name: str
    of: Callable[[Workspace], Progress]


_DAMAGED = Progress("attention", "The plan cannot be read")


def _opened(workspace: Workspace) -> Progress:
    job = workspace.job("sample")
    if job is not None and job.state is State.FAILED:
        return Progress("attention", "Choose a sheet" if workspace.needs_sheet else "The file cannot be read")
    if workspace.is_busy("sample", "profile"):
        return Progress("busy", "Reading the table")
    if workspace.profile is not None:
        rows = counted(workspace.profile["rows"], "row", "rows")
        return Progress("done", f"{rows}, {counted(len(workspace.column_names), 'column', 'columns')}")
    job = workspace.job("profile")
    if job is not None and job.state is State.FAILED:
        return Progress("attention", "The table cannot be profiled")
    return Progress("open", "Choose a table")


def _roles(workspace: Workspace) -> Progress:
    if workspace.profile is None:
        return Progress("blocked", "Open a table first")
    if workspace.plan.damage is not None:
        return _DAMAGED
    undecided = workspace.undecided()
    if undecided:
        return Progress("attention", f"{counted(len(undecided), 'column', 'columns')} without a role")
    if workspace.plan.person_problem is not None:
        return Progress("attention", "Who is an individual?")
    identifying = len(workspace.plan.having("quasi-identifier"))
    return Progress("done", counted(identifying, "quasi-identifier", "quasi-identifiers"))


def _hierarchies(workspace: Workspace) -> Progress:
    if workspace.profile is None:
        return Progress("blocked", "Open a table first")
    if workspace.plan.damage is not None:
        return _DAMAGED
    columns = workspace.plan.having("quasi-identifier")
    if not columns:
        return Progress("attention", "No quasi-identifier")
    unfit = workspace.unfit_hierarchies()
    if unfit:
        return Progress("attention", f"{counted(len(unfit), 'hierarchy does', 'hierarchies do')} not fit")
    with_one = [name for name in columns if "hierarchy" in workspace.plan.columns[name]]
    return Progress("done", f"{len(with_one)} of {counted(len(columns), 'column', 'columns')} with a hierarchy")


ROLES, HIERARCHIES, MODELS = "/roles", "/hierarchies", "/models"
"""The steps in which a plan is edited."""


def repaired_at(workspace: Workspace) -> str:
    """The path of the step at which the first problem of the plan is repaired."""
    if workspace.undecided() or workspace.plan.person_problem is not None:
        return ROLES
    return HIERARCHIES if workspace.unfit_hierarchies() else MODELS


def _models(workspace: Workspace) -> Progress:
    if workspace.profile is None:
        return Progress("blocked", "Open a table first")
    if workspace.plan.damage is not None:
        return _DAMAGED
    models = len(workspace.plan.models)
    if not models:
        return Progress("attention", "No model yet")
    if workspace.plan.problem is not None and repaired_at(workspace) == MODELS:
        return Progress("attention", "The plan is not complete")
    return Progress("done", counted(models, "model", "models"))


def _run(workspace: Workspace) -> Progress:
    if workspace.running:
        return Progress("busy", workspace.running[0].stage.words.capitalize())
    finished = _finished(workspace)
    if workspace.profile is None or workspace.problem() is not None:
        words = "The plan is not complete" if workspace.plan.damage is None else _DAMAGED.why
        return Progress("blocked", " · ".join(filter(None, (words, finished))))
    if workspace.unfit_hierarchies():
        return Progress("attention", "A hierarchy does not fit")
    return Progress("done" if workspace.finished_here else "open", finished or "Ready to run")


def _finished(workspace: Workspace) -> str:
    """How many releases there are of the table that is open; empty if there are none of any table."""
    here, all_ = len(workspace.finished_here), len(workspace.finished)
    return _releases(here) if here else f"{_releases(all_)} of another table" if all_ else ""


def _releases(number: int) -> str:
    return counted(number, "release", "releases")


def _compare(workspace: Workspace) -> Progress:
    comparable = workspace.comparable
    if len(comparable) < 2:
        return Progress("blocked", "Needs two releases of a table")
    return Progress("open", _releases(len(comparable)) + _of_another(workspace))


def _after_a_run(workspace: Workspace) -> Progress:
    chosen = workspace.chosen
    return (
        Progress("blocked", "Needs a release")
        if chosen is None
        else Progress("open", chosen.name + _of_another(workspace))
    )


def _of_another(workspace: Workspace) -> str:
    """Says that the chosen release is not of the table that is open."""
    chosen = workspace.chosen
    return "" if chosen is None or workspace.is_of_open_table(chosen) else ", of another table"


STEPS = (
    Step("/", "Open", _opened),
    Step(ROLES, "Roles", _roles),
    Step(HIERARCHIES, "Hierarchies", _hierarchies),
    Step(MODELS, "Models", _models),
    Step("/run", "Run", _run),
    Step("/compare", "Compare", _compare),
    Step("/inspect", "Inspect", _after_a_run),
    Step("/export", "Export", _after_a_run),
)
