"""Well-known public data sets and hospital extracts, written without knowledge of how columns are recognized."""

from __future__ import annotations

from tests.profiling.corpus import public_discharges, public_hospital, public_records, public_samples, public_studies

SCHEMAS = (
    *public_samples.SCHEMAS,
    *public_studies.SCHEMAS,
    *public_discharges.SCHEMAS,
    *public_records.SCHEMAS,
    *public_hospital.SCHEMAS,
)
