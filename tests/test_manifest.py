"""The manifest: what a release says of itself is written and read back, and nothing else is read as one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms import Incognito, Mondrian, Optimal, Pais, Samarati
from shoal.coded.record import SearchRecord
from shoal.errors import PromiseBroken
from shoal.manifest import MANIFEST, Manifest, MissingEffect, described, read_manifest
from shoal.models.evidence import Verdict
from shoal.report import Facts, Report
from shoal.verification.folder import private_folder
from tests.contract.patients import patients
from tests.effort import examples
from tests.report.manifests import manifest as full


def plan_for(algorithm: Any, *models: Any, **parts: Any) -> shoal.Plan:
    columns = {
        "age": shoal.quasi(shoal.intervals(5, 10, 20)),
        "zip": shoal.quasi(shoal.prefixes(3, 1), type="text"),
        "diagnosis": shoal.sensitive(),
        "stay": shoal.sensitive(),
    }
    asked = models or (shoal.KAnonymity(k=3), shoal.LDiversity("diagnosis", l=2))
    data = shoal.Data(unlisted="drop", **parts.pop("data", {}))
    return shoal.Plan(columns=columns, models=asked, algorithm=algorithm, data=data, **parts)


LKC = shoal.LKC(l=1, k=3, c=0.9, column="diagnosis", values=("I10",))
JOINT = shoal.MultiSensitive(l=2, k=3)
PLANS: dict[str, shoal.Plan] = {
    "mondrian": plan_for(Mondrian()),
    "persons": plan_for(Mondrian(), shoal.KAnonymity(k=2), shoal.AlphaK("stay", 0.9, 2), data={"person": "name"}),
    "pais": plan_for(Pais(), LKC),
    "optimal": plan_for(Optimal(), release=shoal.ReleaseSettings(suppression=0.1)),
    "local": plan_for(Optimal(local=True)),
    "incognito": plan_for(Incognito()),
    "samarati": plan_for(Samarati()),
    "anatomy": plan_for(Mondrian(), JOINT, release=shoal.ReleaseSettings(form="anatomy", format="parquet")),
}
FRAME = patients().with_columns(age=pl.when(pl.int_range(40) % 9 == 0).then(None).otherwise(pl.col("age")))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of the release of a plan, made once."""
    folder, made = tmp_path_factory.mktemp("manifests"), set[str]()

    def of(kind: str) -> Path:
        if kind not in made:
            shoal.anonymize(FRAME, PLANS[kind]).save(folder / kind)
            made.add(kind)
        return folder / kind

    return of


# -- written and read back ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PLANS)
def test_what_a_release_writes_is_read_back(saved: Callable[[str], Path], kind: str) -> None:
    written = json.loads((saved(kind) / MANIFEST).read_text(encoding="utf-8"))
    manifest = read_manifest(saved(kind))
    assert manifest.holds
    assert json.loads(json.dumps(manifest.to_json())) == written
    assert Manifest.from_json(manifest.to_json()) == manifest
    shown = None if manifest.form == "anatomy" else ("age",)  # the classes of an anatomy show no labels
    assert (manifest.missing and manifest.missing.columns) == shown


@pytest.mark.parametrize("kind", PLANS)
def test_a_release_and_its_file_say_the_same(saved: Callable[[str], Path], kind: str) -> None:
    made, read = shoal.anonymize(FRAME, PLANS[kind]).manifest, read_manifest(saved(kind))
    apart = {"timings": {}, "files": {}, "attacks": {}}
    assert Manifest.from_json(made.to_json()) == Manifest.from_json(json.loads(json.dumps(made.to_json())))
    assert replace(Manifest.from_json(made.to_json()), **apart) == replace(read, **apart)


def test_every_search_records_its_own_work_for_the_steward() -> None:
    made = {kind: shoal.anonymize(FRAME, PLANS[kind]) for kind in PLANS}
    assert all(release.manifest.search == SearchRecord() for release in made.values())
    search = {kind: release.steward.search for kind, release in made.items()}
    assert search["mondrian"] == SearchRecord()
    assert made["pais"].manifest.steps and set(made["pais"].manifest.step_values) == {"age", "zip"}
    assert search["optimal"].proven_optimal and search["optimal"].cost == search["optimal"].lower_bound
    assert search["local"].local and search["local"].full_domain_cost is not None
    assert search["incognito"].minimal and search["samarati"].height is not None
    assert made["local"].manifest.rows_by_level or made["local"].manifest.levels


def test_keys_stand_where_readers_look_for_them(saved: Callable[[str], Path]) -> None:
    written = json.loads((saved("optimal") / MANIFEST).read_text(encoding="utf-8"))
    private = json.loads((private_folder(saved("optimal")) / "steward.json").read_text(encoding="utf-8"))
    own = {"cost", "lower_bound", "proven_optimal", "nodes_checked", "timings"}
    assert not own & set(written) and own <= set(private) and "search" not in private
    assert written["models"][1] == {
        "kind": "l-diversity",
        "column": "diagnosis",
        "l": 2,
        "achieved": written["models"][1]["achieved"],
        "holds": True,
        "failing_classes": 0,
    }
    joint = json.loads((saved("anatomy") / MANIFEST).read_text(encoding="utf-8"))["models"][0]
    assert joint["checked"].startswith("at release time")


def test_nothing_to_say_is_left_out_and_what_readers_count_on_is_not() -> None:
    plain = Manifest().to_json()
    assert Manifest.from_json(plain) == Manifest() == Manifest.from_json({})
    assert {"rows_in", "rows_released", "rows_suppressed", "classes", "models", "measures", "warnings"} <= set(plain)
    assert not {"missing", "levels", "rows_by_level", "step_values", "attacks", "files", "cost", "steps"} & set(plain)


