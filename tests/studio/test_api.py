"""The REST interface: what programs send becomes jobs and runs, errors are JSON, and paths stay inside."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal import algorithms, models
from shoal.errors import CannotBeMet, PlanError, ShoalError
from shoal.studio.api import add_api, status_of
from shoal.studio.places import Places
from shoal.studio.problems import Busy, NoSuchThing
from shoal.studio.project import Project
from shoal.studio.service import Limits, Studio
from tests.studio.tables import plan_of, write_clinic

fastapi = pytest.importorskip("fastapi")
API = "/api/v1"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_clinic(folder)
    return folder


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Iterator[Studio]:
    project = Project.open(tmp_path_factory.mktemp("studio") / "p")
    studio = Studio(project, Places.of(project.folder, [data]), Limits(upload=1000))
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def client(studio: Studio) -> Iterator[Any]:
    from starlette.testclient import TestClient

    app = fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=f"{API}/openapi.json")
    add_api(app, studio)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def finished(client: Any, kind: str, found: dict[str, Any]) -> dict[str, Any]:
    for _ in range(600):
        now: dict[str, Any] = client.get(f"{API}/{kind}/{found['id']}").json()
        if now["state"] not in ("queued", "running"):
            return now
        time.sleep(0.1)
    raise AssertionError(now)


def test_from_a_table_to_a_verified_release(client: Any, data: Path) -> None:
    asked = client.post(f"{API}/profile", json={"source": str(data / "clinic.csv")})
    assert asked.status_code == 202
    job = finished(client, "jobs", asked.json())
    assert job["state"] == "done"
    assert "[data]" in client.get(f"{API}/jobs/{job['id']}/result").json()["plan"]

    tables = {
        "data": {"source": str(data / "clinic.csv")},
        "columns": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "models": [{"kind": "k-anonymity", "k": 4}],
    }
    asked = client.post(f"{API}/runs", json={"plan": tables, "name": "one"})
    assert asked.status_code == 202
    run = finished(client, "runs", asked.json())
    assert run["state"] == "done" and run["summary"]["rows_released"] == 40
    address = f"{API}/runs/{run['id']}"
    assert client.get(f"{address}/manifest").json()["rows_in"] == 40
    report = client.get(f"{address}/report")
    assert report.headers["content-security-policy"].startswith("sandbox") and "<html" in report.text
    assert client.get(f"{address}/files/release/release.csv").text.startswith("age,ill\n")
    assert "attachment" in client.get(f"{address}/files/release/release.csv").headers["content-disposition"]
    assert client.get(f"{address}/steward").json()["digest"] == run["summary"]["digest"]
    assert "[data]" in client.get(f"{address}/plan").text

    asked = client.post(f"{API}/verify", json={"release": run["id"], "digest": run["summary"]["digest"]})
    job = finished(client, "jobs", asked.json())
    assert client.get(f"{API}/jobs/{job['id']}/result").json()["holds"] is True
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    "name",
    ["../project.json", "..%2Fproject.json", "%2e%2e/project.json", "/etc/passwd", "run.json", "release/../run.json"],
)
def test_files_of_a_run_are_only_its_own(client: Any, studio: Studio, name: str) -> None:
    run = studio.project.new_run("# plan")
    run.release.mkdir()
    (run.release / "link.csv").symlink_to("/etc/passwd")
    for wanted in (name, "release/link.csv"):
        answer = client.get(f"{API}/runs/{run.id}/files/{wanted}")
        assert answer.status_code == 404 and "root:" not in answer.text
    assert client.get(f"{API}/runs/..%2F..%2F/files/project.json").status_code == 404
    assert client.get(f"{API}/runs/{run.id}/files").json() == ["plan.toml"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("profile", {"source": "/etc/passwd"}),
        ("sample", {"source": "../../../../etc/passwd"}),
        ("values", {"source": "sqlite:////etc/x.db", "column": "a"}),
        ("verify", {"release": "/etc"}),
        ("compare", {"releases": ["/etc", "/usr"]}),
        ("risk", {"data": "/etc/passwd"}),
        ("runs", {"plan": plan_of("/etc/passwd")}),
        ("check", {"plan": plan_of("file:///etc/passwd")}),
    ],
)
def test_paths_are_confined(client: Any, path: str, body: dict[str, Any]) -> None:
    answer = client.post(f"{API}/{path}", json=body)
    assert answer.status_code == 403 and answer.json()["exit_code"] == 2
    assert "root:" not in answer.text and answer.json()["hint"]


def test_folders_are_listed_inside_only(client: Any, data: Path) -> None:
    assert [each["name"] for each in client.get(f"{API}/folder", params={"path": str(data)}).json()] == ["clinic.csv"]
    assert client.get(f"{API}/folder", params={"path": "/etc"}).status_code == 403


def test_uploads_come_and_go(client: Any) -> None:
    answer = client.post(f"{API}/uploads", params={"name": "../<b>x.csv"}, content=b"a,b\n1,2\n")
    assert answer.status_code == 201 and answer.json()["name"] == "b_x.csv"
    assert [each["bytes"] for each in client.get(f"{API}/uploads").json()] == [8]
    assert client.post(f"{API}/uploads", params={"name": "x"}, content=b"x" * 1001).status_code == 413
    assert client.delete(f"{API}/uploads/b_x.csv").status_code == 204
    assert client.delete(f"{API}/uploads/..%2Fproject.json").status_code == 404
    assert client.get(f"{API}/uploads").json() == []


def test_errors_are_json_without_what_was_sent(client: Any) -> None:
    secret = "patient 4711"
    for path, body in (
        ("runs", {"plan": 5}),
        ("runs", {"plan": "", "nmae": secret}),
        ("sample", {"source": "a", "rows": secret}),
    ):
        answer = client.post(f"{API}/{path}", json=body)
        assert answer.status_code == 422 and set(answer.json()) == {"error", "allowed", "hint", "exit_code"}
        assert secret not in answer.text
    assert client.post(f"{API}/check", json={"plan": {"data": None}}).status_code == 422
    for path in ("runs/none", "jobs/none", "nothing/here"):
        assert client.get(f"{API}/{path}").status_code == 404


def test_a_fault_does_not_quote_its_message(client: Any, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio.project, "runs", lambda: (_ for _ in ()).throw(ValueError("patient 4711")))
    answer = client.get(f"{API}/runs")
    assert answer.status_code == 500 and "4711" not in answer.text and "ValueError" in answer.json()["error"]


def test_a_linked_folder_or_plan_of_a_run_is_not_served(client: Any, studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    run = studio.project.new_run("# plan")
    run.release.symlink_to(tmp_path)
    run.private.symlink_to(tmp_path)
    run.plan_path.unlink()
    run.plan_path.symlink_to(tmp_path / "manifest.json")
    assert client.get(f"{API}/runs/{run.id}/files").json() == []
    for what in ("manifest", "plan", "files/release/manifest.json", "files/plan.toml"):
        assert client.get(f"{API}/runs/{run.id}/{what}").status_code == 404


def test_unusual_input_is_explained(client: Any, data: Path) -> None:
    (data / "nowhere").symlink_to(data / "none")
    assert [each["name"] for each in client.get(f"{API}/folder", params={"path": str(data)}).json()] == ["clinic.csv"]
    keys = {"error", "allowed", "hint", "exit_code"}
    bodies = ('{"plan": "\\ud800"}', '{"plan": {"a": "\\ud800"}}', '{"plan": ' + "[" * 50_000 + "]" * 50_000 + "}")
    for body in (*bodies, '{"plan": {"a": ' + "9" * 5000 + "}}", '{"plan": ', "\xff"):
        answer = client.post(
            f"{API}/check", content=body.encode("latin-1"), headers={"content-type": "application/json"}
        )
        assert answer.status_code in (400, 422) and set(answer.json()) == keys, (body[:20], answer.text)
    methods = (("PUT", "runs"), ("DELETE", "status"), ("PATCH", "jobs/x"), ("OPTIONS", "runs"), ("TRACE", "status"))
    for method, path in (*methods, ("PROPFIND", "runs")):
        answer = client.request(method, f"{API}/{path}")
        assert answer.status_code == 405 and set(answer.json()) == keys, (method, answer.text)
    for method in ("PUT", "TRACE", "PROPFIND"):
        answer = client.request(method, f"{API}/nothing")
        assert answer.status_code == 404 and set(answer.json()) == keys


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("sample", {"source": "clinic.csv", "rows": "5"}),
        ("sample", {"source": "clinic.csv", "rows": True}),
        ("sample", {"source": "clinic.csv", "header": "yes"}),
        ("values", {"source": "clinic.csv", "column": 3}),
        ("risk", {"data": "clinic.csv", "attacks": 1}),
        ("risk", {"data": "clinic.csv", "seed": 1.0}),
        ("suggest", {"plan": "", "risk": {"highest": "0.1"}}),
    ],
)
def test_values_of_another_type_are_refused(client: Any, path: str, body: dict[str, Any]) -> None:
    assert client.post(f"{API}/{path}", json=body).status_code == 422


def test_every_model_and_algorithm_is_described(client: Any) -> None:
    found = client.get(f"{API}/models").json()
    assert [each["kind"] for each in found] == [cls.kind for cls in models.ALL]
    assert found[0]["parameters"][0]["name"] == "k" and found[0]["parameters"][0]["required"]
    assert [each["kind"] for each in client.get(f"{API}/algorithms").json()] == [cls.kind for cls in algorithms.ALL]


def test_the_document_is_complete_and_nothing_comes_from_elsewhere(client: Any) -> None:
    document = client.get(f"{API}/openapi.json").json()
    for path in ("profile", "runs", "runs/{run_id}/cancel", "verify", "compare", "jobs/{job_id}/result"):
        assert f"{API}/{path}" in document["paths"]
    assert client.get("/docs").status_code == client.get("/redoc").status_code == 404


def operations(client: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of everything that the document describes."""
    paths = client.get(f"{API}/openapi.json").json()["paths"]
    return [(method, path, described) for path, found in paths.items() for method, described in found.items()]


