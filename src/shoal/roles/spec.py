"""Converts plan tables to frozen dataclasses and back: `{kind = "k-anonymity", k = 5}` is `KAnonymity(k=5)`.

A family (models, algorithms, forms, hierarchies) is defined by its `ALL` tuple. This module uses only that tuple and
the fields of its members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from shoal.errors import PlanError, did_you_mean


def from_table(family: Sequence[type], what: str, table: object) -> Any:
    """The member of `family` that `table` describes; a value that is not a table is returned unchanged.

    >>> from shoal.hierarchies import ALL
    >>> from_table(ALL, "hierarchy", {"kind": "intervals", "widths": [5, 10]})
    Intervals(widths=(5, 10), origin=0)
    """
    if isinstance(table, type):
        name = table.__name__
        raise PlanError(
            f"{_article(what)} {what} must be a value; got the class '{name}'.",
            hint=f"write {name}(…) with its parameters.",
        )
    if not isinstance(table, Mapping):
        return table
    given = dict(table)
    kind = given.pop("kind", None)
    cls = member(family, what, kind)
    _check_keys(cls, what, kind, given)
    return _validated(cls, what, kind, given)


def member(family: Sequence[type], what: str, kind: object) -> type:
    """The member of `family` with this kind."""
    known = {cls.kind: cls for cls in family}  # type: ignore[attr-defined]
    allowed = f"Allowed: {', '.join(known)}."
    if kind is None:
        raise PlanError(
            f"{_article(what)} {what} needs a 'kind'.", allowed=allowed, hint=f'kind = "{next(iter(known))}"'
        )
    if not isinstance(kind, str) or kind not in known:
        near = did_you_mean(str(kind), known) or "`shoal plan schema` lists the keys of a plan."
        raise PlanError(f"There is no {what} of kind {kind!r}.", allowed=allowed, hint=near)
    return known[kind]


def _article(what: str) -> str:
    return "An" if what[0] in "aeiou" else "A"


def to_table(value: Any) -> dict[str, Any]:
    """The plan table of a dataclass: its kind, and every field that differs from its default."""
    table: dict[str, Any] = {"kind": value.kind}
    for item in fields(value):
        current = getattr(value, item.name)
        if current is not None and current != _default(item):
            table[item.name] = _plain(current)
    return table


def _plain(value: Any) -> Any:
    """The value in TOML types: tuples as lists, mappings as tables."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def schema(family: Sequence[type]) -> dict[str, Any]:
    """The JSON schema of a family: one of its members, distinguished by `kind`."""
    return {"oneOf": [_member_schema(cls) for cls in family]}


def _member_schema(cls: Any) -> dict[str, Any]:
    member_schema = dict(TypeAdapter(cls).json_schema())
    about = (cls.__doc__ or "").strip().splitlines()
    member_schema["title"] = cls.kind
    member_schema["description"] = about[0] if about else ""
    member_schema["properties"] = {"kind": {"const": cls.kind}, **member_schema.get("properties", {})}
    member_schema["required"] = ["kind", *member_schema.get("required", [])]
    member_schema["additionalProperties"] = False
    return member_schema


@cache
def _fields(cls: type) -> dict[str, TypeAdapter[Any]]:
    """The validator of each field; validating a complete dataclass would accept `k = "5"` as 5."""
    hints = get_type_hints(cls)
    return {item.name: TypeAdapter(hints[item.name]) for item in fields(cls) if item.init}


def _validated(cls: type, what: str, kind: object, given: Mapping[str, Any]) -> Any:
    listed = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    for name, value in listed.items():
        try:
            _fields(cls)[name].validate_python(value, strict=True)
        except ValidationError as error:
            raise PlanError(
                f"The '{name}' of {what} '{kind}' is invalid: {expected(error.errors(include_url=False))}.",
                hint=_more(what, kind),
            ) from None
    try:
        return cls(**listed)
    except PlanError as error:
        raise PlanError(error.fact, allowed=error.allowed, hint=error.hint or _more(what, kind)) from None


def _more(what: str, kind: object) -> str:
    return (
        f"`shoal explain {kind}` describes the model."
        if what == "model"
        else "`shoal plan schema` lists the keys of a plan."
    )


def expected(errors: Sequence[Any]) -> str:
    """The expected types of a value, in words.

    >>> expected([{"msg": "Input should be a valid integer"}, {"msg": "Input should be a valid date"}])
    'it should be an integer or a date'
    """
    wanted = dict.fromkeys(error["msg"].removeprefix("Input should be ") for error in errors)
    words = [_WORDS.get(word, word[:1].lower() + word[1:]) for word in wanted]
    return f"it should be {' or '.join(words)}" if all("Input" in error["msg"] for error in errors) else words[0]


_PARTS = ("Column", "Data", "EngineSettings", "ReleaseSettings", "RiskSettings")
_WORDS = {
    "a valid tuple": "a list",
    "an instance of Sequence": "a list",
    "a valid string": "text",
    "a valid integer": "an integer",
    "a valid number": "a number",
    "a valid date": "a date",
    "a valid datetime": "a date-time",
    "a valid boolean": "true or false",
    "a valid dictionary": "a table",
    **{f"a valid dictionary or instance of {part}": f"a table or a {part}" for part in _PARTS},
    "None": "omitted",
}


def _check_keys(cls: type, what: str, kind: object, given: Mapping[str, Any]) -> None:
    known = [item.name for item in fields(cls) if item.init]
    allowed = f"Allowed: {', '.join(known) or 'none'}."
    for key in given:
        if key not in known:
            raise PlanError(
                f"'{key}' is not a parameter of {what} '{kind}'.",
                allowed=allowed,
                hint=did_you_mean(key, known) or _more(what, kind),
            )
    for item in fields(cls):
        if item.init and item.name not in given and item.default is MISSING and item.default_factory is MISSING:
            raise PlanError(f"The {what} '{kind}' needs '{item.name}'.", allowed=allowed, hint=_more(what, kind))


def _default(item: Field[Any]) -> Any:
    return item.default_factory() if item.default_factory is not MISSING else item.default
