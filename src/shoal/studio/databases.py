"""Which databases a visitor may name, and what is read from them: whole tables and views, by queries that Shoal writes.

A free query could open any file that the database can open. So only a query that reads one table completely is allowed:
exactly the text that `shoal.table.catalog.query_of` writes.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, urlsplit

from shoal.errors import ShoalError
from shoal.plan import Plan
from shoal.studio.places import Places
from shoal.studio.problems import Refused
from shoal.table import is_url, sqlite_path, sqlite_url
from shoal.table.catalog import listed, read_by
from shoal.table.sql import check_url

_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_NAME = re.compile(r"[^\x00-\x1f\x7f=:/?#%]*")
_SSL_MODES = {f"sslmode={mode}" for mode in ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")}
_SYSTEM = ("information_schema",)


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server, and optionally a user and a database on it; `options` are the parameters of the URL.

    The URL is written anew from these parts, so that the library which connects cannot read it in another way.
    """

    host: str
    port: int
    user: str = ""
    database: str = ""
    options: str = ""

    @classmethod
    def of(cls, url: str) -> Server:
        """The server of a URL without a password; raises if the URL is unusual."""
        check_url(url)
        parts = urlsplit(url)
        try:
            host, port = parts.hostname or "", 5432 if parts.port is None else parts.port
        except ValueError:
            raise _unusual() from None
        user, database = unquote(parts.username or ""), unquote(parts.path.removeprefix("/"))
        is_plain = (not host or _HOST.fullmatch(host) or _is_address(host)) and not parts.fragment
        if not is_plain or not _NAME.fullmatch(user) or not _NAME.fullmatch(database):
            raise _unusual()
        return cls(host, port, user, database, parts.query)

    @property
    def url(self) -> str:
        """The URL, in the one way in which Shoal writes it."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.host and self.port != 5432 else ""
        options = f"?{self.options}" if self.options else ""
        return f"postgresql://{user}{host}{port}/{quote(self.database, safe='')}{options}"

    def completed(self, given: Server) -> Server | None:
        """The server that a visitor named, if this one, which the operator allowed, covers it."""
        if (given.host, given.port) != (self.host, self.port) or given.options not in ("", self.options):
            return None
        named = replace(
            given, user=given.user or self.user, database=given.database or self.database, options=self.options
        )
        fits = self.user in ("", named.user) and self.database in ("", named.database)
        return named if fits else None


@dataclass(frozen=True)
class Databases:
    """The databases that a visitor may name: SQLite files in the folders of `places`, and PostgreSQL servers.

    `servers`: those that the operator allowed. `any_server`: whether all others are allowed, too.
    """

    places: Places
    servers: tuple[Server, ...] = ()
    any_server: bool = False

    @classmethod
    def of(cls, places: Places, allowed: Iterable[str] = (), *, any_server: bool = False) -> Databases:
        """The databases of a studio; raises if `allowed`, the URLs of --allow-database, has another than PostgreSQL."""
        urls = list(allowed)
        if any(urlsplit(url).scheme not in ("postgresql", "postgres") for url in urls):
            raise ShoalError(
                "--allow-database names no PostgreSQL server.",
                allowed="It is a URL: postgresql://HOST, postgresql://USER@HOST/DATABASE.",
                hint="for SQLite, allow the folder with --allow.",
            )
        return cls(places, tuple(map(Server.of, urls)), any_server)

    def url(self, named: str) -> str:
        """The URL of a database that is named by its URL, or by the path of a SQLite file; raises if it is refused."""
        if not is_url(named):
            return self._sqlite(named)
        check_url(named)
        path = sqlite_path(named)
        return self._server(Server.of(named)).url if path is None else self._sqlite(str(path))

    def require_table(self, query: str | None) -> str:
        """The query, if it reads one table completely; all other queries are refused."""
        found = None if query is None else read_by(query)
        if query is None or found is None or found[0] in _SYSTEM or found[0].startswith("pg_"):
            raise Refused(
                "The studio reads whole tables and views of a database, and runs no other query.",
                allowed='A query here has the form SELECT * FROM "schema"."table", with both quotes.',
                hint="choose a table from the list, or use the command line; a view can contain the query.",
            )
        return query

    def table(self, source: str, query: str | None) -> tuple[str, str]:
        """The URL of a database and the query that reads one of its tables; raises if either is refused."""
        query = self.require_table(query)
        url = self.url(source)
        if sqlite_path(url) is not None and query not in {each.query for each in listed(url)}:
            raise Refused(  # SQLite has tables of its own in every database, such as pragma_database_list
                "The database has no table or view of this name that the studio reads.",
                hint="choose a table from the list.",
            )
        return url, query

    def located(self, plan: Plan) -> Plan:
        """The plan with the URL of its database as the studio writes it; raises if it may not be read."""
        if plan.data.source is None or not is_url(plan.data.source):
            return plan
        url, _ = self.table(plan.data.source, plan.data.query)
        data = plan.data.model_copy(update={"source": url})
        return plan.changed(data=data)

    def _sqlite(self, path: str) -> str:
        place = self.places.existing(path)
        if not place.is_file():
            raise ShoalError("The path is not the file of a SQLite database.")
        for beside in ("-wal", "-shm", "-journal"):  # SQLite reads these, too
            self.places.resolved(f"{place}{beside}")
        return sqlite_url(place)

    def _server(self, given: Server) -> Server:
        for server in self.servers:
            if (named := server.completed(given)) is not None:
                return named
        if not self.any_server:
            raise Refused(
                "This studio may not connect to the database server.",
                allowed="SQLite files in the allowed folders can be read.",
                hint="the operator allows a server with --allow-database URL.",
            )
        if given.options and given.options not in _SSL_MODES:
            raise Refused(
                "The URL of the database has parameters other than sslmode.",
                hint="set them in the environment (PGSSLROOTCERT, for example), or start with --allow-database URL.",
            )
        return given


def _unusual() -> Refused:
    return Refused(
        "The URL of the database is not one that the studio reads.",
        allowed="URLs are postgresql://USER@HOST:PORT/DATABASE and sqlite:///PATH.",
    )


def _is_address(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True
