"""How well columns are recognized, measured on made-up tables of many sources with the right role of every column."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.profiling.profile import profile

corpus = pytest.importorskip("tests.profiling.corpus", reason="needs the corpus of tables")
judging = pytest.importorskip("tests.profiling.corpus.score", reason="needs the corpus of tables")

RIGHT = 0.90
DROPPED = 0.10


def suggested(schema: Any) -> dict[str, str]:
    found = profile(schema.frame())
    return {column.name: "person" if column.name == found.person else column.role for column in found.columns}


@pytest.mark.slow
def test_no_suggestion_is_unsafe_and_nearly_all_are_right() -> None:
    score = judging.total(judging.score(schema, suggested(schema)) for schema in corpus.SCHEMAS)
    assert not score.unsafe
    assert score.right >= RIGHT * score.columns
    assert len(score.dropped_unrecognised) <= DROPPED * score.columns
