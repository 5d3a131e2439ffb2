"""Adult with its hierarchies: 5-anonymous and 3-diverse in occupation, verified from the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from benchmarks.tables import QUASI, complete_rows
from shoal.hierarchies import File

ADULT = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "adult"
TREES = ("age", "education", "marital-status", "native-country", "race", "sex", "workclass")

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not ADULT.is_dir(), reason="needs the Adult data beside the project"),
]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = ADULT / "adult_complete.csv.gz"
    header = pl.read_csv(source, n_rows=1, infer_schema=False).columns
    tree = {name: File(str(ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv")) for name in TREES}
    columns = {name: shoal.quasi(tree[name]) if name in tree else shoal.insensitive() for name in header}
    columns["occupation"] = shoal.sensitive()
    plan = shoal.Plan(
        data=shoal.Data(source=str(source)),
        columns=columns,
        models=[shoal.KAnonymity(k=5), shoal.LDiversity("occupation", l=3)],
    )
    folder = tmp_path_factory.mktemp("adult") / "out"
    shoal.anonymize_to(plan, folder)
    return folder


def test_the_release_holds_and_says_so(released: Path) -> None:
    found = shoal.verify_folder(released)
    assert found.holds, found.problems
    manifest = json.loads((released / "manifest.json").read_text())
    assert manifest["rows_in"] == manifest["rows_released"] == 45_222
    assert manifest["measures"]["ncp"] < 0.05


def test_a_plain_count_agrees(released: Path) -> None:
    rows = pl.read_csv(released / "release.csv", infer_schema=False)
    classes = rows.group_by(TREES).agg(pl.len().alias("k"), pl.col("occupation").n_unique().alias("l"))
    assert classes["k"].min() >= 5  # type: ignore[operator]
    assert classes["l"].min() >= 3  # type: ignore[operator]


def test_every_label_is_in_the_tree_of_its_column(released: Path) -> None:
    rows = pl.read_csv(released / "release.csv", infer_schema=False)
    for name in TREES:
        lines = (ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv").read_text().splitlines()
        assert set(rows[name]) <= {label for line in lines for label in line.split(";")}


@pytest.mark.parametrize(
    ("algorithm", "most"),
    [
        (shoal.Mondrian(), 0.0124),
        (shoal.Mondrian(refine=True), 0.0092),
        (shoal.KMember(), 0.0095),
        (shoal.KMember(bounded=True), 0.0095),
        (shoal.KMember(refine=True), 0.0089),
    ],
)
def test_clusters_and_refinement_lose_less(algorithm: Any, most: float) -> None:
    rows = complete_rows(ADULT / "adult.data.gz")
    plan = shoal.Plan(
        columns={name: shoal.quasi() for name in QUASI},
        models=[shoal.KAnonymity(k=5)],
        algorithm=algorithm,
        data=shoal.Data(unlisted="insensitive"),
        release=shoal.ReleaseSettings(categories="sets"),
    )
    release = shoal.anonymize(rows, plan)
    assert release.verification.holds
    assert release.measures["ncp"] <= most
