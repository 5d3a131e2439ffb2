"""A published folder tells on itself: whatever was changed in it is found, and nothing in it makes verifying crash."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tomli_w

import shoal
from shoal.errors import PromiseBroken
from shoal.hierarchies import Icd9, Intervals, Learned, Prefix, file
from shoal.manifest import MANIFEST
from shoal.risks.releases import source_of
from shoal.table import file_name
from shoal.verification.folder import own_plan, private_folder, verify_folder
from tests.contract.patients import patients, plan_of

FILES = ("release.csv", MANIFEST, "plan.toml", "report.html", "datapackage.json", "hierarchies")


class Published:
    """A release made once; every test works on a copy of it, on what may as well be another machine."""

    def __init__(self, folder: Path) -> None:
        self.plan = plan_of(folder)
        self.folder = folder / "out"
        self.digest = shoal.anonymize(patients(), self.plan).save(self.folder)

    def copy(self, to: Path) -> Path:
        return Path(shutil.copytree(self.folder, to / "copy"))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return Published(tmp_path_factory.mktemp("steward"))


@pytest.fixture
def copy(published: Published, tmp_path: Path) -> Path:
    return published.copy(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b'"open', b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_table_any_more_is_named(copy: Path, content: bytes) -> None:
    (copy / "release.csv").write_bytes(content)
    found = verify_folder(copy)
    assert not found.holds and "release.csv" in " ".join(found.problems)


def rehashed(folder: Path, change: Callable[[dict[str, Any]], None] = lambda manifest: None) -> None:
    """What a forger does: the manifest's hashes are made to fit, and whatever else it says."""
    manifest = json.loads((folder / MANIFEST).read_text())
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST]
    manifest["files"] = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))


def released(folder: Path) -> pl.DataFrame:
    return pl.read_csv(folder / "release.csv", infer_schema=False)


def test_an_untouched_copy_holds_without_the_steward_s_files(published: Published, copy: Path) -> None:
    found = verify_folder(copy)
    assert found.holds, found.problems
    assert [verdict.kind for verdict in found.verdicts] == [model.kind for model in published.plan.models]
    assert verify_folder(copy, digest=published.digest.upper() + " ").holds
    assert verify_folder(copy, plan=published.plan).holds


@pytest.mark.parametrize(
    ("model", "needed"),
    [(shoal.LDiversity("stay", l=2), False), (shoal.TCloseness("stay", t=0.6, distance="hierarchical"), True)],
)
def test_a_plan_needs_only_the_trees_that_its_promises_are_about(tmp_path: Path, model: object, needed: bool) -> None:
    plan = plan_of(tmp_path, models=(shoal.KAnonymity(k=3), model))
    shoal.anonymize(patients(), plan).save(tmp_path / "out")
    (tmp_path / "stays.csv").unlink()
    found = verify_folder(tmp_path / "out", plan=plan)
    assert found.holds is not needed
    assert any("stays.csv" in problem for problem in found.problems) is needed
    assert verify_folder(tmp_path / "out").holds
    assert (tmp_path / "out/hierarchies").exists() is needed


def test_figures_are_the_same_on_another_machine(published: Published, copy: Path) -> None:
    claimed = json.loads((published.folder / MANIFEST).read_text())["models"]
    for claim, verdict in zip(claimed, verify_folder(copy).verdicts, strict=True):
        for name, value in verdict.achieved.items():
            if value != "not checked":
                assert claim["achieved"][name] == pytest.approx(value)


