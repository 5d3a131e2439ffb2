"""Profiling: the apparent content of each column, the role that it suggests, and how identifying the columns are.

A profile contains counts, shares and column names, never a value of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from shoal.profiling import signs
from shoal.profiling.risks import risks
from shoal.profiling.signs import IDENTIFIER, INSENSITIVE, QUASI, SENSITIVE, Sign
from shoal.profiling.uniqueness import Combination, coded, riskiest, together
from shoal.roles.columns import Role
from shoal.table.patterns import is_prose
from shoal.warnings import Warning

K = 5

_SAMPLE = 40
_NEARLY_UNIQUE = 0.5
_ENOUGH_ROWS = 100
_SELDOM_TWICE = 0.1
_LONGEST_PREFIXED = 12
_OLDEST_UNPROTECTED = 89


@dataclass(frozen=True)
class ColumnProfile:
    """One column: its content, and the role and hierarchy that it suggests, with the reason.

    `missing` and `unique` are shares of all rows: those without a value, and those with a unique value. `sure` is False
    if neither name nor values gave a sign and the role is the cautious default. `read_as` is a type to declare.
    """

    name: str
    type: str
    distinct: int
    missing: float
    unique: float
    role: Role
    reason: str
    sure: bool = True
    hierarchy: Mapping[str, object] = field(default_factory=dict)
    read_as: str | None = None
    top: int | None = None
    person: bool = False


@dataclass(frozen=True)
class Profile:
    """A description of a table, as a basis for a plan.

    `together`: all suggested quasi-identifiers in combination. `riskiest`: the combinations of one, two and three of
    the eight quasi-identifiers with the most values that make the most rows unique. `person`: a column whose repeated
    values indicate that one person has several rows. `warnings`: risks that need no plan.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    together: Combination | None
    riskiest: tuple[Combination, ...]
    person: str | None
    warnings: tuple[Warning, ...] = ()

    def of_role(self, role: Role) -> tuple[ColumnProfile, ...]:
        """The columns for which this role is suggested, in table order."""
        return tuple(column for column in self.columns if column.role == role)


def profile(frame: pl.DataFrame) -> Profile:
    """The profile of a table: counts and shares, but no values.

    >>> table = pl.DataFrame({"name": ["A", "B", "C"], "sex": ["f", "m", "f"], "diagnosis": ["x", "y", "x"]})
    >>> [(column.name, column.role) for column in profile(table).columns]
    [('name', 'identifier'), ('sex', 'quasi-identifier'), ('diagnosis', 'sensitive')]
    >>> round(profile(table).together.unique, 2)
    0.33
    """
    columns = _with_a_quasi_identifier([_profiled(column) for column in frame.iter_columns()])
    quasi = [column for column in columns if column.role == QUASI]
    most_values_first = sorted(quasi, key=lambda column: -column.distinct)
    return Profile(
        rows=frame.height,
        columns=columns,
        together=together(frame, [column.name for column in quasi]),
        riskiest=riskiest(frame, [column.name for column in most_values_first]),
        person=_person(columns, frame.height),
        warnings=tuple(risks(frame, [column.name for column in columns if column.role == SENSITIVE])),
    )


@dataclass(frozen=True)
class _Facts:
    """The statistics and the distinct values of a column; values do not leave this module."""

    name: str
    type: str
    rows: int
    known: int
    once: int
    values: pl.Series
    sample: tuple[str, ...]

    @property
    def distinct(self) -> int:
        return len(self.values)

    @property
    def nearly_unique(self) -> bool:
        return self.once > _NEARLY_UNIQUE * self.known

    @property
    def prose(self) -> bool:
        """Whether the values are free text: long and rarely repeated. Sets of items, separated by bars, are not."""
        return self.once >= _SELDOM_TWICE * self.known and is_prose(self.sample)


def _profiled(column: pl.Series) -> ColumnProfile:
    facts = _facts(column)
    sign, sure = _sign(facts)
    rows = max(facts.rows, 1)
    return ColumnProfile(
        name=facts.name,
        type=facts.type,
        distinct=facts.distinct,
        missing=1 - facts.known / rows,
        unique=facts.once / rows,
        role=sign.role,
        reason=_reason(facts, sign),
        sure=sure,
        hierarchy=_fitting(sign.hierarchy, facts),
        read_as=sign.read_as if sign.read_as != facts.type else None,
        top=_OLDEST_UNPROTECTED + 1 if _has_rare_ages(facts, sign) else None,
        person=sign.person,
    )


def _facts(column: pl.Series) -> _Facts:
    codes = coded(column)
    counts = codes.counts
    return _Facts(
        name=column.name,
        type=codes.type,
        rows=len(column),
        known=int(counts.sum()),
        once=int((counts == 1).sum()),
        values=codes.values,
        sample=_sampled(codes.values) if codes.type == "text" else (),
    )


