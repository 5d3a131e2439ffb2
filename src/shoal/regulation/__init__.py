"""Regulatory views: what a regulation asks of a table, answered with findings and figures. A view is one file here.

No view judges whether a table meets a regulation. That is decided by those who are responsible for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from shoal.errors import ShoalError, did_you_mean
from shoal.plan import Plan
from shoal.regulation.base import Line, RegulatoryView, Section, View
from shoal.regulation.ema import Ema
from shoal.regulation.gdpr import Gdpr
from shoal.regulation.hipaa import Hipaa

ALL: tuple[type[RegulatoryView], ...] = (Hipaa, Ema, Gdpr)

__all__ = ["ALL", "Ema", "Gdpr", "Hipaa", "Line", "RegulatoryView", "Section", "View", "view"]


def view(kind: str, table: pl.DataFrame, plan: Plan, figures: Mapping[str, Any]) -> View:
    """The view of this kind on a table, raw or released. `figures`: the risk of the table, as `shoal risk --json`.

    >>> from shoal.models import KAnonymity
    >>> from shoal.roles.columns import quasi
    >>> plan = Plan(columns={"sex": quasi()}, models=[KAnonymity(k=2)])
    >>> found = view("gdpr", pl.DataFrame({"sex": ["f", "f"]}), plan, {"rows": 2, "uniques": 0})
    >>> [section.title for section in found.sections]
    ['Singling out', 'Linkability', 'Inference']
    """
    kinds = {cls.kind: cls for cls in ALL}
    if kind not in kinds:
        known = ", ".join(f"'{name}'" for name in kinds)
        raise ShoalError(f"There is no view '{kind}'.", allowed=f"Views are {known}.", hint=did_you_mean(kind, kinds))
    return kinds[kind]().of(table, plan, figures)
