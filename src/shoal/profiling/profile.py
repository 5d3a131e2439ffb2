"""Profiling: the apparent content of each column, the role that it suggests, and how identifying the columns are.

A profile contains counts, shares and column names, never a value of the table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.arrays import Int32
from shoal.profiling import sets, signs
from shoal.profiling.context import is_clinical
from shoal.profiling.facts import Coded, Facts, facts
from shoal.profiling.fragments import guessed
from shoal.profiling.naming import AT_ILLNESS, ideas, in_clinical_table, is_about_birth, is_about_diagnosis
from shoal.profiling.neighbours import FINDING, clinical_beside, neighbours_needed
from shoal.profiling.persons import agreeing_traits, may_repeat, person_column, repeats_like_persons
from shoal.profiling.recognition import K, fitting, recognized
from shoal.profiling.risks import risks
from shoal.profiling.signs import DROP, IDENTIFIER, QUASI, SENSITIVE, Confidence, Numbered, Sign
from shoal.profiling.uniqueness import Combination, riskiest, together
from shoal.roles.columns import Role
from shoal.table import is_list, to_polars
from shoal.table.sets import DEFAULT_SEPARATOR
from shoal.warnings import Warning, serious_first
from shoal.warnings.spelling import count_variants

if TYPE_CHECKING:
    from shoal.plan import Plan
    from shoal.profiling.suggesting import Purpose

__all__ = ["OLDEST", "ColumnProfile", "K", "Profile", "profile"]

OLDEST = 90
"""Ages are top-coded here in every table, because ages over 89 are a HIPAA identifier: the bound says nothing about
the oldest patient."""

_ROWS_WORTH_THREADS = 20_000
_PERSON_IDEAS = frozenset(("person", "record_number"))
_MORE_VALUES = 1.5
"""A number of individuals has more values than their ages; a column with about as many is another coding of the age."""


@dataclass(frozen=True)
class ColumnProfile:
    """One column: its content, and the role and hierarchy that it suggests, with the reason.

    `missing` and `unique` are shares of all rows: those without a value, and those with a unique value. `confidence` is
    how certain the role is. `read_as` is a type to declare. `numbers`: what an identifier numbers, if anything.
    `has_sets`: whether the cells are sets of items, which a draft drops, because it has no model to guard them.
    """

    name: str
    type: str
    distinct: int
    missing: float
    unique: float
    role: Role
    reason: str
    confidence: Confidence = "high"
    hierarchy: Mapping[str, object] = field(default_factory=dict)
    read_as: str | None = None
    top: int | None = None
    numbers: Numbered | None = None
    has_sets: bool = False


@dataclass(frozen=True)
class Profile:
    """A description of a table, as a basis for a plan.

    `together`: all suggested quasi-identifiers in combination. `riskiest`: the combinations of one, two and three of
    the eight quasi-identifiers with the most values that make the most rows unique. `person`: a column whose repeated
    values indicate that one person has several rows. `warnings`: risks that need no plan. `frame`: the table itself,
    on which plans are tried.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    together: Combination | None
    riskiest: tuple[Combination, ...]
    person: str | None
    warnings: tuple[Warning, ...] = ()
    frame: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False, compare=False)

    def plan(self, purpose: Purpose = "general", *, target: str | None = None) -> Plan:
        """A plan that can be released: roles as suggested, and a model for every sensitive column.

        `purpose` is "general", "classification" with the `target` to be predicted, or "wide".
        """
        from shoal.profiling.suggesting import suggested_plan

        return suggested_plan(self.frame, self, purpose=purpose, target=target)

    @property
    def table(self) -> pl.DataFrame:
        """One row per column: its name, type, counts, suggested role, confidence and reason."""
        names = ("name", "type", "distinct", "missing", "unique", "role", "confidence", "reason")
        return pl.DataFrame({name: [getattr(column, name) for column in self.columns] for name in names})

    def figures(self) -> dict[str, Any]:
        """The profile as plain values, for JSON."""
        return {key: value for key, value in asdict(replace(self, frame=pl.DataFrame())).items() if key != "frame"}

    def _repr_html_(self) -> str:
        from shoal.profiling.display import as_html

        return as_html(self)

    def of_role(self, role: Role) -> tuple[ColumnProfile, ...]:
        """The columns for which this role is suggested, in table order."""
        return tuple(column for column in self.columns if column.role == role)


def profile(frame: Any) -> Profile:
    """The profile of a pandas, polars or pyarrow table: counts and shares, but no values.

    >>> table = pl.DataFrame({"name": ["A", "B", "C"], "sex": ["f", "m", "f"], "diagnosis": ["x", "y", "x"]})
    >>> [(column.name, column.role) for column in profile(table).columns]
    [('name', 'identifier'), ('sex', 'quasi-identifier'), ('diagnosis', 'sensitive')]
    >>> round(profile(table).together.unique, 2)
    0.33
    """
    frame, _ = to_polars(frame)
    seen = _by_neighbours(_numbering_persons(_in_context(_without_ages_at_diagnosis(_each_seen(frame)))))
    columns = tuple(each.column for each in seen)
    quasi = {each.column.name: each.coded for each in seen if each.coded is not None and each.column.role == QUASI}
    return Profile(
        rows=frame.height,
        columns=columns,
        together=together(quasi),
        riskiest=riskiest(quasi),
        person=person_column(_counting_persons(seen), frame.height),
        warnings=serious_first(_warnings(seen)),
        frame=frame,
    )


