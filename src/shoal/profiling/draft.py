"""Draft plans: TOML that runs unchanged, with the reason for every role, for a steward to review."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import numpy as np
import polars as pl

from shoal.percent import percent
from shoal.profiling.facts import coded
from shoal.profiling.profile import ColumnProfile, K, Profile
from shoal.profiling.signs import QUASI, SENSITIVE

L = 3

_LARGEST_MEAN_CLASS = 40 * K
_WIDE = 12
"""The number of quasi-identifiers from which hardly any two rows agree in all of them."""


def draft_plan(
    frame: pl.DataFrame, source: str, profile: Profile, *, separator: str | None = None, query: str | None = None
) -> str:
    """A plan in TOML that `anonymize` runs unchanged: every column with its role and the reason, and two models.

    The models are k-anonymity with k = 5, and distinct l-diversity of the first sensitive column on which it is
    possible without excessive information loss.
    """
    blocks = [_heading(profile), _data(source, profile, {"separator": separator, "query": query})]
    blocks += [_column(column) for column in profile.columns]
    blocks += [_table("[models]", {"kind": "k-anonymity", "k": K if profile.rows >= K else 2})]
    blocks += _diversity(frame, profile)
    blocks += [_table("algorithm", {"kind": "mondrian"}), *_for_wide_tables(profile), _release(profile)]
    return "\n\n".join(blocks) + "\n"


def _heading(profile: Profile) -> str:
    lines = [
        f"Draft plan for {profile.rows:,} rows and {len(profile.columns):,} columns.",
        "Roles are guessed from names and values: check every role before you release anything.",
    ]
    if not profile.of_role(QUASI):
        lines.append('No quasi-identifier was recognized: a plan needs a column with role = "quasi-identifier".')
    if profile.together is not None:
        unique = percent(profile.together.unique)
        lines.append(f"All quasi-identifiers together: {unique} of the rows are unique.")
    for worst in profile.riskiest:
        count, names = len(worst.columns), ", ".join(_string(name) for name in worst.columns)
        columns = "column" if count == 1 else f"{count} columns"
        lines.append(f"Most identifying {columns}: {names}: {percent(worst.unique)} of the rows are unique.")
    return "\n".join(f"# {line}" for line in lines)


def _data(source: str, profile: Profile, read_with: Mapping[str, str | None]) -> str:
    lines = ["[data]", f"source = {_string(source)}"]
    lines += [f"{name} = {_string(value)}" for name, value in read_with.items() if value is not None]
    if profile.person is not None:
        lines.append(f"person = {_string(profile.person)}  # values repeat: classes count persons, not rows")
    return "\n".join(lines)


def _column(column: ColumnProfile) -> str:
    lines = [f"[columns.{_key_name(column.name)}]", f"role = {_string(column.role)}  # {column.reason}"]
    if column.role in (QUASI, SENSITIVE) and column.read_as is not None:
        lines.append(f"type = {_string(column.read_as)}")
    if column.role == QUASI and column.top is not None:
        lines.append(f"top = {column.top}")
    if column.hierarchy and column.role in (QUASI, SENSITIVE):
        # Only models that compare values use the hierarchy of a sensitive column, and uncovered codes are errors.
        comment = "# " if column.role == SENSITIVE else ""
        lines.append(f"{comment}hierarchy = {_inline(column.hierarchy)}")
    return "\n".join(lines)


def _diversity(frame: pl.DataFrame, profile: Profile) -> list[str]:
    """l-diversity of the first sensitive text column that allows it; distinct numbers can still be nearly equal."""
    for column in profile.of_role(SENSITIVE):
        if column.type == "text":
            l = _reachable_l(frame[column.name])
            if l >= 2:
                model = {"kind": "l-diversity", "column": column.name, "l": l, "variant": "distinct"}
                return [_table("[models]", model)]
    return []


def _for_wide_tables(profile: Profile) -> list[str]:
    """A commented model that suits many quasi-identifiers, as an alternative to the models above it."""
    sensitive = profile.of_role(SENSITIVE)
    if len(profile.of_role(QUASI)) < _WIDE or not sensitive:
        return []
    model = {"kind": "lkc", "l": 3, "k": K if profile.rows >= K else 2, "c": 1, "column": sensitive[0].name}
    lines = [
        "An intruder rarely knows so many quasi-identifiers of an individual. As an alternative to the models and the",
        "algorithm above, the following protects against intruders who know at most three of them, with much less",
        "information loss. With c below 1, it also bounds what they can learn about the sensitive column.",
        *_table("[models]", model).splitlines(),
        *_table("algorithm", {"kind": "pais"}).splitlines(),
    ]
    return ["\n".join(f"# {line}" for line in lines)]


def _reachable_l(column: pl.Series) -> int:
    """The largest l up to 3 that allows classes of at most a few hundred rows on average; 1 if none does.

    If the m most frequent values cover c rows, each class of l distinct values needs l - m of the other rows. So there
    are at most (rows - c) / (l - m) classes.
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
        values["categories"] = "sets"  # without a hierarchy, a set of values is more informative than `*`
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
    """A TOML basic string; JSON escapes all characters that TOML requires, except delete."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
