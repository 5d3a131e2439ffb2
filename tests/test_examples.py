"""Every example runs, from an empty folder, and says what it is meant to say."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

SAYS = {
    "hierarchies": ["E11.65 → E11 → E08-E13 → E00-E89 → *", "1 of 2 values uncovered, 2 of 3 leaves unused"],
    "hospital_registry": ["k-anonymity (k = 10): holds", "published in registry_release/"],
    "next_month": [
        "february: 2916 of 3000 rows, labels of january: True",
        "k-anonymity: holds",
        "at least 65: 1582 to 2555 of 5832 released rows; in the registry: 2137",
    ],
    "pandas_in_and_out": ["achieved: {'k-anonymity': {'k': 4}", "[50, 59] 0214*"],
    "sqlite_round_trip": ["in the database: 2000 "],
    "suggest_a_plan": [
        "tried: 25 plans, within the thresholds: 20",
        "proposed: optimal (local), k = 7",
        "k = 7, 55 classes, verified",
    ],
    "symptoms": [
        "raw: 1.00, promised at most 0.50: BROKEN",
        "5-anonymous: 1.00, promised at most 0.50: BROKEN",
        "without a few symptoms: 0.43, promised at most 0.50: holds",
        "0.4% of the symptoms were removed, from 9 of 152 classes",
        "verified with the knowledge table: True",
    ],
    "rest_client": ["2000 rows, 4 columns", "k-anonymity: holds", "verified: True", "fetched 2000 rows"],
    "voter_list": [
        "Arjun has Cancer",
        "linkage: 1.00 (promised at most 0.50: BROKEN)",
        "linkage: 0.33 (promised at most 0.50: holds)",
        "homogeneity: 0.00 (promised at most 0.00: holds)",
    ],
    "verify_a_folder": [
        "as published: everything holds",
        "one row added: NOT as promised",
        "The file 'release.csv' was changed.",
        "forged, looked at alone: everything holds",
        "forged, against the digest: NOT as promised",
        "forged, against the plan: NOT as promised",
    ],
}
NEEDS = {"pandas_in_and_out": "pandas", "sqlite_round_trip": "adbc_driver_sqlite", "rest_client": "nicegui"}


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_example(name: str, tmp_path: Path) -> None:
    needed = NEEDS.get(name)
    if needed and importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for words in SAYS[name]:
        assert words in done.stdout
