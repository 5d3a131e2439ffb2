"""Public teaching data sets on the heart, diabetes, stroke, costs and appointments, with their own column names."""

from __future__ import annotations

from tests.profiling.corpus.base import (
    PERSON,
    QUASI,
    SENSITIVE,
    Schema,
    identifier,
    insensitive,
    person,
    quasi,
    sensitive,
)
from tests.profiling.corpus.groups import many
from tests.profiling.corpus.values import (
    ages,
    dates,
    each,
    flag,
    missing,
    money,
    pattern,
    pick,
    real,
    skewed,
    whole,
    written,
)

HEART = Schema(
    "public_uci_heart_disease",
    "en",
    303,
    (
        quasi("age", written(ages(54, 9, 29, 77), "{}.0")),
        quasi("sex", flag(0.68, "1.0|0.0")),
        sensitive("cp", skewed("4.0|3.0|2.0|1.0")),
        sensitive("trestbps", written(real(132, 17, 0), "{}.0")),
        sensitive("chol", written(real(247, 51, 0), "{}.0")),
        sensitive("fbs", flag(0.15, "1.0|0.0")),
        sensitive("restecg", pick("0.0|2.0|1.0", 1)),
        sensitive("thalach", written(real(150, 22, 0), "{}.0")),
        sensitive("exang", flag(0.33, "1.0|0.0")),
        sensitive("oldpeak", pick("0.0|1.2|0.6|1.0|1.4|0.8|0.2|1.8|2.0|0.1|2.6|3.4|4.2", 1)),
        sensitive("slope", pick("1.0|2.0|3.0", 0.8)),
        sensitive("ca", missing(skewed("0.0|1.0|2.0|3.0"), 0.02, "?")),
        sensitive("thal", missing(pick("3.0|7.0|6.0", 0.9), 0.01, "?")),
        sensitive("num", skewed("0|1|2|3|4")),
    ),
)

PIMA = Schema(
    "public_pima_diabetes",
    "en",
    500,
    (
        sensitive("Pregnancies", whole(0, 13), QUASI),
        sensitive("Glucose", missing(real(121, 31, 0), 0.01, "0")),
        sensitive("BloodPressure", missing(real(72, 12, 0), 0.05, "0")),
        sensitive("SkinThickness", missing(real(29, 10, 0), 0.3, "0")),
        sensitive("Insulin", missing(real(155, 100, 0), 0.48, "0")),
        sensitive("BMI", missing(real(32.4, 6.9), 0.02, "0"), QUASI),
        sensitive("DiabetesPedigreeFunction", real(0.47, 0.3, 3)),
        quasi("Age", ages(33, 11, 21, 81)),
        sensitive("Outcome", flag(0.35)),
    ),
)

FRAMINGHAM = Schema(
    "public_framingham_heart_study",
    "en",
    480,
    (
        quasi("male", flag(0.43)),
        quasi("age", ages(49, 8, 32, 70)),
        quasi("education", missing(pick("1|2|3|4", 0.7), 0.03, "NA")),
        sensitive("currentSmoker", flag(0.49)),
        sensitive("cigsPerDay", missing(pick("0|20|30|15|10|9|5|3|40|1|43", 1.3), 0.01, "NA")),
        sensitive("BPMeds", missing(flag(0.03), 0.01, "NA")),
        sensitive("prevalentStroke", flag(0.01)),
        sensitive("prevalentHyp", flag(0.31)),
        sensitive("diabetes", flag(0.03)),
        sensitive("totChol", missing(real(237, 44, 0), 0.01, "NA")),
        sensitive("sysBP", real(132, 22)),
        sensitive("diaBP", real(83, 12)),
        sensitive("BMI", missing(real(25.8, 4, 2), 0.01, "NA"), QUASI),
        sensitive("heartRate", real(76, 12, 0)),
        sensitive("glucose", missing(real(82, 22, 0), 0.09, "NA")),
        sensitive("TenYearCHD", flag(0.15)),
    ),
)

