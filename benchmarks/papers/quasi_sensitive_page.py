"""Writes docs/evidence/quasi_sensitive.md and its figures from the results that quasi_sensitive.py stored."""


def write(results: object, folder: object) -> None: ...
