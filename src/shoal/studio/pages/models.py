"""The step in which the privacy models and the algorithm are chosen, with what each promises and what it does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal import algorithms, models
from shoal.counts import counted, some_of
from shoal.errors import ShoalError
from shoal.roles import spec
from shoal.roles.described import parameters
from shoal.studio.pages import parts
from shoal.studio.pages.explaining import explained
from shoal.studio.pages.forms import Choices, Form
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.repairing import lead_to_repair
from shoal.studio.pages.toolkit import ui
from shoal.studio.steps import MODELS, repaired_at
from shoal.studio.wording import CATEGORIES, FORMS, RANGES, titled
from shoal.studio.working_plan import role_asked
from shoal.studio.workspace import Workspace

if TYPE_CHECKING:
    from nicegui.element import Element

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
_RANGES_HINT = (
    "From smallest to largest value is shorter, but shows the exact values of two people. Cuts show nobody's. Some "
    "algorithms make no cuts, such as k-member."
)
_CATEGORIES_HINT = "A list, such as {cook, waiter}, needs no hierarchy, and shows which values occur in a group."


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


@dataclass
class _Card:
    """A model on the page: what it shows, and where its title and its problems are."""

    table: dict[str, Any]
    element: Element
    title: ui.label | None = None
    problem: Element | None = None


class _Models:
    """The chosen models, the gallery of all of them, and the algorithm; a bar at the bottom says what is missing."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._cards: list[_Card] = []
        self._status = box("stack")
        self._list = box("flow")
        self._draw()
        with box("line"):
            parts.second("Add a model …", self._gallery, "add")
        _algorithm(workspace, self._refresh_status)
        _settings(workspace, self._refresh_status)
        with box("line end"):
            parts.primary("Continue to the run", lambda: parts.to_step("/run"), "arrow_forward")
        self._bar = box("sticky")
        self._refresh_status()

    def _refresh_status(self) -> None:
        self._status.clear()
        self._bar.clear()
        with self._status:
            stale_models(self._workspace, self._removed_stale)
            _unguarded(self._workspace)
        problem = self._workspace.problem()
        if problem is not None:
            with self._bar:
                self._incomplete(problem)

    def _incomplete(self, problem: ShoalError) -> None:
        """Says what is missing; a problem that is shown at a model, or at another step, is only named."""
        if repaired_at(self._workspace) != MODELS:
            lead_to_repair(self._workspace, problem)
            return
        wrong = [titled(card.table) for card in self._cards if problem_of(card.table) is not None]
        if wrong:
            parts.note("bad", "The plan is not complete yet", f"Correct {', '.join(wrong)}.")
        else:
            parts.error_box(problem, "The plan is not complete yet")

    def _draw(self) -> None:
        self._cards.clear()
        self._list.clear()
        for table in self._workspace.plan.models:
            self._show(table)
        self._say_if_empty()

    def _say_if_empty(self) -> None:
        if not self._cards:
            with self._list:
                parts.note(
                    "care", "No model yet", "Without a model, the release promises nothing. Add k-anonymity first."
                )

    def _show(self, table: dict[str, Any]) -> None:
        """Adds the card of a model below the others."""
        cls = _known(table.get("kind"))
        with self._list, box("card", "section") as element:
            card = _Card(table, element)
            with box("titled"):
                card.title = text(titled(table), tag="h2")
                box("spring")
                parts.quiet("Remove", lambda: self._remove(card), "delete")
            card.problem = box("stack")
            if cls is None:
                with card.problem:
                    parts.note("bad", f"There is no model '{table.get('kind')}'")
            else:
                text(cls.about.promise)
                Form(cls, table, _choices(self._workspace), lambda changed: self._change(card, changed))
                self._judge(card)
                explained(cls)
        self._cards.append(card)

    def _judge(self, card: _Card) -> None:
        """Shows in a card what its model is about, and what is wrong with it."""
        assert card.title is not None and card.problem is not None
        card.title.set_text(titled(card.table))
        card.problem.clear()
        stale, problem = self._workspace.plan.stale_columns(card.table), problem_of(card.table)
        card.element.classes(add="stale" if stale else "", remove="" if stale else "stale")
        with card.problem:
            if stale:
                words = "Choose another column, remove the model, or give the column its former role in Roles."
                parts.note("care", f"{', '.join(stale)} {'has' if len(stale) == 1 else 'have'} another role now", words)
            if problem is not None:
                parts.error_box(problem)

    def _is_shown(self) -> bool:
        """Whether the page shows the models of the plan; if not, it is drawn anew, and says so."""
        if self._workspace.plan.models == [card.table for card in self._cards]:
            return True
        ui.notify(
            "The models were changed elsewhere, perhaps in another tab. They are shown as they are now; your last "
            "change was not made.",
            type="warning",
            position="top",
            timeout=8000,
        )
        self._draw()
        self._refresh_status()
        return False

    def _change(self, card: _Card, table: dict[str, Any]) -> None:
        if self._is_shown():
            card.table = table
            self._save()
            self._judge(card)
            self._refresh_status()

    def _remove(self, card: _Card) -> None:
        if self._is_shown():
            self._cards.remove(card)
            self._save()
            card.element.delete()
            self._say_if_empty()
            self._refresh_status()

    def _save(self) -> None:
        self._workspace.plan.set_models([card.table for card in self._cards])

    def _removed_stale(self) -> None:
        self._draw()
        self._refresh_status()

    def _add(self, cls: Any, dialog: ui.dialog) -> None:
        dialog.close()
        if not self._is_shown():
            return
        table = _sample(cls, self._workspace)
        if not self._cards:
            self._list.clear()  # what says that there is no model
        self._workspace.plan.set_models([*self._workspace.plan.models, table])
        self._show(table)
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


