"""The whole path in a real browser: from a file to a release that the command line makes again."""

from __future__ import annotations

import json
import tomllib
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import shoal
from tests.studio.pages.conftest import ADULT, HOSTILE, TREES
from tests.studio.serving import Visit

FAST = 0.3
"""Seconds in which a page must answer."""


@pytest.fixture(autouse=True)
def _nothing_goes_wrong(visit: Visit) -> Any:
    visit.problems.clear()
    yield
    assert not visit.elsewhere, "a request left the machine"
    assert not visit.problems


def test_the_studio_is_usable_soon(visit: Visit) -> None:
    assert visit.started < 10, "start to usable page"  # 4 s on a machine that does nothing else
    assert "Drop a file" in visit.page.inner_text("main")
    visit.shot("start")


def test_patients_from_a_file_to_a_release(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    for name, words in {
        "Roles": "No table yet",
        "Compare": "Two releases are needed",
        "Inspect": "No release yet",
    }.items():
        visit.step(name)
        page.wait_for_selector(f"text={words}")
    visit.step("Open")
    page.click("text=Use the demo patients")
    page.wait_for_selector("text=private: never publish")
    page.wait_for_selector("button:has-text('Check the roles')", timeout=150_000)
    assert page.locator("table.sample tbody tr").count() == 10
    visit.shot("open", docs=True)

    page.click("button:has-text('Check the roles')")
    page.wait_for_selector("select[aria-label='Role of zip']")
    assert page.input_value("select[aria-label='Role of diagnosis']") == "sensitive"
    visit.shot("roles", docs=True, top="input[aria-label='Filter columns']")
    page.select_option("select[aria-label='Role of cost']", "drop")
    page.click("[aria-label='Select survival_months']")
    page.click("[aria-label='Select transfused']")
    page.click("label:has-text('Role of the selected columns')")
    page.click(".q-menu >> text=Drop")
    page.fill("input[aria-label='Filter columns']", "survival")
    page.wait_for_selector("button:has-text('Apply to 2 selected, 1 of them hidden')")
    page.fill("input[aria-label='Filter columns']", "")
    page.click("button:has-text('Apply to 2 selected'):not(:has-text('hidden'))")
    page.wait_for_function("document.querySelector(\"select[aria-label='Role of transfused']\").value === 'drop'")
    page.wait_for_selector("text=3 models are of columns that are no longer sensitive")
    assert "not released: sets of items" in page.inner_text("tr:has([aria-label='Select symptoms'])")
    visit.shot("roles-changed")
    page.reload()
    page.wait_for_selector("select[aria-label='Role of cost']")
    assert page.input_value("select[aria-label='Role of cost']") == "drop"

    visit.step("Models")
    page.wait_for_selector(".sticky:has-text('The plan is not complete yet')")  # models of the columns that are dropped
    page.click("button:has-text('Remove the 3 models')")
    page.wait_for_selector("text=The plan is not complete yet", state="detached")
    page.click("button.choice:has(.name:text-is('k-member'))")
    page.wait_for_selector(".sticky:has-text('cannot publish these ranges')")
    page.click("label:has-text('Ranges of numbers and dates')")
    page.click(".q-menu >> text=from smallest to largest value")
    page.wait_for_selector("text=The plan is not complete yet", state="detached")
    page.click("button.choice:has(.name:text-is('mondrian'))")
    page.click("summary:has-text('What it does not protect') >> nth=0")
    page.wait_for_selector("text=Attack 'homogeneity'")
    visit.shot("models", docs=True)

    visit.step("Hierarchies")
    page.focus("button.entry:has-text('birth_date')")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:text-is('birth_date')")
    assert "birth_date" in page.evaluate("document.activeElement.textContent"), "the keyboard stays in the list"
    page.click("button.choice:has-text('Calendar')")
    page.wait_for_selector("td:text-is('[1960, 1969]')")
    visit.shot("hierarchies", docs=True)
    _groups(visit)

    visit.run("first try")
    page.reload()
    page.wait_for_selector(".run:has-text('first try'):has-text('promises hold')")
    visit.shot("run", docs=True)
    visit.step("Inspect")
    page.wait_for_selector("h2:text-is('birth_date')", timeout=90_000)
    visit.shot("inspect", docs=True)
    for tab, words in {"Class sizes": "How many people look alike", "Rows": "rows, of which 1 to 25"}.items():
        page.click(f".q-tab:has-text('{tab}')")
        page.wait_for_selector(f"text={words}")
    page.click(".q-tab:has-text('Attacks')")
    page.wait_for_selector("text=Attacks on the release", timeout=90_000)
    visit.shot("attacks")
    for tab in ("Public report", "Steward's report"):
        page.click(f'.q-tab:has-text("{tab}")')
        page.frame_locator("iframe.report").locator("h1").first.wait_for()
    visit.shot("report")

    visit.step("Export")
    digest = page.inner_text(".box.good").split("Digest: ")[1].strip()
    _downloads_reproduce(visit, digest, tmp_path)
    visit.shot("export", docs=True)


def _remove(visit: Visit, kind: str) -> None:
    """Removes all models of a kind."""
    visit.page.wait_for_selector("button:has-text('Add a model')")
    cards = visit.page.locator(f".card:has(h2:has-text('{kind}'))")
    while left := cards.count():
        cards.first.locator("button:has-text('Remove')").click()
        visit.page.wait_for_function(
            "([kind, left]) => "
            "[...document.querySelectorAll('.card h2')].filter(head => head.textContent.includes(kind)).length < left",
            arg=[kind, left],
        )


def _groups(visit: Visit) -> None:
    """Puts two jobs under a group."""
    page = visit.page
    page.click("button.entry:has-text('job')")
    page.click("button.choice:has-text('Groups of values')")
    page.wait_for_selector("button:has-text('Put the selected under it')")
    first = page.locator(".nodes td.name").first.inner_text()
    page.fill("input[aria-label='Filter values']", first)
    page.wait_for_function("document.querySelectorAll('.nodes tbody tr').length === 1")
    page.fill("input[aria-label='Filter values']", "")
    page.wait_for_function("document.querySelectorAll('.nodes tbody tr').length > 1")
    for place in range(2):
        page.locator(".roles tbody .q-checkbox").nth(place).click()
    page.fill("input[aria-label='Name of the group']", "Not at work")
    page.click("button:has-text('Put the selected under it')")
    page.wait_for_selector(".q-tree:has-text('Not at work')")
    page.wait_for_selector("table.cells td:text-is('Not at work')")
    visit.shot("groups", docs=True, top="input[aria-label='Filter values']")


def _downloads_reproduce(visit: Visit, digest: str, folder: Path) -> None:
    """The plan makes the same release on the command line, and the archive verifies."""
    for what in ("plan.toml", "release.zip"):
        with visit.page.expect_download() as started:
            visit.page.click(f"a.download[href$='/{what}']")
        started.value.save_as(folder / what)
    again = shoal.anonymize_to(shoal.read_plan(folder / "plan.toml"), folder / "again")
    assert again.digest == digest
    with zipfile.ZipFile(folder / "release.zip") as archive:
        archive.extractall(folder)
    assert shoal.verify_folder(folder / "release", digest=digest).holds


def test_a_table_that_is_dropped_as_a_hierarchy_is_not_kept(visit: Visit) -> None:
    page, uploads = visit.page, visit.folder / "project" / "uploads"
    visit.step("Hierarchies")
    page.click("button.entry:has(.name:text-is('sex'))")
    page.click("button.choice:has-text('From a file')")
    table = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"Ann;cook\nBob;waiter\n"}
    page.set_input_files(".drop input[type=file]", table)
    page.wait_for_selector("text=/The hierarchy does not have 2 of the values: '.+', '.+'\\./")
    assert not list(uploads.glob("people*"))
    page.set_input_files(".drop input[type=file]", {**table, "buffer": b"Ann;cook\nBob;waiter;*\n"})
    page.wait_for_selector("[role=alert]:has-text('number of fields')")
    assert not list(uploads.glob("people*"))


