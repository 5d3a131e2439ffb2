"""Report: a manifest in readable form, as text, as an HTML fragment or as one offline page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.manifest import Manifest
from shoal.report.text import as_text
from shoal.report.view import View, view_of

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True)
class Report:
    """A release's manifest in readable form, without data; the same manifest always gives the same report.

    >>> print(Report(Manifest(rows_in=9, rows_released=9, classes=2)).text().splitlines()[0])
    No promise has been verified
    """

    manifest: Manifest
    digest: str | None = None
    """The digest of the saved release, if it is known. The published report cannot contain it."""
    folder: str | None = None
    """The name of the release's folder, if it is known."""

    @cached_property
    def view(self) -> View:
        """The content of the report, ready to be laid out."""
        return view_of(self.manifest, self.digest, self.folder)

    def text(self) -> str:
        """The report as plain lines for a terminal or a log, without colours."""
        return as_text(self.view)

    def fragment(self) -> str:
        """A summary as HTML for a notebook; its styles are inline and affect nothing else on the page."""
        return _template("fragment.html.j2").render(view=self.view)

    def page(self) -> str:
        """The complete report as one self-contained HTML page."""
        return _template("page.html.j2").render(view=self.view)

    def save(self, path: str | Path) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.page(), encoding="utf-8", newline="\n")


def load_page() -> None:
    """Loads the template of the page, which takes much longer than to fill it in."""
    _template("page.html.j2")


@cache
def _template(name: str) -> Template:
    """A template of this package; all values are escaped, and an unknown name is an error."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(resources.files("shoal.report").joinpath(name).read_text(encoding="utf-8"))
