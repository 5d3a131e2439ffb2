"""Names and looks of columns: what they tell, in the spellings people use."""

from __future__ import annotations

import pytest

from shoal.profiling import signs
from shoal.profiling.signs import by_name, likely_by_values, sure_by_values

# One line per identifier of HIPAA's Safe Harbor rule, by its letter, in spellings seen in real tables.
SAFE_HARBOR = {
    "A": ["name", "PatientName", "first_name", "LASTNAME", "Nachname", "Prénom", "maiden", "supervisor_name"],
    "B": ["address", "Straße", "ZIP", "zip_code", "PLZ", "code postal", "City", "county", "birthplace", "latitude"],
    "C": ["birth_date", "DOB", "dateOfBirth", "Geburtsdatum", "date de naissance", "admission_date", "DEATHDATE"],
    "D": ["phone", "Telephone_Number", "tel", "Handynummer", "home_phone"],
    "E": ["fax", "FaxNummer"],
    "F": ["email", "E-Mail", "emailAddress", "courriel"],
    "G": ["ssn", "SocialSecurityNumber", "numéro_de_sécurité_sociale", "Sozialversicherungsnummer"],
    "H": ["mrn", "medical_record_no", "record_number", "patient_id", "patient_nbr", "PATIENT", "Patientennummer"],
    "I": ["health_plan_number", "beneficiary_id", "MemberID", "Versichertennummer"],
    "J": ["account_number", "iban", "Kontonummer"],
    "K": ["license_number", "DRIVERS", "passport", "Führerschein"],
    "L": ["vin", "licensePlate", "vehicle_id"],
    "M": ["device_id", "SerialNumber", "mac_address", "imei"],
    "N": ["url", "website"],
    "O": ["ip", "ip_address", "client_ip"],
    "P": ["fingerprint", "voiceprint", "biometrics"],
    "Q": ["photo", "face_image", "portrait"],
    "R": ["encounter_id", "uuid", "row_number", "clinical_notes"],
}


@pytest.mark.parametrize(
    ("letter", "name"), [(letter, name) for letter, names in SAFE_HARBOR.items() for name in names]
)
def test_every_safe_harbor_identifier_is_known_by_name(letter: str, name: str) -> None:
    found = by_name(name)
    assert found is not None
    assert found.hipaa == letter
    assert found.role in (signs.IDENTIFIER, signs.QUASI)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("diagnosis", signs.SENSITIVE),
        ("diag_1", signs.SENSITIVE),
        ("diag2", signs.SENSITIVE),
        ("icd10_code", signs.SENSITIVE),
        ("Diagnose", signs.SENSITIVE),
        ("drug_name", signs.SENSITIVE),
        ("glyburide-metformin", signs.SENSITIVE),
        ("HbA1c", signs.SENSITIVE),
        ("A1Cresult", signs.SENSITIVE),
        ("HIV", signs.SENSITIVE),
        ("income", signs.SENSITIVE),
        ("capital-gain", signs.SENSITIVE),
        ("sex", signs.QUASI),
        ("Geschlecht", signs.QUASI),
        ("marital-status", signs.QUASI),
        ("age_at_diagnosis", signs.QUASI),
        ("patientAge", signs.QUASI),
        ("diagnosis_date", signs.QUASI),
        ("native-country", signs.QUASI),
        ("hospital_name", signs.QUASI),
        ("city_name", signs.QUASI),
        ("Größe", signs.QUASI),
    ],
)
def test_other_roles_by_name(name: str, role: str) -> None:
    found = by_name(name)
    assert found is not None
    assert found.role == role


@pytest.mark.parametrize("name", ["", "x17", "fnlwgt", "___", "agent", "stagecoach", "nominal", "ein Wort"])
def test_nothing_is_read_into_other_names(name: str) -> None:
    assert by_name(name) is None


@pytest.mark.parametrize(
    ("values", "hipaa"),
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
def test_sure_signs_by_the_look_of_values(values: list[str], hipaa: str) -> None:
    found = sure_by_values(values)
    assert found is not None
    assert (found.role, found.hipaa) == (signs.IDENTIFIER, hipaa)


def test_likely_signs_by_the_look_of_values() -> None:
    assert likely_by_values(["02139", "10001-1234"]) == signs.ZIP
    assert likely_by_values(["C50.911", "I25.10", "E11.9"]) == signs.DIAGNOSIS_CODE
    assert likely_by_values(["2020-01-31 12:30:00", "2021-12-01T07:00"]) == signs.TIMESTAMP


@pytest.mark.parametrize("values", [[], ["yes", "no"], ["2020-01-31"], ["C50"], ["3.5", "12"], ["12/24/2020"]])
def test_ordinary_values_are_no_sign(values: list[str]) -> None:
    assert sure_by_values(values) is None
    assert likely_by_values(values) is None


def test_one_value_in_five_may_look_different() -> None:
    assert sure_by_values(["a@b.org"] * 4 + ["unknown"]) is not None
    assert sure_by_values(["a@b.org"] * 3 + ["unknown"]) is None


def test_every_phrase_is_reachable() -> None:
    """A phrase that a line above already takes would be dead weight: each must lead to its own line."""
    for sign, phrases in signs._BY_NAME:
        for phrase in (phrase.strip().removeprefix("=") for phrase in phrases.split(",")):
            found = by_name(phrase)
            assert found is not None and (found.what, found.role) == (sign.what, sign.role), phrase


def test_a_target_is_only_hinted_at() -> None:
    assert signs.may_be_target("Readmitted")
    assert signs.may_be_target("class_label")
    assert not signs.may_be_target("classification")
