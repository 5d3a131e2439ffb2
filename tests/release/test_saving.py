"""Two folders, whole or not at all; nothing that only the steward may know in the public one."""

from __future__ import annotations

import errno
import json
import shutil
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import hierarchies, table
from shoal.attacks import Elimination
from shoal.coded import Coded, Partition
from shoal.coded.recoding import Observed
from shoal.errors import OutputError, PromiseBroken, ShoalError
from shoal.hierarchies import File, Learned
from shoal.manifest import read_manifest
from shoal.release import output, saving
from shoal.verification.reading import sha256
from shoal.warnings import Warning
from tests.contract.patients import patients, plan_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> shoal.Release:
    return shoal.anonymize(patients(), plan_of(tmp_path_factory.mktemp("steward")))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def modes(folder: Path) -> dict[str, str]:
    every = [folder, *folder.rglob("*")]
    return {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in every}


def test_two_folders_and_nothing_else(made: shoal.Release, tmp_path: Path) -> None:
    made.save(tmp_path / "out")
    assert names(tmp_path) == ["out", "out.private"]
    described = ["codebook.json", "datapackage.json"]
    written = ["plan.toml", "release.csv", "report.html", "report.json"]
    expected = [*described, "hierarchies", "manifest.json", *written]
    assert names(tmp_path / "out") == expected
    private = ["hierarchies", "plan.toml", "report.html", "report.json", "steward.json"]
    assert names(tmp_path / "out.private") == private


def test_the_private_report_knows_digest_persons_and_dropped_rows(tmp_path: Path) -> None:
    rows = {"who": ["1", "2", "3", "4", "4", "5"], "age": ["30", "30", "40", "40", "40", ""], "ill": list("abcaab")}
    columns = {"who": shoal.identifier(), "age": shoal.quasi(), "ill": shoal.sensitive()}
    data = shoal.Data(person="who", missing_rows="drop")
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], data=data)
    release = shoal.anonymize(pl.DataFrame(rows), plan)
    assert (release.steward.persons_in, release.steward.persons_released) == (5, 4)
    assert (release.manifest.persons_in, release.manifest.persons_released) == (None, None)
    digest = release.save(tmp_path / "out")
    page = (tmp_path / "out.private" / "report.html").read_text()
    assert f"shoal verify out --digest {digest}" in page and "DIGEST" not in page
    assert "Persons released" in page and "of 5; classes count persons, not rows" in page
    assert "16.7 % of all rows, 0 by the search and 1 for missing values" in page
    public = (tmp_path / "out" / "report.html").read_text()
    assert "DIGEST" in public and "Persons released" not in public


def test_the_private_folder_is_the_owner_s_alone(made: shoal.Release, tmp_path: Path) -> None:
    made.save(tmp_path / "out")
    found = modes(tmp_path / "out.private")
    assert {found.pop(name) for name in ("out.private", "hierarchies")} == {"0o700"}
    assert set(found.values()) == {"0o600"}
    assert modes(tmp_path / "out")["out"] == "0o755"


def test_a_public_folder_called_private_is_public_all_the_same(made: shoal.Release, tmp_path: Path) -> None:
    made.save(tmp_path / "x.private")
    assert modes(tmp_path / "x.private")["x.private"] == "0o755"
    assert modes(tmp_path / "x.private.private")["x.private.private"] == "0o700"


