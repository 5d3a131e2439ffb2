"""Released sets: how they are written, and that they have no item that their input rows do not have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines.local import LocalEngine
from shoal.roles.columns import quasi_sensitive
from shoal.table import Runs
from shoal.verification.faithful import faithful_problems
from shoal.verification.sets import added_items, item_counts, set_problems
from tests.itemsets import PATIENTS, listed, plan

ONE_CLASS = pl.DataFrame({"age": ["[31, 32]"] * 2, "symptoms": ["cough|fever", None], "note": ["a", "b"]})


@pytest.mark.parametrize(
    ("cell", "wrong"),
    [
        ("cough|fever", False),
        ("", False),
        (None, False),
        ("rash", False),
        ("fever|cough", True),
        ("cough| fever", True),
        ("cough|cough", True),
        ("cough|", True),
        ("|", True),
        (" ", True),
        ("NA", True),
        ("NA|cough", True),
    ],
)
def test_a_cell_that_is_not_written_as_a_set_is_noticed(cell: str | None, wrong: bool) -> None:
    released = ONE_CLASS.with_columns(symptoms=pl.Series(["rash", cell], dtype=pl.String))
    expected = ["Column 'symptoms' has 1 cell that is no canonical set of items."] if wrong else []
    assert set_problems(Runs.of(released), plan()) == expected
    assert set_problems(Runs.of(released.with_columns(pl.col("symptoms").cast(pl.Categorical))), plan()) == expected
    verification = shoal.verify(released, plan())
    assert verification.holds is not wrong
    assert list(verification.problems) == expected


@pytest.mark.parametrize(
    ("cell", "wrong"),
    [(["a", "b"], False), ([], False), (None, False), (["b", "a"], True), (["a", "a"], True), ([""], True)],
)
def test_lists_must_be_canonical_too(cell: list[str] | None, wrong: bool) -> None:
    released = ONE_CLASS.with_columns(symptoms=pl.Series([["c"], cell], dtype=pl.List(pl.String)))
    assert shoal.verify(released, plan()).holds is not wrong


def test_a_set_valued_column_must_be_there() -> None:
    found = shoal.verify(ONE_CLASS.drop("symptoms"), plan()).problems
    assert found == ("Column 'symptoms' is missing from the released table.",)


def test_models_judge_the_released_sets() -> None:
    assert shoal.verify(ONE_CLASS, plan(2)).holds
    assert [verdict.failing for verdict in shoal.verify(ONE_CLASS, plan(1)).verdicts] == [0, 1]


def test_added_items_are_found_pair_by_pair() -> None:
    raw = pl.Series(["a |b", None, "NA|a", "b|a|b"])
    released = pl.Series(["a|b", "a", None, "a|c"])
    value, cell = (part.ravel() for part in np.meshgrid(np.arange(4), np.arange(4), indexing="ij"))
    added = added_items(raw, released, value, cell, quasi_sensitive()).reshape(4, 4).tolist()
    assert added == [
        [False, False, False, True],
        [True, True, False, True],
        [True, False, False, True],
        [False, False, False, True],
    ]


def test_items_that_are_no_labels_of_the_hierarchy_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("cough;airways;*\nfever;general;*\n", encoding="utf-8")
    given = plan(columns={**plan().columns, "symptoms": quasi_sensitive(shoal.tree(str(tmp_path / "tree.csv")))})
    assert not set_problems(Runs.of(ONE_CLASS), given)
    labels = ONE_CLASS.with_columns(symptoms=pl.Series(["airways|fever", "*"]))
    assert not set_problems(Runs.of(labels), given)
    odd = ONE_CLASS.with_columns(symptoms=pl.Series(["airways|feber", None]))
    assert set_problems(Runs.of(odd), given) == ["Column 'symptoms' has items that its hierarchy does not have."]
    (tmp_path / "tree.csv").unlink()
    assert not set_problems(Runs.of(odd), given)


def test_a_label_above_an_item_is_true_of_it_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("a;x;*\nb;x;*\nc;y;*\nx;y;*\n", encoding="utf-8")
    column = quasi_sensitive(shoal.tree(str(tmp_path / "tree.csv")))
    raw, released = pl.Series(["a", "c|NA", None, "x"]), pl.Series(["a", "x", "y", "*", None, "a|x", "b"])
    value, cell = (part.ravel() for part in np.meshgrid(np.arange(4), np.arange(7), indexing="ij"))
    added = added_items(raw, released, value, cell, column, ("NA", "")).reshape(4, 7).tolist()
    assert added == [
        [False, False, True, False, False, False, True],
        [True, True, False, False, False, True, True],
        [True, True, True, True, False, True, True],
        [True, False, False, False, False, True, True],
    ]


def test_items_are_counted_by_rows() -> None:
    texts = pl.DataFrame({"x": ["a|b", None, "b", ""]})
    assert item_counts(Runs.of(texts), "x", "|") == {"a": 1, "b": 2}
    assert item_counts(Runs(texts, np.array([3, 1, 2, 1])), "x", "|") == {"a": 3, "b": 5}
    assert item_counts(Runs.of(pl.DataFrame({"x": [["x|y"], []]})), "x", ";") == {"x|y": 1}


def problems(changed: pl.DataFrame) -> list[str]:
    """What is found wrong with the tables of a release after a change."""
    release = shoal.anonymize(PATIENTS, plan())
    engine = LocalEngine(PATIENTS)
    run = np.argsort(release.private.witness.row).astype(np.int32)
    return faithful_problems(engine, engine, {"release": Runs.of(changed)}, plan(), run)


def test_a_release_has_no_item_that_its_input_rows_do_not_have() -> None:
    released = next(iter(shoal.anonymize(PATIENTS, plan()).tables.values()))
    assert problems(released) == []
    fewer = released.with_columns(symptoms=pl.Series([None, "fever", None, "rash", None, "rash", None, None]))
    assert [problem for problem in problems(fewer) if "sorted" not in problem] == []
    sets = released["symptoms"].to_list()
    more = released.with_columns(symptoms=pl.Series([*sets[:-1], "rash|zest"]))
    assert problems(more) == ["Column 'symptoms' has 1 cell with an item that its input row does not have."]
    swapped = released.with_columns(symptoms=pl.Series([*sets[:-2], sets[-1], sets[-2]]))
    assert "Column 'symptoms' has 2 cells with items that their input rows do not have." in problems(swapped)


def test_lists_are_compared_like_texts() -> None:
    release = shoal.anonymize(listed(PATIENTS), plan())
    assert shoal.verify(release.frame, plan()).holds
    assert release.frame["symptoms"].dtype == pl.List(pl.String)
