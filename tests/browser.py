"""A real browser for tests: Chromium, driven by Playwright, which may speak to this machine only.

Without Playwright or Chromium, the tests that need them are skipped by name, or fail where CI=true.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from typing import Any

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
MISSING = next(
    (
        name
        for name, is_there in {
            "Playwright": importlib.util.find_spec("playwright") is not None,
            "Chromium": CHROMIUM is not None,
        }.items()
        if not is_there
    ),
    None,
)
OPTIONS = (
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--font-render-hinting=none"),
)


def running() -> Iterator[Any]:
    """A browser that is closed at the end."""
    from playwright.sync_api import sync_playwright

    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses its sandbox to root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*OPTIONS, *sandbox])
        yield browser
        browser.close()
