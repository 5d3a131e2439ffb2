"""A studio in a process of its own, as `shoal studio` starts it, for tests that attack, kill or use it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

SOON = 60.0


@dataclass(frozen=True)
class Running:
    """A studio that runs: its process, the link that opens it, and its project."""

    process: subprocess.Popen[str]
    own_link: str
    """The link with the name that only this studio has; browsers know where it leads, other programs do not."""
    project: Path

    @property
    def link(self) -> str:
        return f"{self.url}/?{urlsplit(self.own_link).query}"

    @property
    def port(self) -> int:
        return int(urlsplit(self.own_link).port or 0)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.project / ".scratch" / "token").read_text(encoding="utf-8").strip()

    def client(self) -> httpx.Client:
        """A program with the token."""
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=self.known, timeout=SOON)

    @property
    def known(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def ended(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal, and waits until the process has ended."""
        self.process.send_signal(number)
        return self.process.wait(SOON)


@contextmanager
def running(project: Path, *options: object, program: tuple[str, ...] = ("-m", "shoal")) -> Iterator[Running]:
    """Starts a studio and ends it; `program`: what Python runs, which is Shoal."""
    command = [sys.executable, *program, "studio", str(project), "--no-open", *map(str, options)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, cwd=project.parent, env=absolute(), **pipes)
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        assert first.startswith("Studio:"), first + process.stdout.read()
        yield Running(process, first.split()[1], project)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def absolute() -> dict[str, str]:
    """The environment, in which the paths of Python do not depend on the working folder."""
    paths = [str(Path(each).resolve()) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