@pytest.mark.parametrize(
    "name", ["release.csv", MANIFEST, "plan.toml", "codebook.json", "report.html", "datapackage.json", "hierarchies"]
)
def test_every_flipped_byte_is_found(published: Published, copy: Path, name: str) -> None:
    path = sorted((copy / name).iterdir())[0] if (copy / name).is_dir() else copy / name
    whole = path.read_bytes()
    for at in {0, 1, len(whole) // 7, len(whole) // 3, len(whole) // 2, len(whole) - 2, len(whole) - 1}:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert not verify_folder(copy, digest=published.digest).holds, (name, at)
        if path.name != MANIFEST:  # its own hash is the digest
            assert not verify_folder(copy).holds, (name, at)


@pytest.mark.parametrize(
    "name", ["release.csv", MANIFEST, "plan.toml", "report.html", "datapackage.json", "hierarchies"]
)
def test_a_missing_file_is_found(copy: Path, name: str) -> None:
    path = copy / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    found = verify_folder(copy)
    assert not found.holds
    assert found.problems


def test_a_file_too_many_is_found(copy: Path) -> None:
    (copy / "raw.csv").write_text("name,age\n")
    assert "The file 'raw.csv' is not in the manifest." in verify_folder(copy).problems


def test_what_is_no_ordinary_file_is_found(copy: Path, tmp_path: Path) -> None:
    os.mkfifo(copy / "pipe")  # reading it would wait for ever
    (copy / "gone").symlink_to(tmp_path / "nowhere")
    problems = verify_folder(copy).problems
    assert {"'gone' is not a regular file.", "'pipe' is not a regular file."} <= set(problems)


def test_a_linked_file_is_found(copy: Path, tmp_path: Path) -> None:
    (copy / "release.csv").rename(tmp_path / "elsewhere.csv")
    (copy / "release.csv").symlink_to(tmp_path / "elsewhere.csv")
    assert not verify_folder(copy).holds


DAMAGE = [
    b"",
    b"\x00",
    b"{",
    b"[]",
    b"\xff\xfe\x00",
    b"null",
    b'{"files": 5}',
    b'{"files": {}}',
    b"a,b\n1\n",
    b"[" * 9999,
]
DAMAGE += [b"x = 1", b"[columns]\n", b"models = 3", b'{"files": {"release.csv": null}, "models": [1]}', b"9" * 9999]


@pytest.mark.parametrize("name", ["release.csv", MANIFEST, "plan.toml", "hierarchies"])
def test_a_damaged_file_fails_and_never_crashes(published: Published, copy: Path, name: str) -> None:
    path = sorted((copy / name).iterdir())[0] if (copy / name).is_dir() else copy / name
    for damage in DAMAGE:
        path.write_bytes(damage)
        for given in ({}, {"plan": published.plan}, {"digest": published.digest}):
            found = verify_folder(copy, **given)  # type: ignore[arg-type]
            assert not found.holds
            assert found.problems


def test_a_damaged_parquet_file_fails_and_never_crashes(published: Published, tmp_path: Path) -> None:
    plan = published.plan.changed(release=shoal.ReleaseSettings(format="parquet"))
    folder = tmp_path / "parquet"
    shoal.anonymize(patients(), plan).save(folder)
    assert verify_folder(folder).holds
    whole = (folder / "release.parquet").read_bytes()
    for at in (0, 5, len(whole) // 2, len(whole) - 9):
        (folder / "release.parquet").write_bytes(whole[:at] + b"\xff\xff\xff\xff" + whole[at + 4 :])
        assert not verify_folder(folder).holds
    (folder / "release.parquet").write_bytes(whole[: len(whole) // 2])
    assert not verify_folder(folder).holds


@pytest.mark.parametrize("name", ["a=1", "out[1]", "*", "two words", "ü", "-x"])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_name_of_the_folder_plays_no_part(published: Published, tmp_path: Path, name: str, format: str) -> None:
    plan = published.plan.changed(release=shoal.ReleaseSettings(format=format))
    shoal.anonymize(patients(), plan).save(tmp_path / name)
    found = verify_folder(tmp_path / name)
    assert found.holds, found.problems


@pytest.mark.parametrize("place", ["nowhere", "release.csv"])
def test_what_is_no_release_fails(published: Published, place: str) -> None:
    assert not verify_folder(published.folder / place).holds


# -- malice: everything is made to fit again ----------------------------------------------------------------------


def lower_the_promise(folder: Path) -> None:
    """The plan in the folder promises k = 2, and the manifest agrees."""
    path = folder / "plan.toml"
    path.write_text(path.read_text().replace("k = 3", "k = 2"))

    def agree(manifest: dict[str, Any]) -> None:
        manifest["models"][0]["k"] = 2

    rehashed(folder, agree)


def test_a_promise_rewritten_with_its_hashes_needs_plan_or_digest(published: Published, copy: Path) -> None:
    lower_the_promise(copy)
    assert verify_folder(copy).holds
    assert not verify_folder(copy, plan=published.plan).holds
    assert not verify_folder(copy, digest=published.digest).holds


def test_a_plan_that_tells_readers_less_is_found_by_the_plan(published: Published, copy: Path) -> None:
    path = copy / "plan.toml"
    text = path.read_text()
    changes = {
        "models": text.replace("k = 3", "k = 2"),
        "roles": text.replace('role = "quasi-identifier"', 'role = "insensitive"', 1),
        "persons": text.replace("[data]\n", '[data]\nperson = "who"\n'),
        "values that count": text.replace('role = "sensitive"', 'role = "sensitive"\nmissing_counts = true', 1),
        "strict": with_setting(text, "strict = true"),
        "suppression": with_setting(text, "suppression = 0.7"),
    }
    for what, changed in changes.items():
        assert changed != text
        path.write_text(changed)
        rehashed(copy)
        found = verify_folder(copy, plan=published.plan).problems
        assert [f"The plan.toml of the release differs from the given plan: {what}."] == differing(found)


def with_setting(text: str, line: str) -> str:
    """The text of a plan with another setting of the release."""
    kept = "\n".join(each for each in text.splitlines() if not each.startswith(line.split()[0]))
    head = "" if "[release]" in kept else "\n[release]\n"
    return (kept + head).replace("[release]\n", f"[release]\n{line}\n")


def differing(problems: Sequence[str]) -> list[str]:
    return [each for each in problems if "differs from the given plan" in each]


@pytest.mark.parametrize("name", ["raw.csv", "release.parquet", "hierarchies/age.csv"])
def test_a_file_that_the_manifest_lists_too_many_is_found(copy: Path, name: str) -> None:
    (copy / name).write_text("name,age\n")
    rehashed(copy)
    assert f"The file '{name}' does not belong to a release of this plan." in verify_folder(copy).problems


def test_a_model_taken_out_needs_plan_or_digest(published: Published, copy: Path) -> None:
    path = copy / "plan.toml"
    tables = tomllib.loads(path.read_text())
    tables["models"].pop(0)
    path.write_text(tomli_w.dumps(tables))
    rehashed(copy, lambda manifest: manifest["models"].pop(0))
    assert verify_folder(copy).holds
    assert "does not list the models" in " ".join(verify_folder(copy, plan=published.plan).problems)
    assert not verify_folder(copy, digest=published.digest).holds


def test_a_class_quietly_shrunk_is_found(published: Published, copy: Path) -> None:
    rows = released(copy)
    first = rows.row(0)
    quasi = published.plan.quasi_identifiers
    same = rows.with_row_index().filter(pl.all_horizontal(pl.col(name) == rows[name][0] for name in quasi))
    kept = rows.with_row_index().filter(~pl.col("index").is_in(same["index"][1:].implode())).drop("index")
    assert kept.row(0) == first
    kept.write_csv(copy / "release.csv")
    rehashed(copy)
    found = verify_folder(copy)
    assert not found.verdicts[0].holds
    assert any("rows_released" in problem for problem in found.problems)


def test_an_identifier_put_back_is_found(published: Published, copy: Path) -> None:
    for name in ("name", "patient_id"):
        pl.read_csv(published.folder / "release.csv", infer_schema=False).with_columns(
            pl.Series(name, [f"P{i}" for i in range(40)])
        ).write_csv(copy / "release.csv")
        rehashed(copy)
        for given in ({}, {"plan": published.plan}):
            found = verify_folder(copy, **given)  # type: ignore[arg-type]
            assert any(name in problem for problem in found.problems), name


def test_labels_edited_so_that_classes_split_are_found(copy: Path) -> None:
    rows = released(copy)
    rows.with_columns(pl.Series("age", [f"[{i}, {i + 1}]" for i in range(rows.height)])).write_csv(copy / "release.csv")
    rehashed(copy, lambda manifest: manifest.update(classes=rows.height))
    found = verify_folder(copy)
    assert not found.verdicts[0].holds
    assert found.verdicts[0].failing == rows.height


def test_sensitive_values_made_alike_are_found(copy: Path) -> None:
    released(copy).with_columns(pl.lit("I10").alias("diagnosis")).write_csv(copy / "release.csv")
    rehashed(copy)
    assert not verify_folder(copy).holds


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda m: m.update(classes=m["classes"] + 1), "'classes'"),
        (lambda m: m.update(rows_released=m["rows_released"] - 1), "'rows_released'"),
        (lambda m: m.update(rows_in=m["rows_in"] + 5), "do not add up"),
        (lambda m: m["models"][0]["achieved"].update(k=99), "'k' of 'k-anonymity'"),
        (lambda m: m["models"][0]["achieved"].update(k=10**400), "'k' of 'k-anonymity'"),
        (lambda m: m["models"][2]["achieved"].update(t_released=0.01), "'t_released' of 't-closeness'"),
        (lambda m: m["models"][1].update(l=7), "differs from the model"),
        (lambda m: m["models"][1].update(kind="k-anonymity"), "differs from the model"),
        (lambda m: m["models"][1].update(holds=False), "does not state that 'l-diversity' holds"),
        (lambda m: m["models"][1].pop("achieved"), "'l' of 'l-diversity'"),
        (lambda m: m.update(models="all hold"), "is not a valid manifest"),
        (lambda m: m.update(models=[]), "does not list the models"),
        (lambda m: m.pop("models"), "does not list the models"),
    ],
)
def test_a_false_claim_of_the_manifest_is_found(copy: Path, change: Callable[[Any], Any], says: str) -> None:
    rehashed(copy, lambda manifest: (change(manifest), None)[1])
    found = verify_folder(copy)
    assert not found.holds
    assert says in " ".join(found.problems)


# -- a folder nobody trusts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["../secret.csv", "/etc/passwd", "hierarchies/../../secret.csv"])
def test_no_file_outside_the_folder_is_opened(copy: Path, path: str) -> None:
    (copy.parent / "secret.csv").write_text("I10;*\n")
    plan = copy / "plan.toml"
    plan.write_text(plan.read_text().replace("hierarchies/stay.csv", path))
    rehashed(copy)
    found = verify_folder(copy)
    assert not found.holds
    assert "outside the folder" in " ".join(found.problems)


READERS: dict[str, Callable[[Path], object]] = {
    "verify": lambda folder: found_holding(verify_folder(folder)),
    "read": shoal.read_release,
    "read unverified": lambda folder: shoal.read_release(folder, verify=False),
    "risk": lambda folder: source_of(folder, None),
    "risk with a plan": lambda folder: source_of(folder, file_plan("pets.csv")),
    "compare": lambda folder: found_holding(shoal.compare(folder, folder.parent / "out").releases[0]),
}


def found_holding(found: Any) -> None:
    """Raises what was found wrong."""
    if found.problems:
        raise PromiseBroken(" ".join(found.problems))


def file_plan(path: str) -> shoal.Plan:
    columns = {"pet": shoal.quasi(shoal.tree(path))}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], algorithm=shoal.Optimal())


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("path", ["../secret.csv", "/dev/zero", "inner/../../secret.csv", "link.csv"])
def test_no_hierarchy_of_a_quasi_identifier_outside_the_folder_is_opened(
    tmp_path: Path, path: str, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pets.csv").write_text("ant;insect;*\ncat;mammal;*\n")
    monkeypatch.chdir(tmp_path)
    shoal.anonymize(pl.DataFrame({"pet": ["ant", "cat"] * 4}), file_plan("pets.csv")).save("out")
    copy = Path(shutil.copytree(tmp_path / "out", tmp_path / "copy"))
    shutil.copy(tmp_path / "pets.csv", tmp_path / "secret.csv")
    if path == "link.csv":
        (copy / path).symlink_to(tmp_path / "secret.csv")
    (copy / "plan.toml").write_text((copy / "plan.toml").read_text().replace("pets.csv", path))
    rehashed(copy)
    monkeypatch.setattr(file, "_text", lambda path: pytest.fail(f"{path} was opened") if "copy" in path else OPEN(path))
    with pytest.raises(PromiseBroken, match=r"hierarchy of column 'pet', outside the folder|not a regular file"):
        READERS[reader](copy)


OPEN = file._text


@pytest.mark.parametrize("source", ["/etc/passwd", "../raw.csv"])
def test_no_source_outside_the_folder_is_named(copy: Path, source: str) -> None:
    plan = copy / "plan.toml"
    plan.write_text(plan.read_text().replace("[data]", f'[data]\nsource = "{source}"'))
    rehashed(copy)
    assert "The plan.toml of the release names the source table, outside the folder." in verify_folder(copy).problems


@pytest.mark.parametrize(
    "name", ["../up", "/root", "a/b", "a.b", "..", ".", "a b", "ä", "x" * 400, "Stay", "con", "*", "名"]
)
def test_any_column_name_gives_a_safe_file_name(tmp_path: Path, name: str) -> None:
    safe = file_name(name)
    assert safe == Path(safe).name and not safe.startswith(".") and len(safe) < 80
    assert safe.isascii() and safe == safe.lower()
    (tmp_path / f"{safe}.csv").touch()


def test_different_columns_have_different_file_names() -> None:
    names = ["a/b", "a_b", "a b", "a.b", "A/B", "Stay", "stay", "STAY", "", " "]
    assert len({file_name(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    "name", ["../up", "a.b/c", "x" * 300, "Größe (cm)", "q\"uo'te", "a;b,c", "value", "count", "n"]
)
def test_a_sensitive_column_of_any_name_is_published_and_verified(tmp_path: Path, name: str) -> None:
    frame = patients().rename({"stay": name}).select("age", name)
    steward = tmp_path / "steward"
    steward.mkdir()
    stay = plan_of(steward).columns["stay"]
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), name: stay},
        models=[shoal.KAnonymity(k=2), shoal.TCloseness(name, t=0.8, distance="hierarchical")],
    )
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    shutil.rmtree(steward)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]
    found = verify_folder(tmp_path / "out")
    assert found.holds, found.problems


