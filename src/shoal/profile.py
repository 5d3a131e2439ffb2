"""Profiling: what each column seems to be, how unique it makes people, and a draft plan that runs as it is.

A profile holds counts, shares and column names, never a value of the table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import signs
from shoal.roles import Data, Role
from shoal.signs import IDENTIFIER, INSENSITIVE, QUASI, SENSITIVE, Sign
from shoal.table import typed

MISSING = Data().missing
K = 5
L = 3

Codes = NDArray[np.int64]

_SAMPLE = 40
_TRIED = 5
_NEARLY_UNIQUE = 0.5
_ENOUGH_ROWS = 100
_SELDOM_TWICE = 0.1
_PROSE_LENGTH = 40
_PROSE_WORDS = 6
_LONGEST_PREFIXED = 12
_OLDEST_UNPROTECTED = 89
_SEARCHED = 8
_LARGEST_PACKED = 2**62
_LARGEST_TALLY = 2**24
_LARGEST_MEAN_CLASS = 40 * K


@dataclass(frozen=True)
class ColumnProfile:
    """One column: what it holds, and the role and hierarchy that this suggests, with the reason.

    `missing` and `unique` are shares of all rows: without a value, and with a value no other row has. `sure` is False
    where neither name nor values told anything and the role is the safe guess. `read_as` is a type worth declaring.
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
class Combination:
    """How far some columns together single out rows: the share that is alone, and the smallest class."""

    columns: tuple[str, ...]
    unique: float
    smallest: int


@dataclass(frozen=True)
class Profile:
    """What can be told of a table before anything is decided.

    `together`: all suggested quasi-identifiers at once. `riskiest`: of one, two and three of them the combination that
    singles out most rows, looked for among the eight with the most values. `person`: a column whose repeated values
    show that one person has several rows.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    together: Combination | None
    riskiest: tuple[Combination, ...]
    person: str | None

    def of_role(self, role: Role) -> tuple[ColumnProfile, ...]:
        """The columns for which this role is suggested, in table order."""
        return tuple(column for column in self.columns if column.role == role)


def profile(frame: pl.DataFrame) -> Profile:
    """The profile of a table; it says how many values and rows are what, and never what they are.

    >>> table = pl.DataFrame({"name": ["A", "B", "C"], "sex": ["f", "m", "f"], "diagnosis": ["x", "y", "x"]})
    >>> [(column.name, column.role) for column in profile(table).columns]
    [('name', 'identifier'), ('sex', 'quasi-identifier'), ('diagnosis', 'sensitive')]
    >>> round(profile(table).together.unique, 2)
    0.33
    """
    columns = _with_a_quasi_identifier([_profiled(column) for column in frame.iter_columns()])
    quasi = [column for column in columns if column.role == QUASI]
    return Profile(
        rows=frame.height,
        columns=columns,
        together=_together(frame, quasi),
        riskiest=_riskiest(frame, quasi),
        person=_person(columns, frame.height),
    )


@dataclass(frozen=True)
class _Facts:
    """A column's statistics and its distinct values; never leaves this module."""

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
        """Whether people wrote sentences: long, and seldom twice the same; items of a set, parted by bars, are none."""
        if not self.sample or self.once < _SELDOM_TWICE * self.known or any("|" in value for value in self.sample):
            return False
        letters = sum(len(value) for value in self.sample) / len(self.sample)
        words = sum(value.count(" ") + 1 for value in self.sample) / len(self.sample)
        return letters > _PROSE_LENGTH or words > _PROSE_WORDS


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
    coded = _coded(column)
    counts = coded.counts
    return _Facts(
        name=column.name,
        type=coded.type,
        rows=len(column),
        known=int(counts.sum()),
        once=int((counts == 1).sum()),
        values=coded.values,
        sample=_sampled(coded.values) if coded.type == "text" else (),
    )


