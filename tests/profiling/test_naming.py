"""What names of columns say, in seven languages and in the spellings that standards and people use."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.profiling.naming import in_clinical_table, is_about_birth, readings
from tests.effort import examples

# One line per identifier of HIPAA's Safe Harbor rule, by its letter, in spellings seen in real tables.
SAFE_HARBOR = {
    "A": [
        "name",
        "PatientName",
        "first_name",
        "LASTNAME",
        "Nachname",
        "Prénom",
        "maiden",
        "supervisor_name",
        "Cognome",
    ],
    "B": ["address", "Straße", "ZIP", "zip_code", "PLZ", "code postal", "City", "county", "birthplace", "latitude"],
    "C": ["birth_date", "DOB", "dateOfBirth", "Geburtsdatum", "date de naissance", "admission_date", "DEATHDATE"],
    "D": ["phone", "Telephone_Number", "tel", "Handynummer", "home_phone", "teléfono"],
    "E": ["fax", "FaxNummer"],
    "F": ["email", "E-Mail", "emailAddress", "courriel"],
    "G": ["ssn", "SocialSecurityNumber", "numéro_de_sécurité_sociale", "Sozialversicherungsnummer", "codice_fiscale"],
    "H": ["mrn", "medical_record_no", "record_number", "patient_id", "patient_nbr", "PATIENT", "Patientennummer"],
    "I": ["health_plan_number", "insurance_id", "PolicyNumber", "Versichertennummer"],
    "J": ["account_number", "iban", "Kontonummer"],
    "K": ["license_number", "DRIVERS", "passport", "Führerschein"],
    "L": ["vin", "licensePlate", "vehicle_id"],
    "M": ["device_serial", "SerialNumber", "mac_address", "imei"],
    "N": ["url", "website"],
    "O": ["ip", "ip_address", "client_ip"],
    "P": ["fingerprint", "voiceprint", "biometrics"],
    "Q": ["photo", "face_image", "portrait"],
    "R": ["encounter_id", "uuid", "row_number", "clinical_notes"],
}

ROLES = {
    "identifier": """
        patient_id subject_id USUBJID PATID bene_id member_id mother_id household_id Fallnummer num_sejour ipp nhc
        numero_historia id_paciente codice_paziente cartella_clinica bsn patientnummer prontuario numero_utente
        visit_occurrence_id encounterid stay_id claim_no accession_number specimen_id order_id
        provider_id physician_no attending_id NumMedecin
        supervisor_name mother_maiden_name pid_5_patient_name nombre_paciente Bemerkungen observaciones opmerkingen""",
    "quasi-identifier": """
        sex gender Geschlecht sexe género sesso geslacht sexo race_concept_id ethnicity marital-status Familienstand
        etat_civil estado_civil stato_civile burgerlijke_staat age patientAge age_at_diagnosis Alter_bei_Diagnose edad
        eta_al_ricovero leeftijd idade birth_year year_of_birth geboortejaar diagnosis_date death_date Todesdatum
        fecha_ingreso data_ricovero data_obito opnamedatum hospital_name
        diagnosis_hospital hopital_diagnostic native-country address.0.city addrAtDxState zip3 PLZ
        code_postal codigo_postal cap postcode cep admission_type occupation Beruf profession professione beroep
        profissao education insurance payer_code language nationality comune_residenza municipio""",
    "sensitive": """
        Größe height
        diagnosis diag_1 dx dischargedx deathcause icd10_code condition_concept_id condition_source_value Hauptdiagnose
        Entlassungsdiagnose diagnostic_principal diagnostico diagnosi_principale hoofddiagnose cid10 drug_name
        drug_concept_id medication glyburide-metformin Medikament traitement medicamento farmaco medicijn medicamento
        HbA1c A1Cresult lab_value Laborwert glycémie glucosa glicemia bloedsuiker sbp systolic blood_pressure bmi hgb
        wbc plt cr bun inr ef nyha HIV smoker Raucher tabac fumador fumatore rookstatus tabagismo alcohol_use
        sex_partner_count sexual_orientation religion pregnant income capital-gain total_cost Kosten cost readmitted
        cause_of_death Todesursache cause_deces causa_muerte causa_morte doodsoorzaak causa_obito vital_status
        died_in_hospital verstorben decede exitus deceduto overleden obito length_of_stay birth_weight num_medications
        number_inpatient hospital_admit_offset
        family_history_of_cancer discharge_disposition procedure_code ARM arm AETERM LBORRES""",
}


@pytest.mark.parametrize(
    ("letter", "name"), [(letter, name) for letter, names in SAFE_HARBOR.items() for name in names]
)
def test_every_safe_harbor_identifier_is_known_by_name(letter: str, name: str) -> None:
    first = readings(name)[0]
    assert first.hipaa == letter
    assert first.role in ("identifier", "quasi-identifier")


@pytest.mark.parametrize("name", ["hospital_id", "care_site_id", "practice no", "site_id"])
def test_numbers_of_hospitals_identify(name: str) -> None:
    assert (readings(name)[0].role, readings(name)[0].needs) == ("identifier", None)


@pytest.mark.parametrize("name", ["payer_no", "Kasse Nr.", "insurer number"])
def test_numbers_of_payers_identify_if_there_are_many(name: str) -> None:
    first, second = readings(name)
    assert (first.role, first.needs) == ("identifier", "record numbers")
    assert second.role == "quasi-identifier"


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in ROLES.items() for name in names.split()])
def test_roles_by_name(role: str, name: str) -> None:
    assert readings(name)[0].role == role


@pytest.mark.parametrize(
    "name", ["", "x17", "___", "agent", "stagecoach", "nominal", "ein Wort", "data", "code", "type"]
)
def test_nothing_is_read_into_other_names(name: str) -> None:
    assert readings(name) == ()


def test_words_of_several_languages_are_read_in_the_language_of_their_company() -> None:
    assert readings("data_nascita")[0].what == "dates"  # Italian for date
    assert readings("nombre")[0].what == "names"  # Spanish
    assert readings("nombre_enfants")[0].what == "family"  # French for number


def test_what_a_name_says_may_depend_on_the_values() -> None:
    date, _, finding = readings("diagnosis_date")
    assert (date.needs, finding.needs, finding.role) == ("dates", None, "sensitive")
    number, finding = readings("diagnosis_id")
    assert (number.needs, number.role, finding.role) == ("record numbers", "identifier", "sensitive")


def test_an_unknown_word_lowers_the_confidence() -> None:
    assert readings("diagnosis")[0].confidence == "high"
    assert readings("blorp_diagnosis")[0].confidence == "medium"


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("patient_id", "patients"), ("encounter_id", "visits"), ("diagnosis_id", "records"), ("mother_id", None)],
)
def test_what_identifiers_number(name: str, numbers: str | None) -> None:
    assert readings(name)[0].numbers == numbers


def test_names_about_birth() -> None:
    assert all(map(is_about_birth, ["dob", "Geburtsdatum", "date_naissance", "fecha_nacimiento", "geboortejaar"]))
    assert not any(map(is_about_birth, ["admission_date", "geography", "job"]))


@given(st.text())
@settings(max_examples=examples(300), deadline=None)
def test_any_name_can_be_read(name: str) -> None:
    assert all(sign.role and sign.what for sign in readings(name))


@pytest.mark.parametrize("name", ["stay_no", "Fallnummer", "visit_id", "specimen_no"])
def test_a_few_numbers_of_visits_or_samples_identify_but_number_nothing(name: str) -> None:
    """Otherwise the first, second and third visit would be taken for three individuals."""
    many, few = readings(name)[:2]
    assert many.needs == "record numbers" and many.numbers is not None
    assert (few.role, few.needs, few.numbers) == ("identifier", None, None)


MEDICAL_FORMS = """
    tendinitis endometritis ketonemia galactosemia amyloidosis enteropathy adrenalectomy craniotomy colostomy
    rhinoplasty cystoscopy lipoma haematuria myalgia quadriplegia pancytopenia hepatomegaly menorrhagia hypertrophy
    transferase elastase immunoglobulin granulocytes rosuvastatin enalapril hyperkalemia hypotension cardiomegaly
    hepatobiliary nephrolithiasis neurodeficit thrombophilia gastroparesis pulmonology tachycardia dyspepsia
    cryotherapy hyperthyroid hypopituitary"""


@pytest.mark.parametrize("name", MEDICAL_FORMS.split())
def test_medical_words_are_known_by_their_form(name: str) -> None:
    sign = readings(name)[0]
    assert (sign.role, sign.needs) == ("sensitive", None)


ORDINARY = """
    database purchase phase base increase decrease release showcase hypothesis hyperlink hypertext hyperparameter
    diploma oklahoma aroma cardinality cardinal academia empathy sympathy analysis gastronomy pneumatic neuron_count
    psychographic_segment hypermarket oncoming phrase lease staircase knowledgebase testcase chase cardboard
    contract addition content barrier
    sku order_total invoice_no unit_price warehouse carrier_name shipment_status tracking_url page_views bounce_rate
    click_through session_length browser operating_system campaign ad_group keyword landing_page conversion referrer
    ticker exchange open_price close_price volume bid ask spread dividend yield portfolio asset_class isin cusip
    maturity coupon interest_rate exchange_rate ledger debit credit vat tax_rate discount quantity supplier
    product_category brand colour warranty stock_level reorder_point pallet container freight route_number
    vehicle_type driver_rating fuel mileage depot dispatch eta parcel_weight customs incoterm
    pixel resolution bandwidth server hostname cpu_load disk_space memory_usage uptime commit branch build_number
    test_case bug_count sprint story_points backlog deployment latency_ms cache_hit"""


@pytest.mark.parametrize("name", ORDINARY.split())
def test_ordinary_words_are_not_sure_to_be_sensitive(name: str) -> None:
    assert all((sign.role, sign.confidence) != ("sensitive", "high") for sign in readings(name)[:1])


@pytest.mark.parametrize("name", ORDINARY.split("sku")[0].split())
def test_ordinary_words_have_no_medical_form(name: str) -> None:
    assert not any(sign.role == "sensitive" for sign in readings(name))


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("hypertensoin", "sensitive"),
        ("Alkaline_Phosphotase", "sensitive"),
        ("Total_Protiens", "sensitive"),
        ("Handcap", "sensitive"),
        ("Diagnossis", "sensitive"),
        ("choleserol", "sensitive"),
        ("ocupation", "quasi-identifier"),
        ("Nationalty", "quasi-identifier"),
        ("telephnoe", "identifier"),
    ],
)
def test_misspelled_words_are_known_with_less_confidence(name: str, role: str) -> None:
    sign = readings(name)[0]
    assert sign.role == role and sign.confidence != "high"


SCANDINAVIAN_AND_SLAVIC = {
    "identifier": """
        Navn Efternamn Förnamn Nazwisko Imię Fornavn Etternavn Sukunimi Etunimi Příjmení Jméno Adresse Gatuadress Ulica
        CPR-nummer Personnummer Fødselsnummer Henkilötunnus PESEL rodné_číslo""",
    "quasi-identifier": """
        Ålder Alder Wiek Ikä Věk Køn Kön Kjønn Płeć Sukupuoli Pohlaví Postnummer Postnr Kod_pocztowy Postinumero PSČ By
        Postort Miejscowość Kommune Kommun Län Fylke Województwo Kunta Kraj Civilstand Civilstånd Sivilstand
        Stan_cywilny Siviilisääty Yrke Erhverv Zawód Ammatti Povolání
        Afdeling Avdelning Oddział Osasto Oddělení Læge Läkare Lekarz Lääkäri Lékař""",
    "sensitive": """
        Højde Vægt Längd Vikt Wzrost Masa_ciała Pituus Paino
        Diagnose Diagnos Rozpoznanie Diagnoosi Diagnóza Aktionsdiagnose Bidiagnoser Huvuddiagnos Åtgärdskod
        Procedurekode Blodtryk Blodtryck Ciśnienie_skurczowe Verenpaine Krevní_tlak Rygning Rökare Røyking
        Palenie_tytoniu Tupakointi
        Kouření Død Avliden Zgon Kuolema Úmrtí Grupa_krwi Kreatynina Glukoza Udskrevet_til Utskriven_till""",
}


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in SCANDINAVIAN_AND_SLAVIC.items() for name in names.split()]
)
def test_northern_and_slavic_languages(role: str, name: str) -> None:
    assert readings(name)[0].role == role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Health Service Area", "quasi-identifier"),
        ("patienthealthsystemstayid", "identifier"),
        ("wt.loss", "sensitive"),
        ("weight_gain", "sensitive"),
        ("DIABAGE2", "drop"),
        ("age_at_cancer", "drop"),
        ("age_at_diagnosis", "quasi-identifier"),
        ("Pt #", "identifier"),
        ("I10_DX1", "sensitive"),
        ("Pt Last", "identifier"),
        ("work_type", "quasi-identifier"),
        ("maritalStatusAtDx", "quasi-identifier"),
        ("stage_at_diagnosis", "sensitive"),
        ("weight_diff", "sensitive"),
        ("blorp_weight", "drop"),  # a parcel, or a survey
        ("blorp_regime", "drop"),  # a place or unit of something unknown
        ("kommunenavn", "quasi-identifier"),
        ("device_sn", "identifier"),
        ("direccion_postal", "identifier"),
    ],
)
def test_the_main_noun_decides(name: str, role: str) -> None:
    assert readings(name)[0].role == role


@pytest.mark.parametrize(
    "name",
    [
        *("height", "Gewicht_kg", "Taille (cm)", "BMXWT", "admissionweight", "Aufnahmegewicht", "Peso alla nascita"),
        *("Aufnahmegrund", "Aufnahmeanlass", "admission_reason", "first_careunit", "last_careunit", "icu_type"),
        *("PlaceOfDeath", "death_location"),
        *("transport_blorp", "blorp_admission_type"),  # a kind of care with something unknown
    ],
)
def test_what_may_be_harmful_is_no_quasi_identifier(name: str) -> None:
    assert readings(name)[0].role == "sensitive"


@pytest.mark.parametrize("name", ["age_at_onset", "onset_age", "AgeOnset", "Alter_bei_Erkrankungsbeginn"])
def test_the_age_at_the_onset_of_an_illness_is_dropped(name: str) -> None:
    assert readings(name)[0].role == "drop"


@pytest.mark.parametrize("name", ["eye_color", "handedness", "Augenfarbe", "county_of_death", "age_at_dx"])
def test_what_others_see_stays_a_quasi_identifier(name: str) -> None:
    assert readings(name)[0].role == "quasi-identifier"


def test_phrases_join_no_words_across_languages() -> None:
    assert readings("mes_to")[0].what == "dates"  # no Czech town
    assert readings("pracid")[0].what == "numbers of providers or payers"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("FecIngreso", "dates"),
        ("fec_alta", "dates"),
        ("CIP_SNS", "social security or national identity numbers"),
        ("code CIP", "treatments or drugs"),
        ("date_entree_rea", "dates"),
    ],
)
def test_words_of_another_language_or_of_care_decide_nothing(name: str, what: str) -> None:
    assert readings(name)[0].what == what


@pytest.mark.parametrize(
    "name",
    [
        *(
            "neurologist",
            "NeurologistInit",
            "Psychiatrist",
            "oncologue référent",
            "Oncólogo",
            "cardiologo",
            "Neuroloog",
        ),
        *("Onkologe", "Psychiater", "gynécologue", "pediatra", "endocrinologo", "nephrologist_id"),
    ],
)
def test_specialists_are_carers(name: str) -> None:
    assert readings(name)[0].role in ("quasi-identifier", "identifier")


@pytest.mark.parametrize("name", ["oncology", "neurology_consult", "psychiatric_history", "cardiologie_diagnose"])
def test_their_fields_are_not(name: str) -> None:
    assert readings(name)[0].what != "physicians or other carers"


def test_the_licence_of_a_carer_numbers_no_patients() -> None:
    licence = readings("Attending Provider License Number")[0]
    assert (licence.role, licence.numbers) == ("identifier", None)
    assert readings("license_number")[0].numbers == "patients"


@pytest.mark.parametrize(
    "name", ["blorp_mg", "VolBlorp_ml", "blorp_days", "blorps12m", "blorps 90d", "pip_max", "blorp_cm"]
)
def test_numbers_with_a_unit_a_duration_or_a_period_are_findings_in_a_clinical_table(name: str) -> None:
    assert in_clinical_table(name, is_number=True).role == "sensitive"  # type: ignore[union-attr]
    assert in_clinical_table(name, is_number=True).confidence == "low"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["blorp", "blorp_id", "blorp_nr", "patient_blorp_ml", "blorp12", "m12"])
def test_other_unknown_numbers_are_not(name: str) -> None:
    assert in_clinical_table(name, is_number=True) is None


def test_texts_with_a_unit_stay_unknown() -> None:
    assert in_clinical_table("blorp_ml", is_number=False) is None