@dataclass(frozen=True)
class _Seen:
    """What is kept of a column once it has been looked at; `coded` only where rows are compared later."""

    column: ColumnProfile
    sign: Sign
    coded: Coded | None
    guess: Sign | None
    is_named_by_value: bool
    neighbours_needed: int | None
    variants: int


def _each_seen(frame: pl.DataFrame) -> list[_Seen]:
    columns = frame.get_columns()
    if frame.height < _ROWS_WORTH_THREADS:
        return [_seen(column) for column in columns]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # coding releases the interpreter lock
        return list(pool.map(_seen, columns))


def _seen(column: pl.Series) -> _Seen:
    if is_list(column):
        return _of_lists(column)
    about, codes = facts(column)
    sign = recognized(about)
    described = _described(about, sign)
    compared = described.role == QUASI or _may_number_persons(described, about)
    sensitive_text = described.role == SENSITIVE and about.type == "text"
    return _Seen(
        column=described,
        sign=sign,
        coded=codes if compared else None,
        guess=guessed(about) if sign.is_unknown else None,
        is_named_by_value=column.dtype == pl.String and _is_named_by_value(about),
        neighbours_needed=neighbours_needed(about) if sign.is_unknown or sign == signs.DOUBTFUL else None,
        variants=count_variants(about.values) if sensitive_text else 0,
    )


def _of_lists(column: pl.Series) -> _Seen:
    """A column of lists: counted by the different lists, and recognized by its name and items."""
    about = facts(sets.as_text(column))[0]
    sign = sets.sign_of_lists(recognized(facts(sets.items(column))[0]))
    described = replace(_described(about, sign), type="list", has_sets=True)
    reason = sign.reason if sign.role == IDENTIFIER else f"{sign.reason}; {sets.remark(DEFAULT_SEPARATOR)}"
    return _Seen(replace(described, reason=reason), sign, None, None, False, None, 0)


def _described(about: Facts, sign: Sign) -> ColumnProfile:
    rows = max(about.rows, 1)
    separator = sets.separator_of(about.values) if about.type == "text" and sign.role == SENSITIVE else None
    return ColumnProfile(
        name=about.name,
        type=about.type,
        distinct=about.distinct,
        missing=1 - about.known / rows,
        unique=about.once / rows,
        role=sign.role,
        reason=_reason(about, sign) + (f"; {sets.remark(separator)}" if separator else ""),
        confidence=sign.confidence,
        hierarchy=fitting(sign, about),
        read_as=sign.read_as if sign.read_as != about.type else None,
        top=OLDEST if _is_age(about, sign) else None,
        numbers=sign.numbers,
        has_sets=separator is not None,
    )


def _reason(about: Facts, sign: Sign) -> str:
    reason = sign.reason
    if _is_age(about, sign):
        reason += f"; ages over {OLDEST - 1} are a HIPAA identifier (C) and are top-coded as {OLDEST}"
    return reason


def _is_age(about: Facts, sign: Sign) -> bool:
    return sign.what == signs.AGE.what and about.is_number


def _is_named_by_value(about: Facts) -> bool:
    """Whether the column's name is one of its values, as in a table whose header line is missing."""
    if about.type == "text":
        return bool((about.values == about.name).any())
    return about.name[:1] in "-0123456789" and bool((about.values.cast(pl.String) == about.name).any())


def _may_number_persons(column: ColumnProfile, about: Facts) -> bool:
    if column.numbers is not None and column.role == IDENTIFIER:
        return 1 < about.distinct < about.known
    return column.role == DROP and column.type in ("integer", "text") and may_repeat(about.distinct, about.known)


def _with_sign(each: _Seen, sign: Sign) -> _Seen:
    column = replace(each.column, role=sign.role, reason=sign.reason, confidence=sign.confidence, numbers=sign.numbers)
    return replace(each, column=column)


def _without_ages_at_diagnosis(seen: Sequence[_Seen]) -> list[_Seen]:
    """The columns again: beside an age or a birth, the age at a diagnosis adds nothing but how long somebody is ill."""
    has_age = any(_is_age_or_birth(each) and not is_about_diagnosis(each.column.name) for each in seen)
    return [
        _with_sign(each, AT_ILLNESS)
        if has_age and _is_age_or_birth(each) and is_about_diagnosis(each.column.name)
        else each
        for each in seen
    ]


