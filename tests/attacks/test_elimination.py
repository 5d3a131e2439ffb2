"""Elimination finds what per-column diversity lets through, and nothing where the diversity is enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import Elimination, Target, elimination, trap, trap_in_folder
from shoal.attacks.elimination import Trap, evidence_of
from shoal.datasets import registry
from shoal.errors import ShoalError
from shoal.models.evidence import CLASS, COUNT, Evidence, SensitiveFacts
from shoal.roles.columns import Column
from tests.attacks.conftest import attacked, patients, plan_of, quick

SENSITIVE = ("topography", "histology", "survival_years")


def released(model: object, form: str = "generalized") -> shoal.Release:
    columns = {name: shoal.quasi() for name in ("birth_date", "gender", "race", "zip")}
    columns |= {name: shoal.sensitive() for name in SENSITIVE}
    plan = shoal.Plan(
        columns=columns,
        models=(model,),
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(form=form),
    )
    return shoal.anonymize(registry(2500, 4), plan)


def test_columns_judged_alone_fall_and_judged_together_do_not(tmp_path: Path) -> None:
    l = 7
    alone, together = released(shoal.PSensitive(p=l, k=20)), released(shoal.MultiSensitive(l=l, k=20))
    found = trap(evidence_of(alone.tables["release"], alone.plan), SENSITIVE, l)
    assert found.pass_each_column == found.classes > 20
    assert 0 < found.trapped <= found.fall_together
    ours = trap(evidence_of(together.tables["release"], together.plan), SENSITIVE, l)
    assert ours.classes > 10 and (ours.fall_together, ours.exposed) == (0, 0)
    alone.save(tmp_path / "out")
    assert trap_in_folder(tmp_path / "out") == found  # l is the p of its plan
    assert Elimination.shown_on(tmp_path / "out") == found.sentences()
    assert len(found.sentences()) == 3 and str(found.fall_together) in found.sentences()[1]


@pytest.mark.parametrize("l", [3, 5, 7])
def test_plain_python_and_the_kernels_find_the_same_classes(l: int, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released(shoal.PSensitive(p=3, k=10))
    stats = elimination._stats(evidence_of(release.tables["release"], release.plan), SENSITIVE)
    everyone = np.ones(len(stats), np.bool_)
    failing = []
    for nodes in (0, 10**9):
        monkeypatch.setattr(elimination, "_NODES_IN_PYTHON", nodes)
        failing.append(elimination._not_diverse(stats, SENSITIVE, l, everyone))
    assert 0 < failing[0] == failing[1] < len(stats)


def test_missing_values_are_ruled_out_for_nothing() -> None:
    frame = pl.DataFrame({CLASS: [0] * 4, COUNT: [1] * 4, "a": ["x", "x", "y", None], "b": ["1", "2", None, "4"]})
    facts = {"a": SensitiveFacts(), "b": SensitiveFacts()}
    attack = Elimination(ruled_out=0, columns=("a", "b"))
    assert attack.run(Evidence(frame, facts)).classes_exposed == 1  # of the rows that miss nothing, all have x
    lenient = SensitiveFacts(Column(role="sensitive", missing_counts=True))
    counting = {"a": lenient, "b": lenient}
    assert attack.run(Evidence(frame, counting)).classes_exposed == 0


def test_an_anatomy_does_not_show_the_trap(tmp_path: Path) -> None:
    release = released(shoal.MultiSensitive(l=4, k=10), form="anatomy")
    release.save(tmp_path / "out")
    assert "anatomy" in Elimination.shown_on(tmp_path / "out")[0]
    with pytest.raises(ShoalError, match="does not show which sensitive values share a row"):
        trap_in_folder(tmp_path / "out")


def saved(model: object, folder: Path) -> dict[str, Any]:
    """The manifest of a small release of two sensitive columns."""
    frame = registry(600, seed=1).select("gender", "race", "topography", "histology")
    columns = {
        "gender": shoal.quasi(),
        "race": shoal.quasi(),
        "topography": shoal.sensitive(),
        "histology": shoal.sensitive(),
    }
    shoal.anonymize(frame, shoal.Plan(columns=columns, models=(model,))).save(folder)
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_a_release_tells_what_elimination_finds_in_it(tmp_path: Path) -> None:
    manifest = saved(shoal.PSensitive(p=3, k=5), tmp_path / "out")
    assert manifest["attacks"]["elimination"] == list(trap_in_folder(tmp_path / "out").sentences())
    assert manifest["attacks"]["elimination"][0] in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_columns_that_the_model_does_not_cover_are_named() -> None:
    columns = {name: shoal.sensitive() for name in SENSITIVE} | {"zip": shoal.quasi()}
    some = shoal.MultiSensitive(l=3, k=5, columns=SENSITIVE[:2])
    all_of_them = shoal.MultiSensitive(l=3, k=5)
    for model, sentences in ((some, 1), (all_of_them, 0), (shoal.PSensitive(p=3, k=5), 0)):
        assert len(elimination._partly_covered(shoal.Plan(columns=columns, models=[model]))) == sentences
    (sentence,) = elimination._partly_covered(shoal.Plan(columns=columns, models=[some]))
    assert f"({SENSITIVE[0]}, {SENSITIVE[1]}) only" in sentence


def test_a_release_that_guards_one_column_is_attacked_only_when_asked(tmp_path: Path) -> None:
    manifest = saved(shoal.LDiversity("histology", l=3), tmp_path / "out")
    assert "attacks" not in manifest
    assert any("No model covers sensitive column 'topography'" in warning for warning in manifest["warnings"])
    assert len(Elimination.shown_on(tmp_path / "out")) == 3


def test_an_outcome_counts_the_exposed_rows() -> None:
    frame = pl.DataFrame(
        {
            "age": ["1"] * 4 + ["2"] * 3,
            "a": ["x", "x", "y", "y", "x", "y", "z"],
            "b": ["1", "2", "1", "2", "1", "2", "3"],
        }
    )
    columns = {"age": shoal.quasi(), "a": shoal.sensitive(), "b": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.MultiSensitive(l=3, k=2)])
    (outcome,) = Elimination().attack(Target({"release": frame}, plan))
    assert outcome.success == 4 / 7 and outcome.bound == 0 and not outcome.holds  # without x, class 1 has y only
    assert outcome.baseline == 0 and "1 value of the sensitive columns" in outcome.knows
    (weaker,) = Elimination(ruled_out=0).attack(Target({"release": frame}, plan))
    assert weaker.success == 0 and weaker.holds
    assert Elimination(ruled_out=2).attack(Target({"release": frame}, plan))[0].bound is None


@given(frame=patients(), l=st.integers(3, 4))
@quick
def test_multi_sensitive_leaves_nothing_to_eliminate(frame: pl.DataFrame, l: int) -> None:
    (outcome,) = Elimination().attack(attacked(frame, plan_of(shoal.MultiSensitive(l=l, k=2))))
    assert outcome.bound == 0 and outcome.success == 0 and outcome.holds


def test_one_class_is_singular() -> None:
    each, together, exposed = Trap(3, ("ill", "drug"), 1, 1, 1, 1, 1).sentences()
    assert each.startswith("1 of 1 class has at least 3 values of every sensitive column (ill, drug) and so satisfies ")
    assert together.startswith("1 of these classes has a diversity below 3")
    assert exposed.startswith("In 1 class, an intruder who rules out up to 1 value of an individual ")
    assert exposed.endswith("; 1 of these classes satisfies 3-diversity in each column.")
