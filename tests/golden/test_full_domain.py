"""The optimal full-domain recodings that another tool found and an exhaustive search confirmed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal
from benchmarks import tables
from shoal.algorithms import Optimal
from shoal.coded import Coded, Partition
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.hierarchies import File
from shoal.models import ClassModel, KAnonymity, LDiversity, TCloseness
from shoal.progress import silent
from shoal.table import read

GOLDEN = tables.SHARED / "peers" / "arx_golden.json"
CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text())["cases"] if GOLDEN.exists() else []


def name_of(case: dict[str, Any]) -> str:
    models = [f"{key}={case[key]}" for key in ("k", "l_distinct", "t_equal") if key in case]
    return "-".join([case["table"], *models, f"suppression={case['suppression']}", case["measure"]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adult")


@pytest.fixture(scope="module")
def coded(folder: Path) -> dict[str, Coded]:
    return {}


def coded_table(name: str, folder: Path, kept: dict[str, Coded]) -> Coded:
    if name not in kept:
        columns = {
            column: shoal.quasi(File(str(tables.HIERARCHIES / f"adult_hierarchy_{column}.csv")))
            for column in tables.QUASI
        }
        frame = read(str(tables.blowup(name, folder)), separator=tables.SEPARATOR)
        columns["occupation"] = shoal.sensitive()
        plan = shoal.Plan(
            columns=columns,
            models=[LDiversity("occupation", l=2)],
            algorithm=Optimal(),
            data=shoal.Data(unlisted="drop"),
        )
        kept[name] = fit(LocalEngine(frame), plan).coded
    return kept[name]


def models_of(case: dict[str, Any]) -> list[ClassModel]:
    models: list[ClassModel] = [KAnonymity(k=case["k"])]
    if "l_distinct" in case:
        models.append(LDiversity("occupation", l=case["l_distinct"]))
    if "t_equal" in case:
        models.append(TCloseness("occupation", t=case["t_equal"], reference="input"))
    return models


def figures(coded: Coded, partition: Partition) -> dict[str, Any]:
    """Levels, suppressed rows, classes and both scores, counted here."""
    levels = partition.recoding.class_levels()
    assert levels is not None
    node, rows = levels[0].tolist(), int(coded.counted.weight.sum())
    sizes = [0] * partition.classes
    for number, count in zip(partition.class_of.tolist(), partition.weight.tolist(), strict=True):
        sizes[number] += count
    gone, lost = rows - sum(sizes), 0.0
    for a, (domain, level) in enumerate(zip(coded.quasi, node, strict=True)):
        assert domain.leaves_under is not None
        cells = (domain.leaves_under[level] - 1) / (domain.leaves - 1)
        lost += float(cells[coded.counted.quasi[a, partition.row]] @ partition.weight) + gone
    return {
        "levels": dict(zip(coded.names, node, strict=True)),
        "suppressed": gone,
        "classes": partition.classes,
        "ncp": lost / rows / len(coded.quasi),
        "discernibility": sum(size**2 for size in sizes) + gone * rows,
    }


@pytest.mark.shared
@pytest.mark.skipif(not CASES, reason="needs the results of ARX beside the project")
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name_of(case), marks=[pytest.mark.slow] if case["table"] != "adult_30k" else [])
        for case in CASES
    ],
)
def test_the_same_optimum_is_found(case: dict[str, Any], folder: Path, coded: dict[str, Coded]) -> None:
    table = coded_table(case["table"], folder, coded)
    partition = Optimal(case["measure"]).partition(table, models_of(case), case["suppression"], 0, silent)
    found = figures(table, partition)
    assert partition.record.proven_optimal
    score = {"loss": "ncp", "discernibility": "discernibility"}.get(case["measure"])
    if found["levels"] != case["levels"]:
        assert score is not None, "definitions differ, so nothing but the levels can be compared"
        assert found[score] == pytest.approx(case[score], abs=5e-5)
    else:
        assert {key: found[key] for key in ("suppressed", "classes")} == {
            key: case[key] for key in ("suppressed", "classes")
        }
        assert found["discernibility"] == case["discernibility"]
        assert found["ncp"] == pytest.approx(case["ncp"], abs=5e-5)
