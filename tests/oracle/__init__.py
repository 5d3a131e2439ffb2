"""Slow, plain definitions of every privacy model, to judge the fast ones by. Nothing here imports shoal.

A row is a dict from column to text, None where missing. A class is a list of rows. Which definition is that of a kind
its test module in `tests/models` declares, as ORACLE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.models.declared import declared

from . import knowledge
from .counting import Row, Setting

__all__ = ["Row", "Setting", "allows", "check", "knowledge", "passing"]


def passing(
    kind: str,
    parameters: Mapping[str, Any],
    classes: Sequence[Sequence[Row]],
    whole: Sequence[Row] | None = None,
    setting: Setting | None = None,
) -> list[bool]:
    """Which classes satisfy the model. `whole` is the table that shares are compared with: by default all classes."""
    table = [row for members in classes for row in members] if whole is None else whole
    judge = declared("models", kind, "ORACLE")
    return [judge(members, table, setting or Setting(), **parameters) for members in classes]


def check(
    kind: str,
    parameters: Mapping[str, Any],
    classes: Sequence[Sequence[Row]],
    whole: Sequence[Row] | None = None,
    setting: Setting | None = None,
) -> bool:
    """Whether every class satisfies the model."""
    return all(passing(kind, parameters, classes, whole, setting))


def allows(
    kind: str, parameters: Mapping[str, Any], rows: Sequence[Row], quasi: Sequence[str], setting: Setting
) -> bool:
    """Whether a released table keeps the promise of a model that judges whole tables; `rows` show released values."""
    fine: bool = declared("models", kind, "TABLE_ORACLE")(rows, quasi, setting=setting, **parameters)
    return fine
