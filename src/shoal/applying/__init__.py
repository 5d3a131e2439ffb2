"""Applying the recoding of an earlier release to new rows, with every promise checked anew."""
