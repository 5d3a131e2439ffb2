"""The codebook says what the release shows, and nothing else."""

from __future__ import annotations

from pathlib import Path

import shoal
from shoal.release.codebook import codebook
from shoal.verification.labelled import labelled
from tests.contract.patients import patients, plan_of


def test_the_codebook_lists_only_what_the_release_has(tmp_path: Path) -> None:
    made = shoal.anonymize(patients(), plan_of(tmp_path))
    book, rows = codebook(made.draft.tables, made.plan, labelled(made.draft.tables, made.plan))["columns"], made.frame
    assert list(book) == rows.columns
    for name in ("age", "zip", "born"):
        assert book[name]["labels"] == rows[name].unique().sort().to_list()
        assert book[name]["distinct_labels"] == rows[name].n_unique()
        assert len(book[name]["levels"]) == len(book[name]["shares"]) == rows[name].n_unique()
    assert "labels" not in book["diagnosis"]


def test_the_codebook_of_an_anatomy_says_which_table_has_a_column(tmp_path: Path) -> None:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
    )
    made = shoal.anonymize(patients().select("age", ill="diagnosis"), plan)
    book = codebook(made.draft.tables, plan, labelled(made.draft.tables, plan))["columns"]
    assert book["ill"] == {"role": "sensitive", "table": "sensitive_ill"}
    assert book["class_id"] == {"role": "class"}
