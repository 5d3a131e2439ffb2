from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PLAN, SECRET, Shoal, write_clinic


@pytest.fixture
def old(shoal: Shoal, tmp_path: Path) -> Path:
    """A full-domain release of the clinic, and a table with the rows of another month."""
    plan = write_clinic(tmp_path)
    plan.write_text(PLAN + '[algorithm]\nkind = "optimal"\n[release]\nsuppression = 0.1\n', encoding="utf-8")
    header, *rows = (tmp_path / "clinic.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "february.csv").write_text("\n".join([header, *rows[:100]]) + "\n", encoding="utf-8")
    assert shoal("anonymize", plan, "--out", tmp_path / "january", "--quiet").code == 0
    return tmp_path / "january"


def test_new_rows_are_released_with_the_same_recoding(shoal: Shoal, old: Path) -> None:
    out = old.with_name("out")
    answer = shoal("apply", old, old.with_name("february.csv"), "--out", out)
    assert answer.code == 0, answer.err
    assert "Released 100 of 100 rows" in answer.out and "The recoding is that of an earlier release." in answer.out
    assert "Individuals of the release in 'january' may be in the new table too." in answer.out
    assert SECRET not in answer.out + answer.err
    digest = answer.out.rsplit(maxsplit=1)[-1]
    assert shoal("verify", out, "--digest", digest).code == 0


def test_as_json_and_quiet(shoal: Shoal, old: Path) -> None:
    new = old.with_name("february.csv")
    answer = shoal("apply", old, new, "--out", old.with_name("out"), "--json", "--new-persons")
    facts = json.loads(answer.out)
    assert facts["rows_released"] == 100 and facts["recoding_of"] and facts["digest"]
    assert not [text for text in facts["warnings"] if "may be in the new table too" in text]
    again = shoal("apply", old, new, "--out", old.with_name("out"), "--quiet", "--force", "--new-persons")
    assert again.code == 0 and again.out.strip() == facts["digest"]


def test_an_output_folder_is_not_replaced_without_force(shoal: Shoal, old: Path) -> None:
    out = old.with_name("out")
    out.mkdir()
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    answer = shoal("apply", old, old.with_name("february.csv"), "--out", out)
    assert answer.code == 2 and "is not empty" in answer.err
    for force in ([], ["--force"]):
        answer = shoal("apply", old, old.with_name("february.csv"), "--out", old, *force)
        assert answer.code == 2 and "whose recoding it applies" in answer.err


def test_promises_that_cannot_be_kept(shoal: Shoal, old: Path) -> None:
    header, *rows = old.with_name("february.csv").read_text(encoding="utf-8").splitlines()
    old.with_name("few.csv").write_text("\n".join([header, *rows[:5]]) + "\n", encoding="utf-8")
    answer = shoal("apply", old, old.with_name("few.csv"), "--out", old.with_name("out"))
    assert answer.code == 3 and not old.with_name("out").exists()
    assert SECRET not in answer.err


def test_a_larger_share_may_be_suppressed(shoal: Shoal, old: Path) -> None:
    new = old.with_name("few.csv")
    header, *rows = old.with_name("february.csv").read_text(encoding="utf-8").splitlines()
    new.write_text("\n".join([header, *rows[:97], *[rows[0].replace("20", "99")] * 3]) + "\n", encoding="utf-8")
    limited = shoal("apply", old, new, "--out", old.with_name("out"), "--suppression", "0")
    assert limited.code == 3 and "would suppress" in limited.err
    answer = shoal("apply", old, new, "--out", old.with_name("out"), "--suppression", "0.5", "--json")
    assert answer.code == 0 and json.loads(answer.out)["rows_suppressed"] > 0


def test_bad_usage(shoal: Shoal, old: Path, tmp_path: Path) -> None:
    new = old.with_name("february.csv")
    assert "There is no folder" in shoal("apply", tmp_path / "no", new, "--out", tmp_path / "out").err
    assert shoal("apply", old, new).code == 2
    gone = shoal("apply", old, tmp_path / "march.csv", "--out", tmp_path / "out")
    assert gone.code == 2 and "march.csv" in gone.err
    assert shoal("apply", old, new, "--out", tmp_path / "out", "--suppression", "2").code == 2


def test_a_plan_of_other_promises(shoal: Shoal, old: Path) -> None:
    plan = old.with_name("plan.toml")
    plan.write_text(plan.read_text(encoding="utf-8").replace("k = 4", "k = 3"), encoding="utf-8")
    answer = shoal("apply", old, old.with_name("february.csv"), "--out", old.with_name("out"), "--plan", plan)
    assert answer.code == 1 and "differs from the given plan" in answer.err


def test_local_recodings(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    answer = shoal("apply", released, released.with_name("clinic.csv"), "--out", tmp_path / "out")
    assert answer.code == 2 and "is local" in answer.err


@pytest.fixture
def titled(shoal: Shoal, old: Path) -> Path:
    """The release with a title and a steward, so that it can be cited."""
    plan = next(old.parent.glob("*.toml"))
    text = plan.read_text(encoding="utf-8") + 'title = "Clinic, January"\nsteward = "Data office"\ndate = 2025-01-31\n'
    plan.write_text(text, encoding="utf-8")
    assert shoal("anonymize", plan, "--out", old, "--force", "--quiet").code == 0
    return old


@pytest.mark.parametrize("option", ["", "--quiet", "--json"])
def test_a_title_that_is_kept_is_warned_of(shoal: Shoal, titled: Path, option: str) -> None:
    new, out = titled.with_name("february.csv"), titled.with_name("out")
    answer = shoal("apply", titled, new, "--out", out, "--new-persons", *([option] if option else []))
    assert "The title is that of the earlier release: 'Clinic, January'. --title" in answer.err
    assert 'title: "Clinic, January"' in (out / "CITATION.cff").read_text(encoding="utf-8")


def test_a_title_of_its_own(shoal: Shoal, titled: Path) -> None:
    new, out = titled.with_name("february.csv"), titled.with_name("out")
    answer = shoal("apply", titled, new, "--out", out, "--new-persons", "--title", "Clinic, February")
    assert answer.code == 0 and "The title is" not in answer.err
    cited, plan = ((out / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "plan.toml"))
    assert 'title: "Clinic, February"' in cited and "January" not in cited + plan and "2025-01-31" not in cited + plan


def test_a_title_must_be_readable(shoal: Shoal, titled: Path) -> None:
    new, out = titled.with_name("february.csv"), titled.with_name("out")
    answer = shoal("apply", titled, new, "--out", out, "--new-persons", "--title", " ")
    assert answer.code == 2 and "Title, purpose" in answer.err and not out.exists()
