"""km-anonymity through the whole program: released folders, their verification, and what nobody may see in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Mondrian
from shoal.errors import HierarchyError, PlanError, PromiseBroken, TableError
from shoal.models import KAnonymity, KmAnonymity, LDiversity, QSDiversity
from shoal.search import rewriting
from tests.contract.kinds import read
from tests.effort import examples

TREE = "fever;general;*\nchills;general;*\ncough;airways;*\nsneeze;airways;*\nrash;skin;*\nacne;skin;*\n"
CELLS = ["fever|cough", "cough | fever", "", "rash", "fever|cough|rash", None, "rash|acne", "NA|sneeze"]
PATIENTS = pl.DataFrame({"age": [31, 32, 33, 34, 51, 52, 53, 54], "ill": CELLS, "sex": ["f", "m"] * 4})
ALGORITHMS = ["mondrian", "k-member", "optimal", "incognito", "samarati", "pais"]


def plan(tree: Path | None = None, k: int = 2, m: int = 2, **parts: Any) -> shoal.Plan:
    hierarchy = None if tree is None else shoal.tree(str(tree))
    columns = {"age": shoal.quasi(type="integer"), "ill": shoal.quasi_sensitive(hierarchy), "sex": shoal.sensitive()}
    models = [KAnonymity(k=2), KmAnonymity("ill", k=k, m=m)]
    return shoal.Plan(**{"columns": columns, "models": models, **parts})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "tree.csv"
    path.write_text(TREE, encoding="utf-8")
    return path


def sets(cells: Sequence[str | None], separator: str = "|") -> list[set[str]]:
    return [set((cell or "").split(separator)) - {""} for cell in cells]


def rarest(released: Sequence[set[str]], m: int) -> int:
    """The rows of the rarest combination, counted one by one."""
    every = {each for own in released for size in range(1, m + 1) for each in combinations(sorted(own), size)}
    return min((sum(set(each) <= own for own in released) for each in every), default=len(released))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("generalizes", [False, True])
def test_any_algorithm_and_other_models(algorithm: str, generalizes: bool, tree: Path, tmp_path: Path) -> None:
    asked = plan(tree if generalizes else None, algorithm=algorithm)
    asked = asked.changed(models=[*asked.models, LDiversity("sex", l=2)])
    shoal.anonymize(PATIENTS, asked).save(tmp_path / "out")
    released = sets([row["ill"] for row in read(tmp_path / "out/release.csv")])
    assert rarest(released, 2) >= 2
    assert shoal.verify_folder(tmp_path / "out").holds
    assert shoal.verify_folder(tmp_path / "out", plan=asked).holds


def test_items_are_generalized_over_a_file(tree: Path, tmp_path: Path) -> None:
    """Acne and rash become skin, cough and sneeze airways; one row has both, and loses the more frequent one."""
    frame = PATIENTS.with_columns(
        ill=pl.Series(["cough", "sneeze", "cough", "sneeze", "rash", "acne", "rash|cough", ""])
    )
    release = shoal.anonymize(frame, plan(tree, k=3))
    shown = sets(release.frame["ill"].to_list())
    assert rarest(shown, 2) >= 3
    assert sorted(map(sorted, shown)) == [[], *[["airways"]] * 4, *[["skin"]] * 3]
    facts = release.steward.items_removed["ill"]
    assert (facts.by_generalized, facts.by_item) == (
        {"acne": 1, "cough": 2, "rash": 2, "sneeze": 2},
        {"cough": 1},
    )
    assert release.steward.measures["item_loss"] == pytest.approx(facts.cost / facts.whole)
    (record,) = release.steward.search.item_removal or ()
    assert facts.cost == pytest.approx(record.cost)


def test_code_trees_and_prefixes_generalize_items(tmp_path: Path) -> None:
    codes = ["E11.9|I10", "E11.65", "E10.9|I10", "E11.9", "I10|E10.65", "I10", "E10.9", ""]
    for hierarchy in (shoal.hierarchies.Icd10Cm(), shoal.prefixes(3, 1)):
        asked = plan(k=3).changed(columns={**plan().columns, "ill": shoal.quasi_sensitive(hierarchy)})
        release = shoal.anonymize(PATIENTS.with_columns(ill=pl.Series(codes)), asked)
        shown = sets(release.frame["ill"].to_list())
        assert rarest(shown, 2) >= 3
        assert release.steward.items_removed["ill"].generalized
        release.save(tmp_path / hierarchy.kind)
        assert shoal.verify_folder(tmp_path / hierarchy.kind, plan=asked).holds


@pytest.mark.parametrize("generalizes", [False, True])
def test_a_k_above_the_rows_leaves_no_item(generalizes: bool, tree: Path) -> None:
    release = shoal.anonymize(PATIENTS, plan(tree if generalizes else None, k=9))
    assert release.frame["ill"].null_count() == 8
    assert release.steward.measures["item_loss"] == 1.0
    assert release.achieved["km-anonymity"] == {"k": None, "items": "none released"}
    assert any("Column 'ill' is released without any item" in warning for warning in release.warnings)


def test_suppressed_rows_do_not_count() -> None:
    frame = PATIENTS.with_columns(age=pl.Series([31, 31, 31, 31, 31, 31, 31, 99]), ill=pl.Series(["a"] * 2 + ["b"] * 6))
    asked = plan(k=3, release=shoal.ReleaseSettings(suppression=0.2), algorithm="optimal")
    release = shoal.anonymize(frame, asked)
    assert release.manifest.rows_suppressed == 1
    assert sorted(cell or "" for cell in release.frame["ill"]) == [""] * 2 + ["b"] * 5


def test_another_column_may_have_a_model_that_looks_items_up(tmp_path: Path) -> None:
    (tmp_path / "known.csv").write_text("flu,cough|fever\ncold,cough\nmeasles,fever|rash\n", encoding="utf-8")
    known = shoal.quasi_sensitive(knowledge=str(tmp_path / "known.csv"))
    models = [*plan().models, QSDiversity("signs", c=1, l=2)]
    both = plan(columns={**plan().columns, "signs": known}, models=models)
    release = shoal.anonymize(PATIENTS.with_columns(signs=PATIENTS["ill"]), both)
    assert release.verification.holds and len(release.steward.search.item_removal or ()) == 2
    with pytest.raises(PlanError, match="several models for which items are removed"):
        both.changed(models=[*models, KmAnonymity("signs", k=2, m=1)])


def test_lists_stay_lists_and_separators_may_be_inside_items(tree: Path) -> None:
    frame = PATIENTS.with_columns(pl.col("ill").str.replace_all(" ", "").str.split("|"))
    released = shoal.anonymize(frame, plan(tree)).frame
    assert released["ill"].dtype == pl.List(pl.String)
    other = plan().changed(columns={**plan().columns, "ill": shoal.quasi_sensitive(items=";")})
    odd = PATIENTS.with_columns(ill=pl.Series(["a|b;c", "a|b", "c;a|b", "a|b;c", "", "x|y", None, "c"]))
    shown = sets(shoal.anonymize(odd, other).frame["ill"].to_list(), ";")
    assert {item for own in shown for item in own} == {"a|b", "c"}


def test_anatomy_is_refused() -> None:
    with pytest.raises(PlanError, match="publishes exact quasi-identifiers beside its items"):
        plan(release=shoal.ReleaseSettings(form="anatomy"), algorithm="mondrian")


@pytest.mark.parametrize(
    ("tree_text", "said"),
    [
        (TREE.replace("skin", "sk|in"), "1 label of its hierarchy cannot be an item of a cell"),
        (TREE.replace("skin", "NA").replace("general", " x"), "2 labels of its hierarchy cannot be an item"),
        (TREE.replace("acne", "hives"), "does not cover 1 of the column's 5 distinct values"),
    ],
    ids=["separator", "missing and blank", "uncovered"],
)
def test_errors_show_no_item(tree_text: str, said: str, tree: Path) -> None:
    tree.write_text(tree_text, encoding="utf-8")
    with pytest.raises(HierarchyError, match=said) as refused:
        shoal.anonymize(PATIENTS, plan(tree))
    assert not any(item in str(refused.value) for item in ("acne", "rash", "cough", "fever", "sneeze"))


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.items.combinations._MOST", 2)
    with pytest.raises(TableError, match=r"Column 'ill': its sets have \d+ combinations of items") as refused:
        shoal.anonymize(PATIENTS, plan())
    assert "cough" not in str(refused.value)


def test_a_rewriting_that_keeps_no_promise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.search.removing.rewritten", lambda coded, partition, model: (partition, None))
    with pytest.raises(PromiseBroken, match="'km-anonymity' fails in"):
        shoal.anonymize(PATIENTS, plan())


def test_a_label_that_is_not_above_an_item_is_noticed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Airways become skin: every promise is kept, and every cell is a canonical set of labels."""
    from dataclasses import replace

    true = rewriting.rewritten

    def lying(*given: Any) -> Any:
        found, record = true(*given)  # type: ignore[misc]
        edit = found.edits["ill"]
        domain = replace(edit.domain, items=tuple(item.replace("airways", "skin") for item in edit.domain.items))
        return replace(found, edits={"ill": replace(edit, domain=domain)}), record

    monkeypatch.setattr("shoal.search.removing.rewritten", lying)
    frame = PATIENTS.with_columns(ill=pl.Series(["cough", "sneeze", "cough", "sneeze"] * 2))
    with pytest.raises(PromiseBroken, match="cells with items that their input rows do not have"):
        shoal.anonymize(frame, plan(tree, k=5))


