"""What jobs do is what the commands do: here without a process of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from shoal.datasets import patients
from shoal.errors import ShoalError
from shoal.progress import silent
from shoal.studio.work import ALL
from tests.studio.tables import plan_of, write_clinic


def test_a_table_is_sampled_and_counted(tmp_path: Path) -> None:
    source = str(write_clinic(tmp_path))
    assert ALL["sample"]({"source": source, "rows": 1}, silent)["rows"] == [["20", "flu"]]
    counted = ALL["values"]({"source": source, "column": "ill", "limit": 2}, silent)
    assert counted == {"column": "ill", "distinct": 3, "values": [["flu", 14], ["asthma", 13]]}
    with pytest.raises(ShoalError, match="did you mean 'ill'"):
        ALL["values"]({"source": source, "column": "il"}, silent)


def test_a_profile_has_a_plan_that_runs(tmp_path: Path) -> None:
    found = ALL["profile"]({"source": str(write_clinic(tmp_path))}, silent)
    assert found["profile"]["rows"] == 40
    path = tmp_path / "plan.toml"
    path.write_text(found["plan"], encoding="utf-8")
    assert ALL["check"]({"plan": str(path)}, silent)["fits"]


def test_a_draft_says_why_it_gave_every_role(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    patients(300).write_csv(path)
    found = ALL["profile"]({"source": str(path)}, silent)
    drafted, suggested = found["drafted"], {each["name"]: each for each in found["profile"]["columns"]}
    assert set(drafted) == set(suggested)
    assert drafted["zip"] == {name: suggested["zip"][name] for name in ("role", "reason")}
    assert suggested["symptoms"]["role"] == "sensitive" and drafted["symptoms"]["role"] == "drop"
    assert drafted["symptoms"]["reason"].startswith("not released: sets of items")


def test_releases_are_made_judged_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(plan_of(write_clinic(tmp_path)), encoding="utf-8")
    summary = ALL["anonymize"]({"plan": str(path), "out": str(tmp_path / "out")}, silent)
    own = shoal.anonymize_to(shoal.read_plan(path), tmp_path / "own")
    assert summary["digest"] == own.digest and summary["rows_released"] == 40

    folder = str(tmp_path / "out")
    assert ALL["verify"]({"folder": folder, "digest": summary["digest"]}, silent)["holds"]
    assert not ALL["verify"]({"folder": folder, "digest": "0" * 64}, silent)["holds"]
    risk = ALL["risk"]({"data": folder, "attacks": False, "views": ["gdpr"]}, silent)
    assert risk["rows"] == 40 and len(risk["views"]) == 1
    compared = ALL["compare"]({"releases": {"a": folder, "b": str(tmp_path / "own")}}, silent)
    assert [each["name"] for each in compared["releases"]] == ["a", "b"] and compared["svg"].startswith("<svg")
    json.dumps([summary, risk, compared])


def test_a_suggested_plan_meets_its_thresholds(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(plan_of(write_clinic(tmp_path)), encoding="utf-8")
    found = ALL["suggest"]({"plan": str(path), "risk": {"highest": 0.2}, "budget": 4}, silent)
    assert found["thresholds"] == {"highest": 0.2} and len(found["table"]) == len(found["tried"]) <= 4
    path.write_text(found["plan"], encoding="utf-8")
    assert ALL["check"]({"plan": str(path)}, silent)["fits"]
    json.dumps(found)


def test_every_kind_says_what_it_takes() -> None:
    assert all(work.__doc__ and name == work.__name__ for name, work in ALL.items())
