"""Roles in bulk: exact names or patterns with `*`, for tables with many columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shoal.errors import PlanError
from shoal.roles.columns import Column, Role

Roles = Mapping[Role, Sequence[str]]


def matched(roles: Roles, listed: Mapping[str, Column], columns: Sequence[str], *, complete: bool) -> dict[str, Column]:
    """The listed columns, and those of the table that have a role by their name.

    A listed column keeps its settings. If the table is `complete`, every name must match a column: a pattern with a
    typing error would otherwise leave columns without the role that the steward meant them to have.

    >>> found = matched({"drop": ["*_text"]}, {}, ["a_text", "b_text", "age"], complete=True)
    >>> {name: column.role for name, column in found.items()}
    {'a_text': 'drop', 'b_text': 'drop'}
    """
    named: dict[str, Role] = {}
    for role, patterns in roles.items():
        for pattern in patterns:
            found = [name for name in columns if _expression(pattern).fullmatch(name)]
            if complete and not found:
                raise PlanError(
                    f"'{pattern}' under [roles] matches no column of the table.",
                    allowed="A name may contain *, which stands for any characters.",
                )
            for name in found:
                if named.setdefault(name, role) != role and name not in listed:
                    raise PlanError(
                        f"Column '{name}' has two roles under [roles]: '{named[name]}' and '{role}'.",
                        hint=f"list it under [columns.{name}], which takes precedence.",
                    )
    bulk = {name: Column(role=role) for name, role in named.items() if name not in listed}
    return {**listed, **bulk}


def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)
