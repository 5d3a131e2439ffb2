"""A small plan as TOML tables, and the same with one thing changed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import PlanError
from shoal.plan.toml import from_tables

BASE: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier"},
        "dx": {"role": "sensitive"},
        "name": {"role": "identifier"},
        "cost": {"role": "insensitive"},
    },
    "models": [{"kind": "k-anonymity", "k": 5}],
}
ABSENT = object()


def changed(place: str, value: Any) -> dict[str, Any]:
    """The base plan's tables with one thing changed; `place` is a dotted path."""
    tables = copy.deepcopy(BASE)
    *heads, last = place.split(".")
    inner = tables
    for head in heads:
        inner = inner.setdefault(head, {})
    if value is ABSENT:
        del inner[last]
    else:
        inner[last] = value
    return tables


def model(**table: Any) -> list[dict[str, Any]]:
    return [table]


def named(mistakes: list[tuple[str, Any, str]]) -> list[str]:
    """What each mistake is called."""
    return [f"{place}={'absent' if value is ABSENT else repr(value)}"[:60] for place, value, _ in mistakes]


def refused(place: str, value: Any, says: str) -> None:
    """The base plan with this change is refused in one paragraph, with a hint."""
    with pytest.raises(PlanError, match=says) as caught:
        from_tables(changed(place, value), Path("/plans"))
    told = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in told and told.endswith((".", "?", '"', "}", "]"))
    assert caught.value.hint