def test_the_manifest_says_what_the_design_says_it_does(made: shoal.Release, tmp_path: Path) -> None:
    digest = made.save(tmp_path / "out")
    text = (tmp_path / "out/manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    wanted = {"shoal_version", "rows_in", "rows_released", "rows_suppressed", "classes", "models", "measures"}
    assert wanted | {"files", "warnings", "rows_dropped"} <= set(manifest)
    assert not {"timings", "cost", "lower_bound", "proven_optimal", "nodes_checked"} & set(manifest)
    steward = json.loads((tmp_path / "out.private/steward.json").read_text(encoding="utf-8"))
    assert set(steward["timings"]) >= {"encode", "search", "form", "write", "verify", "total"}
    assert set(manifest["files"]) >= {"release.csv", "plan.toml", "report.html", "codebook.json", "datapackage.json"}
    assert [model["kind"] for model in manifest["models"]][:2] == ["k-anonymity", "l-diversity"]
    assert all(model["holds"] for model in manifest["models"])
    assert sha256(tmp_path / "out/manifest.json") == digest


# -- where it may be written --------------------------------------------------------------------------------------


def test_a_folder_that_holds_something_is_left_alone(made: shoal.Release, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"not empty.*--force") as caught:
        made.save(tmp_path / "out")
    assert caught.value.exit_code == 2
    assert names(tmp_path) == ["out"]
    assert (tmp_path / "out/mine.txt").read_text() == "mine"


def test_a_private_folder_that_holds_something_is_left_alone(made: shoal.Release, tmp_path: Path) -> None:
    (tmp_path / "out.private").mkdir()
    (tmp_path / "out.private/mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="not empty"):
        made.save(tmp_path / "out")
    assert names(tmp_path) == ["out.private"]


def test_a_release_is_never_put_inside_another(made: shoal.Release, tmp_path: Path) -> None:
    made.save(tmp_path / "out")
    for inside in ("out", "out.private"):
        with pytest.raises(OutputError, match="inside a release"):
            made.save(tmp_path / inside / "sub")
    assert not list((tmp_path / "out").glob("sub*"))


def test_an_empty_folder_is_taken(made: shoal.Release, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    made.save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out").holds


def test_force_replaces_a_release(made: shoal.Release, tmp_path: Path) -> None:
    made.save(tmp_path / "out")
    other = replace(made, draft=replace(made.draft, warnings=(Warning("another one"),)))
    digest = other.save(tmp_path / "out", force=True)
    assert shoal.verify_folder(tmp_path / "out", digest=digest).holds
    assert json.loads((tmp_path / "out.private/steward.json").read_text())["digest"] == digest
    assert names(tmp_path) == ["out", "out.private"]


def contents(folder: Path) -> dict[str, bytes | str]:
    """Every file, folder and link below a folder, with its content."""
    return {
        path.relative_to(folder).as_posix(): "link"
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else "folder"
        for path in folder.rglob("*")
    }


FOREIGN: dict[str, Callable[[Path], object]] = {
    "public": lambda folder: (folder / "out/mine.txt").write_text("mine"),
    "deep": lambda folder: (folder / "out/hierarchies/mine.txt").write_text("mine"),
    "private": lambda folder: (folder / "out.private/mine.txt").write_text("mine"),
    "link": lambda folder: (folder / "out/mine").symlink_to(folder / "elsewhere"),
    "no manifest": lambda folder: (folder / "out/manifest.json").unlink(),
    "no steward": lambda folder: (folder / "out.private/steward.json").unlink(),
    "another manifest": lambda folder: (folder / "out/manifest.json").write_text('{"files": {"release.csv": ""}}'),
}


@pytest.mark.parametrize("foreign", FOREIGN)
def test_force_replaces_nothing_but_a_release(made: shoal.Release, tmp_path: Path, foreign: str) -> None:
    made.save(tmp_path / "out")
    FOREIGN[foreign](tmp_path)
    before = contents(tmp_path)
    with pytest.raises(OutputError, match=r"contains \d+ files? that no release wrote") as caught:
        made.save(tmp_path / "out", force=True)
    assert caught.value.exit_code == 2
    assert contents(tmp_path) == before


def test_the_number_of_foreign_files_is_stated(made: shoal.Release, tmp_path: Path) -> None:
    for name in ("out", "out.private"):
        (tmp_path / name).mkdir()
        for i in range(3):
            (tmp_path / name / f"{i}.txt").write_text("mine")
        with pytest.raises(OutputError, match=f"{name}' contains 3 files"):
            made.save(tmp_path / "out", force=True)
        shutil.rmtree(tmp_path / name)


def test_a_release_of_an_older_version_can_be_replaced(made: shoal.Release, tmp_path: Path) -> None:
    made.save(tmp_path / "out")
    steward = tmp_path / "out.private/steward.json"
    steward.write_text(json.dumps({k: v for k, v in json.loads(steward.read_text()).items() if k != "files"}))
    shutil.rmtree(tmp_path / "out.private" / "hierarchies")
    for name in ("report.html", "report.json"):
        (tmp_path / "out.private" / name).unlink()
    made.save(tmp_path / "out", force=True)


@pytest.mark.parametrize("force", [False, True])
def test_a_file_or_a_link_is_never_replaced(made: shoal.Release, tmp_path: Path, force: bool) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("file", "link"):
        with pytest.raises(OutputError, match="is not a folder"):
            made.save(tmp_path / name, force=force)
    assert names(tmp_path) == ["file", "link", "real"]


@pytest.mark.parametrize("folder", [".", "..", "/", "../..", "inner/.."])
def test_the_folder_one_works_in_is_never_replaced(
    made: shoal.Release, tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "a/b"
    (work / "inner").mkdir(parents=True)
    (work / "mine.txt").write_text("mine")
    monkeypatch.chdir(work)
    with pytest.raises(OutputError, match="cannot replace"):
        made.save(folder, force=True)
    assert (work / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        ("no/such/out", "There is no folder"),
        ("x" * 300, "cannot be written"),
        ("nul\0l", "NUL"),
        ("file/out", "no folder"),
    ],
)
def test_a_place_that_cannot_be_is_one_error(made: shoal.Release, tmp_path: Path, folder: str, says: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match=says):
        made.save(tmp_path / folder)
    assert names(tmp_path) == ["file"]


# -- whole or not at all ------------------------------------------------------------------------------------------


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


WRITERS = {
    "table": (table, "write_runs"),
    "json": (saving, "write_json"),
    "plan": (saving, "write_plan"),
    "tree": (hierarchies, "write"),
    "private": (saving, "_write_private"),
    "text": (Path, "write_text"),
    "folder": (Path, "mkdir"),
    "mode": (Path, "chmod"),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("before", [False, True], ids=["fresh", "replacing"])
def test_a_full_disk_leaves_nothing_half_written(
    made: shoal.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str, before: bool
) -> None:
    if before:
        digest = made.save(tmp_path / "out")
    with monkeypatch.context() as patched:
        patched.setattr(*WRITERS[writer], full)
        with pytest.raises(OutputError, match="No space left") as caught:
            made.save(tmp_path / "out", force=True)
    assert caught.value.exit_code == 2
    assert names(tmp_path) == (["out", "out.private"] if before else [])
    if before:
        assert shoal.verify_folder(tmp_path / "out", digest=digest).holds


@pytest.mark.parametrize("failing", range(1, 5))
def test_a_rename_that_fails_is_taken_back(
    made: shoal.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    digest = made.save(tmp_path / "out")
    steward = (tmp_path / "out.private/steward.json").read_bytes()
    real, calls = Path.rename, iter(range(1, 100))

    def rename(self: Path, target: Path) -> Path:
        if next(calls) == failing:
            full()
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", rename)
        with pytest.raises(OutputError):
            made.save(tmp_path / "out", force=True)
    assert names(tmp_path) == ["out", "out.private"]
    assert shoal.verify_folder(tmp_path / "out", digest=digest).holds
    assert (tmp_path / "out.private/steward.json").read_bytes() == steward


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_whatever_stops_it_leaves_nothing(
    made: shoal.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    def stopped(*_: Any) -> None:
        raise stop

    monkeypatch.setattr(saving, "_write_private", stopped)
    with pytest.raises(stop):
        made.save(tmp_path / "out")
    assert names(tmp_path) == []


@pytest.mark.parametrize("force", [False, True])
def test_two_runs_into_one_folder_do_not_mix(
    made: shoal.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: bool
) -> None:
    """Both write and verify before either puts its folders in place."""
    both, usual = threading.Barrier(2, timeout=60), saving._write_private
    monkeypatch.setattr(saving, "_write_private", lambda *args: (usual(*args), both.wait()))
    other = replace(made, draft=replace(made.draft, warnings=(Warning("another one"),)))
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(each.save, tmp_path / "out", force=force) for each in (made, other)]
    digests = [run.result() for run in runs if run.exception() is None]
    refused = [run.exception() for run in runs if run.exception() is not None]
    assert len(digests) == (2 if force else 1) and all("is not empty" in str(error) for error in refused)
    assert any(shoal.verify_folder(tmp_path / "out", digest=digest).holds for digest in digests)
    assert names(tmp_path) == ["out", "out.private"]


def test_what_another_run_is_writing_is_left_alone(made: shoal.Release, tmp_path: Path) -> None:
    with output.partial(tmp_path / "out") as part:
        made.save(tmp_path / "out")
        assert part.is_dir()
    assert names(tmp_path) == ["out", "out.private"]


def test_leftovers_of_a_killed_run_are_cleared_by_the_next(made: shoal.Release, tmp_path: Path) -> None:
    for left in (".out.0123abcd.partial", ".out.private.89ef4567.partial", ".out.76543210.partial.removed.partial"):
        (tmp_path / left).mkdir()
        (tmp_path / left / "release.csv").write_text("half")
    made.save(tmp_path / "out")
    assert names(tmp_path) == ["out", "out.private"]


BREAKAGES: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "a row lost": lambda rows: rows[1:],
    "labels split": lambda rows: rows.with_columns(pl.Series("age", [str(i) for i in range(rows.height)])),
    "a name back": lambda rows: rows.with_columns(pl.lit("x").alias("name")),
    "one diagnosis": lambda rows: rows.with_columns(pl.lit("I10").alias("diagnosis")),
}


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_release_that_fails_verification_is_never_left_behind(
    made: shoal.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breakage: str
) -> None:
    real = table.write_runs

    def write(runs: table.Runs, path: Path, format: str) -> None:
        real(table.Runs.of(BREAKAGES[breakage](runs.expanded())), path, format)

    monkeypatch.setattr(table, "write_runs", write)
    with pytest.raises(PromiseBroken) as caught:
        made.save(tmp_path / "out")
    assert caught.value.exit_code == 1
    assert names(tmp_path) == []


# -- leaks --------------------------------------------------------------------------------------------------------


def public_bytes(folder: Path) -> bytes:
    return b"\n".join(
        path.name.encode() + b"\n" + path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    )


def test_nothing_of_the_steward_s_is_in_a_public_file(tmp_path: Path) -> None:
    steward = tmp_path / "MARKER-STEWARD"
    steward.mkdir()
    frame = patients().with_columns(
        pl.when(pl.int_range(40) == 7).then(None).otherwise(pl.col("age")).alias("age"),
        pl.when(pl.int_range(40) == 7).then(pl.lit("MARKER-DROPPED")).otherwise(pl.col("note")).alias("note"),
        pl.when(pl.int_range(40) == 7).then(pl.lit("E66.01")).otherwise(pl.col("diagnosis")).alias("diagnosis"),
        pl.int_range(40).cast(pl.String).str.replace("^", "MARKER-PERSON-").alias("name"),
    )
    frame.write_csv(steward / "MARKER-SOURCE.csv")
    (steward / "MARKER-jobs.csv").write_text("x;*\n")
    plan = plan_of(
        steward,
        data=shoal.Data(source=str(steward / "MARKER-SOURCE.csv"), missing_rows="drop"),
        seed=987654321,
    )
    text = "# MARKER-COMMENT\n" + plan.to_toml()
    shoal.anonymize_to(plan, tmp_path / "out", plan_text=text)
    told = public_bytes(tmp_path / "out")
    private = json.loads((tmp_path / "out.private/steward.json").read_text())
    assert private["input_sha256"] == sha256(steward / "MARKER-SOURCE.csv")
    assert private["seed"] == 987654321
    for marker in ("MARKER", "E66.01", private["input_sha256"], "987654321", "1.2578125"):
        assert marker.encode() not in told, marker
    published = (tmp_path / "out/plan.toml").read_text()
    assert not any(key in published for key in ("source", "query", "seed", "weight"))
    assert "MARKER-COMMENT" in (tmp_path / "out.private/plan.toml").read_text()


class Suppressing:
    """An algorithm that leaves out the rows of one sensitive value and puts all others into one class."""

    kind, forms, recoding, suppresses = "mondrian", ("generalized",), Observed, True
    recodes_by_level = judges_tables = wants_target = specializes = works_in_blocks = False
    scope = None

    def __init__(self, column: str, gone: str) -> None:
        self.column, self.gone = column, gone

    def refuses(self, models: Any, suppression: float, persons: bool = False) -> str:
        return ""

    def refuses_ranges(self, ranges: str) -> str:
        return ""

    def partition(self, coded: Coded, models: Any, suppression: float, seed: int, progress: Any) -> Partition:
        left_out = coded.counted.sensitive[self.column] == coded.sensitive[self.column].labels.index(self.gone)
        return Partition.of_rows(np.where(left_out, -1, 0).astype(np.int64), 1, coded.counted.weight, Observed())


def suppressing(plan: shoal.Plan, gone: str) -> shoal.Plan:
    """The plan with an algorithm that a plan file could not name, and a limit that lets it suppress."""
    allowed = plan.release.model_copy(update={"suppression": 0.6})
    return plan.model_copy(update={"algorithm": Suppressing("s", gone), "release": allowed})


@pytest.mark.parametrize(
    ("tree", "type_"), [(Learned(fanout=2), None), (File("trees.csv"), None), (Learned(fanout=2), "integer")]
)
def test_a_value_that_only_the_input_had_is_in_no_public_tree(tmp_path: Path, tree: Any, type_: str | None) -> None:
    texts = ["77771", "2", "3", "4", "5", "6"] if type_ else ["MARKER", "b", "c", "d", "e", "f"]
    values = pl.Series("s", [texts[i % 6] for i in range(24)])
    frame = pl.DataFrame({"age": [str(i) for i in range(24)], "s": values})
    (tmp_path / "trees.csv").write_text("".join(f"{text};group {i % 2};*\n" for i, text in enumerate(texts)))
    tree = tree.relative_to(tmp_path) if isinstance(tree, File) else tree
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "s": shoal.sensitive(tree, type=type_)},
        models=[shoal.TCloseness("s", t=1, distance="hierarchical"), shoal.TCloseness("s", t=1, distance="ordered")],
    )
    made = shoal.anonymize(frame, suppressing(plan, texts[0]))
    limit = suppressing(plan, texts[0]).release  # only shoal's own algorithms can be written in a plan
    written = replace(made.draft, plan=plan.model_copy(update={"release": limit}))
    replace(made, draft=written).save(tmp_path / "out")
    assert texts[0].encode() not in public_bytes(tmp_path / "out")
    assert texts[0] in (tmp_path / "out.private/steward.json").read_text()
    assert shoal.verify_folder(tmp_path / "out").holds


def test_a_protected_code_that_only_the_input_had_is_in_no_public_file(tmp_path: Path) -> None:
    """Neither tree nor codebook names it; its chapter is in the plan, whoever has it."""
    codes = ["C50.919", "F32.9", "I10", "J45.909", "E11.9", "K35.80"]
    frame = pl.DataFrame({"age": [str(i) for i in range(24)], "s": [codes[i % 6] for i in range(24)]})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "s": shoal.sensitive({"kind": "icd10cm"}, protected=("C00-D49", "F01-F99"))},
        models=[shoal.ExtendedPSensitive(p=3, k=5)],
    )
    made = shoal.anonymize(frame, suppressing(plan, "C50.919"))
    limit = suppressing(plan, "C50.919").release
    written = replace(made.draft, plan=plan.model_copy(update={"release": limit}))
    replace(made, draft=written).save(tmp_path / "out")
    told = public_bytes(tmp_path / "out")
    assert b"C50" not in told and b"F32.9" in told and b"C00-D49" in told
    assert shoal.verify_folder(tmp_path / "out").holds


