"""The step in which the plan is checked and run: progress by phase, cancelling, and all runs that were kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shoal.counts import counted
from shoal.errors import ShoalError
from shoal.percent import percent
from shoal.studio.pages import damaged, parts, suggesting
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.repairing import lead_to_repair
from shoal.studio.pages.toolkit import ui
from shoal.studio.runs import Run
from shoal.studio.states import State
from shoal.studio.wording import summarized
from shoal.studio.workspace import Workspace

PHASES = {"read": "read", "encode": "encode", "search": "search", "form": "generalize", "write": "write and verify"}
_HELP = (
    "A run makes a release from the plan as it is now: it reads the table, searches for the version with the least "
    "information loss that keeps all promises, writes it, and verifies the written files with separate code. A release "
    "that fails verification is never left behind.",
    "Runs work in the background: you can go to other steps, reload the page or close it. Change the plan and run "
    "again to see what another choice costs; all runs are kept until you delete them.",
)
_MARKS = {
    State.QUEUED: ("waiting", "sea"),
    State.RUNNING: ("running", "sea"),
    State.DONE: ("verified", "good"),
    State.FAILED: ("failed", "bad"),
    State.CANCELLED: ("cancelled", ""),
    State.INTERRUPTED: ("interrupted", "care"),
    State.DAMAGED: ("damaged", "bad"),
}


_FATES = (
    ("removed", ("identifier", "drop")),
    ("generalized", ("quasi-identifier",)),
    ("sensitive: released as they are, within what the models promise", ("sensitive",)),
    ("sets of items, of which some are removed or generalized", ("quasi-sensitive",)),
    ("released unchanged and not protected", ("insensitive", "target")),
)
"""What becomes of columns, with the roles of which it does."""
_NAMELESS = ("removed", "generalized")


def show(workspace: Workspace) -> None:
    """The page; it follows the runs."""
    parts.head("Run the plan", "Make a release, verify it, and keep it next to earlier ones.")
    parts.help_panel(_HELP)
    _start(workspace)
    if workspace.profile is not None and workspace.problem() is None:
        suggesting.Suggesting(workspace)
    runs = box("flow")
    shown: list[object] = []

    def refresh() -> None:
        now = [(run.id, run.state, run.stage) for run in workspace.project.runs()]
        if shown != [now]:
            shown[:] = [now]
            runs.clear()
            with runs:
                _runs(workspace, refresh)

    refresh()
    ui.timer(0.3, refresh)


def _start(workspace: Workspace) -> None:
    if workspace.plan.damage is not None:
        with parts.card("The plan cannot be read"):
            damaged.Damaged(workspace)
        return
    problem = workspace.problem()
    if workspace.profile is None:
        with parts.empty("play_circle", "Nothing to run yet", "Open a table and check its roles and models first."):
            parts.primary("Open a table", lambda: parts.to_step("/"))
        return
    with parts.card("The plan as it is now"):
        _plan_in_words(workspace)
        if problem is not None:
            lead_to_repair(workspace, problem)
            return
        failed = box("stack")
        with box("line"):
            name = ui.input("Name of the run (optional)").props("outlined dense").style("width: 18rem")

            def start() -> None:
                failed.clear()
                try:
                    workspace.run(name.value or _suggested(workspace))
                    name.set_value("")
                except ShoalError as error:
                    with failed:
                        parts.error_box(error, "The plan cannot be run")

            parts.primary("Run the plan", start, "play_arrow")
            _Check(workspace)


def _suggested(workspace: Workspace) -> str:
    """A name that says what was asked for, such as `k-anonymity k=5, mondrian`."""
    table = next(iter(workspace.plan.models), {})
    asked = " ".join(f"{name}={value}" for name, value in table.items() if name in ("k", "l", "t"))
    return f"{table.get('kind', 'run')} {asked}, {workspace.plan.algorithm['kind']}"


def _plan_in_words(workspace: Workspace) -> None:
    plan = workspace.plan
    promises = ", ".join(map(summarized, plan.models))
    columns = [fate_of(fate, names) for fate, roles in _FATES if (names := workspace.having(*roles))]
    text(f"Columns: {'; '.join(columns)}.", "soft anywhere")
    counts = "every row" if plan.person is None else f"all rows with the same '{plan.person}'"
    text(
        f"One individual: {counts}. Models: {promises or 'none'}. Algorithm: {plan.algorithm['kind']}.", "soft anywhere"
    )


def fate_of(fate: str, names: Sequence[str]) -> str:
    """What becomes of some columns; those that are released as they are have their names said.

    >>> fate_of("removed", ["name", "phone"]), fate_of("released unchanged", ["ward", "cost"])
    ('2 removed', '2 released unchanged (ward, cost)')
    """
    return f"{len(names)} {fate}" + ("" if fate in _NAMELESS else f" ({', '.join(names)})")


class _Check:
    """A dry run on demand: whether plan and data fit, and what a steward should know before the run."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        parts.second("Check it first", self._start, "rule")
        self._place = box("stack").style("width: 100%")
        self._shown: object = None
        self._draw()
        ui.timer(0.3, self._draw)

    def _start(self) -> None:
        try:
            self._workspace.check()
        except ShoalError as error:
            self._place.clear()
            with self._place:
                parts.error_box(error)

    def _draw(self) -> None:
        job = self._workspace.job("check")
        is_current = self._workspace.is_check_current
        now = None if job is None else (job.id, job.state, job.stage, is_current)
        if job is None or now == self._shown:
            return
        self._shown = now
        self._place.clear()
        with self._place:
            if not is_current:
                text("The plan has changed since it was checked.", "soft")
            elif not job.state.is_final:
                parts.note("sea", "Checking plan and data …", job.stage.words)
            elif job.failure is not None:
                parts.error_box(job.failure, "The plan does not fit its data")
            else:
                _checked(self._workspace.result("check") or {})


