"""Bad input, end to end: a clear error or a right answer, nothing half-written, no cell value shown."""

from __future__ import annotations

import datetime
import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import CannotBeMet, HierarchyError, OutputError, PlanError, ShoalError, TableError
from shoal.hierarchies import File, Intervals

MARK = "ZEBRA"
"""Every cell of the bad tables holds it, and no message may."""
HEADER = "age,zip,dx"


def plan_for(**parts: Any) -> shoal.Plan:
    given: dict[str, Any] = {
        "columns": {"age": shoal.quasi(), "zip": shoal.quasi(), "dx": shoal.sensitive()},
        "models": [shoal.KAnonymity(k=2)],
    }
    return shoal.Plan(**(given | parts))


def run(folder: Path, content: bytes, plan: shoal.Plan | None = None, name: str = "in.csv") -> pl.DataFrame:
    """Anonymizes a file of this content; a failure may leave nothing behind and show no cell."""
    (folder / name).write_bytes(content)
    plan = plan or plan_for()
    plan = plan.changed(data=plan.data.model_copy(update={"source": str(folder / name)}))
    try:
        shoal.anonymize_to(plan, folder / "out")
    except ShoalError as error:
        assert sorted(path.name for path in folder.iterdir() if path.name.startswith(("out", ".out"))) == []
        assert MARK not in str(error)
        assert "\n" not in str(error)
        raise
    assert shoal.verify_folder(folder / "out").holds
    return pl.read_csv(folder / "out/release.csv", infer_schema=False)


def rows(*lines: str, header: str = HEADER) -> bytes:
    return "\n".join([header, *lines, ""]).encode()


SIX = [f"{20 + i % 3},021{i % 2}0,{MARK}{i % 2}" for i in range(6)]

UNREADABLE: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "is empty"),
    "a header only": (rows(), "no rows"),
    "a header without a line end": (HEADER.encode(), "no rows"),
    "blank lines only": (b"\n\n\n", "has no columns|no rows|unnamed|not in the table"),
    "names twice": (rows(*SIX, header="age,zip,zip"), "1 repeated column name: columns 2, 3"),
    "a column without a name": (rows(*SIX, header="age,,dx"), "without a name"),
    "a row too short": (rows(*SIX, f"20,{MARK}"), "1 rows with more or fewer fields"),
    "a row too long": (rows(*SIX, f"20,0210,{MARK},{MARK}"), "1 rows with more or fewer fields"),
    "a NUL byte": (rows(*SIX, f"20,0210,{MARK}\0"), "NUL bytes, the first on line 8"),
    "broken UTF-8": (rows(*SIX, "é,0210,ü") + b"20,0210,\xff\xfe\n", "invalid byte sequences"),
    "no known encoding": (rows(*SIX) + f"20,0210,{MARK}".encode() + b"\x81\x8d\n", "neither UTF-8"),
    "half a quote": (rows(*SIX, f'20,"0210,{MARK}'), "misplaced quotes|cannot be read"),
    "a spreadsheet": (b"PK\x03\x04" + bytes(64), "NUL bytes"),
    "half a gzip file": (gzip.compress(rows(*SIX), mtime=0)[:30], "damaged gzip"),
    "another separator than said": (
        rows(*(line.replace(",", ";") for line in SIX), header="age;zip;dx;x"),
        "more or fewer fields",
    ),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_file_that_is_no_table(tmp_path: Path, what: str) -> None:
    content, says = UNREADABLE[what]
    with pytest.raises((TableError, PlanError), match=says) as caught:
        run(tmp_path, content)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["in.parquet", "in.arrow", "in.feather", "in.xlsx", "in"])
