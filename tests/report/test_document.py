"""The document: the same value after a round trip through JSON, which its schema accepts."""

from __future__ import annotations

import json

import jsonschema
import pytest
from pydantic import ValidationError

from shoal.report import document
from shoal.report.document import Chart, Code, Column, Document, Points, Section, Table, Terms, Text, Tile, Tiles

TABLE = Table((Column("column"), Column("loss", "share")), (("age", 0.25), ("zip", None)))
FULL = Document(
    title="Release",
    verdict="Every promise holds",
    lead="Checked.",
    tone="good",
    sections=(
        Section("rows", "Rows", (Tiles((Tile("Rows", 5), Tile("Loss", 0.5, "share"))), Text(("A.", "B.")))),
        Section("loss", "Loss", (Chart("bars", "Loss", "age loses most", TABLE), TABLE), private=True),
        Section("words", "Words", (Points(("x",)), Terms((("k", "size"),)), Code("shoal verify DIR")), tone="care"),
    ),
)


def test_a_document_survives_json() -> None:
    assert Document.from_json(json.loads(json.dumps(FULL.to_json()))) == FULL


def test_the_schema_accepts_what_is_written_and_nothing_else() -> None:
    jsonschema.validate(FULL.to_json(), document.schema())
    wrong = FULL.to_json()
    wrong["sections"][0]["blocks"][0]["block"] = "poem"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, document.schema())
    with pytest.raises(ValidationError):
        Document.from_json(wrong)


def test_rows_have_the_width_of_their_table() -> None:
    with pytest.raises(ValueError, match="needs 2 values"):
        Table((Column("a"), Column("b")), (("only one",),))


def test_sections_and_tables_are_found() -> None:
    section = FULL.section("loss")
    assert section is not None and section.private
    assert FULL.section("none") is None
    assert list(document.tables(FULL)) == [TABLE, TABLE]
    assert document.paragraphs([]) == ()
    assert document.paragraphs(["A."]) == (Text(("A.",)),)
