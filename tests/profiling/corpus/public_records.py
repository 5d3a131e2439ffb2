"""Public record databases: the intensive care tables of MIMIC-III and eICU, and the tables that Synthea writes."""

from __future__ import annotations

from tests.profiling.corpus.base import (
    DROP,
    IDENTIFIER,
    PERSON,
    QUASI,
    SENSITIVE,
    Schema,
    Values,
    identifier,
    insensitive,
    person,
    quasi,
    sensitive,
)
from tests.profiling.corpus.values import (
    ages,
    births,
    coded,
    dates,
    each,
    few,
    flag,
    missing,
    money,
    names,
    pattern,
    pick,
    real,
    serial,
    skewed,
    streets,
    uuids,
    whole,
    written,
)

_TIME = "%Y-%m-%d %H:%M:%S"
_SHIFTED = ("2100-06-01", "2208-03-01")
_REASONS = (
    "NEWBORN|PNEUMONIA|SEPSIS|CORONARY ARTERY DISEASE|CONGESTIVE HEART FAILURE|CHEST PAIN|GASTROINTESTINAL BLEED|"
    "INTRACRANIAL HEMORRHAGE|ALTERED MENTAL STATUS|FEVER|AORTIC STENOSIS\\AORTIC VALVE REPLACEMENT /SDA|OVERDOSE|"
    "S/P FALL|DIABETIC KETOACIDOSIS|ALCOHOL WITHDRAWAL|LIVER FAILURE|HYPOTENSION;TELEMETRY|ABDOMINAL PAIN"
)

MIMIC_ADMISSIONS = Schema(
    "public_mimic3_admissions",
    "en",
    480,
    (
        identifier("ROW_ID", serial(21), DROP, "insensitive"),
        person("SUBJECT_ID", each(pattern("#####"))),
        identifier("HADM_ID", pattern("1#####")),
        quasi("ADMITTIME", dates(_TIME, *_SHIFTED, key="stay")),
        quasi("DISCHTIME", dates(_TIME, *_SHIFTED, key="stay", lag=(1, 21))),
        sensitive("DEATHTIME", missing(dates(_TIME, *_SHIFTED, key="stay", lag=(1, 21)), 0.9), DROP),
        quasi("ADMISSION_TYPE", skewed("EMERGENCY|NEWBORN|ELECTIVE|URGENT"), SENSITIVE),
        quasi(
            "ADMISSION_LOCATION",
            skewed(
                "EMERGENCY ROOM ADMIT|PHYS REFERRAL/NORMAL DELI|CLINIC REFERRAL/PREMATURE|TRANSFER FROM HOSP/EXTRAM"
            ),
            SENSITIVE,
        ),
        sensitive("DISCHARGE_LOCATION", skewed("HOME|HOME HEALTH CARE|SNF|REHAB/DISTINCT PART HOSP|DEAD/EXPIRED")),
        quasi("INSURANCE", skewed("Medicare|Private|Medicaid|Government|Self Pay"), SENSITIVE),
        quasi("LANGUAGE", each(missing(skewed("ENGL|SPAN|RUSS|PTUN|CANT|PORT|CAPE"), 0.4))),
        quasi(
            "RELIGION",
            each(missing(skewed("CATHOLIC|NOT SPECIFIED|UNOBTAINABLE|PROTESTANT QUAKER|JEWISH|OTHER|BUDDHIST"), 0.01)),
            SENSITIVE,
        ),
        quasi("MARITAL_STATUS", each(missing(skewed("MARRIED|SINGLE|WIDOWED|DIVORCED|SEPARATED"), 0.17))),
        quasi("ETHNICITY", each(skewed("WHITE|BLACK/AFRICAN AMERICAN|UNKNOWN/NOT SPECIFIED|HISPANIC OR LATINO|ASIAN"))),
        quasi("EDREGTIME", missing(dates(_TIME, *_SHIFTED, key="stay", lag=(-0.5, -0.1)), 0.45), DROP),
        quasi("EDOUTTIME", missing(dates(_TIME, *_SHIFTED, key="stay", lag=(-0.1, 0.2)), 0.45), DROP),
        sensitive("DIAGNOSIS", skewed(_REASONS)),
        sensitive("HOSPITAL_EXPIRE_FLAG", flag(0.1)),
        insensitive("HAS_CHARTEVENTS_DATA", flag(0.97), QUASI),
    ),
    people=370,
)

MIMIC_PATIENTS = Schema(
    "public_mimic3_patients",
    "en",
    400,
    (
        identifier("ROW_ID", serial(234), PERSON, DROP, "insensitive"),
        identifier("SUBJECT_ID", serial(249), PERSON),
        quasi("GENDER", pick("M|F", 0.3)),
        quasi("DOB", births("%Y-%m-%d 00:00:00", "2030-01-01", "2150-12-31")),
        sensitive("DOD", missing(dates("%Y-%m-%d 00:00:00", *_SHIFTED, key="death"), 0.66), DROP),
        sensitive("DOD_HOSP", missing(dates("%Y-%m-%d 00:00:00", *_SHIFTED, key="death"), 0.79), DROP),
        sensitive("DOD_SSN", missing(dates("%Y-%m-%d 00:00:00", *_SHIFTED, key="death"), 0.71), DROP),
        sensitive("EXPIRE_FLAG", flag(0.34)),
    ),
)

