"""Inspecting a release: figures in words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from shoal import algorithms
from shoal.algorithms.full_domain import FullDomain
from shoal.studio.origins import Origin
from shoal.studio.pages.inspecting import _FULL_DOMAIN, named


def test_a_release_is_named_with_its_table() -> None:
    run: Any = SimpleNamespace(name="first try")
    for table, name in (("clinic.csv", "first try · clinic.csv"), ("", "first try")):
        workspace: Any = SimpleNamespace(origin=lambda _run, table=table: Origin(table, ()))
        assert named(run, workspace) == name


def test_the_lattice_is_offered_for_every_algorithm_that_searches_one() -> None:
    assert set(_FULL_DOMAIN) == {cls.kind for cls in algorithms.ALL if issubclass(cls, FullDomain)}
