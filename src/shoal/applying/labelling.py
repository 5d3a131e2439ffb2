"""Labelling: which label of an earlier release each value of a new table gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.applying.earlier import Earlier
from shoal.coded.counted import Coded
from shoal.coded.domains import TREE, QuasiDomain
from shoal.errors import TableError
from shoal.exact import fraction
from shoal.hierarchies import Intervals, Prefix
from shoal.labels import ANY, MISSING, Exactly, OneOf, Range, exact, read
from shoal.reading.typed_labels import HIGH, LOW, LabelColumn, label_type, typed_labels
from shoal.search.applying import Labels
from shoal.table import notation_hint

_NUMBERS = {"integer", "real"}
_TIMES = {"date", "datetime"}


def labels_of(coded: Coded, earlier: Earlier) -> Labels:
    """The label of every code of every quasi-identifier; None for a value that the earlier release has no label for.

    At a level of a hierarchy that does not depend on the data, every value has a label. Otherwise a value gets the
    released label that covers it.
    """
    of_code = tuple(
        tuple(_labels(domain, earlier.labels.get(domain.name, ()), earlier.levels.get(domain.name)))
        for domain in coded.quasi
    )
    known = all(domain.name in earlier.levels for domain in coded.quasi)
    return Labels(of_code, tuple(earlier.levels[each.name] - each.finest for each in coded.quasi) if known else None)


def _labels(domain: QuasiDomain, released: Sequence[str], level: int | None) -> list[str | None]:
    if domain.values.is_null().all():  # a column without values has no type that could differ
        return _with_missing(domain, [_members(released).get(MISSING)] * domain.size, released)
    if domain.type == "text" and domain.settings.hierarchy is None and any(map(_is_range, released)):
        raise _other_type(domain, label_type(LabelColumn(domain.name, released, domain.settings)))
    domain = _with_intervals(domain, released)
    if level == 0:
        return [exact(text) for text in domain.texts]
    if domain.published != TREE or domain.learned:
        return _with_missing(domain, _by_meaning(domain, released), released)
    if level is None:
        return _with_missing(domain, _lowest_above(domain, set(released)), released)
    spec = domain.settings.hierarchy
    if isinstance(spec, Prefix) and spec.steps is None:
        return _with_missing(domain, _prefixes(domain, released), released)
    return list(_at(domain, min(level - domain.finest, domain.tree.height)))


def _is_range(label: str) -> bool:
    return isinstance(read(label), Range)


def _at(domain: QuasiDomain, level: int) -> list[str]:
    """The label of every code at a level of its hierarchy."""
    here = domain.tree.levels[level]
    names = here.labels if level or domain.finest else [exact(text) for text in here.labels]
    return [names[node] for node in here.of_leaf.tolist()]


def _with_missing(domain: QuasiDomain, found: list[str | None], released: Sequence[str]) -> list[str | None]:
    """The labels, and for a missing value without one its own: it is a value of its own unless all are `*`."""
    absent = MISSING if ANY not in released or MISSING in released else ANY
    missing = domain.values.is_null().to_list()
    return [absent if gone and text is None else text for text, gone in zip(found, missing, strict=True)]


def _lowest_above(domain: QuasiDomain, released: set[str]) -> list[str | None]:
    """For every code, the released label at the lowest level above it."""
    found: list[str | None] = [None] * domain.size
    for level in range(domain.tree.height, -1, -1):
        for code, label in enumerate(_at(domain, level)):
            if label in released:
                found[code] = label
    return found


def _prefixes(domain: QuasiDomain, released: Sequence[str]) -> list[str | None]:
    """Prefixes of as many characters as the released ones have: the longest value decides at which level they are."""
    values = [each.value for each in map(read, released) if isinstance(each, Exactly)]
    kept = {len(value) - 1 for value in values if value.endswith(ANY)}
    if len(kept) != 1:  # all labels are `*`, or values that are shorter than the prefix
        return _lowest_above(domain, set(released))
    (step,) = kept
    return [None if not text else exact(text[:step] + ANY * (len(text) >= step)) for text in domain.texts]


# -- intervals ------------------------------------------------------------------------------------------------------


def _with_intervals(domain: QuasiDomain, released: Sequence[str]) -> QuasiDomain:
    """The domain with intervals written as the released ones: those of real numbers end where the next one begins.

    A column of real numbers may have only whole ones in a new table, and then seem to be of whole numbers.
    """
    spec = domain.settings.hierarchy
    written = _interval_type(spec, released) if isinstance(spec, Intervals) else None
    if spec is None or written in (None, domain.type):
        return domain
    if written != "real" or domain.finest:
        raise _other_type(domain, str(written))
    tree = spec.build(domain.values.drop_nulls().cast(pl.Float64).sort())
    tree = tree.with_missing() if domain.has_missing else tree
    return replace(domain, hierarchy=tree.reordered(np.array([tree.index[text] for text in domain.texts])))


def _interval_type(spec: Intervals, released: Sequence[str]) -> str | None:
    """The type of the numbers whose intervals were released; None if these do not show it."""
    widths = {fraction(width) for width in spec.widths}
    ranges = [each for each in map(read, released) if isinstance(each, Range)]
    lengths = {Fraction(each.high) - Fraction(each.low) for each in ranges}
    fits = {"integer": {length + 1 for length in lengths} <= widths, "real": lengths <= widths}
    possible = [type_ for type_, fit in fits.items() if fit]
    return possible[0] if len(possible) == 1 else None


# -- labels that say what they cover --------------------------------------------------------------------------------


def _by_meaning(domain: QuasiDomain, released: Sequence[str]) -> list[str | None]:
    """For every code, the released value, range or set that covers it, and otherwise `*`, if that was released."""
    named = [label for label in released if label not in (ANY, MISSING)]
    is_text = "text" in (domain.type, label_type(LabelColumn(domain.name, named, domain.settings)))
    found = _by_text(domain, named) if is_text else _by_number(domain, named)
    rest = ANY if ANY in released else None
    missing = domain.values.is_null().to_list()
    found = [text if text is not None or gone else rest for text, gone in zip(found, missing, strict=True)]
    listed = _members(released).get(MISSING)
    return [listed if gone and listed else text for text, gone in zip(found, missing, strict=True)]


def _by_text(domain: QuasiDomain, named: Sequence[str]) -> list[str | None]:
    members = _members(named)
    return [members.get(text) if text else None for text in domain.texts]


def _members(released: Sequence[str]) -> Mapping[str, str]:
    """Value → the label that is this value, or a set with it; the empty text of a set is a missing value."""
    members: dict[str, str] = {}
    for label in released:
        meaning = read(label)
        if isinstance(meaning, OneOf):
            members |= dict.fromkeys(meaning.values, label)
        elif isinstance(meaning, Exactly) and meaning.value:
            members[meaning.value] = label
    return members


def _by_number(domain: QuasiDomain, named: Sequence[str]) -> list[str | None]:
    """The range that each number or date lies in. Ranges of a global recoding do not overlap, but may share an end."""
    if not named:
        return [None] * domain.size
    type_ = _common_type(domain, named)
    unbounded = domain.settings.model_copy(update={"top": None, "bottom": None})  # as labels are written
    said = typed_labels(LabelColumn(domain.name, named, unbounded), type_)
    order = said[LOW].arg_sort()
    low, high = (said[end].gather(order).to_physical().to_numpy() for end in (LOW, HIGH))
    values = domain.values.cast(said.schema[LOW]).to_physical()
    present = values.is_not_null().to_numpy()
    numbers = values.fill_null(strategy="zero").to_numpy()
    place = np.searchsorted(low, numbers, side="right") - 1
    inside = present & (place >= 0) & (numbers <= high[np.maximum(place, 0)])
    in_order = [named[at] for at in order.to_list()]
    return [in_order[at] if ok else None for at, ok in zip(place.tolist(), inside.tolist(), strict=True)]


def _common_type(domain: QuasiDomain, named: Sequence[str]) -> str:
    """The type in which values and labels are compared: whole numbers may be compared as reals, dates as date-times."""
    of_labels = label_type(LabelColumn(domain.name, named, domain.settings))
    for family, widest in ((_NUMBERS, "real"), (_TIMES, "datetime")):
        if {domain.type, of_labels} <= family:
            return domain.type if domain.type == of_labels else widest
    raise _other_type(domain, of_labels)


def _other_type(domain: QuasiDomain, of_labels: str) -> TableError:
    return TableError(
        f"Column '{domain.name}' is {domain.type} in the new table, but {of_labels} in the earlier release.",
        allowed="A recoding is applied to columns of the same type.",
        hint=notation_hint(domain.values)
        or "check its values in the new table: a text among numbers makes the whole column text.",
    )
