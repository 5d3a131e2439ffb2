"""A release that is read back says what it says, for every algorithm, form and format."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import algorithms, labels
from shoal.errors import PromiseBroken, ShoalError, TableError
from shoal.reading.release import Published, read_release
from tests import pets as pet_owners

MADE: dict[str, dict[str, Any]] = {"scba": {"column": "ill", "high": ("HIV",)}}
"""The parameters of algorithms that have no defaults."""


@pytest.fixture(params=[cls.kind for cls in algorithms.ALL])
def algorithm(request: pytest.FixtureRequest) -> Any:
    cls = next(cls for cls in algorithms.ALL if cls.kind == request.param)
    return cls(**MADE.get(request.param, {}))


def saved(folder: Path, frame: pl.DataFrame, plan: shoal.Plan) -> tuple[shoal.Release, Path]:
    release = shoal.anonymize(frame, plan)
    release.save(folder / "out")
    return release, folder / "out"


def check_labels(read: pl.DataFrame, name: str) -> None:
    """Every typed cell agrees with the meaning of its label."""
    numeric = f"{name}.low" in read.columns
    for row in read.select(pl.col(f"^{name}(\\..*)?$")).unique(name).iter_rows(named=True):
        label, kind = row[name], row[f"{name}.kind"]
        meaning = labels.read(label if label is not None else "")
        if label is None or label == "*":
            assert kind == ("missing" if label is None else "any")
            assert row[f"{name}.{'low' if numeric else 'members'}"] is None
        elif isinstance(meaning, labels.Range):
            assert (str(row[f"{name}.low"]), str(row[f"{name}.high"])) == (meaning.low, meaning.high)
            assert kind == "range" and row[f"{name}.low"] <= row[f"{name}.midpoint"] <= row[f"{name}.high"]
        elif isinstance(meaning, labels.OneOf):
            assert row[f"{name}.members"] == [value or None for value in meaning.values]
        elif numeric:
            assert isinstance(meaning, labels.Exactly)
            assert str(row[f"{name}.low"]) == str(row[f"{name}.high"]) == meaning.value
        else:
            assert isinstance(meaning, labels.Exactly)
            assert row[f"{name}.members"] == (None if kind == "node" else [meaning.value])


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_every_algorithm(algorithm: Any, format: str, pets: Path, tmp_path: Path) -> None:
    frame = pet_owners.frame(3, 80, missing=True)
    settings = shoal.ReleaseSettings(format=format, suppression=0.1)  # type: ignore[arg-type]
    plan = pet_owners.plan(pets, shoal.KAnonymity(k=3)).changed(algorithm=algorithm, release=settings)
    release, out = saved(tmp_path, frame, plan)
    read = read_release(out).frame
    assert read.select(release.frame.columns).equals(release.frame.with_columns(pl.col("age").cast(pl.String)))
    for name in pet_owners.QUASI:
        check_labels(read, name)


def test_categories_as_sets(pets: Path, tmp_path: Path) -> None:
    plan = pet_owners.plan(pets, shoal.KAnonymity(k=3))
    plan = plan.changed(algorithm=shoal.Mondrian(), release=shoal.ReleaseSettings(categories="sets"))
    _, out = saved(tmp_path, pet_owners.frame(1, 60), plan)
    read = read_release(out).frame
    assert "set" in read["pet.kind"]
    check_labels(read, "pet")


@pytest.fixture
def anatomy(tmp_path: Path) -> tuple[shoal.Release, Path]:
    frame = pet_owners.frame(5, 60).with_columns(dose=pl.Series([1.5, 2.0, None] * 20))
    plan = shoal.Plan(
        columns={
            "age": shoal.quasi(),
            "sex": shoal.quasi(),
            "ill": shoal.sensitive(),
            "dead": shoal.sensitive(),
            "dose": shoal.insensitive(),
        },
        models=[shoal.LDiversity("ill", l=2)],
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    return saved(tmp_path, frame, plan)


def test_the_tables_of_an_anatomy(anatomy: tuple[shoal.Release, Path]) -> None:
    _, out = anatomy
    read = read_release(out)
    main = read.frames["quasi_identifiers"]
    assert main.schema == {
        "age": pl.Int64,
        "sex": pl.String,
        "dose": pl.Float64,
        "class_id": pl.Int64,
    }
    assert read.frames["sensitive_ill"].schema == {"class_id": pl.Int64, "value": pl.String, "count": pl.Int64}
    with pytest.raises(ShoalError, match=r"has 3 tables.*joined"):
        _ = read.frame


def test_an_anatomy_is_joined_with_every_value_of_the_class(anatomy: tuple[shoal.Release, Path]) -> None:
    read = read_release(anatomy[1])
    joined = read.joined("ill")
    main, values = read.frames["quasi_identifiers"], read.frames["sensitive_ill"]
    per_class = values.group_by("class_id").len().rename({"len": "values"})
    assert joined.height == main.join(per_class, on="class_id")["values"].sum()
    assert joined["share"].sum() == pytest.approx(main.height)
    weights = joined.group_by("ill").agg(pl.col("share").sum()).sort("ill")
    counts = values.group_by("value").agg(pl.col("count").sum()).sort("value")
    assert weights["share"].to_list() == pytest.approx(counts["count"].to_list())


def test_what_cannot_be_joined(anatomy: tuple[shoal.Release, Path], released: Path) -> None:
    read = read_release(anatomy[1])
    with pytest.raises(ShoalError, match="There are 2 sensitive columns"):
        read.joined()
    with pytest.raises(ShoalError, match=r"'il' is not a sensitive column.*did you mean 'ill'"):
        read.joined("il")
    with pytest.raises(ShoalError, match="has one table"):
        read_release(released).joined()


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with every kind of column: ranges with a top, dates, prefixes, escaped text, sets and formulas."""
    rows = 40
    frame = pl.DataFrame(
        {
            "age": [30 + place % 70 for place in range(rows)],
            "birth": [date(1980, 1 + place % 12, 1 + place % 28) for place in range(rows)],
            "zip": [f"0213{place % 10}" for place in range(rows)],
            "mark": ["*", "{a}", "plain", None] * (rows // 4),
            "signs": ["fever|cough", "rash", "", "fever"] * (rows // 4),
            "ill": ["1", "2"] * (rows // 2),
            "note": ["=1+1", "text"] * (rows // 2),
            "cost": [1.25] * rows,
        }
    )
    plan = shoal.Plan(
        columns={
            "age": shoal.quasi(top=60),
            "birth": shoal.quasi(shoal.dates("quarter", "year")),
            "zip": shoal.quasi(shoal.prefixes()),
            "mark": shoal.quasi(),
            "signs": shoal.quasi_sensitive(),
            "ill": shoal.sensitive(),
            "note": shoal.insensitive(),
            "cost": shoal.insensitive(),
        },
        models=[shoal.KAnonymity(k=2), shoal.KmAnonymity("signs", k=2, m=1)],
        release=shoal.ReleaseSettings(escape_formulas=True),
    )
    return saved(tmp_path_factory.mktemp("kinds"), frame, plan)[1]


def test_every_kind_of_column(released: Path) -> None:
    read = read_release(released).frame
    assert read.schema["birth.low"] == pl.Date and read.schema["age.low"] == pl.Int64
    open_ended = read.filter(pl.col("age.high").is_null() & (pl.col("age.kind") == "range"))
    assert open_ended.height and (open_ended["age"].str.contains("60")).all()
    assert set(read["mark"].drop_nulls()) <= {"\\*", "\\{a}", "plain", "*"}
    starred = read.filter(pl.col("mark") == "\\*")
    assert starred.height and starred["mark.members"].to_list() == [["*"]] * starred.height
    assert read.filter(pl.col("mark").is_null())["mark.kind"].unique().to_list() == ["missing"]
    assert read.schema["signs"] == pl.List(pl.String)
    assert sorted(read["signs"].list.join("|").value_counts().rows()) == [
        ("", 10),
        ("cough|fever", 10),
        ("fever", 10),
        ("rash", 10),
    ]
    assert read.schema["ill"] == pl.String and read.schema["cost"] == pl.Float64
    assert set(read["note"]) == {"=1+1", "text"}


def test_the_codebook_is_metadata(released: Path) -> None:
    read = read_release(released)
    assert read.codebook == json.loads((released / "codebook.json").read_text(encoding="utf-8"))
    assert read.codebook["columns"]["age"]["top"] == "60"
    arrow = read_release(released, as_="arrow").frame
    assert isinstance(arrow, pa.Table)
    assert json.loads(arrow.schema.metadata[b"codebook"]) == read.codebook
    frame = read_release(released, as_="pandas").frame
    assert isinstance(frame, pd.DataFrame)
    assert json.loads(frame.attrs["codebook"]) == read.codebook
    assert frame["birth.low"].dtype.kind == "M" and frame["signs"].map(type).eq(list).all()
    assert frame["age.high"].isna().sum() == read.frame["age.high"].null_count()


def test_what_is_shown_of_it(released: Path) -> None:
    read = read_release(released)
    assert repr(read).startswith("Published(40 rows in ")
    assert isinstance(read, Published) and read.manifest.rows_released == 40
    assert read.plan.columns["age"].top == 60


def test_another_separator(released: Path) -> None:
    assert "age__low" in read_release(released, separator="__").frame.columns


def test_a_column_that_is_called_like_a_typed_one_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "age.low": ["a", "b", "c", "d"]})
    plan = shoal.Plan(columns={"age": shoal.quasi(), "age.low": shoal.insensitive()}, models=[shoal.KAnonymity(k=2)])
    _, out = saved(tmp_path, frame, plan)
    with pytest.raises(TableError, match=r"has a column 'age.low' of its own.*separator"):
        read_release(out)
    assert read_release(out, separator="/").frame["age/low"].to_list() == [1, 1, 2, 2]


def test_an_unchanged_column_that_does_not_fit_its_type_is_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [1, 1], "size": ["1", "large"]})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "size": shoal.Column(role="insensitive", type="integer")},
        models=[shoal.KAnonymity(k=2)],
    )
    _, out = saved(tmp_path, frame, plan)
    assert read_release(out).frame["size"].to_list() == ["1", "large"]


