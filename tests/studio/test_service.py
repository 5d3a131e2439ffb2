"""The studio as one object: runs of plans, releases by name, uploads within limits, and nothing outside its folders."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from shoal.errors import PlanError, ShoalError
from shoal.plan import read_plan
from shoal.studio import jobs
from shoal.studio.places import Places
from shoal.studio.problems import Busy, Refused, TooLarge
from shoal.studio.project import Project
from shoal.studio.service import Limits, Studio
from shoal.studio.states import State
from tests import loops
from tests.studio.tables import plan_of, write_clinic


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    (tmp_path / "data").mkdir()
    project = Project.open(tmp_path / "p")
    studio = Studio(project, Places.of(project.folder, [tmp_path / "data"]), Limits(upload=100))
    yield studio
    studio.close()


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def test_a_run_makes_a_release_and_its_plan_makes_it_again(studio: Studio, tmp_path: Path) -> None:
    from shoal.pipeline import anonymize_to

    text = plan_of(write_clinic(tmp_path / "data"))
    run = studio.anonymize(text, "first")
    with pytest.raises(Busy):
        studio.verify(run.id)
    assert studio.jobs.wait(run.job, 60).state is State.DONE
    run = studio.project.run(run.id)
    assert run.state is State.DONE and run.started and run.finished
    assert run.plan_path.read_text(encoding="utf-8") == text  # with its comment
    again = anonymize_to(read_plan(run.plan_path), tmp_path / "again")
    assert again.digest == run.summary["digest"]
    assert studio.jobs.wait(studio.verify(run.id).id, 60).state is State.DONE


def test_paths_in_a_plan_are_relative_to_the_project(studio: Studio) -> None:
    studio.project.uploads_folder.mkdir()
    source = write_clinic(studio.project.uploads_folder)
    plan, text = studio.plan(plan_of("uploads/clinic.csv"))
    assert plan.data.source == str(source) and f'source = "{source}"' in text


@pytest.mark.parametrize("source", ["/etc/passwd", "../secret.csv", "sqlite:////etc/x.db"])
def test_a_plan_cannot_read_other_folders(studio: Studio, source: str) -> None:
    with pytest.raises(ShoalError):
        studio.anonymize(plan_of(source))
    assert studio.project.runs() == ()


@pytest.mark.parametrize("text", ["", "[data", "[[models]]\nkind = 'k-anonymity'\nk = 1"])
def test_an_invalid_plan_is_explained(studio: Studio, text: str) -> None:
    with pytest.raises(PlanError) as raised:
        studio.check(text)
    assert ".toml" not in str(raised.value)


def test_a_failed_run_says_why(studio: Studio, tmp_path: Path) -> None:
    run = studio.anonymize(plan_of(write_clinic(tmp_path / "data", rows=3)))
    studio.jobs.wait(run.job, 60)
    run = studio.project.run(run.id)
    assert run.state is State.FAILED and run.failure and run.failure.exit_code == 3


def test_uploads_are_limited_and_whole(studio: Studio) -> None:
    path = loops.run(studio.receive("a.csv", chunks(b"x" * 60, b"y" * 40)))
    assert path.read_bytes() == b"x" * 60 + b"y" * 40 and path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(TooLarge):
        loops.run(studio.receive("b.csv", chunks(b"x" * 60, b"y" * 41)))
    assert [each.name for each in studio.project.uploads_folder.iterdir()] == ["a.csv"]
    studio.delete_upload("a.csv")
    assert studio.project.uploads() == ()


def test_read_only_inputs_stay(studio: Studio) -> None:
    path = loops.run(studio.receive("a.csv", chunks(b"x")))
    studio.limits = Limits(read_only_inputs=True)
    with pytest.raises(Refused):
        loops.run(studio.receive("b.csv", chunks(b"x")))
    with pytest.raises(Refused):
        studio.delete_upload("a.csv")
    assert path.exists()


@pytest.mark.parametrize("kind", ["risk", "verify"])
def test_a_plan_that_judges_a_release_names_chosen_folders_only(studio: Studio, tmp_path: Path, kind: str) -> None:
    source = write_clinic(tmp_path / "data")
    plan = tmp_path / "data" / "plan.toml"
    outside = 'hierarchy = { kind = "file", path = "/etc/passwd" }\n\n[columns.ill]'
    plan.write_text(plan_of(source).replace("[columns.ill]", outside), encoding="utf-8")
    with pytest.raises(Refused):
        if kind == "risk":
            studio.risk(source, plan=plan)
        else:
            studio.verify(tmp_path / "data", plan=plan)
    assert studio.jobs.jobs() == ()


@pytest.mark.parametrize("source", ["secret/clinic.csv", "postgresql://elsewhere.example/db"])
def test_a_project_that_is_opened_with_other_folders_reads_only_those(
    studio: Studio, tmp_path: Path, source: str
) -> None:
    (tmp_path / "secret").mkdir()
    write_clinic(tmp_path / "secret")
    named = source if "://" in source else str(tmp_path / source)
    run = studio.project.new_run(plan_of(named))
    run.release.mkdir()
    (run.release / "manifest.json").write_text("{}", encoding="utf-8")
    for start in (studio.contents, studio.lattice):
        with pytest.raises(Refused):
            start(run.id)
    assert studio.jobs.jobs() == ()


def test_uploads_of_the_same_name_at_the_same_time_are_both_kept(studio: Studio) -> None:
    async def slow(part: bytes) -> AsyncIterator[bytes]:
        yield part
        await asyncio.sleep(0.05)

    async def both() -> list[Path]:
        return list(await asyncio.gather(*(studio.receive("same.csv", slow(part)) for part in (b"one", b"two"))))

    paths = loops.run(both())
    assert sorted(path.name for path in paths) == ["2-same.csv", "same.csv"]
    assert sorted(path.read_bytes() for path in paths) == [b"one", b"two"]


def test_a_run_that_cannot_be_queued_is_none(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(write_clinic(tmp_path / "data"))
    monkeypatch.setattr(jobs, "QUEUED_AT_MOST", 0)
    with pytest.raises(Busy, match="Too many jobs"):
        studio.anonymize(plan)
    assert studio.project.runs() == () and not any(studio.project.runs_folder.iterdir())
    monkeypatch.undo()
    assert studio.anonymize(plan).id == "0001-run"


@pytest.fixture
def release(studio: Studio, tmp_path: Path) -> Path:
    """A release in an allowed folder, with its private folder."""
    run = studio.anonymize(plan_of(write_clinic(tmp_path / "data")))
    assert studio.jobs.wait(run.job, 60).state is State.DONE
    run = studio.project.run(run.id)
    shutil.copytree(run.release, tmp_path / "data" / "rel")
    shutil.copytree(run.private, tmp_path / "data" / "rel.private")
    return tmp_path / "data" / "rel"


def require_judged(studio: Studio, release: Path, raw: Path | None = None) -> None:
    """Starts every job that judges a release."""
    for start in (
        lambda: studio.risk(release),
        lambda: studio.compare([release, studio.project.runs()[0].id], raw),
        lambda: studio.verify(release),
    ):
        studio.jobs.cancel(start().id)


def require_refused(studio: Studio, release: Path) -> None:
    known = len(studio.jobs.jobs())
    for start in (studio.risk, lambda each: studio.compare([each, studio.project.runs()[0].id])):
        with pytest.raises(Refused, match="private folder beside the release"):
            start(release)
    assert len(studio.jobs.jobs()) == known
    studio.jobs.cancel(studio.verify(release).id)  # which reads the release alone


def test_a_private_folder_outside_the_folders_is_not_read(studio: Studio, release: Path, tmp_path: Path) -> None:
    require_judged(studio, release)
    private = release.with_name("rel.private")
    private.rename(tmp_path / "elsewhere")
    require_judged(studio, release)  # there is none
    private.symlink_to(tmp_path / "elsewhere")
    require_refused(studio, release)
    studio.places = Places.of(studio.project.folder, [release])
    private.unlink()
    (tmp_path / "elsewhere").rename(private)
    require_refused(studio, release)


@pytest.mark.parametrize("name", ["plan.toml", "steward.json"])
def test_a_private_file_that_leads_outside_or_is_a_pipe_is_not_read(
    studio: Studio, release: Path, tmp_path: Path, name: str
) -> None:
    file = release.with_name("rel.private") / name
    file.unlink()
    file.symlink_to("/etc/passwd")
    require_refused(studio, release)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ShoalError, match="not a regular file"):
        studio.compare([release, studio.project.runs()[0].id])


def test_a_private_plan_does_not_lead_a_comparison_outside(studio: Studio, release: Path, tmp_path: Path) -> None:
    plan = release.with_name("rel.private") / "plan.toml"
    raw, run = tmp_path / "data" / "clinic.csv", studio.project.runs()[0].id
    text = plan.read_text(encoding="utf-8").replace(str(raw), str(tmp_path / "moved.csv"))
    plan.write_text(text, encoding="utf-8")
    require_judged(studio, release, raw)  # the source of the private plan is not read
    outside = 'hierarchy = { kind = "file", path = "/etc/passwd" }\n\n[columns.ill]'
    plan.write_text(text.replace("[columns.ill]", outside), encoding="utf-8")
    with pytest.raises(Refused):
        studio.compare([release, run], raw)


@pytest.mark.parametrize("kind", ["risk", "verify"])
def test_a_pipe_is_no_plan(studio: Studio, tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "data" / "f.csv")
    with pytest.raises(ShoalError, match="is not a regular file"):
        if kind == "risk":
            studio.risk(write_clinic(tmp_path / "data"), plan="../data/f.csv")
        else:
            studio.verify(tmp_path / "data", plan="../data/f.csv")
    assert studio.jobs.jobs() == ()