def test_the_distance_to_the_input_counts_values_that_were_left_out(tmp_path: Path) -> None:
    """A class far from the input is refused even where the released rows alone would pass."""
    frame = pl.DataFrame({"age": ["1"] * 8, "s": ["a"] * 4 + ["b", "c", "d", "e"]})
    (tmp_path / "trees.csv").write_text("a;left;*\nb;right;*\nc;right;*\nd;right;*\ne;right;*\n")
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "s": shoal.sensitive(File(str(tmp_path / "trees.csv")))},
        models=[shoal.TCloseness("s", t=0.3, distance="hierarchical")],
    )
    shoal.anonymize(frame, plan)
    with pytest.raises(PromiseBroken, match="t-closeness"):
        shoal.anonymize(frame, suppressing(plan, "a"))


def test_no_error_of_saving_shows_a_value(made: shoal.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "write_runs", full)
    with pytest.raises(ShoalError) as caught:
        made.save(tmp_path / "out")
    assert not any(value in str(caught.value) for value in ("E11.9", "Name-", "021"))


def test_what_was_written_is_told_and_is_what_was_verified(made: shoal.Release, tmp_path: Path) -> None:
    written = saving.save(made.draft, tmp_path / "out", timings={"search": 1.5, "total": 99.0})
    assert written.digest == sha256(tmp_path / "out/manifest.json")
    assert written.manifest == read_manifest(tmp_path / "out")
    assert written.verification.holds and written.steward.models == written.verification.verdicts
    timings = written.steward.timings
    steps = timings["search"] + timings["write"] + timings["verify"]
    assert timings["search"] == 1.5 and timings["total"] == pytest.approx(steps, abs=1e-3)
    assert set(written.manifest.files) == {
        path.relative_to(tmp_path / "out").as_posix()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }


