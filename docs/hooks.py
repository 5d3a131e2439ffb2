"""Puts the page of every model into the navigation, so that a new model needs no line there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MODELS = Path(__file__).resolve().parent / "guide" / "models"


def on_config(config: Any) -> Any:
    """Fills the empty "Models" section of the navigation."""
    pages = [f"guide/models/{path.name}" for path in sorted(MODELS.glob("*.md"))]
    guide = next(section["Guide"] for section in config["nav"] if "Guide" in section)
    next(entry for entry in guide if "Models" in entry)["Models"].extend(pages)
    return config
