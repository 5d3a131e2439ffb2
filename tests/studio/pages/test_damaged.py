"""A plan and a run that cannot be read are explained, and what is still good can be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.studio.project import Project
from shoal.studio.states import State
from tests.studio.serving import Visit, studio_at


def test_a_damaged_plan_is_replaced_and_a_damaged_run_deleted(browser: Any, tables: Path, tmp_path: Path) -> None:
    project = Project.open(tmp_path / "project")
    for name in ("good", "bad"):
        project.record(project.new_run("", name).changed(state=State.CANCELLED))
    (project.runs()[1].folder / "run.json").write_text('{"state": "done", "summary": {"models": "x"}}')
    project.close()
    with studio_at(project.folder, tables) as link:
        visit = Visit(browser, link, tmp_path)
        page = visit.page
        visit.open("clinic.xlsx")
        page.wait_for_selector("button:has-text('Check the roles')")
        with project.plan_path.open("ab") as plan:
            plan.write("\n# geprüft von Müller\n".encode("latin-1"))

        visit.step("Run")
        page.wait_for_selector("h1:has-text('Run the plan')")
        assert page.locator(".run").count() == 2 and "not UTF-8 text" in page.inner_text("main .card")
        damaged = page.locator(".run:has-text('damaged')")
        assert "run.json" in damaged.inner_text()
        damaged.locator("button:has-text('Delete')").click()
        page.click(".q-dialog button.danger")
        page.wait_for_selector(".run:has-text('damaged')", state="detached")

        visit.step("Roles")
        page.wait_for_selector("h1:has-text('The plan cannot be read')")
        visit.shot("damaged-plan")
        page.click("button:has-text('Replace it with a new draft')")
        page.click(".q-dialog button:has-text('Replace it')")
        page.wait_for_selector("h1:has-text('Give every column a role')")
        assert "Müller" not in project.plan_path.read_text(encoding="utf-8")

        project.plan_path.write_bytes(b"\xff")
        visit.step("Models")
        page.wait_for_selector("h1:has-text('The plan cannot be read')")
        project.plan_path.write_text("", encoding="utf-8")  # as if somebody corrected it
        page.wait_for_selector("h1:has-text('Choose what the release promises')")
        assert not visit.problems and not visit.elsewhere
        page.context.close()
