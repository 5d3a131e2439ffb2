"""Profiling a table: the content of each column, suggested roles, uniqueness, draft plans."""
