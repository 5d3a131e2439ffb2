"""Columns, roles and parameters: the parts of a plan that the coding of a table needs."""