_APACHE = (
    "Sepsis, pulmonary|Infarction, acute myocardial (MI)|CVA, cerebrovascular accident/stroke|CHF, congestive heart "
    "failure|Diabetic ketoacidosis|Cardiac arrest (with or without respiratory arrest)|Overdose, sedatives, hypnotics|"
    "CABG alone, coronary artery bypass grafting|Bleeding, upper GI|Emphysema/bronchitis|Rhythm disturbance (atrial)"
)
_SOURCES = "Emergency Department|Direct Admit|Floor|Operating Room|Recovery Room|Other Hospital|Step-Down Unit (SDU)"
_PLACES = "Home|Skilled Nursing Facility|Death|Rehabilitation|Other Hospital|Nursing Home|Other External"
_UNITS = "Med-Surg ICU|MICU|CCU-CTICU|Neuro ICU|SICU|Cardiac ICU|CTICU|CSICU"

EICU = Schema(
    "public_eicu_patient",
    "en",
    480,
    (
        identifier("patientunitstayid", pattern("######")),
        identifier("patienthealthsystemstayid", pattern("######")),
        quasi("gender", each(pick("Male|Female", 0.3))),
        quasi("age", each(missing(ages(63, 16, 18, 89), 0.04, "> 89"))),
        quasi("ethnicity", each(skewed("Caucasian|African American|Other/Unknown|Hispanic|Asian|Native American"))),
        quasi("hospitalid", few("###", 40), IDENTIFIER),
        quasi("wardid", few("###", 60), IDENTIFIER, SENSITIVE),
        sensitive("apacheadmissiondx", missing(skewed(_APACHE), 0.1)),
        quasi("admissionheight", missing(real(169, 11), 0.02), SENSITIVE),
        quasi("hospitaladmittime24", dates("%H:%M:%S")),
        quasi("hospitaladmitoffset", written(whole(0, 5200), "-{}"), SENSITIVE),
        quasi("hospitaladmitsource", missing(skewed(_SOURCES), 0.2), SENSITIVE),
        quasi("hospitaldischargeyear", pick("2014|2015")),
        quasi("hospitaldischargetime24", dates("%H:%M:%S")),
        quasi("hospitaldischargeoffset", whole(900, 26_000), SENSITIVE),
        sensitive("hospitaldischargelocation", skewed(_PLACES)),
        sensitive("hospitaldischargestatus", missing(flag(0.09, "Expired|Alive"), 0.01)),
        quasi("unittype", skewed(_UNITS), SENSITIVE),
        quasi("unitadmittime24", dates("%H:%M:%S")),
        quasi("unitadmitsource", skewed(_SOURCES), SENSITIVE),
        insensitive("unitvisitnumber", pick("1|2|3|4", 3), QUASI, IDENTIFIER),
        quasi("unitstaytype", skewed("admit|stepdown/other|readmit|transfer"), SENSITIVE),
        quasi("admissionweight", missing(real(84, 24), 0.08), SENSITIVE),
        quasi("dischargeweight", missing(real(84, 24), 0.45), SENSITIVE),
        quasi("unitdischargetime24", dates("%H:%M:%S")),
        quasi("unitdischargeoffset", whole(300, 14_000), SENSITIVE),
        sensitive("unitdischargelocation", skewed("Floor|Step-Down Unit (SDU)|Home|Death|Telemetry|Other ICU")),
        sensitive("unitdischargestatus", flag(0.055, "Expired|Alive")),
        person("uniquepid", each(pattern("0##-#####"))),
    ),
    people=390,
)

_TOWNS = (
    "Boston=Suffolk County=02108|Worcester=Worcester County=01602|Springfield=Hampden County=01103|"
    "Quincy=Norfolk County=02169|Lowell=Middlesex County=01850|Pembroke=Plymouth County=02359|"
    "Barnstable=Barnstable County=02630|Gardner=Worcester County=|Fall River=Bristol County=02720"
)


def _numbered(form: str) -> Values:
    """Names with a number that is the same wherever the name occurs, as Synthea writes them."""
    return lambda draw: [f"{name}{100 + sum(map(ord, name)) % 900}" for name in names(form)(draw)]


