"""`shoal studio`: the web application, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import restore_libraries
from shoal.cli.show import say, warn


def studio(
    project: Annotated[
        Path, typer.Argument(metavar="PROJECT", help="The folder of the project; it is made if it does not exist.")
    ] = Path("shoal-project"),
    port: Annotated[int, typer.Option(metavar="N", help="Default: a free one.")] = 0,
    host: Annotated[
        str, typer.Option(metavar="H", help="The address to listen on; another than this machine's needs --token-file.")
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None, typer.Option(metavar="F", help="A file with the token that opens the studio.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(metavar="F", help="The certificate for TLS, in PEM format.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="F", help="The key of the certificate.")] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    read_only_inputs: Annotated[
        bool, typer.Option("--read-only-inputs", help="Take no uploads and delete none: only read tables.")
    ] = False,
    allow: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="A folder with tables that may be read. Can be repeated. Default: the working folder."
        ),
    ] = None,
    allow_database: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="A PostgreSQL server whose tables may be read. Can be repeated. Needed with --token-file.",
        ),
    ] = None,
    upload_limit: Annotated[int, typer.Option(metavar="MB", help="The largest file that may be uploaded.")] = 2000,
) -> None:
    """Open the web application, which leads from a table to a verified release and the plan that reproduces it.

    It listens on 127.0.0.1 only. The printed address opens it once; Ctrl-C ends it. A project contains its plan, its
    runs and their reports. Tables stay where they are, unless they are uploaded.
    """
    from shoal import interrupts
    from shoal.studio.server import Address, Options, serve

    options = Options(
        project,
        port,
        host,
        token_file,
        tls_cert,
        tls_key,
        allow=tuple(allow) if allow else (() if token_file else (Path.cwd(),)),
        upload_limit=upload_limit,
        read_only_inputs=read_only_inputs,
        allow_database=tuple(allow_database or ()),
    )

    def ready(address: Address) -> None:
        if not options.is_local and not options.tls:
            warn("Without --tls-cert and --tls-key, others on the network can read the token and the data.")
        say(f"Studio:  {address.url if token_file else address.link}")
        if address.other_link and not token_file:
            say(f"     or: {address.other_link}")
            say("         The second address is for browsers that do not find the first one; either works once.")
        say(f"Project: {project.resolve()}")
        say(f"Token for programs: {address.token_file}")
        if token_file:
            say("Enter the token of the token file to open it.")
        say("Press Ctrl-C to end it.")
        if not no_open and options.is_local:
            _open_browser(address.link)

    interrupts.unwatch()
    restore_libraries()
    serve(options, ready)


def _open_browser(link: str) -> None:
    """Opens the link in a browser, in a thread: some systems take seconds for it."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
