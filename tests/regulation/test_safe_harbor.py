from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.regulation.contents import contents
from shoal.regulation.safe_harbor import KINDS, SMALL_ZIP3, checked
from tests.regulation.tables import PLAN, RAW, RELEASED

MODELS = [shoal.KAnonymity(k=2)]


def by_letter(table: pl.DataFrame, plan: shoal.Plan = PLAN, tops: dict[str, float] | None = None) -> dict[str, Any]:
    return {line.details["letter"]: line for line in checked(contents(table, plan), tops or {})}


def of_column(table: pl.DataFrame, letter: str, name: str, tops: dict[str, float] | None = None) -> list[int]:
    """The numbers of rows that were found in a column, those to be checked by a person aside."""
    columns = by_letter(table, tops=tops)[letter].details["columns"]
    return [each["rows"] for each in columns if each["column"] == name and each["sure"]]


def column(name: str, values: list[Any], **settings: Any) -> tuple[pl.DataFrame, shoal.Plan]:
    return pl.DataFrame({name: values}), shoal.Plan(columns={name: shoal.quasi(**settings)}, models=MODELS)


def test_there_are_eighteen_kinds_and_seventeen_small_areas() -> None:
    assert "".join(KINDS) == "ABCDEFGHIJKLMNOPQR"
    assert len(SMALL_ZIP3) == 17 and all(len(area) == 3 for area in SMALL_ZIP3)


def test_every_kind_has_a_line() -> None:
    found = by_letter(RAW)
    assert list(found) == list(KINDS)
    assert {letter for letter, line in found.items() if line.status == "found"} == set("ABCFHR")
    assert found["D"].status == "not found" and found["D"].details["columns"] == []


def test_identifiers_inside_texts_are_found_in_columns_that_the_plan_keeps() -> None:
    (mail, remark) = by_letter(RAW)["F"].details["columns"]
    assert (mail["column"], mail["removed"]) == ("email", True)
    assert (remark["column"], remark["removed"], remark["rows"]) == ("remark", False, 4)
    assert "the plan removes the column" in by_letter(RAW)["A"].result


def test_every_kind_of_identifier_inside_texts_has_its_own_count() -> None:
    notes = ["mail ann@example.org", "ssn 078-05-1120", "call 555-123-4567 please", "tel 2025550147"]
    table = pl.DataFrame({"note": [f"seen again, visit {n}" for n in range(20)] + notes})
    found = by_letter(table, shoal.Plan(columns={"note": shoal.Column(role="insensitive")}, models=MODELS))
    rows = {letter: [each["rows"] for each in found[letter].details["columns"]] for letter in "DFG"}
    assert rows == {"D": [2], "F": [1], "G": [1]}


def test_a_text_with_two_kinds_of_identifiers_counts_for_both() -> None:
    table, plan = column("remark", ["ann@example.org or (202) 555-0147", "stable", "stable"])
    found = by_letter(table, plan)
    assert [found[letter].details["columns"][0]["rows"] for letter in "DF"] == [1, 1]


def test_record_numbers_with_the_form_of_telephone_numbers_are_no_telephone_numbers() -> None:
    table, plan = column("mrn", [f"555-123-{n}" for n in range(4000, 4020)] + ["call 202-555-0147", "078-05-1120"])
    found = by_letter(table, plan)
    assert [found[letter].details["columns"][0]["rows"] for letter in "DGH"] == [1, 1, 22]


def test_ages_over_89_are_found_unless_they_are_one_category() -> None:
    assert of_column(RAW, "C", "age") == [4]
    assert of_column(RELEASED, "C", "age") == [6]  # 90, and 85 to 94
    assert of_column(RELEASED, "C", "age", {"age": 90.0}) == [3]
    assert of_column(RELEASED, "C", "age", {"age": 95.0}) == [6]


def test_ages_in_parts_of_years_need_a_person() -> None:
    table, plan = column("age_months", [3, 14, 1100] * 4)
    assert by_letter(table, plan)["C"].status == "check"


def test_dates_are_found_unless_they_span_whole_years() -> None:
    assert of_column(RAW, "C", "birth_date") == [12]
    assert of_column(RELEASED, "C", "birth_date") == [3]  # 1990-05


@pytest.mark.parametrize("label", ["2024-03-09", "2024-03", "2024-Q1", "2024-W03", "2024-03-09 14h", "03/09/2024"])
def test_parts_of_a_year_are_finer_than_a_year(label: str) -> None:
    table, plan = column("admission_date", [label, "2024", "[2020, 2029]", "*"], hierarchy=shoal.dates("year"))
    (found,) = by_letter(table, plan)["C"].details["columns"]
    assert found["rows"] == 1


def test_a_year_of_birth_may_show_an_age_over_89() -> None:
    table, plan = column("birth_year", [1930, 1980, 1990] * 4)
    line = by_letter(table, plan)["C"]
    assert line.status == "check" and "a year must not show an age over 89" in line.result


