"""A release as a value, its manifest, and the folders it is written to."""
