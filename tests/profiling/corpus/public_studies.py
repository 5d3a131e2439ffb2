"""Public data of studies and registries: survival after cancer, liver disease, and a telephone survey."""

from __future__ import annotations

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
    coded,
    dates,
    each,
    flag,
    missing,
    pick,
    real,
    serial,
    skewed,
    whole,
)

_GRADES = (
    "Moderately differentiated=2|Poorly differentiated=3|Well differentiated=1|Undifferentiated= anaplastic; Grade IV"
)

BREAST_CANCER = Schema(
    "public_seer_breast_cancer",
    "en",
    450,
    (
        quasi("Age", ages(54, 9, 30, 69)),
        quasi("Race", pick("White|Other|Black", 1.8)),
        quasi("Marital Status", skewed("Married|Single |Divorced|Widowed|Separated")),
        sensitive("T Stage ", pick("T2|T1|T3|T4", 0.8)),
        sensitive("N Stage", skewed("N1|N2|N3")),
        sensitive("6th Stage", pick("IIA|IIB|IIIA|IIIC|IIIB", 0.7)),
        sensitive("differentiate", coded(_GRADES, 0, "grade")),
        sensitive("Grade", coded(_GRADES, 1, "grade")),
        sensitive("A Stage", flag(0.02, "Distant|Regional")),
        sensitive("Tumor Size", whole(1, 140)),
        sensitive("Estrogen Status", flag(0.93, "Positive|Negative")),
        sensitive("Progesterone Status", flag(0.82, "Positive|Negative")),
        sensitive("Regional Node Examined", whole(1, 41)),
        sensitive("Reginol Node Positive", whole(1, 22)),
        sensitive("Survival Months", whole(1, 107)),
        sensitive("Status", flag(0.15, "Dead|Alive")),
    ),
)

LUNG = Schema(
    "public_r_survival_lung",
    "en",
    300,
    (
        identifier("rownames", serial(1), PERSON, DROP, "insensitive"),
        quasi("inst", missing(pick("1|12|13|3|11|22|16|6|5|7|21|15|10|4|26|2|32|33", 0.6), 0.01, "NA"), IDENTIFIER),
        sensitive("time", whole(5, 1022), QUASI),
        sensitive("status", flag(0.72, "2|1")),
        quasi("age", ages(62, 9, 39, 82)),
        quasi("sex", pick("1|2", 0.6)),
        sensitive("ph.ecog", missing(pick("1|0|2|3", 0.8), 0.01, "NA")),
        sensitive("ph.karno", missing(pick("90|80|100|70|60|50", 0.7), 0.01, "NA")),
        sensitive("pat.karno", missing(pick("90|80|100|70|60|50|40|30", 0.7), 0.02, "NA")),
        sensitive("meal.cal", missing(pick("1025|1075|825|1175|1225|975|875|538|768|588|488|2450", 0.4), 0.2, "NA")),
        sensitive("wt.loss", missing(pick("0|10|4|5|15|1|11|20|-1|8|30|27|-5|52", 0.7), 0.06, "NA")),
    ),
)

_PBC_LABS = "bili:3.2 chol:369 albumin:3.50 copper:97 alk.phos:1982 ast:122 trig:124 platelet:257 protime:10.7"

PBC = Schema(
    "public_r_survival_pbc",
    "en",
    418,
    (
        identifier("id", serial(1), PERSON),
        sensitive("time", whole(41, 4795), QUASI),
        sensitive("status", pick("0|2|1", 1)),
        sensitive("trt", missing(pick("1|2"), 0.25, "NA")),
        quasi("age", real(50.7, 10.4, 5)),
        quasi("sex", flag(0.89, "f|m")),
        *many(sensitive, "ascites hepato spiders", missing(flag(0.3), 0.25, "NA")),
        sensitive("edema", skewed("0|0.5|1")),
        *measured(_PBC_LABS, 0.1, "NA"),
        sensitive("stage", missing(pick("3|4|2|1", 0.7), 0.02, "NA")),
    ),
)

COLON = Schema(
    "public_r_survival_colon",
    "en",
    460,
    (
        identifier("rownames", serial(1), DROP, "insensitive"),
        person("id", each(serial(1))),
        insensitive("study", pick("1"), IDENTIFIER),
        sensitive("rx", each(pick("Obs|Lev|Lev+5FU"))),
        quasi("sex", each(pick("0|1"))),
        quasi("age", each(ages(60, 12, 18, 85))),
        *many(sensitive, "obstruct perfor adhere", each(flag(0.15))),
        sensitive("nodes", each(missing(whole(0, 24), 0.02, "NA"))),
        sensitive("status", flag(0.5)),
        sensitive("differ", each(missing(pick("2|3|1", 1.2), 0.02, "NA"))),
        sensitive("extent", each(skewed("3|2|4|1"))),
        sensitive("surg", each(flag(0.27))),
        sensitive("node4", each(flag(0.27))),
        sensitive("time", whole(8, 3329), QUASI),
        sensitive("etype", pick("2|1")),
    ),
    people=230,
)

_ENZYMES = "Alkaline_Phosphotase:290 Alamine_Aminotransferase:80 Aspartate_Aminotransferase:109"

LIVER = Schema(
    "public_indian_liver_patients",
    "en",
    480,
    (
        quasi("Age", ages(45, 16, 4, 90)),
        quasi("Gender", flag(0.76, "Male|Female")),
        *measured("Total_Bilirubin:3.3 Direct_Bilirubin:1.5", 0),
        *measured(_ENZYMES, 0),
        *measured("Total_Protiens:6.5 Albumin:3.1", 0),
        sensitive("Albumin_and_Globulin_Ratio", missing(real(0.95, 0.3, 2), 0.01)),
        sensitive("Dataset", flag(0.71, "1|2")),
    ),
)