def test_postal_codes_show_at_most_three_digits() -> None:
    assert of_column(RAW, "B", "zip") == [12]
    assert of_column(RELEASED, "B", "zip") == [3]  # 036 has at most 20,000 inhabitants
    assert "which must be 000" in by_letter(RELEASED)["B"].result


def test_places_smaller_than_a_state_are_found_unless_they_are_generalized() -> None:
    assert of_column(RAW, "B", "city") == [12]
    assert of_column(RELEASED, "B", "city") == []


def test_no_value_of_the_table_is_named() -> None:
    said = " ".join(
        f"{line.result} {line.details}" for table in (RAW, RELEASED) for line in checked(contents(table, PLAN), {})
    )
    for value in ("Smith", "example.org", "1930", "03601", "Farley", "C34", "1000000"):
        assert value not in said


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("89.5", False),
        ("90", True),
        ("85-89", False),
        ("85-94", True),
        ("90 - 94", True),
        ("90+", False),
        (">= 90", False),
        ("95+", True),
        ("[90, 104]", True),
    ],
)
def test_one_category_of_ages_may_lie_above_89(label: str, found: bool) -> None:
    table, plan = column("age_group", [label, "20-24", "25-29", "*"])
    assert (by_letter(table, plan)["C"].status == "found") is found


@pytest.mark.parametrize(
    ("label", "found"),
    [("123xx", False), ("123##", False), ("12xxx", False), ("036XX", True), ("1234x", True), ("000", False)],
)
def test_masked_digits_of_a_postal_code_show_nothing(label: str, found: bool) -> None:
    table, plan = column("zip_code", [label, "606**", "606**", "*"])
    assert (by_letter(table, plan)["B"].status == "found") is found


def test_three_digit_areas_that_were_stored_as_numbers_are_found() -> None:
    table, plan = column("zip3", [36, 606, 606, 100])  # 036 without its zero
    assert by_letter(table, plan)["B"].details["columns"][0]["rows"] == 1


@pytest.mark.parametrize(
    ("name", "values", "letter"),
    [
        ("v1", ["2001:db8::1", "fe80::1ff:fe23:4567:890a", "2001:0db8:85a3:0000:0000:8a2e:0370:7334", "::1"], "O"),
        ("device_id", ["A77-1", "B12-9", "A90-3", "C11-8"], "M"),
        ("Medical device identifier", ["A77-1", "B12-9", "A90-3", "C11-8"], "M"),
        ("certificate_no", ["771", "129", "903", "118"], "K"),
        ("licence_no", ["771", "129", "903", "118"], "K"),
    ],
)
def test_identifiers_have_the_letter_of_their_kind(name: str, values: list[str], letter: str) -> None:
    table, plan = column(name, values)
    assert [each for each, line in by_letter(table, plan).items() if line.status == "found"] == [letter]


ROLES = ("insensitive", "sensitive", "quasi-identifier", None)


def in_role(name: str, values: list[Any], role: Any) -> Any:
    """The lines of a column that has the role, or none."""
    columns = {"sex": shoal.quasi()} | ({} if role is None else {name: shoal.Column(role=role)})
    table = pl.DataFrame({name: values, "sex": ["F"] * len(values)})
    return by_letter(table, shoal.Plan(columns=columns, models=MODELS))


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("label", ["95 years", "95y", "90-99", "20-110", "[85, 94]"])
def test_ages_over_89_are_found_in_every_role_and_notation(label: str, role: str | None) -> None:
    for others in (["20", "30"], ["20-29", "30-39"], ["20 years", "[30, 39]"], [label, label], ["unknown", "n/a"]):
        (found,) = in_role("age", [label, *others], role)["C"].details["columns"]
        assert found["rows"] == [label, *others].count(label) and found["what"] == "shows ages over 89"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", ["admission_date", "v1", "period"])
@pytest.mark.parametrize(
    "label", ["Jan 2020", "2020-Q1", "Q1 2020", "2020-W05", "5 January", "[2020-01-01, 2020-12-30]"]
)
def test_dates_finer_than_a_year_are_found_in_every_role_and_notation(label: str, name: str, role: str | None) -> None:
    for others in (["2020", "2021"], [label, label], ["[2020-01-01, 2021-12-31]", "2020"]):
        (found,) = in_role(name, [label, *others], role)["C"].details["columns"]
        assert found["rows"] == [label, *others].count(label) and found["what"] == "shows dates finer than a year"


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("[03600, 03699]", "three-digit areas"),
        ("[12300, 12349]", "more than three digits"),
        ("12345-6789", "more than three digits"),
        ("036**", "three-digit areas"),
        ("[12300, 12399]", None),
        ("[03600, 03799]", None),
        ("[000, 999]", None),
    ],
)
def test_ranges_of_postal_codes_are_found_in_every_role(label: str, said: str | None, role: str | None) -> None:
    found = in_role("zip", [label, label, "606**"], role)["B"].details["columns"]
    assert [each["rows"] for each in found] == ([] if said is None else [2])
    assert said is None or said in found[0]["what"]
