"""The plan that a steward edits: the tables of the project's plan.toml, which may be incomplete while they are edited.

The file on disk is the only state, so that every page shows the same plan after a reload, and the steward may edit the
file with another program.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import tomli_w

from shoal import models as all_models
from shoal.errors import PlanError, ShoalError
from shoal.plan import Plan
from shoal.plan.checks import check_levels
from shoal.plan.toml import from_tables
from shoal.roles.columns import REMOVED, Column
from shoal.roles.described import Parameter, parameters
from shoal.studio.wording import WHO, columns_of

UNDECIDED = "undecided"
"""The role of a column that has none yet; the plan does not list the column."""


class Keeper(Protocol):
    """What keeps the plan: a project."""

    @property
    def folder(self) -> Path: ...

    def plan_text(self) -> str | None: ...

    def save_plan(self, text: str) -> None: ...


class WorkingPlan:
    """The tables of a plan, each change of which is saved at once; `problem` says why they are no plan yet."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._text: str | None = None
        self._damage: ShoalError | None = None
        self._tables: dict[str, Any] = {}
        self._checked: tuple[Plan | None, ShoalError | None] | None = None
        self._invalid: dict[str, ShoalError] | None = None
        self._own: str | None = None
        self._taken: dict[str, dict[str, Any]] = {}
        self._others: dict[str, dict[object, dict[str, Any]]] = {}

    @property
    def tables(self) -> dict[str, Any]:
        """All tables; a copy, which may be changed. Columns that `roles` lists by name are under `columns`."""
        return copy.deepcopy(self._read())

    @property
    def columns(self) -> Mapping[str, Mapping[str, Any]]:
        """Column → its settings."""
        return dict(self._read().get("columns", {}))

    @property
    def models(self) -> list[dict[str, Any]]:
        """The models, with those parameters that are set so far."""
        return self.tables.get("models", [])  # type: ignore[no-any-return]

    @property
    def data(self) -> dict[str, Any]:
        """The source and how it is read."""
        return self.tables.get("data", {})  # type: ignore[no-any-return]

    @property
    def algorithm(self) -> dict[str, Any]:
        """The algorithm with its parameters and the seed."""
        return {"kind": "mondrian", **self.tables.get("algorithm", {})}

    @property
    def release(self) -> dict[str, Any]:
        """How the release is published."""
        return self.tables.get("release", {})  # type: ignore[no-any-return]

    def role(self, column: str) -> str:
        """The role of a column; `UNDECIDED` if it has none."""
        return str(self._read().get("columns", {}).get(column, {}).get("role", UNDECIDED))

    def having(self, *roles: str) -> list[str]:
        """The columns with one of these roles, in the order of the plan."""
        return [name for name, column in self.columns.items() if column.get("role") in roles]

    @property
    def person(self) -> str | None:
        """The column whose values identify individuals; None if every row is an individual."""
        found = self.data.get("person")
        return found if isinstance(found, str) else None

    @property
    def person_problem(self) -> ShoalError | None:
        """Why the column that identifies individuals cannot be that column: it would be released."""
        person = self.person
        if person is None or self.role(person) in (*REMOVED, UNDECIDED):
            return None
        return PlanError(
            f"'{person}' identifies individuals, so that it must be removed from the release.",
            hint=f"give '{person}' the role Identifier, or choose another column under '{WHO}'.",
        )

    @property
    def plan(self) -> Plan | None:
        """The plan that the tables describe; None if they have a problem."""
        return self._judged()[0]

    @property
    def damage(self) -> ShoalError | None:
        """Why the file cannot be edited; None if it can. Until it is repaired or replaced, the plan counts as empty."""
        self._read()
        return self._damage

    @property
    def problem(self) -> ShoalError | None:
        """Why the tables are not a plan yet; None if they are."""
        return self._judged()[1]

    @property
    def hierarchy_problems(self) -> dict[str, ShoalError]:
        """Column → why its hierarchy is invalid, or does not have the levels or nodes that the column names.

        A hierarchy that lacks values of the data is not found here.
        """
        columns = self.columns
        if self._invalid is None:
            self._invalid = {name: error for name in columns if (error := _invalid(name, columns[name])) is not None}
        return dict(self._invalid)

    @property
    def stale_models(self) -> list[int]:
        """The places of the models that name a column whose role is no longer the one that they are for."""
        return [place for place, table in enumerate(self.models) if self.stale_columns(table)]

    def stale_columns(self, table: Mapping[str, Any]) -> list[str]:
        """The columns of a model whose role is no longer the one that the model is for."""
        cls = next((each for each in all_models.ALL if each.kind == table.get("kind")), None)
        asked = [] if cls is None else [role_asked(each) for each in parameters(cls) if each.name in _COLUMNS]
        by_pattern = self._read().get("roles")
        return [
            name
            for name in columns_of(table)
            if asked and self.role(name) not in asked
            if name in self.columns or not by_pattern
        ]

    def text(self) -> str:
        """The file as it is."""
        self._read()
        return self._text or ""

    # Changes

    def replace(self, text: str) -> None:
        """Replaces the whole plan by the text of another, also if the file cannot be read."""
        tomllib.loads(text)
        self._keeper.save_plan(text)
        self._forget()

    def set_roles(self, columns: Iterable[str], role: str) -> None:
        """Gives columns a role; settings that the role cannot have are kept aside until the column may have them again.

        They are forgotten when the plan is replaced, and when the studio ends.
        """
        tables = self.tables
        listed = tables.setdefault("columns", {})
        for name in columns:
            if listed.get(name, {}).get("role", UNDECIDED) == role:
                continue
            known = {**self._taken.get(name, {}), **listed.get(name, {})}
            fitting = {} if role == UNDECIDED else _fitting({**known, "role": role})
            self._taken[name] = {key: value for key, value in known.items() if key not in (*fitting, "role")}
            if fitting:
                listed[name] = fitting  # where it was in the plan
            else:
                del listed[name]
        self._save(tables)

    def set_column(self, column: str, **settings: Any) -> None:
        """Changes settings of a column that has a role; None removes one.

        Text is published by a hierarchy that is chosen here, even if the draft published sets of values.
        """
        tables = self.tables
        changed = tables.setdefault("columns", {}).setdefault(column, {})
        _update(changed, settings)
        if changed.get("role") == "quasi-identifier" and (settings.get("hierarchy") or {}).get("kind") in _OF_TEXT:
            tables.setdefault("release", {})["categories"] = "hierarchy"
        self._save(tables)

    def choose_hierarchy(self, column: str, table: Mapping[str, Any] | None) -> None:
        """Gives a column a hierarchy of another kind, or with another file; None removes it.

        Levels and protected nodes are those of one hierarchy: they are kept aside with it, and all of them come back if
        it is chosen again.
        """
        before = self.columns.get(column, {})
        others = self._others.setdefault(column, {})
        others[_which(before.get("hierarchy"))] = {name: before.get(name) for name in _OF_HIERARCHY}
        new = {**dict.fromkeys(_OF_HIERARCHY), "hierarchy": None if table is None else dict(table)}
        self.set_column(column, **others.get(_which(table), new))

    def set_person(self, column: str | None) -> None:
        """Makes a column identify individuals, and removes it from the release; None: every row is an individual."""
        self.set_part("data", person=column)
        if self.person_problem is not None or (column is not None and self.role(column) == UNDECIDED):
            self.set_roles([str(column)], "identifier")

    def set_part(self, part: str, **settings: Any) -> None:
        """Changes settings of `data` or `release`; None removes one."""
        tables = self.tables
        _update(tables.setdefault(part, {}), settings)
        self._save(tables)

    def set_models(self, models: Iterable[Mapping[str, Any]]) -> None:
        """Replaces the models."""
        self._save({**self.tables, "models": [dict(model) for model in models]})

    def remove_stale_models(self) -> int:
        """Removes the models of columns that have another role now, and such columns from models of several.

        Returns how many models were removed.
        """
        before = self.models
        kept = [model for model in (self._without_stale(table) for table in before) if model is not None]
        self.set_models(kept)
        return len(before) - len(kept)

    def _without_stale(self, table: dict[str, Any]) -> dict[str, Any] | None:
        """A model of those columns that still have their role; None if none of its columns has."""
        stale = self.stale_columns(table)
        left = [name for name in columns_of(table) if name not in stale]
        if not stale:
            return table
        return {**table, "columns": left} if left else None

    def set_algorithm(self, **parameters: Any) -> None:
        """Replaces the algorithm and its parameters; the seed stays unless it is given."""
        seed = self.algorithm.get("seed", 0)
        given = {name: value for name, value in parameters.items() if value is not None}
        self._save({**self.tables, "algorithm": {"seed": seed, **given}})

    def _save(self, tables: Mapping[str, Any]) -> None:
        if self._damage is not None:  # what the file says would be lost
            raise self._damage
        self._own = tomli_w.dumps(_ordered(tables))
        self._keeper.save_plan(self._own)

    def _read(self) -> dict[str, Any]:
        try:
            text = self._keeper.plan_text()
        except ShoalError as error:
            self._text, self._tables, self._damage = None, {}, error
            self._checked, self._invalid = (None, error), None
            return self._tables
        if text != self._text or (text is None and self._damage is not None):
            self._text, self._checked, self._invalid = text, None, None
            if text != self._own:
                self._forget()  # another program changed the file
            self._tables, self._damage = _tables_in(text or "")
            if self._damage is not None:
                self._checked = (None, self._damage)
        return self._tables

    def _forget(self) -> None:
        """Forgets the settings that were kept aside: they are those of another plan."""
        self._taken, self._others = {}, {}

    def _judged(self) -> tuple[Plan | None, ShoalError | None]:
        tables = self._read()
        if self._checked is None:
            try:
                self._checked = (from_tables(tables, self._keeper.folder), None)
            except ShoalError as error:
                self._checked = (None, error)
        return self._checked


