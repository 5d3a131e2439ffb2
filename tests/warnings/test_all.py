"""What holds of every warning, and releases that once gave away individuals without one."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import warnings
from shoal.dry_run import check
from shoal.errors import PlanError, TableError
from shoal.models import AlphaK, KAnonymity, LDiversity
from shoal.plan import Plan, ReleaseSettings
from shoal.roles.columns import Column, Data, identifier, insensitive, quasi, sensitive, target
from shoal.warnings import Warning, find_warnings, serious_first
from tests.warnings.cases import K, case, married


def test_no_sentence_shows_a_value() -> None:
    """Every warning is given, except those that need other tables: about the search, a scope, a header, knowledge."""
    rng = np.random.default_rng(0)
    born = [f"77-{day}" for day in rng.integers(0, 100, 200)]
    drug = rng.choice(["zzA", "zzB", "zza"], 200)
    frame = pl.DataFrame(
        {
            "birth": born,
            "seen": ["01/02/1977"] * 200,
            "copy": [f"zz{text}" for text in born],
            "mail": [f"zz{number}@77.org" for number in range(200)],
            "patient": ["zzP", "zzQ"] * 100,
            "cost": [f"77{number}" for number in range(200)],
            "drug": drug,
            "name": [f"={text}" for text in drug],
            "note": ["zzN"] * 200,
            "from": [date(1977, 1, 1)] * 200,
            "until": [date(1977, 1, 1) + timedelta(number % 9) for number in range(200)],
            "stay": [number % 9 for number in range(200)],
        }
    )
    columns = {
        **dict.fromkeys(("birth", "seen", "from", "until"), quasi()),
        "stay": insensitive(),
        "patient": identifier(),
        **dict.fromkeys(("cost", "drug", "note"), sensitive()),
        **dict.fromkeys(("copy", "mail", "name"), insensitive()),
    }
    models = LDiversity("cost", l=2), AlphaK("cost", 0.5, 2, ("zz771", "771")), LDiversity("drug", l=2)
    given = case(frame, columns, [0] * 200, *models)
    items = ("unfit_knowledge", "unrestricted_quasi_identifiers", "emptied_columns")
    others = ("pointless_target", "missed_target", "absent_header", "uncovered_rows", *items)
    assert [find.__name__ for find in warnings.ALL if not list(find(given))] == sorted(
        others, key=[find.__name__ for find in warnings.ALL].index
    )
    found = find_warnings(given)
    assert not any(mark in warning.text for warning in found for mark in ("zz", "77"))
    assert [warning.serious for warning in found] == sorted((warning.serious for warning in found), reverse=True)


def about_copy(copy: Any, **more: Any) -> list[Warning]:
    """The warnings about an unchanged column `copy`, of a table of births and places."""
    rng = np.random.default_rng(3)
    births = [str(date(1940, 1, 1) + timedelta(int(day))) for day in rng.integers(0, 600, 300)]
    frame = pl.DataFrame({"birth": births, "place": rng.choice(list("abcd"), 300), "ill": ["x", "y", "z"] * 100})
    frame = frame.with_columns(pl.Series("copy", copy(births)))
    columns = {"birth": quasi(), "place": quasi(), "ill": sensitive(), "copy": more.get("role", insensitive())}
    plan = Plan(columns=columns, models=(K, LDiversity("ill", l=2)))
    return [warning for warning in shoal.anonymize(frame, plan).draft.warnings if "'copy'" in warning.text]


@pytest.mark.parametrize("role", [insensitive(), target()])
def test_a_copied_column_has_one_warning(role: Column) -> None:
    (only,) = about_copy(lambda births: births, role=role)
    assert only.serious and "nearly determines quasi-identifier 'birth'" in only.text
    (identifier,) = about_copy(lambda births: [f"P{number:05}" for number in range(len(births))], role=role)
    assert identifier.serious and "numbers of persons or records" in identifier.text
    (coarser,) = about_copy(lambda births: [birth[:7] for birth in births], role=role)
    assert coarser.serious and "is nearly determined by quasi-identifier 'birth'" in coarser.text


def test_other_subjects_keep_their_warnings() -> None:
    found = about_copy(lambda births: births, role=sensitive())
    assert len(found) == 2 and any("No model covers" in warning.text for warning in found)


def test_a_strict_plan_refuses_what_a_lenient_one_warns_of() -> None:
    plan = Plan(columns={"sex": quasi(), "relationship": sensitive()}, models=(K,))
    (warning,) = shoal.anonymize(married(50), plan).warnings
    with pytest.raises(PlanError) as caught:
        shoal.anonymize(married(50), plan.changed(release=ReleaseSettings(strict=True)))
    assert warning in str(caught.value) and caught.value.exit_code == 2


def test_a_clean_release_passes_a_strict_plan() -> None:
    plan = Plan(columns={"sex": quasi()}, models=(K,), release=ReleaseSettings(strict=True))
    assert shoal.anonymize(married(50).select("sex"), plan).warnings == ()


# -- tables that once were released without a warning --------------------------------------------------------------

ROWS = 5_000


def patients(rows: int = ROWS, **more: Any) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "birth": [date(1930, 1, 1) + timedelta(int(day)) for day in rng.integers(0, 70 * 365, rows)],
            "zip": rng.integers(10000, 10500, rows).astype(str),
            "sex": rng.choice(["F", "M"], rows),
            "diagnosis": rng.choice(["flu", "cancer", "asthma", "gout", "colitis"], rows),
            **more,
        }
    )


ROLES = {"birth": quasi(), "zip": quasi(), "sex": quasi(), "diagnosis": sensitive()}
MODELS = (KAnonymity(k=5), LDiversity("diagnosis", l=3))


def warned(frame: pl.DataFrame, columns: dict[str, Column], **data: Any) -> list[str]:
    plan = Plan(columns={**ROLES, **columns}, models=MODELS, data=Data(**data))
    return list(map(str, shoal.anonymize(frame, plan).warnings))


def about(warnings: list[str], *words: str) -> list[str]:
    return [warning for warning in warnings if all(word in warning for word in words)]


def test_nothing_is_said_about_a_table_without_a_risk() -> None:
    assert warned(patients(weekday=["Mo", "Tu", "We", "Th", "Fr"] * 1000), {"weekday": insensitive()}) == []


@pytest.mark.parametrize("role", [insensitive(), target(), None])
def test_unique_social_security_numbers(role: Column | None) -> None:
    numbers = [f"{n % 899 + 100:03}-{n // 899 + 10:02}-{n * 7 % 9999:04}" for n in range(ROWS)]
    columns = {} if role is None else {"ssn": role}
    found = warned(patients(ssn=numbers), columns, unlisted="error" if role else "insensitive")
    assert about(found, "'ssn'", "social security numbers", "5,000 of 5,000 rows")


def test_notes_that_name_patients() -> None:
    notes = [f"Patient Ann Meier-{n} came with her son" for n in range(ROWS)]
    assert about(warned(patients(notes=notes), {"notes": insensitive()}), "'notes'", "free text")
    short = [f"saw Meier {n // 2}" if n % 3 else f"Ann-{n}" for n in range(ROWS)]
    assert about(warned(patients(notes=short), {"notes": insensitive()}), "'notes'")


def test_a_target_that_identifies() -> None:
    assert about(warned(patients(outcome=[f"x{n * 31}y" for n in range(ROWS)]), {"outcome": target()}), "'outcome'")


def test_a_copy_of_a_birth_date_with_the_number_of_unique_rows() -> None:
    frame = patients().with_columns(born=pl.col("birth").dt.strftime("%d.%m.%Y"))
    plan = Plan(columns={**ROLES, "born": insensitive()}, models=MODELS)
    release = shoal.anonymize(frame, plan)
    rows = release.frame.group_by("birth", "zip", "sex", "born").len()
    unique = int((rows["len"] == 1).sum())
    assert unique > 0.9 * ROWS
    assert about(list(map(str, release.warnings)), "'born'", "'birth'", f"{unique:,} of 5,000 rows are unique")


def test_a_copy_of_a_postal_code_in_small_classes() -> None:
    found = warned(patients().with_columns(area="A" + pl.col("zip")), {"area": insensitive()})
    assert about(found, "'area'", "'zip'", "unique")


def test_a_plan_check_and_a_release_warn_of_the_same_columns(tmp_path: Path) -> None:
    frame = patients(ssn=[f"123-45-{n:04}" for n in range(ROWS)]).with_columns(born=pl.col("birth"))
    frame.write_csv(tmp_path / "t.csv")
    columns = {**ROLES, "ssn": insensitive(), "born": insensitive()}
    plan = Plan(columns=columns, models=MODELS, data=Data(source=str(tmp_path / "t.csv")))
    found = list(map(str, check(plan).warnings))
    assert about(found, "'ssn'", "social security") and about(found, "'born'", "'birth'")


def test_a_repeated_patient_number_that_is_dropped() -> None:
    rng = np.random.default_rng(1)
    once = patients(40)
    frame = once[np.arange(40).repeat(5)].with_columns(
        patient=pl.Series(np.arange(40).repeat(5)).cast(pl.String),
        diagnosis=pl.Series(rng.choice(["flu", "cancer", "asthma", "gout"], 200)),
    )
    plan = Plan(columns=ROLES, models=(KAnonymity(k=5),), data=Data(unlisted="drop"))
    found = list(map(str, shoal.anonymize(frame, plan).warnings))
    (only,) = about(found, "'patient'", "100 % of the rows")
    lonely = re.search(r"as in (\d+) of (\d+) classes", only)
    assert lonely and int(lonely[1]) >= 30 and 'person = "patient"' in only


@pytest.mark.parametrize(
    "variants",
    [
        ("flu", "Flu", "FLU"),
        ("flu", "flu ", " flu"),
        ("cancer", "can\u200bcer", "\u0441an\u0441er"),
        ("flu", "\ufb02u", "\uff46lu"),
    ],
)
def test_spellings_of_one_diagnosis(variants: tuple[str, ...]) -> None:
    frame = patients().with_columns(diagnosis=pl.Series(np.resize(np.array(variants), ROWS)))
    assert about(warned(frame, {}), "'diagnosis'", "2 values that differ")


def test_an_anatomy_beside_a_column_that_determines_the_diagnosis() -> None:
    codes = {"flu": "J11", "cancer": "C80", "asthma": "J45", "gout": "M10", "colitis": "K51"}
    frame = patients().with_columns(code=pl.col("diagnosis").replace(codes))
    settings = ReleaseSettings(form="anatomy")
    plan = Plan(columns={**ROLES, "code": insensitive()}, models=MODELS[1:], release=settings)
    found = list(map(str, shoal.anonymize(frame, plan).warnings))
    assert about(found, "'code'", "'diagnosis'", "5,000 of 5,000 rows")


def test_a_table_without_a_header_line(tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "t.csv", include_header=False)
    first = (tmp_path / "t.csv").read_text().splitlines()[0].split(",")
    columns = dict(zip(first, ROLES.values(), strict=True))
    plan = Plan(columns=columns, models=(KAnonymity(k=5),), data=Data(source=str(tmp_path / "t.csv")))
    with pytest.raises(TableError, match="header = false") as caught:
        check(plan)
    assert not any(name in str(caught.value) for name in first)
    trusting = plan.changed(data=Data(source=str(tmp_path / "t.csv"), header=True))
    assert not about(list(map(str, check(trusting).warnings)), "no header line")
    frame = pl.read_csv(tmp_path / "t.csv", infer_schema=False)
    (only,) = about(list(map(str, shoal.anonymize(frame, plan).warnings)), "no header line")
    assert not any(name in only for name in first)


def test_cells_that_a_spreadsheet_would_run() -> None:
    notes = ["=1+1", "-5", "@x", "fine", "+1 000"] * 1000
    assert about(warned(patients(note=notes), {"note": insensitive()}), "formulas", "'note' (3,000)")


def test_serious_warnings_come_first_in_their_order() -> None:
    found = [Warning("a"), Warning("b", serious=True), Warning("c"), Warning("d", serious=True)]
    assert [warning.text for warning in serious_first(found)] == ["b", "d", "a", "c"]
