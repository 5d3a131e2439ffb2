"""Public discharge and case data of the United States, with the column names that the agencies publish."""

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
from tests.profiling.corpus.groups import many
from tests.profiling.corpus.values import (
    ages,
    coded,
    dates,
    each,
    few,
    flag,
    missing,
    money,
    pattern,
    pick,
    skewed,
    whole,
    written,
)

_FACILITIES = (
    "New York City=Kings=7001935=1391=Parkside Medical Center|Western NY=Erie=1401876=273=Lakeshore General Hospital|"
    "Finger Lakes=Monroe=2701742=466=Genesee Valley Hospital|Long Island=Nassau=2908511=582=Southfield Hospital|"
    "Capital/Adiron=Albany=101644=9=Upper Hudson Medical Center|Hudson Valley=Orange=3529380=647=Ridgeline Regional|"
    "Central NY=Oneida=3202811=531=St Brendans Healthcare|Southern Tier=Broome=303477=67=Two Rivers Health Services"
)
_DIAGNOSES = (
    "218=Liveborn|2=Septicemia (except in labor)|108=Congestive heart failure; nonhypertensive|122=Pneumonia|"
    "203=Osteoarthritis|660=Alcohol-related disorders|657=Mood disorders|127=Chronic obstructive pulmonary disease|"
    "659=Schizophrenia and other psychotic disorders|109=Acute cerebrovascular disease|5=HIV infection"
)
_PROCEDURES = (
    "0=NO PROC|115=CIRCUMCISION|134=CESAREAN SECTION|152=ARTHROPLASTY KNEE|219=ALCO/DRUG REHAB/DETOX|"
    "222=BLOOD TRANSFUSION|70=UP GASTRO ENDOSC/BIOPSY|216=RESP INTUB/MECH VENTIL"
)
_GROUPS = (
    "640=Neonate birthwt >2499g, normal newborn=15=Newborns and Other Neonates|"
    "560=Vaginal delivery=14=Pregnancy, Childbirth and the Puerperium|"
    "720=Septicemia & disseminated infections=18=Infectious and Parasitic Diseases|"
    "194=Heart failure=5=Diseases and Disorders of the Circulatory System|"
    "753=Bipolar disorders=19=Mental Diseases and Disorders|"
    "890=HIV w multiple major HIV related conditions=24=Human Immunodeficiency Virus Infections"
)
_SEVERITY = "1=Minor|2=Moderate|3=Major|4=Extreme"
_PAYERS = "Medicare|Medicaid|Private Health Insurance|Blue Cross/Blue Shield|Self-Pay|Miscellaneous/Other"

