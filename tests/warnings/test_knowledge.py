from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.models import QSDiversity
from shoal.roles.columns import quasi, quasi_sensitive
from shoal.warnings.knowledge import unfit_knowledge
from tests.warnings.cases import case

FRAME = pl.DataFrame({"age": [1, 2, 3, 4], "ill": ["fever", "Fever|cough", "cough", "zest"]})


def warned(folder: Path, knowledge: str) -> list[tuple[str, bool]]:
    path = folder / "diseases.csv"
    path.write_text(knowledge, encoding="utf-8")
    columns = {"age": quasi(), "ill": quasi_sensitive(knowledge=str(path))}
    return [
        (warning.text, warning.serious)
        for warning in unfit_knowledge(case(FRAME, columns, [0] * 4, QSDiversity("ill", c=1, l=2)))
    ]


def test_a_table_that_fits_is_silent(tmp_path: Path) -> None:
    assert warned(tmp_path, "flu,fever|cough|Fever|zest\ncold,cough\n") != []  # `fever` is written in two ways


def test_unknown_items_are_counted_with_their_rows_and_not_named(tmp_path: Path) -> None:
    ((text, serious),) = warned(tmp_path, "flu,fever|cough\ncold,cough\n")
    assert "lacks 2 of its items. 50 % of the rows" in text and serious
    assert "1 of them differs from an item of the table only in case" in text
    assert "zest" not in text and "Fever" not in text


@pytest.mark.parametrize("knowledge", ["flu,fever|Fever|cough|zest\nnothing,\n"])
def test_labels_without_items_and_variants_are_counted(tmp_path: Path, knowledge: str) -> None:
    texts = [text for text, _ in warned(tmp_path, knowledge)]
    assert len(texts) == 2
    assert (
        "1 label has no item (line 2): only rows without items link to it." in texts[0]
        and "1 label or item that differs" in texts[1]
    )


def test_several_labels_without_items(tmp_path: Path) -> None:
    texts = [text for text, _ in warned(tmp_path, "flu,fever|cough|Fever|zest\nnothing,\nnone,\n")]
    assert "2 labels have no items (lines 2 and 3): only rows without items link to them." in texts[0]


def test_a_table_that_most_rows_do_not_link_to_is_serious(tmp_path: Path) -> None:
    ((text, serious),) = warned(tmp_path, "flu,cough\ncold,cough\n")
    assert serious and "75 % of the rows have such an item, link to no label" in text
    assert "Check the separator of the items" in text
    ((text, serious),) = warned(tmp_path, "flu,cough|zest|other\ncold,cough\n")
    assert not serious and "Check the separator" not in text  # half of the rows


def test_what_is_wrong_with_the_table_is_shown_by_lines_of_its_file(tmp_path: Path) -> None:
    texts = [text for text, _ in warned(tmp_path, "label,item\nflu,fever|cough\nFlu,cough\nwell,\n")]
    assert "write them alike (line 2 of the table)." in texts[0]
    assert "1 label has no item (line 4)" in texts[1]
    assert "1 label or item that differs from another only in case, spaces or hyphens (lines 2 and 3)" in texts[2]


def test_of_many_lines_the_first_are_shown(tmp_path: Path) -> None:
    labels = "".join(f"d{n},\n" for n in range(9))
    (text,) = [text for text, _ in warned(tmp_path, f"label,item\nflu,fever|cough|Fever|zest\n{labels}") if "9" in text]
    assert "9 labels have no items (lines 3, 4, 5, 6, 7 and 4 more)" in text
