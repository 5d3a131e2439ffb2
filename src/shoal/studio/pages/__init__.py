"""The pages of the studio, one file per step, built with NiceGUI. They show what the library says and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.studio.service import Studio


def register(studio: Studio) -> None:
    """Adds all pages to the application of NiceGUI; called once, before the server starts."""
    from nicegui import app, ui
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, Response

    from shoal.studio import plain_pages
    from shoal.studio.pages.downloads import add_downloads
    from shoal.studio.pages.frame import STATIC, frame, unshown
    from shoal.studio.steps import STEPS
    from shoal.studio.workspace import Workspace

    workspace = Workspace(studio)
    app.add_static_files("/studio", str(STATIC))
    add_downloads(app, workspace)
    app.on_page_exception(unshown)
    otherwise: Any = app.exception_handlers[404]

    async def missing(request: Request, error: Exception) -> Response:
        if request.scope.get("endpoint") in (None, app) and not request.url.path.startswith("/api/"):
            return HTMLResponse(plain_pages.missing(), 404)
        found: Response = await otherwise(request, error)
        return found

    app.add_exception_handler(404, missing)

    def page() -> None:
        frame(workspace)
        studio.jobs.warm()

    for step in STEPS:  # every step has an address of its own, at which it can be loaded anew
        ui.page(step.path)(page)
