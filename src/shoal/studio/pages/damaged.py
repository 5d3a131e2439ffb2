"""What is shown in place of the steps that edit the plan if plan.toml cannot be read: why, and how to go on."""

from __future__ import annotations

from shoal.errors import ShoalError
from shoal.studio.pages import parts
from shoal.studio.pages.parts import box, text
from shoal.studio.pages.toolkit import ui
from shoal.studio.workspace import Workspace


def show(workspace: Workspace) -> None:
    """The page."""
    parts.head("The plan cannot be read", "Finished runs keep their own plans, and their releases can be used.")
    Damaged(workspace)


class Damaged:
    """Why the plan cannot be read, and the offer to replace it; it gives way to the step once the plan can be read."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        damage = workspace.plan.damage
        if damage is not None:
            parts.error_box(damage)
        self._place = box("stack")
        with box("line"):
            if workspace.source:
                parts.second("Replace it with a new draft …", self._ask, "auto_awesome")
            else:
                parts.second("Open a table", lambda: parts.to_step("/"))
        self._shown: object = None
        self._timer = ui.timer(0.3, self._look)

    def _ask(self) -> None:
        with parts.asked("width: 34rem") as dialog:
            text("Replace the plan?", tag="h2")
            text(
                f"A new draft for {self._workspace.source_name} replaces plan.toml. The roles, hierarchies and models "
                "in it are lost; to keep them, correct the file instead. Runs stay, each with its own plan."
            )

            def replace() -> None:
                dialog.close()
                self._draft()

            with box("line end"):
                parts.second("Keep the file", dialog.close)
                parts.primary("Replace it", replace)

    def _draft(self) -> None:
        self._shown = None
        self._place.clear()
        try:
            self._workspace.profile_anew()
        except ShoalError as error:  # the table is gone, or in a folder that this studio may not read
            with self._place:
                parts.error_box(error, "No draft can be made")

    async def _look(self) -> None:
        """Follows the job that makes the draft, and the file, which another program may have corrected."""
        self._workspace.collect()
        if self._workspace.plan.damage is None:
            self._timer.cancel()
            await ui.context.client.sub_pages_router.refresh()
            return
        job = self._workspace.job("profile")
        now = None if job is None else (job.id, job.state)
        if job is None or now == self._shown:
            return
        self._shown = now
        self._place.clear()
        with self._place:
            if not job.state.is_final:
                parts.note("sea", "Looking at the columns …", "Shoal suggests a role for each, and drafts a plan.")
            elif job.failure is not None:
                parts.error_box(job.failure, "No draft can be made")
