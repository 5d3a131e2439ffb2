from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.errors import TableError
from shoal.roles.columns import quasi_sensitive
from shoal.roles.knowledge import Knowledge, load_knowledge, read_knowledge

FLU = {"flu": ("cough", "headache", "sore throat"), "hepatitis B": ("dark urine", "vomiting")}


def as_dict(knowledge: Knowledge) -> dict[str, tuple[str, ...]]:
    return {label: knowledge.of_label(place) for place, label in enumerate(knowledge.labels)}


def written(folder: Path, text: str, name: str = "knowledge.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("header", ["", "label,item\n", "Disease,Symptoms\n"])
@pytest.mark.parametrize(
    "rows",
    [
        "flu,cough\nflu,headache\nflu,sore throat\nhepatitis B,vomiting\nhepatitis B,dark urine\n",
        "hepatitis B,vomiting|dark urine\nflu,headache | cough|sore throat|cough|\n",
        "flu,cough|headache\nhepatitis B,vomiting|dark urine\nflu,sore throat\n",
    ],
)
def test_long_and_wide_files_with_and_without_a_header_say_the_same(tmp_path: Path, header: str, rows: str) -> None:
    assert as_dict(read_knowledge(written(tmp_path, header + rows))) == FLU


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_any_usual_separator_is_found_and_bars_are_never_taken_for_one(tmp_path: Path, separator: str) -> None:
    text = f"flu{separator}a|b|c\ncold{separator}a|b|d\n"
    assert as_dict(read_knowledge(written(tmp_path, text))) == {"cold": ("a", "b", "d"), "flu": ("a", "b", "c")}


def test_a_comma_may_stand_in_a_quoted_label_and_in_items_after_a_semicolon(tmp_path: Path) -> None:
    quoted = written(tmp_path, '"flu, seasonal",cough\ncold,cough\n')
    assert read_knowledge(quoted).labels == ("cold", "flu, seasonal")
    assert read_knowledge(written(tmp_path, "label;item\nflu;cough, dry\ncold;fever\n")).items == (
        "cough, dry",
        "fever",
    )


def test_the_item_separator_is_that_of_the_column(tmp_path: Path) -> None:
    assert read_knowledge(written(tmp_path, "flu,a/b|c\n"), "/").items == ("a", "b|c")


def test_a_header_can_be_stated(tmp_path: Path) -> None:
    path = written(tmp_path, "illness,signs\nflu,cough\n")
    assert read_knowledge(path, header=False).labels == ("flu", "illness")
    assert read_knowledge(path, header=True).labels == ("flu",)
    assert read_knowledge(written(tmp_path, "label,item\n"), header=False).labels == ("label",)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"label": ["flu"] * 3, "item": ["cough", "headache", "sore throat"]}),
        pl.DataFrame({"d": ["flu"], "s": ["headache|cough|sore throat"]}),
        pl.DataFrame({"d": ["flu"], "s": [["headache", "cough", " sore throat", "cough", None]]}),
        pl.DataFrame({"d": pl.Series(["flu"] * 3, dtype=pl.Categorical), "s": ["cough", "headache", "sore throat"]}),
    ],
)
def test_parquet_files_hold_texts_or_lists(tmp_path: Path, frame: pl.DataFrame) -> None:
    frame.write_parquet(tmp_path / "knowledge.parquet")
    assert as_dict(read_knowledge(tmp_path / "knowledge.parquet")) == {"flu": FLU["flu"]}


def test_a_label_without_items_is_kept(tmp_path: Path) -> None:
    knowledge = read_knowledge(written(tmp_path, "label,item\nflu,cough\nwell,\n"))
    assert as_dict(knowledge) == {"flu": ("cough",), "well": ()}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("", "no"),
        ("label,item\n", "no rows"),
        ("SECRET,a\n,SECRET\n", "1 of its 2 rows"),
        ("SECRET\nSECRET\n", "1 column."),
        ("SECRET,a,b\nSECRET,a,c\n", "3 columns."),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_without_its_values(tmp_path: Path, text: str, fact: str) -> None:
    with pytest.raises(TableError) as raised:
        read_knowledge(written(tmp_path, text))
    assert fact in raised.value.fact
    assert "SECRET" not in str(raised.value)


