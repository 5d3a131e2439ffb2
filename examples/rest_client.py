"""A release over the REST interface of the studio, with nothing but Python: profile, run, verify, fetch.

It starts a studio of its own, which needs the extra `studio`. With the address and the token file of one that runs
already, it uses that one: `python rest_client.py http://127.0.0.1:8080 my-project/.scratch/token`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Studio:
    """A studio at an address, with its token."""

    def __init__(self, url: str, token: str) -> None:
        self.api = f"{url.rstrip('/')}/api/v1"
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def fetch(self, path: str, body: object = None) -> bytes:
        """The answer to a GET request or, with a body, to a POST request."""
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.api + path, data, self.headers)) as answer:
            return bytes(answer.read())

    def ask(self, path: str, body: object = None) -> Any:
        """The answer, which is JSON."""
        return json.loads(self.fetch(path, body))

    def finished(self, kind: str, started: dict[str, Any]) -> dict[str, Any]:
        """A job or run, once it is done."""
        while started["state"] in ("queued", "running"):
            time.sleep(0.2)
            started = self.ask(f"/{kind}/{started['id']}")
        if started["state"] != "done":
            raise SystemExit(f"{started['state']}: {started['failure']['error']}")
        return started

    def result(self, path: str, body: object) -> dict[str, Any]:
        """Starts a job and waits for its result."""
        job = self.finished("jobs", self.ask(path, body))
        return dict(self.ask(f"/jobs/{job['id']}/result"))


@contextmanager
def own_studio(project: str) -> Iterator[Studio]:
    """A studio that ends with this program."""
    command = [sys.executable, "-m", "shoal", "studio", project, "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        links, token = list[str](), ""
        while not token:  # the last link is that of 127.0.0.1, which every program finds
            line = process.stdout.readline()
            links += [word.partition("/?")[0] for word in line.split() if word.startswith("http")]
            if line.startswith("Token for programs: "):
                token = Path(line.split(": ", 1)[1].strip()).read_text(encoding="utf-8").strip()
        yield Studio(links[-1], token)
        process.terminate()


def release(studio: Studio, source: Path) -> None:
    """Profiles a table, runs the draft plan, verifies the release, and fetches it."""
    found = studio.result("/profile", {"source": str(source.resolve())})
    print(f"{found['profile']['rows']} rows, {len(found['profile']['columns'])} columns")
    run = studio.finished("runs", studio.ask("/runs", {"plan": found["plan"], "name": "over REST"}))
    for model in run["summary"]["models"]:
        print(f"{model['kind']}: {'holds' if model['holds'] else 'DOES NOT HOLD'}")
    verified = studio.result("/verify", {"release": run["id"], "digest": run["summary"]["digest"]})
    print(f"verified: {verified['holds']}")
    table = studio.fetch(f"/runs/{run['id']}/files/release/release.csv")
    Path("fetched.csv").write_bytes(table)
    print(f"fetched {len(table.splitlines()) - 1} rows")


if __name__ == "__main__":
    from shoal.datasets import patients  # the client itself needs nothing but Python

    patients(2_000).select("birth_date", "sex", "zip", "diagnosis").write_csv("patients.csv")
    if len(sys.argv) == 3:
        release(Studio(sys.argv[1], Path(sys.argv[2]).read_text(encoding="utf-8").strip()), Path("patients.csv"))
    else:
        with own_studio("rest-project") as studio:
            release(studio, Path("patients.csv"))
