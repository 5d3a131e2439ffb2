"""Tests of the measures of risk."""
