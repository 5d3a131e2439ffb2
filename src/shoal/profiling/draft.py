"""Draft plans: TOML that runs as it is, with the reason for every role, for a steward to read and change."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import numpy as np
import polars as pl

from shoal.percent import percent
from shoal.profiling.profile import ColumnProfile, K, Profile
from shoal.profiling.signs import QUASI, SENSITIVE
from shoal.profiling.uniqueness import coded

L = 3

_LARGEST_MEAN_CLASS = 40 * K
_WIDE = 12
"""From how many quasi-identifiers on hardly two rows agree in all of them."""


def draft_plan(
    frame: pl.DataFrame, source: str, profile: Profile, *, separator: str | None = None, query: str | None = None
) -> str:
    """A plan in TOML that `anonymize` runs as it is: every column with its role and the reason, k = 5, and distinct
    l-diversity for the first sensitive column on which it can be had without giving up everything else.
    """
    blocks = [_heading(profile), _data(source, profile, {"separator": separator, "query": query})]
    blocks += [_column(column) for column in profile.columns]
    blocks += [_table("[models]", {"kind": "k-anonymity", "k": K if profile.rows >= K else 2})]
    blocks += _diversity(frame, profile)
    blocks += [_table("algorithm", {"kind": "mondrian"}), *_for_wide_tables(profile), _release(profile)]
    return "\n\n".join(blocks) + "\n"


def _heading(profile: Profile) -> str:
    lines = [
        f"Draft of a plan for {profile.rows:,} rows and {len(profile.columns):,} columns.",
        "Roles are guesses from names and values: read every one of them before you release anything.",
    ]
    if profile.together is not None:
        lines.append(f"The quasi-identifiers together make {percent(profile.together.unique)} of the rows unique.")
    for worst in profile.riskiest:
        names = ", ".join(_string(name) for name in worst.columns)
        lines.append(f"Most identifying {len(worst.columns)}: {names} make {percent(worst.unique)} unique.")
    return "\n".join(f"# {line}" for line in lines)


def _data(source: str, profile: Profile, read_with: Mapping[str, str | None]) -> str:
    lines = ["[data]", f"source = {_string(source)}"]
    lines += [f"{name} = {_string(value)}" for name, value in read_with.items() if value is not None]
    if profile.person is not None:
        lines.append(f"person = {_string(profile.person)}  # its values repeat: classes count persons, not rows")
    return "\n".join(lines)


def _column(column: ColumnProfile) -> str:
    lines = [f"[columns.{_key_name(column.name)}]", f"role = {_string(column.role)}  # {column.reason}"]
    if column.role in (QUASI, SENSITIVE) and column.read_as is not None:
        lines.append(f"type = {_string(column.read_as)}")
    if column.role == QUASI and column.top is not None:
        lines.append(f"top = {column.top}")
    if column.hierarchy and column.role in (QUASI, SENSITIVE):
        # On a sensitive column it serves only models that compare values, and codes it does not know would be errors.
        unused = "# " if column.role == SENSITIVE else ""
        lines.append(f"{unused}hierarchy = {_inline(column.hierarchy)}")
    return "\n".join(lines)


def _diversity(frame: pl.DataFrame, profile: Profile) -> list[str]:
    """For the first sensitive text that allows it: among numbers three different ones can still be nearly the same."""
    for column in profile.of_role(SENSITIVE):
        if column.type == "text":
            l = _reachable_l(frame[column.name])
            if l >= 2:
                model = {"kind": "l-diversity", "column": column.name, "l": l, "variant": "distinct"}
                return [_table("[models]", model)]
    return []


def _for_wide_tables(profile: Profile) -> list[str]:
    """A promise that many quasi-identifiers can keep, as a comment in place of what stands above it."""
    sensitive = profile.of_role(SENSITIVE)
    if len(profile.of_role(QUASI)) < _WIDE or not sensitive:
        return []
    model = {"kind": "lkc", "l": 3, "k": K if profile.rows >= K else 2, "c": 1, "column": sensitive[0].name}
    lines = [
        "Hardly anybody knows that many quasi-identifiers of a person. In place of the models and the algorithm above,",
        "this hides everyone of whom at most three are known, and can keep far more; c below 1 bounds what is learnt.",
        *_table("[models]", model).splitlines(),
        *_table("algorithm", {"kind": "pais"}).splitlines(),
    ]
    return ["\n".join(f"# {line}" for line in lines)]


def _reachable_l(column: pl.Series) -> int:
    """The largest l up to 3 that still allows classes of a few hundred rows on average; 1 where none does.

    With the m most frequent values covering c rows, each class of l distinct values needs l - m of the other rows, so
    there are at most (rows - c) / (l - m) classes.
    """
    counts = np.sort(coded(column).counts)[::-1]
    for l in range(min(L, len(counts)), 1, -1):
        most_classes = min(int(counts[m:].sum()) // (l - m) for m in range(l))
        if most_classes * _LARGEST_MEAN_CLASS >= len(column):
            return l
    return 1


def _release(profile: Profile) -> str:
    values: dict[str, object] = {"form": "generalized"}
    if any(column.type == "text" and not column.hierarchy for column in profile.of_role(QUASI)):
        values["categories"] = "sets"  # a hierarchy file for such a column would say more than a list of its values
    return _table("release", values)


def _table(header: str, values: Mapping[str, object]) -> str:
    return "\n".join([f"[{header}]", *(f"{name} = {_value(value)}" for name, value in values.items())])


def _inline(values: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{name} = {_value(value)}" for name, value in values.items()) + " }"


def _value(value: object) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return str(value)


def _key_name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    """A TOML basic string. JSON escapes all that TOML wants escaped but the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
