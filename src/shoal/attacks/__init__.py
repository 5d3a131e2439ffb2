"""Attacks on a release, one a file. There are none yet."""
