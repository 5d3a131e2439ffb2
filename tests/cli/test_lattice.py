"""`shoal lattice` as a user calls it, and what any search says when it finds nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PLAN, SECRET, Shoal, names

OPTIMAL = PLAN + '[algorithm]\nkind = "optimal"\n'


def test_the_table_and_the_drawing(shoal: Shoal, plan: Path) -> None:
    plan.write_text(OPTIMAL)
    out = plan.parent / "lattice.svg"
    answer = shoal("lattice", plan, "--out", out)
    assert answer.code == 0
    assert "proven optimal" in answer.out and "chosen" in answer.out and str(out) in answer.out
    assert out.read_text().startswith("<svg")
    assert SECRET not in answer.out + answer.err + out.read_text()
    again = shoal("lattice", plan, "--out", out)
    assert again.code == 2 and "--force" in again.err
    assert shoal("lattice", plan, "--out", out, "--force").code == 0


def test_json_has_every_recoding_of_a_small_lattice(shoal: Shoal, plan: Path) -> None:
    plan.write_text(OPTIMAL)
    before = names(plan.parent)
    found = json.loads(shoal("lattice", plan, "--json").out)
    assert found["columns"] == ["age", "city"]
    assert len(found["nodes"]) == found["size"]
    assert found["chosen"]["status"] == "passes"
    assert names(plan.parent) == before


def test_other_algorithms_have_no_lattice(shoal: Shoal, plan: Path) -> None:
    answer = shoal("lattice", plan)
    assert (answer.code, answer.out) == (2, "")
    assert "'mondrian' searches no lattice" in answer.err


@pytest.mark.parametrize("kind", ["optimal", "incognito", "samarati", "mondrian"])
@pytest.mark.parametrize("command", ["anonymize", "lattice", "plan check"])
def test_what_cannot_be_met_is_explained_with_exit_code_3(shoal: Shoal, plan: Path, kind: str, command: str) -> None:
    if (kind, command) == ("mondrian", "lattice"):
        return
    plan.write_text(PLAN.replace("l = 2", "l = 4").replace("k = 4", "k = 500") + f'[algorithm]\nkind = "{kind}"\n')
    out = ["--out", plan.parent / "out"] if command == "anonymize" else []
    answer = shoal(*command.split(), plan, *out)
    assert (answer.code, answer.out) == (3, "")
    assert "'k-anonymity' (k = 500)" in answer.err and "k = 120" in answer.err
    assert "'diagnosis' has 3 values that count" in answer.err and "l = 3" in answer.err
    assert SECRET not in answer.err and answer.err.count("\n") == 1


def test_a_limit_on_suppression_that_blocks_is_named(shoal: Shoal, plan: Path) -> None:
    shares = '[[models]]\nkind = "alpha-k"\ncolumn = "diagnosis"\nalpha = 0.3\nk = 2\n'
    release = '[algorithm]\nkind = "optimal"\n[release]\nsuppression = 0.1\n'
    plan.write_text(PLAN.split("[[models]]")[0] + shares + release)
    answer = shoal("anonymize", plan, "--out", plan.parent / "out")
    assert answer.code == 3
    assert "at most 12 of 120 rows suppressed" in answer.err
    assert "'alpha-k' would hold with alpha = 0.3334" in answer.err
    assert "more rows than the allowed 12 would have to be suppressed" in answer.err
    plan.write_text(plan.read_text().replace("suppression = 0.1", "suppression = 0.02"))
    refused = shoal("anonymize", plan, "--out", plan.parent / "out").err
    assert "at least 6 of 120 rows (5 %) would have to be suppressed" in refused


def test_a_lattice_under_lkc(shoal: Shoal, plan: Path) -> None:
    lkc = '[[models]]\nkind = "lkc"\nl = 1\nk = 30\nc = 0.5\ncolumn = "diagnosis"\n'
    plan.write_text(PLAN.split("[[models]]")[0] + lkc + '[algorithm]\nkind = "optimal"\n')
    out = plan.parent / "lattice.svg"
    answer = shoal("lattice", plan, "--out", out)
    assert answer.code == 0 and "and 0 suppressed rows" in answer.out
    assert SECRET not in answer.out + answer.err + out.read_text()
    nodes = json.loads(shoal("lattice", plan, "--json").out)["nodes"]
    assert {node["status"] for node in nodes} >= {"passes", "fails"}
    for node in nodes:  # the table fails as a whole: it is nothing that leaving rows out would help
        assert (node["suppressed"] is None) is (node["status"] != "passes")


def test_no_file_of_the_plan_is_replaced(shoal: Shoal, plan: Path) -> None:
    assert "ends in .svg" in shoal("lattice", plan, "--out", plan, "--force").err
    for read in (plan.name, "clinic.csv", "city.csv"):
        link = plan.parent / f"{read}.svg"
        link.symlink_to(read)
        answer = shoal("lattice", plan, "--out", link, "--force")
        assert answer.code == 2 and "is read by this command" in answer.err