# -- bad input ------------------------------------------------------------------------------------------------------


def test_what_is_no_release(tmp_path: Path, released: Path) -> None:
    with pytest.raises(TableError, match="There is no folder"):
        read_release(tmp_path / "nowhere")
    with pytest.raises(TableError, match="is not the folder of a release"):
        read_release(tmp_path)
    with pytest.raises(TableError, match="There is no kind of frame 'excel'"):
        read_release(released, as_="excel")


def test_a_damaged_release(tmp_path: Path, released: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(released, copy)
    table = copy / "release.csv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    table.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(PromiseBroken, match=r"The file 'release.csv' was changed.*verify=False"):
        read_release(copy)
    assert read_release(copy, verify=False).frame.height == 39


def test_a_digest(released: Path) -> None:
    with pytest.raises(PromiseBroken, match="digest differs"):
        read_release(released, digest="00")


@pytest.mark.parametrize("text", ["", "[]", '{"columns": 3}', '{"columns": {"age": 3}}'])
def test_a_damaged_codebook(tmp_path: Path, released: Path, text: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(released, copy)
    (copy / "codebook.json").write_text(text, encoding="utf-8")
    with pytest.raises(PromiseBroken, match=r"codebook.json"):
        read_release(copy, verify=False)


FORGED: list[tuple[str, object]] = [
    ("labels", 5),
    ("labels", [{}, {}]),
    ("labels", None),
    ("labels", ["*", "*"]),
    ("levels", 7),
    ("levels", "x"),
    ("levels", [10**30]),
    ("levels", [-1]),
    ("levels", [True]),
    ("levels", [[1]]),
    ("levels", ["x"]),
    ("levels", []),
    ("shares", ["a"]),
    ("shares", {"a": 1}),
]
"""Entries of a codebook; a list of one element is repeated for every label."""


@pytest.mark.parametrize(("key", "value"), FORGED)
@pytest.mark.parametrize("column", ["age", "zip"])
def test_a_forged_codebook(tmp_path: Path, released: Path, column: str, key: str, value: Any) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(released, copy)
    book = json.loads((copy / "codebook.json").read_text(encoding="utf-8"))
    entry = book["columns"][column]
    assert len(entry["labels"]) > 1
    entry[key] = value * len(entry["labels"]) if isinstance(value, list) and len(value) == 1 else value
    (copy / "codebook.json").write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(PromiseBroken, match=f"no sound {key} of column '{column}'"):
        read_release(copy, verify=False)
    assert not shoal.verify_folder(copy).holds


def test_a_missing_table(tmp_path: Path, released: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(released, copy)
    (copy / "release.csv").unlink()
    with pytest.raises(PromiseBroken, match=r"'release.csv' is missing"):
        read_release(copy, verify=False)


@pytest.mark.parametrize("format", ["parquet", "dta", "sav"])
def test_every_format_says_the_same(format: str, tmp_path: Path) -> None:
    if format in ("dta", "sav"):
        pytest.importorskip("pyreadstat")
    columns = {
        "age": shoal.quasi(top=8),
        "pet": shoal.quasi(),
        "ill": shoal.sensitive(),
        "day": shoal.insensitive(),
        "cost": shoal.insensitive(),
        "signs": shoal.quasi_sensitive(),
    }
    frame = pet_owners.frame(3, 40, missing=True).select("age", "pet", "ill")
    frame = frame.with_columns(
        day=pl.lit(date(2020, 2, 29)), cost=pl.Series([1.5, None] * 20), signs=pl.Series(["a|b", "a"] * 20)
    )
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=3), shoal.KmAnonymity("signs", k=2, m=1)])
    read = []
    for name in ("csv", format):
        release = shoal.ReleaseSettings(format=name)  # type: ignore[arg-type]
        shoal.anonymize(frame, plan.changed(release=release)).save(tmp_path / name)
        read.append(read_release(tmp_path / name).frame)
    assert read[0].equals(read[1]) and read[0].schema == read[1].schema


