"""Opening a table of a database: the database is named, and the table is chosen from a list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.counts import counted
from shoal.errors import ShoalError
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.workspace import Workspace

KINDS = (".db", ".sqlite", ".sqlite3", ".db3")
JOB = "tables"
_TITLE = "Or open a table of a database"
DROPPED = dict.fromkeys(KINDS, f"A database is not uploaded: name its file under '{_TITLE}', below.")
"""Ending of a file → what to do with it instead of dropping it."""
_LISTED = 500
_NOTE = (
    "A SQLite file, or a PostgreSQL server. Passwords are never typed here: start the studio with PGPASSWORD, or use a "
    "passfile. A table or view is read completely, and the database is not changed."
)


class Chooser:
    """The card in which a database is named and one of its tables opened; it follows the job that lists them."""

    def __init__(self, workspace: Workspace, files: list[Path], opened: Callable[..., None]) -> None:
        self._workspace = workspace
        self._opened = opened
        self._shown: object = None
        with parts.card(_TITLE, note=_NOTE):
            with box("line"):
                self._named = ui.input("Database", placeholder="clinic.db, or postgresql://user@host/database")
                self._named.props("outlined dense").classes("grow").on("keydown.enter", self._list)
                parts.second("List its tables", self._list, "storage")
            if files:
                with box("list"):
                    for path in files[:_LISTED]:
                        with box("entry", "button").on("click", lambda path=path: self._list_of(path)):
                            text(path.name, "name")
                            text(str(path.parent), "text")
            self._place = box("stack")
        self._draw()
        ui.timer(0.3, self._draw)

    def _list_of(self, path: Path) -> None:
        self._named.set_value(str(path))
        self._list()

    def _list(self) -> None:
        self._place.clear()
        try:
            self._workspace.start(JOB, self._workspace.studio.tables(str(self._named.value or "").strip()))
        except ShoalError as error:
            with self._place:
                parts.error_box(error)

    def _draw(self) -> None:
        job = self._workspace.job(JOB)
        now = None if job is None else (job.id, job.state)
        if job is None or now == self._shown:
            return
        self._shown = now
        self._place.clear()
        with self._place:
            if not job.state.is_final:
                parts.note("sea", "Looking at the database …")
            elif job.failure is not None:
                parts.error_box(job.failure, "The database cannot be read")
            else:
                self._tables(self._workspace.result(JOB) or {})

    def _tables(self, found: dict[str, Any]) -> None:
        tables = found.get("tables", [])
        if not tables:
            parts.note("care", "The database has no table that this user may read")
            return
        text(f"{counted(len(tables), 'table', 'tables')} in {found['source']}", "soft small anywhere")
        with box("list").props('aria-label="Tables"'):
            for each in tables[:_LISTED]:
                with box("entry", "button").on("click", lambda each=each: self._open(found["source"], each["query"])):
                    text(f"{each['schema']}.{each['name']}", "name")
                    text(described(each), "text")

    def _open(self, source: str, query: str) -> None:
        self._opened(source, query=query)


def described(table: dict[str, Any]) -> str:
    """What a list says of a table.

    >>> described({"kind": "view", "columns": ["age", "zip"]})
    'view · 2 columns: age, zip'
    """
    columns = table["columns"]
    if not columns:
        return str(table["kind"])
    names = ", ".join(columns[:6]) + (" …" if len(columns) > 6 else "")
    return f"{table['kind']} · {counted(len(columns), 'column', 'columns')}: {names}"
