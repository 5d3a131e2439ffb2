"""A better plan on demand: what it is for, which risk is accepted, what was tried, and using the proposed plan."""

from __future__ import annotations

from typing import Any

from shoal.errors import ShoalError
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.states import State
from shoal.studio.workspace import Workspace

USES = {
    "general": "general use: the least information loss",
    "counts": "counts: the least error of counting queries",
    "classification": "classification: the best prediction of the target",
}
BUDGETS = {20: "20 plans", 50: "50 plans", 100: "100 plans"}
SHOWN = 30
"""Rows of the table of what was tried."""
_ABOUT = (
    "Shoal tries variants of the plan: other algorithms, levels, weights and larger classes. The models are never "
    "weakened, and nothing is released."
)


class Suggesting:
    """The panel; it follows the search, which goes on when the page is left."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._shown: object = None
        with parts.more("Suggest a better plan", is_open=workspace.job("suggest") is not None):
            text(_ABOUT, "soft")
            with box("line top"):
                self._use = ui.select(USES, value="general", label="What the release is used for")
                self._highest = _share("Highest risk, at most (%)")
                self._average = _share("Average risk, at most (%)")
                self._suppression = _share("Suppressed rows, at most (%)")
                self._budget = ui.select(BUDGETS, value=20, label="How many to try")
                for field in (self._use, self._budget):
                    field.props("outlined dense").style("min-width: 16rem")
            with box("line"):
                parts.second("Suggest a plan", self._start, "auto_fix_high")
            self._place = box("stack")
        self._draw()
        ui.timer(0.3, self._draw)

    def _start(self) -> None:
        thresholds = {"highest": _part(self._highest.value), "average": _part(self._average.value)}
        asked: dict[str, Any] = {
            "use": self._use.value,
            "risk": {name: value for name, value in thresholds.items() if value is not None},
            "suppression": _part(self._suppression.value),
            "budget": self._budget.value,
        }
        try:
            self._workspace.suggest(**asked)
        except ShoalError as error:
            self._place.clear()
            with self._place:
                parts.error_box(error)

    def _draw(self) -> None:
        job = self._workspace.job("suggest")
        now = None if job is None else (job.id, job.state, job.stage)
        if job is None or now == self._shown:
            return
        self._shown = now
        self._place.clear()
        with self._place:
            if not job.state.is_final:
                parts.note("sea", "Trying plans …", job.stage.words)
                with box("meter").props("role=progressbar aria-label=Progress"):
                    box("", "i").style(f"width: {max(round(100 * job.stage.share), 2)}%")
                with box("line"):
                    parts.danger("Cancel", lambda: self._workspace.studio.jobs.cancel(job.id), "stop")
            elif job.state is State.CANCELLED:
                parts.note("", "The search was cancelled")
            elif job.failure is not None:
                parts.error_box(job.failure, "No plan can be suggested")
            else:
                self._found(self._workspace.result("suggest") or {})

    def _found(self, found: dict[str, Any]) -> None:
        proposed = found.get("proposed")
        sentences = found.get("sentences", [])
        parts.note("good" if proposed else "care", proposed or "No plan meets the thresholds", *sentences)
        if proposed:
            with box("line"):
                parts.primary("Use this plan", self._use_it, "check")
        with box("titled"):
            text("What was tried", tag="h3")
            parts.private_mark()
        head, rows = found.get("head", []), found.get("table", [])
        parts.table(head, rows[:SHOWN], numbers=head[1:-1], label="Plans that were tried")
        if len(rows) > SHOWN:
            text(f"and {len(rows) - SHOWN} more", "soft small")

    def _use_it(self) -> None:
        self._workspace.use_suggested()
        ui.notify("The proposed plan is now the plan of the project.")
        parts.to_step("/models")


def _share(label: str) -> ui.number:
    field = ui.number(label, min=0, max=100, step=1)
    return field.props("outlined dense").style("min-width: 16rem")


def _part(percents: float | None) -> float | None:
    """A share from a number of percent; None if none was given.

    >>> _part(5), _part(None)
    (0.05, None)
    """
    return None if percents is None else percents / 100
