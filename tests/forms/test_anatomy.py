"""The anatomy form: what its tables hold, that nothing else travels along, and what it refuses."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.coded.recoding import Shown
from shoal.errors import PlanError, ShoalError
from shoal.forms.anatomy import Anatomy, sensitive_table
from shoal.forms.base import ByValue, Publishable, Unchanged

COLUMNS = {
    "name": shoal.identifier(),
    "age": shoal.quasi(type="integer", top=60),
    "sex": shoal.quasi(),
    "ill": shoal.sensitive(),
    "cost": shoal.insensitive(),
    "drug": shoal.sensitive(),
}
N = 48
TABLE = pl.DataFrame(
    {
        "name": [f"n{i}" for i in range(N)],
        "age": [20 + i for i in range(N)],
        "sex": ["f", "m"] * (N // 2),
        "ill": [f"i{i % 6}" for i in range(N)],
        "cost": [f"{i % 3}.50" for i in range(N)],
        "drug": [f"d{(i // 2) % 7}" for i in range(N)],
    }
)


def plan(*models: object, **settings: object) -> shoal.Plan:
    used = models or (shoal.MultiSensitive(l=3, k=6),)
    return shoal.Plan(columns=COLUMNS, models=used, release=shoal.ReleaseSettings(form="anatomy", **settings))  # type: ignore[arg-type]


def test_sensitive_columns_stand_apart_and_quasi_identifiers_are_exact() -> None:
    nothing = np.zeros(1)
    texts = {name: pl.Series(name, ["v"]) for name in ("age", "ill", "drug")}
    given = Publishable(
        ("drug", "age", "cost", "ill"),
        {"age": Shown(np.zeros(1, np.int64), ["*"], nothing, nothing)},
        texts.__getitem__,
        {name: texts[name] for name in ("ill", "drug")},
    )
    layout = Anatomy().layout(given)
    assert list(layout.columns) == ["age", "cost"] and layout.class_id == "class_id"
    age = layout.columns["age"]
    assert isinstance(age, ByValue) and age.texts is texts["age"] and layout.columns["cost"] == Unchanged()
    assert layout.counted == {"drug": "sensitive_drug", "ill": "sensitive_ill"}
    assert all(layout.counted_texts[name] is texts[name] for name in layout.counted)
    assert Anatomy().tables(("drug", "ill")) == (layout.main, *layout.counted.values())


def test_tables_hold_the_rows_and_the_counts_of_every_class() -> None:
    tables = shoal.anonymize(TABLE, plan()).frames
    assert list(tables) == ["quasi_identifiers", "sensitive_ill", "sensitive_drug"]
    main = tables["quasi_identifiers"]
    assert main.columns == ["age", "sex", "cost", "class_id"]
    given = TABLE.select(pl.col("age").clip(upper_bound=60).cast(pl.String), "sex", "cost")
    assert main.drop("class_id").sort(pl.all()).equals(given.sort(pl.all()))  # exact, but for top-coding
    sizes = dict(main["class_id"].value_counts().iter_rows())
    for name in ("ill", "drug"):
        counts = tables[sensitive_table(name)]
        assert counts.columns == ["class_id", "value", "count"]
        assert dict(counts.group_by("class_id").agg(pl.col("count").sum()).iter_rows()) == sizes
        totals = dict(counts.group_by("value").agg(pl.col("count").sum()).iter_rows())
        assert totals == dict(TABLE[name].value_counts().iter_rows())


def test_nothing_depends_on_the_order_of_the_input() -> None:
    plain = shoal.anonymize(TABLE, plan()).tables
    shuffled = shoal.anonymize(TABLE.sample(fraction=1.0, shuffle=True, seed=5), plan()).tables
    assert all(plain[name].equals(shuffled[name]) for name in plain)
    ids = plain["quasi_identifiers"]["class_id"].to_list()
    assert list(dict.fromkeys(ids)) == sorted(set(ids)) and min(ids) == 1  # numbered as they appear in sorted rows


def test_quasi_identifiers_lose_nothing_and_classes_are_measured() -> None:
    release = shoal.anonymize(TABLE, plan())
    sizes = release.tables["quasi_identifiers"]["class_id"].value_counts()["count"].to_list()
    assert release.measures["ncp"] == 0
    assert release.measures["discernibility_per_row"] == pytest.approx(sum(size**2 for size in sizes) / N)
    assert release.manifest.classes == len(sizes) > 1


def test_k_anonymity_is_refused_and_so_is_a_column_called_class_id() -> None:
    with pytest.raises(PlanError, match="'k-anonymity' cannot be released as 'anatomy'"):
        plan(shoal.KAnonymity(k=5))
    with pytest.raises(PlanError, match="adds a column 'class_id'"):
        shoal.Plan(
            columns={**COLUMNS, "class_id": shoal.insensitive()},
            models=(shoal.MultiSensitive(l=3, k=6),),
            release=shoal.ReleaseSettings(form="anatomy"),
        )
    unlisted = plan().changed(data=shoal.Data(unlisted="insensitive"))
    with pytest.raises(PlanError, match="adds a column 'class_id'"):
        shoal.anonymize(TABLE.with_columns(class_id=pl.lit("1")), unlisted)


def test_several_tables_are_no_single_frame() -> None:
    with pytest.raises(ShoalError, match=r"has 3 tables.*release\.frames"):
        _ = shoal.anonymize(TABLE, plan()).frame


def test_awkward_column_names_make_safe_file_names() -> None:
    assert sensitive_table("../Evil name") != sensitive_table("../evil name")
    assert "/" not in sensitive_table("../Evil name") and ".." not in sensitive_table("../Evil name")
