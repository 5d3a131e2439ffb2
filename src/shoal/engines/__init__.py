"""Engines that move the rows of a table, one per file."""
