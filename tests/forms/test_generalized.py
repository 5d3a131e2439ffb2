"""The generalized form: labels instead of quasi-identifiers, sorted rows, nothing else that travels along."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.coded import Partition
from shoal.coded.recoding import Observed, Shown
from shoal.engines.base import Published
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.forms import Generalized
from shoal.forms.base import ByClass, ByValue, Publishable, Unchanged
from shoal.hierarchies import Prefix
from tests.coded.publishing import class_of_distinct, distinct_row_of, published

PLAN = shoal.Plan(
    columns={"q": shoal.quasi(), "x": shoal.insensitive()},
    models=[shoal.KAnonymity(k=2)],
    data=shoal.Data(unlisted="insensitive"),
)


def partitioned(frame: pl.DataFrame, class_of: list[int]) -> tuple[Partition, Published]:
    """A frame released with these classes; `q` is the quasi-identifier, everything else as it is."""
    fitted = fit(LocalEngine(frame), PLAN)
    of_distinct = class_of_distinct(class_of, distinct_row_of(fitted, frame, PLAN))
    partition = Partition.of_rows(of_distinct, max(class_of) + 1, fitted.coded.counted.weight, Observed())
    return partition, published(fitted, partition, PLAN)


def released(frame: pl.DataFrame, class_of: list[int]) -> Published:
    return partitioned(frame, class_of)[1]


def test_quasi_identifiers_show_their_class_and_other_columns_themselves() -> None:
    nothing = np.zeros(2)
    age, texts = Shown(np.array([0, 1]), ["[1, 2]", "3"], nothing, nothing), pl.Series("ill", ["flu", None])
    given = Publishable(("cost", "ill", "age"), {"age": age}, lambda name: pl.Series(name, ["1"]), {"ill": texts})
    layout = Generalized().layout(given)
    assert (layout.main, list(layout.columns)) == ("release", ["cost", "ill", "age"])
    assert layout.columns["age"] == ByClass(age) and layout.columns["cost"] == Unchanged()
    ill = layout.columns["ill"]
    assert isinstance(ill, ByValue) and ill.texts is texts
    assert (layout.class_id, layout.counted) == ("", {})


def test_it_has_one_table_and_refuses_nothing() -> None:
    form = Generalized()
    assert form.generalizes and form.tables(("ill", "drug")) == ("release",)
    assert form.refuses([shoal.KAnonymity(k=2)], ["class_id"]) == ""


def test_every_row_shows_the_label_of_its_class() -> None:
    frame = pl.DataFrame({"q": ["1", "5", "9", "7"], "x": ["a", "b", "c", "d"]})
    table = released(frame, [0, 0, 1, 1]).main.expanded().sort("x")
    assert table["q"].cast(pl.String).to_list() == ["[1, 5]", "[1, 5]", "[7, 9]", "[7, 9]"]


@pytest.mark.parametrize(
    "column",
    [
        [0.0, -0.0, 0.0, -0.0],
        [float("nan"), None, float("nan"), None],
        [1.0, 1.5, -2.0, 10.0],
        [10, 9, None, -1],
        ["b", None, "", "a"],
        [True, False, None, True],
    ],
    ids=["zeros", "no numbers", "reals", "integers", "text", "flags"],
)
def test_row_order_is_a_function_of_content(column: list[Any]) -> None:
    frame = pl.DataFrame({"q": ["1"] * 4, "x": pl.Series(column, strict=False)})
    tables = [released(frame[order], [0] * 4).main.expanded() for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1])]
    shown = [str(table["x"].to_list()) for table in tables]
    assert shown[0] == shown[1] == shown[2]
    assert sorted(shown[0]) == sorted(str(column))


def test_suppressed_rows_are_nowhere() -> None:
    frame = pl.DataFrame({"q": ["1", "2", "3"], "x": ["a", "GONE", "b"]})
    partition, found = partitioned(frame, [0, -1, 0])
    assert found.witness.row.tolist() == [0, 2]
    assert "GONE" not in found.main.expanded().write_csv()
    assert partition.rows.tolist() == [2]


def test_no_dictionary_travels_along() -> None:
    """A categorical's dictionary could list values that no released row has."""
    frame = pl.DataFrame({"q": ["1", "1", "2"], "x": pl.Series(["a", "b", "GONE"], dtype=pl.Categorical)})
    plan = shoal.Plan(columns={"q": shoal.quasi(Prefix()), "x": shoal.insensitive()}, models=[shoal.KAnonymity(k=2)])
    for out in (
        shoal.anonymize(frame[:2], plan).frame,
        shoal.anonymize(frame.filter(pl.col("x") != "GONE"), plan).frame,
    ):
        assert out["x"].dtype == pl.String
        assert out["q"].dtype == pl.String


def test_labels_that_nobody_shows_do_not_travel_along() -> None:
    frame = pl.DataFrame({"q": ["1", "2", "3"], "x": ["a", "b", "c"]})
    table = released(frame, [0, -1, 0]).tables["release"]
    assert table["q"].dtype.categories.to_list() == ["[1, 3]"]
