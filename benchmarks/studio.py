"""How long the pages of the studio take to answer, in a real browser, on 45,000 and 1,000,000 patients.

The table is opened, profiled and run as a steward would; the jobs take what they take. Timed is what a page must do at
once: going to a step, giving a role, showing a column and its preview, turning a page of released rows.

usage: python -m benchmarks.studio [--rows N …]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from shoal.datasets import patients
from tests.browser import running
from tests.studio.serving import Visit, studio_at

ROWS = (45_000, 1_000_000)
STEPS = {
    "Roles": "Give every column",
    "Hierarchies": "Say how values",
    "Models": "Choose what",
    "Run": "Run the plan",
    "Inspect": "Inspect the release",
    "Export": "Export",
}
TIMES = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    browsers = running()
    browser = next(browsers)
    for rows in parser.parse_args().rows:
        with tempfile.TemporaryDirectory() as folder:
            say(f"{rows:,} rows")
            measure(browser, Path(folder), rows)
    browsers.close()
    return 0


def measure(browser: object, folder: Path, rows: int) -> None:
    """Walks the path on a table of so many rows, and prints what each interaction takes."""
    (folder / "data").mkdir()
    patients(rows).write_csv(folder / "data" / "many.csv")
    begun = time.perf_counter()
    with studio_at(folder / "project", folder / "data") as link:
        visit = Visit(browser, link, folder)
        visit.page.set_default_timeout(300_000)
        visit.page.wait_for_selector("text=Use the demo patients")
        say(f"  start to usable page: {time.perf_counter() - begun:.2f} s")
        visit.open("many.csv")
        visit.page.wait_for_selector("button:has-text('Check the roles')")
        visit.run("benchmark", patience=600)
        _interactions(visit)
        visit.page.context.close()


def _interactions(visit: Visit) -> None:
    page = visit.page
    for name, heading in STEPS.items():
        _timed(f"to {name}", visit, lambda name=name: visit.step(name), f"h1:has-text('{heading}')", back="Open")
    visit.step("Roles")
    page.wait_for_selector("select[aria-label='Role of stage']")
    for role in ("drop", "sensitive"):
        shown = f"document.querySelector(\"select[aria-label='Role of stage']\").value === '{role}'"
        _timed(f"role {role}", visit, lambda r=role: page.select_option("select[aria-label='Role of stage']", r), shown)
    visit.step("Hierarchies")
    for name in ("zip", "sex"):  # counts the values once
        page.click(f"button.entry:has(.name:text-is('{name}'))")
        page.wait_for_selector("text=What the most frequent")
    _timed("a column's preview", visit, _column(visit, "zip"), "td:text-is('*')", before=_column(visit, "sex"))
    visit.step("Inspect")
    page.click(".q-tab:has-text('Rows')")
    page.wait_for_selector("text=rows, of which 1 to 25")
    _timed("a page of rows", visit, lambda: page.click("[aria-label='Next page'], .q-pagination button:last-child"), "")


def _column(visit: Visit, name: str) -> Callable[[], None]:
    def choose() -> None:
        visit.page.click(f"button.entry:has(.name:text-is('{name}'))")
        visit.page.wait_for_selector(f"h2:text-is('{name}')")

    return choose


def _timed(
    what: str,
    visit: Visit,
    act: Callable[[], object],
    shown: str,
    *,
    back: str = "",
    before: Callable[[], None] | None = None,
) -> None:
    taken = []
    for _ in range(TIMES):
        if back:
            visit.step(back)
        if before is not None:
            before()
        content = visit.page.inner_text("main")
        begun = time.perf_counter()
        act()
        if shown.startswith("document"):
            visit.page.wait_for_function(shown)
        elif shown:
            visit.page.wait_for_selector(shown)
        else:
            visit.page.wait_for_function("text => document.querySelector('main').innerText !== text", arg=content)
        taken.append(time.perf_counter() - begun)
    say(f"  {what}: {statistics.median(taken) * 1000:.0f} ms (largest {max(taken) * 1000:.0f})")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