SPARCS = Schema(
    "public_ny_sparcs_discharges",
    "en",
    500,
    (
        quasi("Health Service Area", coded(_FACILITIES, 0, "facility")),
        quasi("Hospital County", coded(_FACILITIES, 1, "facility")),
        quasi("Operating Certificate Number", coded(_FACILITIES, 2, "facility"), IDENTIFIER),
        quasi("Facility ID", coded(_FACILITIES, 3, "facility"), IDENTIFIER),
        quasi("Facility Name", coded(_FACILITIES, 4, "facility")),
        quasi("Age Group", pick("70 or Older|50 to 69|30 to 49|18 to 29|0 to 17", 0.4)),
        quasi("Zip Code - 3 digits", missing(pick("112|104|100|117|113|115|146|142|OOS|130|125", 0.6), 0.02)),
        quasi("Gender", missing(pick("F|M", 0.3), 0.004, "U")),
        quasi("Race", skewed("White|Other Race|Black/African American|Multi-racial")),
        quasi("Ethnicity", skewed("Not Span/Hispanic|Spanish/Hispanic|Unknown|Multi-ethnic")),
        quasi("Length of Stay", missing(whole(1, 22), 0.01, "120 +"), SENSITIVE),
        quasi("Type of Admission", skewed("Emergency|Elective|Newborn|Urgent|Not Available|Trauma"), SENSITIVE),
        sensitive(
            "Patient Disposition", skewed("Home or Self Care|Home w/ Home Health Services|Expired|Hospice - Home")
        ),
        quasi("Discharge Year", pick("2015"), SENSITIVE, "insensitive", DROP),
        sensitive("CCS Diagnosis Code", coded(_DIAGNOSES, 0, "diagnosis")),
        sensitive("CCS Diagnosis Description", coded(_DIAGNOSES, 1, "diagnosis")),
        sensitive("CCS Procedure Code", coded(_PROCEDURES, 0, "procedure")),
        sensitive("CCS Procedure Description", coded(_PROCEDURES, 1, "procedure")),
        sensitive("APR DRG Code", coded(_GROUPS, 0, "group")),
        sensitive("APR DRG Description", coded(_GROUPS, 1, "group")),
        sensitive("APR MDC Code", coded(_GROUPS, 2, "group")),
        sensitive("APR MDC Description", coded(_GROUPS, 3, "group")),
        sensitive("APR Severity of Illness Code", coded(_SEVERITY, 0, "severity")),
        sensitive("APR Severity of Illness Description", coded(_SEVERITY, 1, "severity")),
        sensitive("APR Risk of Mortality", skewed("Minor|Moderate|Major|Extreme")),
        sensitive("APR Medical Surgical Description", flag(0.75, "Medical|Surgical")),
        quasi("Payment Typology 1", skewed(_PAYERS), SENSITIVE),
        quasi("Payment Typology 2", missing(skewed(_PAYERS), 0.35), SENSITIVE),
        quasi("Payment Typology 3", missing(skewed(_PAYERS), 0.7), SENSITIVE),
        quasi("Attending Provider License Number", few("00######", 60), IDENTIFIER),
        quasi("Operating Provider License Number", missing(few("00######", 50), 0.3), IDENTIFIER),
        sensitive("Birth Weight", missing(pick("3300|3400|3100|3500|2900|3700|2500|1400"), 0.9, "0000"), QUASI),
        sensitive("Abortion Edit Indicator", flag(0.01, "Y|N")),
        quasi("Emergency Department Indicator", flag(0.58, "Y|N"), SENSITIVE),
        sensitive("Total Charges", written(money(24_000), "${}")),
        sensitive("Total Costs", written(money(8800), "${}")),
    ),
)

_NIS_DIAGNOSES = " ".join(f"I10_DX{number}" for number in range(2, 9))
_NIS_PROCEDURES = missing(skewed("10E0XZZ|02HV33Z|5A1D70Z|0SRD0J9|30233N1|4A023N7|0DJ08ZZ|HZ2ZZZZ"), 0.5)

