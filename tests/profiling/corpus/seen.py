"""The schemas that the recognition of columns was developed on."""

from __future__ import annotations

from tests.profiling.corpus import seen_contradictions, seen_forms, seen_registries, seen_standards

SCHEMAS = (
    *seen_standards.SCHEMAS,
    *seen_registries.SCHEMAS,
    *seen_forms.SCHEMAS,
    *seen_contradictions.SCHEMAS,
)