def test_a_changed_release_is_noticed(tmp_path: Path) -> None:
    shoal.anonymize(PATIENTS, plan()).save(tmp_path / "out")
    released = pl.read_csv(tmp_path / "out/release.csv", infer_schema=False)
    assert shoal.verify(released, plan()).holds
    first = next(place for place, cell in enumerate(released["ill"].to_list()) if cell is None)
    changed = released["ill"].to_list()
    changed[first] = "acne"
    found = shoal.verify(released.with_columns(ill=pl.Series(changed)), plan())
    assert [verdict.kind for verdict in found.verdicts if not verdict.holds] == ["km-anonymity"]


@pytest.mark.parametrize("generalizes", [False, True])
def test_nothing_but_the_release_is_published(generalizes: bool, tree: Path, tmp_path: Path) -> None:
    """Inputs that differ only in what is removed or generalized publish the same bytes."""
    folders: dict[bytes, list[dict[str, bytes]]] = {}
    for number, cell in enumerate(("acne", "rash", "acne|rash", "chills", "sneeze", "cough", "fever|cough", "")):
        frame = PATIENTS.with_columns(ill=pl.Series([cell, *CELLS[1:6], "rash", "acne"]))
        folder = tmp_path / str(number)
        shoal.anonymize(frame, plan(tree if generalizes else None, k=3)).save(folder)
        files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        folders.setdefault(files["release.csv"], []).append(files)
        shown = {item for own in sets([row["ill"] for row in read(folder / "release.csv")]) for item in own}
        public = b"".join(files.values()).decode()
        assert not [item for item in ("acne", "chills", "sneeze") if item not in shown and item in public]
        manifest = json.loads(files["manifest.json"])
        assert "items_removed" not in manifest and "item_loss" not in manifest["measures"]
    assert any(len(alike) > 1 for alike in folders.values())
    assert all(each == alike[0] for alike in folders.values() for each in alike)


