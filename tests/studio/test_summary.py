"""The figures of a release come from its private folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.studio.summary import is_summary, release_summary


def test_figures_are_those_of_the_steward(tmp_path: Path) -> None:
    assert release_summary(tmp_path / "release") == {"ncp": None, "seconds": None}
    (tmp_path / "release.private").mkdir()
    steward = {"digest": "ab", "rows_in": 3, "measures": {"ncp": 0.5}, "timings": {"total": 2.0}, "input_sha256": "x"}
    (tmp_path / "release.private" / "steward.json").write_text(json.dumps(steward), encoding="utf-8")
    assert release_summary(tmp_path / "release") == {"digest": "ab", "rows_in": 3, "ncp": 0.5, "seconds": 2.0}


@pytest.mark.parametrize("steward", [{"measures": [], "timings": "x"}, {"models": "x"}, {"rows_in": "3"}])
def test_figures_that_pages_cannot_show_are_left_out(tmp_path: Path, steward: dict[str, object]) -> None:
    (tmp_path / "release.private").mkdir()
    (tmp_path / "release.private" / "steward.json").write_text(json.dumps(steward), encoding="utf-8")
    assert not any(release_summary(tmp_path / "release").values())


@pytest.mark.parametrize("models", ["x", [3], [{"kind": 3}], [{"kind": "k-anonymity", "holds": "yes"}], None])
def test_a_summary_of_another_form_is_none(models: object) -> None:
    assert is_summary({}) and is_summary({"models": [{"kind": "k-anonymity", "k": 3, "holds": True}], "ncp": 0.5})
    assert not is_summary({"models": models})