def test_separators_inside_listed_items_and_numbers_in_lists_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.parquet"
    pl.DataFrame({"d": ["flu"], "s": [["SECRET|b", "c"]]}).write_parquet(path)
    with pytest.raises(TableError, match="inside 1 item of") as raised:
        read_knowledge(path)
    assert "SECRET" not in str(raised.value)
    pl.DataFrame({"d": ["flu"], "s": [[1, 2]]}).write_parquet(path)
    with pytest.raises(TableError, match="not text"):
        read_knowledge(path)


@pytest.mark.parametrize("name", ["knowledge.csv", "knowledge.parquet"])
def test_a_separator_inside_an_item_of_the_long_form_is_refused_and_counted(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame(
        {"label": ["flu", "flu", "flu", "cold"], "item": ["cough", "SECRET; sharp", "ache", "SECRET;b"]}
    )
    frame.write_csv(tmp_path / name) if name.endswith("csv") else frame.write_parquet(tmp_path / name)
    with pytest.raises(TableError, match="2 of its cells contain ';'") as raised:
        read_knowledge(tmp_path / name, ";")
    assert "SECRET" not in str(raised.value)
    assert read_knowledge(tmp_path / name).items == ("SECRET; sharp", "SECRET;b", "ache", "cough")


def test_a_label_of_the_wide_form_may_be_listed_again(tmp_path: Path) -> None:
    found = read_knowledge(written(tmp_path, "label,item\nflu,a|b\nflu,a|b\ncold,a\ncold,a\ncold,a|\n"))
    assert as_dict(found) == {"cold": ("a",), "flu": ("a", "b")} and found.repeated == 4


def test_texts_that_mean_missing_are_no_items_and_no_labels(tmp_path: Path) -> None:
    path = written(tmp_path, "label,item\nflu,cough|NA| ? \nwell,NA\n")
    assert as_dict(read_knowledge(path)) == {"flu": ("cough",), "well": ()}
    assert as_dict(read_knowledge(path, missing=("cough",))) == {"flu": ("?", "NA"), "well": ("NA",)}
    for label in ("NA", " ? ", ""):
        with pytest.raises(TableError, match="no label in 1 of its 2 rows"):
            read_knowledge(written(tmp_path, f"label,item\n{label},cough\nflu,cough\n"))
    assert read_knowledge(written(tmp_path, "label,item\nNA,cough\nflu,cough\n"), missing=("?",)).size == 2
    with pytest.raises(TableError, match="no label in 1 of its 2 rows"):
        load_knowledge("ill", quasi_sensitive(knowledge=str(written(tmp_path, "a,b|c\n-,c\n"))), missing=("-",))


def test_an_empty_table_is_a_value_too() -> None:
    nothing = Knowledge.of({})
    assert (nothing.size, nothing.items, nothing.offsets.tolist()) == (0, (), [0])


def test_the_hash_is_that_of_the_content_however_it_is_written(tmp_path: Path) -> None:
    long, wide = (
        written(tmp_path, "label,item\nflu,b\nflu,a\n", "long.csv"),
        written(tmp_path, "flu;a | b|b\n", "wide.csv"),
    )
    assert (
        read_knowledge(long).sha256
        == read_knowledge(wide).sha256
        != read_knowledge(written(tmp_path, "label,item\nflu,a\n")).sha256
    )


@pytest.mark.parametrize(
    "labels", [{"flu": ["a, b", 'say "x"', "two\nlines"], "none": []}, {"label": ["item"]}, {"a|b": ["c"]}]
)
def test_the_canonical_text_reads_back(tmp_path: Path, labels: dict[str, list[str]]) -> None:
    knowledge = Knowledge.of(labels)
    again = read_knowledge(written(tmp_path, knowledge.text))
    assert as_dict(again) == as_dict(knowledge) and again.sha256 == knowledge.sha256


def test_a_column_may_require_one_table(tmp_path: Path) -> None:
    path = written(tmp_path, "label,item\nsecret,a\n")
    column = quasi_sensitive(knowledge=str(path), knowledge_sha256=read_knowledge(path).sha256)
    assert load_knowledge("ill", quasi_sensitive()) is None
    assert load_knowledge("ill", column) is not None
    path.write_text("label,item\nsecret,b\n", encoding="utf-8")
    with pytest.raises(TableError, match="its hash differs") as refused:
        load_knowledge("ill", column)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("label,item\nflu,cough\ncold,rash\n", 2),
        ("flu,cough\nflu,fever\ncold,rash\n", 2),
        ("flu,cough\ncold,cough\n", 2),
        ("flu,cough|fever\ncold,fever|rash\n", 2),
        ("Krankheit,Symptom\nflu,cough\ncold,cough\n", None),
        ("code,finding\nflu,cough\n", None),
    ],
)
def test_a_header_is_never_taken_for_a_label(tmp_path: Path, text: str, labels: int | None) -> None:
    (tmp_path / "k.csv").write_text(text)
    if labels is not None:
        assert read_knowledge(tmp_path / "k.csv").size == labels
        return
    with pytest.raises(TableError, match="may be a header") as caught:
        read_knowledge(tmp_path / "k.csv")
    assert "Krankheit" not in str(caught.value) and "flu" not in str(caught.value)


