"""`shoal studio` refuses what is unsafe before it starts; `tests/studio/test_server.py` starts it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from shoal.cli import run


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run(["studio", *map(str, arguments)]) == 2
    return capsys.readouterr().err


@pytest.fixture(autouse=True)
def _signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.interrupts.unwatch", lambda: None)


def test_a_team_is_not_served_without_a_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "p"
    for host in ("0.0.0.0", "::", "192.168.1.5", "studio.example.org"):
        said = refused(capsys, project, "--host", host)
        assert "there is no token" in said and "Warning" not in said
    assert "cannot be read" in refused(capsys, project, "--host", "0.0.0.0", "--token-file", tmp_path / "none")
    (tmp_path / "token").write_text("short", encoding="utf-8")
    (tmp_path / "token").chmod(0o600)
    assert "not safe" in refused(capsys, project, "--host", "0.0.0.0", "--token-file", tmp_path / "token")
    assert not project.exists()


def test_a_certificate_that_cannot_be_served_is_refused_before_a_folder_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.pem").write_text("nonsense", encoding="utf-8")
    given = ("--tls-cert", tmp_path / "c.pem", "--tls-key", tmp_path / "c.pem")
    assert "--tls-cert names" in refused(capsys, tmp_path / "p", *given)
    assert not (tmp_path / "p").exists()


def test_options_that_do_not_fit_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tmp_path / "p"
    assert "certificate and its key" in refused(capsys, project, "--tls-cert", tmp_path / "c.pem")
    assert "no file" in refused(capsys, project, "--tls-cert", tmp_path / "c.pem", "--tls-key", tmp_path / "k.pem")
    assert "no port" in refused(capsys, project, "--port", 70_000)
    assert "upload limit" in refused(capsys, project, "--upload-limit", 0)
    assert "--allow" in refused(capsys, project, "--allow", tmp_path / "none")
    assert "--allow-database" in refused(capsys, project, "--allow-database", "sqlite:///x.db")
    assert not project.exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    assert "not a project" in refused(capsys, tmp_path / "full")


def test_without_the_extra_the_remedy_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert "pip install 'shoal[studio]'" in refused(capsys, tmp_path / "p")
    assert not (tmp_path / "p").exists()
