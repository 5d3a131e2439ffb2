"""Learned bands: what they are called says nothing of rows that were left out, and is true of those that were not."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import labels
from shoal.algorithms import Mondrian, Optimal
from shoal.hierarchies import Learned
from tests.effort import examples

_DAY = datetime.date(2000, 1, 1)


def table(seed: int) -> pl.DataFrame:
    rng, rows = np.random.default_rng(seed), 40
    return pl.DataFrame(
        {
            "whole": rng.integers(1_000, 9_999, rows),
            "real": np.round(rng.uniform(100, 999, rows), 2),
            "day": [_DAY + datetime.timedelta(int(n)) for n in rng.integers(0, 9_999, rows)],
            "job": rng.choice([f"job{n}" for n in range(10)], rows, p=[0.2] * 4 + [0.2 / 6] * 6),
            "row": np.arange(rows).astype(str),
            "ill": rng.choice(["flu", "rash"], rows),
        }
    )


def released(frame: pl.DataFrame, names: list[str], algorithm: Any, **settings: Any) -> pl.DataFrame:
    quasi = {name: shoal.quasi(Learned(fanout=2)) for name in names}
    plan = shoal.Plan(
        columns={**quasi, "row": shoal.insensitive(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=3)],
        algorithm=algorithm,
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(**settings),
    )
    found: pl.DataFrame = shoal.anonymize(frame, plan).frame
    return found


def ends(label: str) -> list[str]:
    """The values that a label spells out."""
    meaning = labels.read(label)
    if isinstance(meaning, labels.Range):
        return [meaning.low, meaning.high]
    return list(meaning.values) if isinstance(meaning, labels.OneOf) else [label]


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from(["whole", "real", "day", "job"]), min_size=1, max_size=2, unique=True),
    st.booleans(),
    st.sampled_from(["tight", "cut"]),
)
@settings(max_examples=examples(60), deadline=None)
def test_labels_are_true_and_tell_nothing_of_rows_left_out(
    seed: int, names: list[str], local: bool, ranges: str
) -> None:
    frame = table(seed)
    found = released(frame, names, Optimal(local=local), suppression=0.3, ranges=ranges)
    kept = frame.with_columns(pl.all().cast(pl.String)).join(found, on="row", suffix=" label")
    gone = frame.with_columns(pl.all().cast(pl.String)).join(found, on="row", how="anti")
    for name in names:
        told = {end for label in kept[f"{name} label"] for end in ends(label)}
        assert not told & (set(gone[name]) - set(kept[name]))
        for value, label in kept.select(name, f"{name} label").iter_rows():
            low, high = (ends(label) * 2)[:2]
            if label == labels.ANY or label.startswith("group "):
                continue
            assert value in ends(label) if name == "job" else _number(low) <= _number(value) <= _number(high)


def _number(text: str) -> float:
    return float(text) if "-" not in text[1:] else datetime.date.fromisoformat(text).toordinal()


@pytest.mark.parametrize("algorithm", [Optimal(), Optimal(local=True), Mondrian()])
def test_cut_says_nobodys_value(algorithm: Any) -> None:
    frame = table(0)
    found = released(frame, ["real", "day"], algorithm, ranges="cut")
    for name in ("real", "day"):
        ranged = [label for label in found[name] if isinstance(labels.read(label), labels.Range)]
        assert not {end for label in ranged for end in ends(label)} & set(frame[name].cast(pl.String))


@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_a_row_that_is_left_out_changes_no_label(ranges: str) -> None:
    rng, rows = np.random.default_rng(0), 400
    frame = pl.DataFrame(
        {
            "whole": rng.integers(20_000, 59_000, rows),
            "job": rng.choice(["nurse", "smith"], rows),
            "row": np.arange(rows).astype(str),
            "ill": rng.choice(["flu", "rash"], rows),
        }
    )
    far = pl.DataFrame({"whole": [87_654_321], "job": ["king"], "row": ["far"], "ill": ["flu"]})
    found = released(pl.concat([frame, far]), ["whole", "job"], Optimal(), suppression=0.05, ranges=ranges)
    assert "far" not in found["row"] and found["whole"].n_unique() > 2
    assert max(int(end) for label in found["whole"] for end in ends(label)) <= 60_000
