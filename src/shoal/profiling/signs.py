"""Signs: the apparent content of a column, by its name or the form of its values, and the role that it suggests.

Names are compared word by word, without case, accents or separators, in English, some German and French. The letters
are those of the eighteen identifiers in HIPAA's Safe Harbor rule, 45 CFR 164.514(b)(2)(i).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from shoal.roles.columns import Role
from shoal.table.patterns import IDENTIFIERS, mostly

IDENTIFIER: Role = "identifier"
QUASI: Role = "quasi-identifier"
SENSITIVE: Role = "sensitive"
INSENSITIVE: Role = "insensitive"

WHY: dict[Role, str] = {
    IDENTIFIER: "can identify an individual",
    QUASI: "may be known to others",
    SENSITIVE: "must not be linkable to an individual",
    INSENSITIVE: "reveals nothing about an individual",
}

_LONGEST_PHRASE = 4

DATE_LEVELS = {"kind": "date", "levels": ["month", "quarter", "year", "decade"]}
PREFIX = {"kind": "prefix"}
ICD_10_CM = {"kind": "icd10cm"}


@dataclass(frozen=True)
class Sign:
    """The apparent content of a column. `hipaa` is its letter in the Safe Harbor list of identifiers, if any.

    `read_as`: a type to declare, because the inferred type would change the values. `person`: a value identifies one
    person. `weak`: the sign counts only if the values are nearly unique.
    """

    what: str
    role: Role
    hipaa: str = ""
    hierarchy: Mapping[str, object] = field(default_factory=dict)
    read_as: str | None = None
    person: bool = False
    weak: bool = False

    @property
    def reason(self) -> str:
        hipaa = f" (HIPAA identifier {self.hipaa})" if self.hipaa else ""
        return f"{self.what}{hipaa}: {WHY[self.role]}"


AGE = Sign("an age", QUASI)
DATE = Sign("dates", QUASI, "C", hierarchy=DATE_LEVELS)
ZIP = Sign("postal codes", QUASI, "B", hierarchy=PREFIX, read_as="text")
DIAGNOSIS_CODE = Sign("diagnosis codes", SENSITIVE, hierarchy=ICD_10_CM)
TIMESTAMP = Sign("exact times", IDENTIFIER, "C")
FREE_TEXT = Sign("free text", IDENTIFIER, "R")
RECORD_NUMBER = Sign("a record number", IDENTIFIER, "R")

# The first matching line wins, so lines are in the order of certainty. "=word" must match the complete name.
_BY_NAME: tuple[tuple[Sign, str], ...] = (
    (
        Sign("social security or national identity numbers", IDENTIFIER, "G", person=True),
        "ssn, social security, sozialversicherungsnummer, sv nummer, securite sociale, nir, national id, nhs "
        "number, tax id, steuer id, steuernummer, numero fiscal",
    ),
    (
        Sign("certificate, licence or passport numbers", IDENTIFIER, "K", person=True),
        "=license, license number, licence number, drivers, driver license, drivers license, driving licence, "
        "passport, certificate number, npi, fuhrerschein, fuehrerschein, reisepass, personalausweis, passeport, "
        "permis de conduire",
    ),
    (Sign("e-mail addresses", IDENTIFIER, "F"), "email, e mail, mail, courriel"),
    (Sign("fax numbers", IDENTIFIER, "E"), "fax, telefax, faxnummer, telecopie"),
    (
        Sign("telephone numbers", IDENTIFIER, "D"),
        "phone, telephone, tel, mobile, cell phone, telefon, telefonnummer, handy, handynummer, mobilnummer, rufnummer",
    ),
    (Sign("network addresses", IDENTIFIER, "O"), "ip, ip address, ip addr, ipv4, ipv6, adresse ip"),
    (Sign("web addresses", IDENTIFIER, "N"), "url, website, homepage, web page, hyperlink, site web"),
    (
        Sign("health plan numbers", IDENTIFIER, "I", person=True),
        "health plan number, health plan id, beneficiary, beneficiary id, insurance number, insurance id, policy "
        "number, policy id, member id, member number, subscriber id, medicare number, medicaid number, medicaid "
        "id, versichertennummer, krankenversicherungsnummer, kvnr, numero assure",
    ),
    (
        Sign("patient or record numbers", IDENTIFIER, "H", person=True),
        "mrn, medical record, record number, record no, record nr, record id, patient id, patient number, patient "
        "nbr, patient nr, patient no, patient key, patient uuid, patient identifier, pat id, pat nr, =patient, "
        "=pid, subject id, =subject, person id, =person, participant id, chart number, patientennummer, patienten "
        "id, patientennr, aktenzeichen, numero patient, id patient, numero de dossier, ipp",
    ),
    (
        Sign("account or card numbers", IDENTIFIER, "J"),
        "account, account number, account no, iban, credit card, card number, kontonummer, kreditkarte, numero de "
        "compte",
    ),
    (
        Sign("vehicle numbers", IDENTIFIER, "L"),
        "vehicle id, vehicle number, vin, license plate, licence plate, plate number, kfz kennzeichen, "
        "autokennzeichen, plaque immatriculation",
    ),
    (
        Sign("device numbers", IDENTIFIER, "M"),
        "device id, device number, device serial, serial number, serial no, imei, imsi, mac address, udi, "
        "seriennummer, geratenummer, numero de serie",
    ),
    (
        Sign("biometric data", IDENTIFIER, "P"),
        "biometric, biometrics, fingerprint, finger print, voice print, voiceprint, iris scan, retina scan, "
        "faceprint, dna sequence, fingerabdruck, empreinte digitale",
    ),
    (
        Sign("pictures", IDENTIFIER, "Q"),
        "photo, photograph, picture, portrait, face image, selfie, foto, lichtbild, bild",
    ),
    (
        FREE_TEXT,
        "note, notes, comment, comments, remark, remarks, narrative, free text, freetext, bemerkung, bemerkungen, "
        "anmerkung, kommentar, freitext, commentaire, remarque",
    ),
    (
        Sign("names", IDENTIFIER, "A"),
        "first name, last name, middle name, given name, family name, full name, patient name, maiden name, "
        "maiden, surname, forename, fname, lname, nickname, initials, =name, =names, =first, =last, =middle, "
        "=prefix, =suffix, next of kin, emergency contact, contact person, vorname, nachname, zuname, "
        "familienname, geburtsname, =nom, prenom, nom de famille, nom patient, nom complet, kontaktperson, "
        "physician name, doctor name",
    ),
    (
        Sign("places of birth", QUASI, "B"),
        "birthplace, birth place, place of birth, birth city, geburtsort, lieu de naissance",
    ),
    (
        Sign("addresses or coordinates", IDENTIFIER, "B"),
        "address, addr, street, house number, strasse, hausnummer, anschrift, adresse, rue, latitude, longitude, "
        "=lat, =lon, =lng, geocode, coordinates, gps",
    ),
    (ZIP, "zip, zip code, zipcode, zip5, zip3, postal code, postcode, zcta, plz, postleitzahl, code postal, =cp"),
    (AGE, "age, ages, alter, altersjahre"),
    (
        DATE,
        "birth date, date of birth, dob, birthday, birth, born, birth year, year of birth, yob, geburtsdatum, "
        "geburtstag, geburtsjahr, date de naissance, naissance, annee de naissance, death date, date of death, "
        "dod, sterbedatum, date de deces, date, dates, datum, timestamp, datetime",
    ),
    (
        Sign("places smaller than a state", QUASI, "B"),
        "city, town, county, municipality, district, precinct, census tract, neighborhood, fips, stadt, wohnort, "
        "ort, gemeinde, landkreis, ville, commune, departement, arrondissement",
    ),
    (
        Sign("states or countries", QUASI),
        "state, province, region, country, nation, nationality, citizenship, bundesland, kanton, =land, "
        "herkunftsland, staatsangehorigkeit, pays, nationalite",
    ),
    (
        DIAGNOSIS_CODE,
        "icd, icd9, icd10, icd code, diagnosis code",
    ),
    (
        Sign("diagnoses or findings", SENSITIVE),
        "diagnosis, diagnoses, diag, dx, disease, diseases, condition, conditions, comorbidity, comorbidities, "
        "disorder, symptom, symptoms, cancer, tumor, tumour, hiv, aids, std, sti, hepatitis, diabetes, "
        "hypertension, asthma, stage, staging, metastasis, mutation, genotype, gene, allergy, allergies, "
        "pathology, diagnose, diagnosen, krankheit, erkrankung, befund, symptome, maladie, diagnostic, pathologie, "
        "problem list",
    ),
    (
        Sign("treatments or drugs", SENSITIVE),
        "treatment, treatments, therapy, procedure, procedures, surgery, operation, drug, drugs, medication, "
        "medications, medicine, prescription, dose, dosage, chemotherapy, radiotherapy, transfusion, transfused, "
        "vaccine, vaccination, cpt, ndc, rxnorm, insulin, medical specialty, behandlung, therapie, medikament, "
        "medikamente, eingriff, traitement, medicament, chirurgie",
    ),
    (
        Sign("laboratory results or measurements", SENSITIVE),
        "lab, labs, lab result, result, results, test result, glucose, glu, a1c, a1c result, hba1c, cholesterol, "
        "ldl, hdl, creatinine, hemoglobin, haemoglobin, viral load, cd4, psa, bmi, blood pressure, systolic, "
        "diastolic, heart rate, laborwert, laborwerte, blutdruck, resultat, analyse",
    ),
    (
        Sign("the course of an illness", SENSITIVE),
        "outcome, prognosis, survival, survived, death, died, deceased, mortality, vital status, readmitted, "
        "readmission, relapse, recurrence, remission, discharge disposition, verlauf, verstorben, deces, survie",
    ),
    (
        Sign("habits or beliefs whose disclosure can harm", SENSITIVE),
        "alcohol, smoking, smoker, tobacco, substance use, addiction, mental health, psychiatric, suicide, "
        "pregnant, pregnancy, abortion, sexual orientation, religion, political, disability, criminal, conviction, "
        "raucher, schwanger, behinderung, konfession, fumeur, grossesse, handicap",
    ),
    (
        Sign("money", SENSITIVE),
        "income, salary, wage, wages, earnings, net worth, capital gain, capital loss, debt, cost, costs, charge, "
        "charges, price, payment, bill, total cost, einkommen, gehalt, lohn, kosten, schulden, revenu, salaire, "
        "cout, couts",
    ),
    (Sign("sex", QUASI), "sex, gender, geschlecht, sexe, genre"),
    (
        Sign("origin", QUASI),
        "race, ethnicity, ethnic group, ethnic, ancestry, skin color, hautfarbe, herkunft, ethnie, origine",
    ),
    (
        Sign("family", QUASI),
        "marital status, marital, civil status, relationship, household, family size, children, familienstand, "
        "kinder, etat civil, situation familiale, enfants",
    ),
    (
        Sign("education or work", QUASI),
        "education, schooling, degree, occupation, job, profession, employer, employment, workclass, work class, "
        "industry, hours per week, bildung, abschluss, beruf, arbeitgeber, metier, employeur, formation",
    ),
    (
        Sign("visible features", QUASI),
        "height, weight, eye color, hair color, blood type, blood group, language, veteran, grosse, groesse, "
        "gewicht, sprache, taille, poids, langue",
    ),
    (
        Sign("providers or payers of care", QUASI),
        "hospital, clinic, facility, ward, department, provider, physician, doctor, insurance, insurer, payer, "
        "payor, krankenhaus, klinik, station, abteilung, arzt, krankenkasse, hopital, clinique, medecin, assurance",
    ),
    (Sign("names", IDENTIFIER, "A"), "name, names, nom"),
    (
        Sign("numbers that identify a row", IDENTIFIER, "R", weak=True),
        "id, ids, uid, uuid, guid, identifier, key, number, no, nr, nbr, num, nummer, numero, index, code, row, token",
    ),
)

# Endings of drug names, for tables with one column per drug.
_DRUG = re.compile(
    r"(?:pril|sartan|statin|olol|cillin|mycin|floxacin|azole|tinib|zumab|ximab|formin|glitazone|gliptin|glinide|zide"
    r"|pamide|butamide|zamide|examide|buride|piride|citoglipton)$"
)
_DRUG_SIGN = Sign("treatments or drugs", SENSITIVE)

_TARGETS = {"target", "label", "class", "outcome", "response", "readmitted", "readmission", "transfused", "income"}

# Sure signs take precedence over the name of a column; likely signs count only if the name gives none.
_SURE_PATTERNS: tuple[tuple[Sign, re.Pattern[str]], ...] = tuple(
    (Sign(kind.what, IDENTIFIER, kind.hipaa, person=kind.person), kind.pattern) for kind in IDENTIFIERS
)
_LIKELY_PATTERNS: tuple[tuple[Sign, re.Pattern[str]], ...] = (
    (TIMESTAMP, re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}.*")),
    (ZIP, re.compile(r"\d{5}(?:-\d{4})?")),
    (DIAGNOSIS_CODE, re.compile(r"[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}")),
)


def by_name(name: str) -> Sign | None:
    """The sign of a column's name, or None.

    >>> by_name("PatientFirstName").what, by_name("Date de naissance").what, by_name("x17")
    ('names', 'dates', None)
    """
    words = _words(name)
    complete = "=" + "".join(words)
    places = [place for phrase in (complete, *_phrases(words)) if (place := _places().get(phrase)) is not None]
    if places:
        return _BY_NAME[min(places)][0]
    return _DRUG_SIGN if any(_DRUG.search(word) for word in words) else None


def sure_by_values(sample: Sequence[str]) -> Sign | None:
    """The sign of values with an unmistakable form, regardless of the column's name."""
    return _first_match(_SURE_PATTERNS, sample)


