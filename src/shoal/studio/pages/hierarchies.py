"""The step in which the steward says how each quasi-identifier may be made coarser, with a preview on the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import hierarchies
from shoal.counts import counted
from shoal.errors import ShoalError
from shoal.roles.columns import Column, Data
from shoal.roles.described import parameters
from shoal.studio.pages import parts
from shoal.studio.pages.forms import Choices, Form
from shoal.studio.pages.levels import Limits, Protected
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import run, ui
from shoal.studio.pages.tree_editor import TreeEditor, saved
from shoal.studio.previews import FEWEST_ROWS, Preview, preview, type_of
from shoal.studio.states import State
from shoal.studio.workspace import Workspace

if TYPE_CHECKING:
    from nicegui.element import Element

_HELP = (
    "A hierarchy says what a value may become when it has to be made coarser: a postcode its first digits, a birth "
    "date its year, a job its field of work, an age a band of years. The last level is always *, which says nothing.",
    "Numbers and dates need no hierarchy: Shoal then cuts them into ranges as fine as the promises allow, which "
    "usually loses least. Choose fixed bands if recipients expect them. Text without a hierarchy can only be kept or "
    "hidden.",
)
KINDS = {
    "": ("As needed", "Numbers and dates: ranges as fine as possible. Text: the value, or *."),
    "intervals": ("Bands of numbers", "Bands of fixed widths, such as 5, 10 and 20 years."),
    "date": ("Calendar", "Month, quarter, year, decade."),
    "prefix": ("First characters", "12345 → 1234* → 123* …, for postcodes and codes."),
    "tree": ("Groups of values", "Put values under groups yourself."),
    "file": ("From a file", "A CSV file with one row per value: value;group;…;*"),
    "icd10": ("ICD-10", "Code → category → block → chapter."),
    "icd10cm": ("ICD-10-CM", "Code → category → block → chapter."),
    "icd9": ("ICD-9-CM", "Code → category → block → chapter."),
    "learned": ("Learned from the data", "Bands or groups with about equally many rows."),
}
_OF_TYPE = {
    "text": ("", "tree", "prefix", "file", "learned", "icd10", "icd10cm", "icd9"),
    "integer": ("", "intervals", "file", "learned"),
    "real": ("", "intervals", "learned"),
    "date": ("", "date", "learned"),
    "datetime": ("", "date", "learned"),
}
_FILES = (".csv", ".txt")
_PERIODS = ("hour", "day", "week", "month", "quarter", "year", "decade", "century")
_START: Mapping[str, dict[str, Any]] = {
    "intervals": {"widths": [5, 10, 20]},
    "date": {"levels": ["month", "year", "decade"]},
}


def show(workspace: Workspace) -> None:
    """The page."""
    parts.head(
        "Say how values may become coarser",
        "One hierarchy per quasi-identifier, with a preview on your data.",
        private=True,
    )
    parts.help_panel(_HELP)
    columns = workspace.plan.having("quasi-identifier", "sensitive", "quasi-sensitive") if workspace.profile else []
    if not columns:
        with parts.empty(
            "account_tree", "No quasi-identifier yet", "Give the columns that others may know this role first."
        ):
            parts.primary("Go to the roles", lambda: parts.to_step("/roles"))
        return
    _Hierarchies(workspace, columns)
    with box("line end"):
        parts.primary("Continue to the models", lambda: parts.to_step("/models"), "arrow_forward")


class _Hierarchies:
    """The list of columns, and the editor of the chosen one."""

    def __init__(self, workspace: Workspace, columns: list[str]) -> None:
        self._workspace = workspace
        self._columns = columns
        wanted = workspace.project.settings.get("hierarchy_of")
        self._chosen = wanted if wanted in columns else columns[0]
        self._entries: dict[str, tuple[Element, ui.label]] = {}
        with box("beside"):
            self._list = box("card list", "nav").props('aria-label="Columns"')
            self._place = box("flow")
        self._draw_list()
        self._draw()

    def _draw_list(self) -> None:
        """Fills the list, or changes its entries, so that the keyboard stays where it is."""
        if not self._entries:
            with self._list:
                self._entries = {name: self._entry(name) for name in self._columns}
        for name, (entry, words) in self._entries.items():
            is_chosen = name == self._chosen
            entry.classes(add="chosen" if is_chosen else "", remove="" if is_chosen else "chosen")
            entry.props["aria-current"] = "true" if is_chosen else "false"
            words.set_text(_in_words(name, self._workspace.plan.columns[name]))

    def _entry(self, name: str) -> tuple[Element, ui.label]:
        with box("entry", "button").on("click", lambda: self._choose(name)) as entry:
            text(name, "name")
            return entry, text("", "text")

    def _choose(self, name: str) -> None:
        self._chosen = name
        self._workspace.project.change(hierarchy_of=name)
        self._draw_list()
        self._draw()

    def _draw(self) -> None:
        self._place.clear()
        with self._place:
            self._workspace.count_values(self._chosen)
            if self._workspace.values(self._chosen) is None:
                self._wait()
            else:
                _Editor(self._workspace, self._chosen, self._draw_list)

    def _wait(self) -> None:
        name = self._chosen
        job = self._workspace.job(f"values {name}")
        if job is not None and job.state is State.FAILED and job.failure is not None:
            parts.error_box(job.failure, f"The values of '{name}' cannot be counted")
            return
        parts.note("sea", f"Counting the values of '{name}' …", "For the preview.")

        def look() -> None:
            now = self._workspace.job(f"values {name}")
            if now is None or now.state.is_final:
                timer.cancel()
                if name == self._chosen:
                    self._draw()

        timer = ui.timer(0.2, look)


class _Editor:
    """The hierarchy of one column: its kind, its settings, and the preview."""

    def __init__(self, workspace: Workspace, name: str, changed: Callable[[], None]) -> None:
        self._workspace = workspace
        self._name = name
        self._changed = changed
        self._values = workspace.values(name) or []
        self._is_file_wanted = False
        self._asked = 0
        self._type = type_of(self._values, self._settings(with_hierarchy=False), self._data)
        with parts.card(name, private=True):
            text(f"{self._type}; {self._distinct:,} different values.", "soft")
            self._cards = box("choices")
            self._form = box("stack")
            self._limits = Limits(workspace, name, self._changed_levels)
        self._protected = Protected(workspace, name, self._settings, self._changed_levels)
        with parts.card("Preview on your data", private=True) as self._preview_card:
            self._preview = box("stack")
        self._draw()

    @property
    def _distinct(self) -> int:
        return int((self._workspace.result(f"values {self._name}") or {}).get("distinct", 0))

    @property
    def _data(self) -> Data:
        plan = self._workspace.plan.plan
        return Data() if plan is None else plan.data

    @property
    def _table(self) -> dict[str, Any]:
        found = self._workspace.plan.columns.get(self._name, {}).get("hierarchy")
        return dict(found) if isinstance(found, Mapping) else {}

    @property
    def _kind(self) -> str:
        return _kind_of(self._name, self._table)

    def _settings(self, *, with_hierarchy: bool = True) -> Column:
        """The settings of the column; raises if its hierarchy is not complete."""
        settings = self._workspace.plan.columns[self._name]
        given: dict[str, Any] = {name: value for name, value in settings.items() if name != "hierarchy"}
        if isinstance(given.get("weight"), int):
            given["weight"] = float(given["weight"])
        table = self._table if with_hierarchy else {}
        column = Column(**{**given, **({"hierarchy": table} if table else {})})
        if isinstance(column.hierarchy, hierarchies.File):
            placed = column.hierarchy.relative_to(self._workspace.project.folder)
            self._workspace.studio.places.resolved(placed.path)
            column = column.model_copy(update={"hierarchy": placed})
        return column

    def _draw(self) -> None:
        self._cards.clear()
        self._form.clear()
        kind = "file" if self._is_file_wanted else self._kind
        with self._cards:
            for each in dict.fromkeys([*_OF_TYPE.get(self._type, ("",)), kind]):
                title, words = KINDS[each]
                with box(f"choice {'chosen' if each == kind else ''}", "button") as card:
                    card.on("click", lambda each=each: self._choose(each))
                    card.props["aria-pressed"] = "true" if each == kind else "false"
                    text(title, "name")
                    text(words, "text")
        with self._form:
            self._fields(kind)
        self._show()

    def _fields(self, kind: str) -> None:
        if kind == "tree":
            TreeEditor(self._workspace, self._name, self._tree_place, self._values, self._distinct, self._show)
        elif kind == "file":
            self._upload()
        elif kind:
            cls = next(each for each in hierarchies.ALL if each.kind == kind)
            if parameters(cls):
                choices = Choices(lists={"levels": _PERIODS})
                Form(cls, self._table, choices, lambda table: self._save(table))

    def _choose(self, kind: str) -> None:
        self._is_file_wanted = kind == "file"
        if kind == "tree":
            place = self._tree_place
            if not place.is_file():
                saved(place, self._values)
            self._take({"kind": "file", "path": _tree_path(self._name)})
        elif kind == "file":
            self._draw()
        else:
            self._take({"kind": kind, **_START.get(kind, {})} if kind else None)

    @property
    def _tree_place(self) -> Path:
        return self._workspace.project.folder / _tree_path(self._name)

    def _upload(self) -> None:
        """Takes a hierarchy file and uses it if it covers the column."""
        problem = box("stack")
        if self._kind == "file":
            text(f"In use: {self._table.get('path')}", "soft")

        async def received(event: Any) -> None:
            problem.clear()
            try:
                path = await self._workspace.receive_hierarchy(event.file.name, event.file.iterate())
                self._is_file_wanted = False
                self._take({"kind": "file", "path": path})
            except ShoalError as error:
                with problem:
                    parts.error_box(error)

        if self._workspace.studio.limits.read_only_inputs:
            text("This studio takes no uploads: name the file in the plan.", "soft")
            return
        with box("drop"):
            upload = ui.upload(label="Drop a hierarchy file: value;group;…;*", auto_upload=True, on_upload=received)
            upload.props(f'flat accept="{",".join(_FILES)}"')
            parts.on_rejected(upload, _FILES)

    def _take(self, table: dict[str, Any] | None) -> None:
        """Takes another hierarchy, and shows its settings."""
        self._workspace.plan.choose_hierarchy(self._name, table)
        self._changed()
        self._draw()

    def _save(self, table: dict[str, Any]) -> None:
        """Saves changed settings of the hierarchy."""
        self._workspace.plan.set_column(self._name, hierarchy=table)
        self._changed_levels()

    def _changed_levels(self) -> None:
        self._changed()
        self._show()

    def _show(self) -> None:
        self._asked += 1
        with self._preview_card:  # the button or field that was used may be gone by now, and its place with it
            ui.timer(0, lambda number=self._asked: self._show_preview(number), once=True)

    async def _show_preview(self, number: int) -> None:
        """Builds the hierarchy on the counted values, beside the event loop: code trees take a moment.

        Of several previews that were asked for, the last one is shown, whichever is ready first.
        """
        try:
            settings = self._settings()
            found = await run.io_bound(preview, self._values, settings, self._data)
            problem = None
        except ShoalError as error:
            found, problem = None, error
        if number != self._asked:
            return
        self._workspace.note_hierarchy(self._name, _problem(found, problem))
        problem = problem or self._workspace.plan.hierarchy_problems.get(self._name)
        self._limits.show(found)
        await self._protected.show(found)
        if number != self._asked:
            return
        self._preview.clear()
        with self._preview:
            if problem is not None:
                parts.error_box(problem)
            else:
                _show(found, self._distinct, len(self._values), self._settings())


def _problem(found: Preview | None, problem: ShoalError | None) -> str:
    """Why the hierarchy cannot be used; empty if it can."""
    if problem is not None:
        return problem.fact
    return f"lacks {found.uncovered:,} values" if found is not None and found.uncovered else ""


def _show(found: Preview | None, distinct: int, known: int, settings: Column) -> None:
    if found is None:
        text("Ranges are cut as fine as the models allow, when the plan runs. They have no levels to preview.", "soft")
        return
    if found.uncovered:
        parts.note(
            "bad",
            f"The hierarchy does not have {found.uncovered:,} of the values",
            "Every value of the column must be in it. Add them to the groups, or to the file.",
        )
        return
    limits = ("may be published",) if settings.limited else ()
    heads: tuple[str, ...] = ("level", "labels", "rows of the smallest", "frequent labels", *limits)
    rows = [
        (
            "values" if level.level == 0 else str(level.level),
            f"{level.labels:,}",
            f"{level.smallest:,}",
            level.examples or "–",
            *("yes" if _is_allowed(level.level, settings) else "no" for _ in limits),
        )
        for level in found.levels
    ]
    parts.table(heads, rows, numbers=heads[1:3], label="Levels")
    if found.paths:
        text("What the most frequent values become", tag="h3")
        heads = ("rows", *(_head(number, settings) for number in range(len(found.levels))))
        paths = [(f"{rows:,}", *path) for path, rows in found.paths]
        parts.table(heads, paths, numbers=("rows",), classes="sample", label="Frequent values")
    more = f" The {known:,} most frequent of {distinct:,} values are counted." if distinct > known else ""
    text(f"Labels of fewer than {FEWEST_ROWS} rows are not shown.{more}", "soft small")


def _is_allowed(level: int, settings: Column) -> bool:
    """Whether a level may be published."""
    return settings.finest <= level and (settings.coarsest is None or level <= settings.coarsest)


def _head(level: int, settings: Column) -> str:
    """The head of a level in the table of frequent values.

    >>> _head(0, Column(role="quasi-identifier", finest=1)), _head(2, Column(role="quasi-identifier"))
    ('value (not published)', 'level 2')
    """
    name = f"level {level}" if level else "value"
    return name if _is_allowed(level, settings) else f"{name} (not published)"


def _in_words(name: str, column: Mapping[str, Any]) -> str:
    kind = _kind_of(name, column.get("hierarchy"))
    title = KINDS.get(kind, (kind, ""))[0]
    if column.get("role") == "quasi-identifier":
        return title
    released = "released as it is" if column.get("role") == "sensitive" else "items are removed where needed"
    used = f"; used by models: {title}" if kind else ""
    protected = len(column.get("protected", ()))
    used += f"; {counted(protected, 'protected group', 'protected groups')}" if protected else ""
    return f"{column.get('role')} · {released}{used}"


def _kind_of(column: str, table: object) -> str:
    """The kind of a hierarchy; a file of groups that were made here is a `tree`."""
    if not isinstance(table, Mapping):
        return ""
    is_own = table.get("kind") == "file" and table.get("path") == _tree_path(column)
    return "tree" if is_own else str(table.get("kind", ""))


@lru_cache(maxsize=1000)
def _tree_path(column: str) -> str:
    """Where the groups of a column are kept, relative to the project."""
    import hashlib
    import re

    plain = re.sub(r"[^a-z0-9]+", "-", column.lower()).strip("-")[:40]
    return f"hierarchies/{plain}-{hashlib.sha256(column.encode()).hexdigest()[:6]}.csv"
