"""How rows, persons and values are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Value = str | None
Row = Mapping[str, Value]


@dataclass(frozen=True)
class Setting:
    """What the plan says besides the model.

    `person`: the column that tells persons apart, if any. `missing_counts`: the sensitive columns in which a missing
    value is a value. `order`: column → its values, ascending. `paths`: column → value → its labels up to the top.
    `protected`: column → its protected labels. `knowledge`: set-valued column → label → its items; the items of a cell
    are separated by `|`.
    """

    person: str | None = None
    missing_counts: frozenset[str] = frozenset()
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)
    paths: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    protected: Mapping[str, Sequence[str]] = field(default_factory=dict)
    knowledge: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


def written(value: float | int) -> Fraction:
    """A parameter as a person wrote it: 0.1 is one tenth."""
    return Fraction(str(value))


def size(rows: Sequence[Row], setting: Setting) -> int:
    """Rows, or distinct persons."""
    return len(rows) if setting.person is None else len({row[setting.person] for row in rows})


def tally(rows: Sequence[Row], column: str, setting: Setting) -> dict[Value, int]:
    """How many rows, or distinct persons, have each value; missing is None."""
    return {
        value: size([row for row in rows if row[column] == value], setting) for value in {row[column] for row in rows}
    }


def tally_counted(rows: Sequence[Row], column: str, setting: Setting) -> dict[Value, int]:
    """The same without missing, unless it counts."""
    found = tally(rows, column, setting)
    return {v: n for v, n in found.items() if v is not None or column in setting.missing_counts}


def shares(rows: Sequence[Row], column: str, setting: Setting) -> dict[Value, Fraction]:
    """The share of each value in the sum of all counts; missing is a value like any other."""
    found = tally(rows, column, setting)
    return {value: Fraction(count, sum(found.values())) for value, count in found.items()}
