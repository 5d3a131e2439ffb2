"""A release as a value, and the folders to which it is written."""

from shoal.release.draft import Draft, Private
from shoal.release.release import Release

__all__ = ["Draft", "Private", "Release"]
