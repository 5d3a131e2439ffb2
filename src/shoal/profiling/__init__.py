"""Profiling a table: what each column holds, suggested roles, uniqueness, draft plans."""