def test_a_second_release_is_compared_with_the_first(visit: Visit) -> None:
    page = visit.page
    visit.step("Models")
    page.fill(".card:has(h2:text-is('k-anonymity')) input[aria-label=k]", "25")
    page.wait_for_timeout(400)
    visit.run("k is 25")
    visit.step("Compare")
    page.wait_for_selector("text=Side by side", timeout=90_000)
    assert "first try" in page.inner_text("main") and "k is 25" in page.inner_text("main")
    page.wait_for_selector(".scatter svg text:has-text('first try')")
    colours = page.evaluate(
        "[...document.querySelectorAll('.scatter svg text')].map(text => getComputedStyle(text).fill)"
    )
    assert set(colours) == {"rgb(77, 96, 105)"}  # the soft ink of the style sheet
    visit.shot("compare", docs=True)
    page.click("button:has-text('See first try')")
    page.wait_for_selector("h1:has-text('Inspect the release')")
    page.wait_for_selector(".q-field:has-text('first try')")


def test_cancelling_really_stops(visit: Visit) -> None:
    """A run of so few rows may be done before the click reaches it; then another one is cancelled."""
    assert any(_is_cancelled(visit, f"unwanted {attempt}") for attempt in range(8))


def _is_cancelled(visit: Visit, name: str) -> bool:
    """Starts a run and cancels it; whether it was cancelled in time, and then has left nothing behind."""
    from playwright.sync_api import TimeoutError

    page, run = visit.page, f".run:has(h3:text-is('{name}'))"
    visit.step("Run")
    page.fill("input[aria-label='Name of the run (optional)']", name)
    page.click("button:has-text('Run the plan')")
    with suppress(TimeoutError):  # its button is gone when it is done
        page.click(f"{run} >> button:has-text('Cancel')", timeout=5_000)
    ended = ", ".join(f"{run} .mark:has-text('{state}')" for state in ("cancelled", "verified"))
    final = page.wait_for_selector(ended, timeout=60_000)
    if "cancelled" not in final.inner_text():
        return False
    assert not list((visit.folder / "project" / "runs").glob(f"*{name.replace(' ', '-')}*/release*"))
    return True