def test_every_route_says_what_it_takes_what_it_answers_and_who_may_use_it(client: Any) -> None:
    document = client.get(f"{API}/openapi.json").json()
    (scheme,) = document["components"]["securitySchemes"].items()
    assert scheme[1]["type"] == "http" and scheme[1]["scheme"] == "bearer"
    for method, path, described in operations(client):
        assert described["security"] == [{scheme[0]: []}], path
        takes_a_body = method in ("post", "put") and not path.endswith("/cancel")
        assert takes_a_body == ("requestBody" in described), path
        for part in [described["requestBody"]] if takes_a_body else []:
            assert part["required"] and all(kind["schema"] for kind in part["content"].values()), path
        ((status, answer),) = [each for each in described["responses"].items() if each[0].startswith("2")]
        content = answer.get("content", {})
        assert (status == "204") == (not content), path
        assert all(set(kind["schema"]) & {"$ref", "type", "anyOf"} for kind in content.values()), path
        assert described["summary"] and described["tags"], path


def test_the_media_types_of_files_are_those_that_are_sent(client: Any, studio: Studio) -> None:
    run = studio.project.new_run("# plan")
    for name in ("release/manifest.json", "release/report.html", "release/release.csv", "release.private/steward.json"):
        (run.folder / name).parent.mkdir(exist_ok=True)
        (run.folder / name).write_text("{}", encoding="utf-8")
    described = {path: each for _, path, each in operations(client)}
    for what in ("plan", "manifest", "report", "steward"):
        sent = client.get(f"{API}/runs/{run.id}/{what}").headers["content-type"].partition(";")[0]
        assert list(described[f"{API}/runs/{{run_id}}/{what}"]["responses"]["200"]["content"]) == [sent]
    kinds = described[f"{API}/runs/{{run_id}}/files/{{name}}"]["responses"]["200"]["content"]
    for name in run.files():
        sent = client.get(f"{API}/runs/{run.id}/files/{name}").headers["content-type"].partition(";")[0]
        assert sent in kinds


