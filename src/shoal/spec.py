"""Plan tables to frozen dataclasses and back: `{kind = "k-anonymity", k = 5}` is `KAnonymity(k=5)`.

A family (models, algorithms, forms, hierarchies) is its visible `ALL` tuple; everything here reads that and the fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError

from shoal.errors import PlanError, did_you_mean


def from_table(family: Sequence[type], what: str, table: object) -> Any:
    """The member of `family` that `table` describes; anything that is not a table is returned as it is.

    >>> from shoal.hierarchies import ALL
    >>> from_table(ALL, "hierarchy", {"kind": "intervals", "widths": [5, 10]})
    Intervals(widths=(5, 10), origin=0)
    """
    if not isinstance(table, Mapping):
        return table
    given = dict(table)
    kind = given.pop("kind", None)
    cls = member(family, what, kind)
    _check_keys(cls, what, kind, given)
    return _validated(cls, what, kind, given)


def member(family: Sequence[type], what: str, kind: object) -> type:
    """The member of `family` called `kind`."""
    known = {cls.kind: cls for cls in family}  # type: ignore[attr-defined]
    allowed = f"Allowed: {', '.join(known)}."
    if kind is None:
        raise PlanError(f"A {what} needs a 'kind'.", allowed=allowed)
    if not isinstance(kind, str) or kind not in known:
        raise PlanError(f"There is no {what} of kind {kind!r}.", allowed=allowed, hint=did_you_mean(str(kind), known))
    return known[kind]


def to_table(value: Any) -> dict[str, Any]:
    """The plan table of a dataclass: its kind and every field that is not at its default."""
    table: dict[str, Any] = {"kind": value.kind}
    for item in fields(value):
        current = getattr(value, item.name)
        if current is not None and current != _default(item):
            table[item.name] = _plain(current)
    return table


def _plain(value: Any) -> Any:
    """The value as TOML has it: lists and tables of its own kinds."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def schema(family: Sequence[type]) -> dict[str, Any]:
    """JSON schema of a family: one of its members, told apart by `kind`."""
    return {"oneOf": [_member_schema(cls) for cls in family]}


def _member_schema(cls: Any) -> dict[str, Any]:
    found = dict(_adapter(cls).json_schema())
    about = (cls.__doc__ or "").strip().splitlines()
    found["title"] = cls.kind
    found["description"] = about[0] if about else ""
    found["properties"] = {"kind": {"const": cls.kind}, **found.get("properties", {})}
    found["required"] = ["kind", *found.get("required", [])]
    found["additionalProperties"] = False
    return found


@cache
def _adapter(cls: type) -> TypeAdapter[Any]:
    config = ConfigDict(strict=True, arbitrary_types_allowed=True)
    try:
        return TypeAdapter(cls, config=config)
    except PydanticUserError:
        return TypeAdapter(cls)


def _validated(cls: type, what: str, kind: object, given: Mapping[str, Any]) -> Any:
    listed = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    try:
        return _adapter(cls).validate_python(listed)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"] if isinstance(part, str) and part in given)
        raise PlanError(f"The '{place}' of {what} '{kind}' is wrong: {first['msg'].lower()}.") from None


def _check_keys(cls: type, what: str, kind: object, given: Mapping[str, Any]) -> None:
    known = [item.name for item in fields(cls) if item.init]
    allowed = f"Allowed: {', '.join(known) or 'none'}."
    for key in given:
        if key not in known:
            raise PlanError(
                f"'{key}' is not a parameter of {what} '{kind}'.", allowed=allowed, hint=did_you_mean(key, known)
            )
    for item in fields(cls):
        if item.init and item.name not in given and item.default is MISSING and item.default_factory is MISSING:
            raise PlanError(f"The {what} '{kind}' needs '{item.name}'.", allowed=allowed)


def _default(item: Field[Any]) -> Any:
    return item.default_factory() if item.default_factory is not MISSING else item.default
