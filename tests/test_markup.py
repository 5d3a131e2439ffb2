"""Fragments for notebooks: all text is escaped, and no colour of text or background is set."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import markup

TEXTS = st.text(alphabet=st.sampled_from("ab<>&\"' é"), max_size=8)


class _Read(HTMLParser):
    """Collects the cells of tables and all other texts, as a browser would read them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.texts = list[str](), list[str]()

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        self.tags.append(tag)
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        self.texts[-1] += data


def read(html: str) -> _Read:
    reader = _Read()
    reader.feed(html)
    reader.close()
    return reader


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), TEXTS)
def test_a_browser_reads_the_cells_as_they_were_given(rows: list[tuple[str, str]], head: str) -> None:
    found = read(markup.table([head, "n"], rows, numbers=["n"]))
    cells = [text for tag, text in zip(found.tags, found.texts, strict=True) if tag in ("th", "td")]
    assert cells == [head, "n", *(cell for row in rows for cell in row)]
    assert set(found.tags) <= {"table", "thead", "tbody", "tr", "th", "td"}


@given(st.lists(TEXTS, max_size=3))
def test_paragraphs_bullets_and_verdicts_are_escaped(texts: list[str]) -> None:
    for write, tag in ((markup.paragraphs, "p"), (markup.bullets, "li")):
        found = read(write(texts))
        assert [text for each, text in zip(found.tags, found.texts, strict=True) if each == tag] == texts
    for text in texts:
        assert read(markup.verdict(text, holds=True)).texts[-1] == text


def test_only_columns_of_numbers_are_aligned_to_the_right() -> None:
    cells = re.findall(r'<td style="([^"]*)">', markup.table(["name", "rows"], [["a", "12"]], numbers=["rows"]))
    assert ["right" in cell for cell in cells] == [False, True]


@pytest.mark.parametrize("holds", [True, False])
def test_text_and_background_have_the_colours_of_the_page(holds: bool) -> None:
    html = markup.fragment(markup.table(["a"], [["b"]]), markup.verdict("x", holds=holds), markup.bullets(["y"]))
    assert not re.search(r"[;\"]\s*(color|background[a-z-]*):", html)


def test_rows_must_have_a_cell_for_every_header() -> None:
    with pytest.raises(ValueError, match="zip"):
        markup.table(["a", "b"], [["c"]])