def test_statuses() -> None:
    errors = (NoSuchThing("."), Busy("."), PlanError("."), CannotBeMet("."), ShoalError("."), ValueError("."))
    assert [status_of(error) for error in errors] == [404, 409, 422, 422, 400, 500]


def test_a_program_runs_no_query_and_reads_no_other_database(client: Any, data: Path) -> None:
    url, whole = f"sqlite:///{data / 'clinic.db'}", 'SELECT * FROM "main"."clinic"'
    (data / "clinic.db").touch()
    plan = {"columns": {"age": {"role": "quasi-identifier"}}, "models": [{"kind": "k-anonymity", "k": 2}]}
    for source, query in ((url, "SELECT readfile('/etc/passwd')"), (url, f"{whole};"), ("postgresql://h/x", whole)):
        for path, asked in (
            ("runs", {"plan": {**plan, "data": {"source": source, "query": query}}}),
            ("suggest", {"plan": {**plan, "data": {"source": source, "query": query}}}),
            ("sample", {"source": source, "query": query}),
        ):
            assert client.post(f"{API}/{path}", json=asked).status_code == 403, (path, source, query)
    for database in ("sqlite:////etc/x.db", "../../x.db", "postgresql://h/x"):
        assert client.post(f"{API}/tables", json={"database": database}).status_code == 403


def test_every_error_is_declared(client: Any) -> None:
    document = client.get(f"{API}/openapi.json").json()
    statuses = {"400", "401", "403", "404", "405", "409", "413", "421", "422", "500"}
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            assert statuses <= described["responses"].keys(), (method, path)
            shown = described["responses"]["413"]["content"]["application/json"]["schema"]["$ref"]
            assert shown.endswith("/Problem")


def test_what_cannot_be_is_no_fault_of_shoal(client: Any, data: Path) -> None:
    assert client.get(f"{API}/folder", params={"path": "x" * 300}).status_code == 400
    for seed in (-1, 10**30):
        answer = client.post(f"{API}/risk", json={"data": str(data / "clinic.csv"), "seed": seed})
        assert answer.status_code == 422 and "seed" in answer.json()["error"]
