"""Roles by name and values together: nothing that is harmful or unknown becomes a quasi-identifier."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.profiling.facts import facts
from shoal.profiling.recognition import fitting, recognized
from shoal.profiling.signs import Sign
from tests.effort import examples

N = 200
NAMES = [f"{a}{b}er" for a in ("Schmid", "Web", "Fisch", "Wagn") for b in ("", "hof", "maul", "bau", "grün")]


def sign(name: str, values: list[Any]) -> Sign:
    return recognized(facts(pl.Series(name, values, strict=False))[0])


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("blorp", [f"w{i}" for i in range(N)], "identifier"),  # text that is nearly unique cannot be grouped
        ("job", [f"w{i}" for i in range(N)], "identifier"),
        ("blorp", list(range(N)), "identifier"),  # a running number
        ("blorp", [f"MRN{i % 90:06}" for i in range(N)], "identifier"),
        ("blorp", [f"{i % 90:06x}c4f7" for i in range(N)], "identifier"),
        ("blorp", [i / 7 for i in range(N)], "drop"),  # a measurement, but of what?
        ("blorp", ["a", "b"] * 100, "drop"),
        ("visit_id", list(range(N)), "identifier"),
        ("stay_id", [i // 3 for i in range(N)], "identifier"),  # a number that repeats is still a number
        ("visit_number", [i % 4 for i in range(N)], "identifier"),  # the first, second, … visit
        ("admission_type_id", [i % 4 for i in range(N)], "quasi-identifier"),  # a code, not a number of a row
        ("discharge_disposition_id", [i % 9 for i in range(N)], "sensitive"),
        ("hospital_id", [i % 9 for i in range(N)], "identifier"),
        ("remarks", ["ok"] * 199 + ["x"], "identifier"),
        ("remarks", ["yes", "no"] * 100, "drop"),  # a flag is no remark
        ("blorp", [f"She came on day {i} and was seen by the doctor of the ward" for i in range(N)], "identifier"),
        ("blorp", ["x"] * 4, "drop"),  # too few rows to say it is always so
        ("blorp", ["x"] * 3 + [None] * 197, "drop"),  # who has a value at all stands out
        ("blorp", ["x"] * N, "drop"),
        ("blorp", [None] * N, "drop"),
        ("hiv", ["yes"] * N, "sensitive"),
        ("surgery", [date(2020, 1, 1 + i % 28) for i in range(N)], "drop"),  # who had one, and when
        ("diagnosis_date", [date(2020, 1, 1 + i % 28) for i in range(N)], "drop"),
        ("diagnosis_date", ["imputed", "observed"] * 100, "sensitive"),  # no dates
        ("birth_year", [1930 + i % 70 for i in range(N)], "quasi-identifier"),
        ("diagnosis_month", [1 + i % 12 for i in range(N)], "quasi-identifier"),
        ("seizures_month", [i % 9 for i in range(N)], "sensitive"),
        ("follow_up_time", [i % 90 for i in range(N)], "sensitive"),
        ("glucose", [i * 1.01 for i in range(N)], "sensitive"),  # nearly unique, and still sensitive
        ("glucose", [i % 9 for i in range(N)], "sensitive"),
        ("cost", [i * 1.01 for i in range(N)], "sensitive"),
        ("blorp", ["a@example.org", "b@example.org"] * 100, "identifier"),
        ("job", ["a@example.org", "b@example.org"] * 100, "identifier"),
        ("blorp", ["2020-01-31 12:30:00", "2021-12-01 07:00:00"] * 100, "quasi-identifier"),
        ("blorp", ["E11.9", "I10", "C50.9"] * 60, "sensitive"),
        ("blorp", ["metformin", "lisinopril", "warfarin"] * 60, "sensitive"),
        ("blorp", ["M", "F"] * 100, "quasi-identifier"),
        ("blorp", ["99213", "99214", "00100"] * 60, "drop"),  # postal codes or procedures?
        ("blorp", ["Doe, Jane", "Roe, Richard", "Poe, Ann", "Moe, Tim", "Loe, Eva"] * 40, "identifier"),
        ("residence", ["12 Main Street", "7 Elm Avenue"] * 100, "identifier"),
        ("hospital", ["yes", "no"] * 100, "sensitive"),  # whether somebody was in hospital
        ("encounter_type", ["hepatitis", "asthma"] * 100, "sensitive"),
        ("elective_admission", ["yes", "no"] * 100, "sensitive"),  # whether it was an emergency
        (
            "arrival_time",
            [100 * (i % 24) + 7 * i % 60 for i in range(N)],
            "quasi-identifier",
        ),  # 5 is 00:05, 1730 is 17:30
        ("blorp_region", ["yes", "no"] * 100, "drop"),
        ("blorp", ["yes", "no"] * 100, "drop"),  # yes or no to what?
        ("race_blorp", ["yes", "no"] * 100, "quasi-identifier"),
        ("womans_name", [f"{first} {last}" for first in ("Anna", "Maria") for last in NAMES] * 5, "identifier"),
        ("tooth_no", [1 + i % 32 for i in range(N)], "sensitive"),  # too small to number records
        ("gewicht", [f"{60 + i % 99},{i % 7}" for i in range(N)], "sensitive"),  # numbers, with a comma
        ("diagnosis", ["Malignant neoplasm of the upper lobe of the right lung", "Influenza"] * 100, "sensitive"),
        ("diagnosis", [f"Seen on day {i} after a fall at home, with her daughter" for i in range(N)], "identifier"),
    ],
)
def test_role_by_name_and_values(name: str, values: list[Any], role: str) -> None:
    assert sign(name, values).role == role


def test_what_is_not_recognized_is_listed_with_its_number_of_values() -> None:
    found = sign("blorp", ["a", "b"] * 10)
    assert (found.role, found.confidence) == ("drop", "low")
    assert found.reason == "not recognized, 2 distinct values: not released unless you give it a role"


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("age", [30, 40], "intervals"),
        ("age", ["30-40", "40-50"], None),
        ("zip", ["02139", "10001"], "prefix"),
        ("zip", ["a very long text instead"], None),
        ("birth_date", [date(1970, 1, 31)], "date"),
        ("birth_year", [1970], None),
        ("diagnosis", ["E11.9", "I10"], "icd10cm"),
        ("diagnosis", ["250.00", "V45.1", "410"], "icd9"),
        ("diagnosis", ["flu"], None),
    ],
)
def test_hierarchies_fit_the_values(name: str, values: list[Any], kind: str | None) -> None:
    about = facts(pl.Series(name, values))[0]
    assert fitting(recognized(about), about).get("kind") == kind


CELLS = st.one_of(
    st.lists(st.one_of(st.none(), st.text(max_size=30)), max_size=12),
    st.lists(st.one_of(st.none(), st.integers(-(2**60), 2**60)), max_size=12),
    st.lists(st.one_of(st.none(), st.floats(allow_infinity=False)), max_size=12),
    st.lists(st.one_of(st.none(), st.dates()), max_size=12),
    st.lists(st.one_of(st.none(), st.booleans()), max_size=12),
)


@given(st.text(max_size=30), CELLS)
@settings(max_examples=examples(300), deadline=None)
def test_any_column_is_recognized_as_something(name: str, cells: list[Any]) -> None:
    found = sign(name, cells)
    assert found.role in ("identifier", "quasi-identifier", "sensitive", "drop")
    assert found.confidence in ("high", "medium", "low") and found.reason


@given(st.from_regex(r"[b-df-hj-np-tv-xz]{9,12}", fullmatch=True), CELLS)
@settings(max_examples=examples(200), deadline=None)
def test_an_unknown_name_becomes_a_quasi_identifier_only_by_dates_and_sexes(name: str, cells: list[Any]) -> None:
    found = sign(name, cells)
    assert found.role != "quasi-identifier" or found.what in ("dates", "sex", "postal codes")


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("Pt", [f"{last}, {initial}." for last in NAMES for initial in "ABCDE"] * 2, "identifier"),
        ("Pt", [100_000 + i * 37 for i in range(N)], "identifier"),
        ("cp", ["3.0", "4.0", "1.0", "2.0"] * 50, "drop"),  # no postal codes
        ("cp", [f"{75000 + i % 20}" for i in range(N)], "quasi-identifier"),
        ("IDATE", [f"{1 + i % 12:02}{1 + i % 28:02}2018" for i in range(N)], "quasi-identifier"),
        ("blorp", [f"{100 + i % 60}/{60 + i % 37}" for i in range(N)], "sensitive"),
        ("blorp", ["A+", "O-", "B+", "AB-"] * 50, "sensitive"),
        ("blorp", [f"52.{500000 + i * 7}, 13.{400000 + i * 3}" for i in range(N)], "identifier"),
        ("blorp", ["SW1A 1AA", "M1 1AE", "EC1A 1BB", "LS1 4AP"] * 50, "quasi-identifier"),
        ("blorp", ["44051401359", "02070803628"] * 100, "identifier"),
        ("I10_DX1", [f"{'CEIJ'[i % 4]}{10 + i % 89}{i % 10}" for i in range(N)], "sensitive"),
        ("Code", [73211009, 38341003, 195967001, 44054006, 22298006, 13645005] * 30, "sensitive"),  # SNOMED CT
    ],
)
def test_names_and_values_that_were_once_mistaken(name: str, values: list[Any], role: str) -> None:
    assert sign(name, values).role == role


CONCEPTS = [73211009, 38341003, 195967001, 44054006, 22298006, 13645005]


@pytest.mark.parametrize(
    ("name", "cells", "read_as"),
    [
        ("Code", CONCEPTS * 30, "text"),
        ("diagnosis", CONCEPTS * 30, "text"),
        ("procedure_code", [10_000 + 7 * (i % 60) for i in range(N)], "text"),
        ("procedure_code", [f"P{i % 60}" for i in range(N)], None),
        ("cost", [10_000 + 7 * (i % 60) for i in range(N)], None),
    ],
)
def test_whole_numbers_that_are_codes_are_read_as_text(name: str, cells: list[Any], read_as: str | None) -> None:
    found = sign(name, cells)
    assert (found.role, found.read_as) == ("sensitive", read_as)


def test_names_never_number_patients() -> None:
    assert sign("patient", [f"{last}, Anna" for last in NAMES] * 10).numbers is None


DIGITS = [f"{(7_919 * i * i + 104_729 * i + 12_345) % 9_999_999_967:010}" for i in range(N)]


@pytest.mark.parametrize(
    "name",
    ["medicare_no", "payor num", "insurer", "hospital", "Kasse", "ward", "region", "city", "employer", "nationality"],
)
@pytest.mark.parametrize("rows", [10, N])
@pytest.mark.parametrize("as_numbers", [True, False])
def test_codes_that_hardly_repeat_are_no_quasi_identifiers(name: str, rows: int, as_numbers: bool) -> None:
    cells = [int(code) + 10**9 if as_numbers else code for code in DIGITS[:rows]]
    assert sign(name, cells).role == "identifier"


@pytest.mark.parametrize("name", ["insurer", "city", "occupation", "hospital"])
def test_texts_that_hardly_repeat_are_no_quasi_identifiers(name: str) -> None:
    texts = [f"{first}{second}{third}" for first in "bdfg" for second in ("ala", "oro", "imi") for third in "klmn"]
    assert sign(name, texts).role in ("identifier", "drop")


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("payer_number", [f"{100 + i % 60}" for i in range(N)], "identifier"),  # many numbers, of whomever
        ("provider_id", [i % 7 for i in range(N)], "identifier"),
        ("payer_code", [i % 7 for i in range(N)], "quasi-identifier"),
        ("postal_code", [f"{10_000 + 7 * i}" for i in range(N)], "quasi-identifier"),
        ("height", [f"{150 + i / 7:.3f}".replace(".", ",") for i in range(N)], "sensitive"),
        ("birth_date", [date(1920 + i % 80, 1 + i % 12, 1 + i % 28) for i in range(N)], "quasi-identifier"),
    ],
)
def test_numbers_of_payers_and_providers_identify_but_ordered_values_form_classes(
    name: str, values: list[Any], role: str
) -> None:
    assert sign(name, values).role == role


OLD_CODES = ["4019", "25000", "V3000", "1749", "E8859"]


@pytest.mark.parametrize(
    "name", ["dia_princ", "dia", "day", "year", "month", "Jahr", "date", "age", "age_group", "Alter"]
)
@pytest.mark.parametrize(
    "codes", [["E11", "I10", "C50", "B20"], ["E11.9", "I10"], OLD_CODES], ids=lambda codes: codes[0]
)
def test_diagnosis_codes_are_sensitive_whatever_date_or_age_the_name_promises(name: str, codes: list[str]) -> None:
    assert sign(name, codes * 40).role == "sensitive"


@pytest.mark.parametrize("name", ["dia", "day", "year", "date", "age_group", "age", "edad", "Monat"])
@pytest.mark.parametrize(
    "cells", [["HIV", "HCV", "neg"], ["red", "blue"], [4019, 25_000, 1_749]], ids=lambda cells: str(cells[0])
)
def test_a_date_or_age_that_the_values_do_not_bear_out_is_not_released(name: str, cells: list[Any]) -> None:
    assert sign(name, cells * 60).role in ("drop", "sensitive")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age_group", ["18-24", "25-44", "45+"]),
        ("age_group", ["child", "adult", "elderly"]),
        ("Altersgruppe", ["unter 18", "18 bis 64", "ab 65"]),
        ("age", ["<1", "12", ">89", "unknown"]),
        ("age", ["34 y", "7 m", "90+ y"]),
        ("month", ["January", "February", "March", "unknown"]),
        ("Wochentag", ["Montag", "Dienstag", "Sonntag"]),
        ("mois", ["janvier", "février", "août"]),
        ("quarter", ["Q1", "Q2", "2020-Q4"]),
        ("year", ["2010-2014", "2015-2019"]),
        ("season", ["winter", "summer"]),
        ("year", [1990, 2021]),
        ("study_day", [-14, 720, 3]),
    ],
)
def test_ages_and_parts_of_dates_in_words_are_quasi_identifiers(name: str, values: list[Any]) -> None:
    assert sign(name, values * 50).role == "quasi-identifier"


def test_serial_numbers_of_spreadsheets_are_dates() -> None:
    assert sign("visit_dt", [44_200 + 3 * i for i in range(N)]).what == "dates"
    assert sign("dob", [9_000 + 61 * i for i in range(N)]).what == "dates"


SURNAMES = [
    f"{start}{end}" for start in ("Web", "Fisch", "Wagn", "Beck", "Maur") for end in ("er", "mann", "elt", "hof")
]


@pytest.mark.parametrize(
    "name",
    ["gp", "surgeon", "medecin_traitant", "behandelaar", "provider", "Operateur", "lekarz", "blorp", "implanter"],
)
@pytest.mark.parametrize("form", ["Dr {}", "Dr. {}", "dr {}", "Prof. Dr. {}", "Dra. {}", "{} MD", "MUDr. {}"])
def test_titled_names_identify_whatever_the_column_is_called(name: str, form: str) -> None:
    assert sign(name, [form.format(surname) for surname in SURNAMES] * 10).role == "identifier"


@pytest.mark.parametrize(
    "name", ["gp", "surgeon", "medecin_traitant", "behandelaar", "provider", "Operateur", "lekarz"]
)
@pytest.mark.parametrize("form", ["C. {}", "{} C.", "{}, C.", "C.-P. {}", "A {}", "{}"])
def test_names_of_carers_with_initials_identify(name: str, form: str) -> None:
    assert sign(name, [form.format(surname) for surname in SURNAMES] * 10).role == "identifier"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("operator", ["senior consultant", "registrar", "trainee"]),
        ("staff", ["nurse", "physician", "other"]),
        ("hospital", ["St. Mary", "St. George", "St. Anne"]),
        ("ward", [f"Station {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXY"]),
    ],
)
def test_kinds_of_carers_and_hospitals_stay_quasi_identifiers(name: str, values: list[str]) -> None:
    assert sign(name, values * 40).role == "quasi-identifier"


@pytest.mark.parametrize("name", ["organism", "blorp"])
def test_species_are_no_names(name: str) -> None:
    assert sign(name, ["E. coli", "S. aureus", "C. difficile", "K. pneumoniae"] * 30).role != "identifier"


PSEUDONYMS = [f"{'ABC'[i % 3]}{100 + (i * 389) % 900}" for i in range(N)]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("Chiffre", PSEUDONYMS, "identifier"),
        ("blorp", PSEUDONYMS, "identifier"),  # hardly any repeats, unlike diagnoses
        ("jab_dt", [44_200 + (7 * i) % 600 for i in range(N)], "drop"),
        ("clinic", ["HIV", "methadone", "orthopaedics"] * 60, "sensitive"),
        ("service", ["cardiology", "substance abuse", "surgery"] * 60, "sensitive"),
        ("Abteilung", ["Dialyse", "Hepatitis-Ambulanz", "Chirurgie"] * 60, "sensitive"),
        ("department", ["surgery", "cardiology", "orthopaedics"] * 60, "quasi-identifier"),
        ("hospital", ["St. Mary", "General", "Northside"] * 60, "quasi-identifier"),
        ("tattoos", ["anchor", "rose on the left arm", "none"] * 60, "identifier"),
        ("tattoo", ["yes", "no"] * 100, "drop"),
        ("distinguishing_marks", ["scar on chin", "birthmark"] * 60, "identifier"),
        ("byear", [1930 + i % 70 for i in range(N)], "quasi-identifier"),
        ("Vers_GebJ", [1930 + i % 70 for i in range(N)], "quasi-identifier"),
        ("wave", [1 + i % 4 for i in range(N)], "quasi-identifier"),
    ],
)
def test_further_names_and_values_that_were_mistaken(name: str, values: list[Any], role: str) -> None:
    assert sign(name, values).role == role


@pytest.mark.parametrize(
    ("name", "values", "what"),
    [
        ("Hb präop. [g/dl]", [12.1, 13.4, 9.8] * 60, "laboratory results"),
        ("Hb postop", [12.1, 13.4, 9.8] * 60, "laboratory results"),
        ("CRP prä-OP", [12.1, 13.4, 9.8] * 60, "laboratory results"),
        ("Verlegung nach", ["Reha", "Pflegeheim", "Hause"] * 60, "the course of an illness"),
        ("Entlassung nach", ["Reha", "Pflegeheim", "Hause"] * 60, "the course of an illness"),
        ("transferred to", ["rehab", "home", "hospice"] * 60, "the course of an illness"),
    ],
)
def test_reasons_name_the_right_content(name: str, values: list[Any], what: str) -> None:
    assert sign(name, values).what == what


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("ConsultantGMC", [4_000_000 + i % 22 * 37 for i in range(N)], "identifier"),
        ("MEDICO_ALTA", [464_600_000 + i % 30 * 41 for i in range(N)], "identifier"),
        ("ProvAbbr", ["HYG2", "DOC2", "DOC1", "HYG1"] * 50, "identifier"),
        ("surgeon", ["RK", "AB", "TT"] * 60, "identifier"),
        ("surgeon", ["Smith", "Jones", "Lee"] * 60, "identifier"),
        ("surgeon", ["yes", "no"] * 100, "sensitive"),  # whether somebody saw one
        ("provider", ["nurse", "cardiologist", "dietitian"] * 60, "quasi-identifier"),
    ],
)
def test_names_and_numbers_of_carers_identify_but_their_kinds_do_not(name: str, values: list[Any], role: str) -> None:
    assert sign(name, values).role == role


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("pracid", [20_000 + i % 9 * 7 for i in range(N)], "identifier"),
        ("CGC_HOSP", [46_000_000_000_100 + i % 11 * 7 for i in range(N)], "identifier"),
        ("CNES", [2_077_400 + i % 11 * 7 for i in range(N)], "identifier"),
        ("SITEID", ["101", "102", "205"] * 60, "identifier"),
        ("ID_UNIDADE", [2_000_000 + i % 20 * 3 for i in range(N)], "identifier"),
        ("center_code", ["C99", "C76", "C21", "C31"] * 50, "identifier"),
        ("center", ["North", "South", "East"] * 60, "quasi-identifier"),
        ("hospital_type", [i % 3 for i in range(N)], "quasi-identifier"),
        ("hospital", [i * 0.37 for i in range(N)], "sensitive"),  # no number of a hospital has a fraction
        ("hosp_nights", [i % 31 for i in range(N)], "sensitive"),
    ],
)
def test_numbers_of_hospitals_and_practices_identify(name: str, values: list[Any], role: str) -> None:
    assert sign(name, values).role == role


@pytest.mark.parametrize("name", ["account_open", "phone", "email", "Adresse"])
def test_a_flag_identifies_nobody(name: str) -> None:
    assert sign(name, ["Y", "N", "N"] * 60).role == "drop"


def test_two_individuals_are_no_flag() -> None:
    assert sign("patient_id", [1, 2] * 100).role == "identifier"


@pytest.mark.parametrize("name", ["blorp", "FECALT"])
def test_dates_without_separators_that_begin_with_the_day(name: str) -> None:
    assert sign(name, [f"{1 + i % 28:02}{1 + i % 12:02}2022" for i in range(N)]).what == "dates"


def test_codes_of_areas_are_no_hashes() -> None:
    assert sign("LSOA", [f"E0100{1_000 + i % 24 * 7}" for i in range(N)]).role == "quasi-identifier"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("heparin_units", [500, 1_000, 2_500] * 60, "sensitive"),
        ("dose_unit", ["mg", "g", "IU"] * 60, "drop"),
        ("blorp_mmol_l", [3.5 + i % 20 / 10 for i in range(N)], "sensitive"),
        ("blorp ng/ml", [3.5 + i % 20 / 10 for i in range(N)], "sensitive"),
        ("blorp_mmol_l", ["low", "high"] * 100, "drop"),
    ],
)
def test_a_unit_of_measurement_says_that_something_was_measured(name: str, values: list[Any], role: str) -> None:
    assert sign(name, values).role == role


def test_titles_say_the_sex() -> None:
    assert sign("Title", ["Mr", "Mrs", "Ms", "Miss", "Dr"] * 40).what == "sex"


def test_the_year_of_onset_is_dropped() -> None:
    assert sign("yr_onset", [1990 + i % 30 for i in range(N)]).role == "drop"


def test_numbers_of_households_identify_and_number_no_patients() -> None:
    found = sign("hhid", [40_000 + i // 2 for i in range(N)])
    assert (found.role, found.numbers) == ("identifier", None)
