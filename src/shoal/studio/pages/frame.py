"""The frame of all pages: the bar with the project, the rail of steps, and the place for the step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.failures import as_shoal_error
from shoal.studio.pages import (
    comparing,
    damaged,
    exporting,
    hierarchies,
    inspecting,
    models,
    opening,
    parts,
    roles,
    running,
)
from shoal.studio.pages.parts import box, mark, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.steps import STEPS, Step
from shoal.studio.workspace import Workspace

STATIC = Path(__file__).resolve().parents[1] / "static"
POLLED = 0.4
"""Seconds between two looks at the jobs."""

_FISH = (
    '<svg viewBox="0 0 64 40" aria-hidden="true"><path d="M4 12q10-9 20 0l7-6v12l-7-6q-10 9-20 0z"/>'
    '<path d="M30 28q10-9 20 0l7-6v12l-7-6q-10 9-20 0z" opacity=".6"/></svg>'
)
_STYLE = '<link rel="stylesheet" href="/studio/studio.css">'
_ICONS = {"done": "check", "attention": "priority_high", "blocked": "lock", "busy": "hourglass_top"}
_PAGES = {
    "/": opening.show,
    "/roles": roles.show,
    "/hierarchies": hierarchies.show,
    "/models": models.show,
    "/run": running.show,
    "/compare": comparing.show,
    "/inspect": inspecting.show,
    "/export": exporting.show,
}
_EDITING = ("/roles", "/hierarchies", "/models")
"""The steps that change the plan."""


def frame(workspace: Workspace) -> None:
    """Builds the page: the frame, and the step that its address names."""
    ui.add_head_html(_STYLE)
    dark = ui.dark_mode(workspace.project.settings.get("dark"))
    text("Skip to the step", "skip", "a").props("href=#step")
    _bar(workspace, dark)
    with box("frame"):
        rail = Rail(workspace)
        with box("stage", "main").props("id=step tabindex=-1"):
            ui.sub_pages({path: _built(workspace, path) for path in _PAGES})
    rail.watch()


def unshown(error: Exception) -> None:
    """Says on a page of its own that a page cannot be shown; the message of the error may quote the data."""
    ui.add_head_html(_STYLE)
    with box("stage", "main"), box("flow"):
        _failed(error)
        text("Back to the first step", tag="a").props("href=/")


def _failed(error: Exception) -> None:
    parts.head("This page cannot be shown", "The other steps can still be used.")
    parts.error_box(as_shoal_error(error))


def _built(workspace: Workspace, path: str) -> Any:
    def build() -> None:
        with box("flow") as content:
            try:
                _show(workspace, path)
            except Exception as error:  # NiceGUI would show it without a heading
                content.clear()
                with content:
                    _failed(error)

    return build


def _show(workspace: Workspace, path: str) -> None:
    workspace.collect()
    show = damaged.show if path in _EDITING and workspace.plan.damage is not None else _PAGES[path]
    show(workspace)


def _bar(workspace: Workspace, dark: ui.dark_mode) -> None:
    with box("topbar", "header"):
        with box("brand", "a").props("href=/"):
            ui.html(_FISH)
            text("Shoal", tag="span")
            text("studio", "of", "span")
        text(workspace.project.name, "project").tooltip(str(workspace.project.folder))
        box("spring")
        mark(workspace.studio.limits.reach, "private", "lock")

        def toggle() -> None:
            dark.set_value(not dark.value)
            workspace.project.change(dark=bool(dark.value))

        button = ui.button(icon="dark_mode", on_click=toggle, color=None).props("flat round dense")
        button.props["aria-label"] = "Switch between light and dark"
        button.tooltip("Light or dark")
        leave = "fetch('/logout', {method: 'POST'}).finally(() => location.assign('/'))"
        button = ui.button(icon="logout", on_click=lambda: ui.run_javascript(leave), color=None)
        button.props("flat round dense").props["aria-label"] = "Sign out"
        button.tooltip("Sign out: the token opens the studio again")


class Rail:
    """The steps with their states, each a link; it follows the jobs and the address."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._here = ui.context.client.sub_pages_router.current_path.split("?")[0]
        self._shown: object = None
        with box("rail", "nav").props('aria-label="Steps"') as self._place:
            pass
        self._draw()

    def watch(self) -> None:
        """Keeps the rail up to date."""
        ui.context.client.sub_pages_router.on_path_changed(self._moved)
        ui.timer(POLLED, self._refresh)

    def _moved(self, path: str) -> None:
        self._here = path.split("?")[0]
        self._draw()

    def _refresh(self) -> None:
        self._workspace.collect()
        self._draw()

    def _draw(self) -> None:
        states = [step.of(self._workspace) for step in STEPS]
        if (self._here, states) == self._shown:
            return
        self._shown = (self._here, states)
        self._place.clear()
        with self._place:
            for number, (step, progress) in enumerate(zip(STEPS, states, strict=True), 1):
                self._entry(number, step, progress.standing, progress.why)
            text("Everything stays in the folder of this project. Nothing is sent anywhere.", "foot")

    def _entry(self, number: int, step: Step, standing: str, why: str) -> None:
        here = step.path == self._here
        with box(f"{standing} {'here' if here else ''}", "a") as link:
            link.props["href"] = step.path
            if here:
                link.props["aria-current"] = "step"
            with box("dot"):
                if standing in _ICONS and not (here and standing == "blocked"):
                    ui.icon(_ICONS[standing]).props("aria-hidden=true")
                else:
                    text(str(number))
            text(step.name, "name")
            if why:
                text(why, "why")
