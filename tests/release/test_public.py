"""The public manifest sees tables, plan and counts, and says nothing else. Twins in the contract compare all bytes."""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal import attacks
from shoal.release import public
from shoal.release.public import Counts, attacked, public_manifest, public_plan
from shoal.table import Runs
from shoal.verification.anatomy import verify_tables
from shoal.verification.labelled import labelled

COLUMNS = {"who": shoal.identifier(), "age": shoal.quasi(weight=3.0), "ill": shoal.sensitive()}
PLAN = shoal.Plan(
    columns=COLUMNS,
    models=[shoal.KAnonymity(k=2)],
    data=shoal.Data(source="patients.csv", unlisted="insensitive", separator=";"),
    seed=7,
)
TABLE = pl.DataFrame({"age": ["", "", "[20, 29]", "[20, 29]", "[20, 29]"], "ill": ["a"] * 5, "note": ["x"] * 5})


def test_the_public_plan_has_no_source_seed_and_weights_and_lists_every_column() -> None:
    plan = public_plan(PLAN, {"release": Runs.of(TABLE)})
    assert (plan.data.source, plan.data.separator, plan.seed, plan.columns["age"].weight) == (None, None, 0, 1.0)
    assert set(plan.columns) == {*COLUMNS, "note"} and plan.columns["note"].role == "insensitive"
    assert public_plan(plan, {"release": Runs.of(TABLE)}) == plan


def test_the_manifest_follows_from_tables_plan_and_counts() -> None:
    tables, plan = {"release": Runs.of(TABLE)}, public_plan(PLAN, {"release": Runs.of(TABLE)})
    found = public_manifest(tables, plan, Counts(8, 2), labelled(tables, plan), verify_tables(tables, plan), None)
    assert (found.rows_in, found.rows_released, found.rows_suppressed, found.rows_dropped) == (8, 5, 3, 2)
    assert found.measures["ncp"] == pytest.approx((3 * 1 + 3) / 8)
    assert found.missing is not None and found.missing.columns == ("age",)
    assert (found.missing.share_of_rows, found.missing.smallest_class_showing_missing) == (0.4, 2)
    assert found.missing.smallest_other_class == 3
    assert found.holds and not found.timings and found.search.cost is None
    assert attacked(tables, plan) == {}


def test_nothing_that_knows_the_input_is_imported() -> None:
    imported = {
        node.module or "" for node in ast.walk(ast.parse(inspect.getsource(public))) if isinstance(node, ast.ImportFrom)
    }
    private = ("shoal.coded", "shoal.engines", "shoal.search", "shoal.algorithms", "shoal.release.draft")
    assert not [name for name in imported if name.startswith(private)]


def test_no_attack_that_uses_the_input_is_published() -> None:
    """A release never builds a target, which may hold the input or a reference, so that no outcome is published."""
    folder = Path(public.__file__).parent
    names = {name for path in folder.glob("*.py") for name in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    assert not names & {"Target", "run_all"}
    assert [attack.kind for attack in attacks.ALL if attack.published] == ["elimination"]
    for attack in attacks.ALL:
        assert attack.published or attack.found_in({"release": Runs.of(TABLE)}, PLAN) == ()


def test_attacks_leave_the_public_folder_as_it_is(tmp_path: Path) -> None:
    raw = pl.DataFrame({"who": list("abcdef"), "age": [20, 21, 22, 40, 41, 42], "ill": ["x", "y", "z"] * 2})
    plan = PLAN.changed(data=shoal.Data())
    release = shoal.anonymize(raw, plan)
    release.save(tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    reference = raw.select("age")
    outcomes = attacks.run_all(
        attacks.Target(release.tables, plan, raw=raw, reference=reference, earlier=release.tables)
    )
    assert {"linkage", "minimality", "intersection"} <= {outcome.kind for outcome in outcomes}
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    release.save(tmp_path / "again")
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert "attacks" not in json.loads(before["manifest.json"])
