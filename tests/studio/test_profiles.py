"""A profile that pages cannot show counts as none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shoal.datasets import patients
from shoal.profiling.profile import profile
from shoal.studio.files import write_json
from shoal.studio.profiles import read_profile


def written(path: Path, **changes: Any) -> Path:
    found = json.loads(json.dumps(profile(patients(60)).figures(), default=str))
    write_json(path / "profile.json", {**found, **changes})
    return path / "profile.json"


def test_a_profile_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = read_profile(written(tmp_path))
    assert found is not None and found == json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))
    assert found["rows"] == 60 and found["together"]["unique"] > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": "abc"},
        {"rows": None},
        {"columns": [{"name": "x"}]},
        {"columns": {}},
        {"together": "abc"},
        {"riskiest": [{"columns": ["x"]}]},
        {"warnings": 5},
    ],
)
def test_a_damaged_profile_is_none(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert read_profile(written(tmp_path, **changes)) is None
    assert read_profile(tmp_path / "none.json") is None
