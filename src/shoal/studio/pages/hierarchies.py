"""The step in which the steward says how each quasi-identifier may be made coarser, with a preview on the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import hierarchies
from shoal.counts import counted
from shoal.errors import ShoalError
from shoal.roles.columns import Column, Data
from shoal.roles.described import parameters
from shoal.studio import groups
from shoal.studio.jobs import Job
from shoal.studio.pages import parts
from shoal.studio.pages.forms import Choices, Form
from shoal.studio.pages.hierarchy_preview import NEEDED, lacks, problem_of, show_preview
from shoal.studio.pages.levels import Limits, Protected
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import run, ui
from shoal.studio.pages.tree_editor import TreeEditor, Values, started
from shoal.studio.previews import Preview, preview, type_of
from shoal.studio.trees import Tree
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
        unfit = self._workspace.unfit_hierarchies()
        for name, (entry, words) in self._entries.items():
            entry.classes(add="unfit" if name in unfit else "", remove="" if name in unfit else "unfit")
            is_chosen = name == self._chosen
            entry.classes(add="chosen" if is_chosen else "", remove="" if is_chosen else "chosen")
            entry.props["aria-current"] = "true" if is_chosen else "false"
            words.set_text(_in_words(name, self._workspace.plan.columns[name], fits=name not in unfit))

    def _entry(self, name: str) -> tuple[Element, ui.label]:
        with box("entry", "button").on("click", lambda: self._choose(name)) as entry:
            text(name, "name")
            return entry, text("", "text")

    def _choose(self, name: str) -> None:
        if name == self._chosen:  # what was clicked in its editor meanwhile must not be lost
            return
        self._chosen = name
        self._workspace.project.change(hierarchy_of=name)
        self._draw_list()
        self._draw()

    def _draw(self) -> None:
        self._place.clear()
        with self._place:
            self._workspace.count_values(self._chosen)
            _Editor(self._workspace, self._chosen, self._draw_list)


class _Editor:
    """The hierarchy of one column: its kind, its settings, and the preview as soon as the values are counted."""

    def __init__(self, workspace: Workspace, name: str, changed: Callable[[], None]) -> None:
        self._workspace = workspace
        self._name = name
        self._changed = changed
        self._values: Values | None = workspace.values(name)
        self._wanted = ""
        """A kind that was chosen, and that is not in the plan yet."""
        self._asked = 0
        self._type = _type_in(workspace, name)
        with parts.card(name, private=True):
            self._about = text("", "soft")
            self._cards = box("choices")
            self._form = box("stack")
            self._limits = Limits(workspace, name, self._changed_levels)
        self._protected = Protected(workspace, name, lambda: self._settings(self._table), self._changed_levels)
        with parts.card("Preview on your data", private=True) as self._preview_card:
            self._preview = box("stack")
        self._draw()
        if self._values is None:
            self._counting = ui.timer(0.2, self._look)

    def _look(self) -> None:
        """Goes on as soon as the values are counted; what is being typed into the form stays."""
        self._workspace.count_values(self._name)
        job = self._job
        if job is None or not job.state.is_final:
            return
        self._counting.cancel()
        self._values = self._workspace.values(self._name)
        if self._wanted == "tree" and self._values is not None:
            self._choose("tree")
        elif (self._wanted or self._kind) in ("tree", "file"):
            self._draw()
        else:
            self._about_column()
            self._show()

    @property
    def _job(self) -> Job | None:
        return self._workspace.job(f"values {self._name}")

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

    def _settings(self, table: Mapping[str, Any]) -> Column:
        """The settings of the column with a hierarchy; raises if that is not complete."""
        settings = self._workspace.plan.columns[self._name]
        given: dict[str, Any] = {name: value for name, value in settings.items() if name != "hierarchy"}
        if isinstance(given.get("weight"), int):
            given["weight"] = float(given["weight"])
        column = Column(**{**given, **({"hierarchy": dict(table)} if table else {})})
        if isinstance(column.hierarchy, hierarchies.File):
            placed = column.hierarchy.relative_to(self._workspace.project.folder)
            self._workspace.studio.places.resolved(placed.path)
            column = column.model_copy(update={"hierarchy": placed})
        return column

    def _about_column(self) -> None:
        different = "" if self._values is None else f"; {self._distinct:,} different values"
        self._about.set_text(f"{self._type}{different}.")

    def _draw(self) -> None:
        self._about_column()
        self._cards.clear()
        self._form.clear()
        kind = self._wanted or self._kind
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
        if kind in ("tree", "file") and self._values is None:
            return  # the preview says that the values are being counted
        if kind == "tree":
            place = self._workspace.project.folder / str(self._table.get("path"))
            TreeEditor(self._name, place, self._values or (), self._distinct, self._group)
        elif kind == "file":
            self._upload()
        elif kind:
            cls = next(each for each in hierarchies.ALL if each.kind == kind)
            if parameters(cls):
                choices = Choices(lists={"levels": _PERIODS})
                Form(cls, self._table, choices, lambda table: self._save(table))

    def _choose(self, kind: str) -> None:
        self._wanted = kind if kind in ("tree", "file") else ""
        if kind == "tree" and self._values is not None:
            self._wanted = ""
            path = self._workspace.project.groups_of(self._name)
            if path is None:
                path = self._keep(started(self._values))
            self._take({"kind": "file", "path": path})
        elif self._wanted:
            self._draw()
        else:
            self._take({"kind": kind, **_START.get(kind, {})} if kind else None)

    def _group(self, tree: Tree) -> None:
        """Uses changed groups; earlier runs keep the file with theirs."""
        self._save({"kind": "file", "path": self._keep(tree)})

    def _keep(self, tree: Tree) -> str:
        return self._workspace.project.keep_groups(self._name, tree.hierarchy())

    def _upload(self) -> None:
        """Takes a hierarchy file and uses it if it covers the column; another one is not kept."""
        problem = box("stack")
        if self._kind == "file":
            text(f"In use: {self._table.get('path')}", "soft")

        async def received(event: Any) -> None:
            problem.clear()
            try:
                table, found = await self._received(event.file)
            except ShoalError as error:
                with problem:
                    parts.error_box(error)
                return
            if found is not None and found.uncovered:
                with problem:
                    parts.note("bad", lacks(found), f"{NEEDED} Correct the file, and drop it again.")
                return
            self._wanted = ""
            self._take(table)

        if self._workspace.studio.limits.read_only_inputs:
            text("This studio takes no uploads: name the file in the plan.", "soft")
            return
        with box("drop"):
            upload = ui.upload(label="Drop a hierarchy file: value;group;…;*", auto_upload=True, on_upload=received)
            upload.props(f'flat accept="{",".join(_FILES)}"')
            parts.on_rejected(upload, _FILES)

    async def _received(self, file: Any) -> tuple[dict[str, Any], Preview | None]:
        """The hierarchy in an uploaded file, and its preview; one that does not fit may be a table, and is deleted."""
        path = await self._workspace.receive_hierarchy(file.name, file.iterate())
        table, fits = {"kind": "file", "path": path}, False
        try:
            found = await run.io_bound(preview, self._values or (), self._settings(table), self._data)
            fits = found is None or not found.uncovered
        finally:
            if not fits:
                self._workspace.studio.delete_upload(Path(path).name)
        return table, found

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
        if self._values is None:
            self._show_counting()
            return
        type_, found, problem = self._type, None, None
        try:
            seen = await run.io_bound(_seen, self._values, self._settings(self._table), self._data)
            if seen is None:  # the server is ending
                return
            type_, found = seen
        except ShoalError as error:
            problem = error
        if number != self._asked:
            return
        self._workspace.note_hierarchy(self._name, problem_of(found, problem))
        self._changed()
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
                show_preview(found, self._distinct, len(self._values), self._settings(self._table))
        if type_ != self._type:
            self._type = type_
            self._draw()

    def _show_counting(self) -> None:
        """Says that the values are being counted, or why that failed."""
        job = self._job
        self._preview.clear()
        with self._preview:
            if job is not None and job.failure is not None:
                parts.error_box(job.failure, f"The values of '{self._name}' cannot be counted")
            else:
                parts.note("sea", f"Counting the values of '{self._name}' …", "For the preview.")


def _type_in(workspace: Workspace, name: str) -> str:
    """The type of a column as the plan says it, otherwise as the table was profiled."""
    columns = (workspace.profile or {}).get("columns", ())
    profiled = next((column["type"] for column in columns if column["name"] == name), "text")
    return str(workspace.plan.columns[name].get("type") or profiled)


def _seen(values: Values, settings: Column, data: Data) -> tuple[str, Preview | None]:
    """The type as which a column is read, and the preview of its hierarchy."""
    return type_of(values, settings, data), preview(values, settings, data)


def _in_words(name: str, column: Mapping[str, Any], *, fits: bool = True) -> str:
    kind = _kind_of(name, column.get("hierarchy"))
    title = KINDS.get(kind, (kind, ""))[0] + ("" if fits else " · does not fit")
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
    is_own = table.get("kind") == "file" and groups.is_of(column, table.get("path"))
    return "tree" if is_own else str(table.get("kind", ""))
