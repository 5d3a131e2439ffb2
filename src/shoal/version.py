"""The version, in one place and without importing anything."""

VERSION = "0.1.0"
