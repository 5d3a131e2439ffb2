"""The score of suggested roles, and the corpus itself."""

from __future__ import annotations

import polars as pl
import pytest

from tests.profiling.corpus import PUBLIC, SCHEMAS, SEALED, SEEN, SOURCE, UNSEEN
from tests.profiling.corpus.base import Schema, identifier, insensitive, person, quasi, sensitive
from tests.profiling.corpus.score import score, total
from tests.profiling.corpus.values import ages, dates, each, names, notes, pattern, pick, skewed

TABLE = Schema(
    "visits",
    "en",
    40,
    (
        person("patient", each(pattern("####"))),
        identifier("name", each(names())),
        identifier("note", notes(), "drop"),
        quasi("age", ages()),
        quasi("visit", dates(), "sensitive"),
        sensitive("diagnosis", skewed("flu|cold")),
        insensitive("unit", pick("mg")),
    ),
    people=10,
)
RIGHT = {field.name: field.right for field in TABLE.fields}


def test_right_roles_are_all_right() -> None:
    judged = score(TABLE, RIGHT)
    assert (judged.columns, judged.right) == (7, 7)
    assert judged.wrong == judged.unsafe == judged.dropped_unrecognised == ()


@pytest.mark.parametrize(
    ("column", "role"),
    [("visit", "sensitive"), ("note", "drop"), ("unit", "drop"), ("unit", "sensitive")],
)
def test_what_experts_also_accept_is_right(column: str, role: str) -> None:
    assert score(TABLE, RIGHT | {column: role}).right == 7


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("patient", "quasi-identifier"),
        ("patient", "sensitive"),
        ("name", "quasi-identifier"),
        ("name", "sensitive"),
        ("name", "insensitive"),
        ("note", "target"),
        ("age", "insensitive"),
        ("age", "sensitive"),
        ("age", "target"),
        ("visit", "insensitive"),
        ("diagnosis", "quasi-identifier"),
        ("diagnosis", "insensitive"),
        ("diagnosis", "target"),
    ],
)
def test_a_role_that_protects_too_little_is_unsafe(column: str, role: str) -> None:
    judged = score(TABLE, RIGHT | {column: role})
    assert judged.right == 6
    assert [(mistake.column, mistake.suggested) for mistake in judged.unsafe] == [(column, role)]
    assert judged.wrong == judged.unsafe


@pytest.mark.parametrize(
    ("column", "role"),
    [("age", "identifier"), ("diagnosis", "identifier"), ("name", "person"), ("unit", "quasi-identifier")],
)
def test_a_role_that_protects_more_is_wrong_but_safe(column: str, role: str) -> None:
    judged = score(TABLE, RIGHT | {column: role})
    assert (judged.right, len(judged.wrong)) == (6, 1)
    assert judged.unsafe == judged.dropped_unrecognised == ()


def test_dropped_columns_are_safe_and_counted() -> None:
    judged = score(TABLE, {name: role for name, role in RIGHT.items() if name != "age"} | {"diagnosis": "drop"})
    assert [mistake.column for mistake in judged.dropped_unrecognised] == ["age", "diagnosis"]
    assert judged.wrong == judged.dropped_unrecognised
    assert judged.unsafe == ()


def test_a_suggestion_for_an_absent_column_is_an_error() -> None:
    with pytest.raises(ValueError, match="no columns height"):
        score(TABLE, RIGHT | {"height": "quasi-identifier"})


def test_the_total_adds_up() -> None:
    together = total([score(TABLE, RIGHT), score(TABLE, RIGHT | {"name": "sensitive", "age": "drop"})])
    assert (together.columns, together.right) == (14, 12)
    assert [mistake.column for mistake in together.wrong] == ["name", "age"]
    assert [mistake.column for mistake in together.unsafe] == ["name"]
    assert [mistake.column for mistake in together.dropped_unrecognised] == ["age"]


def test_rows_of_an_individual_share_their_values() -> None:
    frame = TABLE.frame()
    assert frame["patient"].n_unique() == 10
    assert frame.select("patient", "name").unique().height == 10


def test_the_corpus_is_large_enough() -> None:
    assert len(SEEN) >= 24
    assert len(UNSEEN) >= 24
    assert len(PUBLIC) >= 24
    assert len(SOURCE) == len(SEALED) == 20
    assert len({schema.name for schema in SCHEMAS}) == len(SCHEMAS)
    assert sum(len(schema.fields) for schema in SCHEMAS) >= 1400


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_every_table_is_text_of_a_realistic_size(schema: Schema) -> None:
    frame = schema.frame()
    assert 300 <= frame.height <= 600
    assert set(frame.dtypes) == {pl.String}
    assert all(frame[field.name].null_count() < frame.height for field in schema.fields)
    assert frame.equals(schema.frame())


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_only_tables_with_repeated_individuals_have_a_person(schema: Schema) -> None:
    people = [field for field in schema.fields if field.right == "person"]
    assert bool(people) == (schema.people is not None)
    assert all(schema.frame()[field.name].n_unique() < schema.rows for field in people)