def likely_by_values(sample: Sequence[str]) -> Sign | None:
    """The probable sign of values, for columns whose name gives no sign."""
    return _first_match(_LIKELY_PATTERNS, sample)


def may_be_target(name: str) -> bool:
    """Whether the column's name is typical of a target of studies."""
    return not _TARGETS.isdisjoint(_words(name))


def _first_match(patterns: Sequence[tuple[Sign, re.Pattern[str]]], sample: Sequence[str]) -> Sign | None:
    return next((sign for sign, pattern in patterns if sample and mostly(pattern, sample)), None)


def _words(name: str) -> list[str]:
    """The words of a name in lower case, with camel case split and accents removed."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return re.findall(r"[^\W_]+", spaced.lower())


def _phrases(words: Sequence[str]) -> Iterator[str]:
    """All sequences of up to four words, with and without trailing digits: diag1 is also diag."""
    bare = [word.rstrip("0123456789") for word in words]
    for run in (words, bare):
        for start in range(len(run)):
            for end in range(start + 1, min(start + _LONGEST_PHRASE, len(run)) + 1):
                yield " ".join(run[start:end])


@cache
def _places() -> Mapping[str, int]:
    """Phrase → line of `_BY_NAME`; a phrase of several words is also listed as one word."""
    places: dict[str, int] = {}
    for place, (_, phrases) in enumerate(_BY_NAME):
        for phrase in phrases.split(","):
            words = phrase.strip()
            places.setdefault(words, place)
            places.setdefault(words.replace(" ", ""), place)
    return places
