"""Downloads of a run: single files and the two folders, which are packed when they are asked for."""

from __future__ import annotations

import secrets
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from shoal.errors import ShoalError
from shoal.plan import read_plan
from shoal.plan.python import as_python
from shoal.studio.problems import NoSuchThing
from shoal.studio.runs import Run
from shoal.studio.workspace import Workspace

if TYPE_CHECKING:
    from nicegui import App

PUBLIC = {
    "release.zip": ("The public folder", "Release, report, codebook, manifest and published plan, in one archive."),
    "report.html": (
        "The public report",
        "What the release promises and what it lost, for recipients and ethics boards.",
    ),
}
PRIVATE = {
    "private.zip": ("The private folder", "What only you may know: costs, warnings, facts about the input."),
    "steward.html": ("The steward's report", "All warnings, with what only you may know."),
    "plan.toml": ("The plan", "Makes the same release again, on the command line or in Python."),
    "release.py": ("The same in Python", "A program that makes and verifies the same release."),
}


def address(run: Run, what: str) -> str:
    """The address of a download."""
    return f"/download/{quote(run.id)}/{what}"


def add_downloads(app: App, workspace: Workspace) -> None:
    """Adds the addresses of the downloads to the application."""
    from fastapi import HTTPException
    from fastapi.responses import FileResponse
    from starlette.background import BackgroundTask

    def download(run_id: str, what: str) -> Any:
        try:
            path, is_temporary = prepared(workspace.project.run(run_id), what, workspace.project.scratch)
        except ShoalError as error:
            raise HTTPException(404, str(error)) from None
        name = f"{run_id}-{what}" if what not in ("plan.toml", "release.py") else what
        after = BackgroundTask(path.unlink) if is_temporary else None
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return FileResponse(
            path, filename=name, media_type="application/octet-stream", headers=headers, background=after
        )

    app.get("/download/{run_id}/{what}", include_in_schema=False)(download)


def prepared(run: Run, what: str, scratch: Path) -> tuple[Path, bool]:
    """The file of a download, and whether it was made for it; raises if there is none."""
    if not run.has_release:
        raise NoSuchThing("The run has no release.")
    names = run.files()  # no links, which could lead elsewhere
    files = {
        "report.html": f"{run.release.name}/report.html",
        "steward.html": f"{run.private.name}/report.html",
        "plan.toml": run.plan_path.name,
    }
    if files.get(what) in names:
        return run.folder / files[what], False
    if what in ("release.zip", "private.zip"):
        folder = run.release if what == "release.zip" else run.private
        inside = [run.folder / name for name in names if name.startswith(f"{folder.name}/")]
        return _packed(folder, inside, what.removesuffix(".zip"), scratch), True
    if what == "release.py" and run.plan_path.name in names:
        path = scratch / f"{secrets.token_hex(8)}.py"
        path.write_text(as_python(read_plan(run.plan_path)), encoding="utf-8")
        return path, True
    raise NoSuchThing("There is no such download.")


def _packed(folder: Path, files: list[Path], name: str, scratch: Path) -> Path:
    """An archive of files in a folder; their times are the same in every archive, so that it says nothing else."""
    path = scratch / f"{secrets.token_hex(8)}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in sorted(files):
            entry = zipfile.ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with archive.open(entry, "w") as inside, file.open("rb") as source:
                while chunk := source.read(1 << 20):
                    inside.write(chunk)
    return path
