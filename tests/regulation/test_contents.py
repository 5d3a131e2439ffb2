from __future__ import annotations

import polars as pl

import shoal
from shoal.labels import Anything, Exactly, OneOf, Range
from shoal.regulation.contents import contents, texts_of
from tests.regulation.tables import PLAN, RAW, RELEASED


def signs(table: pl.DataFrame) -> dict[str, str]:
    return {content.name: content.sign.hipaa for content in contents(table, PLAN)}


def test_raw_columns_are_recognized_by_name_and_values() -> None:
    found = signs(RAW)
    assert [bool(content.inside) for content in contents(RAW, PLAN)].count(True) == 2  # email, remark
    assert found == {
        "name": "A",
        "birth_date": "C",
        "zip": "B",
        "age": "",
        "email": "F",
        "mrn": "H",
        "city": "B",
        "diagnosis": "",
        "remark": "R",
    }


def test_released_columns_are_recognized_by_plan_and_name() -> None:
    found = signs(RELEASED)
    assert (found["birth_date"], found["zip"], found["remark"]) == ("C", "B", "R")
    assert next(each for each in contents(RELEASED, PLAN) if each.name == "age").sign.what == "an age"


def test_rows_without_a_value_or_with_a_star_show_nothing() -> None:
    rows = {content.name: content.rows for content in contents(RELEASED, PLAN)}
    assert (rows["city"], rows["zip"], rows["diagnosis"], rows["birth_date"]) == (0, 9, 9, 12)


def test_a_column_that_the_plan_removes_is_marked() -> None:
    removed = {content.name for content in contents(RAW, PLAN) if content.removed}
    assert removed == {"name", "email", "mrn"}
    persons = shoal.Plan(columns=dict(PLAN.columns), models=PLAN.models, data=shoal.Data(person="mrn"))
    assert next(each for each in contents(RAW, persons) if each.name == "mrn").removed


def test_a_generalized_column_with_a_name_that_means_nothing_is_recognized_by_the_values_it_names() -> None:
    mails = [f"{{a{n}@example.org, b{n}@example.org}}" for n in range(6)]
    table = pl.DataFrame({"v1": mails})
    plan = shoal.Plan(columns={"v1": shoal.quasi()}, models=[shoal.KAnonymity(k=2)])
    assert contents(table, plan)[0].sign.hipaa == "F"


def test_rows_are_counted_by_what_a_label_names() -> None:
    age = next(each for each in contents(RELEASED, PLAN) if each.name == "age")
    assert age.rows_where(lambda text: text == "94") == 3
    assert age.rows_of(lambda meaning: isinstance(meaning, Range)) == 6


def test_texts_of_a_label() -> None:
    assert texts_of(Exactly("a")) == ("a",)
    assert texts_of(Range("1", "2")) == ("1", "2")
    assert texts_of(OneOf(("a", "b"))) == ("a", "b")
    assert texts_of(Anything()) == ()
