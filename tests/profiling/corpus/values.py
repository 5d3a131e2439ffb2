"""Values of a realistic shape for the columns of the corpus, all made up and drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from math import prod
from random import Random

from tests.profiling.corpus import pools
from tests.profiling.corpus.base import Draw, Values

HEX = "0123456789abcdef"
DIGITS = "0123456789"
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def _rowwise(cell: Callable[[Random], str]) -> Values:
    def values(draw: Draw) -> list[str]:
        random = draw.random()
        return [cell(random) for _ in range(draw.rows)]

    return values


def each(values: Values) -> Values:
    """One value per individual, repeated in all of the individual's rows."""

    def spread(draw: Draw) -> list[str]:
        own = values(replace(draw, rows=max(draw.owners) + 1))
        return [own[owner] for owner in draw.owners]

    return spread


def missing(values: Values, share: float = 0.1, mark: str = "") -> Values:
    """The values, with a mark in place of a share of them."""

    def some(draw: Draw) -> list[str]:
        random = draw.random(f"{draw.field}/missing")
        return [mark if random.random() < share else value for value in values(draw)]

    return some


def upper(values: Values) -> Values:
    """The values in capital letters."""
    return lambda draw: [value.upper() for value in values(draw)]


def written(values: Values, form: str) -> Values:
    """The values in another notation, such as `${}`; missing values stay empty."""
    return lambda draw: [form.format(value) if value else value for value in values(draw)]


def pick(options: str, skew: float = 0.0) -> Values:
    """One of the options, which `|` separates; with a skew, the first ones are the most frequent."""
    listed = options.split("|")
    weights = [1 / (rank + 1) ** skew for rank in range(len(listed))]
    return lambda draw: draw.random().choices(listed, weights, k=draw.rows)


def skewed(options: str) -> Values:
    """One of the options, the first ones far more often than the last ones."""
    return pick(options, skew=1.2)


def coded(options: str, part: int, key: str) -> Values:
    """One part of options such as `49=Diabetes`; columns with the same key are parts of the same options."""
    listed = [option.split("=")[part] for option in options.split("|")]
    weights = [1 / (rank + 1) for rank in range(len(listed))]
    return lambda draw: draw.random(key).choices(listed, weights, k=draw.rows)


def flag(share: float = 0.15, options: str = "1|0") -> Values:
    """The first of two options for the given share of the rows, else the second."""
    yes, no = options.split("|")
    return _rowwise(lambda random: yes if random.random() < share else no)


def several(options: str, most: int = 4, separator: str = ";") -> Values:
    """Between one and `most` different options in one cell."""
    listed = options.split("|")
    return _rowwise(lambda random: separator.join(random.sample(listed, random.randint(1, most))))


def whole(low: int, high: int) -> Values:
    """A whole number, more often near the lower bound."""
    return _rowwise(lambda random: str(low + int((high - low + 1) * random.random() ** 1.5)))


def real(mean: float, spread: float, digits: int = 1, decimal: str = ".") -> Values:
    """A measured number around a mean, never below a tenth of it."""

    def cell(random: Random) -> str:
        text = f"{max(random.gauss(mean, spread), mean / 10):.{digits}f}"
        return text.replace(".", decimal)

    return _rowwise(cell)


def money(typical: float, digits: int = 2, decimal: str = ".") -> Values:
    """An amount of money: many small ones, few large ones."""
    return _rowwise(lambda random: f"{random.lognormvariate(0, 1) * typical:.{digits}f}".replace(".", decimal))


def ages(typical: float = 58, spread: float = 17, low: int = 18, high: int = 102) -> Values:
    """An age in years; a few are over 90, unless the highest age is lower."""

    def cell(random: Random) -> str:
        if random.random() < 0.015:
            return str(min(random.randint(91, 102), high))
        return str(min(max(round(random.gauss(typical, spread)), low), 96, high))

    return _rowwise(cell)