def test_keys_of_another_version_are_ignored() -> None:
    assert Manifest.from_json({**full(), "entropy": 3, "nested": {"a": []}}) == Manifest.from_json(full())


@pytest.mark.parametrize(
    ("models", "holds"),
    [
        ((), False),
        ((Verdict("k-anonymity", {"k": 2}, True, {}),), True),
        ((Verdict("k-anonymity", {"k": 2}, True, {}), Verdict("l-diversity", {"l": 2}, False, {})), False),
    ],
)
def test_a_manifest_holds_where_there_are_models_and_all_do(models: tuple[Verdict, ...], holds: bool) -> None:
    assert Manifest(models=models).holds is holds


# -- descriptions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [Manifest, SearchRecord])
def test_every_field_is_described(cls: type) -> None:
    texts = described(cls)
    assert list(texts) == [item.name for item in fields(cls)]
    assert all(text.endswith((".", ").")) and "\n" not in text for text in texts.values())


# -- what is no manifest ------------------------------------------------------------------------------------------

WRONG: list[tuple[str, Any]] = [
    ("rows_in", "many"),
    ("rows_in", None),
    ("rows_in", [3]),
    ("classes", 1.5),
    ("shoal_version", 3),
    ("models", "all hold"),
    ("models", 7),
    ("models", None),
    ("models", {"kind": "k-anonymity"}),
    ("models", [1]),
    ("models", [[]]),
    ("models", [{}]),
    ("models", [{"kind": "k-anonymity", "achieved": 3}]),
    ("models", [{"kind": "k-anonymity", "achieved": "k"}]),
    ("models", [{"kind": "k-anonymity", "achieved": [[False, True]]}]),
    ("models", [{"kind": "k-anonymity", "achieved": {"k": []}}]),
    ("models", [{"kind": "k-anonymity", "failing_classes": {}}]),
    ("measures", []),
    ("timings", {"read": "long"}),
    ("timings", 3),
    ("warnings", "one"),
    ("warnings", [1]),
    ("notes", {}),
    ("missing", []),
    ("missing", {"columns": "age"}),
    ("missing", {"columns": ["age"]}),
    ("levels", {"zip": "two"}),
    ("rows_by_level", {"zip": 3}),
    ("step_values", {"age": "values"}),
    ("steps", 3),
    ("steps", [3]),
    ("steps", [{"column": "age"}]),
    ("minimal", {"age": 1}),
    ("minimal", [1]),
    ("proven_optimal", "perhaps"),
    ("cost", "low"),
    ("attacks", {"elimination": "found"}),
    ("files", {"release.csv": None}),
]


@pytest.mark.parametrize(("key", "value"), WRONG, ids=[f"{key}={value!r}"[:50] for key, value in WRONG])
def test_a_value_of_another_kind_is_a_broken_promise(tmp_path: Path, key: str, value: Any) -> None:
    given = {**full(), "files": {}, key: value}
    with pytest.raises(PromiseBroken, match="not a valid manifest") as caught:
        Manifest.from_json(given)
    assert caught.value.exit_code == 1 and "\n" not in str(caught.value)
    (tmp_path / MANIFEST).write_text(json.dumps(given), encoding="utf-8")
    with pytest.raises(PromiseBroken):
        read_manifest(tmp_path)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)
PLACES: list[tuple[Any, ...]] = [
    *((key,) for key in [*full(), "files", "steps", "missing", "minimal", "rows_by_level", "step_values", "attacks"]),
    *(("models", 1, key) for key in ("kind", "column", "columns", "l", "achieved", "holds", "failing_classes")),
    ("models", 1, "checked"),
    ("models", 1, "achieved", "l"),
    ("measures", "ncp_by_column"),
    ("timings", "read"),
]


@given(st.sampled_from(PLACES), JSON)
@settings(max_examples=examples(400), deadline=None)
def test_whatever_stands_in_a_manifest_it_is_read_or_refused(place: tuple[Any, ...], value: Any) -> None:
    given: Any = copy.deepcopy(full())
    inner = given
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    try:
        manifest = Manifest.from_json(given)
    except PromiseBroken:
        return
    assert isinstance(manifest.holds, bool)
    json.dumps(manifest.to_json())
    assert manifest.holds <= all(model.get("holds") is True for model in given["models"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"{",
        b"[]",
        b"null",
        b"3",
        b'"files"',
        b"{}",
        b'{"files": 5}',
        b'{"files": []}',
        b"\xff\xfe\x00",
        b"[" * 99999,
        b"9" * 9999,
        b'{"files": {}, "rows_in": ' + b"9" * 9999 + b"}",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_a_file_that_is_no_manifest_is_a_broken_promise(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(PromiseBroken):
        read_manifest(tmp_path)


def test_a_folder_without_a_manifest_is_no_release(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(PromiseBroken, match="is not a release"):
            read_manifest(place)
    (tmp_path / MANIFEST).mkdir()
    with pytest.raises(PromiseBroken, match="is not a release"):
        read_manifest(tmp_path)


def test_a_manifest_that_was_read_can_be_reported(saved: Callable[[str], Path]) -> None:
    for kind in PLANS:
        report = Report.of(Facts(read_manifest(saved(kind))))
        assert "Every promise holds" in report.text() and "Every promise holds" in report.page()


def test_the_effect_of_missing_values_is_read_with_its_defaults() -> None:
    read = Manifest.from_json({"missing": {"columns": ["age"], "share_of_rows": 0.5}})
    assert read.missing == MissingEffect(("age",), 0.5, None, None)
