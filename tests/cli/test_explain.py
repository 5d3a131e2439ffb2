from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from shoal.models import ALL, ClassModel, KAnonymity
from tests.cli.conftest import Shoal


def test_every_model_is_listed(shoal: Shoal) -> None:
    answer = shoal("explain")
    listed = [line.split()[0] for line in answer.out.splitlines() if line and not line.startswith(" ")]
    assert answer.code == 0
    assert [kind for kind in listed if kind in {model.kind for model in ALL}] == [model.kind for model in ALL]
    assert [model["kind"] for model in json.loads(shoal("explain", "--json").out)] == [model.kind for model in ALL]


@pytest.mark.parametrize("model", ALL)
def test_a_model_says_all_it_has_to_say(shoal: Shoal, model: type) -> None:
    answer = shoal("explain", model.kind)  # type: ignore[attr-defined]
    about = model.about  # type: ignore[attr-defined]
    assert answer.code == 0
    for text in (about.promise, about.not_protected, about.example, about.paper):
        assert text in answer.out


@pytest.mark.parametrize("model", ALL)
def test_what_a_model_does_not_protect_is_shown_by_an_attack(shoal: Shoal, model: type[ClassModel]) -> None:
    weak = model.about.weak
    assert weak is not None
    out = shoal("explain", model.kind).out
    for text in (*weak.columns, *weak.rows[0], f"Attack '{weak.attack}'", weak.shows):
        assert text in out
    assert out.index(weak.shows) < out.index("Paper: ")
    found = json.loads(shoal("explain", model.kind, "--json").out)
    attack = found["demonstration"]["attack"]
    assert attack["success"] > attack["baseline"] and found["demonstration"]["verdict"]["holds"] is True
    assert found["demonstration"]["rows"] == [list(row) for row in weak.rows]
    assert found["promise"] == model.about.promise and "weak" not in found


def test_a_model_without_a_small_table_is_explained_too(shoal: Shoal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KAnonymity, "about", replace(KAnonymity.about, weak=None))
    assert "small table" not in shoal("explain", "k-anonymity").out
    assert json.loads(shoal("explain", "k-anonymity", "--json").out)["demonstration"] is None


def test_an_unknown_model(shoal: Shoal) -> None:
    answer = shoal("explain", "k-anonimity")
    assert (answer.code, answer.out) == (2, "") and "did you mean 'k-anonymity'?" in answer.err


def test_what_a_release_achieves(shoal: Shoal, released: Path) -> None:
    answer = shoal("explain", "l-diversity", "--release", released)
    assert answer.code == 0 and "for 'diagnosis': required l = 2; achieved l = " in answer.out
    found = json.loads(shoal("explain", "l-diversity", "--release", released, "--json").out)
    assert found["release"][0]["holds"] is True


def test_a_release_that_does_not_promise_it(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    answer = shoal("explain", "t-closeness", "--release", released)
    assert answer.code == 2 and "k-anonymity, l-diversity" in answer.err
    assert shoal("explain", "--release", released).code == 2
    assert shoal("explain", "k-anonymity", "--release", tmp_path).code == 1
    (tmp_path / "manifest.json").write_text("[")
    assert shoal("explain", "k-anonymity", "--release", tmp_path).code == 1


def test_the_trap_of_judging_columns_alone_is_shown_on_any_release(shoal: Shoal, tmp_path: Path) -> None:
    cells = [("heart", "medicine"), ("heart", "surgery"), ("flu", "IV"), ("stomach", "IV")] * 3
    lines = [f"{age},{disease},{treatment}" for age, (disease, treatment) in enumerate(cells)]
    (tmp_path / "ward.csv").write_text("\n".join(["age,disease,treatment", *lines]) + "\n")
    roles = {"age": "quasi-identifier", "disease": "sensitive", "treatment": "sensitive"}
    columns = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    model = '[[models]]\nkind = "p-sensitive"\np = 3\nk = 4\n'
    (tmp_path / "plan.toml").write_text(f'[data]\nsource = "ward.csv"\n{columns}{model}')
    assert shoal("anonymize", tmp_path / "plan.toml", "--out", tmp_path / "out").code == 0
    answer = shoal("explain", "multi-sensitive", "--release", tmp_path / "out")
    assert answer.code == 0 and "does not promise this model" in answer.out
    assert "have a diversity below 3 over all columns together" in answer.out
    told = json.loads(shoal("explain", "multi-sensitive", "--release", tmp_path / "out", "--json").out)
    assert len(told["attacked"]) == 3 and told["release"] == []


@pytest.mark.parametrize("algorithm", ["k-member", "mondrian"])
def test_an_algorithm_is_not_a_model(shoal: Shoal, algorithm: str) -> None:
    answer = shoal("explain", algorithm)
    assert (answer.code, answer.out) == (2, "")
    assert f"'{algorithm}' is an algorithm, not a model" in answer.err and "algorithms.md" in answer.err