NIS = Schema(
    "public_hcup_nis",
    "en",
    500,
    (
        quasi("AGE", ages(51, 27, 0, 90)),
        quasi("AGE_NEONATE", missing(pick("0|1", 4), 0.88)),
        quasi("AMONTH", whole(1, 12)),
        quasi("AWEEKEND", flag(0.21), SENSITIVE),
        sensitive("DIED", flag(0.02)),
        insensitive("DISCWT", pick("4.999987|5.000012|4.999941|5.000094|5.000003"), QUASI, IDENTIFIER),
        sensitive("DISPUNIFORM", skewed("1|6|5|20|7|2")),
        quasi("DQTR", pick("1|2|3|4")),
        sensitive("DRG", pick("795|871|775|807|470|291|885|392|766|190|897|974", 0.7)),
        insensitive("DRGVER", pick("37|38")),
        quasi("ELECTIVE", flag(0.22), SENSITIVE),
        quasi("FEMALE", flag(0.56)),
        quasi("HCUP_ED", pick("0|1|2|4|3", 1), SENSITIVE),
        quasi("HOSP_DIVISION", whole(1, 9)),
        quasi("HOSP_NIS", few("#####", 60), IDENTIFIER),
        sensitive("I10_DX1", skewed(pools.ICD10_BARE)),
        *many(sensitive, _NIS_DIAGNOSES, missing(skewed(pools.ICD10_BARE), 0.2)),
        sensitive("I10_NDX", whole(1, 40)),
        sensitive("I10_NPR", whole(0, 12)),
        *many(sensitive, "I10_PR1 I10_PR2 I10_PR3", _NIS_PROCEDURES),
        identifier("KEY_NIS", pattern("#######"), PERSON),
        quasi("LOS", whole(0, 24), SENSITIVE),
        sensitive("MDC", skewed("5|14|15|18|4|8|19|6|20|25")),
        insensitive("NIS_STRATUM", few("####", 30), QUASI),
        quasi("PAY1", skewed("1|2|3|4|6|5"), SENSITIVE),
        quasi("PL_NCHS", pick("1|2|3|4|5|6", 0.5)),
        sensitive("PRDAY1", missing(whole(0, 9), 0.4), QUASI),
        quasi("RACE", missing(skewed("1|2|3|6|4|5"), 0.03)),
        sensitive("TOTCHG", money(29_000, 0)),
        quasi("TRAN_IN", pick("0|1|2", 2.3), SENSITIVE),
        sensitive("TRAN_OUT", pick("0|2|1", 1.8), QUASI),
        quasi("YEAR", pick("2019"), SENSITIVE, "insensitive", DROP),
        quasi("ZIPINC_QRTL", missing(pick("1|2|3|4", 0.2), 0.02), SENSITIVE),
    ),
)

_CASE_SPAN = ("2020-02-01", "2022-01-31")
_COUNTIES = (
    "CA=06=LOS ANGELES=06037|NY=36=KINGS=36047|IL=17=COOK=17031|FL=12=MIAMI-DADE=12086|TX=48=HARRIS=48201|"
    "OH=39=FRANKLIN=39049|KS=20=SEDGWICK=20173|MN=27=OLMSTED=27109|ME=23=CUMBERLAND=23005|NV=32=CLARK=32003"
)
_ORIGINS = (
    "White, Non-Hispanic|Unknown|Hispanic/Latino|Black, Non-Hispanic|Asian, Non-Hispanic|Multiple/Other, Non-Hispanic|"
    "American Indian/Alaska Native, Non-Hispanic"
)
_CASE_FOUND = "Missing|Laboratory reported|Clinical evaluation|Contact tracing of case patient|Routine surveillance"

COVID = Schema(
    "public_cdc_covid_cases",
    "en",
    500,
    (
        quasi("cdc_case_earliest_dt", dates("%Y/%m/%d", *_CASE_SPAN, key="case"), SENSITIVE),
        quasi("cdc_report_dt", missing(dates("%Y/%m/%d", *_CASE_SPAN, key="case", lag=(0, 12)), 0.2), SENSITIVE),
        quasi("pos_spec_dt", missing(dates("%Y/%m/%d", *_CASE_SPAN, key="case", lag=(0, 6)), 0.6), SENSITIVE, DROP),
        sensitive("onset_dt", missing(dates("%Y/%m/%d", *_CASE_SPAN, key="case", lag=(0, 3)), 0.45), DROP),
        sensitive("current_status", flag(0.9, "Laboratory-confirmed case|Probable Case")),
        quasi("sex", missing(pick("Female|Male"), 0.01, "Unknown")),
        quasi(
            "age_group",
            pick(
                "20 - 29 Years|30 - 39 Years|40 - 49 Years|50 - 59 Years|10 - 19 Years|60 - 69 Years|70 - 79 Years|"
                "0 - 9 Years|80+ Years|Missing",
                0.4,
            ),
        ),
        quasi("race_ethnicity_combined", skewed(_ORIGINS)),
        quasi("res_state", coded(_COUNTIES, 0, "county")),
        quasi("state_fips_code", coded(_COUNTIES, 1, "county")),
        quasi("res_county", coded(_COUNTIES, 2, "county")),
        quasi("county_fips_code", coded(_COUNTIES, 3, "county")),
        insensitive("process", skewed(_CASE_FOUND), QUASI),
        sensitive("exposure_yn", skewed("Missing|Yes|Unknown"), QUASI),
        sensitive("symptom_status", skewed("Symptomatic|Missing|Unknown|Asymptomatic")),
        sensitive("hosp_yn", skewed("No|Missing|Unknown|Yes")),
        sensitive("icu_yn", skewed("Missing|Unknown|No|Yes")),
        sensitive("death_yn", skewed("No|Missing|Unknown|Yes")),
        sensitive("medcond_yn", skewed("Missing|Yes|No|Unknown")),
    ),
)

