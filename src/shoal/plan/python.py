"""Plans as Python: the code that builds the same plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from shoal.plan.plan import Plan
from shoal.roles import spec
from shoal.roles.columns import Column, Part

_HELPERS = {
    "identifier": "identifier",
    "quasi-identifier": "quasi",
    "sensitive": "sensitive",
    "quasi-sensitive": "quasi_sensitive",
    "target": "target",
    "insensitive": "insensitive",
    "drop": "drop",
}


def as_python(plan: Plan, *, out: str = "release") -> str:
    """A program that builds the plan, creates the release in the folder `out`, and verifies it.

    >>> from shoal.models import KAnonymity
    >>> print(as_python(Plan(columns={"age": Column(role="quasi-identifier")}, models=[KAnonymity(k=5)])))
    import shoal
    <BLANKLINE>
    plan = shoal.Plan(
        columns={
            "age": shoal.quasi(),
        },
        models=[
            shoal.KAnonymity(k=5),
        ],
        algorithm=shoal.Mondrian(),
    )
    release = shoal.anonymize_to(plan, "release")
    print(shoal.verify_folder("release"))
    <BLANKLINE>
    """
    lines = ["import shoal"]
    if "datetime." in plan_expression(plan):
        lines.insert(0, "import datetime\n")
    call = f"release = shoal.anonymize_to(plan, {_text(out)})"
    return "\n".join(
        [*lines, "", f"plan = {plan_expression(plan)}", call, f"print(shoal.verify_folder({_text(out)}))\n"]
    )


def plan_expression(plan: Plan) -> str:
    """The expression whose value is the plan, given `import shoal`."""
    parts = []
    if plan.data != type(plan.data)():
        parts.append(f"data={_part('Data', plan.data)}")
    if plan.roles:
        parts.append(f"roles={_value({role: list(names) for role, names in plan.roles.items()})}")
    if plan.columns:
        columns = [f"    {_text(name)}: {_column(column)}," for name, column in plan.columns.items()]
        parts.append("\n    ".join(["columns={", *columns, "}"]))
    parts.append("\n    ".join(["models=[", *(f"    {_made(model)}," for model in plan.models), "]"]))
    parts.append(f"algorithm={_made(plan.algorithm)}")
    if plan.seed:
        parts.append(f"seed={plan.seed}")
    parts += [f"{name}={_other(getattr(plan, name))}" for name in _OTHERS if getattr(plan, name) != _default(name)]
    return "\n".join(["shoal.Plan(", *(f"    {part}," for part in parts), ")"])


_OTHERS = [
    name
    for name in Plan.model_fields
    if name not in ("data", "roles", "columns", "models", "algorithm", "seed")  # which are written one below the other
]


def _default(name: str) -> Any:
    return Plan.model_fields[name].default


def _other(value: Any) -> str:
    """A part of the plan with its settings, or a list of such as statistics."""
    if isinstance(value, Part):
        return _part(type(value).__name__, value)
    return "[" + ", ".join(map(_made, value)) + "]"


def _column(column: Column) -> str:
    given = _changed(column)
    given.pop("role")
    hierarchy = given.pop("hierarchy", None)
    if column.role == "quasi-sensitive" and column.items == "|":
        given.pop("items", None)
    first = [] if hierarchy is None else [_made(hierarchy, "hierarchies.")]
    return f"shoal.{_HELPERS[column.role]}({', '.join([*first, *_keywords(given)])})"


def _part(name: str, part: Part) -> str:
    return f"shoal.{name}({', '.join(_keywords(_changed(part)))})"


def _changed(part: Part) -> dict[str, Any]:
    """The settings that differ from their defaults."""
    return {
        name: getattr(part, name)
        for name, item in type(part).model_fields.items()
        if item.is_required() or getattr(part, name) != item.default
    }


def _made(value: Any, place: str = "") -> str:
    """The call that makes a model, an algorithm or a hierarchy."""
    given = {name: each for name, each in spec.to_table(value).items() if name != "kind"}
    shown = {item.name: getattr(value, item.name) for item in fields(value) if item.name in given}
    return f"shoal.{place}{type(value).__name__}({', '.join(_keywords(shown))})"


def _keywords(given: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_value(value)}" for name, value in given.items()]


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_value(key)}: {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_value, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    return repr(value)


def _text(text: str) -> str:
    """A text in double quotes where that needs no escape, as most code is written."""
    return f'"{text}"' if repr(text) == f"'{text}'" and '"' not in text else repr(text)
