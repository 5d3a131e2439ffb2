"""Inspecting a release: figures in words."""

from __future__ import annotations

from shoal import algorithms
from shoal.algorithms.full_domain import FullDomain
from shoal.studio.pages.inspecting import _FULL_DOMAIN, _listed


def test_parameters_are_listed_without_what_is_not_set() -> None:
    assert _listed({"k": 5, "values": None}) == "k = 5"


def test_the_lattice_is_offered_for_every_algorithm_that_searches_one() -> None:
    assert set(_FULL_DOMAIN) == {cls.kind for cls in algorithms.ALL if issubclass(cls, FullDomain)}
