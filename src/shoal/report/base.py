"""Report: a manifest made readable."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Report:
    """A release's manifest as text, as an HTML fragment, or as one offline HTML page."""

    manifest: Mapping[str, Any]

    def fragment(self) -> str:
        return "<pre>" + html.escape(str(self.manifest)) + "</pre>"

    def save(self, path: str | Path) -> None:
        """Writes one HTML file that needs nothing from anywhere."""
        Path(path).write_text(self.fragment(), encoding="utf-8")
