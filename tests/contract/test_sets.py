"""Set-valued columns through the whole program: every file kind, edits, persons, suppression, folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import table
from shoal.algorithms import Scba
from shoal.attacks.running import Target, run_all
from shoal.dry_run import CheckedColumn, check
from shoal.errors import CannotBeMet, PlanError, PromiseBroken, TableError
from shoal.models import KAnonymity, QSCloseness, QSDiversity
from shoal.roles.columns import Data
from tests.effort import examples
from tests.itemsets import CANONICAL, PATIENTS, DifferentSets, FewItems, Trimming, listed, make_known, plan

ALIKE = pl.DataFrame(
    {
        "age": [40] * 6,
        "symptoms": ["b|a", "a|b", "a| b", "c", "b|a|a", "c"],
        "note": ["6", "5", "4", "3", "2", "1"],
    }
)
"""Six patients, of whom four have the same set in different notations."""


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    make_known(monkeypatch)


def by_note(release: shoal.Release) -> dict[str, str | None]:
    """The released set of every patient, by the note, which tells patients apart."""
    frame = release.tables["release"]
    return dict(zip(frame["note"].to_list(), frame["symptoms"].to_list(), strict=True))


# -- reading and writing ----------------------------------------------------------------------------------------------


def kinds() -> dict[str, Any]:
    """The same patients in every kind of frame."""
    lists = listed(PATIENTS)
    return {
        "polars": PATIENTS,
        "polars lists": lists,
        "lazy lists": lists.lazy(),
        "arrow lists": lists.to_arrow(),
        "pandas": PATIENTS.to_pandas(),
        "pandas lists": PATIENTS.to_pandas().assign(symptoms=lists["symptoms"].to_list()),
        "categories": PATIENTS.with_columns(pl.col("symptoms").cast(pl.Categorical)),
    }


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_of_frame_gives_the_same_sets(kind: str) -> None:
    given = kinds()[kind]
    release = shoal.anonymize(given, plan())
    assert by_note(release) == {
        note: text or None for note, text in zip(PATIENTS["note"].to_list(), CANONICAL, strict=True)
    }
    assert type(release.frame) is type(given)
    frame, _ = table.to_polars(release.frame)
    assert frame["symptoms"].dtype == (pl.List(pl.String) if "lists" in kind else pl.String)
    assert shoal.verify(release.frame, plan()).holds


def test_pandas_gets_lists_back() -> None:
    given = PATIENTS.to_pandas().assign(symptoms=listed(PATIENTS)["symptoms"].to_list())
    cells = shoal.anonymize(given, plan()).frame["symptoms"].tolist()
    assert cells[0] == ["cough", "fever"]
    assert all(type(cell) is list for cell in cells)


@pytest.mark.parametrize("source", ["in.csv", "in.tsv", "in.parquet", "lists.parquet", "lists.arrow", "in.xlsx"])
@pytest.mark.parametrize("format", ["csv", "parquet", "dta"])
def test_every_kind_of_file_gives_the_same_sets(source: str, format: Any, tmp_path: Path) -> None:
    path = tmp_path / source
    frame = listed(PATIENTS) if source.startswith("lists") else PATIENTS
    writers = {
        ".csv": frame.write_csv,
        ".tsv": lambda path: frame.write_csv(path, separator="\t"),
        ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc,
        ".xlsx": frame.write_excel,
    }
    if path.suffix == ".xlsx":
        pytest.importorskip("xlsxwriter")
    writers[path.suffix](path)
    asked = plan(data=Data(source=str(path)), release=shoal.ReleaseSettings(format=format))
    release = shoal.anonymize_to(asked, tmp_path / "out")
    assert sorted(by_note(release).items()) == sorted(by_note(shoal.anonymize(PATIENTS, plan())).items())
    assert shoal.verify_folder(tmp_path / "out", digest=release.digest).holds
    assert shoal.verify_folder(tmp_path / "out", plan=asked).holds
    written = table.read(tmp_path / f"out/release.{format}")
    assert (written["symptoms"].dtype == pl.List(pl.String)) is (format == "parquet")


def test_csv_has_canonical_texts(tmp_path: Path) -> None:
    shoal.anonymize(PATIENTS, plan()).save(tmp_path / "out")
    lines = (tmp_path / "out/release.csv").read_text().splitlines()
    assert lines[1] == '"[31, 32]",cough|fever,g'
    assert lines[3] == '"[33, 34]",,f'


def test_an_item_with_the_separator_needs_another_one() -> None:
    frame = PATIENTS.with_columns(symptoms=pl.Series([["a|b"], *[["c"]] * 7]))
    with pytest.raises(TableError, match="1 item that contains the separator") as refused:
        shoal.anonymize(frame, plan())
    assert "a|b" not in str(refused.value)
    columns = {**plan().columns, "symptoms": shoal.quasi_sensitive(items=";")}
    assert "a|b" in by_note(shoal.anonymize(frame, plan(columns=columns))).values()


# -- edits ------------------------------------------------------------------------------------------------------------


def test_items_are_removed_as_the_edit_says(tmp_path: Path) -> None:
    release = shoal.anonymize(PATIENTS, plan(1, Trimming(most=1)))
    assert by_note(release) == {
        note: text.split("|")[0] or None for note, text in zip(PATIENTS["note"].to_list(), CANONICAL, strict=True)
    }
    release.save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out").holds


@pytest.mark.parametrize("order", [range(6), [5, 4, 3, 2, 1, 0], [2, 0, 4, 1, 5, 3]])
def test_of_rows_that_are_alike_the_first_by_content_go_to_the_first_entry(order: Any) -> None:
    release = shoal.anonymize(ALIKE[list(order)], plan(1, Trimming(most=1, halved=True)))
    assert by_note(release) == {"2": "a", "4": "a", "5": "b", "6": "b", "1": "c", "3": "c"}
    shown = release.tables["release"]
    assert ALIKE[list(order)]["note"].gather(release.private.witness.row).to_list() == shown["note"].to_list()


@pytest.mark.parametrize("algorithm", [Trimming(most=2), Trimming(most=1, halved=True)])
@given(data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_edited_releases_are_true_and_do_not_depend_on_input_order(algorithm: Trimming, data: st.DataObject) -> None:
    cells = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=4).map("|".join)
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from([30, 40, 50]), cells, st.sampled_from("xyz")), min_size=4, max_size=14)
    )
    frame = pl.DataFrame(rows, schema={"age": pl.Int64, "symptoms": pl.String, "note": pl.String}, orient="row")
    asked = plan(2, replace(algorithm, most=min(algorithm.most, 2)))
    release = shoal.anonymize(frame, asked)
    assert shoal.verify(release.frame, asked).holds
    given_sets = table.canonical_sets(frame["symptoms"], "|").fill_null("").gather(release.private.witness.row)
    shown = release.tables["release"]["symptoms"].fill_null("")
    for before, after in zip(given_sets.to_list(), shown.to_list(), strict=True):
        assert set(after.split("|")) - {""} <= set(before.split("|"))
        assert len(after.split("|")) == min(algorithm.most, 2) or after == before
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=data.draw(st.integers(0, 99)))
    assert shoal.anonymize(shuffled, asked).frame.equals(release.frame)


def test_an_edit_that_adds_an_item_is_noticed() -> None:
    class Adding(Trimming):
        def partition(self, *given: Any, **more: Any) -> Any:
            found = super().partition(*given, **more)
            edit = found.edits["symptoms"]
            longest = int(np.argmax(edit.domain.lengths))
            codes = np.full_like(edit.codes, longest)
            return replace(found, edits={"symptoms": replace(edit, codes=codes)})

    with pytest.raises(PromiseBroken, match="cells with items that their input rows do not have"):
        shoal.anonymize(PATIENTS, plan(1, Adding(most=1)))


def test_a_promise_that_an_edit_does_not_keep_is_noticed() -> None:
    with pytest.raises(PromiseBroken, match="'few-items' fails in 4 of 4 classes"):
        shoal.anonymize(PATIENTS, plan(0, Trimming(most=1)))


# -- persons, suppression, other algorithms ---------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member", "optimal", "incognito", "samarati", "pais"])
def test_sets_go_with_any_algorithm(algorithm: str, tmp_path: Path) -> None:
    release = shoal.anonymize(PATIENTS, plan(algorithm=algorithm))
    assert sorted(text or "" for text in by_note(release).values()) == sorted(CANONICAL)
    release.save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out").holds


def test_sets_go_with_sensitivity_classes() -> None:
    columns = {**plan().columns, "ill": shoal.sensitive()}
    frame = PATIENTS.with_columns(ill=pl.Series(["HIV", "flu"] * 4))
    release = shoal.anonymize(frame, plan(columns=columns, algorithm=Scba("ill", ("HIV",))))
    assert sorted(text or "" for text in by_note(release).values()) == sorted(CANONICAL)


def test_persons_and_suppression_work() -> None:
    columns = {**plan().columns, "who": shoal.identifier()}
    frame = PATIENTS.with_columns(who=pl.Series([1, 1, 2, 3, 4, 5, 6, 7]), age=pl.Series([31] * 4 + [51] * 3 + [99]))
    asked = plan(
        1,
        Trimming(most=1),
        columns=columns,
        models=[KAnonymity(k=3), FewItems("symptoms", 1)],
        data=Data(person="who"),
        release=shoal.ReleaseSettings(suppression=0.2),
    )
    release = shoal.anonymize(frame, asked)
    assert release.manifest.rows_released >= 7
    assert release.verification.holds


def test_missing_rows_are_not_dropped_for_an_empty_set() -> None:
    release = shoal.anonymize(PATIENTS, plan(data=Data(missing_rows="drop")))
    assert release.manifest.rows_dropped == 0


# -- folders ----------------------------------------------------------------------------------------------------------


def saved(tmp_path: Path, **parts: Any) -> tuple[Path, shoal.Plan]:
    asked = plan(**parts)
    shoal.anonymize(PATIENTS, asked).save(tmp_path / "out")
    return tmp_path / "out", asked


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("cough|fever,g", "fever|cough,g", "1 cell that is no canonical set"),
        ("cough|fever,g", "cough|fever|zest,g", "was changed"),
        ("cough|fever,g", "cough|cough|fever,g", "1 cell that is no canonical set"),
    ],
)
def test_a_changed_set_in_a_folder_is_noticed(before: str, after: str, said: str, tmp_path: Path) -> None:
    folder, _ = saved(tmp_path)
    path = folder / "release.csv"
    path.write_text(path.read_text().replace(before, after))
    found = shoal.verify_folder(folder)
    assert not found.holds
    assert any(said in problem for problem in found.problems)


def test_the_published_plan_has_the_separator_and_no_path(tmp_path: Path) -> None:
    columns = {**plan().columns, "symptoms": shoal.quasi_sensitive(knowledge="/secret/place.csv")}
    folder, asked = saved(tmp_path, columns=columns)
    text = (folder / "plan.toml").read_text()
    assert 'items = "|"' in text and "place" not in text
    assert shoal.verify_folder(folder, plan=asked).holds
    other = asked.changed(columns={**columns, "symptoms": shoal.quasi_sensitive(items=";")})
    found = shoal.verify_folder(folder, plan=other).problems
    assert "The plan.toml of the release differs from the given plan: separators of items." in found


def test_nothing_but_the_release_is_published(tmp_path: Path) -> None:
    """Inputs with other items that are removed, other notations and another order publish the same bytes."""
    asked = plan(1, Trimming(most=1))
    other = PATIENTS.with_columns(
        symptoms=pl.Series(["zest|cough", "cough", None, "rash|zest", "cough", "NA", "rash", " cough|zest"])
    ).sample(fraction=1.0, shuffle=True, seed=3)
    folders = []
    for number, frame in enumerate((PATIENTS, other)):
        folder = tmp_path / str(number)
        shoal.anonymize(frame, asked).save(folder)
        folders.append({path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert folders[0] == folders[1]
    assert b"zest" not in b"".join(folders[1].values())
    manifest = json.loads(folders[0]["manifest.json"])
    assert "items_removed" not in manifest and "item_loss" not in manifest["measures"]


def test_the_codebook_lists_the_released_items(tmp_path: Path) -> None:
    folder, _ = saved(tmp_path, most=1, algorithm=Trimming(most=1))
    entry = json.loads((folder / "codebook.json").read_text())["columns"]["symptoms"]
    assert entry == {
        "role": "quasi-sensitive",
        "separator": "|",
        "distinct_items": 2,
        "items": ["cough", "rash"],
        "rows": [4, 2],
    }
    path = folder / "codebook.json"
    path.write_text(path.read_text().replace('"cough"', '"croup"'))
    assert "The codebook does not list the items of column 'symptoms'." in shoal.verify_folder(folder).problems


def test_the_steward_sees_what_was_removed(tmp_path: Path) -> None:
    release = shoal.anonymize(PATIENTS, plan(1, Trimming(most=1)))
    release.save(tmp_path / "out")
    facts = json.loads((tmp_path / "out.private/steward.json").read_text())
    assert facts["items_removed"]["symptoms"]["by_item"] == {"fever": 3, "rash": 1}
    assert facts["items_removed"]["symptoms"]["by_class_size"] == {"2": 4}
    assert facts["measures"]["item_loss"] == release.steward.measures["item_loss"]
    whole = 2 * (1 + 1 / 2) + 3 * 1 + (1 + 1 / 2 + 1 / 3)
    assert facts["measures"]["item_loss"] == pytest.approx((2 / 2 + 1 / 3 + 1 / 2) / whole)
    report = (tmp_path / "out.private/report.html").read_text()
    assert "2 items" in report and "fever" not in report, "items that so few rows lost are counted, not named"
    public = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    assert "fever" not in public
    described = json.loads(json.dumps(release.steward.to_json()))
    assert shoal.Manifest.from_json(described).items_removed == release.steward.items_removed


def test_risk_and_dry_run_take_sets(tmp_path: Path) -> None:
    frame = listed(PATIENTS)
    assert shoal.risk(frame, plan()).rows == 8
    release = shoal.anonymize(frame, plan())
    assert shoal.risk(release.frame, plan(), raw=frame).uniques == 0
    frame.write_parquet(tmp_path / "in.parquet")
    checked = check(plan(data=Data(source=str(tmp_path / "in.parquet"))))
    assert checked.columns["symptoms"] == CheckedColumn("quasi-sensitive", values=5, published="sets")


def test_warnings_do_not_call_sets_unchanged() -> None:
    frame = pl.DataFrame({"age": [30, 40] * 60, "symptoms": [f"a{n}|b{n}" for n in range(120)], "note": ["x"] * 120})
    warning = next(text for text in shoal.anonymize(frame, plan()).warnings if "'symptoms'" in text)
    assert warning.startswith("Quasi-sensitive column 'symptoms' is released and is nearly unique")
    assert warning.endswith("for one about all items.") and "  " not in warning


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member", "optimal", "incognito", "samarati", "pais"])
@given(sets=st.lists(st.sampled_from("abc"), min_size=8, max_size=8))
@settings(max_examples=examples(30), deadline=None)
def test_a_search_sees_the_sets_of_every_row(algorithm: str, sets: list[str]) -> None:
    """Rows that differ only in their sets are not alike to a model that reads them."""
    frame = PATIENTS.with_columns(symptoms=pl.Series(sets), age=pl.Series([31, 31, 33, 33, 51, 51, 53, 53]))
    models = [KAnonymity(k=2), DifferentSets("symptoms", 2)]
    asked = plan(models=models, algorithm=algorithm)
    if len(set(sets)) < 2:
        with pytest.raises(CannotBeMet):
            shoal.anonymize(frame, asked)
        return
    release = shoal.anonymize(frame, asked)
    assert release.verification.holds
    by_age = frame.group_by("age").agg(pl.col("symptoms").n_unique())["symptoms"]
    assert (release.measures["ncp"] == 0) is bool((by_age >= 2).all())


def test_attacks_take_lists() -> None:
    frame = listed(PATIENTS)
    released = shoal.anonymize(frame, plan()).frame
    for attacked in (frame, released):
        target = Target({"release": attacked}, plan(), raw=frame, reference=frame)
        assert target.main["symptoms"].dtype == pl.String
        assert run_all(target)


# -- knowledge tables -------------------------------------------------------------------------------------------------

ITEM_MODELS = {"diversity": QSDiversity("symptoms", c=1, l=2), "closeness": QSCloseness("symptoms", t=0.4)}


def linked(folder: Path, knowledge: str, model: Any, *others: Any, **settings_: Any) -> shoal.Plan:
    """A plan for these patients with a model that looks items up."""
    (folder / "known.csv").write_text(knowledge, encoding="utf-8")
    column = shoal.quasi_sensitive(knowledge=str(folder / "known.csv"), **settings_)
    return plan(columns={**plan().columns, "symptoms": column}, models=[*others, model])


@pytest.mark.parametrize("model", ITEM_MODELS.values(), ids=ITEM_MODELS)
@pytest.mark.parametrize(
    "knowledge",
    [
        "everything,cough|fever|rash\nflu,cough|fever\ncold,cough\n",
        "flu,cough|fever\nmeasles,fever|rash\nnone,\n",
        "flu,other\ncold,other\n",
        "".join(f"d{n},{('cough', 'fever', 'rash', 'x')[n % 4]}|{('y', 'rash')[n % 2]}\n" for n in range(10_000)),
    ],
    ids=["a label with every item", "a label without items", "items that no label has", "10,000 labels"],
)
@pytest.mark.parametrize("k", [1, 2])
def test_item_models_hold_whatever_the_knowledge_table(model: Any, knowledge: str, k: int, tmp_path: Path) -> None:
    asked = linked(tmp_path, knowledge, model, *([KAnonymity(k=k)] if k > 1 else []))
    try:
        release = shoal.anonymize(PATIENTS, asked)
    except CannotBeMet:
        assert model is ITEM_MODELS["closeness"]  # diversity is possible whenever there are enough labels
        return
    release.save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out", plan=asked).holds
    assert shoal.verify_folder(tmp_path / "out", knowledge=[str(tmp_path / "known.csv")]).holds


@pytest.mark.parametrize("model", ITEM_MODELS.values(), ids=ITEM_MODELS)
def test_an_empty_knowledge_table_is_refused(model: Any, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="has no rows"):
        shoal.anonymize(PATIENTS, linked(tmp_path, "label,item\n", model))


def test_too_few_labels_are_known_before_the_search(tmp_path: Path) -> None:
    asked = linked(tmp_path, "flu,cough|fever\ncold,cough\n", QSDiversity("symptoms", c=1, l=3))
    with pytest.raises(CannotBeMet, match="l may be at most 2") as refused:
        shoal.anonymize(PATIENTS, asked)
    assert "cough" not in str(refused.value)
    unknown = linked(tmp_path, "label,item\nflu,other\n", QSDiversity("symptoms", c=1, l=3))
    with_items = PATIENTS.filter(pl.Series([bool(text) for text in CANONICAL]))
    assert shoal.anonymize(with_items, unknown).verification.holds  # no row links to a label


def test_without_a_model_of_classes_only_items_are_removed(tmp_path: Path) -> None:
    asked = linked(tmp_path, "flu,cough|fever\ncold,cough\nmeasles,fever|rash\n", ITEM_MODELS["diversity"])
    frame = shoal.anonymize(PATIENTS, asked).frame
    assert sorted(frame["age"].to_list()) == sorted(map(str, PATIENTS["age"].to_list()))


def test_knowledge_is_relative_to_the_plan_file(tmp_path: Path) -> None:
    linked(tmp_path, "flu,cough|fever\ncold,cough|rash|fever\n", ITEM_MODELS["diversity"])
    PATIENTS.write_csv(tmp_path / "patients.csv")
    (tmp_path / "plan.toml").write_text(
        '[data]\nsource = "patients.csv"\n[columns.age]\nrole = "quasi-identifier"\n[columns.symptoms]\n'
        'role = "quasi-sensitive"\nknowledge = "known.csv"\n[columns.note]\nrole = "drop"\n'
        '[[models]]\nkind = "k-anonymity"\nk = 2\n'
        '[[models]]\nkind = "qs-diversity"\ncolumn = "symptoms"\nc = 1\nl = 2\n'
    )
    release = shoal.anonymize_to(shoal.read_plan(tmp_path / "plan.toml"), tmp_path / "out")
    assert release.verification.holds
    steward = json.loads((tmp_path / "out.private/steward.json").read_text())
    assert steward["item_removal"][0]["model"] == "qs-diversity"
    assert "item_removal" not in json.loads((tmp_path / "out/manifest.json").read_text())


@pytest.mark.parametrize("model", ITEM_MODELS.values(), ids=ITEM_MODELS)
def test_removed_items_leave_no_trace_in_the_public_folder(model: Any, tmp_path: Path) -> None:
    """Inputs that differ in what is removed alone publish the same bytes."""
    knowledge = "flu,cough|fever\ncold,cough|rash\nmumps,fever|rash\nmeasles,fever\ngout,cough|fever|rash\n"
    folders: dict[bytes, list[Path]] = {}
    for number, text in enumerate(("fever|cough|rash", "cough|rash", "rash", "fever|rash", "", "fever")):
        frame = PATIENTS.with_columns(symptoms=pl.Series([text, *CANONICAL[1:]]))
        folder = tmp_path / str(number)
        try:
            shoal.anonymize(frame, linked(tmp_path, knowledge, model, KAnonymity(k=2))).save(folder)
        except CannotBeMet:
            continue
        folders.setdefault((folder / "release.csv").read_bytes(), []).append(folder)
    for alike in folders.values():
        contents = [{path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()} for folder in alike]
        assert all(each == contents[0] for each in contents)


def test_one_column_has_one_item_model_and_scopes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"several models for which items are removed.*what each of them promises"):
        linked(tmp_path, "flu,cough\n", ITEM_MODELS["diversity"], ITEM_MODELS["closeness"])
    scoped = shoal.Scba(column="note", high=("a",))
    columns = {**plan().columns, "note": shoal.sensitive()}
    given = linked(tmp_path, "flu,cough\n", ITEM_MODELS["diversity"], KAnonymity(k=2))
    with pytest.raises(PlanError, match="publishes some rows exactly"):
        given.changed(columns={**columns, "symptoms": given.columns["symptoms"]}, algorithm=scoped)


@pytest.mark.parametrize("cells", [["a;b|c", "c"], ["a|a|b", "b"], ["", ""], ["a", "a"]])
def test_awkward_cells_are_released_or_refused_without_showing_them(cells: list[str], tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [31, 32], "symptoms": cells, "note": ["x", "y"]})
    asked = linked(tmp_path, '"l1",a|b|c\nl2,a|b|c|a;b\nl3,c|b\n', ITEM_MODELS["diversity"])
    release = shoal.anonymize(frame, asked)
    assert release.verification.holds
