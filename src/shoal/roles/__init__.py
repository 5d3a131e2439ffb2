"""Columns, roles and parameters: the parts of a plan that coding a table needs."""
