"""The step in which a release is looked at: columns before and after, class sizes, attacks, steps, lattice, rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from shoal.errors import ShoalError
from shoal.manifest import Manifest, read_manifest
from shoal.percent import percent
from shoal.studio.api import PREFIX
from shoal.studio.pages import inspecting_columns, parts, slider
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.rows import released_rows
from shoal.studio.pages.toolkit import ui
from shoal.studio.runs import Run
from shoal.studio.wording import achieved_in_words, parameters_in_words, titled
from shoal.studio.workspace import Workspace

_HELP = (
    "Look at what the release says about people before you hand it on. Left is your table, right is what recipients "
    "see.",
    "An attack plays an intruder who knows the quasi-identifiers of people. Its success is compared with guessing, and "
    "with what the models allow. An attack that succeeds far beyond guessing is a reason to choose a stronger model.",
)
_UNCHECKED = (
    "What is not checked here was checked when the release was made: it needs the input, which the published files do "
    "not contain."
)
_FULL_DOMAIN = ("optimal", "incognito", "samarati")


def show(workspace: Workspace) -> None:
    """The page."""
    parts.head(
        "Inspect the release", "What recipients see, what it cost, and what an intruder could find.", private=True
    )
    parts.help_panel(_HELP)
    run = workspace.chosen
    if run is None:
        with parts.empty("search", "No release yet", "Run the plan first; its release appears here."):
            parts.primary("Go to the run", lambda: parts.to_step("/run"))
        return
    try:
        manifest = read_manifest(run.release)
        workspace.look_into(run)
    except ShoalError as error:
        parts.error_box(error, "The release cannot be read")
        return
    chooser(workspace, run, "/inspect")
    _figures(manifest)
    _tabs(workspace, run, manifest)
    with box("line end"):
        parts.primary("Continue to the export", lambda: parts.to_step("/export"), "arrow_forward")


def chooser(workspace: Workspace, run: Run, path: str) -> None:
    """Chooses between the releases, if there are several."""
    runs = {each.id: named(each, workspace) for each in workspace.finished}
    if len(runs) < 2:
        return

    async def chosen(event: Any) -> None:
        workspace.choose(event.value)
        await ui.context.client.sub_pages_router.refresh()

    select = ui.select(runs, value=run.id, label="Release", on_change=chosen).props("outlined dense")
    select.style("max-width: 34rem")


def named(run: Run, workspace: Workspace) -> str:
    """A run with its table: releases of several tables are kept side by side."""
    table = workspace.origin(run).name
    return f"{run.name} · {table}" if table else run.name


def _figures(manifest: Manifest) -> None:
    ncp = manifest.measures.get("ncp")
    parts.figures(
        [
            ("Rows released", f"{manifest.rows_released:,}", f"of {manifest.rows_in:,}"),
            ("Classes", f"{manifest.classes:,}", "groups that cannot be told apart"),
            ("Information loss", "–" if ncp is None else percent(ncp), "NCP: 0 % is exact, 100 % says nothing"),
            ("Promises", "all hold" if manifest.holds else "broken", f"{len(manifest.models)} verified from the files"),
        ]
    )


def _tabs(workspace: Workspace, run: Run, manifest: Manifest) -> None:
    names: dict[str, tuple[str, Callable[[], None]]] = {
        "columns": ("Before and after", lambda: _waiting(workspace, f"contents {run.id}", inspecting_columns.columns)),
        "classes": ("Class sizes", lambda: _waiting(workspace, f"contents {run.id}", inspecting_columns.classes)),
        "attacks": ("Attacks and risk", lambda: _waiting(workspace, f"risk {run.id}", inspecting_columns.attacks)),
        "rows": ("Rows", lambda: released_rows(run.release)),
    }
    if manifest.steps:
        names["steps"] = ("Steps", lambda: slider.show(manifest))
    if manifest.algorithm in _FULL_DOMAIN:
        names["lattice"] = ("Lattice", lambda: _lattice(workspace, run))
    names["promises"] = ("Promises", lambda: _promises(manifest))
    names["report"] = ("Public report", lambda: _report(run, "release", public=True))
    names["steward"] = ("Steward's report", lambda: _report(run, "release.private", public=False))
    wanted = workspace.project.settings.get("tab")
    first = wanted if wanted in names else "steps" if "steps" in names else "columns"
    with ui.tabs().props("no-caps align=left inline-label outside-arrows mobile-arrows") as tabs:
        for name, (title, _) in names.items():
            ui.tab(name, title)
    place = box("flow")

    def draw(name: str) -> None:
        workspace.project.change(tab=name)
        place.clear()
        with place:
            names[name][1]()

    tabs.set_value(first)
    tabs.on_value_change(lambda event: draw(event.value))
    draw(first)


def _waiting(workspace: Workspace, name: str, draw: Callable[[dict[str, Any]], None]) -> None:
    """Shows the result of a job as soon as it is there."""
    place = box("flow")
    shown: list[object] = []

    def look() -> None:
        job = workspace.job(name)
        now = None if job is None else (job.id, job.state, job.stage)
        if shown == [now] or job is None:
            return
        shown[:] = [now]
        place.clear()
        with place:
            if not job.state.is_final:
                parts.note("sea", "Looking at the release …", job.stage.words)
            elif job.failure is not None:
                parts.error_box(job.failure)
            else:
                draw(workspace.result(name) or {})

    look()
    if not shown or workspace.is_busy(name):
        ui.timer(0.3, look)


def _report(run: Run, folder: str, *, public: bool) -> None:
    """A report as it is, in a frame of its own: nothing in it can reach the studio."""
    title = "What recipients read" if public else "What only you may know"
    with parts.card(title, public=public, private=not public), box("report", "iframe") as frame:
        frame.props["src"] = f"{PREFIX}/runs/{quote(run.id)}/files/{folder}/report.html"
        frame.props["title"] = title
        frame.props["sandbox"] = ""


def _promises(manifest: Manifest) -> None:
    with parts.card("What was promised, and what was achieved", public=True):
        heads = ("model", "required", "achieved", "")
        rows = [
            (
                titled({"kind": verdict.kind, **verdict.parameters}),
                parameters_in_words(verdict.parameters),
                achieved_in_words(verdict.achieved),
                "holds" if verdict.holds else "broken",
            )
            for verdict in manifest.models
        ]
        parts.table(heads, rows, label="Promises")
        if any("not checked" in verdict.achieved.values() for verdict in manifest.models):
            text(_UNCHECKED, "soft small")
    for warning in manifest.warnings:
        parts.note("care", "No model covers this", warning)


def _lattice(workspace: Workspace, run: Run) -> None:
    try:
        workspace.explore(run)
    except ShoalError as error:
        parts.error_box(error)
        return
    _waiting(workspace, f"lattice {run.id}", _explored)


def _explored(found: dict[str, Any]) -> None:
    with parts.card("The recodings that the search looked at", private=True):
        for line in found.get("headline", ()):
            text(line)
        if found.get("svg"):
            parts.drawing(found["svg"])
        for name in ("best", "heights"):
            part = found.get(name) or {"head": [], "rows": []}
            parts.table(part["head"], part["rows"], numbers=part["head"][1:], label=name)
        for line in found.get("notes", ()):
            text(line, "soft small")