def role_asked(parameter: Parameter) -> str:
    """The role of the columns that a parameter of a model names."""
    return "quasi-sensitive" if "quasi-s" in parameter.allowed else "sensitive"


_COLUMNS = ("column", "columns")
_OF_TEXT = ("file", "prefix", "icd9", "icd10", "icd10cm")
"""The hierarchies of text, which `categories` decides to use."""
_OF_HIERARCHY = ("hierarchy", "finest", "coarsest", "protected")
"""The settings that are about one hierarchy."""
_ONLY = {
    "quasi-identifier": {"type", "top", "bottom", "hierarchy", "weight", "finest", "coarsest"},
    "sensitive": {"type", "hierarchy", "protected", "missing_counts", "target"},
    "quasi-sensitive": {"hierarchy", "items", "knowledge", "knowledge_sha256", "publish_knowledge"},
    "target": {"type"},
}


def _which(hierarchy: object) -> object:
    """What two hierarchies have in common if one is the other with changed settings: kind and file."""
    return (hierarchy.get("kind"), hierarchy.get("path")) if isinstance(hierarchy, Mapping) else None


def _invalid(name: str, column: Mapping[str, Any]) -> ShoalError | None:
    """Why the hierarchy of a column is invalid, or does not have its levels or nodes; None if all is well."""
    given = {key: column[key] for key in _OF_HIERARCHY if key in column}
    try:
        check_levels(name, Column(role="quasi-identifier", **given))
    except ShoalError as error:
        return error
    return None


