"""Values that contradict a harmless name: identifiers under words such as `pt`, `lab` or `status` are not released."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.profiling.profile import profile

ROWS = 300
RNG = np.random.default_rng(4)
GIVEN = ["Anna", "Peter", "Maria", "John", "Laura", "Thomas", "Eva", "Paul", "Lisa", "Karl"]
FAMILY = ["Brown", "Smith", "Weber", "Jones", "Meyer", "Olsen", "Garcia", "Novak", "Rossi", "Silva"]
IDENTIFYING: dict[str, list[Any]] = {
    "full names": [f"{RNG.choice(GIVEN)} {RNG.choice(FAMILY)}" for _ in range(ROWS)],
    "given names": [str(RNG.choice(GIVEN)) for _ in range(ROWS)],
    "codes that repeat": [f"P{number // 3:04d}" for number in range(ROWS)],
    "running numbers": list(range(1, ROWS + 1)),
    "telephone numbers": RNG.integers(1_700_000_000, 1_799_999_999, ROWS).tolist(),
    "short hashes": [f"{number:08x}" for number in RNG.integers(0, 2**32, ROWS // 3).tolist()] * 3,
}


def role(name: str, values: list[Any]) -> str:
    frame = pl.DataFrame(
        {
            name: [str(value) for value in values],
            "age": RNG.integers(20, 90, len(values)),
            "sex": RNG.choice(["f", "m"], len(values)),
            "dx": RNG.choice(["I10", "C50.9", "E11.9"], len(values)),
        }
    )
    return profile(frame).columns[0].role


@pytest.mark.parametrize("name", ["pt", "k", "lab", "result", "status", "sample", "tested_by", "author", "operator"])
@pytest.mark.parametrize("kind", IDENTIFYING)
def test_identifiers_under_another_word_are_removed(name: str, kind: str) -> None:
    assert role(name, IDENTIFYING[kind]) in ("identifier", "drop")


@pytest.mark.parametrize("name", ["outcome", "treatment", "oncology", "result"])
def test_a_few_titled_names_are_enough(name: str) -> None:
    assert role(name, ["Dr Weber", "Dr. Olsen", "Dra. Garcia"] * (ROWS // 3)) == "identifier"


@pytest.mark.parametrize("name", ["drug_code", "treatment", "diagnosis", "tumour_stage"])
def test_long_codes_that_hardly_repeat_are_no_clinical_codes(name: str) -> None:
    codes = [f"{'ABCD' if n % 2 else 'WXYZ'}{n * 7_919 % 10**12:012d}" for n in range(ROWS)]
    assert role(name, codes) == "identifier"
    assert role(name, [codes[n % 40] for n in range(ROWS)]) == "sensitive"


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("k", [round(3.2 + n % 25 / 10, 1) for n in range(ROWS)], "sensitive"),
        ("result", ["positive", "negative"] * (ROWS // 2), "sensitive"),
        ("diagnosis", [f"{'ACEI'[n % 4]}{n % 89 + 10}.{n % 10}" for n in range(ROWS)], "sensitive"),
        ("total_charges", [float(1_000 + 37 * n) + 0.25 for n in range(ROWS)], "sensitive"),
        ("platelets", [150_000 + 1_000 * (n % 250) for n in range(ROWS)], "sensitive"),
        (
            "city",
            [f"{RNG.choice(['San', 'Santa'])} {RNG.choice(['Maria', 'Jose', 'Anna'])}" for _ in range(ROWS)],
            "quasi-identifier",
        ),
    ],
)
def test_values_that_fit_the_name_keep_its_role(name: str, values: list[Any], expected: str) -> None:
    assert role(name, values) == expected


@pytest.mark.parametrize("name", ["biopsy", "finding", "outcome"])
def test_a_few_full_names_identify_under_a_clinical_word(name: str) -> None:
    staff = ["James Brown", "Linda Davis", "Patricia White", "David Clark", "Mary Moore"]
    assert profile(pl.DataFrame({name: staff * 30})).columns[0].role == "identifier"
