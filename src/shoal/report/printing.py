"""Printing a page as PDF through an installed Chromium, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from shoal.engines.scratch import scratch_folder
from shoal.errors import EngineError, OutputError
from shoal.unfinished import program, written

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 120
_OPTIONS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--proxy-server=127.0.0.1:9", "--no-pdf-header-footer"),
)
"""No request leaves the machine: the proxy is a port that nothing listens to."""


def browser() -> str | None:
    """The path of an installed Chromium; None if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name)) is not None), None)


def print_page(page: str, path: Path, *, private: bool = False) -> None:
    """Writes a page as PDF, complete or not at all; only its owner can read it if it is `private`."""
    chromium = browser()
    if chromium is None:
        raise EngineError(
            "A report is printed as PDF by Chromium, which was not found.",
            hint="install Chromium or Google Chrome, or write the report as .html and print it from any browser.",
        )
    if not path.absolute().parent.is_dir():
        raise OutputError(f"The folder of '{path}' does not exist.")
    with scratch_folder() as folder:
        source, printed = folder / "report.html", folder / "report.pdf"
        source.write_text(page, encoding="utf-8", newline="\n")
        _run(chromium, folder, source, printed)
        with written(path, private=private) as part:
            shutil.copyfile(printed, part)


def _run(chromium: str, folder: Path, source: Path, printed: Path) -> None:
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # Chromium refuses it to root
    places = [f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={printed}", source.as_uri()]
    try:
        with program([chromium, *_OPTIONS, *sandbox, *places]) as started:
            failed = started.wait(_SECONDS) != 0 or not printed.is_file()
    except (OSError, subprocess.SubprocessError):
        failed = True
    if failed:
        raise EngineError(
            f"Chromium ('{chromium}') could not print the report.",
            hint="write the report as .html and print it from a browser.",
        )