STROKE = Schema(
    "public_stroke_prediction",
    "en",
    500,
    (
        identifier("id", pattern("#####"), PERSON),
        quasi("gender", missing(pick("Female|Male", 0.5), 0.004, "Other")),
        quasi("age", ages(43, 22, 1, 82)),
        sensitive("hypertension", flag(0.1)),
        sensitive("heart_disease", flag(0.05)),
        quasi("ever_married", flag(0.66, "Yes|No")),
        quasi("work_type", skewed("Private|Self-employed|children|Govt_job|Never_worked")),
        quasi("Residence_type", pick("Urban|Rural")),
        sensitive("avg_glucose_level", real(106, 45, 2)),
        sensitive("bmi", missing(real(28.9, 7.8), 0.04, "N/A"), QUASI),
        sensitive("smoking_status", pick("never smoked|Unknown|formerly smoked|smokes", 0.6)),
        sensitive("stroke", flag(0.05)),
    ),
)

COSTS = Schema(
    "public_medical_insurance_costs",
    "en",
    500,
    (
        quasi("age", ages(39, 14, 18, 64)),
        quasi("sex", pick("male|female")),
        sensitive("bmi", real(30.7, 6.1, 3), QUASI),
        quasi("children", pick("0|1|2|3|4|5", 1.1), SENSITIVE),
        sensitive("smoker", flag(0.2, "yes|no")),
        quasi("region", pick("southeast|southwest|northwest|northeast")),
        sensitive("charges", money(9400, 5)),
    ),
)

_DISTRICTS = (
    "JARDIM CAMBURI|MARIA ORTIZ|RESISTÊNCIA|JARDIM DA PENHA|ITARARÉ|CENTRO|TABUAZEIRO|SANTA MARTHA|JESUS DE NAZARETH|"
    "BONFIM|SANTO ANTÔNIO|CARATOÍRA|JABOUR|SÃO PEDRO|ILHA DO PRÍNCIPE|NOVA PALESTINA|ROMÃO|GURIGICA|PONTAL DE CAMBURI"
)

NO_SHOWS = Schema(
    "public_appointment_no_shows",
    "en",
    500,
    (
        person("PatientId", each(pattern("##############"))),
        identifier("AppointmentID", pattern("5######")),
        quasi("Gender", each(pick("F|M", 0.9))),
        quasi("ScheduledDay", dates("%Y-%m-%dT%H:%M:%SZ", "2016-04-01", "2016-06-08", key="call")),
        quasi("AppointmentDay", dates("%Y-%m-%dT00:00:00Z", "2016-04-01", "2016-06-08", key="call", lag=(0, 40))),
        quasi("Age", each(ages(37, 23, 0))),
        quasi("Neighbourhood", each(pick(_DISTRICTS, 0.6))),
        quasi("Scholarship", each(flag(0.1)), SENSITIVE),
        sensitive("Hipertension", each(flag(0.2))),
        sensitive("Diabetes", each(flag(0.07))),
        sensitive("Alcoholism", each(flag(0.03))),
        sensitive("Handcap", each(pick("0|1|2|3", 5)), QUASI),
        insensitive("SMS_received", flag(0.32), QUASI),
        sensitive("No-show", flag(0.2, "Yes|No")),
    ),
    people=310,
)

HEART_FAILURE = Schema(
    "public_heart_failure_records",
    "en",
    300,
    (
        quasi("age", missing(ages(61, 12, 40, 95), 0.01, "60.667")),
        sensitive("anaemia", flag(0.43)),
        sensitive("creatinine_phosphokinase", money(300, 0)),
        sensitive("diabetes", flag(0.42)),
        sensitive("ejection_fraction", pick("35|38|40|25|30|60|50|45|20|55|17|62", 0.5)),
        sensitive("high_blood_pressure", flag(0.35)),
        sensitive("platelets", missing(written(real(263, 90, 0), "{}000"), 0.08, "263358.03")),
        sensitive("serum_creatinine", real(1.3, 0.5)),
        sensitive("serum_sodium", real(136, 4, 0)),
        quasi("sex", flag(0.65)),
        sensitive("smoking", flag(0.32)),
        sensitive("time", whole(4, 285), QUASI),
        sensitive("DEATH_EVENT", flag(0.32)),
    ),
)

