"""A small table and its plan, for tests of the studio."""

from __future__ import annotations

from pathlib import Path

ROWS = 40
PLAN = """# the plan of a clinic
[data]
source = "{source}"

[columns.age]
role = "quasi-identifier"

[columns.ill]
role = "sensitive"

[[models]]
kind = "k-anonymity"
k = 4
"""


def write_clinic(folder: Path, name: str = "clinic.csv", rows: int = ROWS) -> Path:
    path = folder / name
    lines = [f"{20 + row % 37},{('flu', 'cold', 'asthma')[row % 3]}" for row in range(rows)]
    path.write_text("age,ill\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def plan_of(source: Path | str) -> str:
    return PLAN.format(source=source)