def dates(
    form: str = "%Y-%m-%d",
    first: str = "2019-01-01",
    last: str = "2023-12-31",
    *,
    key: str | None = None,
    lag: tuple[float, float] = (0, 0),
) -> Values:
    """A date or time between two days; columns with the same key differ only by their lag in days."""
    start = datetime.fromisoformat(first)
    seconds = int((datetime.fromisoformat(last) - start).total_seconds())

    def values(draw: Draw) -> list[str]:
        base, random = draw.random(key), draw.random(f"{draw.field}/lag")
        moments = [start + timedelta(seconds=base.randrange(seconds)) for _ in range(draw.rows)]
        return [(moment + timedelta(days=random.uniform(*lag))).strftime(form) for moment in moments]

    return values


def births(form: str = "%Y-%m-%d", first: str = "1928-01-01", last: str = "2004-12-31") -> Values:
    """A date of birth, the same in every column of the schema."""
    return dates(form, first, last, key="birth")


def pattern(text: str) -> Values:
    """A code that is different in every row: `#` is a digit, `%` a hexadecimal digit, `@` a letter.

    The first digit of a number is not zero.
    """
    places = {"#": DIGITS, "%": HEX, "@": LETTERS}
    possible = prod(len(places.get(sign, " ")) for sign in text)

    def values(draw: Draw) -> list[str]:
        if draw.rows > possible / 2:
            raise ValueError(f"the pattern of column '{draw.field}' has too few codes")
        random, codes = draw.random(), dict[str, None]()
        while len(codes) < draw.rows:
            code = "".join(random.choice(places[sign]) if sign in places else sign for sign in text)
            if not (text.startswith("#") and code.startswith("0")):
                codes[code] = None
        return list(codes)

    return values


def few(text: str, count: int) -> Values:
    """A code of a pattern, of which the table has only a few."""

    def values(draw: Draw) -> list[str]:
        codes = pattern(text)(replace(draw, rows=count))
        return draw.random(f"{draw.field}/few").choices(codes, [1 / (rank + 1) for rank in range(count)], k=draw.rows)

    return values


def serial(first: int = 1, step: int = 1, form: str = "{}") -> Values:
    """A running number."""
    return lambda draw: [form.format(first + step * row) for row in range(draw.rows)]


def uuids() -> Values:
    """A random UUID."""
    return pattern("%%%%%%%%-%%%%-4%%%-a%%%-%%%%%%%%%%%%")


def names(form: str = "{family}, {given}") -> Values:
    """Names of individuals in the language of the schema, combined at random."""

    def values(draw: Draw) -> list[str]:
        random = draw.random()
        given, family = pools.GIVEN[draw.language], pools.FAMILY[draw.language]
        return [
            form.format(
                given=random.choice(given),
                family=random.choice(family),
                other=random.choice(family),
                initial=random.choice(LETTERS),
            )
            for _ in range(draw.rows)
        ]

    return values


def staff(form: str = "Dr. {given} {family}", count: int = 18) -> Values:
    """Names of a few members of staff."""

    def values(draw: Draw) -> list[str]:
        listed = names(form)(replace(draw, rows=count))
        return draw.random(f"{draw.field}/staff").choices(listed, k=draw.rows)

    return values


def emails() -> Values:
    """An e-mail address."""

    def values(draw: Draw) -> list[str]:
        people, random = names("{given}.{family}")(draw), draw.random("mail")
        hosts = ("example.org", "example.com", "mail.example.net")
        local = (name.replace(" ", "").replace("'", "").lower() for name in people)
        return [f"{name}{random.randint(1, 99)}@{random.choice(hosts)}" for name in local]

    return values


def streets() -> Values:
    """A street with its number, written as in the language of the schema."""

    def values(draw: Draw) -> list[str]:
        random, listed = draw.random(), pools.STREETS[draw.language]
        return [random.choice(listed).format(random.randint(1, 260)) for _ in range(draw.rows)]

    return values


def cities(count: int = 14) -> Values:
    """A town of a country of the schema's language."""

    def values(draw: Draw) -> list[str]:
        listed = pools.CITIES[draw.language][:count]
        weights = [1 / (rank + 1) ** 0.7 for rank in range(len(listed))]
        return draw.random().choices(listed, weights, k=draw.rows)

    return values


def notes() -> Values:
    """A clinical note that names people."""

    def values(draw: Draw) -> list[str]:
        random, people = draw.random(), names("{given} {family}")(draw)
        texts = pools.NOTES[draw.language]
        return [random.choice(texts).format(name=name, days=random.randint(2, 90)) for name in people]

    return values