_THYROID_HISTORY = (
    "on thyroxine|query on thyroxine|on antithyroid medication|sick|pregnant|thyroid surgery|I131 treatment|"
    "query hypothyroid|query hyperthyroid|lithium|goitre|tumor|hypopituitary|psych"
)

THYROID = Schema(
    "public_thyroid_disease",
    "en",
    450,
    (
        quasi("age", missing(ages(52, 19, 1, 94), 0.01, "?")),
        quasi("sex", missing(pick("F|M", 1), 0.04, "?")),
        *(sensitive(name, flag(0.06, "t|f")) for name in _THYROID_HISTORY.split("|")),
        sensitive("TSH measured", flag(0.9, "t|f"), "insensitive"),
        sensitive("TSH", missing(real(2.1, 1.8, 2), 0.1, "?")),
        sensitive("T3 measured", flag(0.8, "t|f"), "insensitive"),
        sensitive("T3", missing(real(2, 0.8), 0.2, "?")),
        sensitive("TT4 measured", flag(0.94, "t|f"), "insensitive"),
        sensitive("TT4", missing(real(108, 35, 0), 0.06, "?")),
        sensitive("T4U measured", flag(0.9, "t|f"), "insensitive"),
        sensitive("T4U", missing(real(0.99, 0.19, 2), 0.1, "?")),
        sensitive("FTI measured", flag(0.9, "t|f"), "insensitive"),
        sensitive("FTI", missing(real(110, 33, 0), 0.1, "?")),
        sensitive("TBG measured", pick("f"), "insensitive", "drop"),
        sensitive("TBG", pick("?"), "insensitive", "drop"),
        quasi("referral source", skewed("other|SVI|SVHC|STMW|SVHD"), SENSITIVE),
        sensitive("binaryClass", flag(0.92, "P|N")),
    ),
)

_KIDNEY_LEVELS = "al su"
_KIDNEY_FLAGS = "htn dm cad pe ane"

KIDNEY = Schema(
    "public_chronic_kidney_disease",
    "en",
    400,
    (
        quasi("age", missing(ages(52, 17, 2, 90), 0.02, "?")),
        sensitive("bp", missing(pick("80|70|90|60|100|50|110", 0.7), 0.03, "?")),
        sensitive("sg", missing(pick("1.020|1.010|1.025|1.015|1.005", 0.4), 0.12, "?")),
        *many(sensitive, _KIDNEY_LEVELS, missing(pick("0|1|2|3|4|5", 1.3), 0.11, "?")),
        sensitive("rbc", missing(flag(0.2, "abnormal|normal"), 0.38, "?")),
        sensitive("pc", missing(flag(0.22, "abnormal|normal"), 0.16, "?")),
        sensitive("pcc", missing(flag(0.1, "present|notpresent"), 0.01, "?")),
        sensitive("ba", missing(flag(0.05, "present|notpresent"), 0.01, "?")),
        sensitive("bgr", missing(real(148, 60, 0), 0.11, "?")),
        sensitive("bu", missing(real(57, 35, 0), 0.05, "?")),
        sensitive("sc", missing(real(3, 2.4), 0.04, "?")),
        sensitive("sod", missing(real(137, 9, 0), 0.22, "?")),
        sensitive("pot", missing(real(4.6, 1), 0.22, "?")),
        sensitive("hemo", missing(real(12.5, 2.9), 0.13, "?")),
        sensitive("pcv", missing(real(39, 9, 0), 0.18, "?")),
        sensitive("wc", missing(written(real(84, 25, 0), "{}00"), 0.26, "?")),
        sensitive("rc", missing(real(4.7, 1), 0.33, "?")),
        *many(sensitive, _KIDNEY_FLAGS, flag(0.3, "yes|no")),
        sensitive("appet", flag(0.8, "good|poor")),
        sensitive("class", flag(0.62, "ckd|notckd")),
    ),
)

SCHEMAS = (HEART, PIMA, FRAMINGHAM, STROKE, COSTS, NO_SHOWS, HEART_FAILURE, THYROID, KIDNEY)
