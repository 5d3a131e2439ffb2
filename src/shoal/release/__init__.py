"""A release as a value, and the folders it is written to."""

from shoal.release.draft import Draft, Private
from shoal.release.release import Release

__all__ = ["Draft", "Private", "Release"]
