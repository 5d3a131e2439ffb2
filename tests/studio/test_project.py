"""Projects: private folders that reopen after anything, and that one studio at a time has open."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.hierarchies import Hierarchy
from shoal.studio.files import write_json
from shoal.studio.problems import Busy, NoSuchThing
from shoal.studio.project import Project
from shoal.studio.states import State
from shoal.unfinished import locked


def test_a_project_is_private_and_reopens(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    assert project.folder.stat().st_mode & 0o777 == 0o700
    assert project.plan_text() is None and project.source is None and project.name == "p"
    project.save_plan("# plan")
    project.change(name="Mine", source="/data/a.csv", step=3)
    run = project.new_run("# plan of the run", "First <try>")
    project.record(run.changed(state=State.FAILED))
    (project.scratch / "left").write_text("x", encoding="utf-8")
    project.close()
    assert not (tmp_path / "p" / ".scratch").exists()

    again = Project.open(tmp_path / "p")
    assert (again.name, again.source, again.settings["step"]) == ("Mine", Path("/data/a.csv"), 3)
    assert again.plan_text() == "# plan"
    assert [(each.id, each.state) for each in again.runs()] == [("0001-first-try", State.FAILED)]
    assert again.new_run("", "").id == "0002-run"
    again.close()


def test_groups_stay_as_long_as_a_plan_or_a_run_needs_them(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    trees = [Hierarchy.from_paths([("cat", label, "*")]) for label in ("run", "plan", "none", "last")]
    of_run, of_plan, unused, last = (project.keep_groups("pet", tree) for tree in trees)
    run = project.new_run(f'path = "{project.folder / of_run}"')
    project.record(run.changed(state=State.DONE))
    project.save_plan(f'path = "{of_plan}"')
    assert project.groups_of("pet") == last and project.groups_of("other") is None
    project._opened.close()  # as if the process had been killed

    again = Project.open(tmp_path / "p")
    assert [(again.folder / path).is_file() for path in (of_run, of_plan, unused, last)] == [True, True, False, True]
    again.delete_run(run.id)
    again.save_plan("")
    again.close()
    assert [path.name for path in (again.folder / "hierarchies").iterdir()] == [Path(last).name]


def test_no_upload_takes_the_place_of_a_file_that_a_run_read(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")

    def upload() -> str:
        received = project.scratch / "received"
        received.write_text("x", encoding="utf-8")
        return project.keep_upload(received, "ages.csv").name

    assert upload() == "ages.csv"
    project.delete_upload("ages.csv")
    assert upload() == "ages.csv"
    project.new_run(f'path = "{project.uploads_folder / "ages.csv"}"')
    project.delete_upload("ages.csv")
    assert upload() == "2-ages.csv"
    project.close()


def test_one_studio_at_a_time(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    with pytest.raises(OutputError, match="another studio"):
        Project.open(tmp_path / "p")
    project.close()
    Project.open(tmp_path / "p").close()


def test_what_a_killed_studio_left_is_mended(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    run = project.new_run("# plan")
    project.record(run.changed(state=State.RUNNING))
    left = run.folder / ".release.0123abcd.partial"
    left.mkdir()
    (left / "release.csv").write_text("half", encoding="utf-8")
    (project.scratch / "tmp").mkdir()
    project._opened.close()  # as if the process had been killed

    again = Project.open(tmp_path / "p")
    (mended,) = again.runs()
    assert mended.state is State.INTERRUPTED and mended.failure and mended.failure.exit_code == 130
    assert sorted(path.name for path in run.folder.iterdir()) == ["plan.toml", "run.json"]
    assert not (again.folder / ".scratch").exists()
    again.close()


def test_other_folders_do_not_become_projects(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    mode = tmp_path.stat().st_mode
    with pytest.raises(OutputError, match="not a project"):
        Project.open(tmp_path)
    assert tmp_path.stat().st_mode == mode
    with pytest.raises(OutputError, match="no folder"):
        Project.open(tmp_path / "a" / "b")
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "project.json").write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(OutputError, match="later version"):
        Project.open(tmp_path / "q")


def test_settings_of_another_type_count_as_not_set(tmp_path: Path) -> None:
    Project.open(tmp_path / "p").close()
    wrong = {"source": ["x"], "reading": 3, "hierarchy_files": 9, "tab": [1], "chosen": {}, "name": 3, "dark": "x"}
    write_json(tmp_path / "p" / "project.json", {"format": 1, **wrong, "other": 4})
    project = Project.open(tmp_path / "p")
    assert project.settings == {"format": 1, "other": 4} and project.source is None and project.name == "p"
    project.close()


LONG = "é" * 200 + ".csv"


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\a b.csv", "a_b.csv"),
        (".hidden", "hidden"),
        ("<b>.csv", "b_.csv"),
        (LONG, "é" * 48 + ".csv"),
        ("a" * 50 + "." + "b" * 99, "b" * 99),
        ("...", "table"),
        ("\ud800.csv", "table.csv"),
        ("😀.csv", "table.csv"),
        ("😀 😀.tsv.gz", "table.tsv.gz"),
        ("患者.csv", "患者.csv"),
        ("😀.", "table"),
    ],
)
def test_names_of_uploads_cannot_leave_their_folder_or_hide(tmp_path: Path, name: str, stored: str) -> None:
    project = Project.open(tmp_path / "p")

    def kept() -> Path:
        received = project.scratch / "received"
        received.write_text("x", encoding="utf-8")
        return project.keep_upload(received, name)

    first = kept()
    assert first == project.uploads_folder / stored
    assert kept().name == f"2-{stored}"
    with pytest.raises(NoSuchThing):
        project.delete_upload("../project.json")
    project.delete_upload(f"2-{stored}")
    project.delete_upload(stored)
    assert project.uploads() == ()
    project.close()


def test_files_that_were_begun_are_removed(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    project.uploads_folder.mkdir()
    run = project.new_run("# plan")
    begun = [folder / ".x.csv.0123abcd.partial" for folder in (project.folder, project.uploads_folder, run.folder)]
    for path in begun:
        path.write_text("half", encoding="utf-8")
    (project.uploads_folder / "x.partial").write_text("mine", encoding="utf-8")
    project._opened.close()  # as if the process had been killed
    again = Project.open(tmp_path / "p")
    assert not any(path.exists() for path in begun) and [path.name for path in again.uploads()] == ["x.partial"]
    again.close()


def test_runs_are_deleted_when_they_are_finished(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    run = project.new_run("")
    with pytest.raises(Busy):
        project.delete_run(run.id)
    project.record(run.changed(state=State.DONE))
    project.delete_run(run.id)
    assert project.runs() == () and not run.folder.exists()
    for wrong in (run.id, "../p", ""):
        with pytest.raises(NoSuchThing):
            project.run(wrong)
    project.close()


def test_a_damaged_run_is_listed_and_can_be_deleted(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    for name in ("good", "bad"):
        project.record(project.new_run("", name).changed(state=State.DONE))
    damaged = project.runs()[1]
    (damaged.folder / "run.json").write_bytes(b'{"state": "done", \xff')
    project.close()
    again = Project.open(tmp_path / "p")
    assert [run.state for run in again.runs()] == [State.DONE, State.DAMAGED]
    assert (damaged.folder / "run.json").read_bytes().endswith(b"\xff")  # a copy may be put back
    again.delete_run(damaged.id)
    assert not damaged.folder.exists() and len(again.runs()) == 1
    again.close()


@pytest.mark.parametrize("name", ["runs", "uploads", ".scratch"])
def test_a_project_with_a_link_in_place_of_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    Project.open(tmp_path / "p").close()
    place = tmp_path / "p" / name
    if place.exists():
        place.rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine").touch()
    for make in (lambda: place.symlink_to(tmp_path / "elsewhere"), lambda: place.symlink_to("nowhere"), place.touch):
        make()
        with pytest.raises(OutputError, match=f"{name}' is not a folder, or a link"):
            Project.open(tmp_path / "p")
        place.unlink()
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["mine"]
    Project.open(tmp_path / "p").close()


def test_runs_have_as_many_digits_as_they_need(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    (project.runs_folder / "9999-z").mkdir()
    assert [project.new_run("").id for _ in range(3)] == ["10000-run", "10001-run", "10002-run"]
    project.close()
    (tmp_path / "p" / "runs" / "9999-z" / "run.json").write_text('{"state": "failed"}', encoding="utf-8")
    again = Project.open(tmp_path / "p")
    assert [run.id for run in again.runs()] == ["9999-z", "10000-run", "10001-run", "10002-run"]
    again.close()


def test_a_folder_of_runs_that_was_removed_is_made_again(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    project.runs_folder.rmdir()
    assert project.new_run("").folder.is_dir() and project.runs_folder.stat().st_mode & 0o777 == 0o700
    project.close()


def test_commands_can_release_into_the_folder_of_an_open_project(tmp_path: Path) -> None:
    """They lock the folder in which they write, and must not wait until the studio ends."""
    project = Project.open(tmp_path / "study")
    with locked(project.folder, wait=False) as is_free:
        assert is_free
    with pytest.raises(OutputError, match="open in another studio"):
        Project.open(tmp_path / "study")
    project.close()
    Project.open(tmp_path / "study").close()
