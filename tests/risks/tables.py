"""Small tables and plain-Python definitions for the tests of risk."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

import shoal
from shoal.progress import silent
from shoal.risks.base import RiskMeasure, Sample
from shoal.risks.classes import counted_classes

Rows = Sequence[tuple[str, ...]]

ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.sampled_from("abcd")] * width), min_size=1, max_size=25)
)
"""Tables of up to four columns with few values."""


def frame_of(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame({f"q{place}": [row[place] for row in rows] for place in range(len(rows[0]))})


def plan_of(columns: Sequence[str], **parts: Any) -> shoal.Plan:
    given = {"models": [shoal.KAnonymity(k=2)], "data": shoal.Data(unlisted="drop")} | parts
    return shoal.Plan(columns={name: shoal.quasi() for name in columns}, **given)


def sample_of(rows: Rows, **given: Any) -> Sample:
    frame = frame_of(rows)
    return Sample(counted_classes(frame, plan_of(frame.columns)), **given)


def figures(measure: type[RiskMeasure], sample: Sample) -> dict[str, Any]:
    assert not measure().lacks(sample)
    return dict(measure().of(sample, silent))


def class_size(rows: Rows, row: tuple[str, ...], places: Sequence[int] | None = None) -> int:
    """How many rows equal a row in some columns, by comparing it with each."""
    chosen = range(len(row)) if places is None else places
    return sum(all(other[place] == row[place] for place in chosen) for other in rows)


def minimal_uniques(rows: Rows, largest: int) -> Counter[tuple[int, tuple[int, ...]]]:
    """All minimal sample uniques, as (row, columns), by looking at every set of columns of every row."""
    found: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for number, row in enumerate(rows):
        unique: list[tuple[int, ...]] = []
        for size in range(1, min(largest, len(row)) + 1):
            for places in itertools.combinations(range(len(row)), size):
                if any(set(smaller) <= set(places) for smaller in unique):
                    continue
                if class_size(rows, row, places) == 1:
                    unique.append(places)
                    found[number, places] += 1
    return found


def population_sample(population: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    """The class sizes of a sample without replacement from a population with these class sizes."""
    members = np.repeat(np.arange(len(population)), population)
    drawn = np.random.default_rng(seed).choice(members, round(len(members) * fraction), replace=False)
    sizes = np.bincount(drawn)
    return sizes[sizes > 0]
