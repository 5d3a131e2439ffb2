"""The step in which the privacy models and the algorithm are chosen, with what each promises and what it does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from shoal import algorithms, models
from shoal.errors import ShoalError
from shoal.percent import percent
from shoal.roles import spec
from shoal.roles.described import parameters
from shoal.studio.pages import parts
from shoal.studio.pages.forms import Choices, Form
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import run, ui
from shoal.studio.workspace import Workspace

if TYPE_CHECKING:
    from nicegui.element import Element

    from shoal.attacks.demonstration import Demonstration

_HELP = (
    "A model is a promise about every group of people that the release cannot tell apart. The best known is "
    "k-anonymity: every person looks the same as at least k − 1 others on everything that others may know.",
    "k-anonymity alone does not hide a diagnosis: if all people of a group have the same one, the group reveals it. So "
    "every sensitive column should be covered by a model such as l-diversity (several different values in every group) "
    "or t-closeness (every group resembles the whole table).",
    "Stronger promises cost detail. Start with the suggestion, run it, and compare. Each model shows an attack on what "
    "it does not protect: Shoal runs the attack on a small table, so you need not take its word.",
)
_FIRST = ("k-anonymity", "l-diversity", "t-closeness", "alpha-k", "p-sensitive")
"""The models that are shown before all others."""
_HINT = "field-hint"
_FORMS = {"generalized": "one table, made coarser", "anatomy": "two tables, linked by groups"}


def show(workspace: Workspace) -> None:
    """The page."""
    parts.head(
        "Choose what the release promises",
        "Models protect the people; the algorithm keeps as much detail as they allow.",
    )
    parts.help_panel(_HELP)
    if workspace.profile is None:
        with parts.empty(
            "shield", "No table yet", "Models are about columns. Open a table and give its columns roles first."
        ):
            parts.primary("Open a table", lambda: parts.to_step("/"))
        return
    _Models(workspace)


class _Models:
    """The chosen models, the gallery of all of them, and the algorithm."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._status = box("stack")
        self._list = box("flow")
        self._draw()
        with box("line"):
            parts.second("Add a model …", self._gallery, "add")
        _algorithm(workspace, self._refresh_status)
        _settings(workspace, self._refresh_status)
        with box("line end"):
            parts.primary("Continue to the run", lambda: parts.to_step("/run"), "arrow_forward")
        self._refresh_status()

    def _refresh_status(self) -> None:
        self._status.clear()
        problem = self._workspace.problem()
        with self._status:
            if problem is not None:
                parts.error_box(problem, "The plan is not complete yet")
            _unguarded(self._workspace)

    def _draw(self) -> None:
        self._list.clear()
        with self._list:
            chosen = self._workspace.plan.models
            for place, table in enumerate(chosen):
                self._one(place, table)
            if not chosen:
                parts.note(
                    "care", "No model yet", "Without a model, the release promises nothing. Add k-anonymity first."
                )

    def _one(self, place: int, table: dict[str, Any]) -> None:
        cls = _known(table.get("kind"))
        if cls is None:
            parts.note("bad", f"There is no model '{table.get('kind')}'")
            return
        with box("card", "section"):
            with box("titled"):
                text(cls.kind, tag="h2")
                box("spring")
                parts.quiet("Remove", lambda: self._remove(place), "delete")
            text(cls.about.promise)
            problem = box("stack")
            Form(cls, table, _choices(self._workspace), lambda changed: self._change(place, changed, problem))
            self._judge(table, problem)
            explained(cls)

    def _judge(self, table: dict[str, Any], place: Element) -> None:
        """Shows next to a model what is wrong with it."""
        place.clear()
        try:
            spec.from_table(models.ALL, "model", table)
        except ShoalError as error:
            with place:
                parts.error_box(error)

    def _change(self, place: int, table: dict[str, Any], problem: Element) -> None:
        chosen = self._workspace.plan.models
        chosen[place] = table
        self._workspace.plan.set_models(chosen)
        self._judge(table, problem)
        self._refresh_status()

    def _remove(self, place: int) -> None:
        chosen = self._workspace.plan.models
        del chosen[place]
        self._workspace.plan.set_models(chosen)
        self._draw()
        self._refresh_status()

    def _add(self, cls: Any, dialog: ui.dialog) -> None:
        dialog.close()
        self._workspace.plan.set_models([*self._workspace.plan.models, _sample(cls, self._workspace)])
        self._draw()
        self._refresh_status()

    def _gallery(self) -> None:
        """Opens the choice between all models; it is built when it is asked for, because it is large."""
        order = sorted(models.ALL, key=lambda cls: (cls.kind not in _FIRST, models.ALL.index(cls)))
        with parts.asked("max-width: 62rem; width: 90vw") as dialog:
            text("Add a model", tag="h2")
            text("What each promises, in a sentence.", "soft")
            with box("choices"):
                for cls in order:
                    with box("choice", "button").on("click", lambda cls=cls: self._add(cls, dialog)):
                        text(cls.kind, "name")
                        text(cls.about.promise, "text")


