"""Verification: regroups published tables and re-checks every promise, without kernels and search code."""
