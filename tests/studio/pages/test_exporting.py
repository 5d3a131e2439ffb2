"""Exporting: what is public and what is private is told apart."""

from __future__ import annotations

from shoal.studio.pages.downloads import PRIVATE, PUBLIC


def test_nothing_is_both_public_and_private() -> None:
    assert not set(PUBLIC) & set(PRIVATE) and "plan.toml" in PRIVATE and "steward.html" in PRIVATE
