"""The disclosure audit: against plain Python, on the paper's table, code trees, persons and anatomies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import Similarity
from shoal.attacks.target import Target
from shoal.errors import HierarchyError
from shoal.hierarchies import Flat, Icd10Cm, Intervals
from shoal.risks.auditing import Tally, audit_of, with_trees
from shoal.table import Runs
from shoal.verification.anatomy import verify_tables
from tests.risks.trees import NODES, PATHS, brute_force, tree_in

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([*PATHS, None])), min_size=1, max_size=14)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> shoal.hierarchies.File:
    return tree_in(tmp_path_factory.mktemp("trees"))


def plan_of(ill: shoal.Column, models: Sequence[Any] = (), **parts: Any) -> shoal.Plan:
    columns = {"where": shoal.quasi(), "ill": ill}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2), *models], **parts)


def frame_of(rows: Sequence[tuple[str, str | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"where": pl.String, "ill": pl.String}, orient="row")


def audited(frame: pl.DataFrame, plan: shoal.Plan) -> dict[str, Any]:
    return dict(shoal.risk(frame, plan, attacks=False).figures["disclosure"])


def unnamed(levels: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: count for name, count in each.items() if name not in ("level", "name")} for each in levels]


@given(
    rows=ROWS,
    p=st.integers(1, 4),
    protected=st.lists(st.sampled_from(NODES), max_size=3, unique=True),
    missing_counts=st.booleans(),
)
def test_every_count_is_that_of_the_definition(
    tree: shoal.hierarchies.File,
    rows: list[tuple[str, str | None]],
    p: int,
    protected: list[str],
    missing_counts: bool,
) -> None:
    ill = shoal.sensitive(tree, protected=tuple(protected), missing_counts=missing_counts)
    plan = plan_of(ill, [shoal.PSensitive(p=p, k=p)] if p > 1 else [])
    frame = frame_of(rows)
    (found,) = audited(frame, plan)["columns"]
    expected = brute_force(rows, max(p, 2), protected, missing_counts=missing_counts)
    assert unnamed(found["levels"]) == expected["levels"]
    assert (found["extended"], found["nodes"]) == (expected["extended"], expected["nodes"])
    assert audit_of({"release": Runs.of(frame)}, plan, ["ill"]).to_json()["columns"] == [found]
    regrouped = verify_tables({"release": Runs.of(frame)}, plan_of(ill, [shoal.PSensitive(p=2, k=2)])).counted
    assert regrouped is not None and "ill" in regrouped.columns
    assert audit_of({}, plan, ["ill"], regrouped=regrouped).to_json()["columns"] == [found]


@given(rows=ROWS, protected=st.lists(st.sampled_from(NODES), min_size=1, max_size=3, unique=True))
def test_the_share_is_the_success_of_the_similarity_attack(
    tree: shoal.hierarchies.File, rows: list[tuple[str, str | None]], protected: list[str]
) -> None:
    plan = plan_of(shoal.sensitive(tree, protected=tuple(protected)))
    (outcome,) = Similarity().attack(Target({"release": frame_of(rows)}, plan))
    assert audited(frame_of(rows), plan)["share"] == pytest.approx(outcome.success)


def test_table_1_of_the_paper() -> None:
    """It is 2-anonymous, and the class of the two men of 20 to 30 years discloses diabetes."""
    frame = pl.DataFrame(
        {
            "age": ["50-60", "30-40", "30-40", "20-30", "20-30", "50-60"],
            "zip": ["43102"] * 6,
            "gender": ["Male", "Female", "Female", "Male", "Male", "Male"],
            "illness": ["C18.9", "C50.919", "B20", "E11.9", "E11.9", "I51.9"],
        }
    )
    quasi = {name: shoal.quasi() for name in ("age", "zip", "gender")}
    illness = shoal.sensitive(Icd10Cm(), protected=("C00-D49", "E00-E89"))
    plan = shoal.Plan(columns=quasi | {"illness": illness}, models=[shoal.KAnonymity(k=2)])
    found = audited(frame, plan)
    assert (found["classes"], found["rows"], found["share"]) == (1, 2, pytest.approx(1 / 3))
    assert found["table"]["smallest_class"] == 2
    (column,) = found["columns"]
    assert [level["name"] for level in column["levels"]] == ["code", "category", "block", "chapter"]
    assert [level["failing_classes"] for level in column["levels"]] == [1, 1, 1, 1]
    assert [(node["node"], node["rows"], node["disclosing_rows"]) for node in column["nodes"]] == [
        ("C00-D49", 2, 0),
        ("E00-E89", 2, 2),
    ]
    assert column["nodes"][0]["name"] == "Neoplasms"


def test_several_values_of_one_chapter_disclose_the_chapter_only() -> None:
    frame = frame_of([("a", "C50.9"), ("a", "C34.1"), ("b", "C50.9"), ("b", "J45.9")])
    (column,) = audited(frame, plan_of(shoal.sensitive(Icd10Cm(), protected=("C00-D49",))))["columns"]
    assert [level["disclosing_classes"] for level in column["levels"]] == [0, 0, 0, 1]
    assert column["extended"]["failing_rows"] == 2 and column["nodes"][0]["disclosing_rows"] == 2


@pytest.mark.parametrize(
    ("models", "p", "source"),
    [
        ((), 2, "default"),
        ((shoal.LDiversity("ill", l=4),), 2, "default"),
        ((shoal.PSensitive(p=3, k=3),), 3, "plan"),
        ((shoal.ExtendedPSensitive(p=4, k=4),), 4, "plan"),
        ((shoal.PSensitive(p=2, k=3), shoal.ExtendedPSensitive(p=3, k=4)), 3, "plan"),
    ],
)
def test_p_is_that_of_the_plan(tree: shoal.hierarchies.File, models: tuple[Any, ...], p: int, source: str) -> None:
    rows = [("a", "lung"), ("a", "flu"), ("a", "HIV")]
    (column,) = audited(frame_of(rows), plan_of(shoal.sensitive(tree), models))["columns"]
    assert (column["p"], column["p_from"]) == (p, source)
    assert [level["failing_classes"] for level in column["levels"]] == [int(p > 3), int(p > 2), int(p > 2)]


def test_a_missing_value_counts_only_if_the_plan_says_so_and_hides_a_disclosure(tree: shoal.hierarchies.File) -> None:
    rows = [("a", "lung"), ("a", None), ("b", None)]
    for counts, failing in ((False, 2), (True, 1)):
        (column,) = audited(frame_of(rows), plan_of(shoal.sensitive(tree, missing_counts=counts)))["columns"]
        assert [level["failing_classes"] for level in column["levels"]] == [failing] * 3
        assert [level["disclosing_classes"] for level in column["levels"]] == [0] * 3


def test_missing_values_are_those_of_the_plan(tree: shoal.hierarchies.File) -> None:
    plan = plan_of(shoal.sensitive(tree), data=shoal.Data(missing=("?",)))
    frame = frame_of([("a", "lung"), ("a", "?"), ("?", "flu"), ("", "HIV")])
    (column,) = audited(frame, plan)["columns"]
    assert [level["disclosing_classes"] for level in column["levels"]] == [0, 1, 1], "two rows without a place"


def test_a_column_of_nothing_but_missing_values_discloses_nothing(tree: shoal.hierarchies.File) -> None:
    found = audited(frame_of([("a", None), ("b", None)]), plan_of(shoal.sensitive(tree, protected=("cancer",))))
    assert (found["classes"], found["columns"][0]["extended"]["failing_rows"]) == (0, 2)


def test_individuals_are_counted_as_by_other_figures(tree: shoal.hierarchies.File) -> None:
    frame = frame_of([("a", "lung"), ("a", "liver"), ("a", "lung"), ("b", "flu")])
    frame = frame.with_columns(who=pl.Series([1, 1, 2, 3]))
    plan = plan_of(shoal.sensitive(tree, protected=("cancer",)), data=shoal.Data(person="who"))
    risk = shoal.risk(frame, plan, attacks=False)
    found = risk.figures["disclosure"]
    assert risk.individuals and found["table"]["individuals"]
    assert (found["classes"], found["rows"], found["table"]["rows"]) == (2, 3, 3)
    (node,) = found["columns"][0]["nodes"]
    assert (node["rows"], node["disclosing_rows"]) == (3, 2), "three rows of two individuals"


def test_the_classes_of_an_anatomy_are_its_groups(tree: shoal.hierarchies.File) -> None:
    frame = frame_of([(str(place), ill) for place, ill in enumerate(["lung", "liver", "HIV", "flu"] * 5)])
    form = shoal.ReleaseSettings(form="anatomy")
    columns = {"where": shoal.quasi(), "ill": shoal.sensitive(tree, protected=("cancer",))}
    plan = shoal.Plan(columns=columns, models=[shoal.LDiversity("ill", l=2)], release=form)
    release = shoal.anonymize(frame, plan)
    audit = audit_of(release.draft.tables, plan, ["ill"])
    classes: dict[int, set[str]] = {}
    for class_id, value, _ in release.tables["sensitive_ill"].iter_rows():
        classes.setdefault(class_id, set()).add(PATHS[value][2])
    similar = sum(len(groups) == 1 for groups in classes.values())
    assert audit.anatomy and (audit.classes, audit.rows) == (len(classes), 20)
    assert audit.columns[0].levels[0].disclosing.classes == 0, "every group has two values"
    assert audit.columns[0].levels[2].disclosing.classes == similar


def test_several_columns_together(tree: shoal.hierarchies.File) -> None:
    frame = frame_of([("a", "lung"), ("a", "lung"), ("b", "flu"), ("b", "lung"), ("c", "HIV"), ("c", "flu")])
    frame = frame.with_columns(dose=pl.Series([1, 20, 3, 4, 5, 30]), cost=pl.lit("low"))
    columns = {"where": shoal.quasi(), "ill": shoal.sensitive(tree), "cost": shoal.sensitive()}
    columns["dose"] = shoal.sensitive(Intervals((10,)), type="integer", protected=("[0, 9]",))
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    found = audited(frame, plan)
    assert with_trees(plan) == ("ill", "dose") and [each["column"] for each in found["columns"]] == ["ill", "dose"]
    assert (found["classes"], found["rows"]) == (2, 4), "the first by its illness, the second by its dose"
    assert found["columns"][1]["nodes"][0]["disclosing_rows"] == 2


def test_a_flat_tree_has_one_level() -> None:
    (column,) = audited(frame_of([("a", "x"), ("a", "x"), ("b", "y")]), plan_of(shoal.sensitive(Flat())))["columns"]
    assert [(level["level"], level["disclosing_rows"]) for level in column["levels"]] == [(0, 3)]


def test_only_nodes_with_enough_rows_are_named(tree: shoal.hierarchies.File) -> None:
    plan = plan_of(shoal.sensitive(tree, protected=("cancer", "viral", "digestive")))
    audit = audit_of({"release": Runs.of(frame_of([("a", "lung"), ("a", "liver"), ("b", "flu")]))}, plan, ["ill"])
    assert [node.node for node in audit.naming(2).columns[0].nodes] == ["cancer"]
    assert audit.naming(2).disclosing == audit.disclosing == Tally(2, 3)


def test_an_empty_table_discloses_nothing(tree: shoal.hierarchies.File) -> None:
    audit = audit_of({"release": Runs.of(frame_of([]))}, plan_of(shoal.sensitive(tree, protected=("cancer",))), ["ill"])
    assert audit.to_json()["share"] == 0.0 and audit.disclosing == Tally(0, 0)


def test_a_tree_that_is_not_at_hand_is_named(tree: shoal.hierarchies.File, tmp_path: Path) -> None:
    gone = shoal.hierarchies.File(str(tmp_path / "gone.csv"))
    audit = audit_of({"release": Runs.of(frame_of([("a", "lung")]))}, plan_of(shoal.sensitive(gone)), ["ill"])
    assert audit.unread == ("ill",) and audit.columns == ()


def test_the_order_of_rows_does_not_matter(tree: shoal.hierarchies.File) -> None:
    rng = np.random.default_rng(1)
    rows = [(str(rng.integers(4)), str(rng.choice([*PATHS]))) for _ in range(60)]
    plan = plan_of(shoal.sensitive(tree, protected=("cancer",)))
    assert audited(frame_of(rows), plan) == audited(frame_of(rows[::-1]), plan)


@pytest.mark.parametrize("label", ["C00-D48", "nonsense", "c50"])
def test_a_label_that_protects_nothing_gives_no_all_clear(label: str) -> None:
    plan = plan_of(shoal.sensitive(Icd10Cm(), protected=(label,)))
    with pytest.raises(HierarchyError, match=f"protects '{label}', which is no node"):
        shoal.risk(frame_of([("a", "C50.911"), ("a", "C34.90")]), plan)


def test_the_published_tree_of_a_release_may_lack_protected_nodes(tree: shoal.hierarchies.File, tmp_path: Path) -> None:
    rows = [(place, ill) for place in "ab" for ill in ("lung", "flu")]
    models = [shoal.ExtendedPSensitive(p=2, k=2)]
    release = shoal.anonymize(frame_of(rows), plan_of(shoal.sensitive(tree, protected=("cancer", "digestive")), models))
    release.save(tmp_path / "out")
    plan = shoal.read_plan(tmp_path / "out" / "plan.toml")
    assert "digestive" not in (tmp_path / "out" / "hierarchies" / "ill.csv").read_text()
    assert shoal.risk(pl.read_csv(tmp_path / "out" / "release.csv"), plan).figures["disclosure"]["classes"] == 0


def test_a_label_may_be_listed_twice(tree: shoal.hierarchies.File) -> None:
    ill = shoal.sensitive(tree, protected=("cancer", "cancer"))
    assert ill.protected == ("cancer",)
    assert len(audited(frame_of([("a", "lung")]), plan_of(ill))["columns"][0]["nodes"]) == 1
