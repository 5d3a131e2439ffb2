from __future__ import annotations

from pathlib import Path

from shoal.roles.knowledge import Knowledge, read_knowledge
from shoal.roles.knowledge_check import checked

TEXT = "flu,sore throat\nflu,Sore-Throat\nflu,cough\nflu,cough\nFlu,cough\nwell,\n"


def read(folder: Path) -> Knowledge:
    path = folder / "knowledge.csv"
    path.write_text(TEXT, encoding="utf-8")
    return read_knowledge(path)


def test_checking_counts_and_names_nothing(tmp_path: Path) -> None:
    found = checked(read(tmp_path), ["cough", "SORE THROAT", "itch"])
    assert (found.labels, found.items) == (3, 3)
    assert (found.unknown, found.respelled, found.unused) == (2, 1, 2)
    assert (found.without_items, found.repeated, found.variants) == (1, 1, 2)


def test_lines_of_the_file_show_what_to_correct(tmp_path: Path) -> None:
    found = checked(read(tmp_path), ["cough", "SORE THROAT", "itch"])
    assert found.lines.variants == (1, 2, 5)  # flu and sore throat, Sore-Throat, Flu
    assert (found.lines.without_items, found.lines.respelled) == ((6,), (1, 2))


def test_a_table_that_was_not_read_from_a_file_has_no_lines() -> None:
    found = checked(Knowledge.of({"flu": ["A", "a"], "well": []}), ["Á", "A "])
    assert (found.variants, found.lines.variants, found.lines.without_items) == (1, (), ())
    assert checked(Knowledge.of({}), ["a"]).unknown == 1