def test_a_file_of_another_kind_than_its_name_says(tmp_path: Path, name: str) -> None:
    with pytest.raises(TableError) as caught:
        run(tmp_path, rows(*SIX), name=name)
    assert caught.value.exit_code == 2


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    plan = plan_for(data=shoal.Data(source=str(tmp_path / "nothing.csv")))
    with pytest.raises(TableError, match="There is no file"):
        shoal.anonymize_to(plan, tmp_path / "out")
    with pytest.raises(PlanError, match="names no source"):
        shoal.anonymize_to(plan_for(), tmp_path / "out")
    with pytest.raises(TableError, match="has no files"):
        shoal.anonymize_to(plan_for(data=shoal.Data(source=str(tmp_path))), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_one_row_cannot_be_anonymous(tmp_path: Path) -> None:
    with pytest.raises(CannotBeMet, match="the only row") as caught:
        run(tmp_path, rows(SIX[0]))
    assert caught.value.exit_code == 3


def test_k_larger_than_the_table_says_how_large_it_is(tmp_path: Path) -> None:
    with pytest.raises(CannotBeMet, match="6") as caught:
        run(tmp_path, rows(*SIX), plan_for(models=[shoal.KAnonymity(k=7)]))
    assert caught.value.exit_code == 3
    assert caught.value.hint


def test_k_as_large_as_the_table_is_one_class(tmp_path: Path) -> None:
    found = run(tmp_path, rows(*SIX), plan_for(models=[shoal.KAnonymity(k=6)]))
    assert found.select("age", "zip").n_unique() == 1


def test_more_values_wanted_than_there_are(tmp_path: Path) -> None:
    with pytest.raises(CannotBeMet, match="l-diversity") as caught:
        run(tmp_path, rows(*SIX), plan_for(models=[shoal.LDiversity("dx", l=3)]))
    assert caught.value.exit_code == 3


def test_all_rows_equal_are_released_as_they_are(tmp_path: Path) -> None:
    found = run(tmp_path, rows(*[SIX[0]] * 5))
    assert found.rows() == [("20", "02100", f"{MARK}0")] * 5


@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
@pytest.mark.parametrize("ranges", ["tight", "cut"])
@pytest.mark.parametrize("column", ["age", "zip", "dx"])
def test_a_column_all_missing_is_released_missing(tmp_path: Path, column: str, categories: str, ranges: str) -> None:
    frame = pl.read_csv(rows(*SIX), infer_schema=False).with_columns(pl.lit("?").alias(column))
    how = shoal.ReleaseSettings(categories=categories, ranges=ranges)
    found = run(tmp_path, frame.write_csv().encode(), plan_for(release=how))
    assert found[column].to_list() == [None] * 6


def test_a_sensitive_column_all_missing_has_no_diversity(tmp_path: Path) -> None:
    frame = pl.read_csv(rows(*SIX), infer_schema=False).with_columns(pl.lit("NA").alias("dx"))
    with pytest.raises(CannotBeMet):
        run(tmp_path, frame.write_csv().encode(), plan_for(models=[shoal.LDiversity("dx", l=2)]))


def test_everything_missing_and_such_rows_left_out(tmp_path: Path) -> None:
    plan = plan_for(data=shoal.Data(missing_rows="drop"))
    with pytest.raises(CannotBeMet, match="Every row has a missing value"):
        run(tmp_path, rows("?,?,?", "?,?,?"), plan)


def test_two_thousand_columns(tmp_path: Path) -> None:
    wide = 2_000
    names = [f"c{i}" for i in range(wide)]
    lines = [",".join(str((row // 2 * 7 + i) % 3) for i in range(wide)) for row in range(4)]
    columns = {name: shoal.insensitive() for name in names}
    columns |= {"c0": shoal.quasi(), "c1": shoal.quasi(), "c2": shoal.sensitive()}
    found = run(tmp_path, rows(*lines, header=",".join(names)), plan_for(columns=columns))
    assert found.shape == (4, wide)


def test_many_quasi_identifiers(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(300)]
    lines = [",".join(str((row * 7 + i * row) % 5) for i in range(300)) for row in range(12)]
    columns = {name: shoal.quasi() for name in names} | {"c299": shoal.sensitive()}
    found = run(tmp_path, rows(*lines, header=",".join(names)), plan_for(columns=columns))
    assert found.group_by(names[:-1]).len()["len"].min() >= 2  # type: ignore[operator]


# -- numbers and dates --------------------------------------------------------------------------------------------


def numbers(values: list[str], plan: shoal.Plan | None = None, **how: Any) -> Callable[[Path], pl.DataFrame]:
    lines = [f"{value},0,{MARK}{i % 2}" for i, value in enumerate(values)]
    chosen = plan or plan_for(release=shoal.ReleaseSettings(**how))
    return lambda folder: run(folder, rows(*lines), chosen)


@pytest.mark.parametrize("ranges", ["tight", "cut"])
@pytest.mark.parametrize("categories", ["hierarchy", "sets"])
@pytest.mark.parametrize(
    "values",
    [
        [str(2**53 + n) for n in range(8)],
        [str(2**63 - 1 - n) for n in range(8)],
        [str(-(2**63) + n) for n in range(8)],
        [str(-(2**63)), "0", "1", "2", "3", str(2**63 - 1)],
        ["0001-01-01", "0001-01-02", "5000-06-15", "5000-06-16", "9999-12-30", "9999-12-31"],
    ],
    ids=["beyond doubles", "largest", "smallest", "whole range", "dates from first to last"],
)
def test_extreme_values_keep_their_exact_bounds(
    tmp_path: Path, values: list[str], ranges: str, categories: str
) -> None:
    found = numbers(values, ranges=ranges, categories=categories)(tmp_path)
    assert covered(found["age"].to_list(), values)
    assert found["age"].n_unique() > 1


def covered(labels: list[str], values: list[str]) -> bool:
    """Whether every value lies in some label and every label can be read: whole numbers and ISO dates."""

    def number(text: str) -> int:
        return datetime.date.fromisoformat(text).toordinal() if text[4:5] == "-" else int(text)

    spans = []
    for label in labels:
        meaning = shoal.labels.read(label)
        if isinstance(meaning, shoal.labels.Range):
            spans.append((number(meaning.low), number(meaning.high)))
        else:
            assert isinstance(meaning, shoal.labels.Exactly), label
            spans.append((number(meaning.value),) * 2)
    return all(any(low <= number(value) <= high for low, high in spans) for value in values)


@pytest.mark.parametrize("ranges", ["tight", "cut"])
def test_reals_from_the_smallest_to_the_largest(tmp_path: Path, ranges: str) -> None:
    values = [-1.7976931348623157e308, -1e300, -5e-324, 0.0, 5e-324, 1e-323, 1e300, 1.7976931348623157e308]
    columns = plan_for().columns | {"age": shoal.quasi(type="real")}
    plan = plan_for(columns=columns, release=shoal.ReleaseSettings(ranges=ranges))
    found = numbers([repr(value) for value in values], plan)(tmp_path)
    spans = [shoal.labels.read(label) for label in found["age"].unique()]
    assert all(isinstance(span, shoal.labels.Range) for span in spans)
    bounds = sorted((float(span.low), float(span.high)) for span in spans)  # type: ignore[union-attr]
    assert all(math.isfinite(end) for span in bounds for end in span)
    assert all(any(low <= value <= high for low, high in bounds) for value in values)


def test_whole_numbers_beyond_64_bits_are_text(tmp_path: Path) -> None:
    found = numbers([str(2**64 + n // 2) for n in range(4)])(tmp_path)
    assert set(found["age"]) == {str(2**64), str(2**64 + 1)}
    columns = plan_for().columns | {"age": shoal.quasi(type="integer")}
    (tmp_path / "declared").mkdir()
    with pytest.raises(TableError, match="declared integer"):
        numbers([str(2**64 + n) for n in range(4)], plan_for(columns=columns))(tmp_path / "declared")


@pytest.mark.parametrize("word", ["inf", "-inf", "nan", "Infinity", "1e999"])
def test_infinities_and_no_numbers_in_a_real_column(tmp_path: Path, word: str) -> None:
    columns = plan_for().columns | {"age": shoal.quasi(type="real")}
    with pytest.raises(TableError, match="declared real, but 1 of its 4 values are not"):
        numbers(["1.5", "2.5", "3.5", word], plan_for(columns=columns))(tmp_path)


def test_infinities_in_a_frame_are_refused_and_nan_is_missing() -> None:
    frame = pl.DataFrame({"age": [1.0, 1.0, math.nan, None], "zip": ["a"] * 4, "dx": ["x", "y", "x", "y"]})
    found = shoal.anonymize(frame, plan_for()).frame
    assert sorted(found["age"].fill_null("").to_list()) == ["", "", "1", "1"]
    with pytest.raises(TableError, match="1 infinite values"):
        shoal.anonymize(frame.with_columns(pl.lit(math.inf).alias("age")).head(1), plan_for())


def test_dates_outside_the_calendar(tmp_path: Path) -> None:
    columns = plan_for().columns | {"age": shoal.quasi(type="date")}
    for word in ("2020-02-30", "10000-01-01", "0000-01-01", "2020-13-01"):
        with pytest.raises(TableError, match="declared date"):
            numbers(["2020-01-01", "2020-01-02", word], plan_for(columns=columns))(tmp_path)


def test_numbers_that_are_text_in_a_declared_column_are_counted_not_shown(tmp_path: Path) -> None:
    columns = plan_for().columns | {"age": shoal.quasi(type="integer")}
    with pytest.raises(TableError, match="declared integer, but 2 of its 4 values are not"):
        numbers(["1", "2", f"{MARK}1", f"{MARK}2"], plan_for(columns=columns))(tmp_path)


def test_values_that_look_like_labels_keep_their_meaning(tmp_path: Path) -> None:
    awkward = ["*", "[1, 2]", "{a, b}", "\\", "\\*", '"', "a\nb"]
    lines = [f'{i % 2},"{value.replace(chr(34), chr(34) * 2)}",x' for value in awkward for i in range(4)]
    found = run(tmp_path, rows(*lines))
    meanings = {shoal.labels.read(label) for label in found["zip"]}
    assert meanings == {shoal.labels.Exactly(value) for value in awkward}


# -- hierarchies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        (f"20;{MARK};*\n20;b;*\n", "more than once"),
        (f"20;{MARK};*\n21\n", "differs from that of the first"),
        ("20;a;x\n21;a;y\n22;b;x\n", "do not nest|does not cover"),
        ("21;a;*\n", "does not cover 2 of the column's 3 distinct values"),
        ('20;"a;*\n', "cannot be read as separated text"),
    ],
)
def test_a_hierarchy_that_does_not_fit(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "tree.csv").write_text(text)
    columns = plan_for().columns | {"age": shoal.quasi(File(str(tmp_path / "tree.csv")))}
    with pytest.raises(HierarchyError, match=says) as caught:
        run(tmp_path, rows(*SIX), plan_for(columns=columns))
    assert caught.value.exit_code == 2


def test_a_hierarchy_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    columns = plan_for().columns | {"age": shoal.quasi(File(str(tmp_path / "tree.csv")))}
    with pytest.raises(HierarchyError, match="cannot be read"):
        run(tmp_path, rows(*SIX), plan_for(columns=columns))
    (tmp_path / "tree.csv").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(HierarchyError, match="not UTF-8"):
        run(tmp_path, rows(*SIX), plan_for(columns=columns))


def test_a_hierarchy_of_another_type(tmp_path: Path) -> None:
    columns = plan_for().columns | {"zip": shoal.quasi(Intervals(widths=(5,)))}
    with pytest.raises(HierarchyError, match="Column 'zip'"):
        run(tmp_path, rows(*SIX), plan_for(columns=columns))


# -- persons and roles --------------------------------------------------------------------------------------------


def test_a_person_with_many_rows_is_one_person(tmp_path: Path) -> None:
    frame = pl.DataFrame({"who": ["p"] * 5 + ["q"], "age": ["1"] * 6, "zip": ["2"] * 6, "dx": ["x", "y"] * 3})
    plan = plan_for(data=shoal.Data(person="who"), models=[shoal.KAnonymity(k=2)])
    assert run(tmp_path, frame.write_csv().encode(), plan).height == 6
    with pytest.raises(CannotBeMet, match="2 persons"):
        shoal.anonymize(frame, plan.changed(models=[shoal.KAnonymity(k=3)]))


def test_a_column_without_a_role(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="Column 'extra' of the table has no role"):
        run(tmp_path, rows(*(f"{line},{MARK}" for line in SIX), header=HEADER + ",extra"))


# -- a real full disk, where one can be had -----------------------------------------------------------------------


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("the system has no /dev/full")
    from shoal import table

    with pytest.raises(OutputError, match="could not be written"):
        table.write(pl.DataFrame({"a": ["x" * 1000] * 1000}), full, "csv")
