"""A real PostgreSQL server for the tests, started on 127.0.0.1 and stopped at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_PROGRAMS = ("initdb", "pg_ctl", "postgres")


def _bin_folder() -> Path | None:
    """The newest folder that holds the server's programs: on the path, or where Debian puts them."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: -float(folder.parent.name))
    return next((folder for folder in folders if all((folder / name).is_file() for name in _PROGRAMS)), None)


def _as_server_user() -> tuple[list[str], int | None]:
    """The server refuses to run as root: then it runs as another user, named in the command's first words."""
    if os.geteuid() != 0:
        return [], None
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"], user.pw_uid
    pytest.fail("No user is there to run PostgreSQL as: neither postgres nor nobody.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(command: list[str], folder: Path) -> None:
    # Output goes to a file: a pipe would be held open by the server for as long as it runs.
    log = folder / "output.txt"
    with log.open("wb") as output:
        code = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, timeout=60).returncode
    if code:
        pytest.fail(f"{command} ended with {code}:\n{log.read_text()}")


def running() -> Iterator[str]:
    """The URL of an empty database on a server of its own."""
    programs = _bin_folder()
    if programs is None:
        missing = f"PostgreSQL server binaries (initdb, postgres) not found: looked for {', '.join(_PROGRAMS)}"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    prefix, uid = _as_server_user()
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="shoal-pg-") as name:
        folder = Path(name)
        if uid is not None:
            os.chown(folder, uid, -1)
        data = str(folder / "data")
        _run([*prefix, str(programs / "initdb"), "-D", data, "-U", "shoal", "-A", "trust", "-E", "UTF8"], folder)
        options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off"
        control = [*prefix, str(programs / "pg_ctl"), "-D", data, "-w"]
        _run([*control, "-o", options, "-l", str(folder / "server.log"), "start"], folder)
        try:
            yield f"postgresql://shoal@127.0.0.1:{port}/postgres"
        finally:
            _run([*control, "-m", "immediate", "stop"], folder)
