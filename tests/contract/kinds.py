"""How algorithms and forms join the contract: a line each; a test fails while one is missing. Models join in
`tests/models/strategies.py`."""

from __future__ import annotations

import csv
from collections.abc import Callable
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
        Pais, goal=st.sampled_from(["general", "classification"]), score=st.sampled_from(["weighted", "paper"])
    ),
    "samarati": st.builds(Samarati, measure=MEASURES),
}


def generalized(folder: Path) -> list[Row]:
    """The released rows in the order of the file, None where a field is empty; read by a reader that is not ours."""
    with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
        return [{name: value or None for name, value in row.items()} for row in csv.DictReader(file)]


FORMS: dict[str, Callable[[Path], list[Row]]] = {"generalized": generalized}
"""Form → how its released rows are read back."""
