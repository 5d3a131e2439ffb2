"""Synthetic data: a patient table with hierarchies, plan and medical knowledge, and a cancer registry."""

from shoal.datasets.patients import knowledge, patient_hierarchies, patients, patients_plan_toml
from shoal.datasets.registry import registry

__all__ = ["knowledge", "patient_hierarchies", "patients", "patients_plan_toml", "registry"]
