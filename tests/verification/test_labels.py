"""From the files alone: labels that no release could have are found, and so is a codebook that says something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.hierarchies import Intervals, Prefix
from shoal.manifest import read_json
from shoal.table import Runs
from shoal.verification.folder import hashes
from shoal.verification.labelled import labelled
from shoal.verification.labels import label_problems

COLUMNS = {
    "age": shoal.quasi(top=90, bottom=10),
    "weight": shoal.quasi(Intervals((5, 10))),
    "zip": shoal.quasi(Prefix(), type="text"),
    "sex": shoal.quasi(type="text"),
}
PLAN = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)])
ROW = {"age": "[20, 29]", "weight": "[60, 64]", "zip": "021*", "sex": "f"}


def found(**changed: str) -> list[str]:
    table = pl.DataFrame([ROW, {**ROW, **changed}])
    return label_problems(labelled({"release": Runs.of(table)}, PLAN), PLAN)


def test_labels_of_a_release_have_no_problem() -> None:
    assert found() == [] == found(age="*", weight="*", zip="*", sex="*") == found(age="", weight="", zip="", sex="")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"age": "rubbish"}, "Column 'age' has 1 labels that are neither a number nor a range."),
        ({"age": "107"}, "Column 'age' has labels above its top."),
        ({"age": "[80, 95]"}, "Column 'age' has labels above its top."),
        ({"age": "[5, 29]"}, "Column 'age' has labels below its bottom."),
        ({"age": "[29, 20]"}, "Column 'age' has ranges that end before they begin."),
        ({"weight": "rubbish"}, "Column 'weight' has labels that its hierarchy does not have."),
    ],
)
def test_other_labels_are_found(changed: dict[str, str], says: str) -> None:
    assert found(**changed) == [says]


# -- in a folder ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    frame = pl.DataFrame(
        {
            "age": [str(20 + i % 7) for i in range(60)],
            "weight": [str(60 + i % 11) for i in range(60)],
            "zip": [f"0{2000 + i % 3}" for i in range(60)],
            "sex": ["f", "m"] * 30,
            "note": ["x"] * 60,
        }
    )
    plan = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)], data=shoal.Data(unlisted="insensitive"))
    (tmp_path / "plan.toml").write_text(plan.to_toml())
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    return tmp_path / "out"


def rewritten(folder: Path, name: str, change: Callable[[str], str]) -> shoal.Verification:
    """The verification after a file and its hash were changed together."""
    path = folder / name
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    if name != "manifest.json":
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"] = hashes(folder)
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return shoal.verify_folder(folder, plan=shoal.read_plan(folder.parent / "plan.toml"))


def problems(found: shoal.Verification) -> str:
    assert not found.holds
    return " ".join(found.problems)


def changed_manifest(**values: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **values})


def test_a_release_holds_with_its_plan_although_columns_are_unlisted(folder: Path) -> None:
    plan = shoal.read_plan(folder.parent / "plan.toml")
    assert shoal.verify_folder(folder, plan=plan).problems == ()
    assert "note" in shoal.read_plan(folder / "plan.toml").columns, "the published plan lists every column"


def test_the_codebook_must_say_what_the_labels_do(folder: Path) -> None:
    book = json.loads((folder / "codebook.json").read_text())
    book["columns"]["zip"]["levels"][0] += 1
    levelled = rewritten(folder, "codebook.json", lambda _: json.dumps(book))
    assert "levels or shares of column 'zip'" in problems(levelled)
    book["columns"]["sex"]["labels"].append("x")
    assert "labels of column 'sex'" in problems(rewritten(folder, "codebook.json", lambda _: json.dumps(book)))


def test_more_suppressed_rows_than_the_plan_allows_are_found(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    claims = changed_manifest(rows_in=manifest["rows_in"] + 9, rows_suppressed=9)
    assert "9 rows were suppressed; the plan allows 0" in problems(rewritten(folder, "manifest.json", claims))
    claims = changed_manifest(rows_in=manifest["rows_in"] + 9, rows_suppressed=9, rows_dropped=9)
    assert "left out for missing values" in problems(rewritten(folder, "manifest.json", claims))


def test_a_key_that_occurs_twice_is_found(folder: Path) -> None:
    twice = rewritten(folder, "manifest.json", lambda text: text.replace('"rows_in"', '"rows_in": 1,\n  "rows_in"', 1))
    assert "manifest.json" in problems(twice)


def test_another_rule_for_unlisted_columns_is_found(folder: Path) -> None:
    found = rewritten(folder, "plan.toml", lambda text: text.replace('unlisted = "insensitive"', 'unlisted = "drop"'))
    assert "unlisted columns" in problems(found)


def test_rows_in_another_order_are_found(folder: Path) -> None:
    def swapped(text: str) -> str:
        head, *rows = text.splitlines()
        return "\n".join([head, *reversed(rows)]) + "\n"

    assert "not in their order" in problems(rewritten(folder, "release.csv", swapped))


def test_the_codebook_follows_from_the_table(folder: Path) -> None:
    plan = shoal.read_plan(folder / "plan.toml")
    book = read_json(folder / "codebook.json")["columns"]
    for name, column in labelled(
        {"release": Runs.of(pl.read_csv(folder / "release.csv", infer_schema=False))}, plan
    ).items():
        assert book[name]["labels"] == list(column.labels)


def test_a_line_that_is_part_of_a_cell_is_pointed_out(folder: Path) -> None:
    def hidden(text: str) -> str:
        *rows, last = text.splitlines()
        return "\n".join([*rows, last[: last.rindex(",")] + ',"x\n20,60,02000,f,x"']) + "\n"

    found = rewritten(folder, "release.csv", hidden)
    assert any("1 cells of column 'note' contain a line break" in note for note in found.notes)