def test_columns_that_are_called_like_those_of_an_anatomy(tmp_path: Path) -> None:
    frame = pl.DataFrame({"count": ["many", "few"] * 4, "value": [1.5, 2.5] * 4, "ill": ["a", "b", "b", "a"] * 2})
    plan = shoal.Plan(
        columns={"count": shoal.quasi(type="text"), "value": shoal.insensitive(), "ill": shoal.sensitive()},
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    _, out = saved(tmp_path, frame, plan)
    main, values = read_release(out).frames.values()
    assert main.schema == {"count": pl.String, "value": pl.Float64, "class_id": pl.Int64}
    assert values.schema == {"class_id": pl.Int64, "value": pl.String, "count": pl.Int64}


def test_a_generalized_release_may_have_such_columns_too(tmp_path: Path) -> None:
    frame = pl.DataFrame({"class_id": [1, 2, 3, 4], "count": ["a", "b"] * 2})
    plan = shoal.Plan(columns={"class_id": shoal.quasi(), "count": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)])
    _, out = saved(tmp_path, frame, plan)
    read = read_release(out).frame
    assert read["class_id"].to_list() == ["[1, 2]"] * 2 + ["[3, 4]"] * 2 and read["class_id.low"].to_list() == [
        1,
        1,
        3,
        3,
    ]
    assert read["count"].to_list() == ["a", "b"] * 2