SYNTHEA_PATIENTS = Schema(
    "public_synthea_patients",
    "en",
    400,
    (
        identifier("Id", uuids(), PERSON),
        quasi("BIRTHDATE", births(first="1912-01-01", last="2020-12-31")),
        sensitive("DEATHDATE", missing(dates(first="1990-01-01"), 0.85), DROP),
        identifier("SSN", pattern("999-##-####"), PERSON),
        identifier("DRIVERS", missing(pattern("S999#####"), 0.15)),
        identifier("PASSPORT", missing(pattern("X########X"), 0.2)),
        quasi("PREFIX", missing(pick("Mr.|Mrs.|Ms."), 0.18), IDENTIFIER, DROP),
        identifier("FIRST", _numbered("{given}")),
        identifier("LAST", _numbered("{family}")),
        quasi("SUFFIX", missing(pick("PhD|MD|JD"), 0.97), IDENTIFIER, DROP),
        identifier("MAIDEN", missing(_numbered("{family}"), 0.7)),
        quasi("MARITAL", missing(pick("M|S|D|W", 1.2), 0.3)),
        quasi("RACE", skewed("white|black|asian|native|other")),
        quasi("ETHNICITY", flag(0.1, "hispanic|nonhispanic")),
        quasi("GENDER", pick("F|M")),
        quasi("BIRTHPLACE", written(coded(_TOWNS, 0, "born"), "{}  Massachusetts  US")),
        identifier("ADDRESS", streets()),
        quasi("CITY", coded(_TOWNS, 0, "town")),
        quasi("STATE", pick("Massachusetts")),
        quasi("COUNTY", coded(_TOWNS, 1, "town")),
        quasi("ZIP", coded(_TOWNS, 2, "town")),
        identifier("LAT", real(42.2, 0.3, 14), QUASI, DROP),
        identifier("LON", written(real(71.4, 0.6, 14), "-{}"), QUASI, DROP),
        sensitive("HEALTHCARE_EXPENSES", money(620_000)),
        sensitive("HEALTHCARE_COVERAGE", money(7400)),
    ),
)

_CONDITIONS = (
    "444814009=Viral sinusitis (disorder)|195662009=Acute viral pharyngitis (disorder)|162864005=Body mass index 30+ - "
    "obesity (finding)|10509002=Acute bronchitis (disorder)|72892002=Normal pregnancy|15777000=Prediabetes|"
    "59621000=Hypertension|271737000=Anemia (disorder)|44054006=Diabetes|55680006=Drug overdose|"
    "53741008=Coronary Heart Disease|254837009=Malignant neoplasm of breast (disorder)|"
    "26929004=Alzheimer's disease (disorder)"
)
_MEDICATIONS = (
    "314076=lisinopril 10 MG Oral Tablet=59621000=Hypertension|"
    "860975=24 HR Metformin hydrochloride 500 MG Extended Release Oral Tablet=44054006=Diabetes|"
    "313782=Acetaminophen 325 MG Oral Tablet=10509002=Acute bronchitis (disorder)|"
    "310965=Ibuprofen 200 MG Oral Tablet==|"
    "312961=Simvastatin 20 MG Oral Tablet=55822004=Hyperlipidemia|"
    "748856=Yaz 28 Day Pack==|"
    "1049221=Acetaminophen 325 MG / Oxycodone Hydrochloride 5 MG Oral Tablet=262574004=Bullet wound|"
    "997223=Donepezil hydrochloride 10 MG Oral Tablet=26929004=Alzheimer's disease (disorder)"
)

SYNTHEA_CONDITIONS = Schema(
    "public_synthea_conditions",
    "en",
    500,
    (
        quasi("START", dates(first="1990-01-01", key="condition"), SENSITIVE),
        quasi("STOP", missing(dates(first="1990-01-01", key="condition", lag=(7, 60)), 0.4), SENSITIVE, DROP),
        person("PATIENT", each(uuids())),
        identifier("ENCOUNTER", uuids()),
        sensitive("CODE", coded(_CONDITIONS, 0, "code")),
        sensitive("DESCRIPTION", coded(_CONDITIONS, 1, "code")),
    ),
    people=120,
)

SYNTHEA_MEDICATIONS = Schema(
    "public_synthea_medications",
    "en",
    500,
    (
        quasi("START", dates("%Y-%m-%dT%H:%M:%SZ", "1990-01-01", key="course"), SENSITIVE),
        quasi("STOP", missing(dates("%Y-%m-%dT%H:%M:%SZ", "1990-01-01", key="course", lag=(7, 365)), 0.2), SENSITIVE),
        person("PATIENT", each(uuids())),
        quasi("PAYER", few("%%%%%%%%-%%%%-3%%%-9%%%-%%%%%%%%%%%%", 9), IDENTIFIER, SENSITIVE),
        identifier("ENCOUNTER", uuids()),
        sensitive("CODE", coded(_MEDICATIONS, 0, "drug")),
        sensitive("DESCRIPTION", coded(_MEDICATIONS, 1, "drug")),
        sensitive("BASE_COST", money(90)),
        sensitive("PAYER_COVERAGE", missing(money(40), 0.5, "0.00")),
        sensitive("DISPENSES", whole(1, 60)),
        sensitive("TOTALCOST", money(700)),
        sensitive("REASONCODE", coded(_MEDICATIONS, 2, "drug")),
        sensitive("REASONDESCRIPTION", coded(_MEDICATIONS, 3, "drug")),
    ),
    people=110,
)

SCHEMAS = (
    MIMIC_ADMISSIONS,
    MIMIC_PATIENTS,
    EICU,
    SYNTHEA_PATIENTS,
    SYNTHEA_CONDITIONS,
    SYNTHEA_MEDICATIONS,
)
