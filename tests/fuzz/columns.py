"""Random quasi-identifiers, each with the true meaning of its labels, written without any of the library's code."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from shoal import labels
from shoal.hierarchies import Dates, File, Flat, Intervals, Learned, Prefix
from shoal.hierarchies.codes import Icd9
from tests.contract.tables import AGES, AWKWARD, JOBS, Value

ODD = (
    *AWKWARD,
    "[1, 2",
    "{",
    "}",
    "\\",
    "\\*",
    "{a}",
    "{}",
    "[a, b]",
    "*x",
    "x*",
    "é",
    "e\u0301",
    "日本",
    "=1+1",
    "'",
    "\t",
)
CITIES = tuple(f"city {n:02d}" for n in range(40))
ZIPS = ("02139", "02138", "02144", "0213", "0", "10001", "1000", "100", "99", "ab1", "ab2", "ß1", "02*", "[0", "{0")
ICD9_PATHS = {
    "0010": ("001", "001-009", "001-139"),
    "042": ("042", "042-042", "001-139"),
    "250": ("250", "249-259", "240-279"),
    "250.00": ("250", "249-259", "240-279"),
    "4280": ("428", "420-429", "390-459"),
    "E880.0": ("E880", "E880-E888", "E000-E999"),
    "V10": ("V10", "V10-V19", "V01-V91"),
}
DATE_LEVELS = (("month", "quarter", "year", "decade"), ("year",), ("week",), ("quarter", "century"), ("decade",))

Above = Callable[[str], Sequence[str]]


def _nothing(_value: str) -> Sequence[str]:
    return ()


def _same(value: str) -> str:
    return value


@dataclass(frozen=True)
class Quasi:
    """A quasi-identifier: the values to draw from, its settings in the plan, and the meaning of its labels.

    `above`: the labels of the hierarchy that are true of a value, besides ranges and sets. `coded`: the value within
    top and bottom.
    """

    name: str
    values: tuple[str, ...]
    kind: str
    settings: Mapping[str, Any]
    above: Above = _nothing
    coded: Callable[[str], str] = field(default=_same)

    def covers(self, label: str, value: Value) -> bool:
        """Whether a released label is true of a coded value."""
        if label == "*":
            return True
        meaning = labels.read(label)
        if isinstance(meaning, labels.OneOf):
            return (value or "") in meaning.values
        if value is None:
            return label == ""
        if label in self.above(value) or label == labels.exact(value):
            return True
        if isinstance(meaning, labels.Range) and self.kind != "text":
            return self.number(meaning.low) <= self.number(value) <= self.number(meaning.high)
        return False

    def is_beyond(self, label: str) -> bool:
        """Whether a label reaches beyond the top or the bottom of the column; intervals may."""
        low, high = self.settings.get("bottom"), self.settings.get("top")
        meaning = labels.read(label)
        if (low is None and high is None) or isinstance(self.settings.get("hierarchy"), Intervals) or label == "":
            return False
        if isinstance(meaning, labels.Range):
            ends = [self.number(meaning.low), self.number(meaning.high)]
        else:
            ends = [self.number(meaning.value)] if isinstance(meaning, labels.Exactly) else []
        return any((high is not None and end > high) or (low is not None and end < low) for end in ends)

    def number(self, text: str) -> Fraction:
        """A number, a date as a day, or a date-time as seconds; a date-time without a time begins its day."""
        if self.kind == "datetime":
            since = datetime.datetime.fromisoformat(text) - datetime.datetime(1, 1, 1)
            return Fraction(since.days * 86_400 + since.seconds) + Fraction(since.microseconds, 10**6)
        if self.kind == "date":
            return Fraction(datetime.date.fromisoformat(text).toordinal())
        return Fraction(text)


def quasi(rng: Random, name: str, trees: Path) -> Quasi:
    """A random quasi-identifier with this name; the files of hierarchies are in `trees`."""
    if rng.random() < 0.03:  # its tree has thousands of codes
        return _icd9(rng, name, trees)
    made = rng.choice((_integer, _integer, _real, _date, _moment, _zip, _job, _text, _city, _years))(rng, name, trees)
    return replace(made, settings=_limited(rng, made.settings)) if rng.random() < 0.15 else made


def _integer(rng: Random, name: str, _trees: Path) -> Quasi:
    base = rng.choice((range(20, 60), range(-9, 10), range(0, 400, 7), [2**60 + n for n in range(9)], [-(2**62), 0, 3]))
    values = tuple(str(n) for n in _some(rng, base))
    widths = rng.choice(((5,), (5, 10, 20), (2, 20), (3, 9), (7, 70)))
    settings: dict[str, Any] = _weighted(rng, {}, Intervals(widths, rng.choice((0, 1, -3))), Learned(rng.randint(2, 4)))
    coded = _same
    if rng.random() < 0.3:
        low, high = sorted(rng.sample(range(-5, 60), 2))
        settings |= rng.choice(({"top": high}, {"bottom": low}, {"top": high, "bottom": low}, {"top": high + 0.5}))
        coded = _clamp(settings.get("bottom"), settings.get("top"))
    return Quasi(name, values, "integer", settings, coded=coded)


def _clamp(low: float | None, high: float | None) -> Callable[[str], str]:
    def coded(value: str) -> str:
        number = int(value)
        if low is not None:
            number = max(number, int(low))
        return str(number if high is None else min(number, int(high // 1)))

    return coded


def _real(rng: Random, name: str, _trees: Path) -> Quasi:
    values = _some(rng, ("0.1", "0.2", "0.25", "0.3", "1.5", "2.75", "-3.75", "0.30000000000000004", "1000000.5"))
    settings = _weighted(rng, {"type": "real"}, Intervals((0.1, 1)), Intervals((0.5,), 0.25), Learned(2))
    return Quasi(name, values, "real", settings)


def _date(rng: Random, name: str, _trees: Path) -> Quasi:
    days = (
        "1950-01-31",
        "1950-02-01",
        "1981-12-31",
        "1982-01-01",
        "1999-12-31",
        "2000-01-01",
        "2000-02-29",
        "0999-05-05",
    )
    settings = _weighted(rng, {}, Dates(rng.choice(DATE_LEVELS)), Dates(), Learned(2))
    return Quasi(name, _some(rng, days), "date", settings, _calendar)


def _calendar(day: str) -> Sequence[str]:
    """Every period that a day lies in."""
    year, month = int(day[:4]), int(day[5:7])
    iso = datetime.date.fromisoformat(day).isocalendar()
    decade, century = year // 10 * 10, year // 100 * 100
    return (
        day[:7],
        f"{year:04d}-Q{(month + 2) // 3}",
        day[:4],
        f"[{decade:04d}, {decade + 9:04d}]",
        f"[{century:04d}, {century + 99:04d}]",
        f"{iso.year:04d}-W{iso.week:02d}",
    )


def _moment(rng: Random, name: str, _trees: Path) -> Quasi:
    moments = (
        "1999-12-31 23:59:59",
        "2000-01-01 00:00:00",
        "2000-02-29 12:30:00",
        "2000-02-29 12:59:59.250",
        "2000-02-29 13:00:00",
        "2021-06-15 08:05:00",
        "2021-06-15 08:05:01",
        "0999-05-05 01:02:03",
    )
    settings = _weighted(rng, {"type": "datetime"}, Dates(("hour", "day", "month", "year")), Dates(("day",)), Dates())
    return Quasi(name, _some(rng, moments), "datetime", settings, _periods)


def _periods(moment: str) -> Sequence[str]:
    """Every period that a date-time lies in."""
    return (f"{moment[:10]} {moment[11:13]}h", moment[:10], *_calendar(moment[:10]))


def _zip(rng: Random, name: str, _trees: Path) -> Quasi:
    steps = rng.choice((None, None, (3, 1), (4, 2), (1,)))
    settings = {"type": "text", "hierarchy": Prefix(steps), "weight": rng.choice((1.0, 0.01))}
    return Quasi(name, _some(rng, ZIPS), "text", settings, lambda v: [v[:n] + "*" for n in range(1, len(v) + 1)])


def _job(rng: Random, name: str, trees: Path) -> Quasi:
    values = _some(rng, [job for job in JOBS if job != "nobody has this"])
    return Quasi(name, values, "text", {"hierarchy": File(str(trees / "jobs.csv"))}, lambda value: JOBS[value])


def _years(rng: Random, name: str, trees: Path) -> Quasi:
    values = _some(rng, [age for age in AGES if age != "unknown"])
    return Quasi(name, values, "integer", {"hierarchy": File(str(trees / "ages.csv"))}, lambda value: AGES[value])


def _text(rng: Random, name: str, _trees: Path) -> Quasi:
    return Quasi(name, _some(rng, ODD), "text", _weighted(rng, {"type": "text"}, Flat(), Learned(2)))


def _city(rng: Random, name: str, _trees: Path) -> Quasi:
    """So many values that learned groups are labelled by their number, which alone does not tell their members."""
    groups = [f"group {i + 1} of {n}" for n in range(2, 41) for i in range(n)]
    settings = _weighted(rng, {}, Learned(2), Learned(rng.randint(2, 4)), Flat())
    return Quasi(name, CITIES[: rng.randint(2, 40)], "text", settings, lambda _value: groups)


def _icd9(rng: Random, name: str, _trees: Path) -> Quasi:
    settings = {"type": "text", "hierarchy": Icd9()}
    return Quasi(name, _some(rng, list(ICD9_PATHS)), "text", settings, lambda value: ICD9_PATHS[value])


def _weighted(rng: Random, settings: dict[str, Any], *hierarchies: Any) -> dict[str, Any]:
    """The settings, often with one of the hierarchies, and now and then with a weight."""
    chosen = rng.choice((None, *hierarchies))
    settings = settings if chosen is None else {**settings, "hierarchy": chosen}
    return {**settings, "weight": rng.choice((0.5, 2.5, 1000.0))} if rng.random() < 0.2 else settings


def _limited(rng: Random, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with limits on the levels, if these do not depend on the table."""
    hierarchy = settings.get("hierarchy", Flat() if settings.get("type") == "text" else None)
    if hierarchy is None or isinstance(hierarchy, Learned) or getattr(hierarchy, "steps", ()) is None:
        return settings
    finest = rng.randint(0, 2)
    return settings | rng.choice(({"finest": finest}, {"finest": finest, "coarsest": finest + rng.randint(0, 2)}))


def _some(rng: Random, values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(rng.sample(list(values), rng.randint(1, min(len(values), 9))))
