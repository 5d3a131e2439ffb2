"""Verification: regroups published tables and re-checks every promise; it uses neither kernels nor search code."""