def test_a_wide_file_may_use_bars_whatever_the_separator_of_the_column(tmp_path: Path) -> None:
    bars = read_knowledge(written(tmp_path, "label,item\nflu,a | b\ncold,c\n", "bars.csv"), ";")
    own = read_knowledge(written(tmp_path, "label,item\nflu,a;b\ncold,c\n", "own.csv"), ";")
    long = read_knowledge(written(tmp_path, "label,item\nflu,a\nflu,b\ncold,c\n", "long.csv"), ";")
    assert as_dict(bars) == {"cold": ("c",), "flu": ("a", "b")}
    assert bars.sha256 == own.sha256 == long.sha256


def test_a_file_with_both_separators_follows_that_of_the_column(tmp_path: Path) -> None:
    assert read_knowledge(written(tmp_path, "label,item\nflu,a|b\ncold,c;d\n"), ";").items == ("a|b", "c", "d")


def test_a_bar_is_part_of_an_item_in_a_long_file(tmp_path: Path) -> None:
    found = read_knowledge(written(tmp_path, "label,item\nflu,a|b\nflu,c\nflu,d\n"), ";")
    assert as_dict(found) == {"flu": ("a|b", "c", "d")}


def test_a_file_that_allows_two_readings_is_read_as_the_plan_was(tmp_path: Path) -> None:
    """A published table is long, but its form does not show if every label has one item."""
    knowledge = Knowledge.of({"flu": ["a|b"], "cold": ["c"]})
    path = written(tmp_path, knowledge.text)
    column = quasi_sensitive(items=";", knowledge=str(path), knowledge_sha256=knowledge.sha256)
    found = load_knowledge("ill", column)
    assert found is not None and as_dict(found) == as_dict(knowledge)


def test_labels_and_items_have_the_line_of_the_file_that_names_them_first(tmp_path: Path) -> None:
    found = read_knowledge(written(tmp_path, "label,item\nflu,cough\n\nflu,ache\ncold,cough\n"))
    assert (found.labels, found.label_lines) == (("cold", "flu"), (5, 2))
    assert (found.items, found.item_lines) == (("ache", "cough"), (4, 2))
    stated = read_knowledge(written(tmp_path, "a,b\nflu,cough\n"), header=True)
    assert (stated.label_lines, Knowledge.of({"flu": ["cough"]}).label_lines) == ((2,), ())


def test_rows_are_counted_where_lines_cannot_be_told_from_them(tmp_path: Path) -> None:
    found = read_knowledge(written(tmp_path, 'label,item\n"two\nlines",cough\nflu,cough\n'))
    assert dict(zip(found.labels, found.label_lines, strict=True)) == {"two\nlines": 2, "flu": 3}
    pl.DataFrame({"label": ["flu", "cold"], "item": ["a", "b"]}).write_parquet(tmp_path / "k.parquet")
    assert read_knowledge(tmp_path / "k.parquet").item_lines == (1, 2)
