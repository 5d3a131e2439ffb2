"""What a plan says about the levels and nodes of a hierarchy: which may be published, and which are protected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shoal import hierarchies
from shoal.errors import ShoalError
from shoal.hierarchies.protected import require_nodes
from shoal.roles.columns import Column
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import run, ui
from shoal.studio.previews import LevelPreview, Preview
from shoal.studio.wording import label_of
from shoal.studio.workspace import Workspace

_NO_LIMIT = ""
_MOST_OFFERED = 300
_LIMITS_NOTE = (
    "No value is released finer than the first, however little that would lose, nor coarser than the second; rows for "
    "which this is too fine are suppressed, if the plan allows that."
)
_PROTECTED_NOTE = (
    "Only the model extended-p-sensitive uses them: all values below a protected group count as one. Ten kinds of "
    "cancer in a class are then no variety, because they reveal cancer."
)


class Limits:
    """The finest and the coarsest level of a quasi-identifier that may be published."""

    def __init__(self, workspace: Workspace, name: str, changed: Callable[[], None]) -> None:
        self._workspace = workspace
        self._name = name
        self._changed = changed
        self._place = box("stack")
        self._shown: tuple[Sequence[LevelPreview], Any, Any, str] | None = None

    def show(self, found: Preview | None) -> None:
        """Offers the levels of the preview; fields that stay the same are not drawn anew, and keep the keyboard."""
        settings = self._workspace.plan.columns.get(self._name, {})
        finest, coarsest = settings.get("finest", 0), settings.get("coarsest", _NO_LIMIT)
        is_limited = bool(finest) or coarsest != _NO_LIMIT
        levels = () if found is None else found.levels
        now = (levels, finest, coarsest, reason_against(settings.get("hierarchy")))
        if settings.get("role") != "quasi-identifier" or now == self._shown:
            return
        self._shown = now
        self._place.clear()
        if not is_limited and (not levels or not settings.get("hierarchy")):
            return
        with self._place:
            text("Levels that may be published", tag="h3")
            if not is_limited and now[-1]:
                text(now[-1], "soft")
                return
            with box("fields"):
                self._field("finest", "Finest level that may be published", offered(levels, finest), finest)
                options = {_NO_LIMIT: "* (no limit)", **offered(levels[:-1], coarsest)}
                self._field("coarsest", "Coarsest level that may be published", options, coarsest)
            text(_LIMITS_NOTE, "soft small")

    def _field(self, setting: str, label: str, options: dict[Any, str], value: Any) -> None:
        def changed(event: Any) -> None:
            unset = event.value in (None, _NO_LIMIT) or (setting == "finest" and event.value == 0)
            self._workspace.plan.set_column(self._name, **{setting: None if unset else event.value})
            self._note_shown(setting, event.value)
            self._changed()

        ui.select(options, value=value, label=label, on_change=changed).props("outlined dense")

    def _note_shown(self, setting: str, value: Any) -> None:
        """Notes that a field shows a value already."""
        assert self._shown is not None
        levels, finest, coarsest, reason = self._shown
        self._shown = (levels, value, coarsest, reason) if setting == "finest" else (levels, finest, value, reason)


def reason_against(hierarchy: object) -> str:
    """Why no level of a hierarchy can be a limit; empty if it can.

    >>> reason_against({"kind": "prefix"})[:37], reason_against({"kind": "prefix", "steps": [3]})
    ('The levels depend on the longest valu', '')
    """
    table = hierarchy if isinstance(hierarchy, dict) else {}
    if table.get("kind") == "learned":
        return "The levels are learned from the data, so that none of them can be required."
    if table.get("kind") == "prefix" and not table.get("steps"):
        return f"The levels depend on the longest value. To choose some of them, fill in '{label_of('steps')}' above."
    return ""


def offered(levels: Sequence[LevelPreview], chosen: Any) -> dict[Any, str]:
    """The levels to choose from, in words, and the chosen one, whether the hierarchy has it or not.

    >>> offered([LevelPreview(0, 9, 1, ("12345",)), LevelPreview(1, 4, 7, ("1234*",))], 3)
    {0: 'the values themselves, such as 12345', 1: 'level 1, such as 1234*', 3: 'level 3'}
    """
    found: dict[Any, str] = {}
    for level in levels:
        words = f"level {level.level}" if level.level else "the values themselves"
        found[level.level] = f"{words}, such as {level.examples[0]}" if level.examples else words
    return found if chosen in found or not isinstance(chosen, int) else {**found, chosen: f"level {chosen}"}


class Protected:
    """The protected nodes of a sensitive column, each with its name, to add to and to remove from."""

    def __init__(
        self, workspace: Workspace, name: str, settings: Callable[[], Column], changed: Callable[[], None]
    ) -> None:
        self._workspace = workspace
        self._name = name
        self._settings = settings
        self._changed = changed
        self._place = box("stack")
        self._shown: object = None

    @property
    def _labels(self) -> list[str]:
        return list(self._workspace.plan.columns.get(self._name, {}).get("protected", ()))

    async def show(self, found: Preview | None) -> None:
        """Shows the nodes as they are in the plan."""
        column = self._workspace.plan.columns.get(self._name, {})
        now = (column.get("hierarchy"), self._labels, found is None)
        if column.get("role") != "sensitive" or now == self._shown:
            return
        self._shown = now
        try:
            names = await run.io_bound(_names, self._settings()) or {}
        except ShoalError:
            names = {}
        self._place.clear()
        if not self._labels and (not column.get("hierarchy") or reason_against(column.get("hierarchy"))):
            return
        with self._place, parts.card("Protected groups", note=_PROTECTED_NOTE):
            self._list(names)
            self._adding(found)

    def _list(self, names: dict[str, str]) -> None:
        if not self._labels:
            text("No group is protected.", "soft")
        with box("list"):
            for label in self._labels:
                with box("with-action"):
                    text(f"{label}  {names.get(label, '')}".strip(), "grow anywhere")
                    button = parts.quiet("Remove", lambda label=label: self._remove(label), "delete")
                    button.props["aria-label"] = f"Do not protect {label}"

    def _adding(self, found: Preview | None) -> None:
        with box("line") as line:
            field = ui.input("Label of a group, as the hierarchy writes it", autocomplete=_groups(found))
            field.props("outlined dense").style("width: 22rem")
        problem = box("stack")

        async def add() -> None:
            label = (field.value or "").strip()
            if not label or label in self._labels:
                return
            problem.clear()
            try:
                settings = self._settings()
                await run.io_bound(_require, self._name, label, settings)
            except ShoalError as error:
                with problem:
                    parts.error_box(error)
                return
            self._save([*self._labels, label])

        field.on("keydown.enter", add)
        with line:
            parts.second("Protect it", add, "add")

    def _remove(self, label: str) -> None:
        self._save([each for each in self._labels if each != label])

    def _save(self, labels: list[str]) -> None:
        self._workspace.plan.set_column(self._name, protected=labels or None)
        self._changed()


def _require(name: str, label: str, settings: Column) -> None:
    if settings.hierarchy is not None:
        require_nodes(name, [label], settings.hierarchy)


def _names(settings: Column) -> dict[str, str]:
    """The names of the protected nodes, if the hierarchy is of a classification."""
    if not isinstance(settings.hierarchy, hierarchies.Icd9 | hierarchies.Icd10 | hierarchies.Icd10Cm):
        return {}
    names = settings.hierarchy.names()
    return {label: names[label] for label in settings.protected if label in names}


def _groups(found: Preview | None) -> list[str]:
    """Groups of frequent values, the smallest first: those that the preview shows."""
    if found is None:
        return []
    inner = (path[level] for level in range(1, len(found.levels) - 1) for path, _ in found.paths)
    return list(dict.fromkeys(inner))[:_MOST_OFFERED]