_DIABETES_DRUGS = (
    "metformin repaglinide nateglinide chlorpropamide glimepiride acetohexamide glipizide glyburide tolbutamide "
    "pioglitazone rosiglitazone acarbose miglitol troglitazone tolazamide examide citoglipton insulin "
    "glyburide-metformin glipizide-metformin glimepiride-pioglitazone metformin-rosiglitazone metformin-pioglitazone"
)
_DIABETES_SPECIALTIES = (
    "InternalMedicine|Emergency/Trauma|Family/GeneralPractice|Cardiology|Surgery-General|Nephrology|Orthopedics|"
    "Radiologist|Pulmonology|Psychiatry|ObstetricsandGynecology"
)

DIABETES = Schema(
    "public_diabetes_130_us_hospitals",
    "en",
    500,
    (
        identifier("encounter_id", pattern("########")),
        person("patient_nbr", each(pattern("########"))),
        quasi("race", each(missing(skewed("Caucasian|AfricanAmerican|Hispanic|Other|Asian"), 0.02, "?"))),
        quasi("gender", each(pick("Female|Male"))),
        quasi(
            "age",
            each(
                pick(
                    "[70-80)|[60-70)|[50-60)|[80-90)|[40-50)|[30-40)|[90-100)|[20-30)|[10-20)|[0-10)",
                    0.8,
                )
            ),
        ),
        quasi("weight", missing(pick("[75-100)|[50-75)|[100-125)|[125-150)"), 0.96, "?"), SENSITIVE),
        quasi("admission_type_id", skewed("1|3|2|6|5|8|7|4"), SENSITIVE),
        sensitive("discharge_disposition_id", skewed("1|3|6|18|2|22|11|5|25")),
        quasi("admission_source_id", skewed("7|1|17|4|6|2|5|20"), SENSITIVE),
        quasi("time_in_hospital", whole(1, 14), SENSITIVE),
        quasi("payer_code", missing(skewed("MC|HM|SP|BC|MD|CP|UN|CM|OG|PO"), 0.4, "?"), SENSITIVE),
        quasi("medical_specialty", missing(skewed(_DIABETES_SPECIALTIES), 0.49, "?"), SENSITIVE),
        sensitive("num_lab_procedures", whole(1, 96)),
        sensitive("num_procedures", pick("0|1|2|3|4|5|6", 1)),
        sensitive("num_medications", whole(1, 45)),
        *many(sensitive, "number_outpatient number_emergency number_inpatient", pick("0|1|2|3|4|5|7", 2)),
        *many(sensitive, "diag_1 diag_2 diag_3", missing(skewed(pools.ICD9), 0.01, "?")),
        sensitive("number_diagnoses", pick("9|5|8|7|6|4|3|2|1|16", 0.9)),
        sensitive("max_glu_serum", pick("None|Norm|>200|>300", 3)),
        sensitive("A1Cresult", pick("None|>8|Norm|>7", 2)),
        *many(sensitive, _DIABETES_DRUGS, pick("No|Steady|Up|Down", 2.5)),
        sensitive("change", flag(0.46, "Ch|No")),
        sensitive("diabetesMed", flag(0.77, "Yes|No")),
        sensitive("readmitted", pick("NO|>30|<30", 0.8)),
    ),
    people=340,
)

SCHEMAS = (SPARCS, NIS, COVID, DIABETES)
