from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import polars as pl
import pytest

from shoal.cli.anonymize import _listed
from shoal.datasets import patient_hierarchies, patients, patients_plan_toml
from shoal.release.output import write_json
from shoal.table import write_sql
from tests.cli.conftest import CITIES, DIAGNOSES, PLAN, SECRET, Shoal, names, start, write_clinic
from tests.oracle import knowledge


def test_a_release_and_what_is_said_of_it(shoal: Shoal, plan: Path) -> None:
    out = plan.parent / "out"
    answer = shoal("anonymize", plan, "--out", out)
    assert answer.code == 0
    assert "Released 120 of 120 rows in " in answer.out and "No row was suppressed." in answer.out
    assert re.search(r"^column +published as +information loss$", answer.out, re.MULTILINE)
    assert f"Next step:    read {out}.private/report.html, then publish {out}." in answer.out
    assert answer.out.count("\n") <= 25
    assert "k = 4" in answer.out and "holds" in answer.out
    digest = answer.out.rsplit(maxsplit=1)[-1]
    assert f"shoal verify {out} --digest {digest}" in answer.out
    assert shoal("verify", out, "--digest", digest).code == 0
    assert SECRET.encode() not in (out / "manifest.json").read_bytes()
    assert SECRET not in answer.out + answer.err


def test_what_became_of_items_is_said(shoal: Shoal, plan: Path) -> None:
    table = plan.parent / "clinic.csv"
    header, *rows = table.read_text().splitlines()
    sets = [f"{SECRET} a|{SECRET} b" if place else f"{SECRET} a|{SECRET} c" for place in range(len(rows))]
    cells = [f"{row},{items}" for row, items in zip(rows, sets, strict=True)]
    table.write_text("\n".join([f"{header},ill", *cells]) + "\n")
    model = '[[models]]\nkind = "km-anonymity"\ncolumn = "ill"\nk = 2\nm = 2\n'
    plan.write_text(PLAN + '[columns.ill]\nrole = "quasi-sensitive"\n' + model)
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert answer.code == 0
    heads = r"^set-valued column +items +removed +generalized +published +item loss$"
    assert re.search(heads, answer.out, re.MULTILINE)
    assert re.search(r"^ill +240 +1 +0 +239 +0\.278 %$", answer.out, re.MULTILINE)
    assert SECRET not in answer.out + answer.err


def test_a_release_without_information_says_so(shoal: Shoal, plan: Path) -> None:
    plan.write_text(PLAN.replace("k = 4", "k = 120"))
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert answer.code == 0
    assert "Released 120 of 120 rows in 1 class of 120.0 rows on average." in answer.out
    assert "1 column was generalized to * in all rows: city." in answer.out
    assert "1 column has the same range or set in all rows: age." in answer.out
    assert re.search(r"^city +\* +100 %$", answer.out, re.MULTILINE)
    assert re.search(r"^age +one range +100 %$", answer.out, re.MULTILINE)
    assert re.search(
        r"^Next step: +column 'age' loses most \(100 %\)\. You could raise its weight", answer.out, re.MULTILINE
    )
    assert "120 rows in 1 class." in shoal("verify", plan.parent / "out").out


def test_suppressed_rows_levels_and_what_is_proven_are_said(shoal: Shoal, plan: Path) -> None:
    table = plan.parent / "clinic.csv"
    table.write_text(table.read_text() + f"x,,{CITIES[0]},{DIAGNOSES[0]}\n")
    text = PLAN.replace('source = "clinic.csv"', 'source = "clinic.csv"\nmissing_rows = "drop"')
    text = text.replace("[columns.age]", '[columns.age]\nhierarchy = { kind = "intervals", widths = [5, 10] }')
    plan.write_text(text + '[algorithm]\nkind = "optimal"\n[release]\nsuppression = 0.2\n')
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    facts = json.loads((plan.parent / "out.private" / "steward.json").read_text())
    assert answer.code == 0 and f"Proven optimal (loss: cost {facts['cost']:.4g})." in answer.out
    reasons = f"{facts['rows_suppressed'] - 1} by the search and 1 for missing values."
    assert re.search(rf"Suppressed \d+ rows?: [\d.]+ % of all rows, {reasons}", answer.out)
    assert re.search(r"^column +published as +information loss +level$", answer.out, re.MULTILINE)
    assert facts["published_as"].keys() == {"age", "city"} and SECRET not in answer.out


