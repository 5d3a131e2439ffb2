"""The REST interface under `/api/v1`: what the pages do, for programs. It has the same jobs, projects and limits.

Everything that takes time answers at once with a job or a run (status 202), to be asked for again. The OpenAPI document
is at `/api/v1/openapi.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from shoal.errors import CannotBeMet, PlanError, PromiseBroken, ShoalError
from shoal.failures import as_shoal_error
from shoal.studio import messages as m
from shoal.studio.headers import REPORT_POLICY
from shoal.studio.jobs import Job
from shoal.studio.problems import Busy, NoSuchThing, Refused, TooLarge
from shoal.studio.results import AnyResult
from shoal.studio.runs import Run
from shoal.studio.service import Studio
from shoal.studio.states import Failure
from shoal.version import VERSION

if TYPE_CHECKING:
    from fastapi import APIRouter, FastAPI

PREFIX = "/api/v1"
_STATUS: tuple[tuple[type[ShoalError], int], ...] = (
    (NoSuchThing, 404),
    (Busy, 409),
    (Refused, 403),
    (TooLarge, 413),
    (PlanError, 422),
    (CannotBeMet, 422),
    (PromiseBroken, 422),
)
_PROBLEMS = (400, 401, 403, 404, 405, 409, 413, 421, 422, 500)
"""The statuses of all errors, also of those that the gate and the application answer for every address."""
_ACCEPTED = 202
_BYTES = "application/octet-stream"
_FACTS = {404: "The interface has nothing at this address.", 405: "The address does not know this method."}


def add_api(app: FastAPI, studio: Studio) -> None:
    """Adds the interface to an application, with errors as JSON: `error`, `allowed`, `hint`, `exit_code`."""
    from fastapi import APIRouter, Depends
    from fastapi.exception_handlers import http_exception_handler
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse
    from fastapi.security import HTTPBearer
    from starlette.exceptions import HTTPException
    from starlette.routing import Route

    def failed(_request: Any, error: Exception) -> Any:
        failure = as_shoal_error(error)
        return JSONResponse(Failure.of(failure).to_json(), status_of(error))

    def invalid(_request: Any, error: Any) -> Any:
        first = error.errors()[0]  # its message and place, never its input
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        problem = Failure(f"The request is invalid at '{place}': {first['msg']}.", hint=f"see {PREFIX}/openapi.json.")
        return JSONResponse(problem.to_json(), 422)

    async def refused(request: Any, error: Any) -> Any:
        if not request.url.path.startswith(PREFIX):
            return await http_exception_handler(request, error)
        fact = _FACTS.get(error.status_code, "The request cannot be read.")
        problem = Failure(fact, hint=f"see {PREFIX}/openapi.json.")
        return JSONResponse(problem.to_json(), error.status_code, error.headers)

    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(ShoalError, failed)
    app.add_exception_handler(Exception, failed)
    app.add_exception_handler(RequestValidationError, invalid)
    problems: dict[int | str, dict[str, Any]] = {code: {"model": m.Problem} for code in _PROBLEMS}
    described = HTTPBearer(description="The token of the studio.", auto_error=False)  # the gate asks for it
    router = APIRouter(prefix=PREFIX, responses=problems, dependencies=[Depends(described)])
    for add in (_add_status, _add_uploads, _add_looking, _add_runs, _add_files, _add_judging, _add_jobs):
        add(router, studio)
    app.include_router(router)
    app.router.routes.append(Route(f"{PREFIX}/{{path:path}}", _Nothing(router.routes), include_in_schema=False))


def status_of(error: Exception) -> int:
    """The HTTP status of an error: 400 for other bad input, 500 for a fault of Shoal."""
    if not isinstance(error, ShoalError):
        return 500
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 400)


def _add_status(router: APIRouter, studio: Studio) -> None:
    @router.get("/status", response_model=m.Status, tags=["studio"], summary="The studio and its project")
    def status() -> Any:
        return m.Status(
            version=VERSION,
            project=studio.project.name,
            folder=str(studio.project.folder),
            allowed=[str(root) for root in studio.places.roots],
            upload_limit=studio.limits.upload,
            read_only_inputs=studio.limits.read_only_inputs,
        )

    @router.get("/models", response_model=list[m.KindShown], tags=["studio"], summary="All models and their parameters")
    def models() -> Any:
        from shoal.models import ALL

        return [_kind(cls, cls.about.promise) for cls in ALL]

    @router.get("/algorithms", response_model=list[m.KindShown], tags=["studio"], summary="All algorithms")
    def algorithms() -> Any:
        from shoal.algorithms import ALL

        return [_kind(cls, (cls.__doc__ or "").partition("\n")[0]) for cls in ALL]


def _kind(cls: Any, about: str) -> m.KindShown:
    from shoal.roles.described import parameters

    shown = [
        m.ParameterShown(
            name=each.name,
            meaning=each.plain_meaning,
            allowed=each.plain_allowed,
            required=each.required,
            default=each.default,
        )
        for each in parameters(cls)
    ]
    return m.KindShown(kind=cls.kind, about=about, parameters=shown)


def _add_uploads(router: APIRouter, studio: Studio) -> None:
    from starlette.requests import Request

    async def upload(request: Any, name: str) -> Any:
        return _uploaded(await studio.receive(name, request.stream()))

    upload.__annotations__["request"] = Request  # FastAPI finds no names of this function in the module
    router.post(
        "/uploads",
        status_code=201,
        response_model=m.Uploaded,
        tags=["files"],
        summary="Upload a file: its bytes are the body",
        openapi_extra={"requestBody": {"required": True, "content": _content(_BYTES)}},
    )(upload)

    @router.get("/uploads", response_model=list[m.Uploaded], tags=["files"], summary="The uploaded files")
    def uploads() -> Any:
        return [_uploaded(path) for path in studio.project.uploads()]

    @router.delete("/uploads/{name}", status_code=204, tags=["files"], summary="Delete an uploaded file")
    def delete_upload(name: str) -> None:
        studio.delete_upload(name)

    @router.get("/folder", response_model=list[m.Entry], tags=["files"], summary="What is in a folder")
    def folder(path: str = ".") -> Any:
        return [
            m.Entry(name=each.name, path=str(each), is_folder=each.is_dir(), bytes=each.stat().st_size)
            for each in studio.places.listed(path)
            if each.exists()  # a link may lead nowhere
        ]


def _uploaded(path: Path) -> m.Uploaded:
    return m.Uploaded(name=path.name, path=str(path), bytes=path.stat().st_size)


def _job(job: Job) -> m.JobShown:
    return m.JobShown.model_validate(job.to_json())


def _run(run: Run) -> m.RunShown:
    return m.RunShown.model_validate(run.to_json())


def _starter(router: APIRouter, path: str, summary: str, tag: str) -> Callable[[Any], Any]:
    """A route that starts a job and answers with it."""
    return router.post(path, status_code=_ACCEPTED, response_model=m.JobShown, tags=[tag], summary=summary)


def _add_looking(router: APIRouter, studio: Studio) -> None:
    @_starter(router, "/sample", "Read the first rows of a table", "tables")
    def sample(asked: m.SampleAsked) -> Any:
        return _job(studio.sample(asked.source, rows=asked.rows, **asked.reading()))

    @_starter(router, "/tables", "List the tables and views of a database", "tables")
    def tables(asked: m.TablesAsked) -> Any:
        return _job(studio.tables(asked.database))

    @_starter(router, "/values", "Count the values of a column", "tables")
    def values(asked: m.ValuesAsked) -> Any:
        return _job(studio.values(asked.source, asked.column, limit=asked.limit, **asked.reading()))

    @_starter(router, "/profile", "Profile a table and draft a plan", "tables")
    def profile(asked: m.ProfileAsked) -> Any:
        return _job(studio.profile(asked.source, purpose=asked.purpose, target=asked.target, **asked.reading()))


def _text(plan: str | dict[str, Any]) -> str:
    """The text of a plan that may be given as tables."""
    if isinstance(plan, str):
        return plan
    try:
        return tomli_w.dumps(plan)
    except (TypeError, ValueError, RecursionError):
        raise PlanError("The plan has a value that plans do not have, such as null.", hint="omit the key.") from None


def _add_runs(router: APIRouter, studio: Studio) -> None:
    @_starter(router, "/check", "Make a dry run of a plan", "runs")
    def check(asked: m.PlanGiven) -> Any:
        return _job(studio.check(_text(asked.plan)))

    @_starter(router, "/suggest", "Try variants of a plan, and propose the best one", "runs")
    def suggest(asked: m.SuggestAsked) -> Any:
        return _job(studio.suggest(_text(asked.plan), **asked.model_dump(exclude={"plan"})))

    @router.post("/runs", status_code=_ACCEPTED, response_model=m.RunShown, tags=["runs"], summary="Run a plan")
    def start(asked: m.RunAsked) -> Any:
        return _run(studio.anonymize(_text(asked.plan), asked.name))

    @router.get("/runs", response_model=list[m.RunShown], tags=["runs"], summary="All runs, the oldest first")
    def runs() -> Any:
        return [_run(run) for run in studio.project.runs()]

    @router.get("/runs/{run_id}", response_model=m.RunShown, tags=["runs"], summary="A run, and how far it is")
    def run(run_id: str) -> Any:
        return _run(studio.project.run(run_id))

    @router.post("/runs/{run_id}/cancel", response_model=m.RunShown, tags=["runs"], summary="Cancel a run")
    def cancel(run_id: str) -> Any:
        return _run(studio.cancel_run(run_id))

    @router.delete("/runs/{run_id}", status_code=204, tags=["runs"], summary="Delete a finished run and its release")
    def delete(run_id: str) -> None:
        studio.project.delete_run(run_id)


def _add_files(router: APIRouter, studio: Studio) -> None:
    from fastapi.responses import FileResponse

    def answer(run_id: str, name: str) -> Any:
        """A file of a run; only names that a run has are found, so that no path can lead elsewhere."""
        run = studio.project.run(run_id)
        if name not in run.files():
            raise NoSuchThing("The run has no file of this name.", hint="list its files.")
        is_page = name.endswith(".html")
        headers = {"content-security-policy": REPORT_POLICY} if is_page else None
        kind = None if name.endswith((".html", ".json", ".csv")) else _BYTES
        return FileResponse(
            run.folder / name,
            headers=headers,
            media_type=kind,
            filename=Path(name).name,
            content_disposition_type="inline" if is_page or name.endswith(".json") else "attachment",
        )

    @router.get("/runs/{run_id}/files", response_model=list[str], tags=["runs"], summary="The files of a run")
    def files(run_id: str) -> Any:
        return studio.project.run(run_id).files()

    def add(path: str, summary: str, *kinds: str) -> Callable[[Any], Any]:
        described: dict[int | str, dict[str, Any]] = {200: {"content": _content(*kinds)}}
        return router.get(
            f"/runs/{{run_id}}/{path}",
            response_class=FileResponse,
            responses=described,
            tags=["runs"],
            summary=summary,
        )

    for what, name, summary, kind in (
        ("plan", "plan.toml", "The plan, which makes the same release on the command line", _BYTES),
        ("manifest", "release/manifest.json", "The published manifest", "application/json"),
        ("report", "release/report.html", "The published report", "text/html"),
        ("steward", "release.private/steward.json", "The private manifest", "application/json"),
    ):
        add(what, summary, kind)(_bound(answer, name))

    @add("files/{name:path}", "One file", "application/json", "text/html", "text/csv", _BYTES)
    def file(run_id: str, name: str) -> Any:
        return answer(run_id, name)


def _content(*kinds: str) -> dict[str, Any]:
    """How OpenAPI describes a body of one of these media types."""
    schemas = {_BYTES: {"type": "string", "format": "binary"}, "application/json": {"type": "object"}}
    return {kind: {"schema": schemas.get(kind, {"type": "string"})} for kind in kinds}


def _bound(answer: Callable[[str, str], Any], name: str) -> Callable[[str], Any]:
    def named(run_id: str) -> Any:
        return answer(run_id, name)

    return named


def _add_judging(router: APIRouter, studio: Studio) -> None:
    @_starter(router, "/verify", "Verify a release from its files alone", "releases")
    def verify(asked: m.VerifyAsked) -> Any:
        return _job(studio.verify(asked.release, plan=asked.plan, digest=asked.digest))

    @_starter(router, "/compare", "Compare releases", "releases")
    def compare(asked: m.CompareAsked) -> Any:
        return _job(studio.compare(asked.releases, asked.raw))

    @_starter(router, "/risk", "Measure the risk of a table or a release, and attack it", "releases")
    def risk(asked: m.RiskAsked) -> Any:
        return _job(studio.risk(**asked.model_dump()))


def _add_jobs(router: APIRouter, studio: Studio) -> None:
    @router.get("/jobs", response_model=list[m.JobShown], tags=["jobs"], summary="All jobs of this session")
    def jobs() -> Any:
        return [_job(job) for job in studio.jobs.jobs()]

    @router.get("/jobs/{job_id}", response_model=m.JobShown, tags=["jobs"], summary="A job, and how far it is")
    def job(job_id: str) -> Any:
        return _job(studio.jobs.job(job_id))

    @router.get(
        "/jobs/{job_id}/result",
        response_model=None,  # it is described, not changed
        responses={200: {"model": AnyResult}},
        tags=["jobs"],
        summary="The result of a job that is done, by its kind",
    )
    def result(job_id: str) -> dict[str, Any]:
        return studio.jobs.result(job_id)

    @router.post("/jobs/{job_id}/cancel", response_model=m.JobShown, tags=["jobs"], summary="Cancel a job")
    def cancel(job_id: str) -> Any:
        return _job(studio.jobs.cancel(job_id))


class _Nothing:
    """Answers every method at all other addresses of the interface, so that programs get JSON and not a page."""

    def __init__(self, known: Iterable[Any]) -> None:
        self._known = list(known)

    async def __call__(self, scope: Any, _receive: Any, _send: Any) -> None:
        from starlette.exceptions import HTTPException
        from starlette.routing import Match

        if any(route.matches(scope)[0] is Match.PARTIAL for route in self._known):
            raise HTTPException(405)
        raise NoSuchThing("The interface has nothing at this address.", hint=f"see {PREFIX}/openapi.json.")
