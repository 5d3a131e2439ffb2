from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Shoal, names


@pytest.fixture(autouse=True)
def _few_patients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.cli.demo.PATIENTS", 500)


def test_the_demo_releases_and_verifies(shoal: Shoal, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    answer = shoal("demo", "--out", out)
    assert answer.code == 0
    assert "every promise holds" in answer.out and f"shoal explain l-diversity --release {out}" in answer.out
    assert names(tmp_path) == {"demo", "demo.private", "demo.input"}
    assert {"release.csv", "report.html", "manifest.json"} <= names(out)
    assert shoal("verify", out).code == 0
    assert shoal("plan", "check", tmp_path / "demo.input" / "plan.toml").code == 0


def test_it_can_be_run_again(shoal: Shoal, tmp_path: Path) -> None:
    assert shoal("demo", "--out", tmp_path / "demo").code == 0
    assert shoal("demo", "--out", tmp_path / "demo").code == 0


@pytest.mark.parametrize("taken", ["demo", "demo.input"])
def test_what_is_not_the_demos_stays(shoal: Shoal, tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).mkdir()
    (tmp_path / taken / "thesis.txt").write_text("mine")
    answer = shoal("demo", "--out", tmp_path / "demo")
    assert answer.code == 2 and "--force" in answer.err
    assert names(tmp_path) == {taken} and names(tmp_path / taken) == {"thesis.txt"}
    answer = shoal("demo", "--out", tmp_path / "demo", "--force")
    assert answer.code == (2 if taken == "demo" else 0)
    assert "thesis.txt" in names(tmp_path / taken)


def test_an_edited_plan_stays(shoal: Shoal, tmp_path: Path) -> None:
    assert shoal("demo", "--out", tmp_path / "demo").code == 0
    plan = tmp_path / "demo.input" / "plan.toml"
    plan.write_text(plan.read_text().replace("k = 5", "k = 3"))
    assert shoal("demo", "--out", tmp_path / "demo").code == 2
    assert "k = 3" in plan.read_text()


@pytest.mark.parametrize("out", ["missing/demo", "file", "file/demo", "."])
def test_nowhere_to_write(shoal: Shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    answer = shoal("demo", "--out", out)
    assert (answer.code, answer.out) == (2, "") and "Internal" not in answer.err
    assert names(tmp_path) == {"file"}


def test_a_cancelled_demo_leaves_nothing(shoal: Shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.pipeline.fit", interrupt)
    assert shoal("demo", "--out", tmp_path / "demo").code == 130
    assert names(tmp_path) == set()
