from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import SECRET, Shoal, names


def test_columns_with_roles_and_reasons_but_no_value(shoal: Shoal, plan: Path) -> None:
    answer = shoal("profile", plan.parent / "clinic.csv")
    assert (answer.code, answer.err) == (0, "")
    rows = {line.split()[0]: line for line in answer.out.splitlines() if line}
    assert "identifier" in rows["name"] and "quasi-identifier" in rows["age"] and "sensitive" in rows["diagnosis"]
    assert "of the rows are unique" in answer.out
    assert SECRET not in answer.out


def test_json(shoal: Shoal, plan: Path) -> None:
    found = json.loads(shoal("profile", plan.parent / "clinic.csv", "--json").out)
    assert found["rows"] == 120
    assert [column["name"] for column in found["columns"]] == ["name", "age", "city", "diagnosis"]
    assert SECRET not in json.dumps(found)


@pytest.mark.parametrize("place", ["draft.toml", "plans/draft.toml"])
def test_the_draft_runs_as_it_is(shoal: Shoal, plan: Path, place: str) -> None:
    (plan.parent / "plans").mkdir()
    draft = plan.parent / place
    answer = shoal("profile", plan.parent / "clinic.csv", "--out", draft)
    assert answer.code == 0 and str(draft) in answer.out
    assert shoal("anonymize", draft, "--out", plan.parent / "out").code == 0
    assert shoal("verify", plan.parent / "out").code == 0


def test_the_draft_keeps_the_separator(shoal: Shoal, plan: Path) -> None:
    odd = plan.parent / "odd.csv"
    odd.write_text((plan.parent / "clinic.csv").read_text().replace(",", "^"))
    draft = plan.parent / "draft.toml"
    assert shoal("profile", odd, "--separator", "^", "--out", draft).code == 0
    assert shoal("plan", "check", draft).code == 0


def test_a_plan_is_not_overwritten_without_force(shoal: Shoal, plan: Path) -> None:
    before = plan.read_text()
    answer = shoal("profile", plan.parent / "clinic.csv", "--out", plan)
    assert answer.code == 2 and "--force" in answer.err
    assert plan.read_text() == before
    assert shoal("profile", plan.parent / "clinic.csv", "--out", plan, "--force").code == 0
    assert plan.read_text() != before


def test_the_table_is_not_overwritten(shoal: Shoal, plan: Path) -> None:
    table = plan.parent / "clinic.csv"
    before = table.read_text()
    assert "ends in .toml" in shoal("profile", table, "--out", table, "--force").err
    (plan.parent / "link.toml").symlink_to("clinic.csv")
    answer = shoal("profile", table, "--out", plan.parent / "link.toml", "--force")
    assert answer.code == 2 and "is read by this command" in answer.err
    assert table.read_text() == before and (plan.parent / "link.toml").is_symlink()


def test_a_table_that_is_none(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("name,age\n")
    for data in (tmp_path / "empty.csv", tmp_path / "gone.csv", tmp_path):
        answer = shoal("profile", data, "--out", tmp_path / "plan.toml")
        assert (answer.code, answer.out) == (2, "") and answer.err.startswith("Error: ")
    assert names(tmp_path) == {"empty.csv"}


def test_names_of_columns_cannot_move_the_cursor(shoal: Shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd.csv").write_text("[bold]a[/bold],\x1b[2Jb\n1,2\n3,4\n")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    answer = shoal("profile", tmp_path / "odd.csv")
    assert answer.code == 0
    assert "[bold]a[/bold]" in answer.out and "\\x1b[2Jb" in answer.out and "\x1b[2J" not in answer.out


def test_only_the_first_of_very_many_columns_are_shown(shoal: Shoal, tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(1200)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *[",".join(str(i % 7) for i in range(1200))] * 3]))
    answer = shoal("profile", tmp_path / "wide.csv", "--out", tmp_path / "plan.toml")
    assert answer.code == 0 and "… and 200 more columns" in answer.out
    assert "c999 " in answer.out and "c1000 " not in answer.out
    assert "c1199" in (tmp_path / "plan.toml").read_text()


def test_a_table_without_a_header_line_is_noticed(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "Ann,1970-01-31,F,flu\n" + "".join(f"P{n},19{n}-02-0{n % 9 + 1},F,flu\n" for n in range(50, 80))
    )
    answer = shoal("profile", tmp_path / "t.csv")
    assert answer.code == 2 and "--no-header" in answer.err and "Ann" not in answer.err
    answer = shoal("profile", tmp_path / "t.csv", "--no-header", "--out", tmp_path / "plan.toml")
    assert answer.code == 0 and "column_2  date" in answer.out
    assert "header = false" in (tmp_path / "plan.toml").read_text()
    assert shoal("anonymize", tmp_path / "plan.toml", "--out", tmp_path / "out").code == 0
    assert (tmp_path / "out/release.csv").read_text().splitlines()[0].startswith("column_")


def test_codes_that_no_tree_lists_are_told(shoal: Shoal, tmp_path: Path) -> None:
    codes = ["C50.911", "F32.9", "I10", "J45.909", "E11.9", "D33.0X9"]
    rows = "".join(f"{20 + i % 60},{codes[i % 6]}\n" for i in range(240))
    (tmp_path / "t.csv").write_text("age,diagnosis\n" + rows)
    done = shoal("profile", tmp_path / "t.csv", "--out", tmp_path / "d.toml")
    assert done.code == 0
    assert "Column 'diagnosis' looks like icd10cm codes, but not all of its values clearly are" in done.err
    assert "D33.0X9" not in done.err + done.out
