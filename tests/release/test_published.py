"""The published plan names what verification needs, and nothing of the input. Saving a release tests the trees."""

from __future__ import annotations

import polars as pl

import shoal
from shoal.hierarchies import File, Learned
from shoal.release.public import public_plan
from shoal.release.published import published_tables
from shoal.table import Runs


def plan(tree: object) -> shoal.Plan:
    return shoal.Plan(
        data=shoal.Data(source="/home/steward/patients.csv", separator=";"),
        columns={
            "zip": shoal.quasi(File("/home/steward/zips.csv"), weight=3.0),
            "age": shoal.quasi(shoal.intervals(5, 10)),
            "ill": shoal.sensitive(tree),
            "drug": shoal.sensitive(Learned(fanout=2)),
        },
        models=[shoal.KAnonymity(k=2), shoal.TCloseness("ill", t=0.5, distance="hierarchical")],
        seed=987654321,
    )


def test_source_seed_weight_and_paths_stay_with_the_steward() -> None:
    made = plan(File("/home/steward/ills.csv"))
    tables = published_tables(
        public_plan(made, {"release": Runs.of(pl.DataFrame({name: [] for name in made.columns}))})
    )
    assert not any(word in str(tables) for word in ("steward", "weight", "987654321"))
    assert tables["data"] == {}
    assert tables["columns"]["zip"]["hierarchy"] == {"kind": "file", "path": "zips.csv"}


def test_a_tree_that_no_promise_is_about_is_not_published() -> None:
    by_count = plan(File("/home/steward/ills.csv")).changed(models=[shoal.LDiversity("ill", l=2)])
    assert by_count.reads == ("ill",) and by_count.reads_trees == ()
    assert published_tables(by_count)["columns"]["ill"]["hierarchy"] == {"kind": "file", "path": "ills.csv"}


def test_a_tree_that_a_model_reads_lies_in_the_folder() -> None:
    for tree in (File("/home/steward/ills.csv"), Learned(fanout=2)):
        published = published_tables(plan(tree))["columns"]["ill"]["hierarchy"]
        assert published == {"kind": "file", "path": "hierarchies/ill.csv", "separator": ";"}
