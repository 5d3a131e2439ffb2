"""The steps of a specialization."""

from __future__ import annotations

from typing import Any

from shoal.report.document import Table
from tests.report.manifests import HOSTILE, manifest, report, table


def steps(many: int, value: str) -> dict[str, Any]:
    """What a release made in so many steps says of them, of a column with hostile values."""
    figures = {"score": 1.0, "classes": 2, "smallest_class": 3, "support": 3, "confidence": 0.5}
    recorded = [
        {"column": "age", "parts": [0, 1, 2], "ncp": 1 / n, "discernibility_ratio": 1 / n, **figures}
        for n in range(1, many + 1)
    ]
    return {"steps": recorded, "step_values": {"age": [value, "b"]}}


def test_steps_are_drawn_without_a_value_of_the_data() -> None:
    given = manifest(**steps(3, HOSTILE))
    assert table(given, "steps").rows[2] == (3, 1 / 3, 1 / 3, 0.5)
    page = report(given).page()
    assert "each of the 3 steps" in page and "script" not in page.split('<h2 id="steps"')[1].partition("</section>")[0]
    assert report(manifest()).document.section("steps") is None


def test_many_steps_are_drawn_by_some() -> None:
    given = manifest(**steps(30_000, "a"))
    rows = table(given, "steps").rows
    assert len(rows) == 400 and rows[0][0] == 1 and rows[-1][0] == 30_000
    assert "each of the 30,000 steps" in report(given).page()


def test_confidence_is_shown_only_where_a_model_bounds_it() -> None:
    given = steps(2, "a")
    for step in given["steps"]:
        step["confidence"] = None
    assert len(table(manifest(**given), "steps").columns) == 3


def test_the_sequence_names_columns_and_no_labels() -> None:
    document = report(manifest(**steps(3, HOSTILE))).document
    section = document.section("steps")
    assert section is not None
    sequence = section.blocks[1]
    assert isinstance(sequence, Table) and sequence.place == "full"
    assert sequence.rows[1] == (2, "age", 2, 2, 3) and sequence.caption == "All steps in their order"


def test_long_sequences_are_folded() -> None:
    page = report(manifest(**steps(500, "a"))).page()
    assert "<summary>Show: 400 of the 500 steps in their order</summary>" in page
