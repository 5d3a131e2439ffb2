"""From which table a run was made."""

from __future__ import annotations

from pathlib import Path

from shoal.studio.origins import origin_in, origin_of


def test_the_same_file_is_the_same_table_however_it_is_named(tmp_path: Path) -> None:
    relative = origin_of({"source": "uploads/a.csv"}, tmp_path)
    assert relative == origin_of({"source": str(tmp_path / "uploads" / "a.csv")}, Path("/elsewhere"))
    assert relative.name == "a.csv" and relative != origin_of({"source": "a.csv"}, tmp_path)


def test_sheets_and_tables_of_a_database_are_tables_of_their_own() -> None:
    query = 'SELECT * FROM "public"."visits"'
    table = origin_of({"source": "postgresql://db/clinic", "query": query}, Path())
    assert table.name == "public.visits" and table.key[0] == "postgresql://db/clinic"
    one, two = (origin_of({"source": "a.xlsx", "sheet": sheet}, Path()) for sheet in ("2023", "2024"))
    assert one.name == "a.xlsx (2023)" and one.key != two.key


def test_a_plan_that_cannot_be_read_has_no_table(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    for text in (None, "= nonsense", "data = 3"):
        if text is not None:
            path.write_text(text, encoding="utf-8")
        assert origin_in(path, tmp_path).name == ""
