"""The step in which every column gets a role: as suggested, one by one, or many at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.counts import counted
from shoal.percent import percent
from shoal.studio.pages import models, parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.wording import WHO, plain
from shoal.studio.working_plan import UNDECIDED
from shoal.studio.workspace import Workspace

ROLES = {
    "identifier": ("Identifier", "Names a person: name, insurance number. Removed."),
    "quasi-identifier": (
        "Quasi-identifier",
        "Others may know it: birth date, postcode, sex, job. Made coarser, so that people cannot be told apart.",
    ),
    "sensitive": (
        "Sensitive",
        "Must not be linked to a person: diagnosis, treatment, income. Released as it is, protected by the models.",
    ),
    "quasi-sensitive": (
        "Quasi-sensitive set",
        "A set of items per row that may reveal a sensitive value: symptoms, drugs. Items are removed where needed.",
    ),
    "target": ("Target", "What the release will be used to predict. Released unchanged."),
    "insensitive": ("Insensitive", "Neither identifies nor harms anyone. Released unchanged."),
    "drop": ("Drop", "Not released."),
    UNDECIDED: ("Choose …", "Every column needs a role before the plan can run."),
}
_HELP = (
    "Removing names is not enough: someone who knows a neighbour's birth date, postcode and sex can often find exactly "
    "one row. So every column gets a role that says how it may be used against the people in the table.",
    "The suggestions come from the names and the contents of the columns. They are guesses: check each of them, most "
    "of all those with low confidence, and ask what a neighbour, an employer or a journalist could know.",
)
_EVERY_ROW = "Every row is an individual"
_WHO_NOTE = (
    "k counts individuals. If one individual has several rows, such as visits, choose the column that identifies "
    "individuals: five rows of one patient then count once. Otherwise these rows could form a class of their own. The "
    "column is removed from the release."
)
PURPOSES = {"general": "any analysis", "classification": "predicting one column", "wide": "a table with many columns"}
_PAGE = 60
_BODY = r"""
<q-tr :props="props">
  <q-td auto-width><q-checkbox v-model="props.selected" dense :aria-label="'Select ' + props.row.name" /></q-td>
  <q-td class="name" :title="props.row.name">{{ props.row.name }}<span class="sub">{{ props.row.content }}</span></q-td>
  <q-td>
    <select :value="props.row.role" :class="{undecided: props.row.role === 'undecided'}"
      :aria-label="'Role of ' + props.row.name"
      @change="$parent.$emit('role', {name: props.row.name, role: $event.target.value})">
      <option v-for="each in props.row.roles" :key="each[0]" :value="each[0]">{{ each[1] }}</option>
    </select>
  </q-td>
  <q-td class="reason">{{ props.row.reason }}</q-td>
  <q-td><span :class="'mark ' + props.row.kind">{{ props.row.confidence }}</span></q-td>
  <q-td class="unique" :title="props.row.unique_words"><span :class="{bar: true, high: props.row.unique > 0.2}"><i
    :style="{width: Math.round(props.row.unique * 100) + '%'}"></i></span>{{ props.row.unique_text }}</q-td>
  <q-td class="text-right">{{ props.row.missing }}</q-td>
