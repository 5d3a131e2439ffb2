"""Draft plans as TOML: the suggested plan, with the reason for every role, for a steward to review."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shoal.models import ExtendedPSensitive
from shoal.percent import percent
from shoal.plan import Plan
from shoal.plan.toml import to_tables
from shoal.profiling.profile import ColumnProfile, Profile
from shoal.profiling.protected_nodes import PROTECTED
from shoal.profiling.protecting import names_of
from shoal.profiling.signs import DATE, DROP, QUASI, SENSITIVE, WHY

_NOT_RELEASED = "nearly unique, in a notation of dates that is not read, or without a model that could guard it"
_UNGUARDED_SETS = "sets of items, which no model of a draft guards"
_HOW_TO_RELEASE_DATES = (
    'Of these dates, role = "quasi-identifier" publishes ranges, and who has none; role = "sensitive" publishes exact '
    "dates, under a model."
)
_MANY_COLUMNS = 40
"""From this number, columns without settings are listed by role."""


def draft_text(plan: Plan, profile: Profile, source: str) -> str:
    """The plan in TOML, as `anonymize` reads it, with comments for the steward."""
    tables = to_tables(plan)
    data = {"source": source, **tables.get("data", {})}
    columns: dict[str, Mapping[str, object]] = tables.get("columns", {})
    columns |= {name: {"role": role} for role, names in plan.roles.items() for name in names}
    described = {column.name: column for column in profile.columns}
    bulk = set(columns) if plan.roles else _without_settings(columns)
    blocks = [_heading(plan, profile), _table("data", data)]
    blocks += _roles(columns, bulk, described)
    alone = {name: settings for name, settings in columns.items() if name not in bulk}
    first = _first_protected(alone)
    blocks += [
        _column(name, settings, described[name], [*_protected(name, settings, described[name], plan, first)])
        for name, settings in alone.items()
    ]
    blocks += [_table("[models]", model) for model in tables["models"]]
    algorithm = {key: value for key, value in tables["algorithm"].items() if key != "seed"}
    blocks += [_table("algorithm", algorithm), _table("release", {"form": "generalized", **tables.get("release", {})})]
    return "\n\n".join(blocks) + "\n"


def _without_settings(columns: Mapping[str, Mapping[str, object]]) -> set[str]:
    """The columns of a wide table that have a role and nothing else."""
    if len(columns) < _MANY_COLUMNS:
        return set()
    return {name for name, settings in columns.items() if list(settings) == ["role"]}


def _heading(plan: Plan, profile: Profile) -> str:
    lines = [
        f"Draft plan for {profile.rows:,} rows and {len(profile.columns):,} columns.",
        "Roles are guessed from names and values: check every role before you release anything.",
        *_left_out(plan, profile),
    ]
    if plan.roles:
        lines.append("No column is released yet: give those that you need a role.")
    elif not plan.quasi_identifiers:
        lines.append("No quasi-identifier was recognized, so all rows form one class and nothing is generalized.")
    if not plan.sensitive:
        lines.append("No sensitive column was recognized: no model limits what the release reveals about individuals.")
    if profile.together is not None:
        lines.append(f"All quasi-identifiers together: {percent(profile.together.unique)} of the rows are unique.")
    for worst in profile.riskiest:
        count, names = len(worst.columns), ", ".join(_string(name) for name in worst.columns)
        columns = "column" if count == 1 else f"{count} columns"
        lines.append(f"Most identifying {columns}: {names}: {percent(worst.unique)} of the rows are unique.")
    lines += [f"Warning: {warning}" for warning in profile.warnings]
    return "\n".join(f"# {line}" for line in lines)


def _left_out(plan: Plan, profile: Profile) -> list[str]:
    """The columns that are not released, with the reason."""
    names = {*plan.having(DROP), *plan.roles.get(DROP, ())}
    dropped = [column for column in profile.columns if column.name in names]
    if not dropped:
        return []
    listed = [f"  {_string(column.name)}: {_short(column)}" for column in dropped]
    how = [_HOW_TO_RELEASE_DATES] if any(map(_is_harmful_date, dropped)) else []
    return ["These columns are not released. Give those that you need another role:", *listed, *how]


def _short(column: ColumnProfile) -> str:
    """Why a column is dropped, without what follows from it."""
    if column.has_sets:
        return _UNGUARDED_SETS
    return _why(column).replace(f": {WHY[DROP]}", "") if column.role == DROP else _NOT_RELEASED


def _is_harmful_date(column: ColumnProfile) -> bool:
    return column.role == DROP and column.reason.startswith(DATE.what)


def _roles(
    columns: Mapping[str, Mapping[str, object]], bulk: set[str], described: Mapping[str, ColumnProfile]
) -> list[str]:
    """The columns of every role that have no settings, one a line with its reason."""
    by_role: dict[object, list[str]] = {}
    for name, settings in columns.items():
        if name in bulk:
            by_role.setdefault(settings["role"], []).append(name)
    if not by_role:
        return []
    lines = ["[roles]"]
    for role, names in by_role.items():
        width = max(len(_string(name)) for name in names) + 2
        lines += [
            f"{role} = [",
            *(f"    {_string(name) + ',':<{width}}# {_why(described[name])}" for name in names),
            "]",
        ]
    return ["\n".join(lines)]


def _column(name: str, settings: Mapping[str, object], described: ColumnProfile, protected: Sequence[str]) -> str:
    role, *others = settings.items()
    reason = reason_of(role[1], described)
    doubt = "" if reason == _instead(role[1]) else _doubt(described)
    lines = [f"[columns.{_key_name(name)}]", f"role = {_value(role[1])}  # {reason}{doubt}"]
    lines += [f"{key} = {_value(value)}" for key, value in others if key != "protected"]
    if role[1] == QUASI and described.hierarchy and "hierarchy" not in settings:
        lines.append(f"# hierarchy = {_value(described.hierarchy)}  # fixed labels instead of ranges, but more loss")
    return "\n".join([*lines, *protected])


def unprotected(plan: Plan, described: Iterable[ColumnProfile]) -> list[ColumnProfile]:
    """The sensitive columns of a draft that look like codes of a tree, but have values that it lacks."""
    return [
        each
        for each in described
        if each.hierarchy.get("kind") in PROTECTED
        and (column := plan.columns.get(each.name)) is not None
        and column.role == SENSITIVE
        and not column.protected
    ]


def _first_protected(columns: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Kind of tree → the first column with protected nodes in it, at which their reasons are given."""
    protected = {name: settings["hierarchy"]["kind"] for name, settings in columns.items() if "protected" in settings}
    return {kind: name for name, kind in reversed(protected.items())}


