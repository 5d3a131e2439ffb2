"""Evaluation of releases: query error, classification error, and the lattice that a search explored."""
