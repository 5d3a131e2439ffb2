"""Every file that a plan names is listed, with what it is."""

from __future__ import annotations

from pathlib import Path

import shoal
from shoal.plan.files import files_read_by


def plan(source: str | None) -> shoal.Plan:
    columns = {
        "pet": shoal.quasi(shoal.tree("pets.csv")),
        "age": shoal.quasi(shoal.intervals(5)),
        "signs": shoal.quasi_sensitive(knowledge="known.csv"),
        "ill": shoal.sensitive(),
    }
    models = [shoal.KAnonymity(k=2), shoal.KmAnonymity("signs", k=2, m=1)]
    return shoal.Plan(data=shoal.Data(source=source), columns=columns, models=models)


def test_hierarchies_knowledge_and_the_source() -> None:
    assert list(files_read_by(plan("raw.csv"))) == [
        ("source table", Path("raw.csv")),
        ("hierarchy of column 'pet'", Path("pets.csv")),
        ("knowledge of column 'signs'", Path("known.csv")),
    ]


def test_a_database_is_a_file_only_if_it_is_one() -> None:
    assert next(iter(files_read_by(plan("sqlite:///raw.db")))) == ("source table", Path("raw.db"))
    for source in (None, "postgresql://server/base"):
        assert "source table" not in dict(files_read_by(plan(source)))