class _Coded(NamedTuple):
    """A column as integers: `codes` int64 [rows] index the distinct typed `values`, -1 is missing."""

    type: str
    codes: Codes
    values: pl.Series

    @property
    def counts(self) -> Codes:
        """int64 [values]: how many rows have each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))


def _coded(column: pl.Series) -> _Coded:
    """Text is typed once per distinct value rather than once per row: the type cannot tell the difference."""
    if column.dtype != pl.String:
        guess = typed(column, type=None, missing=MISSING)
        return _Coded(guess.type, *_encoded(guess.values))
    spellings, spelt = _encoded(column)
    guess = typed(spelt, type="text" if _surely_text(spelt) else None, missing=MISSING)
    codes, values = _encoded(guess.values)
    return _Coded(guess.type, np.append(codes, -1)[spellings], values)


def _surely_text(spelt: pl.Series) -> bool:
    """Whether one of the first values has no digit: then no other type is worth trying, which is most of the work."""
    first = (value.strip() for value in spelt.head(_TRIED).to_list())
    return any(value not in MISSING and re.search(r"\d", value) is None for value in first)


def _encoded(values: pl.Series) -> tuple[Codes, pl.Series]:
    """int64 [rows], -1 for null, and the distinct values that these index, in order of appearance."""
    unnamed = values.rechunk().alias("")  # a name with a NUL character cannot pass
    encoded: Any = unnamed.to_arrow().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, pl.Series(values.name, encoded.dictionary, dtype=values.dtype)


def _sampled(text: pl.Series) -> tuple[str, ...]:
    """A few distinct values from all over the column: always the same ones, so that a profile repeats."""
    spread = text if len(text) <= _SAMPLE else text.gather_every(len(text) // _SAMPLE)
    return tuple(spread.head(_SAMPLE).to_list())


def _sign(facts: _Facts) -> tuple[Sign, bool]:
    """What the column is taken for, and whether anything speaks for it but caution."""
    found = _recognised(facts)
    if found is None or (found.role != IDENTIFIER and _ungroupable(facts, found)):
        return _by_statistics(facts)
    if found.role == SENSITIVE:
        return _guarded(found, facts), True
    return found, True


def _recognised(facts: _Facts) -> Sign | None:
    """By name where the name is clear, then by the look of the values."""
    named = signs.by_name(facts.name)
    if named is not None and named.weak:
        named = named if facts.nearly_unique else None
    if named is not None and named.role == IDENTIFIER:
        return named
    return signs.sure_by_values(facts.sample) or named or signs.likely_by_values(facts.sample)


def _guarded(sign: Sign, facts: _Facts) -> Sign:
    """A sensitive value is released as it is: not so where nearly each is unique and would itself single people out."""
    if facts.type == "date":
        return signs.DATE
    if facts.nearly_unique and facts.type in ("integer", "real"):
        return Sign(f"{sign.what}, exact enough to single people out", QUASI)
    return signs.DIAGNOSIS_CODE if signs.likely_by_values(facts.sample) == signs.DIAGNOSIS_CODE else sign


def _ungroupable(facts: _Facts, sign: Sign) -> bool:
    """Text that cannot be grouped, whatever its name promises; small tables are no evidence."""
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
        return Sign("text of which most values occur once", IDENTIFIER, "R"), True
    if facts.type == "integer" and facts.once == facts.known:
        return signs.RECORD_NUMBER, True
    return Sign("not recognised, taken on the safe side", QUASI), False


def _fitting(hierarchy: Mapping[str, object], facts: _Facts) -> Mapping[str, object]:
    """The hierarchy a sign suggests, unless this column's values could not be generalized by it."""
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
        reason += "; ages over 89 are a HIPAA identifier (C), so they become 90"
    if facts.type == "text" and sign.role == SENSITIVE and any("|" in value for value in facts.sample):
        reason += '; a set of items per row, for which role = "quasi-sensitive" may fit better'
    if sign.role != IDENTIFIER and signs.may_be_target(facts.name):
        reason += '; if it is what the data is to predict, role = "target"'
    return reason


def _with_a_quasi_identifier(columns: Sequence[ColumnProfile]) -> tuple[ColumnProfile, ...]:
    """The columns, of which one that would be released as it is becomes the quasi-identifier that every plan needs."""
    released = [column for role in (INSENSITIVE, SENSITIVE) for column in columns if column.role == role]
    if not released or any(column.role == QUASI for column in columns):
        return tuple(columns)
    chosen = replace(
        released[0], role=QUASI, reason=f"{released[0].reason}; yet a plan needs a quasi-identifier", sure=False
    )
    return tuple(chosen if column is released[0] else column for column in columns)


