"""Slow, plain definitions of every privacy model, to judge the fast ones by. Nothing here imports shoal.

A row is a dict from column to text, None where missing. A class is a list of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import (
    alpha_k,
    beta_likeness,
    delta_disclosure,
    diversity,
    k_anonymity,
    knowledge,
    l_diversity,
    p_sensitive,
    t_closeness,
)
from .counting import Row, Setting

__all__ = ["FAMILIES", "Row", "Setting", "check", "passing"]

FAMILIES: dict[str, Callable[..., bool]] = {
    "k-anonymity": k_anonymity.passes,
    "l-diversity": l_diversity.passes,
    "t-closeness": t_closeness.passes,
    "alpha-k": alpha_k.passes,
    "lkc": knowledge.passes,
    "p-sensitive": p_sensitive.passes,
    "beta-likeness": beta_likeness.passes,
    "delta-disclosure": delta_disclosure.passes,
    "multi-sensitive": diversity.passes,
    "exponential-l": diversity.passes_exponential,
}


def passing(
    kind: str,
    parameters: Mapping[str, Any],
    classes: Sequence[Sequence[Row]],
    whole: Sequence[Row] | None = None,
    setting: Setting | None = None,
) -> list[bool]:
    """Which classes satisfy the model. `whole` is the table that shares are compared with: by default all classes."""
    table = [row for members in classes for row in members] if whole is None else whole
    judge = FAMILIES[kind]
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
