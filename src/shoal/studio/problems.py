"""Errors of the studio itself: something that was named does not exist, or cannot be done now."""

from __future__ import annotations

from shoal.errors import ShoalError


class NoSuchThing(ShoalError):
    """Something that was named does not exist."""


class Busy(ShoalError):
    """Something cannot be done in this state, such as deleting a run that is going on."""


class Refused(ShoalError):
    """Something is not allowed here: a path outside the chosen folders, or an upload to a studio that takes none."""


class TooLarge(ShoalError):
    """An upload is larger than this studio accepts."""
