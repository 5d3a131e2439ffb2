"""The experiment on extended p-sensitivity: its counting on the paper's Table 1, and what its stored results claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchmarks.papers import extended_p, extended_p_page

TABLE_1 = pl.DataFrame(
    {
        "age": ["50-60", "30-40", "30-40", "20-30", "20-30", "50-60"],
        "gender": ["Male", "Female", "Female", "Male", "Male", "Male"],
        "illness": ["Colon Cancer", "Breast Cancer", "HIV", "Diabetes", "Diabetes", "Heart Disease"],
    }
)
QUASI = ("age", "gender")
CANCER = {"Colon Cancer": "Neoplasms", "Breast Cancer": "Neoplasms"}
RESULTS = json.loads(extended_p.RESULTS.read_text(encoding="utf-8"))
RELEASES = [line for found in RESULTS.values() for line in found["lines"] if "audit" in line]
TIMES = [line for found in RESULTS.values() for line in found["lines"] if "ratio" in line]


def test_table_1_is_2_anonymous_and_discloses_diabetes() -> None:
    assert extended_p.audit(TABLE_1, QUASI, "illness", 2, {}) == {"classes": 1, "rows": 2}


def test_values_of_one_group_count_once() -> None:
    cancers = TABLE_1.with_columns(pl.col("illness").replace("HIV", "Colon Cancer"))
    assert extended_p.audit(cancers, QUASI, "illness", 2, {}) == {"classes": 1, "rows": 2}
    assert extended_p.audit(cancers, QUASI, "illness", 2, CANCER) == {"classes": 2, "rows": 4}


def test_missing_values_do_not_count_and_missing_labels_are_one_class() -> None:
    frame = pl.DataFrame({"age": [None, "", "1", "1"], "illness": ["flu", None, "flu", "HIV"]})
    assert extended_p.audit(frame, ["age"], "illness", 2, {}) == {"classes": 1, "rows": 2}


def test_the_third_condition_counts_groups() -> None:
    """Six rows: diabetes is the most frequent value, with two; as a group, cancer has two as well."""
    assert extended_p.most_classes(TABLE_1, 2, {"illness": {}}) == 4
    assert extended_p.most_classes(TABLE_1, 3, {"illness": {}}) == 2
    assert extended_p.most_classes(TABLE_1, 3, {"illness": CANCER}) == 2
    assert extended_p.most_classes(TABLE_1, 2, {"illness": dict.fromkeys(TABLE_1["illness"], "ill")}) == 0


@pytest.mark.parametrize(
    ("shares", "k", "p", "probability"),
    [([0.5, 0.5], 3, 2, 0.25), ([1 / 3] * 3, 3, 2, 1 / 9), ([1 / 3] * 3, 3, 3, 7 / 9), ([0.5, 0.5], 4, 3, 1.0)],
)
def test_what_independent_values_lead_to(shares: list[float], k: int, p: int, probability: float) -> None:
    """Of 27 draws of three even values, 3 have one value, and 6 have all three."""
    assert extended_p.expected(shares, k, p) == pytest.approx(probability)


def test_an_interval_is_the_mean_with_students_half_width() -> None:
    found = extended_p.interval([1.0, 3.0] * 5)
    assert found == {"mean": 2.0, "half": pytest.approx(2.262 / 3)}


@pytest.mark.parametrize("line", RELEASES, ids=lambda line: f"{line['what']}, k = {line['k']}, {line['model']}")
def test_stored_releases_keep_what_their_models_promise(line: dict[str, Any]) -> None:
    assert all(line["audit"][name]["rows"] == {"mean": 0.0, "half": 0.0} for name in extended_p_page.promised(line))
    assert line["within condition 3"]


def test_k_anonymity_alone_discloses_in_every_table() -> None:
    alone = [line for line in RELEASES if line["model"] == "k-anonymity" and line["what"] == "k-member"]
    assert len(alone) == 6
    assert all(max(each["rows"]["mean"] for each in line["audit"].values()) > 0 for line in alone)


def test_stored_times_are_within_their_targets() -> None:
    assert len(TIMES) > 5
    searches = [line for line in TIMES if line["what"] != "command"]
    assert all(line["ratio"]["cpu"] <= 1.2 for line in searches), searches


def test_the_whole_command_is_within_its_target() -> None:
    (line,) = (line for line in TIMES if line["what"] == "command")
    assert line["ratio"]["cpu"] <= 1.3


def test_every_stage_has_figures_for_the_history() -> None:
    assert all(extended_p.figures(stage, RESULTS[stage]["lines"]) for stage in extended_p.STAGES)


def test_the_page_shows_the_stored_results(tmp_path: Path) -> None:
    extended_p_page.write(RESULTS, tmp_path)
    page = extended_p.ROOT / "docs" / "evidence" / "extended_p.md"
    assert (tmp_path / "extended_p.md").read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