def problem_of(table: Mapping[str, Any]) -> ShoalError | None:
    """What is wrong with a model by itself; None if nothing is."""
    try:
        spec.from_table(models.ALL, "model", table)
    except ShoalError as error:
        return error
    return None


def stale_models(workspace: Workspace, removed: Callable[[], None]) -> None:
    """Says how many models are of columns that have another role now, and offers to remove them."""
    stale = [workspace.plan.models[place] for place in workspace.plan.stale_models]
    if not stale:
        return

    def remove() -> None:
        number = workspace.plan.remove_stale_models()
        ui.notify(f"{counted(number, 'model was', 'models were')} removed.", position="top")
        removed()

    columns = list(dict.fromkeys(name for table in stale for name in workspace.plan.stale_columns(table)))
    head = f"{counted(len(stale), 'model is', 'models are')} of columns that are no longer sensitive"
    with parts.note("care", head, some_of(columns)), box("line"):
        ones = "the model" if len(stale) == 1 else f"the {len(stale)} models"
        parts.second(f"Remove {ones} of columns that are no longer sensitive", remove, "delete")


def _known(kind: object) -> Any:
    return next((cls for cls in models.ALL if cls.kind == kind), None)


def _sample(cls: Any, workspace: Workspace) -> dict[str, Any]:
    """A model with example parameters, for the first column that has no model yet."""
    about = {name: list(value) if isinstance(value, tuple) else value for name, value in cls.about.sample.items()}
    table = {"kind": cls.kind, **about}
    needed = {each.name: each for each in parameters(cls)}
    table.pop("values", None)
    if "column" in needed:
        columns = workspace.plan.having(role_asked(needed["column"]))
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
                    text((cls.__doc__ or "").strip().splitlines()[0].replace("`", ""), "text")
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

    def choice(name: str, label: str, words: Mapping[str, str], hint: str) -> None:
        with box("stack-field"):
            field = ui.select(dict(words), value=release.get(name, next(iter(words))), label=label)
            field.on_value_change(lambda event: set_(name, event.value)).props("outlined dense")
            text(hint, _HINT)

    with parts.card("How it is published"), box("fields"):
        with box("stack-field"):
            share = ui.number(
                "Rows that may be suppressed, in %", value=100 * release.get("suppression", 0.0), min=0, max=100
            )
            share.on_value_change(lambda event: set_("suppression", round((event.value or 0) / 100, 6) or None))
            text(
                "A few unusual rows can make everything coarse. Without them, the others keep more detail.",
                _HINT,
            )
        choice("form", "Form", FORMS, "Most recipients expect one table.")
        choice("ranges", "Ranges of numbers and dates", RANGES, _RANGES_HINT)
        choice("categories", "Text is published", CATEGORIES, _CATEGORIES_HINT)
        with box("stack-field"):
            seed = ui.number("Seed", value=workspace.plan.algorithm.get("seed", 0), min=0, step=1)
            seed.on_value_change(lambda event: set_seed(event.value))
            text("The same plan, data and seed give the same release, byte for byte.", _HINT)
        for field in (share, seed):
            field.props("outlined dense debounce=200")
