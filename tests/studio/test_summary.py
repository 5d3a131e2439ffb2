"""The figures of a release come from its private folder."""

from __future__ import annotations

import json
from pathlib import Path

from shoal.studio.summary import release_summary


def test_figures_are_those_of_the_steward(tmp_path: Path) -> None:
    assert release_summary(tmp_path / "release") == {"ncp": None, "seconds": None}
    (tmp_path / "release.private").mkdir()
    steward = {"digest": "ab", "rows_in": 3, "measures": {"ncp": 0.5}, "timings": {"total": 2.0}, "input_sha256": "x"}
    (tmp_path / "release.private" / "steward.json").write_text(json.dumps(steward), encoding="utf-8")
    assert release_summary(tmp_path / "release") == {"digest": "ab", "rows_in": 3, "ncp": 0.5, "seconds": 2.0}