def test_the_private_folder_keeps_the_plan_as_given(shoal: Shoal, plan: Path) -> None:
    given = "# mine\r\n" + PLAN
    plan.write_bytes(given.encode())
    out = plan.parent / "out"
    assert shoal("anonymize", plan, "--out", out).code == 0
    private = plan.parent / "out.private"
    assert (private / "plan.toml").read_bytes() == given.encode()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


def test_json_is_the_manifest_with_what_only_the_steward_may_know(plan: Path) -> None:
    out = plan.parent / "out"
    process = start("anonymize", plan, "--out", out, "--json")
    said, _ = process.communicate(timeout=60)
    answer = json.loads(said)
    manifest = json.loads((out / "manifest.json").read_text())
    assert process.returncode == 0
    assert set(answer) == {*manifest, "digest", "timings", "risk", "statistics"}
    assert all(answer[name] == manifest[name] for name in manifest)
    assert len(answer["digest"]) == 64


def test_quiet_says_the_digest_alone(shoal: Shoal, plan: Path) -> None:
    answer = shoal("anonymize", plan, "--out", plan.parent / "out", "--quiet")
    assert (answer.code, answer.err) == (0, "")
    assert shoal("verify", plan.parent / "out", "--digest", answer.out.strip()).code == 0


def test_quiet_still_warns_beside_its_answer(shoal: Shoal, plan: Path) -> None:
    plan.write_text(PLAN.split('[[models]]\nkind = "l-diversity"')[0])
    answer = shoal("anonymize", plan, "--out", plan.parent / "out", "--quiet")
    assert answer.code == 0 and len(answer.out.split()) == 1
    assert "Serious warning: No model covers sensitive column 'diagnosis'" in answer.err


def test_the_seed_can_be_set(shoal: Shoal, plan: Path) -> None:
    assert shoal("anonymize", plan, "--out", plan.parent / "out", "--seed", "7").code == 0
    assert json.loads((plan.parent / "out.private" / "steward.json").read_text())["seed"] == 7


def test_a_folder_that_holds_something_needs_force(shoal: Shoal, plan: Path) -> None:
    out = plan.parent / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    answer = shoal("anonymize", plan, "--out", out)
    assert answer.code == 2 and "--force" in answer.err
    assert names(out) == {"thesis.txt"}
    answer = shoal("anonymize", plan, "--out", out, "--force")
    assert answer.code == 2 and "contains 1 file that no release wrote" in answer.err
    assert names(out) == {"thesis.txt"}
    (out / "thesis.txt").unlink()
    assert shoal("anonymize", plan, "--out", out).code == 0
    assert shoal("anonymize", plan, "--out", out).code == 2
    assert shoal("anonymize", plan, "--out", out, "--force").code == 0


def test_the_plan_and_the_hierarchies_in_use_are_spared(shoal: Shoal, plan: Path) -> None:
    """An earlier release may contain them: they are its files, but the new run reads them."""
    out = plan.parent / "out"
    assert shoal("anonymize", plan, "--out", out).code == 0
    inside = plan.parent / "out.private" / "plan.toml"
    inside.write_text(
        plan.read_text().replace('"clinic.csv"', '"../clinic.csv"').replace('"city.csv"', '"../city.csv"')
    )
    answer = shoal("anonymize", inside, "--out", out, "--force")
    assert answer.code == 2 and "out.private', which contains the plan" in answer.err
    assert inside.exists()
    manifest = out / "manifest.json"
    listed = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**listed, "files": {**listed["files"], "city.csv": ""}}))
    (plan.parent / "city.csv").rename(out / "city.csv")
    plan.write_text(plan.read_text().replace('"city.csv"', '"out/city.csv"'))
    answer = shoal("anonymize", plan, "--out", out, "--force")
    assert answer.code == 2 and "out', which contains the hierarchy of column 'city'" in answer.err
    assert (out / "city.csv").exists()