def _fitting(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that the role can have."""
    allowed = {"role", *_ONLY.get(settings["role"], set())}
    return {name: value for name, value in settings.items() if name in allowed}


def _update(table: dict[str, Any], settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if value is None:
            table.pop(name, None)
        else:
            table[name] = value


def _tables_in(text: str) -> tuple[dict[str, Any], ShoalError | None]:
    """The tables of a plan; none, and the reason, if the text is not one that can be edited."""
    hint = "correct the file, or replace it with a new draft."
    try:
        tables = _expanded(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return {}, PlanError("The project's plan.toml is not valid TOML.", hint=hint)
    if not _is_editable(tables):
        return {}, PlanError("The project's plan.toml does not have the form of a plan.", hint=hint)
    return tables, None


def _is_editable(tables: Mapping[str, Any]) -> bool:
    """Whether the parts of a plan that pages edit are tables and lists, whatever they contain."""
    named = [tables.get(name, {}) for name in ("data", "columns", "algorithm", "release")]
    models = tables.get("models", [])
    if not isinstance(models, list) or not all(isinstance(table, dict) for table in (*named, *models)):
        return False
    columns = list(named[1].values())
    if not all(isinstance(column, dict) for column in columns):
        return False
    kinds = [column.get("hierarchy", {}) for column in columns] + models + [tables.get("algorithm", {})]
    return all(isinstance(table, dict) and isinstance(table.get("kind", ""), str) for table in kinds)


def _expanded(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables with every column that `roles` lists by name under `columns`; patterns stay where they are."""
    roles, columns = tables.get("roles", {}), tables.get("columns", {})
    if not isinstance(roles, dict) or not isinstance(columns, dict):
        return tables
    names = {name: role for role, listed in roles.items() if isinstance(listed, list) for name in listed}
    if any(not isinstance(name, str) for name in names):
        return tables
    plain = {name: {"role": role} for name, role in names.items() if "*" not in name}
    patterns = {role: [name for name in listed if "*" in name] for role, listed in roles.items()}
    kept = {role: listed for role, listed in patterns.items() if listed}
    others = {key: value for key, value in tables.items() if key != "roles"}
    return {**others, **({"roles": kept} if kept else {}), "columns": {**plain, **columns}}


_ORDER = ("data", "roles", "columns", "models", "algorithm", "engine", "release", "risk", "statistics")


def _ordered(tables: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: tables[name] for name in _ORDER if tables.get(name)}
    return {**known, **{name: value for name, value in tables.items() if name not in _ORDER}}
