"""The schemas that the recognition of columns is measured on; nothing was fitted to them."""

from __future__ import annotations

from tests.profiling.corpus import unseen_forms, unseen_hospital, unseen_registries, unseen_standards

SCHEMAS = (
    *unseen_standards.SCHEMAS,
    *unseen_registries.SCHEMAS,
    *unseen_hospital.SCHEMAS,
    *unseen_forms.SCHEMAS,
)