def _checked(found: dict[str, Any]) -> None:
    exists = "A release exists." if found.get("release_exists") else "Only the run can decide whether a release exists."
    parts.note(
        "good",
        "The plan fits its data",
        f"{counted(found.get('rows', 0), 'row', 'rows')}, of which {found.get('distinct_rows', 0):,} differ. {exists}",
    )
    parts.warnings(found.get("warnings", ()))


def _runs(workspace: Workspace, refresh: Callable[[], None]) -> None:
    runs = list(reversed(workspace.project.runs()))
    if runs:
        text("Runs", tag="h2")
    for run in runs:
        _one(workspace, run, refresh)


def _one(workspace: Workspace, run: Run, refresh: Callable[[], None]) -> None:
    words, kind = _MARKS[run.state]
    with box("run", "section"):
        with box("titled"):
            text(run.name, tag="h3")
            parts.mark(words, kind)
            text(run.created.replace("T", " ")[:16], "soft small")
            _source(workspace, run)
            box("spring")
            if run.state.is_final:
                parts.quiet("Delete", lambda: _delete(workspace, run, refresh), "delete")
            else:
                parts.danger("Cancel", lambda: workspace.studio.cancel_run(run.id), "stop")
        if not run.state.is_final:
            _progress(run)
        elif run.state is State.CANCELLED:
            text("Cancelled. No files were left behind.", "soft")
        elif run.failure is not None:
            parts.error_box(run.failure)
        elif run.state is State.DONE:
            _done(workspace, run)


def _source(workspace: Workspace, run: Run) -> None:
    """The table of a run, and whether it is not the one that is open."""
    name = workspace.origin(run).name
    if workspace.is_of_open_table(run):
        text(name, "soft small anywhere")
    else:
        parts.mark(f"of another table: {name}" if name else "of another table", "care")


def _progress(run: Run) -> None:
    """The phases: those that are done, the one that goes on with its share, and those to come."""
    names = list(PHASES)
    at = names.index(run.stage.step) if run.stage.step in names else -1
    with box("phases"):
        for place, words in enumerate(PHASES.values()):
            text(words, "phase done" if place < at else "phase now" if place == at else "phase")
    with box("meter").props("role=progressbar aria-label=Progress"):
        width = round(100 * (max(at, 0) + min(run.stage.share, 1.0)) / len(names))
        box("", "i").style(f"width: {max(width, 2)}%")
    text(run.stage.words.capitalize(), "soft small")


def _done(workspace: Workspace, run: Run) -> None:
    found = run.summary
    ncp = found.get("ncp")
    models = found.get("models") or []
    holding = sum(bool(model.get("holds")) for model in models)
    suppressed = found.get("rows_suppressed", 0)
    rows = counted(found.get("rows_released", 0), "row", "rows")
    facts = [
        f"{rows} in {counted(found.get('classes', 0), 'class', 'classes')}",
        f"{counted(suppressed, 'row', 'rows')} suppressed" if suppressed else "no row suppressed",
        f"information loss {percent(ncp)}" if ncp is not None else "",
        f"{holding} of {len(models)} promises hold",
        f"{found['seconds']:.1f} s" if found.get("seconds") else "",
    ]
    text(" · ".join(filter(None, facts)), "soft")
    serious = found.get("serious_warnings") or 0
    if serious:
        parts.note(
            "care", f"{counted(serious, 'serious warning', 'serious warnings')}: read the steward's report first"
        )

    def go(path: str) -> None:
        workspace.choose(run.id)
        parts.to_step(path)

    with box("line"):
        parts.second("Inspect", lambda: go("/inspect"), "search")
        parts.second("Export", lambda: go("/export"), "download")


def _delete(workspace: Workspace, run: Run, refresh: Callable[[], None]) -> None:
    with parts.asked("width: 30rem") as dialog:
        text(f"Delete the run '{run.name}'?", "anywhere", tag="h2")
        text("Its release and reports are deleted from the project. The table and the plan stay.", "soft")

        def delete() -> None:
            workspace.project.delete_run(run.id)
            dialog.close()
            refresh()

        with box("line end"):
            parts.second("Keep it", dialog.close)
            parts.danger("Delete", delete)