def test_a_plan_file_names_the_tree_beside_it(tree: Path, tmp_path: Path) -> None:
    PATIENTS.write_csv(tmp_path / "patients.csv")
    (tmp_path / "plan.toml").write_text(
        '[data]\nsource = "patients.csv"\n[columns.age]\nrole = "quasi-identifier"\n[columns.ill]\n'
        'role = "quasi-sensitive"\nhierarchy = { kind = "file", path = "tree.csv" }\n[columns.sex]\nrole = "drop"\n'
        '[[models]]\nkind = "k-anonymity"\nk = 2\n[[models]]\nkind = "km-anonymity"\ncolumn = "ill"\nk = 2\nm = 2\n'
    )
    release = shoal.anonymize_to(shoal.read_plan(tmp_path / "plan.toml"), tmp_path / "out")
    assert release.verification.holds
    assert 'path = "tree.csv"' in (tmp_path / "out/plan.toml").read_text()
    assert sorted(path.name for path in (tmp_path / "out").rglob("*") if path.is_file()) == sorted(
        ["release.csv", "manifest.json", "report.html", "report.json", "codebook.json", "datapackage.json", "plan.toml"]
    )


@given(data=st.data())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_release_keeps_its_promise(tree: Path, data: st.DataObject) -> None:
    items = st.sets(st.sampled_from(["fever", "chills", "cough", "sneeze", "rash", "acne"]), max_size=5)
    rows = data.draw(st.lists(st.tuples(st.integers(20, 25), items), min_size=3, max_size=25))
    frame = pl.DataFrame({"age": [age for age, _ in rows], "ill": ["|".join(own) for _, own in rows], "sex": "f"})
    k, m, generalizes = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 4)), data.draw(st.booleans())
    asked = plan(tree if generalizes else None, k=k, m=m, algorithm=Mondrian())
    released = shoal.anonymize(frame, asked).frame
    shown = sets(released["ill"].to_list())
    assert rarest(shown, m) >= k or not any(shown)


