"""A raw table with one column of each sort, its plan, and figures of risk as the command line prints them."""

from __future__ import annotations

from typing import Any

import polars as pl

import shoal

RAW = pl.DataFrame(
    {
        "name": ["Ann Smith", "Bob Miller", "Carl Jones"] * 4,
        "birth_date": ["1930-02-03", "1980-01-01", "1990-05-05"] * 4,
        "zip": ["03601", "12345", "60601"] * 4,
        "age": [95, 40, 89] * 4,
        "email": ["ann@example.org", "bob@example.org", "carl@example.com"] * 4,
        "mrn": [f"{1000000 + n}" for n in range(12)],
        "city": ["Farley", "Calder", "Eastby"] * 4,
        "diagnosis": ["C34", "J10", "J10"] * 4,
        "remark": ["stable", "stable", "ask ann@example.org"] * 4,
    }
)
PLAN = shoal.Plan(
    columns={
        "name": shoal.identifier(),
        "birth_date": shoal.quasi(shoal.dates("month", "year", "decade")),
        "zip": shoal.quasi(shoal.prefixes(3, 2, 1)),
        "age": shoal.quasi(top=90),
        "email": shoal.identifier(),
        "mrn": shoal.identifier(),
        "city": shoal.quasi(),
        "diagnosis": shoal.sensitive(),
        "remark": shoal.Column(role="insensitive"),
    },
    models=[shoal.KAnonymity(k=3)],
)
RELEASED = pl.DataFrame(
    {
        "birth_date": ["[1930, 1939]", "1980", "1990-05", "[1990-01-01, 1999-12-31]"] * 3,
        "zip": ["036*", "123*", "6*", "*"] * 3,
        "age": ["90", "[85, 94]", "[20, 29]", "*"] * 3,
        "city": ["*"] * 12,
        "diagnosis": ["C34", "J10", "J10", None] * 3,
        "remark": ["stable"] * 12,
    }
)
FIGURES: dict[str, Any] = {
    "rows": 12,
    "uniques": 3,
    "prosecutor": {"highest": 1.0, "average": 0.5},
    "journalist": None,
    "marketer": {"success": 0.25},
    "thresholds": {"highest": 0.09, "marketer": 0.25},
    "attacks": [
        {"kind": "linkage", "column": None, "success": 0.5, "baseline": 0.1, "bound": 0.2, "holds": False},
        {"kind": "homogeneity", "column": "diagnosis", "success": 0.4, "baseline": 0.3, "bound": None, "holds": True},
    ],
}
