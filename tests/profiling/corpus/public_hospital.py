"""Extracts as hospitals write them themselves: Danish, Swedish and Polish stays, an ambulance sheet, a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.profiling.corpus import pools
from tests.profiling.corpus.base import (
    DROP,
    IDENTIFIER,
    PERSON,
    QUASI,
    SENSITIVE,
    Draw,
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
    cities,
    dates,
    each,
    few,
    flag,
    missing,
    names,
    notes,
    pattern,
    pick,
    real,
    several,
    skewed,
    staff,
    streets,
    whole,
)


def _luhn(number: str) -> str:
    """The number with the check digit of Swedish personal numbers, which skips the century."""
    digits = [int(sign) for sign in number[2:] if sign.isdigit()]
    doubled = [digit * (2 - place % 2) for place, digit in enumerate(digits)]
    return f"{number}{-sum(value // 10 + value % 10 for value in doubled) % 10}"


def _pesel(number: str) -> str:
    """The number with the check digit of Polish personal numbers."""
    weighted = (int(digit) * weight for digit, weight in zip(number, (1, 3, 7, 9) * 3, strict=False))
    return f"{number}{-sum(weighted) % 10}"


def _national(day: Values, tail: str, check: Callable[[str], str] = str) -> Values:
    """A personal number: the day of birth, further digits and the check digit, if there is one."""

    def values(draw: Draw) -> list[str]:
        return [check(born + rest) for born, rest in zip(day(draw), pattern(tail)(draw), strict=True)]

    return values


def _age_and_sex(draw: Draw) -> list[str]:
    """Both in one cell, as spreadsheets have them: `67F`."""
    sexes = pick("F|M")(replace(draw, field="sex"))
    return [age + sex for age, sex in zip(ages()(draw), sexes, strict=True)]


def _pressures(draw: Draw) -> list[str]:
    """Systolic and diastolic pressure in one cell."""
    random = draw.random()
    return [f"{round(random.gauss(134, 22))}/{round(random.gauss(80, 11))}" for _ in range(draw.rows)]


DANISH = Schema(
    "public_da_indlaeggelser",
    "da",
    360,
    (
        person("CPR-nummer", each(_national(births("%d%m%y"), "-####"))),
        identifier("Navn", each(names("{given} {family}")), PERSON),
        quasi("Fødselsdato", each(births("%d-%m-%Y"))),
        quasi("Køn", each(pick("Kvinde|Mand"))),
        quasi("Civilstand", each(skewed("Gift|Ugift|Enke/enkemand|Skilt"))),
        identifier("Adresse", each(streets())),
        quasi("Postnr.", each(few("8###", 40))),
        quasi("By", each(cities())),
        quasi("Bopælskommune", each(skewed("Aarhus|Randers|Viborg|Silkeborg|Skanderborg|Odder|Samsø"))),
        identifier("Telefon", each(pattern("## ## ## ##"))),
        quasi("Indlæggelsesdato", dates("%d-%m-%Y", key="stay")),
        quasi("Udskrivningsdato", dates("%d-%m-%Y", key="stay", lag=(1, 14))),
        quasi("Indlæggelsesmåde", pick("Akut|Planlagt"), SENSITIVE),
        quasi("Afdeling", skewed("Medicinsk|Kirurgisk|Kardiologisk|Ortopædkirurgisk|Psykiatrisk"), SENSITIVE),
        sensitive("Aktionsdiagnose", skewed("DI109|DE119|DJ189|DI489|DI509|DC509|DF329|DJ441|DS720|DB182")),
        sensitive("Bidiagnoser", missing(several("DI109|DE119|DE785|DN189|DF102|DZ720", 3, ", "), 0.3)),
        sensitive("Procedurekode", missing(skewed("KNFB40|KJKA21|UXRC00|BWAA6|KFNG05|ZZ0150"), 0.3)),
        quasi("Højde (cm)", each(real(173, 9, 0)), SENSITIVE),
        quasi("Vægt (kg)", real(80, 16, 1, ","), SENSITIVE),
        sensitive("Blodtryk (systolisk)", real(136, 19, 0)),
        sensitive("Hæmoglobin (mmol/L)", missing(real(8.3, 1, 1, ","), 0.1)),
        sensitive("Kreatinin (µmol/L)", missing(real(88, 30, 0), 0.1)),
        sensitive("Rygning", skewed("Aldrig|Tidligere|Daglig|Uoplyst")),
        sensitive("Alkohol (genstande/uge)", whole(0, 35)),
        sensitive("Udskrevet til", skewed("Hjem|Plejehjem|Andet sygehus|Død")),
        quasi("Ansvarlig læge", staff("{given} {family}"), IDENTIFIER),
        identifier("Epikrise", notes(), DROP),
    ),
    separator=";",
    people=260,
)

SWEDISH = Schema(
    "public_sv_vardtillfallen",
    "sv",
    340,
    (
        identifier("Personnummer", _national(births("%Y%m%d"), "-###", _luhn), PERSON),
        identifier("Efternamn", names("{family}")),
        identifier("Förnamn", names("{given}")),
        quasi("Ålder", ages()),
        quasi("Kön", pick("Kvinna|Man")),
        quasi("Postnummer", few("4## ##", 50)),
        quasi("Postort", cities()),
        quasi("Län", skewed("Västra Götaland|Halland|Skåne|Värmland|Gotland")),
        quasi("Sysselsättning", skewed("Pensionär|Yrkesarbetande|Arbetslös|Studerande|Sjukskriven")),
        quasi("Inskrivningsdatum", dates(key="stay")),
        quasi("Utskrivningsdatum", dates(key="stay", lag=(1, 16))),
        quasi("Vårdtid (dagar)", whole(1, 24), SENSITIVE),
        quasi("Klinik", skewed("Medicin|Kirurgi|Ortopedi|Neurologi|Psykiatri|Infektion"), SENSITIVE),
        sensitive("Huvuddiagnos", skewed("I109|E119|J189|I489|I509|C509|F329|J441|S720|B182|I639")),
        sensitive("Bidiagnos 1", missing(skewed("I109|E785|N189|F102|Z720|E660"), 0.4)),
        sensitive("Åtgärdskod", missing(skewed("NFB49|JKA21|AF037|DT016|FNG05|TJD10"), 0.4)),
        quasi("Längd", real(172, 9, 0), SENSITIVE),
        quasi("Vikt", real(79, 16, 1, ","), SENSITIVE),
        sensitive("Blodtryck", _pressures),
        sensitive("HbA1c (mmol/mol)", missing(real(45, 11, 0), 0.3)),
        sensitive("CRP", missing(whole(1, 240), 0.1)),
        sensitive("Rökare", skewed("Nej|Före detta|Ja")),
        sensitive("Läkemedel vid utskrivning", several("Metformin|Enalapril|Atorvastatin|Furix|Eliquis|Sertralin", 3)),
        sensitive("Överkänslighet", missing(skewed("Penicillin|Jordnötter|ASA"), 0.8)),
        sensitive("Utskriven till", skewed("Hemmet|Särskilt boende|Annat sjukhus|Avliden")),
        quasi("Vårdcentral", skewed("Ekens VC|Hamnens VC|Norra VC|Lindens VC")),
    ),
    separator=";",
)

_POLISH_BIRTHS = ("1930-01-01", "1999-12-31")

POLISH = Schema(
    "public_pl_hospitalizacje",
    "pl",
    350,
    (
        identifier("PESEL", _national(births("%y%m%d", *_POLISH_BIRTHS), "####", _pesel), PERSON),
        identifier("Nazwisko", names("{family}")),
        identifier("Imię", names("{given}")),
        quasi("Data urodzenia", births("%d.%m.%Y", *_POLISH_BIRTHS)),
        quasi("Płeć", pick("K|M")),
        identifier("Ulica i numer", streets()),
        quasi("Kod pocztowy", few("3#-###", 50)),
        quasi("Miejscowość", cities()),
        quasi("Województwo", skewed("małopolskie|śląskie|mazowieckie|łódzkie|podkarpackie")),
        identifier("Nr telefonu", pattern("+48 6## ### ###")),
        identifier("Nr księgi głównej", pattern("2022/#####")),
        quasi("Zawód", skewed("emeryt|nauczyciel|kierowca|rolnik|pielęgniarka|bezrobotny|student")),
        quasi("Data przyjęcia", dates("%d.%m.%Y", key="stay")),
        quasi("Data wypisu", dates("%d.%m.%Y", key="stay", lag=(1, 15))),
        quasi("Tryb przyjęcia", skewed("nagły|planowy|przeniesienie"), SENSITIVE),
        quasi("Oddział", skewed("Chorób Wewnętrznych|Chirurgii|Kardiologii|Neurologii|Psychiatrii"), SENSITIVE),
        sensitive("Rozpoznanie zasadnicze", skewed(pools.ICD10_GM)),
        sensitive("Rozpoznania współistniejące", missing(several("I10|E11.9|E78.5|N18.3|F10.2", 3, ", "), 0.3)),
        sensitive("Procedura ICD-9", missing(skewed("88.72|89.52|51.23|81.51|99.04|45.23"), 0.3)),
        quasi("Wzrost", real(170, 9, 0), SENSITIVE),
        quasi("Masa ciała", real(79, 15, 1, ","), SENSITIVE),
        sensitive("Ciśnienie skurczowe", real(136, 18, 0)),
        sensitive("Glukoza [mg/dl]", missing(real(112, 35, 0), 0.1)),
        sensitive("Kreatynina", missing(real(1.1, 0.4, 2, ","), 0.1)),
        sensitive("Palenie tytoniu", flag(0.28, "tak|nie")),
        sensitive("Grupa krwi", missing(skewed("A Rh+|0 Rh+|B Rh+|AB Rh+|A Rh-|0 Rh-"), 0.4), QUASI),
        sensitive("Zgon", flag(0.04, "tak|nie")),
        quasi("Lekarz prowadzący", staff("lek. {given} {family}"), IDENTIFIER),
        sensitive("Wartość punktowa JGP", real(4200, 1900, 0)),
    ),
    separator=";",
)

_CLOCK = "%m/%d/%Y %H:%M"

AMBULANCE = Schema(
    "public_ems_run_sheet",
    "en",
    420,
    (
        identifier("Run #", pattern("23-#####")),
        identifier("PCR ID", pattern("%%%%%%%%%%%%%%%%"), PERSON),
        insensitive("Shift", pick("A|B|C"), QUASI),
        quasi("Unit", skewed("Medic 4|Medic 7|Rescue 2|Medic 1|Air 1"), "insensitive", DROP, SENSITIVE),
        quasi("Dispatched", dates(_CLOCK, key="run")),
        quasi("En Route", dates(_CLOCK, key="run", lag=(0.001, 0.002))),
        quasi("At Pt Side", dates(_CLOCK, key="run", lag=(0.004, 0.02))),
        quasi("At Hospital", missing(dates(_CLOCK, key="run", lag=(0.02, 0.06)), 0.2)),
        identifier("Incident Address", streets(), QUASI),
        quasi("Incident Zip", few("430##", 25)),
        quasi("Location Type", skewed("Residence|Street/Highway|Nursing home|Bar/Restaurant|School|Jail"), SENSITIVE),
        identifier("Pt Last", names("{family}")),
        identifier("Pt First", names("{given}")),
        quasi("Pt DOB", missing(births("%m/%d/%Y"), 0.1)),
        quasi("Pt Age", ages(49, 24, 0)),
        quasi("Age Units", pick("Years|Months", 4), "insensitive", DROP, SENSITIVE),
        quasi("Pt Gender", pick("M|F")),
        quasi("Est Wt (kg)", missing(pick("80|70|90|100|60|20|120", 0.6), 0.15), SENSITIVE),
        sensitive("Chief Complaint", skewed("Fall|MVC|Chest pain|SOB|GSW|Unresponsive|Seizure|Assault|OD")),
        sensitive("MOI", missing(skewed("Blunt|Penetrating|Burn"), 0.5)),
        sensitive(
            "Primary Impression", skewed("Traumatic injury|Opioid overdose|STEMI|Stroke|Behavioral|Intoxication")
        ),
        sensitive("GCS Total", pick("15|14|13|10|8|6|3", 1.2)),
        sensitive("RTS", pick("7.8408|7.5500|6.9040|5.9672|4.0936", 1.5)),
        sensitive("BP", _pressures),
        *(sensitive(name, missing(real(mean, mean / 6, 0), 0.05)) for name, mean in (("HR", 92.0), ("RR", 18.0))),
        sensitive("SpO2 %", missing(pick("98|97|99|96|94|91|85", 0.6), 0.05)),
        sensitive("BGL", missing(real(124, 45, 0), 0.4)),
        sensitive("EtOH/Drugs?", skewed("None|EtOH|Drugs|Both|Unk")),
        sensitive("Narcan (mg)", missing(pick("2|4|0.4|1"), 0.9)),
        sensitive("Tourniquet", flag(0.03, "Y|N")),
        sensitive("Trauma Alert Level", missing(skewed("3|2|1"), 0.6)),
        quasi("Restraint Used", missing(skewed("Lap/Shoulder|None|Airbag|Helmet"), 0.7), SENSITIVE),
        quasi("Transported To", missing(skewed("Grant Valley|Riverbend|Childrens|Mercy East"), 0.2)),
        sensitive("Disposition", skewed("Transported|Refusal|Treated no transport|DOA|Cancelled")),
        quasi("Lead Medic", staff("{given[0]}. {family}"), IDENTIFIER),
        identifier("Narrative", notes(), DROP),
    ),
)

SPREADSHEET = Schema(
    "public_surgeon_spreadsheet",
    "en",
    310,
    (
        identifier("Pt #", pattern("######"), PERSON),
        identifier("Pt", names("{family}, {initial}.")),
        quasi("Age/Sex", _age_and_sex),
        quasi("Adm Dt", dates("%m/%d/%y", key="stay")),
        sensitive("OR Dt", dates("%m/%d/%y", key="stay", lag=(0, 2)), DROP),
        quasi("D/C Dt", dates("%m/%d/%y", key="stay", lag=(2, 12))),
        quasi("LOS d", whole(1, 21), SENSITIVE),
        quasi("Rm", few("4##", 20), "insensitive", DROP),
        quasi("Surgeon", staff("{family}", 5), IDENTIFIER),
        sensitive("Dx desc", skewed("OA R knee|OA L hip|# NOF|gallstones|colon ca|ing hernia|appy|SBO|panc ca")),
        sensitive("Surg?", flag(0.86, "Y|N")),
        sensitive("Proc", missing(skewed("TKR|THR|lap chole|R hemi|hernia repair|ORIF|Whipple"), 0.14)),
        sensitive("ASA", pick("2|3|1|4", 0.8)),
        sensitive("BMI kg/m2", missing(real(28.6, 5.6), 0.08), QUASI),
        sensitive("Hb pre-op", missing(real(12.9, 1.7), 0.04)),
        sensitive("Hb POD1", missing(real(10.8, 1.5), 0.15)),
        sensitive("Cr", missing(real(1, 0.3, 2), 0.06)),
        sensitive("EBL ml", missing(pick("50|100|200|300|minimal|500|20|1200", 0.8), 0.14)),
        sensitive("Txf u", pick("0|1|2|4", 2)),
        sensitive("Comp Y/N", flag(0.2, "Y|N")),
        sensitive("Comp type", missing(skewed("SSI|ileus|DVT|UTI|AKI|leak|delirium"), 0.8)),
        sensitive("C-D grade", missing(skewed("I|II|IIIa|IIIb|IVa|V"), 0.8)),
        sensitive("DM", flag(0.24, "Y|N")),
        sensitive("Smk", skewed("never|ex|current|?")),
        sensitive("ETOH", skewed("social|none|heavy")),
        sensitive("VTE ppx", skewed("enox|SCD|none|ASA")),
        sensitive("D/C to", skewed("home|home + HH|SNF|rehab|died")),
        sensitive("Readm 30d", flag(0.09, "Y|N")),
        quasi("Ins", skewed("MCR|BCBS|MCD|Aetna|self"), SENSITIVE),
        identifier("Comments", missing(notes(), 0.4), DROP),
    ),
)

SCHEMAS = (DANISH, SWEDISH, POLISH, AMBULANCE, SPREADSHEET)
