"""Shoal: release patient tables safely."""
