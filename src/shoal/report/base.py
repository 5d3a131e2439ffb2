"""Report: the document of a release, and the files and texts that are made from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import OutputError
from shoal.manifest import require_outside_releases
from shoal.report import laid_out
from shoal.report.contents import document_of
from shoal.report.document import Document
from shoal.report.sections import Facts
from shoal.report.text import as_text
from shoal.unfinished import written

FORMATS = (".html", ".json", ".txt", ".pdf")


@dataclass(frozen=True)
class Report:
    """A release in readable form, without data. Everything that it shows comes from its document.

    >>> from shoal.manifest import Manifest
    >>> print(Report.of(Facts(Manifest(rows_in=9, rows_released=9, classes=2))).text().splitlines()[0])
    No promise has been verified
    """

    document: Document

    @classmethod
    def of(cls, facts: Facts) -> Report:
        """The report of a release; the same facts always give the same report."""
        return cls(document_of(facts))

    def text(self) -> str:
        """The report as plain lines for a terminal or a log, without colours."""
        return as_text(self.document)

    def fragment(self) -> str:
        """A summary as HTML for a notebook; its styles are inline and affect nothing else on the page."""
        return laid_out.fragment(self.document)

    def page(self) -> str:
        """The complete report as one self-contained HTML page."""
        return laid_out.page(self.document)

    def to_json(self) -> dict[str, Any]:
        """The report in JSON types, with every figure as a number."""
        return self.document.to_json()

    def save(self, path: str | Path) -> None:
        """Writes the report to a file: .html, .json, .txt, or .pdf, for which Chromium must be installed.

        The file is complete or not written at all, never inside the folders of a release, and only its owner can read
        the private report.
        """
        place = Path(path)
        kind = place.suffix.lower()
        if kind not in FORMATS:
            raise OutputError(f"The report cannot be written to '{place}'.", allowed=f"It ends in {_LISTED}.")
        require_outside_releases(place)
        if kind == ".pdf":
            from shoal.report.printing import print_page

            print_page(self.page(), place, private=self.document.private)
            return
        text = self.content(kind)
        with written(place, private=self.document.private) as part:
            part.write_text(text, encoding="utf-8", newline="\n")

    def content(self, kind: str) -> str:
        """The content of a file with this ending: .html, .json or .txt."""
        return {".html": self.page, ".txt": self.text, ".json": self._json}[kind]()

    def _json(self) -> str:
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def _repr_html_(self) -> str:
        return self.fragment()


_LISTED = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