def _is_age_or_birth(each: _Seen) -> bool:
    is_age = each.sign.what in (signs.AGE.what, signs.AGE_IN_PARTS.what)
    return each.column.role == QUASI and (is_age or is_about_birth(each.column.name))


def _in_context(seen: Sequence[_Seen]) -> list[_Seen]:
    """The columns again: in a clinical table, some names have a meaning that they do not have by themselves."""
    if not is_clinical([each.sign for each in seen]):
        return list(seen)
    return [_as_clinical(each) if each.sign.is_unknown else each for each in seen]


def _as_clinical(each: _Seen) -> _Seen:
    sign = in_clinical_table(each.column.name, is_number=each.column.type in ("integer", "real")) or each.guess
    return each if sign is None else _with_sign(each, sign)


def _by_neighbours(seen: Sequence[_Seen]) -> list[_Seen]:
    """The columns again: in a clinical table, an unknown flag, number or finding beside clinical ones is sensitive."""
    if not is_clinical([each.sign for each in seen]):
        return list(seen)
    beside = clinical_beside([each.column.role for each in seen])
    return [
        _with_sign(each, FINDING) if _is_finding(each, clinical) else each
        for each, clinical in zip(seen, beside, strict=True)
    ]


def _is_finding(each: _Seen, clinical: int) -> bool:
    needed = each.neighbours_needed
    return each.column.role == DROP and needed is not None and clinical >= needed


def _numbering_persons(seen: Sequence[_Seen]) -> list[_Seen]:
    """The columns again: codes with which sex, origin and dates of birth, or else ages, repeat number individuals."""
    traits = [each.coded.codes for each in seen if each.coded is not None and _is_trait(each)]
    traits = traits or list(_traits(seen).values())
    if not traits:
        return list(seen)
    number = Sign("numbers that repeat like individuals", IDENTIFIER, "R", numbers="patients", confidence="medium")
    return [
        _with_sign(each, number)
        if each.coded is not None and _is_unclear(each) and repeats_like_persons(each.coded.codes, traits)
        else each
        for each in seen
    ]


def _is_unclear(each: _Seen) -> bool:
    """Whether a column of many codes that repeat is dropped, or numbers something unknown."""
    is_date = each.sign.hipaa == signs.DATE.hipaa
    return (each.column.role == DROP or each.column.numbers == "records") and not is_date and _repeats(each)


def _repeats(each: _Seen) -> bool:
    return each.coded is not None and may_repeat(each.column.distinct, int((each.coded.codes >= 0).sum()))


def _counting_persons(seen: Sequence[_Seen]) -> list[ColumnProfile]:
    """The columns that number something, without those whose values seem to repeat by chance."""
    numbering = [each for each in seen if each.column.numbers is not None]
    traits = {name: trait for name, trait in _traits(seen).items() if trait.size and trait.min() != trait.max()}
    return [each.column for each in numbering if each.coded is None or _may_count(each, each.coded, traits)]


def _may_count(each: _Seen, codes: Coded, traits: Mapping[str, Int32]) -> bool:
    """Whether a word or a trait says that the values number individuals, or at least many values repeat."""
    if each.column.numbers == "visits" or not ideas(each.column.name).isdisjoint(_PERSON_IDEAS):
        return True
    return bool(agreeing_traits(codes.codes, traits)) if traits else _repeats(each)


def _fixing_traits(seen: Sequence[_Seen]) -> dict[str, tuple[str, ...]]:
    """Dropped columns whose values fix the sex, age or birth of their rows, unless they are just a recoding of it."""
    traits = _traits(seen)
    counts = {each.column.name: each.column.distinct for each in seen}
    fixed = {
        each.column.name: agreeing_traits(
            each.coded.codes,
            {name: trait for name, trait in traits.items() if each.column.distinct >= _MORE_VALUES * counts[name]},
        )
        for each in seen
        if each.coded is not None and each.column.role == DROP and _is_unclear(each)
    }
    return {name: names for name, names in fixed.items() if names}


def _traits(seen: Sequence[_Seen]) -> dict[str, Int32]:
    """What is the same in all rows of an individual, and the age, which hardly changes."""
    is_age = signs.AGE.what
    return {
        each.column.name: each.coded.codes
        for each in seen
        if each.coded is not None and (_is_trait(each) or (each.sign.what == is_age and each.column.role == QUASI))
    }


def _is_trait(each: _Seen) -> bool:
    """Whether a column is the same in all rows of an individual: sex, origin, birth."""
    if each.column.role != QUASI:
        return False
    return each.sign.what in ("sex", "origin") or (each.sign.what == "dates" and is_about_birth(each.column.name))


def _warnings(seen: Sequence[_Seen]) -> list[Warning]:
    names = [each.column.name for each in seen]
    among_values = {each.column.name for each in seen if each.is_named_by_value}
    variants = {each.column.name: each.variants for each in seen if each.column.role == SENSITIVE}
    return list(risks(names, among_values, variants, _fixing_traits(seen)))
