"""The report in plain lines."""

from __future__ import annotations

from shoal.measures import ALL as MEASURES
from shoal.report.document import Chart, Code, Column, Document, Heading, Section, Table, Terms, Text, Tile, Tiles
from shoal.report.text import PRIVATE, as_text
from tests.report.manifests import failing, manifest, report


def test_the_verdict_comes_first_and_every_section_follows() -> None:
    lines = report(manifest()).text().splitlines()
    assert lines[0] == "Every promise holds"
    titles = [
        "Rows and classes",
        "Risks that no model covers",
        "Promises",
        "Information loss and utility",
        "Information loss by column",
        "Notes",
        "Timings",
        "How to verify this release",
    ]
    assert [line for line in lines if line in titles] == titles


def test_models_stand_in_columns() -> None:
    text = report(manifest()).text()
    lines = [line.split() for line in text.splitlines()]
    assert ["k-", "holds", "k", "5", "6", "1", "0", "all", "rows"] in lines or [
        *("k-anonymity", "holds", "k", "5", "6", "1", "0", "all", "rows")
    ] in lines
    assert "FAILS" in report(failing()).text() and "FAILS" not in text


def test_bars_show_shares() -> None:
    text = report(manifest()).text()
    assert "age               " + "█" * 8 + "░" * 12 + " 40 %  –" in text
    assert "zip               " + "█" * 2 + "░" * 18 + " 10 %  " + "█" * 10 + "░" * 10 + " 50 %  2" in text


def test_sentences_are_wrapped() -> None:
    text = report(manifest(warnings=["word " * 60], notes=["note " * 60])).text()
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "  ! word" in text and "  - note" in text


def test_nothing_to_say_is_left_out() -> None:
    text = report({}).text()
    assert "Promises" not in text and "that no model covers" not in text and "by column" not in text


def test_what_a_measure_is_goes_on_below_where_the_line_would_be_too_long() -> None:
    measures = {"ncp": 0.25, "discernibility": 10**24, "discernibility_ratio": 0.5}
    text = report(manifest(measures=measures)).text()
    assert max(len(line) for line in text.splitlines()) <= 100
    section = text.partition("\nInformation loss and utility\n")[2].partition("\n\n")[0]
    for cls in (measure for measure in MEASURES if measure.name in measures):
        assert all(word in section for word in cls.about.split())


def test_a_table_that_is_too_wide_becomes_lists() -> None:
    columns = tuple(Column(f"column {n}") for n in range(20))
    blocks = (Table(columns, (tuple(f"value {n}" for n in range(20)),), "A caption"),)
    text = as_text(Document("t", "v", "l", "good", (Section("a", "A", blocks),)))
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "  A caption\n  value 0\n    column 1: value 1\n" in text


def test_every_block_has_its_lines() -> None:
    chart = Chart("bars", "Sizes", "In words.", Table((Column("Name"), Column("Rows", "count")), (("a", 1234),)))
    blocks = (
        *(Heading("Part"), Text(("Run `this`.",)), Terms((("term", "meaning"),)), Code("x = 1\ny = 2"), chart),
        Tiles((Tile("Rows", 5, remark="of 6"),)),
    )
    text = as_text(Document("t", "v", "l", "good", (Section("a", "A", blocks),), private=True))
    lines = (
        PRIVATE,
        "  Part",
        "  Run this.",
        "  - term: meaning",
        "  x = 1",
        "  Sizes",
        "  In words.",
        "  a     1,234",
    )
    assert set(lines) <= set(text.splitlines()) and "  Rows  5  of 6" in text
