from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import PLAN, Shoal, write_clinic
from tests.spark import needs_spark


@pytest.fixture
def copy(released: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(released, tmp_path / "copy"))


def test_a_sound_release(shoal: Shoal, released: Path) -> None:
    answer = shoal("verify", released)
    assert (answer.code, answer.err) == (0, "")
    assert "The release is valid. 120 rows in " in answer.out
    assert "--digest or --plan" in answer.out


def test_json(shoal: Shoal, released: Path) -> None:
    answer = shoal("verify", released, "--json")
    found = json.loads(answer.out)
    assert answer.code == 0 and found["holds"] and found["problems"] == []
    assert [model["kind"] for model in found["models"]] == ["k-anonymity", "l-diversity"]


@pytest.mark.parametrize(("engine", "code"), [("local", 0), ("stream", 0), ("steam", 2)])
def test_engines(shoal: Shoal, released: Path, engine: str, code: int) -> None:
    answer = shoal("verify", released, "--engine", engine)
    assert answer.code == code
    assert ("The release is valid." in answer.out) is (code == 0)


def test_a_changed_byte(shoal: Shoal, copy: Path) -> None:
    with (copy / "codebook.json").open("a") as file:
        file.write(" ")
    answer = shoal("verify", copy)
    assert answer.code == 1
    assert "'codebook.json' was changed" in answer.out and "NOT VALID" in answer.out
    assert json.loads(shoal("verify", copy, "--json").out)["holds"] is False


@pytest.mark.parametrize("file", ["release.csv", "manifest.json", "plan.toml"])
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\x00{", b"not what it was"])
def test_a_missing_or_unreadable_file(shoal: Shoal, copy: Path, file: str, content: bytes | None) -> None:
    (copy / file).unlink()
    if content is not None:
        (copy / file).write_bytes(content)
    answer = shoal("verify", copy)
    assert answer.code == 1
    assert "Problem: " in answer.out and "Internal" not in answer.err


def test_the_digest_finds_a_folder_rewritten_as_a_whole(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    plan = write_clinic(tmp_path)
    plan.write_text(PLAN.replace("k = 4", "k = 2"))
    digest = json.loads((Path(f"{released}.private") / "steward.json").read_text())["digest"]
    weaker = tmp_path / "weaker"
    assert shoal("anonymize", plan, "--out", weaker).code == 0
    assert shoal("verify", weaker).code == 0
    assert shoal("verify", weaker, "--digest", digest).code == 1
    plan.write_text(PLAN)
    assert shoal("verify", weaker, "--plan", plan).code == 1
    answer = shoal("verify", released, "--digest", digest.upper(), "--plan", plan)
    assert answer.code == 0 and "given digest" in answer.out and str(plan) in answer.out


def test_a_plan_that_is_wrong_is_bad_usage_not_a_broken_promise(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    assert shoal("verify", released, "--plan", tmp_path / "gone.toml").code == 2


@pytest.mark.parametrize(
    ("person", "said"),
    [
        ("", "Not checked: input reference of 't-closeness'"),
        ('person = "name"\n', "Not checked: persons of 't-closeness'"),
    ],
)
def test_what_cannot_be_checked_is_said(shoal: Shoal, plan: Path, person: str, said: str) -> None:
    closeness = '\n[[models]]\nkind = "t-closeness"\ncolumn = "diagnosis"\nt = 0.9\n'
    plan.write_text(PLAN.replace("[data]\n", f"[data]\n{person}") + closeness)
    out = plan.parent / "out"
    assert shoal("anonymize", plan, "--out", out).code == 0
    answer = shoal("verify", out)
    assert answer.code == 0 and said in answer.out
    assert ("Note: " in answer.out) == bool(person)
    assert json.loads(shoal("verify", out, "--json").out)["not_checked"]


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_folder_that_is_not_there_is_bad_input(shoal: Shoal, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "file").write_text("x")
    for name in ("missing", "file"):
        answer = shoal("verify", tmp_path / name, *words)
        assert (answer.code, answer.out) == (2, "") and f"There is no folder '{tmp_path / name}'" in answer.err


def test_the_name_of_the_trusted_plan_is_shown_as_given(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    plan = write_clinic(tmp_path).rename(tmp_path / "MyPlan.TOML")
    assert f"Roles and promises are those of '{plan}'." in shoal("verify", released, "--plan", plan).out


@needs_spark
def test_spark_finds_what_the_others_find(shoal: Shoal, released: Path) -> None:
    found, expected = (
        shoal("verify", released, "--json", *words) for words in (("--engine", "spark", "--master", "local[2]"), ())
    )
    assert found.code == 0 and found.out == expected.out


def test_a_master_is_for_spark_alone(shoal: Shoal, released: Path) -> None:
    answer = shoal("verify", released, "--master", "local[2]")
    assert answer.code == 2 and "--engine spark" in answer.err