def _sampled(text: pl.Series) -> tuple[str, ...]:
    """A few distinct values from the complete column; the choice is deterministic, so that a profile is repeatable."""
    spread = text if len(text) <= _SAMPLE else text.gather_every(len(text) // _SAMPLE)
    return tuple(spread.head(_SAMPLE).to_list())


def _sign(facts: _Facts) -> tuple[Sign, bool]:
    """The sign of a column, and whether it rests on evidence rather than on caution."""
    sign = _recognized(facts)
    if sign is None or (sign.role != IDENTIFIER and _ungroupable(facts, sign)):
        return _by_statistics(facts)
    if sign.role == SENSITIVE:
        return _safe_to_release(sign, facts), True
    return sign, True


def _recognized(facts: _Facts) -> Sign | None:
    """The sign of the name if it is clear, else that of the values."""
    named = signs.by_name(facts.name)
    if named is not None and named.weak:
        named = named if facts.nearly_unique else None
    if named is not None and named.role == IDENTIFIER:
        return named
    return signs.sure_by_values(facts.sample) or named or signs.likely_by_values(facts.sample)


def _safe_to_release(sign: Sign, facts: _Facts) -> Sign:
    """The sign of a sensitive column, or that of a quasi-identifier if its values are themselves identifying."""
    if facts.type == "date":
        return signs.DATE
    if facts.nearly_unique and facts.type in ("integer", "real"):
        return Sign(f"{sign.what}, nearly unique", QUASI)
    return signs.DIAGNOSIS_CODE if signs.likely_by_values(facts.sample) == signs.DIAGNOSIS_CODE else sign


def _ungroupable(facts: _Facts, sign: Sign) -> bool:
    """Whether text cannot form classes, whatever the column's name; a small table is no evidence."""
    if facts.type != "text" or _fitting(sign.hierarchy, facts):
        return False
    return facts.prose or (facts.nearly_unique and facts.rows >= _ENOUGH_ROWS)


def _by_statistics(facts: _Facts) -> tuple[Sign, bool]:
    if facts.distinct == 0:
        return Sign("empty", INSENSITIVE), True
    if facts.distinct == 1 and facts.known == facts.rows and facts.rows >= K:
        return Sign("the same in every row", INSENSITIVE), True
    if facts.type == "date":
        return signs.DATE, True
    if facts.type == "text" and facts.prose:
        return signs.FREE_TEXT, True
    if facts.type == "text" and facts.nearly_unique:
        return Sign("text with mostly unique values", IDENTIFIER, "R"), True
    if facts.type == "integer" and facts.once == facts.known:
        return signs.RECORD_NUMBER, True
    return Sign("not recognized", QUASI), False


def _fitting(hierarchy: Mapping[str, object], facts: _Facts) -> Mapping[str, object]:
    """The hierarchy of a sign, or none if it does not fit the values of the column."""
    if hierarchy == signs.DATE_LEVELS and facts.type != "date":
        return {}
    if hierarchy == signs.PREFIX and facts.type == "text" and facts.values.str.len_chars().gt(_LONGEST_PREFIXED).any():
        return {}
    return hierarchy


def _has_rare_ages(facts: _Facts, sign: Sign) -> bool:
    return sign == signs.AGE and facts.type in ("integer", "real") and bool((facts.values > _OLDEST_UNPROTECTED).any())


def _reason(facts: _Facts, sign: Sign) -> str:
    reason = sign.reason
    if _has_rare_ages(facts, sign):
        reason += "; ages over 89 are a HIPAA identifier (C) and are top-coded as 90"
    if facts.type == "text" and sign.role == SENSITIVE and any("|" in value for value in facts.sample):
        reason += '; it contains sets of items, for which role = "quasi-sensitive" may be better'
    if sign.role != IDENTIFIER and signs.may_be_target(facts.name):
        reason += '; if the data is used to predict it, use role = "target"'
    return reason


def _with_a_quasi_identifier(columns: Sequence[ColumnProfile]) -> tuple[ColumnProfile, ...]:
    """The columns with at least one quasi-identifier, which every plan needs.

    If there is none, an insensitive or sensitive column becomes one.
    """
    released = [column for role in (INSENSITIVE, SENSITIVE) for column in columns if column.role == role]
    if not released or any(column.role == QUASI for column in columns):
        return tuple(columns)
    chosen = replace(
        released[0], role=QUASI, reason=f"{released[0].reason}; but a plan needs a quasi-identifier", sure=False
    )
    return tuple(chosen if column is released[0] else column for column in columns)


def _person(columns: Iterable[ColumnProfile], rows: int) -> str | None:
    """The person column with the most values; None if one is unique, because then every row is a person."""
    numbers = [column for column in columns if column.person and column.distinct > 1]
    if any(column.distinct == rows for column in numbers):
        return None
    complete = [column for column in numbers if column.missing == 0]
    return max(complete, key=lambda column: column.distinct).name if complete else None
