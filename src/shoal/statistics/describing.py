"""Describing one column before and after: means and quartiles of numbers, frequencies of categories."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.arrays import Flags, Int64
from shoal.statistics.base import Compared, Members, Numbers, Sides, Unit, few, figure
from shoal.statistics.weighted import deviation, deviation_bounds, mean, mean_bounds, quantile_bounds, quantiles

QUANTILES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
OTHERS, MISSING = "all other values", "missing"


def described(column: str, sides: Sides) -> Compared:
    """The mean, the standard deviation and the quartiles of numbers, or the frequencies of categories."""
    return numbers_of(column, sides) if sides.is_number(column) else frequencies_of(column, sides)


def numbers_of(column: str, sides: Sides) -> Compared:
    """The figures of a column of numbers, each computed from the rows with a known value or range."""
    cells = sides.before.alone(column), sides.after.alone(column)
    before, after = (each.numbers() for each in cells)
    was, now = ((each.rows[numbers.known]) for each, numbers in zip(cells, (before, after), strict=True))
    rows_before, rows_after = int(was.sum()), int(now.sum())
    unknown = int(cells[1].rows[after.unknown].sum())
    title = f"Dates of '{column}'" if after.dated else f"Numbers of '{column}'"
    if few(rows_before, sides.fewest) or few(rows_after, sides.fewest):
        return Compared("numbers", (column,), title, (), notes=(_too_few(sides.fewest),))
    x, y = taken(before, before.known), taken(after, after.known)
    unit: Unit = "date" if after.dated else "number"
    figures = [
        figure("mean", mean(x.middle, was), mean(y.middle, now), mean_bounds(y, now), unit),
        *(figure(*each, unit) for each in _quantiles(x, was, y, now)),
        figure("standard deviation", deviation(x.middle, was), deviation(y.middle, now), deviation_bounds(y, now)),
    ]
    return Compared("numbers", (column,), title, tuple(figures), rows_before, rows_after, unknown)


def _quantiles(
    x: Numbers, was: Int64, y: Numbers, now: Int64
) -> Iterator[tuple[str, float, float, tuple[float, float]]]:
    shares = list(QUANTILES.values())
    before, after = quantiles(x.middle, was, shares), quantiles(y.middle, now, shares)
    bounds = list(zip(after, after, strict=True)) if y.low is y.middle else quantile_bounds(y, now, shares)
    return zip(QUANTILES, before, after, bounds, strict=True)


def taken(numbers: Numbers, cells: Flags | Int64) -> Numbers:
    """Some of the cells, by flags or by positions."""
    middle = numbers.middle[cells]
    ends = (middle, middle) if numbers.low is numbers.middle else (numbers.low[cells], numbers.high[cells])
    return Numbers(*ends, middle, numbers.whole, numbers.dated)


def frequencies_of(column: str, sides: Sides) -> Compared:
    """The share of the rows of every category that may be named; all others are one.

    The estimate and the bounds are shares of all released rows: a row counts in every category that its label may stand
    for, with the share that is expected there.
    """
    levels = sides.levels(column)
    cells = sides.before.alone(column), sides.after.alone(column)
    (was, now), members = (each.rows for each in cells), [each.members(levels) for each in cells]
    names, (before, after) = _named([level.name for level in levels], members, (was, now), sides.fewest)
    rows_in, rows_out = int(was.sum()), int(now.sum())
    figures = [
        figure(
            name,
            float(was[before.sure[place]].sum()) / rows_in,
            float((after.likely[place] * now).sum()) / rows_out if rows_out else None,
            (float(now[after.sure[place]].sum()) / rows_out, float(now[after.possible[place]].sum()) / rows_out),
            "share",
        )
        for place, name in enumerate(names)
    ]
    title = f"Frequencies of '{column}'"
    return Compared("frequencies", (column,), title, tuple(figures), rows_in, rows_out)


def _named(
    levels: list[str], members: list[Members], rows: tuple[Int64, Int64], fewest: int
) -> tuple[list[str], list[Members]]:
    """The levels with those of missing and of all other values, such that none of them has too few rows.

    If the others are too few, missing values are among them, and then the rarest level.
    """
    absent = [int(each[side.absent].sum()) for each, side in zip(rows, members, strict=True)]
    listed = not any(few(each, fewest) for each in absent) and any(absent)
    for kept in range(len(levels), -1, -1):
        first = [side.first(kept) for side in members]
        if listed:
            parted = [side.with_missing().with_others(with_missing=True) for side in first]
            if not _few_others(parted, rows, fewest):
                return _without_empty([*levels[:kept], MISSING, OTHERS], parted)
        parted = [side.with_others(with_missing=True) for side in first]
        if not _few_others(parted, rows, fewest):
            name = f"{OTHERS}, or {MISSING}" if any(absent) else OTHERS
            return _without_empty([*levels[:kept], name], parted)
    return [], [side.first(0) for side in members]


def _few_others(members: list[Members], rows: tuple[Int64, Int64], fewest: int) -> bool:
    """Whether the last level has too few rows to be named, before or after."""
    was = few(int(rows[0][members[0].sure[-1]].sum()), fewest)
    return was or few(int(rows[1][members[1].possible[-1]].sum()), fewest)


def _without_empty(names: list[str], members: list[Members]) -> tuple[list[str], list[Members]]:
    """Without the last level, all other values, if there are none before and after."""
    if members[0].sure[-1].any() or members[1].possible[-1].any():
        return names, members
    return names[:-1], [side.first(len(names) - 1) for side in members]


def _too_few(fewest: int) -> str:
    return f"Fewer than {fewest:,} rows have a value that is known, so no figure is shown."
