"""`shoal suggest`: a table, a plan that can be run, JSON, a drawing, and exit code 3 if nothing meets the limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from shoal.cli.app import invoke
from shoal.errors import CannotBeMet
from tests.evaluate.test_comparing import patients

PLAN = """
[data]
source = "elsewhere.csv"

[columns.age]
role = "quasi-identifier"
type = "integer"

[columns.city]
role = "quasi-identifier"
hierarchy = { kind = "file", path = "trees/city.csv" }

[columns.ill]
role = "sensitive"

[[models]]
kind = "k-anonymity"
k = 3

[risk]
average = 0.2
"""


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    patients().write_csv("data.csv")
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "city.csv").write_text("".join(f"C{n};{'north' if n < 2 else 'south'};*\n" for n in range(5)))
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "other.toml").write_text("")
    (tmp_path / "data.toml").symlink_to("data.csv")
    return ["suggest", "data.csv", "--plan", "plan.toml", "--budget", "9", "--quiet"]


def test_it_proposes_a_plan_that_can_be_run(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke([*given, "--risk", "highest=0.2", "--out", "proposed.toml", "--out-svg", "drawn.svg"]) == 0
    said = capsys.readouterr().out
    assert "9 plans were tried" in said
    assert "(highest 20 %, average 20 %)" in said or "(average 20 %, highest 20 %)" in said
    assert "Publish the release of one plan only" in said and "Publish one of them only" not in said
    assert "anonymize proposed.toml" in said
    text = Path("proposed.toml").read_text()
    assert 'source = "data.csv"' in text
    assert 'path = "trees/city.csv"' in text
    plan = shoal.read_plan("proposed.toml")
    assert plan.risk.given == {"highest": 0.2, "average": 0.2}
    release = shoal.anonymize_to(plan, "out")
    assert not shoal.risk(release.frame, plan, attacks=False).exceeded
    assert Path("drawn.svg").read_text().startswith("<svg")
    assert not (Path("proposed.toml").stat().st_mode | Path("drawn.svg").stat().st_mode) & 0o077


def test_it_prints_json(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke([*given, "--json", "--use", "counts", "--workers", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["measured"] == "query error"
    assert found["thresholds"] == {"average": 0.2}
    assert len(found["tried"]) == 9
    assert found["proposed"] in [each["name"] for each in found["tried"]]


def test_nothing_is_written_if_nothing_meets_the_thresholds(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CannotBeMet, match="Closest is"):
        invoke([*given, "--risk", "average=0.002", "--out", "proposed.toml"])
    assert not Path("proposed.toml").exists()
    said = capsys.readouterr().out
    assert "exceeds average" in said and "Closest is" not in said, "the error says it"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--risk", "highest"], "is not a threshold"),
        (["--risk", "top=0.1"], "not a key"),
        (["--use", "sums"], "no use"),
        (["--out", "plan.toml"], "is read by this command"),
        (["--out", "plan.toml", "--force"], "is read by this command"),
        (["--out", "data.toml", "--force", "--reference", "data.toml"], "is read by this command"),
        (["--out", "other.toml"], "already exists"),
        (["--out", "data.csv", "--force"], "ends in .toml"),
        (["--out-svg", "data.csv", "--force"], "ends in .svg"),
        (["--out", "new.toml", "--out-svg", "new.toml"], "ends in .svg"),
        (["--out", "missing/new.toml"], "there is no folder"),
        (["--seconds", "-1"], "number of seconds"),
        (["--seconds", "nan"], "number of seconds"),
    ],
)
def test_wrong_usage_is_explained(given: list[str], arguments: list[str], words: str) -> None:
    with pytest.raises(shoal.ShoalError, match=words) as caught:
        invoke([*given, *arguments])
    assert caught.value.exit_code == 2
