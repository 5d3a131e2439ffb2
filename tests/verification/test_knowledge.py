from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.errors import KnowledgeNeeded
from shoal.models import KAnonymity, QSCloseness, QSDiversity
from shoal.verification.knowledge import knowledge_path, named_files

FRAME = pl.DataFrame(
    {
        "age": [31, 32, 33, 34, 51, 52, 53, 54],
        "ill": ["fever|rash", "cough", "", "ache", "fever", "rash", "ache|cough", "zest"],
    }
)
TABLE = "cold,cough|ache\nflu,ache|cough|fever\nmeasles,fever|rash\ngout,ache\nmumps,fever|ache\n"


def plan(folder: Path, **settings: Any) -> shoal.Plan:
    (folder / "diseases.csv").write_text(TABLE, encoding="utf-8")
    column = shoal.quasi_sensitive(knowledge=str(folder / "diseases.csv"), **settings)
    models = [KAnonymity(k=2), QSDiversity("ill", c=1, l=2)]
    return shoal.Plan(columns={"age": shoal.quasi(), "ill": column}, models=models)


def saved(folder: Path, **settings: Any) -> Path:
    shoal.anonymize(FRAME, plan(folder, **settings)).save(folder / "out")
    return folder / "out"


def test_a_release_has_the_hash_of_its_knowledge_table_and_nothing_else_of_it(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [
        "codebook.json",
        "datapackage.json",
        "manifest.json",
        "plan.toml",
        "release.csv",
        "report.html",
        "report.json",
    ]
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        assert "measles" not in text and str(tmp_path) not in text
    assert "knowledge_sha256" in (folder / "plan.toml").read_text()


def test_verification_asks_for_the_table_and_takes_it_in_any_form(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    with pytest.raises(KnowledgeNeeded, match="a knowledge table for 'ill', which it does not contain"):
        shoal.verify_folder(folder)
    assert shoal.verify_folder(folder, knowledge=[str(tmp_path / "diseases.csv")]).holds
    pairs = [(label, item) for line in TABLE.split() for label, items in [line.split(",")] for item in items.split("|")]
    pl.DataFrame(pairs, schema=["disease", "symptom"], orient="row").write_parquet(tmp_path / "long.parquet")
    assert shoal.verify_folder(folder, knowledge=[f"ill={tmp_path / 'long.parquet'}"]).holds
    assert shoal.verify_folder(folder, plan=plan(tmp_path)).holds


def test_another_table_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    (tmp_path / "other.csv").write_text(TABLE + "plague,fever\n", encoding="utf-8")
    for given in ({"knowledge": [str(tmp_path / "other.csv")]}, {"plan": other_plan(tmp_path)}):
        found = shoal.verify_folder(folder, **given)  # type: ignore[arg-type]
        assert not found.holds
        assert "is not the one with which the release was made" in found.problems[-1]


def other_plan(folder: Path) -> shoal.Plan:
    given = plan(folder)
    column = given.columns["ill"].model_copy(update={"knowledge": str(folder / "other.csv")})
    return given.changed(columns={**given.columns, "ill": column})


def test_a_published_table_is_verified_with(tmp_path: Path) -> None:
    folder = saved(tmp_path, publish_knowledge=True)
    assert (folder / knowledge_path("ill")).read_text().startswith("label,item\ncold,ache\ncold,cough\n")
    assert shoal.verify_folder(folder).holds
    assert shoal.verify_folder(folder, plan=plan(tmp_path, publish_knowledge=True)).holds
    found = shoal.verify_folder(folder, plan=plan(tmp_path)).problems
    assert "The plan.toml of the release differs from the given plan: published knowledge." in found
    path = folder / knowledge_path("ill")
    path.write_text(path.read_text().replace("measles,rash", "measles,ache"))
    assert not shoal.verify_folder(folder).holds


def test_a_plan_may_not_name_knowledge_outside_its_folder(tmp_path: Path) -> None:
    folder = saved(tmp_path, publish_knowledge=True)
    text = (folder / "plan.toml").read_text()
    (folder / "plan.toml").write_text(text.replace("knowledge/ill.csv", "../diseases.csv"))
    assert any("outside the folder" in problem for problem in shoal.verify_folder(folder).problems)


def test_the_command_line_asks_for_the_table(tmp_path: Path) -> None:
    folder, run = saved(tmp_path), CliRunner()
    lacking = run.invoke(app, ["verify", str(folder)])
    assert isinstance(lacking.exception, KnowledgeNeeded) and lacking.exception.exit_code == 2
    assert "--knowledge FILE" in str(lacking.exception)
    given = run.invoke(app, ["verify", str(folder), "--knowledge", str(tmp_path / "diseases.csv")])
    assert given.exit_code == 0 and "The release is valid" in given.output
    (tmp_path / "other.csv").write_text("plague,fever\n", encoding="utf-8")
    assert run.invoke(app, ["verify", str(folder), "--knowledge", str(tmp_path / "other.csv")]).exit_code == 1
    gone = run.invoke(app, ["verify", str(folder), "--knowledge", str(tmp_path / "gone.csv")])
    assert isinstance(gone.exception, KnowledgeNeeded)


def test_the_printed_command_verifies_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is not published, so that the command names the file of the plan."""
    FRAME.write_csv(tmp_path / "data.csv")
    text = plan(tmp_path).changed(data=shoal.Data(source=str(tmp_path / "data.csv"))).to_toml()
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["shoal"])
    run, out = CliRunner(), tmp_path / "out"
    made = run.invoke(app, ["anonymize", str(tmp_path / "plan.toml"), "--out", str(out)])
    (line,) = [line for line in made.output.splitlines() if line.startswith("Verify with:")]
    assert f"--knowledge ill={tmp_path / 'diseases.csv'}" in line
    words = shlex.split(line.partition("verify")[2])
    assert run.invoke(app, ["verify", *words]).exit_code == 0
    assert "--knowledge ill=FILE" in (out / "report.html").read_text(encoding="utf-8")
    assert "--knowledge ill=FILE" in (tmp_path / "out.private/report.html").read_text(encoding="utf-8")


def test_a_published_table_is_not_asked_for(tmp_path: Path) -> None:
    page = (saved(tmp_path, publish_knowledge=True) / "report.html").read_text(encoding="utf-8")
    assert "The published files are sufficient" in page and "--knowledge" not in page


def test_several_columns_need_names(tmp_path: Path) -> None:
    given = plan(tmp_path)
    columns = {**given.columns, "drugs": given.columns["ill"]}
    both = given.changed(columns=columns, models=[*given.models, QSCloseness("drugs", t=0.5)])
    assert named_files(both, ["drugs=a.csv", "ill=b=c.csv"]) == {"drugs": Path("a.csv"), "ill": Path("b=c.csv")}
    assert named_files(given, ["a=b.csv"]) == {"ill": Path("a=b.csv")}
    with pytest.raises(KnowledgeNeeded, match="without the column to which it belongs"):
        named_files(both, ["a.csv"])


def test_one_file_and_a_mapping_are_accepted_too(tmp_path: Path) -> None:
    given, path = plan(tmp_path), tmp_path / "diseases.csv"
    for files in (str(path), path, [path], {"ill": path}, {"ill": str(path)}):
        assert named_files(given, files) == {"ill": path}
    with pytest.raises(KnowledgeNeeded, match=r"There is no column 'il'.*did you mean 'ill'"):
        named_files(given, {"il": path})
    assert shoal.verify_folder(saved(tmp_path), knowledge=str(path)).holds


def test_a_table_for_a_column_without_one_is_refused_by_name(tmp_path: Path) -> None:
    given = plan(tmp_path)
    with pytest.raises(KnowledgeNeeded, match="no promise about column 'age' uses a knowledge table"):
        named_files(given, ["age=diseases.csv"])
    with pytest.raises(KnowledgeNeeded, match=r"There is no column 'il'.*did you mean 'ill'"):
        named_files(given, [f"il={tmp_path / 'diseases.csv'}"])


def test_the_gate_of_shoal_risk_asks_for_the_table(tmp_path: Path) -> None:
    folder, run = saved(tmp_path), CliRunner()
    lacking = run.invoke(app, ["risk", str(folder), "--gate"])
    assert isinstance(lacking.exception, KnowledgeNeeded) and lacking.exception.exit_code == 2
    assert run.invoke(app, ["risk", str(folder)]).exit_code == 0
    given = run.invoke(app, ["risk", str(folder), "--gate", "--knowledge", f"ill={tmp_path / 'diseases.csv'}"])
    assert given.exit_code == 0 and "indirect" in given.output