def test_the_steward_finds_what_the_public_folder_does_not_say(made: shoal.Release, tmp_path: Path) -> None:
    digest = made.save(tmp_path / "out")
    steward = json.loads((tmp_path / "out.private/steward.json").read_text(encoding="utf-8"))
    assert steward["digest"] == digest and steward["rows_in"] == 40
    assert steward["suppressed_by_reason"] == {"missing values": 0, "search": 0}
    for name in ("diagnosis", "stay"):
        assert steward["input_counts"][name] == dict(patients()[name].value_counts().rows())
    assert (tmp_path / "out.private/plan.toml").read_text(encoding="utf-8") == made.plan.to_toml()


def test_a_plan_that_would_be_published_with_other_promises_stops_it(
    made: shoal.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = saving.write_plan

    def write_plan(part: Path, plan: shoal.Plan, *others: Any) -> None:
        usual(part, plan.changed(models=(shoal.KAnonymity(k=2), *plan.models[1:])), *others)

    monkeypatch.setattr(saving, "write_plan", write_plan)
    with pytest.raises(PromiseBroken, match="differ from those of the plan"):
        made.save(tmp_path / "out")
    assert names(tmp_path) == []


def test_what_attacks_find_in_the_written_tables_is_in_the_manifest(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": ["1"] * 6, "a": list("xxyyzz"), "b": list("pqqrrp")})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "a": shoal.sensitive(), "b": shoal.sensitive()},
        models=[shoal.LDiversity("a", l=3), shoal.LDiversity("b", l=3)],
    )
    made = shoal.anonymize(frame, plan)
    assert made.manifest.attacks == {}
    made.save(tmp_path / "out")
    sentences = Elimination.found_in(made.draft.tables, plan)
    assert sentences and read_manifest(tmp_path / "out").attacks == {"elimination": sentences}


def test_a_saved_release_can_be_moved(made: shoal.Release, tmp_path: Path) -> None:
    made.save(tmp_path / "out")
    shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    assert shoal.verify_folder(tmp_path / "elsewhere").holds


@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_formulas_are_escaped_in_the_files_and_read_back_as_they_were(tmp_path: Path, form: str) -> None:
    """Models that name values and hierarchies mean the values themselves, whatever stands in front of them."""
    (tmp_path / "tree.csv").write_text("=a;-AB;*\n-b;-AB;*\n@c;C;*\n'=d;C;*\n")
    frame = pl.DataFrame(
        {
            "age": [str(20 + row % 7) for row in range(80)],
            "job": ["=J", "-K", "+L", "'=M"] * 20,
            "ill": [["=a", "-b", "@c", "'=d"][row * 7 % 4] for row in range(80)],
            "note": ["=1+1", "-5", None, "x"] * 20,
        }
    )
    columns = {
        "age": shoal.quasi(),
        "job": shoal.quasi(),
        "ill": shoal.sensitive(shoal.tree(str(tmp_path / "tree.csv"))),
        "note": shoal.insensitive(),
    }
    models = [shoal.AlphaK("ill", 0.5, 2, ("=a",)), shoal.TCloseness("ill", 0.9, "hierarchical")]
    models = models[: 2 if form == "generalized" else 1]
    settings = shoal.ReleaseSettings(form=form, escape_formulas=True, categories="sets")
    plan = shoal.Plan(columns=columns, models=models, release=settings)
    made = shoal.anonymize(frame, plan)
    assert not any("formulas" in warning for warning in made.warnings)
    digest = made.save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out", digest=digest).holds
    assert shoal.verify_folder(tmp_path / "out", plan=plan).holds
    assert "escape_formulas = true" in (tmp_path / "out" / "plan.toml").read_text()
    cells = [
        cell
        for path in (tmp_path / "out").glob("*.csv")
        for column in pl.read_csv(path, infer_schema=False)
        for cell in column.drop_nulls()
    ]
    assert not any(cell[0] in "=+-@" and not cell.startswith("-5") for cell in cells)
    assert {"'=a", "'=1+1", "-5", "''=d"} <= set(cells)
    other = plan.changed(release=shoal.ReleaseSettings(form=form, categories="sets"))
    assert not shoal.verify_folder(tmp_path / "out", plan=other).holds