</q-tr>
"""
_HEADS = (
    ("name", "column", "left"),
    ("role", "role", "left"),
    ("reason", "why this was suggested", "left"),
    ("confidence", "confidence", "left"),
    ("unique", "unique rows", "left"),
    ("missing", "missing", "right"),
)
_KIND = {"high": "good", "medium": "sea", "low": "care"}


def show(workspace: Workspace) -> None:
    """The page."""
    parts.head(
        "Give every column a role", "What could be known about a person, and what must not be learned?", private=True
    )
    parts.help_panel(_HELP, {title: words for title, words in ROLES.values() if title != "Choose …"})
    if workspace.profile is None:
        with parts.empty(
            "table_chart", "No table yet", "The columns appear here as soon as a table was opened and read."
        ):
            parts.primary("Open a table", lambda: parts.to_step("/"))
        return
    _Roles(workspace)


class _Roles:
    """The table of columns with the tools for many columns."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._filter = ""
        self._status = box("stack")
        self._person = _Person(workspace, self._refresh)
        self._tools()
        rows = self._rows()
        columns = [
            {"name": name, "label": label, "field": name, "align": align, "sortable": True}
            for name, label, align in _HEADS
        ]
        self._table = ui.table(
            rows=rows,
            columns=columns,
            row_key="name",
            selection="multiple",
            pagination=_PAGE if len(rows) > _PAGE else 0,
            on_select=self._count_selected,
        )
        self._table.classes("roles").props("flat dense wrap-cells" + (" hide-bottom" if len(rows) <= _PAGE else ""))
        self._table.add_slot("body", _BODY)
        self._table.on("role", lambda event: self._set([event.args["name"]], event.args["role"]))
        with box("line end"):
            parts.primary("Continue to the hierarchies", lambda: parts.to_step("/hierarchies"), "arrow_forward")
        self._refresh_status()

    def _tools(self) -> None:
        options = {role: title for role, (title, _) in ROLES.items() if role != UNDECIDED}
        with box("line"):
            search = ui.input(placeholder="Filter columns").props("outlined dense clearable debounce=150")
            search.style("width: 13rem").props["aria-label"] = "Filter columns"
            search.on_value_change(lambda event: self._find(event.value or ""))
            self._bulk = ui.select(options, label="Role of the selected columns").props("outlined dense")
            self._bulk.style("width: 18rem")
            self._apply_button = parts.second(apply_words(0, 0), self._apply)
            box("spring")
            parts.second("Suggest again …", self._anew, "auto_awesome")

    def _anew(self) -> None:
        """Asks for which purpose roles are suggested again."""
        workspace = self._workspace
        with parts.asked("width: 34rem") as dialog:
            text("Suggest the roles again", tag="h2")
            text("The plan is replaced by a new draft; your changes to roles, hierarchies and models are lost.", "soft")
            purpose = (
                ui.select(PURPOSES, value="general", label="The release is for")
                .props("outlined dense")
                .style("width: 100%")
            )
            target = ui.select(workspace.column_names, label="The column to predict", with_input=True)
            target.props("outlined dense").style("width: 100%").bind_visibility_from(
                purpose, "value", lambda value: value == "classification"
            )

            def start() -> None:
                workspace.profile_anew(purpose.value, target.value if purpose.value == "classification" else None)
                dialog.close()
                self._wait()

            with box("line end"):
                parts.second("Keep the plan", dialog.close)
                parts.primary("Suggest again", start)

    def _wait(self) -> None:
        """Follows the profile, then shows the new draft."""

        def look() -> None:
            is_over = not self._workspace.is_busy("profile")
            self._workspace.collect()
            if is_over:
                timer.cancel()
                self._table.rows = self._rows()
            self._refresh_status()

        with self._table:
            timer = ui.timer(0.3, look)
        self._refresh_status()

    def _rows(self) -> list[dict[str, Any]]:
        """The rows of the table that have what is typed into the filter in their texts."""
        profile = self._workspace.profile
        assert profile is not None
        rows = [self._row(column) for column in profile["columns"]]
        return [row for row in rows if self._filter in " ".join(map(str, row["found_by"])).lower()]

    def _row(self, column: dict[str, Any]) -> dict[str, Any]:
        plan, profile = self._workspace.plan, self._workspace.profile or {}
        role = plan.role(column["name"])
        titles = {each: title for each, (title, _) in ROLES.items() if each != UNDECIDED or role == UNDECIDED}
        drafted = (profile.get("drafted") or {}).get(column["name"]) or column
        reason = why(role, drafted)
        if plan.columns.get(column["name"], {}).get("target"):
            titles[role] += ", target"
            reason = f"the column to predict; {reason}"
        content = f"{column['type']}, {counted(column['distinct'], 'value', 'values')}"
        return {
            "name": column["name"],
            "role": role,
            "roles": [*titles.items()],
            "reason": reason,
            "confidence": column["confidence"],
            "kind": _KIND.get(column["confidence"], ""),
            "content": content,
            "unique": column["unique"],
            "unique_text": percent(column["unique"]),
            "unique_words": f"{percent(column['unique'])} of the rows have a value that no other row has.",
            "missing": percent(column["missing"]),
            "found_by": [column["name"], titles[role], reason, content, column["confidence"]],
        }

    def _find(self, words: str) -> None:
        self._filter = words.strip().lower()
        self._table.rows = self._rows()
        self._count_selected()

    def _count_selected(self) -> None:
        """Says on the button how many columns it changes, and how many of them the filter hides."""
        shown = {row["name"] for row in self._table.rows}
        selected = [row["name"] for row in self._table.selected]
        self._apply_button.set_text(apply_words(len(selected), sum(name not in shown for name in selected)))

    def _apply(self) -> None:
        names = [row["name"] for row in self._table.selected]
        if not names or not self._bulk.value:
            ui.notify("Select columns and a role first.", type="warning")
            return
        self._set(names, self._bulk.value)
        self._table.selected = []
        self._count_selected()

    def _set(self, names: list[str], role: str) -> None:
        self._workspace.plan.set_roles(names, role)
        self._refresh()

    def _refresh(self) -> None:
        self._table.rows = self._rows()
        self._refresh_status()

    def _refresh_status(self) -> None:
        self._status.clear()
        self._person.refresh()
        with self._status:
            _status(self._workspace)
            models.stale_models(self._workspace, self._refresh_status)