_HEPATITIS_SIGNS = (
    "STEROID|ANTIVIRALS|FATIGUE|MALAISE|ANOREXIA|LIVER BIG|LIVER FIRM|SPLEEN PALPABLE|SPIDERS|ASCITES|VARICES"
)

HEPATITIS = Schema(
    "public_hepatitis",
    "en",
    310,
    (
        sensitive("Class", flag(0.21, "1|2")),
        quasi("AGE", ages(41, 12, 7, 78)),
        quasi("SEX", flag(0.9, "1|2")),
        *(sensitive(name, missing(flag(0.3, "1|2"), 0.04, "?")) for name in _HEPATITIS_SIGNS.split("|")),
        sensitive("BILIRUBIN", missing(real(1.43, 0.9, 2), 0.04, "?")),
        sensitive("ALK PHOSPHATE", missing(real(105, 45, 0), 0.19, "?")),
        sensitive("SGOT", missing(real(86, 60, 0), 0.03, "?")),
        sensitive("ALBUMIN", missing(real(3.8, 0.6), 0.1, "?")),
        sensitive("PROTIME", missing(real(62, 20, 0), 0.43, "?")),
        sensitive("HISTOLOGY", flag(0.45, "2|1")),
    ),
)

_BRFSS_DAYS = missing(whole(1, 30), 0.6, "88")
_BRFSS_DISEASES = "CVDINFR4 CVDCRHD4 CVDSTRK3 ASTHMA3 CHCSCNCR CHCOCNCR CHCCOPD1 HAVARTH3 ADDEPEV2 CHCKDNY1"
_YES_NO = pick("2|1|7|9", 2.6)

BRFSS = Schema(
    "public_brfss_survey",
    "en",
    500,
    (
        quasi("_STATE", whole(1, 56)),
        quasi("FMONTH", whole(1, 12), SENSITIVE),
        quasi("IDATE", dates("%m%d%Y", "2018-01-02", "2018-12-31", key="interview")),
        quasi("IMONTH", dates("%m", "2018-01-02", "2018-12-31", key="interview")),
        quasi("IDAY", dates("%d", "2018-01-02", "2018-12-31", key="interview")),
        quasi("IYEAR", pick("2018"), SENSITIVE, "insensitive", DROP),
        insensitive("DISPCODE", pick("1100|1200", 2), QUASI),
        identifier("SEQNO", serial(2_018_000_001), PERSON),
        identifier("_PSU", serial(2_018_000_001), PERSON),
        quasi("SEX1", missing(pick("2|1", 0.3), 0.004, "9")),
        sensitive("GENHLTH", pick("2|3|1|4|5|7|9", 0.9)),
        *many(sensitive, "PHYSHLTH MENTHLTH POORHLTH", _BRFSS_DAYS),
        quasi("HLTHPLN1", pick("1|2|7|9", 3), SENSITIVE),
        quasi("PERSDOC2", pick("1|3|2|7|9", 1.5), SENSITIVE),
        sensitive("MEDCOST", _YES_NO, QUASI),
        sensitive("CHECKUP1", pick("1|2|3|4|8|7|9", 1.6), QUASI),
        *many(sensitive, _BRFSS_DISEASES, _YES_NO),
        sensitive("DIABETE4", pick("3|1|4|2|7|9", 2)),
        sensitive("DIABAGE2", missing(whole(8, 85), 0.85)),
        quasi("MARITAL", pick("1|5|2|3|6|4|9", 1)),
        quasi("EDUCA", pick("6|4|5|3|2|1|9", 0.9)),
        quasi("RENTHOM1", pick("1|2|3|9", 1.4), SENSITIVE),
        quasi("VETERAN3", pick("2|1|9", 2.5)),
        quasi("EMPLOY1", pick("1|7|2|8|5|6|4|3|9", 0.9)),
        quasi("CHILDREN", pick("88|2|1|3|4|5|99", 1.3)),
        sensitive("INCOME2", pick("8|7|77|6|5|99|4|3|2|1", 0.7), QUASI),
        quasi("WEIGHT2", missing(real(181, 42, 0), 0.06, "7777"), SENSITIVE),
        quasi("HEIGHT3", pick("506|504|505|507|510|503|511|508|600|502|602|411|7777", 0.3), SENSITIVE),
        sensitive("PREGNANT", missing(pick("2|1|7", 3), 0.82)),
        *(sensitive(name, _YES_NO, QUASI) for name in ("DEAF", "BLIND", "DIFFWALK")),
        sensitive("SMOKE100", pick("2|1|7|9", 1.2)),
        sensitive("SMOKDAY2", missing(pick("3|1|2|9", 1), 0.58)),
        sensitive("ALCDAY5", pick("888|201|101|202|203|205|210|220|230|107|777", 0.8)),
        sensitive("EXERANY2", pick("1|2|7|9", 1.8)),
        sensitive("HIVTST6", pick("2|1|7|9", 1.3)),
        insensitive("_STSTR", pick("11011|11012|19041|361019|482019|62011"), QUASI),
        insensitive("_LLCPWT", real(586, 300, 6), QUASI, IDENTIFIER),
        quasi("_RACE", skewed("1|8|2|4|7|3|9|5")),
        quasi("_AGEG5YR", pick("10|9|11|8|7|13|12|6|5|4|3|2|1|14", 0.3)),
        sensitive("_BMI5", missing(real(2812, 560, 0), 0.08), QUASI),
        sensitive("_BMI5CAT", missing(pick("3|4|2|1", 0.6), 0.08), QUASI),
        sensitive("_RFSMOK3", pick("1|2|9", 1.7)),
    ),
)

SCHEMAS = (BREAST_CANCER, LUNG, PBC, COLON, LIVER, HEPATITIS, BRFSS)
