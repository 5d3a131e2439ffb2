"""The server of the studio: builds the application, serves it, and ends all jobs when it ends."""

from __future__ import annotations

import logging
import os
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import MissingExtra, ShoalError
from shoal.studio.access import Access, read_token, write_token
from shoal.studio.databases import Databases
from shoal.studio.places import Places
from shoal.studio.project import Project
from shoal.studio.security import Gate, Rules
from shoal.studio.service import MEGABYTE, Limits, Studio
from shoal.studio.tls import require_tls

TITLE = "Shoal studio"
RECONNECT = 60.0
"""Seconds after which the state of a page whose browser is gone is discarded; jobs go on in any case."""


@dataclass(frozen=True)
class Options:
    """How a studio is served; the names are those of the options of `shoal studio`."""

    project: Path
    port: int = 0
    host: str = "127.0.0.1"
    token_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    allow: tuple[Path, ...] = ()
    upload_limit: int = 2000
    read_only_inputs: bool = False
    allow_database: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the studio."""
        return self.host in ("127.0.0.1", "localhost", "::1")

    @property
    def is_shared(self) -> bool:
        """Whether others than the person who started the studio may open it, with the token of a file."""
        return not self.is_local or self.token_file is not None

    @property
    def reach(self) -> str:
        """Who can open the studio, in the words of its pages."""
        if not self.is_shared:
            return "private workspace, on this machine only"
        known = "open to everyone who knows the token"
        return known if self.tls or self.is_local else f"{known}, not encrypted"

    @property
    def tls(self) -> bool:
        """Whether the studio is served with TLS."""
        return self.tls_cert is not None

    def check(self) -> None:
        """Raises if options do not fit together: above all, a team is not served without a token."""
        if not self.is_local and self.token_file is None:
            raise ShoalError(
                f"Other machines could reach the studio at '{self.host}', but there is no token.",
                hint="add --token-file FILE, or omit --host.",
            )
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ShoalError("TLS needs a certificate and its key.", hint="give both --tls-cert and --tls-key.")
        for path in (self.tls_cert, self.tls_key):
            if path is not None and not path.is_file():
                raise ShoalError(f"There is no file '{path}'.")
        if self.tls_cert is not None and self.tls_key is not None:
            require_tls(self.tls_cert, self.tls_key)
        if not 0 <= self.port <= 65535:
            raise ShoalError(f"There is no port {self.port}.", allowed="Ports are whole numbers from 0 to 65535.")
        if self.upload_limit < 1:
            raise ShoalError("The upload limit must be at least 1 MB.", hint="--read-only-inputs takes no uploads.")


@dataclass(frozen=True)
class Address:
    """Where a studio is, once it listens."""

    url: str
    link: str
    """The address with the secret that opens the studio, once."""
    other_link: str
    """The same for browsers that do not know the name in `link`, which is the studio's own; empty if it has none."""
    token_file: Path
    """The file with the token for programs."""


def require_extra() -> None:
    """Raises unless the packages of the extra `studio` are installed."""
    from importlib.util import find_spec

    if find_spec("nicegui") is None:
        raise MissingExtra("The studio needs the package nicegui.", hint="pip install 'shoal[studio]'")


def serve(options: Options, ready: Callable[[Address], None]) -> None:
    """Serves a project until the process is asked to end; `ready` is called when the studio listens.

    A start that is refused leaves no new folder behind. Ctrl-C and SIGTERM end it: jobs are cancelled, temporary files
    removed, and the project closed.
    """
    options.check()
    require_extra()
    token = None if options.token_file is None else read_token(options.token_file)
    places = Places.of(options.project, options.allow)
    databases = Databases.of(places, options.allow_database, any_server=not options.is_shared)
    limits = Limits(options.upload_limit * MEGABYTE, options.read_only_inputs, options.reach)
    with _listening(options.host, options.port) as listener:
        studio = Studio(Project.open(options.project), places, limits, databases)
        try:
            _serve(studio, options, listener, Access(token), ready)
        finally:
            studio.close()


def _serve(
    studio: Studio, options: Options, listener: socket.socket, access: Access, ready: Callable[[Address], None]
) -> None:
    import uvicorn

    port = int(listener.getsockname()[1])
    limits = studio.limits
    rules = Rules.of(
        options.host, port, tls=options.tls, uploads=not limits.read_only_inputs, upload_limit=limits.upload
    )
    gate = Gate(application(studio), access, rules)
    config = uvicorn.Config(
        gate,
        log_level="critical",  # messages may quote what was sent
        access_log=False,
        server_header=False,
        ssl_certfile=options.tls_cert,
        ssl_keyfile=options.tls_key,
        timeout_graceful_shutdown=2,
        ws_max_size=16_000_000,
        lifespan="on",
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready(_address(options, rules, access, studio))

    _run(Server(config), listener)


def _run(server: Any, listener: socket.socket) -> None:
    """Runs the server in this thread; it handles Ctrl-C and SIGTERM while it does."""
    with suppress(KeyboardInterrupt):  # uvicorn raises the signal again when everything is closed
        server.run(sockets=[listener])


def _address(options: Options, rules: Rules, access: Access, studio: Studio) -> Address:
    host = f"[{options.host}]" if ":" in options.host else options.host
    if options.host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    url = f"{rules.scheme}://{host}:{rules.port}/"
    file = options.token_file or write_token(studio.project.scratch, access.token)
    link = f"{url}?token={access.link}"
    if not rules.own_name:
        return Address(url, link, "", file)
    return Address(url, f"{rules.scheme}://{rules.own_name}:{rules.port}/?token={access.link}", link, file)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; raises if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ShoalError(
            f"The studio cannot listen on {host}, port {port} ({error.strerror}).",
            hint="choose another --port; without it, a free one is taken.",
        ) from None
    return listener


def application(studio: Studio) -> Any:
    """The application: the REST interface and the pages. NiceGUI allows one in a process."""
    scratch = studio.project.scratch
    os.environ["NICEGUI_STORAGE_PATH"] = str(scratch / "nicegui")  # by default, in the working folder
    tempfile.tempdir = str(_made(scratch / "tmp"))  # what is uploaded passes through it
    if not os.environ.get("SHOAL_DEBUG"):
        logging.getLogger("nicegui").setLevel(logging.CRITICAL + 1)  # its messages may quote the data
    from fastapi import FastAPI
    from nicegui import ui

    from shoal.studio import pages
    from shoal.studio.api import PREFIX, add_api
    from shoal.version import VERSION

    app = FastAPI(title=TITLE, version=VERSION, docs_url=None, redoc_url=None, openapi_url=f"{PREFIX}/openapi.json")
    add_api(app, studio)
    pages.register(studio)
    ui.run_with(
        app,
        title=TITLE,
        show_welcome_message=False,
        tailwind=False,
        reconnect_timeout=RECONNECT,
        gzip_middleware_factory=None,  # the gate reads pages
    )
    return app


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True, parents=True)
    return folder
