"""How algorithms and forms join the contract: a line each; a test fails while one is missing. Models join in
`tests/models/strategies.py`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from shoal.algorithms import Algorithm, Incognito, Mondrian, Optimal, Pais, Samarati
from tests.contract.tables import Row

MEASURES = st.sampled_from(["loss", "discernibility", "precision", "average-class-size"])

ALGORITHMS: dict[str, st.SearchStrategy[Algorithm]] = {
    "mondrian": st.builds(Mondrian, cut=st.sampled_from(["loss", "median"])),
    "optimal": st.builds(Optimal, measure=MEASURES, local=st.booleans()),
    "incognito": st.builds(Incognito, measure=MEASURES),
    "pais": st.builds(
        Pais,
        goal=st.sampled_from(["general", "classification"]),
        score=st.sampled_from(["sparing", "weighted", "paper"]),
    ),
    "samarati": st.builds(Samarati, measure=MEASURES),
}


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
