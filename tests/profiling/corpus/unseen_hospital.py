"""Hospital and insurance extracts: emergency, intensive care, beneficiaries, pathology, dental and staff health."""

from __future__ import annotations

from tests.profiling.corpus import pools
from tests.profiling.corpus.base import (
    DROP,
    IDENTIFIER,
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
from tests.profiling.corpus.groups import many, measured
from tests.profiling.corpus.values import (
    ages,
    births,
    dates,
    each,
    emails,
    few,
    flag,
    missing,
    money,
    names,
    notes,
    pattern,
    pick,
    real,
    skewed,
    staff,
    whole,
)

EMERGENCY = Schema(
    "emergency_visits",
    "en",
    550,
    (
        identifier("visit_no", pattern("ED########")),
        person("pat_mrn_id", each(pattern("Z#######"))),
        quasi("arrival_dttm", dates("%m/%d/%Y %I:%M:%S %p", key="visit")),
        quasi("departure_dttm", dates("%m/%d/%Y %I:%M:%S %p", key="visit", lag=(0.05, 0.7))),
        quasi("age_at_visit", each(ages(44, 23, 0))),
        quasi("legal_sex", each(pick("Female|Male"))),
        quasi("home_zip", each(few("453##", 35))),
        quasi("preferred_language", each(skewed("English|Spanish|Nepali|Arabic"))),
        quasi("means_of_arrival", skewed("Walk-in|Ambulance|Police|Helicopter"), SENSITIVE),
        sensitive(
            "chief_complaint", skewed("Chest pain|Abdominal pain|Shortness of breath|Fall|Suicidal|Overdose|Fever")
        ),
        sensitive("esi_level", pick("3|2|4|1|5", 0.8)),
        sensitive("triage_temp_f", real(98.4, 0.9)),
        sensitive("triage_pain_score", missing(whole(0, 10), 0.1)),
        sensitive("o2_sat", pick("98|97|99|96|94|90|86", 0.9)),
        sensitive("ed_dx_1", skewed(pools.ICD10)),
        sensitive("ed_dx_1_name", skewed(pools.DIAGNOSES)),
        sensitive("blood_alcohol_level", missing(real(0.14, 0.07, 3), 0.85)),
        sensitive("ed_disposition", skewed("Discharge|Admit|Transfer|LWBS|AMA|Expired")),
        quasi("attending_name", staff("{family}, {given}"), IDENTIFIER),
        quasi("financial_class", skewed(pools.INSURERS), SENSITIVE),
        sensitive("returned_within_72h", flag(0.05, "Y|N")),
    ),
    people=380,
)

ICU_EVENTS = Schema(
    "icu_chart_events",
    "en",
    600,
    (
        person("subject_id", each(pattern("1#######"))),
        person("hadm_id", each(pattern("2#######")), IDENTIFIER),
        person("stay_id", each(pattern("3#######")), IDENTIFIER),
        quasi("charttime", dates("%Y-%m-%d %H:%M:%S", "2150-01-01", "2190-12-31", key="chart")),
        quasi("storetime", dates("%Y-%m-%d %H:%M:%S", "2150-01-01", "2190-12-31", key="chart", lag=(0.01, 0.2))),
        sensitive("itemid", skewed("220045|220179|220180|220210|223761|220277|226755")),
        sensitive("label", skewed("Heart Rate|NBP systolic|NBP diastolic|Respiratory Rate|Temperature F|SpO2")),
        sensitive("value", real(84, 25, 0)),
        sensitive("valuenum", real(84, 25, 0)),
        insensitive("valueuom", skewed("bpm|mmHg|insp/min|%")),
        sensitive("warning", flag(0.05), "insensitive", DROP),
        quasi("caregiver_id", few("#####", 30), IDENTIFIER),
        quasi("first_careunit", each(skewed("MICU|CVICU|SICU|Neuro ICU")), SENSITIVE),
    ),
    people=70,
)

_CHRONIC = (
    "SP_ALZHDMTA SP_CHF SP_CHRNKIDN SP_CNCR SP_COPD SP_DEPRESSN SP_DIABETES SP_ISCHMCHT "
    "SP_OSTEOPRS SP_RA_OA SP_STRKETIA"
)
_AMOUNTS = "MEDREIMB_IP BENRES_IP PPPYMT_IP MEDREIMB_OP BENRES_OP PPPYMT_OP MEDREIMB_CAR BENRES_CAR PPPYMT_CAR"

BENEFICIARIES = Schema(
    "beneficiary_summary",
    "en",
    500,
    (
        identifier("BENE_ID", pattern("ggggggg########"), PERSON),
        quasi("BENE_BIRTH_DT", births("%Y%m%d", "1915-01-01", "1955-12-31")),
        sensitive("BENE_DEATH_DT", missing(dates("%Y%m%d"), 0.95), DROP),
        quasi("BENE_SEX_IDENT_CD", pick("2|1")),
        quasi("BENE_RACE_CD", skewed("1|2|5|3")),
        sensitive("BENE_ESRD_IND", flag(0.07, "Y|0")),
        quasi("SP_STATE_CODE", few("##", 30)),
        quasi("BENE_COUNTY_CD", few("###", 60)),
        quasi("BENE_HI_CVRAGE_TOT_MONS", pick("12|0|6", 3), SENSITIVE),
        quasi("PLAN_CVRG_MOS_NUM", pick("12|0|9", 2), SENSITIVE),
        quasi("DUAL_STUS_CD", skewed("NA|02|01|08"), SENSITIVE),
        *many(sensitive, _CHRONIC, flag(0.2, "1|2")),
        *many(sensitive, _AMOUNTS, money(900, 0)),
    ),
)

PATHOLOGY = Schema(
    "pathology_reports",
    "en",
    380,
    (
        identifier("case_number", pattern("S23-#####")),
        person("medical_record_number", each(pattern("MR######"))),
        identifier("patient_full_name", each(names("{given} {initial}. {family}"))),
        quasi("collected", dates("%d %b %Y", key="case")),
        quasi("received", dates("%d %b %Y", key="case", lag=(0, 2))),
        quasi("signed_out", dates("%d %b %Y", key="case", lag=(2, 9))),
        sensitive("specimen_type", skewed("Colon biopsy|Breast core|Skin shave|Prostate core|Cervix LEEP")),
        sensitive("snomed_morphology", skewed("8140/3|8500/3|8720/3|8070/3|00000")),
        sensitive("final_diagnosis", skewed("Adenocarcinoma|Benign|Melanoma in situ|Tubular adenoma|CIN III|DCIS")),
        sensitive("gleason_score", missing(skewed("3+3=6|3+4=7|4+3=7|4+4=8"), 0.8)),
        sensitive("pt_stage", missing(skewed("pT1|pT2|pT3|pTis|pT4"), 0.5)),
        sensitive("pn_stage", missing(skewed("pN0|pN1|pNX"), 0.5)),
        sensitive("er_status", missing(flag(0.75, "positive|negative"), 0.7)),
        sensitive("her2", missing(skewed("0|1+|2+|3+"), 0.7)),
        sensitive("ki67_pct", missing(whole(1, 80), 0.7)),
        sensitive("tumor_size_mm", missing(whole(1, 90), 0.5)),
        sensitive("margins", missing(flag(0.1, "involved|clear"), 0.5)),
        quasi("pathologist", staff("{given} {family}, MD", 6), IDENTIFIER),
        identifier("gross_description", notes(), DROP),
        identifier("slide_image_file", pattern("S23_#####_A1.svs"), DROP),
    ),
    people=290,
)

DENTAL = Schema(
    "dental_practice",
    "en",
    420,
    (
        person("ChartNumber", each(pattern("D#####")), IDENTIFIER),
        identifier("PatientLast", each(names("{family}"))),
        identifier("CellPhone", each(pattern("(740) 555-####"))),
        quasi("DOB", each(births("%m/%d/%Y", "1940-01-01", "2018-12-31"))),
        quasi("Sex", each(pick("F|M"))),
        quasi("EmployerName", each(skewed("City Schools|Acme Freight|None|State University|Self"))),
        quasi("InsuranceCarrier", each(skewed("Delta|MetLife|Cigna|None")), SENSITIVE),
        quasi("ServiceDate", dates("%m/%d/%Y")),
        sensitive("ADACode", skewed("D1110|D0120|D0274|D2391|D2740|D7140|D4341")),
        sensitive("ToothNum", missing(whole(1, 32), 0.4)),
        sensitive("Surface", missing(skewed("O|MO|DO|MOD|B"), 0.5)),
        sensitive("ProcedureDescription", skewed("Prophylaxis|Exam|Composite filling|Crown|Extraction|Scaling")),
        sensitive("PeriodontalDx", missing(skewed("Gingivitis|Healthy|Stage II|Stage III"), 0.3)),
        sensitive("Fee", money(140)),
        sensitive("InsurancePaid", money(80)),
        quasi("ProviderInitials", staff("{given[0]}{family[0]}", 6), IDENTIFIER),
        quasi("Operatory", skewed("Op 1|Op 2|Hygiene"), "insensitive", DROP),
        sensitive("MedicalAlert", missing(skewed("Penicillin allergy|Pacemaker|Pregnant|HIV|Blood thinner"), 0.7)),
    ),
    people=250,
)

EMPLOYEES = Schema(
    "employee_health",
    "en",
    340,
    (
        identifier("EmployeeNo", pattern("E0####"), PERSON),
        identifier("EmployeeName", names("{given} {family}")),
        identifier("WorkEmail", emails()),
        quasi("JobTitle", skewed("Nurse|Technician|Driver|Analyst|Manager|Cook")),
        quasi("Department", skewed("Operations|Logistics|IT|Nursing|Kitchen")),
        quasi("HireDate", dates("%Y-%m-%d", "1995-01-01", "2023-06-30")),
        quasi("BirthDate", births("%Y-%m-%d", "1956-01-01", "2003-12-31")),
        quasi("Gender", pick("F|M|X", 2)),
        sensitive("AnnualSalary", money(54_000, 0)),
        sensitive("SickDaysLastYear", whole(0, 60)),
        sensitive("InjuryType", missing(skewed("Strain|Needlestick|Laceration|Burn|Fall"), 0.6)),
        sensitive("WorkersCompCost", missing(money(2500), 0.6)),
        sensitive("AudiometryResult", missing(skewed("Normal|Threshold shift|Refer"), 0.3)),
        sensitive("DrugScreenResult", skewed("Negative|Positive|Refused")),
        sensitive("TBSkinTest_mm", missing(whole(0, 18), 0.3)),
        sensitive("HepBImmune", flag(0.7, "Y|N")),
        sensitive("FitForDuty", skewed("Fit|Fit with restrictions|Unfit")),
        sensitive("DisabilityPercent", skewed("0|30|50|80")),
        quasi("ExamDate", dates()),
        quasi("ExaminerName", staff("{given} {family}, PA", 5), IDENTIFIER),
    ),
)

WIDE_LABS = Schema(
    "ALLCAPS_LAB_PANEL",
    "en",
    400,
    (
        person("MRN", each(pattern("########")), IDENTIFIER),
        identifier("CSN", pattern("1########")),
        identifier("SPECIMEN_ID", pattern("H##########")),
        quasi("BIRTH_DT", each(births("%d-%b-%y"))),
        quasi("SEX", each(pick("M|F"))),
        quasi("COLLECT_DTTM", dates("%d-%b-%Y %H:%M")),
        quasi("HOSP_UNIT", skewed(pools.WARDS)),
        *measured(
            "WBC:8.1 RBC:4.4 HGB:12.9 HCT:39 MCV:90 MCH:30 MCHC:33.4 RDW:14.1 PLT:240 MPV:10.1 NEUT_PCT:65 LYMPH_PCT:24"
        ),
        *measured(
            "NA:139 K:4.1 CL:103 CO2:25 BUN:19 CREAT:1.1 GLU:118 CA:9.1 MG:2.0 PHOS:3.5 ALB:3.8 TP:6.9 TBILI:0.8"
        ),
        *measured("ALT:30 AST:29 ALKP:84 GGT:38 LDH:210 CK:140 TROP_I:0.04 BNP:320 CRP:14 ESR:24 PROCAL:0.4 LACT:1.6"),
        *measured(
            "PT:12.8 PTT:31 INR:1.2 DDIMER:0.9 FIBRINO:340 FERRITIN:160 TSAT:24 B12:460 FOLATE:11 TSH:2.2 FT4:1.2"
        ),
        *measured("CHOL:182 LDL:106 HDL:48 TRIG:142 A1C:6.2 PSA:2.1 AFP:4.2 CEA:2.4 CA125:22 VANC_TR:14 LI_LVL:0.7"),
        sensitive("HIV_AB", missing(flag(0.02, "REACTIVE|NONREACTIVE"), 0.5)),
        sensitive("HCV_AB", missing(flag(0.04, "REACTIVE|NONREACTIVE"), 0.5)),
        sensitive("UDS_OPIATES", missing(flag(0.1, "POS|NEG"), 0.6)),
        sensitive("HCG_QUAL", missing(flag(0.1, "POS|NEG"), 0.7)),
        quasi("ORDERING_MD", staff("{family}, {given}"), IDENTIFIER),
        insensitive("LAB_SITE", pick("MAIN"), QUASI),
    ),
    people=240,
)

SCHEMAS = (EMERGENCY, ICU_EVENTS, BENEFICIARIES, PATHOLOGY, DENTAL, EMPLOYEES, WIDE_LABS)
