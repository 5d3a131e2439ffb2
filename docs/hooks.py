"""Puts the page of every model and of every decision into the navigation, so that a new one needs no line there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
FILLED = {("Guide", "Models"): "guide/models", ("Developing", "Design decisions"): "developing/decisions"}


def on_config(config: Any) -> Any:
    """Fills the empty sections of the navigation."""
    for (part, section), folder in FILLED.items():
        entries = next(each[part] for each in config["nav"] if part in each)
        pages = sorted((DOCS / folder).glob("*.md"), key=lambda path: (path.name != "README.md", path.name))
        next(entry for entry in entries if section in entry)[section].extend(f"{folder}/{page.name}" for page in pages)
    return config
