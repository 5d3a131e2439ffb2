"""Signs: the apparent content of a column, the role that it suggests, and how certain this is.

The letters are those of the eighteen identifiers in HIPAA's Safe Harbor rule, 45 CFR 164.514(b)(2)(i).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from shoal.roles.columns import Role

Confidence = Literal["high", "medium", "low"]
Numbered = Literal["patients", "visits", "records"]
"""What the values of an identifier number, from the best column to count persons by to the last resort."""

Need = Literal[
    "dates", "years", "cycles", "parts of dates", "ages", "parts of ages", "record numbers", "texts", "words", "numbers"
]
"""What the values must be for a sign to count; cycles are years, or months, days or hours that are all there."""

IDENTIFIER: Role = "identifier"
QUASI: Role = "quasi-identifier"
SENSITIVE: Role = "sensitive"
INSENSITIVE: Role = "insensitive"
DROP: Role = "drop"

WHY: dict[Role, str] = {
    IDENTIFIER: "can identify an individual",
    QUASI: "may be known to others",
    SENSITIVE: "must not be linkable to an individual",
    INSENSITIVE: "reveals nothing about an individual",
    DROP: "not released unless you give it a role",
}

AGE_INTERVALS = {"kind": "intervals", "widths": [5, 10, 20], "origin": 0}
DATE_LEVELS = {"kind": "date", "levels": ["month", "quarter", "year", "decade"]}
DATETIME_LEVELS = {"kind": "date", "levels": ["day", "month", "quarter", "year", "decade"]}
PREFIX = {"kind": "prefix", "steps": [3, 2, 1]}
ICD_10_CM = {"kind": "icd10cm"}
ICD_9 = {"kind": "icd9"}


@dataclass(frozen=True)
class Sign:
    """The apparent content of a column. `hipaa` is its letter in the Safe Harbor list of identifiers, if any.

    `read_as`: a type to declare, because the inferred type would change the values, or give an order to codes.
    `numbers`: what the values of an identifier number. `needs`: the sign counts only if the values are of this form.
    """

    what: str
    role: Role
    hipaa: str = ""
    hierarchy: Mapping[str, object] = field(default_factory=dict)
    read_as: str | None = None
    numbers: Numbered | None = None
    confidence: Confidence = "high"
    needs: Need | None = None

    @property
    def reason(self) -> str:
        hipaa = f" (HIPAA identifier {self.hipaa})" if self.hipaa else ""
        return f"{self.what}{hipaa}: {WHY[self.role]}"

    @property
    def is_unknown(self) -> bool:
        """Whether the content of the column was not recognized."""
        return self.role == DROP and self.what.startswith("not recognized")

    def at_most(self, confidence: Confidence) -> Sign:
        """The same sign with at most this confidence."""
        order: tuple[Confidence, ...] = ("low", "medium", "high")
        return replace(self, confidence=min(self.confidence, confidence, key=order.index))


AGE = Sign("an age", QUASI, hierarchy=AGE_INTERVALS)
AGE_IN_PARTS = Sign("an age in parts of years", QUASI)
DATE = Sign("dates", QUASI, "C", hierarchy=DATE_LEVELS)
SEX = Sign("sex", QUASI)
ZIP = Sign("postal codes", QUASI, "B", hierarchy=PREFIX, read_as="text")
DIAGNOSIS_CODE = Sign("diagnosis codes", SENSITIVE, hierarchy=ICD_10_CM)
OLD_DIAGNOSIS_CODE = Sign("diagnosis codes", SENSITIVE, hierarchy=ICD_9)
FREE_TEXT = Sign("free text", IDENTIFIER, "R")
UNIQUE_TEXT = Sign("text with mostly unique values", IDENTIFIER, "R", numbers="records", confidence="medium")
ADDRESSES = Sign("addresses", IDENTIFIER, "B", confidence="medium")
NAMES = Sign("names", IDENTIFIER, "A")
RECORD_NUMBER = Sign("a record number", IDENTIFIER, "R", numbers="records")
NATIONAL_NUMBER = Sign("national identity numbers", IDENTIFIER, "G", numbers="patients", confidence="medium")
MEASURED = Sign("measurements", SENSITIVE, confidence="medium")
CARE_USE = Sign("use of health care", SENSITIVE, confidence="medium")
VISIT_KIND = Sign("the kind of a visit or stay", QUASI, confidence="medium")
DOUBTFUL = Sign("a place or measure of something unknown", DROP, confidence="low")
UNKNOWN = Sign("not recognized", DROP, confidence="low")