def test_a_database_is_spared(shoal: Shoal, plan: Path) -> None:
    out = plan.parent / "out"
    out.mkdir()
    source = f"sqlite:///{out}/clinic.db"
    frame = pl.read_csv(plan.parent / "clinic.csv")
    write_sql(frame, source, "clinic")
    query = 'query = "SELECT * FROM clinic"'
    plan.write_text(plan.read_text().replace('source = "clinic.csv"', f'source = "{source}"\n{query}'))
    write_json(out / "manifest.json", {"shoal_version": "0", "files": {"clinic.db": ""}})
    answer = shoal("anonymize", plan, "--out", out, "--force")
    assert answer.code == 2 and "which contains the source table" in answer.err
    assert (out / "clinic.db").stat().st_size > 0


@pytest.mark.parametrize("out", [".", "..", "data"])
def test_force_never_deletes_the_data_or_the_working_folder(
    shoal: Shoal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    data = tmp_path / "work" / "data"
    data.mkdir(parents=True)
    plan = write_clinic(data)
    monkeypatch.chdir(tmp_path / "work")
    before = {path: names(path) for path in (tmp_path, tmp_path / "work", data)}
    answer = shoal("anonymize", plan, "--out", out, "--force")
    assert answer.code == 2 and "folder" in answer.err
    assert {path: names(path) for path in before} == before


def test_other_engines_are_refused(shoal: Shoal, plan: Path) -> None:
    answer = shoal("anonymize", plan, "--out", plan.parent / "out", "--engine", "sparc")
    assert (answer.code, answer.out) == (2, "") and "did you mean 'spark'?" in answer.err


def test_without_pyspark_the_spark_engine_says_what_to_install(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    answer = shoal("anonymize", plan, "--out", plan.parent / "out", "--engine", "spark", "--master", "local[2]")
    assert (answer.code, answer.out) == (2, "") and "pip install 'shoal[spark]'" in answer.err
    assert not (plan.parent / "out").exists()


def test_without_java_the_spark_engine_says_what_to_install(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = shoal("anonymize", plan, "--out", plan.parent / "out", "--engine", "spark", "--master", "local[2]")
    assert (answer.code, answer.out) == (2, "") and "install Java 17" in answer.err
    assert not (plan.parent / "out").exists()


def test_a_master_is_for_spark_alone(shoal: Shoal, plan: Path) -> None:
    answer = shoal("anonymize", plan, "--out", plan.parent / "out", "--master", "local[2]")
    assert answer.code == 2 and "--engine spark" in answer.err


def test_a_folder_of_files_is_released_as_the_table_would_be(shoal: Shoal, plan: Path) -> None:
    lines = (plan.parent / "clinic.csv").read_text().splitlines(keepends=True)
    parts = plan.parent / "parts"
    parts.mkdir()
    for number, begin in enumerate(range(1, len(lines), 50)):
        (parts / f"part-{number}.csv").write_text("".join([lines[0], *lines[begin : begin + 50]]))
    whole = shoal("anonymize", plan, "--out", plan.parent / "out", "--quiet").out
    assert shoal("anonymize", plan, "--out", plan.parent / "streamed", "--engine", "stream", "--quiet").out == whole
    plan.write_text(PLAN.replace("clinic.csv", "parts"))
    assert shoal("anonymize", plan, "--out", plan.parent / "other", "--quiet").out == whole
    answer = shoal("anonymize", plan, "--out", plan.parent / "none", "--engine", "local")
    assert answer.code == 2 and "is a folder" in answer.err and "--engine stream" in answer.err


def test_models_that_cannot_be_met(shoal: Shoal, plan: Path) -> None:
    plan.write_text(PLAN.replace("k = 4", "k = 121"))
    before = names(plan.parent)
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert answer.code == 3 and "k-anonymity" in answer.err
    assert names(plan.parent) == before


def test_warnings_are_shown_and_strict_refuses_them(shoal: Shoal, plan: Path) -> None:
    plan.write_text(PLAN.split('[[models]]\nkind = "l-diversity"')[0])
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert answer.code == 0 and "\nSerious warning: No model covers sensitive column 'diagnosis'" in answer.out
    assert answer.out.startswith("Do not publish yet: 1 serious warning stands.")
    plan.write_text(plan.read_text() + "\n[release]\nstrict = true\n")
    answer = shoal("anonymize", plan, "--out", plan.parent / "strict")
    assert answer.code == 2 and "strict" in answer.err and "strict" not in names(plan.parent)


@pytest.mark.parametrize("out", ["file", "file/out", "missing/out", "/proc/out", "/dev/full"])
def test_output_that_cannot_be_written(shoal: Shoal, plan: Path, out: str) -> None:
    (plan.parent / "file").write_text("mine")
    before = names(plan.parent)
    answer = shoal("anonymize", plan, "--out", plan.parent / out, "--force")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Error: ") and "Internal" not in answer.err
    assert names(plan.parent) == before


_HEADER = "name,age,city,diagnosis"
_ROW = f"{SECRET} Ann,30,{CITIES[0]},{DIAGNOSES[0]}"

BAD = {
    "empty": "",
    "header only": f"{_HEADER}\n",
    "one row": f"{_HEADER}\n{_ROW}\n",
    "duplicate names": f"name,age,city,city\n{_ROW}\n",
    "ragged": f"{_HEADER}\n{_ROW}\n{_ROW},{SECRET}\n",
    "a quote left open": f'{_HEADER}\n"{_ROW}\n{_ROW}\n',
    "nul": f"{_HEADER}\n{_ROW}\0\n" * 2,
    "a column without a role": f"{_HEADER},ward\n" + f"{_ROW},{SECRET}\n" * 9,
    "a column missing": "name,age,city\n" + f"{SECRET},3,{CITIES[0]}\n" * 9,
    "a city that the hierarchy does not know": f"{_HEADER}\n" + f"{SECRET},30,{SECRET} town,{DIAGNOSES[0]}\n" * 9,
    "infinite": f"{_HEADER}\n" + _ROW.replace("30", "inf") + "\n" + f"{_ROW}\n" * 9,
    "one diagnosis": f"{_HEADER}\n" + f"{_ROW}\n" * 9,
}


@pytest.mark.parametrize("case", BAD)
def test_bad_data_is_one_paragraph_without_a_cell(shoal: Shoal, plan: Path, case: str) -> None:
    (plan.parent / "clinic.csv").write_text(BAD[case], encoding="utf-8")
    before = names(plan.parent)
    for words in (["anonymize", plan, "--out", plan.parent / "out"], ["plan", "check", plan]):
        answer = shoal(*words)
        assert answer.code in (2, 3)
        assert answer.out == "" and answer.err.count("\n") == 1
        assert answer.err.startswith("Error: ") and "Internal" not in answer.err
        assert SECRET not in answer.err
    assert names(plan.parent) == before


def test_wrong_encoding_and_numbers_declared_but_absent(shoal: Shoal, plan: Path) -> None:
    rows = b"".join(b"x%d,30,%s,caf\xe9 %s\n" % (i, CITIES[i % 4].encode(), SECRET.encode()) for i in range(20))
    (plan.parent / "clinic.csv").write_bytes(_HEADER.encode() + b"\n" + rows)
    plan.write_text(PLAN.replace("[columns.city]", '[columns.city]\ntype = "integer"'))
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert answer.code == 2 and SECRET not in answer.err and "Internal" not in answer.err


LKC = '[[models]]\nkind = "lkc"\nl = 2\nk = 10\nc = 0.05\ncolumn = "stage"\nvalues = ["IV"]\n'
CLOSE = '[[models]]\nkind = "t-closeness"\ncolumn = "treatment"\nt = 0.5\n'


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """The plan of the demo with LKC for its models and a full-domain search, beside its data."""
    patients(1500).write_csv(tmp_path / "patients.csv")
    for name, text in patient_hierarchies().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    columns = patients_plan_toml().split("[[models]]")[0]
    (tmp_path / "plan.toml").write_text(columns + LKC + '[algorithm]\nkind = "optimal"\n', encoding="utf-8")
    return tmp_path / "plan.toml"


def test_combinations_and_columns_are_called_what_they_are(shoal: Shoal, registry: Path) -> None:
    registry.write_text(registry.read_text().replace("optimal", "pais"))
    out = registry.parent / "out"
    said = shoal("anonymize", registry, "--out", out).out
    values = json.loads((out / "manifest.json").read_text())["step_values"]
    generalized = [name for name, shown in values.items() if shown == ["*"]]
    named = re.search(r"generalized to \* in all rows: (.*)\.", said)
    assert (named[1].split(", ") if named else []) == generalized
    assert "support = " in said and "support_columns" not in said
    rows = (out / "release.csv").read_text().splitlines()
    (out / "release.csv").write_text(
        "\n".join([rows[0], rows[1].replace(rows[1].split(",")[0], "odd"), *rows[2:]]) + "\n"
    )
    answer = shoal("verify", out)
    assert answer.code == 1 and re.search(r"DOES NOT HOLD in \d+ combinations", " ".join(answer.out.split()))


@pytest.mark.parametrize("beside", ["", CLOSE])
@pytest.mark.parametrize("kind", ["optimal", "incognito", "samarati"])
def test_a_full_domain_release_under_lkc(shoal: Shoal, registry: Path, kind: str, beside: str) -> None:
    registry.write_text(registry.read_text().replace("[algorithm]", beside + "[algorithm]").replace("optimal", kind))
    out = registry.parent / "out"
    assert shoal("plan", "check", registry).code == 0
    assert shoal("anonymize", registry, "--out", out).code == 0
    assert shoal("verify", out, "--plan", registry).code == 0
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["rows_released"], manifest["rows_suppressed"]) == (1500, 0)
    assert 0 < manifest["measures"]["ncp"] < 1
    rows = pl.read_csv(out / "release.csv", infer_schema=False).to_dicts()
    quasi = list(manifest["levels"])
    assert knowledge.holds(rows, quasi, l=2, k=10, c=0.05, column="stage", values=["IV"])


def test_a_share_that_no_release_can_have_is_named_with_the_least_that_one_can(shoal: Shoal, registry: Path) -> None:
    share = (patients(1500)["stage"] == "IV").sum() / 1500
    registry.write_text(registry.read_text().replace("c = 0.05", "c = 0.01"))
    for command in (["anonymize", registry, "--out", registry.parent / "out"], ["lattice", registry]):
        answer = shoal(*command)
        assert (answer.code, answer.out) == (3, "")
        assert "the most frequent of the values of 'stage' that the plan lists (1) has" in answer.err
        least = float(answer.err.split("c of at least ")[1].split()[0])
        assert share <= least < share + 1e-4
    registry.write_text(registry.read_text().replace("c = 0.01", f"c = {least}"))
    assert shoal("anonymize", registry, "--out", registry.parent / "out").code == 0


def test_the_parts_of_a_table_are_listed_as_one() -> None:
    files = ["release/part-00000.csv", "plan.toml", "release/part-00001.csv", "hierarchies/part-of-body.csv"]
    assert _listed(files) == ["hierarchies/part-of-body.csv", "plan.toml", "release/ of 2 parts"]