@pytest.mark.shared
@pytest.mark.skipif(not ADULT.is_file(), reason="needs the Adult data beside the project")
def test_adult_with_pais_and_its_slider(visit: Visit) -> None:
    page = visit.page
    visit.open("adult.csv")
    page.wait_for_selector("text=The first rows of adult.csv")
    page.wait_for_selector("button:has-text('Check the roles')", timeout=150_000)
    visit.step("Roles")
    page.wait_for_selector("select[aria-label='Role of age']")
    for name in (
        "education-num",
        "relationship",
        "occupation",
        "hours-per-week",
        "capital-gain",
        "capital-loss",
    ):
        page.click(f"[aria-label='Select {name}']")
    page.click("label:has-text('Role of the selected columns')")
    page.click(".q-menu >> text=Drop")
    page.click("button:has-text('Apply to 6 selected')")
    page.wait_for_function("document.querySelector(\"select[aria-label='Role of occupation']\").value === 'drop'")
    visit.step("Hierarchies")
    for name, tree in TREES.items():
        page.click(f"button.entry:has(.name:text-is('{name}'))")
        page.wait_for_selector(f"h2:text-is('{name}')")
        page.click("button.choice:has-text('From a file')")
        page.set_input_files(".drop input[type=file]", tree)
        page.wait_for_selector(f"button.entry:has(.name:text-is('{name}')):has-text('From a file')")
        page.wait_for_selector("text=What the most frequent values become")
    visit.step("Models")
    _remove(visit, "t-closeness")
    page.click("button.choice:has(.name:text-is('pais'))")
    page.wait_for_selector("button.choice.chosen:has-text('pais')")
    visit.run("adult, pais")
    visit.step("Inspect")
    page.click(".q-tab:has-text('Steps')")
    page.wait_for_selector("h3:has-text('Step ')")
    last = page.inner_text("h3:has-text('Step ')")
    page.click("[aria-label='Before the first step']")
    page.wait_for_selector("h3:has-text('Before the first')")
    taken = visit.seconds(lambda: page.click("[aria-label='One step forward']"), "h3:has-text('Step 1 of')")
    assert "became" in page.inner_text("main") and page.locator(".strip span.new").count() >= 2
    middle = max(1, int(last.split()[-1]) // 2)
    for _ in range(middle - 1):
        page.click("[aria-label='One step forward']")
    page.wait_for_selector(f"h3:has-text('Step {middle} of')")
    visit.shot("slider", docs=True, top=".q-tabs")
    page.click("[aria-label='The release']")
    page.wait_for_selector(f"h3:text-is('{last}')")
    assert taken < 1.0  # FAST on a machine that does nothing else


def test_an_excel_file(visit: Visit) -> None:
    page = visit.page
    visit.open("clinic.xlsx")
    page.wait_for_selector("text=400 rows and 4 columns")
    page.wait_for_selector("button:has-text('Check the roles')", timeout=90_000)
    page.wait_for_selector("nav a:has-text('of another table')")
    visit.run("from excel")


def test_a_sheet_is_chosen_where_the_workbook_is_opened(visit: Visit) -> None:
    page = visit.page
    visit.open("sheets.xlsx")
    page.wait_for_selector("nav a:has-text('Choose a sheet')")
    page.click("button:has-text('Read this sheet')")
    page.wait_for_selector("text=40 rows and 2 columns")
    page.wait_for_selector("button:has-text('Check the roles')", timeout=90_000)
    for sheet, size in (("Codes", "1 row and 2 columns"), ("People", "40 rows and 2 columns")):
        page.click("summary:has-text('Say how the file is written')")
        choose(visit, "Sheet", sheet)
        page.click("button:has-text('Read it again')")
        page.wait_for_selector(f"text={size}")
        page.wait_for_selector("button:has-text('Check the roles')", timeout=90_000)


def test_a_model_is_not_changed_in_a_list_that_another_tab_changed(visit: Visit) -> None:
    page = visit.page
    visit.step("Models")
    page.wait_for_selector(".card input[aria-label=k]")
    other = page.context.new_page()
    other.goto(f"{visit.home}/models")
    other.click(".card button:has-text('Remove')")
    other.wait_for_selector("text=No model yet")
    page.fill(".card input[aria-label=k]", "9")
    page.wait_for_selector("text=The models were changed elsewhere")
    page.wait_for_selector("text=No model yet")
    other.close()


def test_a_broken_file_is_explained(visit: Visit) -> None:
    page = visit.page
    visit.open("broken.csv")
    page.wait_for_selector("[role=alert]:has-text('cannot be read')")
    assert "Traceback" not in page.inner_text("main") and "What to do" in page.inner_text("[role=alert]")
    visit.shot("broken")
    page.click("summary:has-text('Open another table')")
    page.set_input_files(".drop input[type=file]", {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"x"})
    page.wait_for_selector("text=Files of this type cannot be used here")
    page.set_input_files(".drop input[type=file]", {"name": "a.sqlite", "mimeType": "", "buffer": b"x"})
    page.wait_for_selector("text=A database is not uploaded")
    page.click("[aria-label='Delete patients.csv']")
    page.click(".q-dialog button:has-text('Delete')")
    page.wait_for_selector("[aria-label='Delete patients.csv']", state="detached")
    assert not list((visit.folder / "project" / "uploads").glob("patients.csv"))
    page.wait_for_selector("nav a.attention:has-text('Open')")


def test_names_and_values_are_never_markup(visit: Visit) -> None:
    page = visit.page
    visit.open("hostile.csv")
    page.wait_for_selector("text=The first rows of hostile.csv")
    page.wait_for_selector("button:has-text('Check the roles')", timeout=90_000)
    assert HOSTILE in page.inner_text("table.sample thead")
    for name in ("Roles", "Hierarchies", "Models", "Run"):
        visit.step(name)
        page.wait_for_timeout(300)
        assert page.locator("main img").count() == 0
    visit.step("Roles")
    page.select_option("select >> nth=0", "quasi-identifier")
    page.select_option("select >> nth=1", "sensitive")
    visit.step("Hierarchies")
    page.click("button.entry >> nth=1")
    page.wait_for_selector("td:has-text('7 * 7')")
    assert page.locator("main img").count() == 0 and "{{ 7 * 7 }}" in page.inner_text("main")


def test_pages_answer_quickly_on_many_rows(visit: Visit) -> None:
    page = visit.page
    visit.open("many.csv")
    page.wait_for_selector("text=45,000 rows")
    page.wait_for_selector("button:has-text('Check the roles')", timeout=150_000)

    def role() -> None:
        value = page.input_value("select[aria-label='Role of stage']")
        page.select_option("select[aria-label='Role of stage']", "drop" if value == "sensitive" else "sensitive")

    taken = {}
    for name, heading in {
        "Roles": "Give every",
        "Models": "Choose what",
        "Run": "Run the",
        "Roles ": "Give every",
    }.items():
        taken[name] = visit.seconds(lambda name=name: visit.step(name.strip()), f"h1:has-text('{heading}')")
    taken["role"] = visit.seconds(role, "nav[aria-label=Steps]", times=3)
    visit.step("Hierarchies")
    page.click("button.entry:has-text('zip')")
    page.wait_for_selector("text=What the most frequent", timeout=60_000)
    page.click("button.entry:has-text('sex')")
    page.wait_for_selector("h2:text-is('sex')", timeout=60_000)
    taken["column"] = visit.seconds(lambda: page.click("button.entry:has-text('zip')"), "h2:text-is('zip')")
    assert sorted(taken.values())[len(taken) // 2] < FAST * 3, taken  # FAST on a machine that does nothing else


def plan_of(visit: Visit) -> dict[str, Any]:
    return tomllib.loads((visit.folder / "project" / "plan.toml").read_text(encoding="utf-8"))


def choose(visit: Visit, label: str, option: str) -> None:
    visit.page.click(f".q-field:has-text('{label}')")
    visit.page.click(f".q-menu .q-item:has-text('{option}')")
    visit.page.wait_for_selector(".q-menu", state="detached")


def test_who_is_an_individual_is_shown_and_changed(visit: Visit) -> None:
    page = visit.page
    visit.open_in("visits", "visits.csv")
    page.wait_for_selector("text=900 rows and 5 columns")
    page.wait_for_selector("button:has-text('Check the roles')", timeout=150_000)
    visit.step("Roles")
    page.wait_for_selector("text=300 individuals in 900 rows")
    page.select_option("select[aria-label='Role of patient_id']", "insensitive")
    page.wait_for_selector("[role=alert]:has-text('must be removed')")
    visit.shot("individuals")
    visit.step("Models")
    page.click("button:has-text('Repair it at Roles')")
    choose(visit, "Column that identifies", "Every row is an individual")
    page.wait_for_selector("text=Every row counts as an individual of its own: 900 rows")
    assert "person" not in plan_of(visit)["data"]
    choose(visit, "Column that identifies", "patient_id")
    page.wait_for_selector("text=300 individuals in 900 rows")
    assert plan_of(visit)["data"]["person"] == "patient_id"
    assert page.input_value("select[aria-label='Role of patient_id']") == "identifier"
    visit.step("Run")
    page.wait_for_selector("text=all rows with the same 'patient_id'")
    page.wait_for_selector("text=removed; ")


def test_levels_and_protected_groups_are_shown_and_changed(visit: Visit) -> None:
    page = visit.page
    visit.step("Hierarchies")
    page.click("button.entry:has(.name:text-is('zip'))")
    drafted = plan_of(visit)["columns"]["zip"]
    assert drafted["finest"] == 1
    page.wait_for_selector("text=value (not published)")
    choose(visit, "Finest level", "level 2")
    page.wait_for_selector("text=level 1 (not published)")
    assert plan_of(visit)["columns"]["zip"]["finest"] == 2
    visit.shot("levels")
    page.click("button.choice:has(.name:text-is('Groups of values'))")
    page.wait_for_selector("button.choice.chosen:has(.name:text-is('Groups of values'))")
    page.wait_for_selector("button:has-text('Put the selected under it')")
    assert "finest" not in plan_of(visit)["columns"]["zip"]
    page.click("button.choice:has(.name:text-is('First characters'))")
    page.wait_for_selector("button.choice.chosen:has(.name:text-is('First characters'))")
    page.wait_for_selector("text=level 1 (not published)")
    assert plan_of(visit)["columns"]["zip"] == {**drafted, "finest": 2}
    page.click("button.entry:has(.name:text-is('diagnosis'))")
    page.wait_for_selector("h2:text-is('Protected groups')")
    protected = plan_of(visit)["columns"]["diagnosis"]["protected"]
    assert len(protected) >= 5
    page.click(f"[aria-label='Do not protect {protected[0]}']")
    page.wait_for_selector(f"[aria-label='Do not protect {protected[0]}']", state="detached")
    page.fill("input[aria-label^='Label of a group']", "no such group")
    page.click("button:has-text('Protect it')")
    page.wait_for_selector("[role=alert]:has-text('is no node of its hierarchy')")
    page.fill("input[aria-label^='Label of a group']", protected[0])
    page.click("button:has-text('Protect it')")
    page.wait_for_selector(f"[aria-label='Do not protect {protected[0]}']")
    visit.shot("protected")
    assert sorted(plan_of(visit)["columns"]["diagnosis"]["protected"]) == sorted(protected)
    assert json.loads((visit.folder / "project" / "project.json").read_text())["hierarchy_of"] == "diagnosis"


def test_dark_and_wide(visit: Visit) -> None:
    page = visit.page
    page.click("[aria-label='Switch between light and dark']")
    page.wait_for_selector("body.body--dark")
    page.set_viewport_size({"width": 1920, "height": 1080})
    visit.step("Roles")
    page.wait_for_selector("select >> nth=0")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    visit.shot("wide")
    page.set_viewport_size({"width": 1280, "height": 860})
    visit.shot("dark", docs=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(
        "(table => table.scrollWidth <= table.clientWidth)(document.querySelector('.q-table__middle'))"
    )
    page.click("[aria-label='Switch between light and dark']")
    page.set_viewport_size({"width": 400, "height": 860})
    for name in ("Roles", "Models", "Compare"):
        page.goto(f"{visit.home}/{name.lower()}")
        page.wait_for_selector("main h1")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    page.set_viewport_size({"width": 1280, "height": 860})


def test_the_keyboard_reaches_the_steps_and_the_main_part(visit: Visit) -> None:
    page = visit.page
    page.goto(f"{visit.home}/roles")
    page.wait_for_selector("select >> nth=0")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the step"
    seen = []
    for _ in range(14):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.getAttribute('href') || document.activeElement.tagName"))
    assert "/models" in seen and "/export" in seen
