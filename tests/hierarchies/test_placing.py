"""Placing: labels, levels and losses are found again from labels and specification, and agree with the hierarchy."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchies import Dates, File, Flat, Icd9, Intervals, Learned, Prefix
from shoal.hierarchies.placing import Placed


def seen(placed: Placed) -> list[tuple[float, float]]:
    """Level and loss of each label, rounded."""
    return [(round(level, 3), round(lost, 3)) for level, lost in zip(placed.levels, placed.losses, strict=True)]


# -- each kind by hand ------------------------------------------------------------------------------------------------


def test_values_lose_nothing_and_a_star_everything() -> None:
    assert seen(Flat().placed(["a", "", "*"])) == [(0, 0), (0, 0), (1, 1)]


def test_a_missing_value_in_a_set_of_leaves_counts_as_a_leaf(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("nurse;care;*\ndoctor;care;*\nclerk;office;*\n", encoding="utf-8")
    placed = File(str(path)).placed(["{, nurse}", "{clerk, nurse}", "{, clerk, doctor, nurse}"])
    assert placed.known
    assert placed.losses.tolist() == [0.5, 0.5, 1.0]


def test_a_set_of_codes_may_write_them_in_any_way() -> None:
    placed = Icd9().placed(["{001.0, 42}", "{0010, 042}", "{, 250.00, e8800}"])
    assert placed.known
    assert placed.losses * (17_553 - 1) == pytest.approx([1, 1, 2])
    assert not Icd9().placed(["{001.0, nothing}"]).known


def test_ranges_and_sets_without_a_list_of_leaves_are_measured_by_the_labels() -> None:
    ranges = Flat().placed(["[10, 20]", "[20, 50]", "12"])
    assert ranges.losses.tolist() == [0.25, 0.75, 0] and np.isnan(ranges.levels).all()
    assert Flat().placed(["{a, b}", "c", "{c, d, e}"]).losses.tolist() == [0.25, 0, 0.5]
    assert Flat().placed(["[2020-01-01, 2020-01-11]", "2020-01-21"]).losses.tolist() == [0.5, 0]


def test_learned_bands_are_one_level_whatever_their_number() -> None:
    assert seen(Learned().placed(["[1, 5]", "7", "[8, 11]", ""])) == [(1, 0.4), (1, 0), (1, 0.3), (1, 0)]
    assert seen(Learned().placed(["{a, b}", "group 3 of 16", "*"])) == [(1, 1), (1, 0.062), (2, 1)]


def test_prefixes_lose_the_share_of_hidden_characters() -> None:
    assert seen(Prefix().placed(["12345", "123*", "1*", "*"])) == [(0, 0), (2, 0.4), (4, 0.8), (5, 1)]
    assert seen(Prefix().placed(["123*", "124*"])) == [(1, 0.25), (1, 0.25)], "the longest label has four characters"
    assert seen(Prefix(steps=(3, 1)).placed(["123*", "12"])) == [(1, 0.25), (1, 0)], "12 is shorter than the prefix"
    assert seen(Prefix(steps=(3, 1)).placed(["1*", "*"])) == [(2, 0.75), (3, 1)]


def test_sets_of_a_column_with_prefixes_are_no_prefixes() -> None:
    placed = Prefix().placed(["{02139, 02142}", "10001", "{, 02139}"])
    assert placed.losses.tolist() == pytest.approx([1 / 3, 0, 1 / 3]) and np.isnan(placed.levels).all()


def test_intervals_are_recognised_by_their_width() -> None:
    spec = Intervals((5, 10))
    assert seen(spec.placed(["[20, 24]", "[30, 39]", "21", "*", ""])) == [
        (1, 0.211),
        (2, 0.474),
        (0, 0),
        (3, 1),
        (0, 0),
    ]
    assert seen(Intervals((0.5,)).placed(["[1.5, 2]", "[3, 3.5]"])) == [(1, 0.25), (1, 0.25)]
    assert not Intervals((5,)).placed(["rubbish"]).known
    assert np.isnan(spec.placed(["[21, 25]"]).levels).all(), "it starts at no multiple of the width"
    assert seen(Intervals((1, 2)).placed(["7", "9"])) == [(0, 0), (0, 0)]


def test_periods_are_recognised_by_their_form() -> None:
    labels = ["2024-03-09", "2024-03", "2024-Q1", "2024", "[2020, 2029]", "*"]
    assert Dates().placed(labels).levels.tolist() == [0, 1, 2, 3, 4, 5]
    losses = Dates().placed(labels).losses
    assert (np.diff(losses[:5]) > 0).all() and losses[4] == 1, "the decade covers all days of the labels"
    both = Dates(("decade", "century")).placed(["[2000, 2009]", "[2000, 2099]"])
    assert both.levels.tolist() == [1, 2]
    assert seen(Dates(("week",)).placed(["2024-W03"])) == [(1, 1)]
    assert not Dates().placed(["2024-13"]).known


def test_the_leaves_of_a_file_count_whether_they_occur_or_not(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("cook;service\nwaiter;service\nnurse;health\nsurgeon;health\nguard;guard\n")
    spec = File(str(tmp_path / "job.csv"))
    assert seen(spec.placed(["cook", "service", "*"])) == [(0, 0), (1, 0.25), (2, 1)]
    assert seen(spec.placed(["service", "guard"])) == [(1, 0.25), (1, 0)]
    assert spec.placed(["{cook, nurse, guard}"]).losses.tolist() == [0.5]
    assert not spec.placed(["pilot"]).known
    (tmp_path / "codes.csv").write_text("01;a\n1;b\n2;b\n")
    assert seen(File(str(tmp_path / "codes.csv")).placed(["01", "b"])) == [(0, 0), (1, 0.5)]
    assert not File(str(tmp_path / "codes.csv")).placed(["3"]).known
    assert not spec.placed(["{cook, pilot}"]).known


def test_the_leaves_of_a_file_may_be_numbers(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("".join(f"{age:03d};{'young' if age < 10 else 'old'}\n" for age in range(21)))
    spec = File(str(tmp_path / "age.csv"))
    assert seen(spec.placed(["7", "old"])) == [(0, 0), (1, 0.5)]
    assert spec.placed(["[5, 9]"]).losses.tolist() == [0.2]


def test_codes_are_placed_in_the_whole_tree() -> None:
    placed = Icd9().placed(["250.83", "250", "240-279", "*"])
    assert placed.levels.tolist() == [0, 0, 3, 4]
    assert Icd9().placed(["250", "249-259"]).levels.tolist() == [0, 2]
    assert Icd9().placed(["250", "401"]).levels.tolist() == [0, 0], "the lowest level at which all of them occur"
    assert not Icd9().placed(["rubbish"]).known


# -- agreement with the hierarchy -------------------------------------------------------------------------------------

DAYS = st.integers(0, 20_000).map(lambda days: date(1990, 1, 1) + timedelta(days))
KINDS: dict[str, tuple[Any, Any]] = {
    "intervals": (Intervals((5, 10, 20), origin=3), st.integers(-60, 60)),
    "real": (Intervals((0.5, 1.5)), st.integers(-60, 60).map(lambda tenths: tenths / 10)),
    "prefix": (Prefix(), st.text("abc", min_size=1, max_size=5)),
    "steps": (Prefix(steps=(3, 1)), st.text("abc", min_size=1, max_size=5)),
    "date": (Dates(), DAYS),
    "week": (Dates(("week",)), DAYS),
    "flat": (Flat(), st.text("abc", min_size=1, max_size=3)),
    "icd9": (Icd9(), st.sampled_from(["250.83", "250.1", "250", "401", "401.9", "V10", "E800.1"])),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_column_at_one_level_is_placed_at_that_level_or_a_lower_one_with_the_same_labels(
    kind: str, data: st.DataObject
) -> None:
    spec, values = KINDS[kind]
    distinct = pl.Series(sorted(data.draw(st.sets(values, min_size=1, max_size=8))))
    hierarchy = spec.build(distinct)
    level = data.draw(st.integers(0, hierarchy.height))
    labels = sorted(set(hierarchy.levels[level].labels))
    if kind == "icd9":
        leaves = [hierarchy.index[text] for text in distinct]
        labels = sorted({hierarchy.path(leaf)[level] for leaf in leaves})
    placed = spec.placed(labels)
    assert placed.known
    found = set(placed.levels.tolist())
    assert len(found) == 1
    if kind in ("intervals", "real", "date", "week", "flat", "icd9"):
        assert found.pop() <= level
    assert ((placed.losses >= 0) & (placed.losses <= 1)).all()


# -- paths ------------------------------------------------------------------------------------------------------------


def test_the_path_of_a_label_leads_from_itself_to_the_top(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("cook;service\nwaiter;service\nnurse;health\n")
    job = File(str(tmp_path / "job.csv"))
    assert job.paths(["cook", "health", "*"]) == [("cook", "service", "*"), ("health", "*"), ("*",)]
    assert Prefix().paths(["1234", "12*", ""]) == [("1234", "123*", "12*", "1*", "*"), ("12*", "1*", "*"), ("", "*")]
    assert Prefix(steps=(3, 1)).paths(["12", "123*"]) == [("12", "1*", "*"), ("123*", "1*", "*")]
    assert Intervals((5, 10)).paths(["23", "[20, 24]", "[30, 39]"]) == [
        ("23", "[20, 24]", "[20, 29]", "*"),
        ("[20, 24]", "[20, 29]", "*"),
        ("[30, 39]", "*"),
    ]
    assert Intervals((5, 10)).paths(["[20, 25]", "[30, 40]"]) == [("[20, 25]", "[20, 30]", "*"), ("[30, 40]", "*")]
    assert Intervals((1,), origin=0.5).paths(["[0.5, 1.5]", "3"]) == [("[0.5, 1.5]", "*"), ("3", "[2.5, 3.5]", "*")]
    assert Dates(("month", "year")).paths(["2024-03", "2023"]) == [("2024-03", "2024", "*"), ("2023", "*")]
    assert Icd9().paths(["250.83", "240-279"]) == [("250.83", "250", "249-259", "240-279", "*"), ("240-279", "*")]
    assert Flat().paths(["a", ""]) == [("a", "*"), ("", "*")]
