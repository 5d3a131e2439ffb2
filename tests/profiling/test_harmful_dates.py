"""Dates that disclose an illness, a treatment or a death, by their name or by being there at all, are not drafted."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
import pytest

from shoal.profiling.draft import draft_text
from shoal.profiling.profile import profile
from shoal.profiling.suggesting import suggested_plan

ROWS = 300
DAYS = [date(2018, 1, 1) + timedelta(days=(37 * number) % 1_500) for number in range(ROWS)]


def table(name: str, missing: float = 0.0) -> pl.DataFrame:
    cells = [None if number % 100 < 100 * missing else day for number, day in enumerate(DAYS)]
    return pl.DataFrame(
        {
            "sex": ["f", "m", "m"] * (ROWS // 3),
            name: pl.Series(cells, dtype=pl.Date),
            "diagnosis": ["I10", "E11", "C50"] * (ROWS // 3),
        }
    )


def role(name: str, missing: float = 0.0) -> str:
    return next(column.role for column in profile(table(name, missing)).columns if column.name == name)


@pytest.mark.parametrize(
    "name",
    [
        "hiv_dx_date",
        "methadone_start",
        "date_of_abortion",
        "dod",
        "DTHDTC",
        "deathdate",
        "Todestag",
        "Sterbedatum",
        "datum_umrti",
        "data_zgonu",
        "fecha_fallecimiento",
        "date_deces",
        "data_obito",
        "overlijdensdatum",
        "chemo_date",
        "Erstdiagnose_Datum",
        "diagnosis_date",
        "date_dx",
        "surgery",
        "OP-Datum",
        "operationsdato",
        "start_antidepressants",
        "date_of_relapse",
        "psychosis_onset_date",
        "vaccination_date",
        "tumour_date",
        "transplantdate",
        "date_first_seizure",
        "drug_start",
        "AESTDTC",
        "data_operacji",
        "datum_operace",
    ],
)
def test_dates_of_illness_treatment_and_death_are_not_quasi_identifiers(name: str) -> None:
    assert role(name) == "drop"


@pytest.mark.parametrize(
    "name",
    [
        "birth_date",
        "DOB",
        "Geburtsdatum",
        "admission_date",
        "Entlassungsdatum",
        "discharge_dt",
        "visit_date",
        "date_entree",
        "sample_date",
        "measurement_date",
        "report_date",
        "date_prelevement",
        "last_followup_date",
        "blorp",
        "date_entree_rea",
        "fecha_ingreso_uci",
    ],
)
def test_dates_of_births_visits_and_samples_are_quasi_identifiers(name: str) -> None:
    assert role(name) == "quasi-identifier"


@pytest.mark.parametrize(
    ("name", "missing", "expected"),
    [
        ("visit_date", 0.1, "quasi-identifier"),
        ("visit_date", 0.3, "drop"),
        ("blorp", 0.9, "drop"),
        ("edregtime", 0.5, "drop"),
        ("birth_date", 0.5, "quasi-identifier"),  # everybody has one
    ],
)
def test_a_date_that_many_rows_lack_is_not_a_quasi_identifier(name: str, missing: float, expected: str) -> None:
    assert role(name, missing) == expected


def test_the_year_of_a_diagnosis_stays_and_that_of_a_death_does_not() -> None:
    years = pl.Series([2010 + number % 9 for number in range(ROWS)])
    frame = table("x").with_columns(diagnosis_year=years, year_of_death=years, year_of_hiv_diagnosis=years)
    roles = {column.name: column.role for column in profile(frame).columns}
    assert roles["diagnosis_year"] == "quasi-identifier"
    assert roles["year_of_death"] == roles["year_of_hiv_diagnosis"] == "drop"


def test_the_draft_gives_the_reason_and_says_how_to_release_such_a_date() -> None:
    frame = table("dod", 0.9)
    found = profile(frame)
    heading = draft_text(suggested_plan(frame, found), found, "t.csv").split("[data]")[0]
    assert '#   "dod": dates of an illness, a treatment or a death' in heading
    assert 'role = "quasi-identifier" publishes' in heading
