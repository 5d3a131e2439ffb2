"""Suggesting a plan on a page: the uses are those of the library, and shares are given in percent."""

from __future__ import annotations

from shoal.evaluate.utility import USES as KNOWN
from shoal.studio.pages.suggesting import USES, _part


def test_every_use_is_offered() -> None:
    assert set(USES) == set(KNOWN)


def test_percents_become_shares() -> None:
    assert (_part(20), _part(0), _part(None)) == (0.2, 0.0, None)
