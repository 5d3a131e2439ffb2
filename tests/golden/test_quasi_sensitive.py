"""The experiments on quasi-sensitive items: their counting on the paper's Figure 1, and what stored results claim."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from benchmarks.papers import quasi_sensitive, quasi_sensitive_page
from benchmarks.papers.quasi_sensitive_tables import COLUMN, Case, known_items, written
from shoal.items.linking import labels_of
from shoal.items.removal import ClassItems, solve
from shoal.items.rules import Diversity
from shoal.roles.knowledge import Knowledge

DISEASES = {
    "Flu": ["Coughing", "Headache", "Sore throat"],
    "Hepatitis B": ["Loss of appetite", "Vomiting", "Dark urine"],
}
FIGURE_1 = ["Coughing|Headache|Sore throat", "Coughing|Headache", "Headache|Vomiting", "Headache|Sore throat"]
RESULTS = json.loads(quasi_sensitive.RESULTS.read_text(encoding="utf-8"))
SEARCHES, NODES, PHASES, REAL = (RESULTS[stage]["lines"] for stage in ("searches", "nodes", "phases", "real"))


def _setting(line: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {line[key]}" for key in ("k", "c", "l", "t") if key in line)


def test_rows_of_figure_1_link_to_flu_or_to_nothing(tmp_path: Path) -> None:
    case = Case(pl.DataFrame({COLUMN: FIGURE_1}), {}, written(tmp_path / "diseases.csv", DISEASES))
    found = quasi_sensitive.linking(case)
    assert found == {"rows": 4, "labels": 2, "none": 0.25, "one": 0.75, "every": 0.0}


def test_only_items_of_the_knowledge_table_are_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "diseases.csv", DISEASES)
    sets = pl.Series([["Vomiting", "Coughing", "cough"], None])
    assert known_items(sets, path).to_list() == ["Coughing|Vomiting", ""]


@pytest.mark.parametrize("method", quasi_sensitive.METHODS.values())
def test_every_search_answers_within_its_time(method: str) -> None:
    """Both labels remain only if a row loses the item that they do not share, at a cost of 1/2."""
    labels = labels_of(["fever", "rash"], Knowledge.of({"flu": ["fever"], "measles": ["fever", "rash"]}))
    class_ = ClassItems(np.array([0, 2]), np.array([0, 1], np.int32), np.array([1]), labels)
    rule = Diversity(Fraction(1), 2)
    (found,) = quasi_sensitive.within(0.0, [class_], rule, method)
    assert found.found
    assert found.cost == pytest.approx(solve(class_, rule).cost) == pytest.approx(0.5)


def test_an_interval_is_the_mean_with_students_half_width() -> None:
    found = quasi_sensitive.interval([1.0, 2.0, 3.0])
    assert found == {"mean": 2.0, "half": pytest.approx(4.303 / 3**0.5)}


def test_without_a_release_for_every_seed_there_are_no_figures() -> None:
    assert quasi_sensitive.over_seeds([{"removal": 0.1}, None]) == {"seeds": 2, "releases": 1}


@pytest.mark.parametrize("line", SEARCHES, ids=_setting)
def test_stored_costs_order_the_searches(line: dict[str, Any]) -> None:
    """For the whole table: ours costs no more than adaptive, adaptive no more than depth-first."""
    costs = {method: line[method]["cost"]["mean"] for method in quasi_sensitive.METHODS}
    assert line["bound"]["mean"] <= costs["ours"] + 1e-9
    assert costs["ours"] <= costs["adaptive"] + 1e-9
    assert costs["adaptive"] <= costs["depth-first"] + 1e-9


@pytest.mark.parametrize("line", NODES, ids=_setting)
def test_ours_is_worse_in_no_class_with_as_many_nodes(line: dict[str, Any]) -> None:
    assert line["classes"] > 0
    assert line["worse"] == 0


@pytest.mark.parametrize("line", SEARCHES, ids=_setting)
def test_ours_is_worse_in_no_class_where_it_proves_every_class(line: dict[str, Any]) -> None:
    proven = line["ours"]["proven"] == line["failing"]
    assert line["worse"] == 0 or not proven


def test_adaptive_beats_depth_first_and_ours_beats_adaptive_where_classes_are_hard() -> None:
    hard = [line for line in SEARCHES if line["adaptive"]["proven"]["mean"] < line["failing"]["mean"] / 2]
    assert hard
    assert all(line["adaptive saved"]["mean"] > 0 and line["saved"]["mean"] > 0 for line in hard)


@pytest.mark.parametrize("t", quasi_sensitive.CLOSENESS)
def test_removal_cost_falls_as_k_grows(t: float) -> None:
    made = [line for line in PHASES if line["t"] == t and "removal" in line]
    removal, loss = ([line[key]["mean"] for line in made] for key in ("removal", "ncp"))
    assert len(made) > 2
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(removal))
    assert loss == sorted(loss)


def test_every_real_table_was_released_with_diversity() -> None:
    diverse = [line for line in REAL if line["model"].startswith("qs-diversity")]
    assert len(diverse) == 8
    assert all(line["releases"] == line["seeds"] for line in diverse)


def test_every_stage_has_figures_for_the_history() -> None:
    assert all(quasi_sensitive.figures(stage, RESULTS[stage]["lines"]) for stage in quasi_sensitive.STAGES)


def test_the_page_shows_the_stored_results(tmp_path: Path) -> None:
    quasi_sensitive_page.write(RESULTS, tmp_path)
    evidence = quasi_sensitive.ROOT / "docs" / "evidence"
    for path in tmp_path.iterdir():
        assert path.read_text(encoding="utf-8") == (evidence / path.name).read_text(encoding="utf-8")
