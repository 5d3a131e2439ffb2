"""An earlier release is applied only if it is whole, valid, and the one of its private folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.applying.earlier import read_earlier
from shoal.errors import PlanError, PromiseBroken, TableError

PLAN = """
[data]
source = "old.csv"
[columns.pet]
role = "quasi-identifier"
hierarchy = { kind = "file", path = "trees/pets.csv" }
[columns.age]
role = "quasi-identifier"
[[models]]
kind = "k-anonymity"
k = 2
[algorithm]
kind = "optimal"
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A release by the command line, whose plan has a path that is relative to the plan."""
    from shoal.cli import run

    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "pets.csv").write_text("ant;insect;*\nbee;insect;*\ncat;mammal;*\n", encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    frame = pl.DataFrame({"pet": ["ant", "bee", "cat", "cat"] * 3, "age": [1, 1, 2, 2] * 3})
    frame.write_csv(tmp_path / "old.csv")
    (tmp_path / "releases").mkdir()
    folder = tmp_path / "releases" / "old"
    assert run(["anonymize", str(tmp_path / "plan.toml"), "--out", str(folder), "--quiet"]) == 0
    return folder


def test_what_is_known_of_it(old: Path) -> None:
    earlier = read_earlier(old)
    assert earlier.name == "old" and earlier.plan.algorithm == shoal.Optimal()
    assert earlier.levels == {"pet": 0, "age": 0}
    assert earlier.labels == {"pet": ("ant", "bee", "cat"), "age": ("1", "2")}


def test_paths_of_the_plan_are_relative_to_where_it_was(old: Path, tmp_path: Path) -> None:
    hierarchy = read_earlier(old).plan.columns["pet"].hierarchy
    assert Path(hierarchy.path) == tmp_path / "trees" / "pets.csv"


def test_another_plan_may_be_given_but_not_with_other_promises(old: Path, tmp_path: Path) -> None:
    plan = shoal.read_plan(tmp_path / "plan.toml")
    assert read_earlier(old, plan).plan == plan
    with pytest.raises(PromiseBroken, match="differs from the given plan: models"):
        read_earlier(old, plan.changed(models=[shoal.KAnonymity(k=3)]))
    with pytest.raises(PromiseBroken, match="differs from the given plan: strict\\. "):
        read_earlier(old, plan.changed(release=shoal.ReleaseSettings(strict=True)))


def test_levels_are_those_of_full_domain_recodings_only(old: Path, tmp_path: Path) -> None:
    plan = shoal.read_plan(tmp_path / "plan.toml").changed(algorithm=shoal.Pais())
    shoal.anonymize_to(plan, tmp_path / "pais")
    assert read_earlier(tmp_path / "pais").levels == {}


def test_what_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="There is no folder"):
        read_earlier(tmp_path / "nowhere")
    with pytest.raises(TableError, match="is not the folder of a release"):
        read_earlier(tmp_path)


def test_the_private_folder_is_needed(old: Path) -> None:
    shutil.rmtree(old.with_name("old.private"))
    with pytest.raises(TableError, match=r"private folder of .* is not beside it.*'old\.private'"):
        read_earlier(old)


def test_the_private_folder_of_another_release(old: Path) -> None:
    steward = old.with_name("old.private") / "steward.json"
    facts = json.loads(steward.read_text(encoding="utf-8"))
    steward.write_text(json.dumps({**facts, "digest": "00"}), encoding="utf-8")
    with pytest.raises(PromiseBroken, match="does not belong to the release"):
        read_earlier(old)


@pytest.mark.parametrize("text", ["", "[]"])
def test_a_damaged_private_folder(old: Path, text: str) -> None:
    (old.with_name("old.private") / "steward.json").write_text(text, encoding="utf-8")
    with pytest.raises(PromiseBroken, match=r"steward\.json"):
        read_earlier(old)


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ([1], "cannot be read"),
        ({"age": "high"}, "not those of the release"),
        ({"age": None}, "not those of the release"),
        ({"age": True}, "not those of the release"),
        ({"age": 1.0}, "not those of the release"),
        ({"age": -1}, "not those of the release"),
        ({"age": 10**30}, "not those of the release"),
        ({"pet": 1}, "not those of the release"),
        ({"pet": 3}, "not those of the release"),
        ({"name": 0}, "not those of the release"),
    ],
)
def test_damaged_levels(old: Path, levels: object, words: str) -> None:
    steward = old.with_name("old.private") / "steward.json"
    facts = json.loads(steward.read_text(encoding="utf-8"))
    steward.write_text(json.dumps({**facts, "levels": levels}), encoding="utf-8")
    with pytest.raises(PromiseBroken, match=words):
        read_earlier(old)


@pytest.mark.parametrize("column", [shoal.quasi(shoal.prefixes()), shoal.quasi(shoal.intervals(5, 20)), shoal.quasi()])
def test_levels_are_those_of_any_hierarchy(tmp_path: Path, column: shoal.Column) -> None:
    frame = pl.DataFrame({"code": [10 + i % 40 for i in range(200)]})
    for k in (3, 8, 60, 150):
        plan = shoal.Plan(columns={"code": column}, models=[shoal.KAnonymity(k=k)], algorithm=shoal.Optimal())
        release = shoal.anonymize(frame, plan)
        release.save(tmp_path / str(k))
        assert read_earlier(tmp_path / str(k)).levels == release.steward.levels


MASKED = {
    "as is": (shoal.prefixes(), ["12345", "123**", "99999"], 3, {"code": 0}),
    "all masked": (shoal.prefixes(), ["123**", "99***"], 3, {"code": 0}),
    "one star": (shoal.prefixes(3, 1), ["2*", "90210", "902"], 3, {"code": 0}),
    "shorter than a prefix": (shoal.prefixes(3, 1), ["2*", "10001", "10002"], 5, {"code": 1}),
    "escaped": (shoal.prefixes(), ["*", "123", "{a, b}"], 3, {"code": 0}),
    "a band": (None, ["group 1 of 2", "b", "c"], 3, {"code": 0}),
}
"""Hierarchy, values of which each occurs six times, k, and the level that the search chooses."""


@pytest.mark.parametrize("case", MASKED)
@pytest.mark.parametrize("algorithm", [shoal.Optimal(), shoal.Incognito(), shoal.Samarati()], ids=lambda one: one.kind)
def test_values_may_look_like_labels_of_another_level(tmp_path: Path, case: str, algorithm: Any) -> None:
    hierarchy, values, k, levels = MASKED[case]
    column = shoal.quasi(hierarchy, type="text")
    frame = pl.DataFrame({"code": values * (3 if k == 5 else 6)})
    plan = shoal.Plan(columns={"code": column}, models=[shoal.KAnonymity(k=k)], algorithm=algorithm)
    plan = plan.changed(release=shoal.ReleaseSettings(suppression=0.4 if k == 5 else 0.0))
    release = shoal.anonymize(frame, plan)
    release.save(tmp_path / "old")
    assert read_earlier(tmp_path / "old").levels == release.steward.levels == levels
    assert shoal.apply(tmp_path / "old", frame).frame.sort("code").equals(release.frame.sort("code"))


@pytest.mark.parametrize(("level", "k"), [(2, 3), (0, 9), (2, 9), (3, 9), (0, 12), (1, 12)])
def test_a_level_at_which_the_labels_of_prefixes_cannot_be(tmp_path: Path, level: int, k: int) -> None:
    """The labels are the values (k = 3), two prefixes (k = 9), or `*`."""
    frame = pl.DataFrame({"code": ["12345", "12399", "99999", "99912"] * 5})
    column = shoal.quasi(shoal.prefixes(3, 1))
    plan = shoal.Plan(columns={"code": column}, models=[shoal.KAnonymity(k=k)], algorithm=shoal.Optimal())
    release = shoal.anonymize(frame, plan)
    assert release.steward.levels["code"] == {3: 0, 9: 1, 12: 3}[k]
    release.save(tmp_path / "old")
    changed_steward(tmp_path / "old", levels={"code": level})
    with pytest.raises(PromiseBroken, match="not those of the release"):
        read_earlier(tmp_path / "old")


def changed_steward(folder: Path, **changes: object) -> None:
    steward = folder.with_name(f"{folder.name}.private") / "steward.json"
    facts = json.loads(steward.read_text(encoding="utf-8"))
    steward.write_text(json.dumps({**facts, **changes}), encoding="utf-8")


def test_the_folder_may_be_the_working_one(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(old)
    assert read_earlier(".").name == "old"


def test_a_damaged_release(old: Path) -> None:
    (old / "codebook.json").write_text("{}", encoding="utf-8")
    with pytest.raises(PromiseBroken, match=r"is not valid. The file 'codebook\.json' was changed"):
        read_earlier(old)


def test_a_private_plan_that_is_gone(old: Path) -> None:
    (old.with_name("old.private") / "plan.toml").unlink()
    with pytest.raises(PlanError, match="does not exist"):
        read_earlier(old)


@pytest.fixture
def dated(tmp_path: Path) -> tuple[Path, shoal.Plan]:
    """A release with a date and an approval, and its plan."""
    settings = shoal.ReleaseSettings(date="2025-01-31", approval={"number": "EK-1"})
    plan = shoal.Plan(
        columns={"age": shoal.quasi()}, models=[shoal.KAnonymity(k=2)], algorithm=shoal.Optimal(), release=settings
    )
    shoal.anonymize(pl.DataFrame({"age": [1, 1, 2, 2]}), plan).save(tmp_path / "old")
    return tmp_path / "old", plan


def test_the_date_and_the_approval_of_the_earlier_release_are_dropped(dated: tuple[Path, shoal.Plan]) -> None:
    folder, plan = dated
    for given in (None, plan):
        settings = read_earlier(folder, given).plan.release
        assert settings.date is None and settings.approval == {}


def test_a_new_date_and_approval_are_kept(dated: tuple[Path, shoal.Plan]) -> None:
    folder, plan = dated
    new = shoal.ReleaseSettings(date="2025-02-28", approval={"number": "EK-2"})
    given = plan.changed(release=new)
    assert read_earlier(folder, given).plan.release == new
    assert shoal.apply(folder, pl.DataFrame({"age": [1, 1]}), plan=given).plan.release == new
    (folder.parent / "old.private" / "plan.toml").write_text("no plan", encoding="utf-8")
    assert read_earlier(folder, given).plan.release == new


def test_a_new_title_replaces_that_of_the_plan(dated: tuple[Path, shoal.Plan]) -> None:
    folder, plan = dated
    frame = pl.DataFrame({"age": [1, 1]})
    given = plan.changed(release=shoal.ReleaseSettings(title="January", date="2025-02-28"))
    settings = shoal.apply(folder, frame, plan=given, title="February").plan.release
    assert (settings.title, settings.date) == ("February", "2025-02-28")
    assert shoal.apply(folder, frame, plan=given).plan.release.title == "January"
