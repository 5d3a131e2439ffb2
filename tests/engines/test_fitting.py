"""Fitting a table to its plan: what of it is used, what is left out, and integers that mean the same as the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Optimal, Pais
from shoal.engines.fitting import Fitted, fit, published_columns, require_columns, sensitive_text
from shoal.engines.local import LocalEngine
from shoal.errors import CannotBeMet, HierarchyError, PlanError, TableError
from shoal.hierarchies import Prefix
from tests.effort import examples
from tests.recodings import distinct_row_of

FRAME = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "age": ["30", "?", "41", "30"],
        "d": ["flu", "NA", "flu", " "],
        "note": ["007", "NA", None, "x"],
    }
)


def plan_for(**data: Any) -> shoal.Plan:
    return shoal.Plan(
        columns={"id": shoal.identifier(), "age": shoal.quasi(), "d": shoal.sensitive(), "note": shoal.insensitive()},
        models=[shoal.KAnonymity(k=2), shoal.LDiversity("d", l=2)],
        data=shoal.Data(**data),
    )


def fitted(frame: pl.DataFrame, plan: shoal.Plan) -> Fitted:
    return fit(LocalEngine(frame), plan)


def texts_of(found: Fitted, name: str, plan: shoal.Plan, frame: pl.DataFrame) -> list[str | None]:
    """The text of a sensitive column in every row."""
    raw = found.engine.distinct(name).values.to_list()
    text = dict(zip(raw, sensitive_text(found.engine, name, plan).to_list(), strict=True))
    return [text[value] for value in frame[name].to_list()]


# -- columns and rows ---------------------------------------------------------------------------------------------


def test_identifiers_are_not_published_and_the_rest_stands_in_the_tables_order() -> None:
    assert published_columns(FRAME.columns, plan_for()) == ("age", "d", "note")
    assert published_columns(FRAME.columns[::-1], plan_for()) == ("note", "d", "age")


def test_missing_sensitive_values_have_no_text() -> None:
    found = fitted(FRAME, plan_for())
    assert texts_of(found, "d", plan_for(), FRAME) == ["flu", None, "flu", None]
    assert (found.rows_in, found.dropped) == (4, 0)


def test_a_sensitive_value_has_one_text() -> None:
    plan = plan_for().changed(columns=plan_for().columns | {"d": shoal.sensitive(type="real")})
    frame = FRAME.with_columns(pl.Series("d", ["1.0", "01", " 1", "-0"]))
    assert texts_of(fitted(frame, plan), "d", plan, frame) == ["1", "1", "1", "0"]


def test_rows_with_missing_values_are_left_out_on_request() -> None:
    found = fitted(FRAME, plan_for(missing_rows="drop"))
    assert found.engine.distinct("id").values.to_list() == ["1", "3"]  # a missing note is no reason
    assert (found.rows_in, found.dropped, found.coded.counted.rows_dropped) == (4, 2, 2)
    assert found.coded.counted.rows == 2
    with pytest.raises(CannotBeMet, match="Every row has a missing value"):
        fitted(FRAME[1:2], plan_for(missing_rows="drop"))


def test_a_column_without_a_role_never_slips_through() -> None:
    frame = FRAME.with_columns(pl.lit("x").alias("zip"), pl.lit("x").alias("tel"))
    with pytest.raises(PlanError, match=r"Column 'tel' and 1 more of the table has no role"):
        fitted(frame, plan_for())
    fitted(frame, plan_for(unlisted="drop"))
    assert "zip" not in published_columns(frame.columns, plan_for(unlisted="drop"))
    assert "zip" in published_columns(frame.columns, plan_for(unlisted="insensitive"))


def test_a_column_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(PlanError, match=r"Column 'age' is not in the table\. Hint: did you mean 'ages'\?"):
        fitted(FRAME.rename({"age": "ages"}), plan_for())
    with pytest.raises(PlanError, match="Column 'who' is not in the table"):
        require_columns(FRAME.columns, plan_for(person="who"))


# -- persons ------------------------------------------------------------------------------------------------------


def test_the_person_column_needs_no_role_and_is_not_published() -> None:
    frame = FRAME.with_columns(pl.Series("who", ["a", "a", "b", "c"]))
    plan = plan_for(person="who", unlisted="insensitive")
    found = fitted(frame, plan)
    assert "who" not in published_columns(frame.columns, plan)
    counts = found.engine.reference("d", sensitive_text(found.engine, "d", plan), "who").sort("value")
    assert counts.rows() == [(None, 2), ("flu", 2)]
    labels, reference = found.coded.sensitive["d"].labels, found.coded.counted.reference["d"]
    assert dict(zip(labels, reference.tolist(), strict=True)) == {"": 2, "flu": 2}
    assert found.coded.counts_persons


def test_every_row_needs_a_person() -> None:
    """Of rows whose person is unknown nobody can tell how many persons they are."""
    frame = FRAME.with_columns(pl.Series("who", ["a", "NA", "", None]))
    with pytest.raises(TableError, match="The person column 'who' is missing in 3 of 4 rows"):
        fitted(frame, plan_for(person="who"))
    found = fitted(frame, plan_for(person="who", missing_rows="drop"))
    assert found.engine.distinct("who").values.to_list() == ["a"]


def test_the_input_is_counted_by_value() -> None:
    found = fitted(FRAME, plan_for())
    counts = found.engine.reference("d", sensitive_text(found.engine, "d", plan_for()))
    assert counts.sort("value").rows() == [(None, 2), ("flu", 2)]


# -- coding -------------------------------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "30", "?", ""]),
        st.sampled_from(["a", "b", "NA", "*"]),
        st.sampled_from(["flu", "HIV", None]),
        st.sampled_from(["p", "q", "r"]),
    ),
    min_size=1,
    max_size=20,
)
COLUMNS = {"n": shoal.quasi(), "t": shoal.quasi(), "d": shoal.sensitive(), "who": shoal.identifier()}


@given(ROWS, st.sampled_from([None, "who"]), st.sampled_from(["hierarchy", "sets"]), st.randoms())
@settings(max_examples=examples(60), deadline=None)
def test_distinct_rows_mean_the_same_as_the_table(
    rows: list[Any], person: str | None, categories: str, rng: Any
) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
    plan = shoal.Plan(
        columns=COLUMNS,
        models=[shoal.LDiversity("d", l=2)],
        data=shoal.Data(person=person),
        release=shoal.ReleaseSettings(categories=categories),
    )
    found = fitted(frame, plan)
    counted, row_of = found.coded.counted, distinct_row_of(found, frame, plan)
    gone = {"?": "", "NA": "", None: ""}

    def decoded(row: int) -> tuple[str, ...]:
        codes = counted.by_row[row].tolist()
        return tuple(domain.texts[code] for domain, code in zip(found.coded.quasi, codes, strict=True))

    for i, (n, t, d, _) in enumerate(rows):
        assert decoded(row_of[i]) == (gone.get(n, n), gone.get(t, t))
        assert found.coded.sensitive["d"].labels[counted.sensitive["d"][row_of[i]]] == (d or "")
    assert counted.rows == len(rows)
    assert np.array_equal(np.bincount(row_of, minlength=len(counted)), counted.weight)
    told_apart = {(decoded(row_of[i]), rows[i][2], rows[i][3] if person else None) for i in range(len(rows))}
    assert len(counted) == len(told_apart)
    order = list(range(len(rows)))
    rng.shuffle(order)
    if not person:  # persons are numbered as they come, and nothing else follows from their numbers
        again = fitted(frame[order], plan)
        assert np.array_equal(again.coded.counted.quasi, counted.quasi)
        assert np.array_equal(again.coded.counted.weight, counted.weight)
        assert distinct_row_of(again, frame[order], plan) == [row_of[i] for i in order]


def test_quasi_identifiers_stand_as_the_table_orders_them() -> None:
    columns = {"note": shoal.quasi(), "age": shoal.quasi(), "id": shoal.identifier(), "d": shoal.sensitive()}
    plan = plan_for().changed(columns=columns)
    assert fitted(FRAME, plan).coded.names == ("age", "note")
    assert fitted(FRAME.select("note", "d", "id", "age"), plan).coded.names == ("note", "age")


def test_only_sensitive_columns_that_models_read_are_coded() -> None:
    plan = plan_for().changed(models=[shoal.KAnonymity(k=2)])
    found = fitted(FRAME, plan)
    assert dict(found.coded.sensitive) == {} == dict(found.coded.counted.sensitive)
    assert len(found.coded.counted) == 3


def test_a_target_is_coded_where_the_search_looks_at_it() -> None:
    columns = {"age": shoal.quasi(), "d": shoal.sensitive(), "note": shoal.target(), "id": shoal.identifier()}
    plan = plan_for().changed(columns=columns, algorithm=Pais(goal="classification"))
    found = fitted(FRAME, plan)
    target = found.coded.counted.target
    assert target is not None and len(set(target.tolist())) == 3  # NA and null are both missing
    assert set(found.coded.sensitive) == {"d"} == set(found.coded.counted.sensitive)
    assert fitted(FRAME, plan.changed(algorithm=Pais(goal="general"))).coded.counted.target is None


def test_algorithms_that_recode_by_level_get_a_hierarchy_for_every_column() -> None:
    found = fitted(FRAME, plan_for().changed(algorithm=Optimal()))
    assert [domain.published for domain in found.coded.quasi] == ["tree"]
    assert [domain.published for domain in fitted(FRAME, plan_for()).coded.quasi] == ["range"]


def test_the_exact_text_of_a_quasi_identifier_is_bounded_as_the_plan_says() -> None:
    columns = plan_for().columns | {"age": shoal.quasi(top=35)}
    found = fitted(FRAME, plan_for().changed(columns=columns))
    raw = found.engine.distinct("age").values.to_list()
    texts = found.exact_text("age").to_list()
    assert dict(zip(raw, texts, strict=True)) == {"30": "30", "?": "", "41": "35"}


def test_an_error_of_coding_names_the_column_and_no_value() -> None:
    frame = FRAME.with_columns(pl.Series("age", ["SECRET", "1", "2", "3"]))
    columns = plan_for().columns | {"age": shoal.quasi(type="integer")}
    with pytest.raises(TableError, match="'age'") as caught:
        fitted(frame, plan_for().changed(columns=columns))
    assert "SECRET" not in str(caught.value)
    columns = plan_for().columns | {"age": shoal.quasi(shoal.intervals(5), type="text")}
    with pytest.raises((HierarchyError, PlanError), match="'age'") as refused:
        fitted(frame, plan_for().changed(columns=columns))
    assert "SECRET" not in str(refused.value)


def test_a_hierarchy_may_be_of_one_column_alone() -> None:
    columns = plan_for().columns | {"note": shoal.quasi(Prefix())}
    found = fitted(FRAME, plan_for().changed(columns=columns))
    assert {domain.name: domain.published for domain in found.coded.quasi} == {"age": "range", "note": "tree"}


@pytest.mark.parametrize("type_", [None, "integer"])
def test_models_that_name_only_values_that_no_row_has_are_refused(type_: Any) -> None:
    frame = pl.DataFrame({"age": ["30", "31"], "d": ["1", "2"]})
    columns = {"age": shoal.quasi(), "d": shoal.sensitive(**({"type": type_} if type_ else {}))}
    for values in (("7", "8"), ("7", "1")):
        plan = shoal.Plan(columns=columns, models=[shoal.AlphaK("d", 0.9, 1, values)])
        if "1" in values:
            fitted(frame, plan)
            continue
        with pytest.raises(PlanError, match=r"names 2 values of column .d., none of which occurs") as caught:
            fitted(frame, plan)
        assert "spelling" in caught.value.hint and caught.value.exit_code == 2


def test_named_values_that_do_not_occur_are_no_error_if_rows_may_be_suppressed() -> None:
    """A release without any of the values would disclose that a suppressed row has one."""
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "d": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2), shoal.AlphaK("d", alpha=0.9, k=2, values=("HIV",))],
        algorithm="optimal",
        release=shoal.ReleaseSettings(suppression=0.1),
    )
    release = shoal.anonymize(pl.DataFrame({"age": [1, 1, 2, 2], "d": ["flu", "burn"] * 2}), plan)
    assert any("occurs in no row" in warning for warning in release.warnings)
    assert not release.manifest.warnings or "occurs" not in " ".join(release.manifest.warnings)
