"""Replay: stored pages become a local web under their original host names.

Look-up works on the percent-decoded bytes of path and query, so that ``/a%E6%96%87`` and
``/a文`` are one page whichever was recorded and whichever is asked for. Hosts are compared in
lower case and in their ASCII form. The fragment of a recorded URL is dropped, since it never
reaches a server; of two records of one URL the later one is served. A page recorded under one
scheme answers under both (or, with ``upgrade_http``, a page recorded only under https answers
http with a 301 to https, as most sites do today). A directory is answered by its
``index.html``; without its slash it redirects.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes, unquote_to_bytes

from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb.server.records import read_paths
from quarkcrawl.lab.mockweb.server.spool import Spool
from quarkcrawl.lab.mockweb.web import Ask, MockReply, Web, not_found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.lab.mockweb.server.records import Recorded


_OTHER = {"http": "https", "https": "http"}
_SAFE = "/:@!$&'()*+,;=~-._"


class Replay(Web):
    """Serves recorded pages.

    Args:
        paths: JSON-lines files (``.jsonl``, ``.jsonl.gz``, ``.jsonl.zst``), WARC files, folders
            of these, quarkcrawl corpora. The keys of a line: `records.reply_from_row`.
        upgrade_http: answer http requests for pages recorded only under https by a 301 to https.

    Raises:
        InputError: a path cannot be read; names file and line or offset.
    """

    def __init__(self, paths: Sequence[str | Path], *, upgrade_http: bool = False) -> None:
        self._upgrade = upgrade_http
        self._spool = Spool()
        self._hosts: dict[str, None] = {}
        self.shadowed = 0
        """Recorded pages that are not served, because their URL was recorded again later."""
        for page in read_paths([Path(path) for path in paths]):
            self._add(page)
        self._spool.seal()

    def __len__(self) -> int:
        return len(self._spool)

    def close(self) -> None:
        """Give the disk space back (happens by itself when the replay is no longer used)."""
        self._spool.close()

    def hosts(self) -> Sequence[str]:
        """The recorded hosts, in the order in which they were first seen."""
        return tuple(self._hosts)

    def respond(self, ask: Ask) -> MockReply:
        """The recorded reply, a redirect to a directory or to https, or 404."""
        path, query = _split(_sent(ask.target))
        for scheme in (ask.scheme, _OTHER[ask.scheme]):
            reply = self._find(scheme, ask, path, query)
            if reply is None:
                continue
            if self._upgrade and scheme != ask.scheme and scheme == "https":
                return _moved(f"https://{ask.host}{_written(path, query)}")
            return reply
        return not_found()

    def _find(self, scheme: str, ask: Ask, path: bytes, query: bytes | None) -> MockReply | None:
        reply = self._spool.get(_key(scheme, ask.host, path, query), ask.visit)
        if reply is not None:
            return reply
        if path.endswith(b"/"):
            return self._spool.get(_key(scheme, ask.host, path + b"index.html", query), ask.visit)
        for page in (path + b"/", path + b"/index.html"):
            if _key(scheme, ask.host, page, query) in self._spool:
                return _moved(_written(path + b"/", query))
        return None

    def _add(self, page: Recorded) -> None:
        scheme, _, rest = page.url.partition("#")[0].partition("://")
        authority, slash, target = rest.partition("/")
        if not slash and "?" in authority:
            authority, mark, query = authority.partition("?")
            target = mark + query
        scheme, host = scheme.lower(), _host(authority, scheme.lower(), page)
        path, query_bytes = _split(f"/{target}".encode("utf-8", "surrogatepass"))
        added = self._spool.add(_key(scheme, host, path, query_bytes), page.reply, page.from_visit)
        self.shadowed += not added
        self._hosts[host] = None


def _host(authority: str, scheme: str, page: Recorded) -> str:
    host = authority.rpartition("@")[2].lower()
    host = host.removesuffix(":443" if scheme == "https" else ":80")
    try:
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        raise InputError(
            f"malformed host name in url {page.url!r}"[:200], where=page.where
        ) from None
    if not host or " " in host:
        raise InputError(f"no host name in url {page.url!r}"[:200], where=page.where)
    return host


def _split(target: bytes) -> tuple[bytes, bytes | None]:
    """Path and query, percent-decoded; a query of None means that there is no ``?``."""
    path, mark, query = target.partition(b"?")
    return unquote_to_bytes(path), unquote_to_bytes(query) if mark else None


def _sent(target: str) -> bytes:
    """The bytes of a request target: the server hands them on as Latin-1."""
    try:
        return target.encode("latin-1")
    except UnicodeEncodeError:
        return target.encode("utf-8", "surrogatepass")


def _key(scheme: str, host: str, path: bytes, query: bytes | None) -> str:
    parts = [scheme, host, path.decode("latin-1")]
    return "\0".join(parts if query is None else [*parts, query.decode("latin-1")])


def _written(path: bytes, query: bytes | None) -> str:
    target = quote_from_bytes(path, _SAFE)
    return target if query is None else f"{target}?{quote_from_bytes(query, _SAFE + '?/')}"


def _moved(location: str) -> MockReply:
    return MockReply(301, (("Location", location), ("Content-Type", "text/html")))
