"""`shoal risk`: figures, gate, references, two releases; never a value of the table."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import SECRET, Shoal, write_clinic
from tests.risks.attacked import Attacks, Told, pretend

FIGURES = ("rows", "uniques", "prosecutor", "attacks")


@pytest.fixture(autouse=True)
def attacks(monkeypatch: pytest.MonkeyPatch) -> Attacks:
    return pretend(monkeypatch, Told())


def with_risk(plan: Path, settings: str) -> Path:
    plan.write_text(f"{plan.read_text(encoding='utf-8')}\n[risk]\n{settings}\n", encoding="utf-8")
    return plan


def test_a_raw_table(shoal: Shoal, plan: Path) -> None:
    answer = shoal("risk", plan.parent / "clinic.csv", "--plan", plan)
    assert (answer.code, answer.err) == (0, "")
    assert "prosecutor" in answer.out and "linkage" in answer.out and "nothing was judged" in answer.out
    assert SECRET not in answer.out


def test_json_of_a_release(shoal: Shoal, released: Path) -> None:
    answer = shoal("risk", released, "--json", "--quiet", "--seed", 3)
    found = json.loads(answer.out)
    assert answer.code == 0 and all(name in found for name in FIGURES)
    assert found["rows"] == 120 and found["uniques"] == 0
    assert 0 < found["prosecutor"]["average"] <= found["prosecutor"]["highest"] <= 1 / 4
    assert set(found["attacks"][0]) >= {"kind", "success", "low", "high", "baseline", "bound", "holds"}
    assert SECRET not in answer.out


def test_the_gate(shoal: Shoal, plan: Path, attacks: Attacks) -> None:
    table = plan.parent / "clinic.csv"
    answer = shoal("risk", table, "--plan", plan, "--gate")
    assert answer.code == 2 and "nothing was judged" in answer.err
    attacks.outcomes = (Told(bound=0.9),)
    assert shoal("risk", table, "--plan", plan, "--gate").code == 0
    attacks.outcomes = (Told(bound=0.1),)
    answer = shoal("risk", table, "--plan", plan, "--gate", "--json")
    assert answer.code == 1 and "linkage" in answer.err and json.loads(answer.out)["holds"] is False
    assert shoal("risk", table, "--plan", plan).code == 0
    attacks.outcomes = ()
    answer = shoal("risk", table, "--plan", with_risk(plan, "highest = 0.2"), "--gate")
    assert answer.code == 1 and "thresholds exceeded: highest" in answer.err and "EXCEEDED" in answer.out


def test_the_gate_of_a_release_knows_the_thresholds_of_its_private_plan(shoal: Shoal, plan: Path) -> None:
    with_risk(plan, "highest = 0.001")
    out = plan.parent / "out"
    assert shoal("anonymize", plan, "--out", out, "--quiet").code == 0
    answer = shoal("risk", out, "--gate")
    assert answer.code == 1 and "thresholds exceeded: highest" in answer.err
    assert "The thresholds are those of the private plan" in answer.out
    shutil.rmtree(plan.parent / "out.private")
    answer = shoal("risk", out, "--gate")
    assert answer.code == 2 and "nothing was judged" in answer.err


def test_a_gate_that_cannot_be_checked_is_no_gate(shoal: Shoal, plan: Path) -> None:
    table = plan.parent / "clinic.csv"
    with_risk(plan, "population_uniques = 0.5")
    answer = shoal("risk", table, "--plan", plan, "--gate")
    assert answer.code == 2 and "cannot be checked" in answer.err
    assert shoal("risk", table, "--plan", plan, "--gate", "--sampling-fraction", 0.1).code == 0


def test_a_reference_by_overlap(shoal: Shoal, released: Path) -> None:
    plan, table = released.parent / "plan.toml", released.parent / "clinic.csv"
    answer = shoal("risk", released, "--plan", plan, "--reference", table, "--json")
    found = json.loads(answer.out)
    assert found["k_map"]["k"] >= 4 and found["k_map"]["compared_by"] == "overlap"
    assert found["journalist"]["highest"] <= 1 / 4 and found["presence"]["highest"] == pytest.approx(1)
    assert SECRET not in answer.out


def test_an_unusable_reference_is_no_all_clear(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    voters = tmp_path / "voters.csv"
    voters.write_text("age,town\n200,A\n", encoding="utf-8")
    answer = shoal("risk", released, "--reference", voters)
    assert answer.code == 0 and "Warning: No row has a candidate in the reference table" in answer.err
    assert "Warning: The reference table lacks 1 of 2 quasi-identifiers: 'city'." in answer.err
    assert "Warning:" not in answer.out and "was compared on: 'age'. It lacks: 'city'." in answer.out
    with_risk(plan := write_clinic(tmp_path), "journalist = 0.5")
    answer = shoal("risk", released, "--plan", plan, "--reference", voters, "--gate")
    assert answer.code == 2 and "cannot be checked: 'journalist'. No row has a candidate" in answer.err


def test_the_verdict_comes_first(shoal: Shoal, released: Path) -> None:
    answer = shoal("risk", released)
    assert answer.out.startswith("The plan states no threshold, and no attack has a bound: nothing was judged.\n")
    assert answer.out.count("nothing was judged") == 1
    assert answer.out.index("linkage") < answer.out.index("smallest class") < answer.out.index("distinction")
    assert "prosecutor: the intruder knows that the individual is in the table." in answer.out


def test_the_raw_table_checks_attacks(shoal: Shoal, released: Path, attacks: Attacks) -> None:
    raw, plan = released.parent / "clinic.csv", released.parent / "plan.toml"
    answer = shoal("risk", released, "--raw", raw, "--plan", plan)
    assert answer.code == 0 and attacks.targets[-1].raw.height == 120
    assert "checked against the raw table" in answer.out and SECRET not in answer.out
    assert shoal("risk", released, released, "--raw", raw, "--plan", plan).code == 0
    assert attacks.targets[-1].raw.height == 120
    answer = shoal("risk", released, "--raw", raw)
    assert answer.code == 2 and "hierarchy file of column 'city' is not at hand" in answer.err


def test_figures_alone(shoal: Shoal, released: Path, attacks: Attacks) -> None:
    answer = shoal("risk", released, "--no-attacks", "--json")
    assert answer.code == 0 and json.loads(answer.out)["attacks"] == [] and not attacks.targets


def test_two_releases(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    for name in ("out", "out.private"):
        shutil.copytree(released.parent / name, tmp_path / name)
    answer = shoal("risk", released, tmp_path / "out", "--json")
    found = json.loads(answer.out)
    assert answer.code == 0 and found["same_source"] is True and "same table" in found["warnings"][0]
    assert "Warning: Both releases were made from the same table." in answer.err


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("clinic.csv",), "A table needs a plan"),
        (("nothing.csv", "--plan", "plan.toml"), "There is no file 'nothing.csv'."),
        (("nothere",), "There is no file 'nothere'."),
        (("clinc.csv",), "There is no file 'clinc.csv'. Hint: did you mean 'clinic.csv'?"),
        (("nothere", "clinic.csv"), "There is no folder 'nothere'."),
        (("clinic.csv", "--plan", "plan.toml", "--sampling-fraction", "2"), "above 0 and at most 1"),
        (("clinic.csv", "--plan", "plan.toml", "--seed", "-1"), "from 0 to 4294967295"),
        (("clinic.csv", "--plan", "plan.toml", "--reference", "voters.csv"), "quasi-identifiers of the plan"),
        (("clinic.csv", "--plan", "plan.toml", "--raw", "clinic.csv"), "not the folder of a release"),
        ((".",), "not the folder of a release"),
        (("clinic.csv", "clinic.csv"), "not the folder of a release"),
    ],
)
def test_wrong_usage(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], fact: str
) -> None:
    monkeypatch.chdir(plan.parent)
    (plan.parent / "voters.csv").write_text("name,party\nA,B\n", encoding="utf-8")
    answer = shoal("risk", *words)
    assert (answer.code, answer.out) == (2, "") and fact in answer.err
    assert SECRET not in answer.err


def test_ctrl_c(shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.risks.measuring.classes_of", cancel)
    answer = shoal("risk", plan.parent / "clinic.csv", "--plan", plan)
    assert answer.code == 130 and "Cancelled" in answer.err


def test_regulatory_views(shoal: Shoal, released: Path) -> None:
    answer = shoal("risk", released, "--view", "hipaa", "--view", "gdpr", "--quiet")
    assert answer.code == 0 and "Safe Harbor" in answer.out and "Singling out" in answer.out
    assert "compliant" not in answer.out and SECRET not in answer.out
    views = json.loads(shoal("risk", released, "--view", "ema", "--json", "--quiet").out)["views"]
    assert [view["view"] for view in views] == ["ema"]
    answer = shoal("risk", released, "--view", "hippa")
    assert answer.code == 2 and "did you mean 'hipaa'" in answer.err


def test_the_program_checks_the_attacks_themselves_against_the_raw_table(released: Path) -> None:
    command = [sys.executable, "-m", "shoal", "risk", str(released), str(released), "--json", "--quiet"]
    command += ["--raw", str(released.parent / "clinic.csv"), "--plan", str(released.parent / "plan.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    attacks = json.loads(done.stdout)["attacks"]
    assert {"linkage", "intersection", "row-order"} <= {attack["kind"] for attack in attacks}
    assert all(attack["holds"] for attack in attacks)


def test_the_program_runs_the_attacks_themselves(released: Path) -> None:
    """The command line skips libraries at its start that the learned attack needs; here nothing pretends."""
    command = [sys.executable, "-m", "shoal", "risk", str(released), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kinds = {attack["kind"] for attack in json.loads(done.stdout)["attacks"]}
    assert {"linkage", "homogeneity", "skewness", "known-values", "learned"} <= kinds


def test_what_classes_disclose(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("age,ill\n30,C50.9\n30,C34.1\n41,J45.9\n41,I10\n", encoding="utf-8")
    columns = '[columns.age]\nrole = "quasi-identifier"\n[columns.ill]\nrole = "sensitive"\n'
    tree = 'hierarchy = { kind = "icd10cm" }\nprotected = ["C00-D49"]\n'
    plan = tmp_path / "plan.toml"
    plan.write_text(f'{columns}{tree}[[models]]\nkind = "k-anonymity"\nk = 2\n', encoding="utf-8")
    answer = shoal("risk", tmp_path / "table.csv", "--plan", plan)
    stated = "The table is 2-anonymous, and still 1 class (2 rows) discloses C00-D49 (Neoplasms) in column 'ill'."
    assert answer.code == 0 and stated in answer.out and "A class discloses a node if" in answer.out
    assert "strong ancestors" in answer.out and "C50" not in answer.out and "I10" not in answer.out
    found = json.loads(shoal("risk", tmp_path / "table.csv", "--plan", plan, "--json", "--quiet").out)["disclosure"]
    assert (found["classes"], found["rows"], found["share"]) == (1, 2, 0.5)
    with_risk(plan, "disclosing = 0.4")
    answer = shoal("risk", tmp_path / "table.csv", "--plan", plan, "--gate")
    assert answer.code == 1 and "thresholds exceeded: disclosing" in answer.err


@pytest.mark.parametrize("engine", ["local", "stream"])
def test_engines_measure_the_same(shoal: Shoal, plan: Path, engine: str) -> None:
    table = plan.parent / "clinic.csv"
    found = json.loads(shoal("risk", table, "--plan", plan, "--json", "--no-attacks", "--engine", engine).out)
    expected = json.loads(shoal("risk", table, "--plan", plan, "--json", "--no-attacks").out)
    assert ("row-order" in " ".join(found.pop("notes"))) is (engine == "stream")
    expected.pop("notes")
    assert found == expected


def test_an_unknown_engine_is_refused(shoal: Shoal, plan: Path) -> None:
    answer = shoal("risk", plan.parent / "clinic.csv", "--plan", plan, "--engine", "steam")
    assert answer.code == 2 and "did you mean 'stream'?" in answer.err
