"""Texts that say how something is."""

from __future__ import annotations

import pytest

from shoal.profiling.findings import are_findings


@pytest.mark.parametrize(
    "sample",
    [
        ["None", "Mild", "Severe"],
        ["links", "rechts", "beidseits"],
        ["leve", "moderado", "grave", "desconocido"],
        ["IV", "PO", "SC"],
        ["Stage II", "Stage III"],
        ["Laparoscopic", "open repair"],
        ["metformin", "lisinopril"],
    ],
)
def test_words_of_findings(sample: list[str]) -> None:
    assert are_findings(sample)


@pytest.mark.parametrize(
    "sample",
    [[], ["Unknown"], ["Weber", "Beck"], ["JD", "AK"], ["Left Bank Clinic", "High Street Hospital"], ["C99", "C76"]],
)
def test_names_codes_and_places_are_none(sample: list[str]) -> None:
    assert not are_findings(sample)
