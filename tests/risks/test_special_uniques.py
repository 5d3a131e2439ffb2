"""Special uniques equal an exhaustive search over all column sets of all rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.progress import silent
from shoal.risks import SpecialUniques, special_uniques
from shoal.risks.classes import Classes
from shoal.risks.special_uniques import largest_set, score
from tests.risks.tables import ROWS, Rows, figures, minimal_uniques, sample_of


def found_by_row(rows: Rows, largest: int) -> Counter[tuple[tuple[str, ...], tuple[int, ...]]]:
    classes = sample_of(rows).classes
    found: Counter[tuple[tuple[str, ...], tuple[int, ...]]] = Counter()
    for minimal in special_uniques.minimal_uniques(classes, largest, silent):
        for row in minimal.rows:
            labels = tuple(classes.labels[place][classes.codes[place][row]] for place in range(len(classes.columns)))
            found[labels, minimal.places] += 1
    return found


@given(ROWS, st.integers(1, 4))
def test_the_search_finds_what_an_exhaustive_one_finds(rows: Rows, largest: int) -> None:
    expected = Counter({(rows[row], places): 1 for row, places in minimal_uniques(rows, largest)})
    assert found_by_row(rows, largest) == expected


@pytest.mark.parametrize("seed", range(4))
def test_it_does_so_on_a_wider_table(seed: int) -> None:
    drawn = np.random.default_rng(seed).integers(0, 3, (60, 7))
    rows = [tuple(map(str, row)) for row in drawn.tolist()]
    for largest in (2, 3, 7):
        expected = Counter({(rows[row], places): 1 for row, places in minimal_uniques(rows, largest)})
        assert found_by_row(rows, largest) == expected


@given(ROWS)
def test_scores_follow_from_the_minimal_uniques(rows: Rows) -> None:
    width = len(rows[0])
    found = figures(SpecialUniques, sample_of(rows))
    every = minimal_uniques(rows, width)
    points = Counter[int]()
    for row, places in every:
        points[row] += score(len(places), width, width)
    assert found["rows"] == len(points)
    assert found["highest_score"] == max(points.values(), default=0)
    assert found["mean_score"] == pytest.approx(points.total() / len(rows))
    assert found["msu"] == {
        str(size): sum(len(places) == size for _, places in every)
        for size in sorted({len(places) for _, places in every})
    }
    for place, share in enumerate(found["columns"].values()):
        own = sum(score(len(places), width, width) for _, places in every if place in places)
        assert share == pytest.approx(own / points.total() if points else 0.0)


def test_the_score_of_the_literature() -> None:
    # Elliot et al.: with 4 columns and sets of up to 3, an MSU of 1 column counts 3 · 2 · 1, of 2 columns 2 · 1.
    assert [score(size, 3, 4) for size in (1, 2, 3)] == [6, 2, 1]
    assert score(4, 4, 4) == 1


def test_a_large_table_is_searched_for_smaller_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = [tuple(map(str, row)) for row in rng.integers(0, 4, (50, 6)).tolist()]
    classes: Classes = sample_of(rows).classes
    assert largest_set(classes) == 6
    monkeypatch.setattr(special_uniques, "WORK", 1)
    assert largest_set(classes) == 2


def test_progress_may_cancel_the_search() -> None:
    def cancel(_step: str, share: float) -> None:
        if share > 0:
            raise KeyboardInterrupt

    rows = [("a", "x"), ("b", "y"), ("b", "x")]
    with pytest.raises(KeyboardInterrupt):
        SpecialUniques().of(sample_of(rows), cancel)
