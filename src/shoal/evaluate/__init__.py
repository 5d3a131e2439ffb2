"""Evaluation of releases: classification error, and the lattice that a search explored."""