def _protected(
    name: str, settings: Mapping[str, Any], described: ColumnProfile, plan: Plan, first: Mapping[str, str]
) -> Iterator[str]:
    """The protected nodes of a column of codes, and why there are none, or none that a model uses."""
    if "protected" not in settings:
        if described in unprotected(plan, [described]):
            kind = described.hierarchy["kind"]
            yield f"# No nodes are protected: not all values are clearly codes of the hierarchy {kind}."
        return
    kind = settings["hierarchy"]["kind"]
    if name == first[kind]:
        yield from _explained(kind)
    else:
        yield f"protected = {_value(settings['protected'])}  # for the reasons given at column {_string(first[kind])}"
    if not any(name in model.reads for model in plan.models if model.kind == ExtendedPSensitive.kind):
        yield f"# Not guarded by {ExtendedPSensitive.kind}: too few rows lie outside of one protected group."


def _explained(kind: str) -> Iterator[str]:
    names = names_of(kind)
    yield "protected = ["
    yield from (f"    {_string(label)},  # {names[label]}: {reason}" for label, reason in PROTECTED[kind])
    yield "]"


def reason_of(role: object, column: ColumnProfile) -> str:
    """Why a draft gives a column this role, in one line."""
    reason = column.reason.replace("\n", " ")
    if role == column.role:
        return reason
    return f"not released: {_UNGUARDED_SETS}; {reason}" if column.has_sets and role == DROP else _instead(role)


def _why(column: ColumnProfile) -> str:
    return reason_of(column.role, column) + _doubt(column)


def _doubt(column: ColumnProfile) -> str:
    return "" if column.confidence == "high" else f" ({column.confidence} confidence)"


def _instead(role: object) -> str:
    if role == SENSITIVE:
        return "the variable to be predicted, guarded by a model"
    return f"not released: {_NOT_RELEASED}"


def _table(header: str, values: Mapping[str, object]) -> str:
    return "\n".join([f"[{header}]", *(f"{_key_name(name)} = {_value(value)}" for name, value in values.items())])


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key_name(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return str(value)


def _key_name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    """A TOML basic string; JSON escapes all characters that TOML requires, except delete."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