def _person(columns: Iterable[ColumnProfile], rows: int) -> str | None:
    """The person number with the most values; none where one is unique, as then every row is a person."""
    numbers = [column for column in columns if column.person and column.distinct > 1]
    if any(column.distinct == rows for column in numbers):
        return None
    complete = [column for column in numbers if column.missing == 0]
    return max(complete, key=lambda column: column.distinct).name if complete else None


def _together(frame: pl.DataFrame, quasi: Sequence[ColumnProfile]) -> Combination | None:
    """All quasi-identifiers at once; stops as soon as everybody is alone, which more columns cannot change."""
    if not quasi or frame.is_empty():
        return None
    key = _Key.nothing(frame.height)
    for column in quasi:
        key = key.and_by(_key(frame[column.name]))
        if key.all_alone:
            break
    return _combination([column.name for column in quasi], key)


def _riskiest(frame: pl.DataFrame, quasi: Sequence[ColumnProfile]) -> tuple[Combination, ...]:
    most_values = sorted(quasi, key=lambda column: -column.distinct)[:_SEARCHED]
    if frame.is_empty():
        return ()
    keys = {column.name: _key(frame[column.name]) for column in most_values}
    return tuple(_worst(keys, size) for size in (1, 2, 3) if size <= len(keys))


def _worst(keys: Mapping[str, _Key], size: int) -> Combination:
    found = []
    for names in combinations(keys, size):
        key = keys[names[0]]
        for name in names[1:]:
            key = key.and_by(keys[name])
        found.append(_combination(names, key))
    return max(found, key=lambda combination: combination.unique)


def _combination(names: Sequence[str], key: _Key) -> Combination:
    sizes = key.class_sizes
    return Combination(tuple(names), int((sizes == 1).sum()) / len(key.codes), int(sizes.min()))


@dataclass(frozen=True)
class _Key:
    """Rows told apart by integers below `bound`: int64 [rows]. Several columns are packed into one integer, exactly."""

    codes: Codes
    bound: int

    @staticmethod
    def nothing(rows: int) -> _Key:
        return _Key(np.zeros(rows, np.int64), 1)

    def and_by(self, other: _Key) -> _Key:
        left = self if self.bound * other.bound < _LARGEST_PACKED else self._dense()
        return _Key(left.codes * other.bound + other.codes, left.bound * other.bound)

    @property
    def all_alone(self) -> bool:
        return self.bound >= len(self.codes) and bool((self.class_sizes == 1).all())

    @property
    def class_sizes(self) -> Codes:
        """int64: how many rows each key that occurs has."""
        if self.bound <= _LARGEST_TALLY:
            tally = np.bincount(self.codes, minlength=1)
            return tally[tally > 0]
        ordered = np.sort(self.codes)
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        return np.diff(np.append(starts, len(ordered)))

    def _dense(self) -> _Key:
        found, codes = np.unique(self.codes, return_inverse=True)
        return _Key(codes.astype(np.int64), len(found))


def _key(column: pl.Series) -> _Key:
    """A missing value is a value of its own."""
    coded = _coded(column)
    return _Key(coded.codes + 1, len(coded.values) + 1)


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
    blocks += [_table("algorithm", {"kind": "mondrian"}), _release(profile)]
    return "\n\n".join(blocks) + "\n"


def _heading(profile: Profile) -> str:
    lines = [
        f"Draft of a plan for {profile.rows:,} rows and {len(profile.columns):,} columns.",
        "Roles are guesses from names and values: read every one of them before you release anything.",
    ]
    if profile.together is not None:
        lines.append(f"The quasi-identifiers together single out {profile.together.unique:.1%} of the rows.")
    for worst in profile.riskiest:
        names = ", ".join(_string(name) for name in worst.columns)
        lines.append(f"Most telling {len(worst.columns)}: {names} single out {worst.unique:.1%}.")
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


def _reachable_l(column: pl.Series) -> int:
    """The largest l up to 3 that still allows classes of a few hundred rows on average; 1 where none does.

    With the m most frequent values covering c rows, each class of l distinct values needs l - m of the other rows, so
    there are at most (rows - c) / (l - m) classes.
    """
    counts = np.sort(_coded(column).counts)[::-1]
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
