"""Errors in the words of the pages: what a plan writes as `role = "drop"` is a choice there, and nobody types commands.

A text that is not known here stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shoal.errors import ShoalError
from shoal.report.numbers import number
from shoal.studio.states import Failure

RANGES = {
    "tight": "from the smallest to the largest value of a group",
    "cut": "from cut to cut, so at nobody's exact value",
}
"""How ranges are published → in words."""
CATEGORIES = {"hierarchy": "as a group of its hierarchy, or *", "sets": "as a list of values, such as {cook, waiter}"}
"""How text is published → in words."""
FORMS = {"generalized": "one table, made coarser", "anatomy": "two tables, linked by groups"}
"""Form of the release → in words."""
_PLAN = (
    (r'set ranges = "tight" under \[release\]', "below, publish ranges from the smallest to the largest value"),
    (r'ranges = "cut"', "publishing ranges from cut to cut"),
    (r'role = "sensitive" and target = true', "the role Sensitive, and be the column to predict"),
    (r'role = "quasi-identifier"', "the role Quasi-identifier"),
    (r'role = "quasi-sensitive"', "the role Quasi-sensitive set"),
    (r'role = "(\w)(\w*)"', lambda found: f"the role {found[1].upper()}{found[2]}"),
    (r'form = "(generalized|anatomy)"', lambda found: f"the form '{FORMS[found[1]]}'"),
    (r'write \[\[models\]\], and below it kind = "([\w-]+)" and k = 5', r"add the model \1"),
    (r"`shoal explain [\w-]+` describes the model\.", ""),
    (r"`shoal plan schema` lists the keys of a plan\.", ""),
    (r'name one with --sheet NAME, in a plan with sheet = "…" under \[data\]\.', "choose one of them."),
    (r'kind = "([\w-]+)"', r"\1"),
)
_NEEDS = re.compile(r"The (\w+) '([\w-]+)' needs '(\w+)'\.")


def plain(text: str) -> str:
    """A sentence without the syntax of plans and commands.

    >>> plain('give it role = "sensitive", or name another column.')
    'give it the role Sensitive, or name another column.'
    """
    for pattern, words in _PLAN:
        text = re.sub(pattern, words, text)  # type: ignore[arg-type]
    return text.strip()


def in_words(error: ShoalError | Failure) -> Failure:
    """An error as pages show it.

    >>> from shoal.errors import PlanError
    >>> in_words(PlanError("The model 'k-anonymity' needs 'k'.", allowed="Allowed: k.", hint="see the list.")).error
    "'k' is empty."
    """
    failure = error if isinstance(error, Failure) else Failure.of(error)
    if found := _NEEDS.fullmatch(failure.error):
        return Failure(f"'{found[3]}' is empty.", hint=f"fill in '{found[3]}' of {found[2]}.")
    fact, _, hint = failure.error.partition(" Hint: ")
    return Failure(plain(fact), plain(failure.allowed), plain(hint or failure.hint), failure.exit_code)


def titled(table: Mapping[str, Any]) -> str:
    """The name of a model with its columns.

    >>> titled({"kind": "t-closeness", "column": "lab_02", "t": 0.2}), titled({"kind": "k-anonymity", "k": 5})
    ('t-closeness of lab_02', 'k-anonymity')
    """
    columns = columns_of(table)
    return f"{table.get('kind')} of {', '.join(columns)}" if columns else str(table.get("kind"))


def summarized(table: Mapping[str, Any]) -> str:
    """A model with its columns and parameters.

    >>> summarized({"kind": "t-closeness", "column": "lab_02", "t": 0.2, "values": ["a", "b"]})
    't-closeness of lab_02 (t = 0.2, values: a, b)'
    """
    parameters = {name: value for name, value in table.items() if name not in ("kind", "column", "columns")}
    listed = ", ".join(
        f"{name}: {number(value)}" if isinstance(value, list) else f"{name} = {number(value)}"
        for name, value in parameters.items()
    )
    return f"{titled(table)} ({listed})" if listed else titled(table)


def columns_of(table: Mapping[str, Any]) -> list[str]:
    """The columns that a model names.

    >>> columns_of({"kind": "p-sensitive", "columns": ["ill", "cost"]}), columns_of({"kind": "k-anonymity"})
    (['ill', 'cost'], [])
    """
    several = table.get("columns")
    named = several if isinstance(several, list | tuple) else [table.get("column")]
    return [name for name in named if isinstance(name, str)]
