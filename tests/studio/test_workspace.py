"""What the pages share: jobs are started in order, results are collected, runs are kept."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import polars as pl
import pytest

from shoal.errors import ShoalError
from shoal.hierarchies import Hierarchy
from shoal.pipeline import anonymize_to
from shoal.plan import read_plan
from shoal.studio.places import Places
from shoal.studio.project import Project
from shoal.studio.service import Studio
from shoal.studio.states import State
from shoal.studio.steps import STEPS
from shoal.studio.workspace import Workspace
from tests import loops
from tests.studio.tables import plan_of, write_clinic


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    project = Project.open(tmp_path / "p")
    write_clinic(project.folder)
    studio = Studio(project, Places.of(project.folder))
    yield Workspace(studio)
    studio.close()


def collected(workspace: Workspace) -> None:
    deadline = time.monotonic() + 90
    while workspace.collect() or workspace.is_busy("sample", "profile"):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_opening_a_table_reads_and_profiles_it_and_drafts_a_plan(workspace: Workspace) -> None:
    assert workspace.source == "" and workspace.column_names == [] and workspace.undecided() == []
    workspace.open("clinic.csv")
    collected(workspace)
    assert workspace.sample is not None and workspace.sample["row_count"] == 40
    assert workspace.column_names == ["age", "ill"] and workspace.plan.plan is not None
    assert workspace.profile is not None and workspace.profile["drafted"]["ill"]["role"] == "sensitive"
    assert not workspace.would_lose
    workspace.plan.set_roles(["ill"], "undecided")
    assert workspace.would_lose  # the plan was changed by hand
    assert workspace.undecided() == ["ill"] and "'ill'" in str(workspace.problem())
    again = Workspace(workspace.studio)  # another page, or the server after a restart
    assert again.profile is not None and again.undecided() == ["ill"] and again.sample is None


def test_a_table_that_cannot_be_read_is_reported_by_its_job(workspace: Workspace) -> None:
    (workspace.project.folder / "broken.csv").write_bytes(b"\xff\xfe\x00broken")
    workspace.open("broken.csv")
    collected(workspace)
    job = workspace.job("sample")
    assert job is not None and job.state is State.FAILED and job.failure is not None
    assert workspace.sample is None and workspace.profile is None
    with pytest.raises(ShoalError):
        workspace.open("../outside.csv")


def test_runs_are_chosen_compared_and_looked_into(workspace: Workspace) -> None:
    with pytest.raises(ShoalError):
        workspace.run("not complete")
    workspace.plan.replace(plan_of("clinic.csv"))
    first, second = workspace.run("one"), workspace.run("two")
    assert len(workspace.running) == 2
    for run in (first, second):
        workspace.studio.jobs.wait(run.job, 90)
    assert [run.name for run in workspace.finished] == ["two", "one"]
    assert workspace.chosen == workspace.finished[0]
    workspace.choose(first.id)
    assert workspace.chosen is not None and workspace.chosen.id == first.id
    workspace.look_into(workspace.chosen)
    workspace.compare((first.id, second.id))
    for name in (f"contents {first.id}", f"risk {first.id}", "compare"):
        job = workspace.job(name)
        assert job is not None and workspace.studio.jobs.wait(job.id, 90).state is State.DONE
        assert workspace.result(name)
    assert workspace.compared == (first.id, second.id)


def test_only_releases_of_one_table_are_compared(workspace: Workspace) -> None:
    write_clinic(workspace.project.folder, "other.csv", rows=60)
    workspace.open("clinic.csv")
    here, absolute, other = (
        workspace.studio.anonymize(plan_of(source), "run").id
        for source in ("clinic.csv", workspace.project.folder / "clinic.csv", "other.csv")
    )
    for run in workspace.running:
        workspace.studio.jobs.wait(run.job, 90)
    assert [run.id for run in workspace.finished_here] == [absolute, here]
    assert workspace.chosen is not None and workspace.chosen.id == absolute  # the newest of the table that is open
    assert [run.id for run in workspace.comparable] == [absolute, here]
    workspace.choose(other)
    assert [run.id for run in workspace.comparable] == [other]
    assert workspace.origin(workspace.project.run(other)).name == "other.csv"


def test_groups_that_are_edited_leave_earlier_runs_as_they_are(workspace: Workspace, tmp_path: Path) -> None:
    def grouped(label: str) -> None:
        paths = [(str(20 + age), label if age < 20 else "old", "*") for age in range(37)]
        path = workspace.project.keep_groups("age", Hierarchy.from_paths(paths))
        workspace.plan.set_column("age", hierarchy={"kind": "file", "path": path})

    workspace.plan.replace(plan_of("clinic.csv"))
    workspace.plan.set_algorithm(kind="optimal")
    grouped("young")
    run = workspace.run("before")
    workspace.studio.jobs.wait(run.job, 90)
    run = workspace.project.run(run.id)
    grouped("not old")
    again = anonymize_to(read_plan(run.plan_path), tmp_path / "again")
    assert again.manifest.levels == {"age": 1} and again.digest == run.summary["digest"]


def test_a_check_is_of_the_plan_as_it_was(workspace: Workspace) -> None:
    workspace.plan.replace(plan_of("clinic.csv"))
    workspace.check()
    assert workspace.is_check_current
    workspace.plan.set_part("release", suppression=0.1)
    assert not workspace.is_check_current


def test_a_hierarchy_that_does_not_fit_is_noted_until_it_is_changed(workspace: Workspace) -> None:
    workspace.plan.replace(plan_of("clinic.csv"))
    assert workspace.unfit_hierarchies() == []
    workspace.plan.set_column("age", hierarchy={"kind": "file", "path": "ages.csv"})
    workspace.note_hierarchy("age", "lacks 3 values")
    assert workspace.unfit_hierarchies() == ["age"]
    workspace.plan.set_column("age", hierarchy={"kind": "intervals"})  # its widths are missing
    assert workspace.unfit_hierarchies() == ["age"]
    workspace.plan.set_column("age", hierarchy={"kind": "intervals", "widths": [5]})
    assert workspace.unfit_hierarchies() == []


def test_the_sheets_of_a_workbook_are_offered(workspace: Workspace) -> None:
    from xlsxwriter import Workbook

    with Workbook(workspace.project.folder / "book.xlsx") as book:
        for name in ("2023", "2024"):
            pl.DataFrame({"age": [20, 30], "ill": ["flu", "cold"]}).write_excel(book, name)
    workspace.open("book.xlsx")
    collected(workspace)
    assert workspace.needs_sheet and workspace.sheets == ["2023", "2024"]
    workspace.open("book.xlsx", sheet="2024")
    collected(workspace)
    assert not workspace.needs_sheet and workspace.sheets == ["2023", "2024"]
    assert workspace.source_name == "book.xlsx" and workspace.sample is not None


def test_uploaded_hierarchies_are_no_tables(workspace: Workspace) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"20;*\n"

    async def upload() -> str:
        await workspace.studio.receive("patients.csv", chunks())
        return await workspace.receive_hierarchy("ages.csv", chunks())

    assert loops.run(upload()) == "uploads/ages.csv"
    assert [path.name for path in workspace.uploaded_tables()] == ["patients.csv"]
    workspace.studio.delete_upload("ages.csv")  # a later upload of this name may be a table
    assert [path.name for path in workspace.project.uploads()] == ["patients.csv"]
    assert workspace.project.settings["hierarchy_files"] == []


def test_values_are_counted_once(workspace: Workspace) -> None:
    workspace.open("clinic.csv")
    workspace.count_values("ill")
    job = workspace.job("values ill")
    workspace.count_values("ill")
    assert job is not None and workspace.job("values ill") is not None
    workspace.studio.jobs.wait(job.id, 60)
    assert workspace.values("ill") == [("flu", 14), ("asthma", 13), ("cold", 13)]


@pytest.mark.parametrize("text", ['{"columns": [{"name": "x"}], "rows": "abc", "together": "abc"}', "{", "[]"])
def test_a_damaged_profile_counts_as_none(workspace: Workspace, text: str) -> None:
    workspace.open("clinic.csv")
    collected(workspace)
    (workspace.project.folder / "profile.json").write_text(text, encoding="utf-8")
    again = Workspace(workspace.studio)
    assert again.profile is None and again.column_names == [] and [step.of(again) for step in STEPS]
    again.look()
    collected(again)
    assert again.column_names == ["age", "ill"] and Workspace(workspace.studio).profile == again.profile
