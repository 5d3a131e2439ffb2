"""The optimal full-domain recodings that another tool found and an exhaustive search confirmed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal
from benchmarks import tables
from shoal.algorithms import Optimal
from shoal.coded.encode import LEVELS, Encoded, encode
from shoal.coded.partition import Partition
from shoal.hierarchies import File
from shoal.models import ClassModel, KAnonymity, LDiversity, TCloseness
from shoal.progress import silent
from shoal.roles.columns import Data
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
def encoded(folder: Path) -> dict[str, Encoded]:
    return {}


def encoded_table(name: str, folder: Path, kept: dict[str, Encoded]) -> Encoded:
    if name not in kept:
        columns = {
            column: shoal.quasi(File(str(tables.HIERARCHIES / f"adult_hierarchy_{column}.csv")))
            for column in tables.QUASI
        }
        frame = read(str(tables.blowup(name, folder)), separator=tables.SEPARATOR)
        columns["occupation"] = shoal.sensitive()
        kept[name] = encode(frame, columns, Data(), ("occupation",), LEVELS)
    return kept[name]


def models_of(case: dict[str, Any]) -> list[ClassModel]:
    models: list[ClassModel] = [KAnonymity(k=case["k"])]
    if "l_distinct" in case:
        models.append(LDiversity("occupation", l=case["l_distinct"]))
    if "t_equal" in case:
        models.append(TCloseness("occupation", t=case["t_equal"], reference="input"))
    return models


def figures(encoded: Encoded, partition: Partition) -> dict[str, Any]:
    """Levels, suppressed rows, classes and both scores, counted here."""
    assert partition.levels is not None
    node, weight = partition.levels[0].tolist(), encoded.rows.weight
    kept = partition.class_of >= 0
    gone, rows = int(weight[~kept].sum()), int(weight.sum())
    sizes = [0] * partition.classes
    for number, count in zip(partition.class_of[kept].tolist(), weight[kept].tolist(), strict=True):
        sizes[number] += count
    lost = 0.0
    for a, (column, level) in enumerate(zip(encoded.quasi, node, strict=True)):
        assert column.leaves_under is not None
        cells = (column.leaves_under[level] - 1) / (column.leaves - 1)
        lost += float(cells[encoded.codes[kept, a]] @ weight[kept]) + gone
    return {
        "levels": dict(zip(encoded.names, node, strict=True)),
        "suppressed": gone,
        "classes": partition.classes,
        "ncp": lost / rows / len(encoded.quasi),
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
def test_the_same_optimum_is_found(case: dict[str, Any], folder: Path, encoded: dict[str, Encoded]) -> None:
    table = encoded_table(case["table"], folder, encoded)
    partition = Optimal(case["measure"]).partition(table, models_of(case), case["suppression"], silent)
    found = figures(table, partition)
    assert partition.facts["proven_optimal"]
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
