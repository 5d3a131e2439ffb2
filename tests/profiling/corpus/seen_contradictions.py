"""Tables in which a name misleads, or the presence of a value discloses something."""

from __future__ import annotations

from tests.profiling.corpus import pools
from tests.profiling.corpus.base import (
    DROP,
    IDENTIFIER,
    SENSITIVE,
    Schema,
    identifier,
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
    pattern,
    pick,
    real,
    skewed,
    staff,
    whole,
    written,
)

CLAIMS = Schema(
    "claims_with_numbers_of_payers",
    "en",
    400,
    (
        identifier("Medicaid number", pattern("0########")),
        identifier("payer no.", pattern("#########")),
        identifier("Insurer Ref #", pattern("PL#######")),
        identifier("rendering provider id", few("######", 30)),
        identifier("Attending", staff("{family} {given}", 30)),
        quasi("payer", skewed(pools.INSURERS), SENSITIVE),
        quasi("birth yr", whole(1930, 2004)),
        quasi("Gender", pick("F|M")),
        quasi("ZIP", few("4####", 40)),
        sensitive("day_dx", skewed(pools.ICD9_BARE), DROP),
        sensitive("paid_amount", money(900)),
        sensitive("Transferred to", missing(skewed("rehab|home|hospice|nursing home"), 0.1)),
    ),
)

ADDICTION_CARE = Schema(
    "de_suchthilfe",
    "de",
    420,
    (
        person("Klienten-Nr.", each(pattern("7####")), IDENTIFIER),
        quasi("Geschl.", each(pick("w|m"))),
        quasi("Geb.-Jahr", each(whole(1950, 2003))),
        identifier("Bezugstherapeut", staff("Fr. {family}", 12)),
        identifier("LANR", few("4########", 60)),
        sensitive("Ambulanz", skewed("Methadon|Alkohol|allgemein|HIV")),
        quasi("Erstkontakt_Datum", dates("%d.%m.%Y"), DROP),
        sensitive("Substitution_Beginn", missing(dates("%d.%m.%Y"), 0.6), DROP),
        sensitive("Hepatitis-Diagnose Datum", missing(dates("%d.%m.%Y"), 0.8), DROP),
        sensitive("Todesdatum", missing(dates("%d.%m.%Y"), 0.95), DROP),
        sensitive("Hb postop. [g/dl]", real(12.5, 1.5, decimal=",")),
        sensitive("Hauptdiagnose", skewed(pools.ICD10_GM)),
    ),
    separator=";",
    people=180,
)

COHORT = Schema(
    "cohort_with_flags_and_serial_dates",
    "en",
    380,
    (
        identifier("nickname", each(pattern("@@@@##"))),
        identifier("certificate number", pattern("@######")),
        quasi("byear", whole(1940, 2000)),
        quasi("wave", pick("1|2|3|4"), DROP),
        quasi("age_group", pick("18-29|30-49|50-69|70+")),
        quasi("sex", pick("1|2")),
        sensitive("age category", pick("E11|I10|C50|J45"), DROP),
        sensitive("year", coded("E11.9=a|I10=b|C34.1=c|F32.9=d", 0, "year"), DROP),
        sensitive("vaccine_dt", written(whole(44_000, 45_000), "{}"), DROP),
        sensitive("date of first chemo", missing(dates(), 0.7), DROP),
        quasi("interview_date", dates()),
        quasi("last_seen_date", missing(dates(), 0.4), SENSITIVE, DROP),
        quasi("dob", births()),
        quasi("age", ages()),
        identifier("tattoos", missing(pick("rose|anchor|name of a child|none"), 0.3), DROP),
        sensitive("hiv", flag(0.05)),
    ),
)

SCHEMAS = (CLAIMS, ADDICTION_CARE, COHORT)
