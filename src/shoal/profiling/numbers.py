"""Numbers of individuals: national and insurance numbers with check digits, by which a column of digits is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_DIGITS = re.compile(r"\d{9,12}")
_FEWEST = 2


def are_national_numbers(sample: Sequence[str]) -> bool:
    """Whether all values are numbers of individuals of one country, judged by their check digits and days of birth.

    >>> are_national_numbers(["44051401359", "02070803628"]), are_national_numbers(["44051401358", "02070803627"])
    (True, False)
    """
    plain = [value.replace(" ", "").replace("-", "") for value in sample]
    if len(plain) < _FEWEST or not all(_DIGITS.fullmatch(value) for value in plain):
        return False
    return any(all(map(is_valid, plain)) for is_valid in _KINDS)


def _is_polish(number: str) -> bool:
    """PESEL: six digits of the day of birth, with the century in the month."""
    return (
        len(number) == 11
        and _is_day(int(number[4:6]), int(number[2:4]) % 20)
        and _weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0
    )


def _is_norwegian(number: str) -> bool:
    """Fødselsnummer: two check digits modulo 11; the day of foreigners' numbers is raised by 40."""
    return (
        len(number) == 11
        and _is_day(int(number[:2]) % 40, int(number[2:4]))
        and _weighted(number, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11 == 0
        and _weighted(number, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0
    )


def _is_swedish(number: str) -> bool:
    """Personnummer: day of birth with or without the century, and a check digit by Luhn's scheme."""
    short = number[2:] if len(number) == 12 else number
    if len(short) != 10 or not _is_day(int(short[4:6]) % 60, int(short[2:4])):
        return False
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(short)]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _is_british(number: str) -> bool:
    """NHS number: ten digits modulo 11."""
    return len(number) == 10 and _weighted(number, (10, 9, 8, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _is_dutch(number: str) -> bool:
    """Burgerservicenummer: nine digits modulo 11, the last with the weight -1."""
    return len(number) == 9 and _weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


_KINDS: tuple[Callable[[str], bool], ...] = (_is_polish, _is_norwegian, _is_swedish, _is_british, _is_dutch)


def _weighted(number: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))


def _is_day(day: int, month: int) -> bool:
    return 1 <= day <= 31 and 1 <= month <= 12
