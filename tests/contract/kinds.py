"""How algorithms and forms join the contract. An algorithm brings its parameters in its own test module, as models do;
a form is a line here, and a test fails while one is missing."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.algorithms import ALL, Algorithm
from tests.contract.tables import Row
from tests.models.declared import Strategies

ALGORITHMS: Strategies[Algorithm] = Strategies("algorithms", (algorithm.kind for algorithm in ALL))


def read(path: Path) -> list[Row]:
    """The rows of a file in its order, None where a field is empty; read by a reader that is not ours."""
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: value or None for name, value in row.items()} for row in csv.DictReader(file)]


@dataclass(frozen=True)
class Shape:
    """How the main table of a form looks: its file, and by which columns its rows are told apart into classes.

    `labelled`: quasi-identifiers are labels of a class. `apart`: sensitive columns are counted in tables of their own.
    """

    file: str
    class_columns: Callable[[Sequence[str]], Sequence[str]]
    labelled: bool = True
    apart: bool = False


FORMS = {
    "generalized": Shape("release.csv", lambda quasi: quasi),
    "anatomy": Shape("quasi_identifiers.csv", lambda _quasi: ["class_id"], labelled=False, apart=True),
}

ALGORITHMS.load()
