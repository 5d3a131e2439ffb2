"""What values say by their form, in seven languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.profiling import values
from shoal.table.patterns import IDENTIFIERS
from tests.effort import examples


@pytest.mark.parametrize(
    ("sample", "hipaa"),
    [
        (["123-45-6789", "987-65-4321"], "G"),
        (["a.b@example.org", "c@example.com"], "F"),
        (["https://example.org/x", "www.example.com"], "N"),
        (["10.0.0.1", "192.168.17.255"], "O"),
        (["2001:db8:0:0:0:0:2:1"], "O"),
        (["(617) 555-0199", "617-555-0123", "+1 617 555 0147"], "D"),
        (["+49 30 1234567"], "D"),
        (["00:1A:2B:3C:4D:5E"], "M"),
        (["1HGCM82633A004352"], "L"),
        (["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"], "J"),
        (["c791450e-f494-4776-a4c8-3066efb64872"], "R"),
    ],
)
def test_sure_signs(sample: list[str], hipaa: str) -> None:
    sign = values.sure(sample)
    assert sign is not None
    assert (sign.role, sign.hipaa) == ("identifier", hipaa)


def test_every_pattern_of_identifiers_is_used() -> None:
    assert len(values._SURE) == len(IDENTIFIERS)


@pytest.mark.parametrize("sample", [[], ["yes", "no"], ["2020-01-31"], ["C50"], ["3.5", "12"], ["12/24/2020"]])
def test_ordinary_values_are_no_sure_sign(sample: list[str]) -> None:
    assert values.sure(sample) is None


def test_one_value_in_five_may_look_different() -> None:
    assert values.sure(["a@b.org"] * 4 + ["unknown"]) is not None
    assert values.sure(["a@b.org"] * 3 + ["unknown"]) is None


@pytest.mark.parametrize(
    "text",
    [
        *("2020-01-31", "2020/1/31", "31.12.1999", "12/31/1999", "31-12-99", "20200131", "202001311230"),
        *("2020-01-31 12:30", "2020-01-31T12:30:00Z", "2020-01-31T12:30:00.123+01:00", "31.12.1999 7:05", "14:30"),
        *("4 Jan 2020", "Jan 4, 2020", "04-JAN-2020", "01JAN2020", "4 mars 2019", "3 de enero de 2020", "3. März 2020"),
        *("1/31/20 2:15 PM", "2020-01"),
    ],
)
def test_dates_in_many_conventions(text: str) -> None:
    assert values.are_dates([text])


@pytest.mark.parametrize("text", ["12", "2020", "1.5", "12-2020-1", "room 12", "250.00", "99281", "E11.9", "3/5"])
def test_what_is_no_date(text: str) -> None:
    assert not values.are_dates([text])


@pytest.mark.parametrize(
    ("sample", "what"),
    [
        (["C50.911", "I25.10", "E11.9"], "diagnosis codes"),
        (["C50911", "I2510", "E119"], "diagnosis codes"),
        (["E11", "I10", "J45"], "diagnosis codes"),
        (["A10BA02", "C09AA03"], "drug codes"),
        (["00093-7214-01", "0093-7214-1"], "drug codes"),
        (["2345-7", "718-7"], "laboratory codes"),
        (["5-470.11", "1-632.0", "8-930"], "procedure codes"),
        (["DEQP003", "ZZQK002"], "procedure codes"),
        (["73211009", "38341003", "22298006"], "clinical codes"),
        (["metformin 500 mg", "lisinopril", "none"], "treatments or drugs"),
        (["Bronchitis", "Pneumonia", "Diabetes"], "diagnoses or findings"),
        (["Lungenentzündung", "Schlaganfall"], "diagnoses or findings"),
        (["neumonía", "infarto"], "diagnoses or findings"),
    ],
)
def test_clinical_values(sample: list[str], what: str) -> None:
    sign = values.clinical(sample)
    assert sign is not None
    assert (sign.role, sign.what, sign.confidence) == ("sensitive", what, "medium")


@pytest.mark.parametrize(
    "sample",
    [[], ["red", "blue"], ["P000123", "P000124"], ["12345678", "12345679"], ["Anna", "Peter"], ["A01", "A02", "A03"]],
)
def test_ordinary_values_are_not_clinical(sample: list[str]) -> None:
    assert values.clinical(sample) is None


@pytest.mark.parametrize("code", ["73211009", "38341003", "195967001", "44054006"])
def test_snomed_concepts_carry_a_check_digit(code: str) -> None:
    assert values.is_snomed(code)
    assert not values.is_snomed(code[:-1] + str((int(code[-1]) + 1) % 10))


@pytest.mark.parametrize(
    "flags",
    ["yes no", "Y N", "TRUE FALSE", "0 1", "ja nein", "oui non", "sí no", "sì no", "ja nee", "sim não", "Y N UNK"],
)
def test_flags(flags: str) -> None:
    assert values.are_flags(flags.split())


@pytest.mark.parametrize(
    "sexes", ["M F", "male female", "m w d", "männlich weiblich", "homme femme", "H M", "man vrouw"]
)
def test_sexes(sexes: str) -> None:
    assert values.are_sexes(sexes.split())


@pytest.mark.parametrize("other", ["a b", "yes", "red no", ""])
def test_neither_flags_nor_sexes(other: str) -> None:
    assert not values.are_flags(other.split())
    assert not values.are_sexes(other.split())


@pytest.mark.parametrize(
    "sample",
    [
        ["Doe, Jane", "Roe, Richard M."],
        ["Anna Schmidt", "Peter Weber"],
        ["MARIA GARCIA", "JOSE LOPEZ"],
        ["Giulia", "Marco"],
    ],
)
def test_names(sample: list[str]) -> None:
    assert values.are_names(sample)


@pytest.mark.parametrize("sample", [["left", "right"], ["Bronchitis", "Asthma"], ["A12", "B13"], ["Anna"]])
def test_what_are_no_names(sample: list[str]) -> None:
    assert not values.are_names(sample)


@pytest.mark.parametrize(
    "street",
    [
        "12 Main Street",
        "7 Elm Ave",
        "Hauptstraße 5",
        "Lindenweg 12a",
        "12 rue de la Paix",
        "Calle Mayor 3",
        "Via Roma 1",
        "Dorpsstraat 44",
        "Rua Augusta 100",
    ],
)
def test_streets(street: str) -> None:
    assert values.are_streets([street])


def test_five_digits_may_be_procedures_as_well() -> None:
    assert values.are_zips(["02139", "10001-1234"])
    assert not values.are_zips(["99213", "99214"])


def test_codes_of_records() -> None:
    assert values.are_record_codes(["MRN00123", "MRN00124"])
    assert values.are_record_codes(["a8f5f167f4", "0cc175b9c0"])
    assert not values.are_record_codes(["red", "blue"])


def test_calendar_parts_and_compact_times() -> None:
    assert values.are_calendar_parts(["2020", "2021-Q3", "1999"])
    assert values.are_compact_times(["093015", "235959"])
    assert not values.are_compact_times(["993015"])


@given(st.lists(st.text(max_size=90), max_size=8))
@settings(max_examples=examples(200), deadline=None)
def test_any_values_can_be_looked_at(sample: list[str]) -> None:
    values.sure(sample)
    values.clinical(sample)
    for check in (values.are_dates, values.are_flags, values.are_sexes, values.are_names, values.are_streets):
        assert check(sample) in (True, False)


@pytest.mark.parametrize(
    ("what", "sample"),
    [
        ("Danish", ["010190-1234", "311265-0987"]),
        ("Swedish", ["19900101-1236", "850709-9805"]),
        ("Finnish", ["010190-123A", "311265A098K"]),
        ("French", ["1 90 05 75 123 456 12", "290057512345612"]),
        ("Italian", ["RSSMRA85T10A562S", "VRDLGI70A01H501X"]),
        ("Spanish", ["12345678Z", "X1234567L"]),
        ("German insurance", ["A123456780", "T987654321"]),
        ("British", ["943 476 5919", "401 023 2137"]),
        ("British insurance", ["JG123456C", "AB 12 34 56 D"]),
    ],
)
def test_national_numbers(what: str, sample: list[str]) -> None:
    found = values.sure(sample)
    assert found is not None and found.role == "identifier", what


@pytest.mark.parametrize(
    "sample",
    [["SW1A 1AA", "M1 1AE", "EC1A 1BB"], ["1234 AB", "9999XY"], ["K1A 0B1", "V6B1A1"]],
)
def test_postal_codes_with_letters(sample: list[str]) -> None:
    assert values.are_postcodes(sample)


def test_postal_codes_are_no_clinical_codes() -> None:
    assert not values.are_postcodes(["E11", "I10"])
    assert not values.are_postcodes(["C50.9", "D12"])


def test_the_form_of_numbers_of_trial_subjects_is_no_postal_code() -> None:
    assert not values.are_postcodes(["01-001", "01-002"])


def test_what_may_be_a_postal_code() -> None:
    assert values.are_postal(["2139.0", "10001"]) and values.are_postal(["021**", "100XX"])
    assert not values.are_postal(["3.0", "4.0"]) and not values.are_postal(["1", "2"])


def test_blood_pressure_and_blood_groups() -> None:
    assert values.are_pressures(["120/80", "141/92", "98 / 60"])
    assert not values.are_pressures(["1/2", "3/4"]) and not values.are_pressures(["12/31/1999"])
    assert values.are_blood_groups(["A+", "O-", "AB+"]) and values.are_blood_groups(["A Rh+", "0 Rh-", "B Rh+"])
    assert not values.are_blood_groups(["A", "B", "C"]) and not values.are_blood_groups(["A", "B"])


def test_coordinates() -> None:
    assert values.are_coordinates(["52.520008, 13.404954", "48.137154,11.576124"])
    assert not values.are_coordinates(["1.5, 2.5"])


def test_flags_and_sexes_in_northern_and_slavic_languages() -> None:
    assert values.are_flags(["tak", "nie"]) and values.are_flags(["Nej", "Ja"]) and values.are_flags(["kyllä", "ei"])
    assert values.are_sexes(["Kvinde", "Mand"]) and values.are_sexes(["Kvinna", "Man"])
    assert values.are_sexes(["K", "M"]) and values.are_sexes(["kobieta", "mężczyzna"])


def test_names_with_initials_and_in_more_languages() -> None:
    assert values.are_names(["Marlowe, E.", "Ashgrove, Y."])
    assert values.are_names(["Søren Holm", "Mette Lund"]) and values.are_names(["Agnieszka Nowak", "Piotr Lis"])
