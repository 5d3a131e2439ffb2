"""A studio in a process of its own, as `shoal studio` starts it, and a browser page in it that may not go elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"


@contextmanager
def studio_at(project: Path, data: Path) -> Iterator[str]:
    """The address that opens the studio of a project, which may read the folder `data`."""
    command = [sys.executable, "-m", "shoal", "studio", str(project), "--no-open", "--allow", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if found := re.search(r"http://127\.0\.0\.1:\d+/\S*", line):
                yield found[0]
                return
        raise AssertionError(f"the studio did not start: {printed}")
    finally:
        process.terminate()
        process.wait(20)


class Visit:
    """A page of the studio with everything that went wrong in it."""

    def __init__(self, browser: Any, link: str, folder: Path) -> None:
        self.folder = folder
        self.elsewhere: list[str] = []
        self.problems: list[str] = []
        self.home = link.split("?")[0].rstrip("/")
        context = browser.new_context(viewport={"width": 1280, "height": 860}, accept_downloads=True)
        self.page = context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("request", self._note)
        self.page.on("websocket", self._note)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        self.page.on("dialog", lambda dialog: (self.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.goto(link)

    def _note(self, request: Any) -> None:
        host = urlsplit(request.url).hostname
        if not request.url.startswith(("data:", "blob:")) and host != "127.0.0.1":
            self.elsewhere.append(request.url)

    def step(self, name: str) -> None:
        """Goes to a step by its link in the rail."""
        self.page.click(f"nav[aria-label=Steps] a:has(.name:text-is('{name}'))")
        self.page.wait_for_selector(f"nav[aria-label=Steps] a[aria-current=step]:has(.name:text-is('{name}'))")

    def open(self, name: str) -> None:
        """Opens a file where it is, also if that replaces a plan."""
        self._list_files()
        self._open_entry(name)

    def _list_files(self) -> None:
        """Goes to the list of files."""
        self.page.goto(f"{self.home}/")
        self.page.wait_for_selector("h1:has-text('Open a table')")
        more = self.page.locator("summary:has-text('Open another table')")
        if more.count():
            more.click()

    def _open_entry(self, name: str) -> None:
        """Clicks on a file, and agrees that it replaces the plan."""
        self.page.click(f"button.entry:has(.name:text-is('{name}'))")
        opened = f".box:has-text(\"'{name}'\"), h2:has-text('The first rows of {name}')"
        self.page.wait_for_selector(f".q-dialog, {opened}")
        replacing = self.page.locator(".q-dialog button:has-text('Open it')")
        if replacing.count():
            replacing.click()

    def open_in(self, folder: str, name: str) -> None:
        """Opens a file of a folder inside of one that the studio may read."""
        self._list_files()
        self.page.click(f"button.entry:has(.name:text-is('{folder}'))")
        self._open_entry(name)

    def run(self, name: str, patience: float = 150) -> None:
        """Runs the plan under a name, and waits until it is verified."""
        self.step("Run")
        self.page.fill("input[aria-label='Name of the run (optional)']", name)
        self.page.click("button:has-text('Run the plan')")
        self.page.wait_for_selector(f".run:has(h3:text-is('{name}')):has-text('verified')", timeout=1000 * patience)

    def shot(self, name: str, *, docs: bool = False, top: str = "header") -> None:
        """Keeps a picture that begins at some element; with SHOAL_SCREENSHOTS set, also one for the documentation."""
        self.page.evaluate(
            "top => window.scrollTo(0, document.querySelector(top).getBoundingClientRect().top + scrollY - 70)", top
        )
        self.page.mouse.move(640, 5)
        self.page.wait_for_timeout(350)
        self.page.screenshot(path=self.folder / f"{name}.png")
        if docs and os.environ.get("SHOAL_SCREENSHOTS"):
            self.page.wait_for_selector(".q-notification", state="detached")
            IMAGES.mkdir(exist_ok=True)
            self.page.screenshot(path=IMAGES / f"studio-{name}.png")

    def seconds(self, act: Any, selector: str, times: int = 1) -> float:
        """The shortest time from an action until something is shown."""
        taken = []
        for _ in range(times):
            begun = time.perf_counter()
            act()
            self.page.wait_for_selector(selector)
            taken.append(time.perf_counter() - begun)
        return min(taken)