class _Person:
    """The choice of the column that identifies an individual."""

    def __init__(self, workspace: Workspace, changed: Callable[[], None]) -> None:
        self._workspace = workspace
        self._changed = changed
        with parts.card(WHO):
            self._options = {"": _EVERY_ROW, **{name: name for name in workspace.column_names}}
            with box("line"):
                self._select = ui.select(self._options, value="", label="Column that identifies an individual")
                self._select.props("outlined dense").style("width: 22rem")
                self._words = text("", "small")
            with parts.more("What this changes"):
                text(_WHO_NOTE, "soft")
            self._problem = box("stack")
        self.refresh()
        self._select.on_value_change(lambda event: self._set(event.value or None))

    def _set(self, column: str | None) -> None:
        plan = self._workspace.plan
        if column == plan.person:
            return
        before = None if column is None else plan.role(column)
        plan.set_person(column)
        if column is not None and plan.role(column) != before:
            ui.notify(f"'{column}' is an identifier now: it is removed from the release.", position="top")
        self._changed()

    def refresh(self) -> None:
        """Shows the choice as it is in the plan."""
        person = self._workspace.plan.person
        if person is not None and person not in self._options:  # the plan may be of another table
            self._options[person] = person
            self._select.set_options(self._options)
        self._select.set_value(person or "")
        self._words.set_text(individuals(person, self._workspace.profile or {}))
        self._problem.clear()
        problem = self._workspace.plan.person_problem
        if problem is not None:
            with self._problem:
                parts.error_box(problem)


def individuals(person: str | None, profile: Mapping[str, Any]) -> str:
    """How many individuals a table has, as they are counted.

    >>> individuals("id", {"rows": 3000, "columns": [{"name": "id", "distinct": 1200}]})
    "Rows with the same 'id' are one individual: 1,200 individuals in 3,000 rows."
    """
    rows = counted(profile.get("rows", 0), "row", "rows")
    if person is None:
        return f"Every row counts as an individual of its own: {rows}."
    found = [column["distinct"] for column in profile.get("columns", ()) if column["name"] == person]
    number = f": {counted(found[0], 'individual', 'individuals')} in {rows}" if found else ""
    return f"Rows with the same '{person}' are one individual{number}."


def why(role: str, suggested: Mapping[str, Any]) -> str:
    """Why a role was suggested; and which, if the column has another one.

    >>> why("drop", {"role": "sensitive", "reason": "a diagnosis"}), why("drop", {"role": "drop", "reason": "a date"})
    ('a diagnosis. Suggested: sensitive.', 'a date')
    """
    reason = plain(str(suggested["reason"]))
    if role in (suggested["role"], UNDECIDED):
        return reason
    return f"{reason.removesuffix('.')}. Suggested: {ROLES[suggested['role']][0].lower()}."


def apply_words(selected: int, hidden: int) -> str:
    """What the button for many columns says.

    >>> apply_words(0, 0), apply_words(12, 3)
    ('Apply to the selected', 'Apply to 12 selected, 3 of them hidden')
    """
    if not selected:
        return "Apply to the selected"
    return f"Apply to {selected} selected" + (f", {hidden} of them hidden" if hidden else "")


def _status(workspace: Workspace) -> None:
    job = workspace.job("profile")
    if workspace.is_busy("profile"):
        parts.note("sea", "Looking at the columns …", "" if job is None else job.stage.words)
        return
    if job is not None and job.failure is not None:
        parts.error_box(job.failure, "The table cannot be profiled for this purpose")
    undecided = workspace.undecided()
    if undecided:
        parts.note(
            "care", f"{counted(len(undecided), 'column has', 'columns have')} no role yet", ", ".join(undecided[:12])
        )
    _together(workspace)


def _together(workspace: Workspace) -> None:
    """How identifying the columns are, as far as the suggested roles were kept."""
    profile = workspace.profile or {}
    riskiest = profile.get("riskiest") or []
    entries = []
    if profile.get("together"):
        share = percent(profile["together"]["unique"])
        entries.append(("Unique rows", share, "on all suggested quasi-identifiers"))
    for worst in riskiest:
        entries.append(
            (counted(len(worst["columns"]), "column", "columns"), percent(worst["unique"]), ", ".join(worst["columns"]))
        )
    if entries:
        with parts.card("How many rows are unique", note="Someone who knows these facts about a person finds one row."):
            parts.figures(entries)
