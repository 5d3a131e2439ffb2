"""Errors in the words of the pages: what a plan writes as `role = "drop"` is a choice there, and nobody types commands.

A text that is not known here stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any

from shoal import algorithms, hierarchies, models
from shoal.errors import ShoalError
from shoal.roles.described import parameters
from shoal.studio.states import Failure
from shoal.verification.wording import folded

RANGES = {"tight": "from smallest to largest value", "cut": "from cut to cut"}
"""How ranges are published → in words."""
CATEGORIES = {"hierarchy": "as a group of its hierarchy", "sets": "as a list of values"}
"""How text is published → in words."""
FORMS = {"generalized": "one table, made coarser", "anatomy": "two tables, linked by groups"}
"""Form of the release → in words."""
WHO = "Who is an individual?"
"""Where the column that identifies individuals is chosen."""
HOW_WRITTEN = "Say how the file is written"
"""Where separator, names of columns and sheet are chosen."""
LABELS = {
    "bounded": "Look for members nearby only",
    "budget": "Seconds of search",
    "cover": "Share of other rows to generalize",
    "cut": "How cuts are chosen",
    "fanout": "Bands that are joined at each level",
    "high": "Highly sensitive values",
    "inner": "Algorithm for these rows",
    "levels": "Periods, from short to long",
    "limits": "Values that count as ruled out",
    "local": "Levels may differ between rows",
    "origin": "Where the bands start",
    "refine": "Move rows afterwards if this loses less",
    "reference": "Compared with",
    "score": "How steps are ranked",
    "separator": "Separator of the file",
    "steps": "Characters that each level keeps",
    "stop_at": "Stop early",
    "widths": "Widths of the bands",
}
"""Parameter → what its field is called; the others are called as in their paper, or say what they are."""
_PLAN: tuple[tuple[str, Any], ...] = (
    (
        r'set ranges = "tight" under \[release\](, which publishes [^,.]*)?',
        f"under 'How it is published', choose ranges {RANGES['tight']}",
    ),
    (r'ranges = "cut"', "publishing ranges from cut to cut"),
    (r'role = "sensitive" and target = true', "the role Sensitive, and be the column to predict"),
    (r'role = "quasi-identifier"', "the role Quasi-identifier"),
    (r'role = "quasi-sensitive"', "the role Quasi-sensitive set"),
    (r'role = "(\w)(\w*)"', lambda found: f"the role {found[1].upper()}{found[2]}"),
    (r'form = "(generalized|anatomy)"', lambda found: f"the form '{FORMS[found[1]]}'"),
    (r'write \[\[models\]\], and below it kind = "([\w-]+)" and k = 5', r"add the model \1"),
    (r"`shoal explain [\w-]+` describes the model\.", ""),
    (r"`shoal hierarchy nodes` lists the labels of code trees\.", "the preview shows labels of the hierarchy."),
    (r"`shoal plan schema` lists the keys of a plan\.", ""),
    (r'name one with --sheet NAME, in a plan with sheet = "…" under \[data\]\.', "choose one of them."),
    (
        r'set person = "([^"]*)" under \[data\]',
        lambda found: f"choose '{found[1]}' at Roles, under '{WHO}'",
    ),
    (
        r"[Ss]et person under \[data\] to this column( and give it the role identifier)?",
        lambda found: f"{'Choose' if found[0][0] == 'S' else 'choose'} this column at Roles, under '{WHO}'",
    ),
    (
        r"Column '([^']*)' has 'finest' or 'coarsest', and prefixes whose levels depend on the longest value\.",
        r"The levels of '\1' depend on its longest value, so that none of them can be the finest or the coarsest one.",
    ),
    (
        r"set the lengths of the prefixes, such as steps = \[4, 3, 2, 1\]\.",
        f"at Hierarchies, fill in '{LABELS['steps']}', such as 4, 3, 2, 1.",
    ),
    (r"widths = \[5, 10, 20\]( nest\.)?", "for example, 5, 10, 20."),
    (
        r"set header = false under \[data\](, or --no-header on the command line)?",
        f"choose 'no names' under '{HOW_WRITTEN}'",
    ),
    (r"; if it has one, set header = true", "; if it has one, choose 'the first line has names' there"),
    (r"set another separator in the plan", f"choose another separator under '{HOW_WRITTEN}'"),
    (r"set separator in the plan", f"choose the separator under '{HOW_WRITTEN}'"),
    (r'kind = "([\w-]+)"', r"\1"),
)
_COLUMNS = ("column", "columns")
_WHERE = {"released": "within the release", "input": "compared with the input"}
_UNCHECKED = {"input_reference": "the comparison with the input", "persons": "the number of persons"}
_NEEDS = re.compile(r"The (\w+) '([\w-]+)' needs '(\w+)'\.")


def label_of(parameter: str) -> str:
    """What the field of a parameter is called.

    >>> label_of("stop_at"), label_of("k")
    ('Stop early', 'k')
    """
    return LABELS.get(parameter, parameter)


def plain(text: str) -> str:
    """A sentence without the syntax of plans and commands.

    >>> plain('give it role = "sensitive", or name another column.')
    'give it the role Sensitive, or name another column.'
    >>> plain("KAnonymity k must be an integer of at least 2; got 1.")
    "'k' of k-anonymity must be an integer of at least 2; got 1."
    >>> plain("Intervals of width 7 do not nest over width 5.")
    'Intervals of width 7 do not nest over width 5.'
    """
    for pattern, words in _PLAN:
        text = re.sub(pattern, words, text)
    families: tuple[tuple[Any, ...], ...] = (models.ALL, algorithms.ALL, hierarchies.ALL)
    for cls in chain(*families):
        for parameter in parameters(cls):
            text = re.sub(rf"^{cls.__name__} {parameter.name} ", f"'{label_of(parameter.name)}' of {cls.kind} ", text)
    return text.strip()


def in_words(error: ShoalError | Failure) -> Failure:
    """An error as pages show it.

    >>> from shoal.errors import PlanError
    >>> in_words(PlanError("The model 'k-anonymity' needs 'k'.", allowed="Allowed: k.", hint="see the list.")).error
    "'k' is empty."
    """
    failure = error if isinstance(error, Failure) else Failure.of(error)
    if found := _NEEDS.fullmatch(failure.error):
        label = label_of(found[3])
        return Failure(f"'{label}' is empty.", hint=f"fill in '{label}' of {found[2]}.")
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
    listed = parameters_in_words({name: value for name, value in table.items() if name != "kind"})
    return f"{titled(table)} ({listed})" if listed else titled(table)


def parameters_in_words(given: Mapping[str, Any]) -> str:
    """The parameters of a model without its columns, on one line.

    >>> parameters_in_words({"column": "ill", "t": 0.25, "distance": "ordered", "values": ("a", "b"), "c": None})
    't = 0.25, distance = ordered, values: a, b'
    """
    shown = {name: value for name, value in given.items() if name not in _COLUMNS and value is not None}
    return ", ".join(
        f"{name}: {_number(value)}" if isinstance(value, list | tuple) else f"{name} = {_number(value)}"
        for name, value in shown.items()
    )


def achieved_in_words(achieved: Mapping[str, Any]) -> str:
    """The achieved figures of a model; what could not be computed from the released files comes last.

    >>> achieved_in_words({"t_released": 0.03299736935153101, "input_reference": "not checked"})
    't = 0.033 within the release; the comparison with the input is not checked here'
    >>> achieved_in_words({"k": 5})
    'k = 5'
    """
    figures = [_figure(name, value) for name, value in folded(achieved).items() if value != "not checked"]
    unchecked = [_UNCHECKED.get(name, name) for name, value in achieved.items() if value == "not checked"]
    return "; ".join([", ".join(figures), *(f"{words} is not checked here" for words in unchecked)]).lstrip("; ")


def _figure(name: str, value: Any) -> str:
    figure, _, where = name.rpartition("_")
    if figure and where in _WHERE:
        return f"{figure} = {_number(value)} {_WHERE[where]}"
    return f"{name.replace('_', ' ')} = {_number(value)}"


def _number(value: Any) -> str:
    from shoal.report.numbers import number  # imported late: the first page does not wait for it

    return number(value)


def columns_of(table: Mapping[str, Any]) -> list[str]:
    """The columns that a model names.

    >>> columns_of({"kind": "p-sensitive", "columns": ["ill", "cost"]}), columns_of({"kind": "k-anonymity"})
    (['ill', 'cost'], [])
    """
    several = table.get("columns")
    named = several if isinstance(several, list | tuple) else [table.get("column")]
    return [name for name in named if isinstance(name, str)]