def test_recipients_read_that_items_may_be_missing_or_generalized(tree: Path, tmp_path: Path) -> None:
    """From the plan alone: the same is said whether or not an item was removed."""
    for name, hierarchy, cells in (("plain", None, CELLS), ("tree", tree, CELLS), ("whole", None, ["rash"] * 8)):
        release = shoal.anonymize(PATIENTS.with_columns(ill=pl.Series(cells)), plan(hierarchy))
        release.save(tmp_path / name)
        (note,) = json.loads((tmp_path / name / "manifest.json").read_text())["notes"]
        removed = "Column 'ill': items may have been removed from rows to keep the promise of 'km-anonymity'"
        also = ", or replaced by labels of its hierarchy (file), each of which stands for one or more items"
        assert note == f"{removed}{also if hierarchy else ''}."
        page = (tmp_path / name / "report.html").read_text()
        assert "items may have been removed from rows" in page and "Items of set-valued columns" not in page
        assert not release.steward.notes and "Items of set-valued columns" in release.steward_report.page()
        assert shoal.verify_folder(tmp_path / name).holds


def test_the_terminal_and_the_steward_see_what_became_of_items(tree: Path) -> None:
    frame = PATIENTS.with_columns(
        ill=pl.Series(["cough", "sneeze", "cough", "sneeze", "rash", "acne", "rash|cough", ""])
    )
    found = shoal.anonymize(frame, plan(tree, k=3)).steward.items_removed["ill"]
    assert (found.of, found.removed, found.generalized, found.published) == (8, 1, 7, 7)
    merged = frame.with_columns(ill=pl.Series(["cough|sneeze"] * 3 + ["rash|acne"] * 3 + ["cough|sneeze", ""]))
    merged = merged.with_columns(ill=pl.Series(["cough|sneeze", "cough", "sneeze", *merged["ill"].to_list()[3:]]))
    found = shoal.anonymize(merged, plan(tree, k=3)).steward.items_removed["ill"]
    assert found.of - found.removed >= found.published > 0