TREES = {
    "file": ("stay", None, "integer"),
    "intervals": ("stay", Intervals(widths=(2, 4)), "integer"),
    "learned number": ("stay", Learned(fanout=2), "integer"),
    "learned text": ("diagnosis", Learned(fanout=2), None),
    "prefix": ("diagnosis", Prefix(), None),
    "icd9": ("icd9", Icd9(), None),
}


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("distance", ["hierarchical", "ordered"])
def test_every_kind_of_tree_travels_with_the_release(tmp_path: Path, kind: str, distance: str) -> None:
    column, tree, type_ = TREES[kind]
    icd9 = pl.Series("icd9", [["250.00", "401.9", "493.90", "8.5"][i % 4] for i in range(40)])
    frame = patients().with_columns(icd9).select("age", column)
    given = tree if tree is not None else plan_of(tmp_path).columns["stay"].hierarchy
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), column: shoal.sensitive(given, type=type_)},
        models=[shoal.KAnonymity(k=2), shoal.TCloseness(column, t=0.7, distance=distance)],
    )
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    for left in tmp_path.glob("*.csv"):
        left.unlink()
    found = verify_folder(tmp_path / "out")
    assert found.holds, found.problems
    assert own_plan(tmp_path / "out").enforced == plan.enforced


def test_a_file_that_cannot_be_opened_is_named(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Path.open

    def opened(self: Path, *given: Any, **options: Any) -> Any:
        if self.name == "release.csv":
            raise PermissionError(13, "Permission denied", str(self))
        return usual(self, *given, **options)

    monkeypatch.setattr(Path, "open", opened)
    assert verify_folder(copy).problems == ("The file 'release.csv' cannot be read: Permission denied.",)


def test_the_private_folder_lies_beside_the_published_one() -> None:
    assert private_folder(Path("a/out.v1")) == Path("a/out.v1.private")
