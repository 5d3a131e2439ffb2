"""The input that a steward compares a release with."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.figures.before import before_of, class_risk, exact_sizes
from shoal.pipeline import encoded
from tests.figures.releases import plan, released, table


def test_the_risk_of_classes() -> None:
    found = class_risk(np.array([1, 1, 2, 4]))
    assert found is not None
    assert (found.total, found.classes, found.uniques, found.highest, found.average) == (8, 4, 2, 1.0, 0.5)
    assert class_risk(np.array([], np.int64)) is None


def test_every_exact_row_of_the_small_table_is_unique() -> None:
    before = released().private.before
    assert before.risk is not None and before.risk.uniques == 20 and before.risk.highest == 1.0


def test_persons_are_counted_if_the_plan_counts_them() -> None:
    frame = table().with_columns(pl.Series("id", [f"p{row // 2}" for row in range(20)]), pl.lit(30).alias("age"))
    counting = plan(data=shoal.Data(person="id"), models=[shoal.KAnonymity(k=2)])
    assert sorted(exact_sizes(encoded(frame, counting).coded).tolist()) == [5, 5]
    release = shoal.anonymize(frame, counting)
    before, after = release.figures.private.risk_before, release.figures.private.risk_after
    assert before is not None and after is not None and before.persons and after.persons and before.total == 10


def test_values_are_written_as_the_release_writes_them() -> None:
    frame = pl.DataFrame({"age": ["[1, 2]", "5", "?", "5"], "ill": ["a", "NA", "a", "b"]})
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    fitted = encoded(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)]))
    found = before_of(fitted, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])).columns
    assert dict(zip(found["age"].labels, found["age"].rows.tolist(), strict=True)) == {"": 1, "5": 2, "\\[1, 2]": 1}
    assert dict(zip(found["ill"].labels, found["ill"].rows.tolist(), strict=True)) == {"": 1, "a": 2, "b": 1}


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=4, max_size=30))
def test_exact_sizes_are_those_of_a_plain_count(rows: list[tuple[str, str]]) -> None:
    frame = pl.DataFrame({"age": [each[0] for each in rows], "sex": [each[1] for each in rows]})
    columns = {"age": shoal.quasi(), "sex": shoal.quasi()}
    fitted = encoded(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)]))
    assert sorted(exact_sizes(fitted.coded).tolist()) == sorted(rows.count(each) for each in set(rows))