def explained(cls: Any) -> None:
    """What a model does not protect, an example, and the attack that shows it, which is run when it is asked for."""
    with parts.more("What it does not protect, and an attack that shows it") as panel:
        text(cls.about.not_protected)
        text(f"Example: {cls.about.example}", "soft")
        place = box("stack")
        text(cls.about.paper, "soft small")
    shown: list[bool] = []

    async def attack() -> None:
        if shown or cls.about.weak is None:
            return
        shown.append(True)
        with place:
            text("Attacking a small table …", "soft")
        found = await run.io_bound(_demonstrated, cls)
        place.clear()
        if found is None:
            return
        with place:
            text("A made-up table that keeps the promise:", tag="h3")
            parts.table(found.table.columns, found.table.rows(), label="A small table")
            success, guess = percent(found.outcome.success), percent(found.outcome.baseline)
            parts.note("care", f"Attack '{found.outcome.kind}': success {success}, by guessing {guess}", found.shows)

    panel.on("toggle", attack)


@cache
def _demonstrated(cls: Any) -> Demonstration | None:
    from shoal.attacks.demonstration import demonstrated

    return demonstrated(cls)


def _known(kind: object) -> Any:
    return next((cls for cls in models.ALL if cls.kind == kind), None)


def _sample(cls: Any, workspace: Workspace) -> dict[str, Any]:
    """A model with example parameters, for the first column that has no model yet."""
    about = {name: list(value) if isinstance(value, tuple) else value for name, value in cls.about.sample.items()}
    table = {"kind": cls.kind, **about}
    needed = {each.name: each for each in parameters(cls)}
    table.pop("values", None)
    if "column" in needed:
        role = "quasi-sensitive" if "quasi-s" in needed["column"].allowed else "sensitive"
        columns = workspace.plan.having(role)
        taken = {model.get("column") for model in workspace.plan.models}
        free = [name for name in columns if name not in taken] or columns
        table.pop("column", None)
        table |= {"column": free[0]} if free else {}
    table.pop("columns", None)
    return table


def _choices(workspace: Workspace) -> Choices:
    def values(column: str) -> list[str]:
        if column in workspace.plan.columns:
            workspace.count_values(column)
        return [value for value, _ in workspace.values(column) or () if value is not None]

    return Choices(columns=lambda role: workspace.plan.having(role), values=values)


def _unguarded(workspace: Workspace) -> None:
    """The sensitive columns that no model covers."""
    plan = workspace.plan.plan
    lacking = [] if plan is None else [name for name in plan.sensitive if name not in plan.guarded]
    if lacking:
        words = "The release would publish these columns without limiting what they reveal about a person."
        parts.note("care", f"No model covers {', '.join(lacking)}", words)


def _algorithm(workspace: Workspace, changed: Callable[[], None]) -> None:
    """The algorithm with its parameters."""
    with parts.card(
        "How the release is found", note="All algorithms keep all promises. They differ in what detail is lost."
    ):
        cards = box("choices")
        place = box("stack")

    def draw() -> None:
        current = workspace.plan.algorithm
        cards.clear()
        place.clear()
        with cards:
            for cls in algorithms.ALL:
                chosen = "chosen" if cls.kind == current["kind"] else ""
                with box(f"choice {chosen}", "button").on("click", lambda cls=cls: choose(cls)) as card:
                    card.props["aria-pressed"] = "true" if chosen else "false"
                    text(cls.kind, "name")
                    text((cls.__doc__ or "").strip().splitlines()[0], "text")
        used = next((each for each in algorithms.ALL if each.kind == current["kind"]), None)
        if used is not None and parameters(used):
            given = {name: value for name, value in current.items() if name != "seed"}
            with place:
                Form(used, given, _choices(workspace), edit)

    def choose(cls: Any) -> None:
        sensitive = workspace.plan.having("sensitive")
        first = {"column": sensitive[0]} if sensitive and any(p.name == "column" for p in parameters(cls)) else {}
        workspace.plan.set_algorithm(kind=cls.kind, **first)
        draw()
        changed()

    def edit(table: dict[str, Any]) -> None:
        workspace.plan.set_algorithm(**table)
        changed()

    draw()


def _settings(workspace: Workspace, changed: Callable[[], None]) -> None:
    """How the release is published."""
    release = workspace.plan.release

    def set_(name: str, value: Any) -> None:
        workspace.plan.set_part("release", **{name: value})
        changed()

    def set_seed(value: Any) -> None:
        workspace.plan.set_algorithm(**{**workspace.plan.algorithm, "seed": int(value or 0)})
        changed()

    with parts.card("How it is published"), box("fields"):
        with box("stack-field"):
            share = ui.number(
                "Rows that may be left out, in %", value=100 * release.get("suppression", 0.0), min=0, max=100
            )
            share.on_value_change(lambda event: set_("suppression", round((event.value or 0) / 100, 6) or None))
            text(
                "A few unusual rows can force everything to be coarse. Leaving them out keeps detail for the rest.",
                _HINT,
            )
        with box("stack-field"):
            form = ui.select(_FORMS, value=release.get("form", "generalized"), label="Form")
            form.on_value_change(lambda event: set_("form", event.value))
            text("Most recipients expect one table.", _HINT)
        with box("stack-field"):
            seed = ui.number("Seed", value=workspace.plan.algorithm.get("seed", 0), min=0, step=1)
            seed.on_value_change(lambda event: set_seed(event.value))
            text("The same plan, data and seed give the same release, byte for byte.", _HINT)
        for field in (share, form, seed):
            field.props("outlined dense debounce=200")
