"""Data of our own: a synthetic patient registry with its hierarchies, a plan to release it and medical knowledge."""

from shoal.datasets.patients import knowledge, patient_hierarchies, patients, patients_plan_toml

__all__ = ["knowledge", "patient_hierarchies", "patients", "patients_plan_toml"]
