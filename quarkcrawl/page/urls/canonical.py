"""One spelling for equal addresses: canonical http(s) URLs.

Reading follows the URL Standard (what browsers do with white space, backslashes, missing
slashes, dot segments, host names); the canonical form then also decodes percent-encoded unreserved
characters, writes hex digits in upper case (RFC 3986, section 6.2.2), drops fragment, user,
default port and an empty query, and removes session ids and parameters that only track visitors.
Everything else stays in place and order, because it may change the page.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Final

from quarkcrawl.page.text import without_surrogates
from quarkcrawl.page.urls.hosts import MAX_HOST_CHARS, canonical_host
from quarkcrawl.page.urls.percent import encode_path, encode_query, query_codec

_IDLE: Final = re.compile(
    r"""(?:
        (?:jsessionid|phpsessid|aspsessionid[a-z]*|oscsid|zenid) = .*
      | (?:s|sid|sess|sessid|session|sessionid|session_id) = [0-9a-f]{16,}
      | (?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid
          |mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|bd_vid|hmsr|hmpl|hmcu|hmkw|hmci|nsukey) = .*
      | spm = \w[\w-]*(?:\.[\w-]+){1,5}
      | from = (?:singlemessage|timeline|groupmessage)
      | isappinstalled = [01]
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole ``name=value`` that can go. ``from`` and ``isappinstalled`` are what WeChat appends when
a page is shared; ``spm`` is Alibaba's dotted position code."""

_SUSPECT_NAMES: Final = frozenset(
    """
    jsessionid phpsessid oscsid zenid s sid sess sessid session sessionid session_id gclid gclsrc
    dclid gbraid wbraid fbclid msclkid yclid twclid ttclid igshid mc_cid mc_eid _ga _gl _hsenc _hsmi
    bd_vid hmsr hmpl hmcu hmkw hmci nsukey spm from isappinstalled
    """.split()  # noqa: SIM905  (a table)
)
_SUSPECT_PREFIXES: Final = ("utm_", "aspsessionid")

_PATH_PARAMETER: Final = re.compile(r";(?:jsessionid|phpsessid)=[^/;?]*", re.IGNORECASE)
_PATH_SEGMENT: Final = re.compile(r"/\(S\([A-Za-z0-9]{16,}\)\)(?=/)", re.IGNORECASE)


def has_suspect(query: str) -> bool:
    """Whether a query may hold a parameter that `clean_query` removes."""
    for part in query.split("&"):
        name = part.partition("=")[0].lower()
        if name in _SUSPECT_NAMES or name.startswith(_SUSPECT_PREFIXES):
            return True
    return False


def clean_query(query: str, codec: str) -> str:
    """Encode a query canonically and remove idle parameters; all others stay in order."""
    query = encode_query(query, codec)
    if not has_suspect(query):
        return query
    return "&".join(part for part in query.split("&") if not _IDLE.fullmatch(part))


def without_session(path: str) -> str:
    """Remove session ids that servers write into paths (``;jsessionid=…``, ASP.NET ``(S(…))``)."""
    if ";" not in path and "(" not in path:
        return path
    return _PATH_SEGMENT.sub("", _PATH_PARAMETER.sub("", path))


_EDGE: Final = "".join(map(chr, range(0x21)))
_TAB_OR_NEWLINE: Final = {0x09: None, 0x0A: None, 0x0D: None}
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_CLEAN: Final = re.compile(
    r"(https?://(?:[a-z0-9][a-z0-9-]{0,62}\.)+[a-z]{2,63}(?![^/?#]))?"
    r"([A-Za-z0-9_~!$&'()*+,:;=@./-]*(?:%[89A-F][0-9A-F][A-Za-z0-9_~!$&'()*+,:;=@./-]*)*)"
    r"(?:\?([A-Za-z0-9_~!$&()*+,:;=@./?-]*(?:%[89A-F][0-9A-F][A-Za-z0-9_~!$&()*+,:;=@./?-]*)*))?"
    r"(?:#.*)?",
    re.DOTALL,
)
"""A URL in which nothing needs more than joining: origin, path and query."""


@dataclass(frozen=True, slots=True)
class _Parts:
    origin: str
    path: str
    query: str | None

    def __str__(self) -> str:
        return f"{self.origin}{self.path}?{self.query}" if self.query else self.origin + self.path


def canonicalize(url: str, base: str | None = None, *, encoding: str = "utf-8") -> str | None:
    """Give the canonical spelling of a URL; idempotent, never raises.

    Args:
        url: absolute, or relative to ``base``.
        base: address of the page that holds the link.
        encoding: encoding of that page, in which non-ASCII characters of a query are sent.

    Returns:
        Absolute URL in ASCII; None if it is not http(s) or has no valid host.

    >>> canonicalize("HTTP://www.pku.edu.cn:80/a/../中文?PHPSESSID=0123456789abcdef0123456789abcdef#x")
    'http://www.pku.edu.cn/%E4%B8%AD%E6%96%87'
    >>> canonicalize("?q=天网", "http://www.pku.edu.cn/s", encoding="gb18030")
    'http://www.pku.edu.cn/s?q=%CC%EC%CD%F8'
    """
    return LinkResolver(base, encoding=encoding).resolve(url)


def host_key(url: str) -> str:
    """Host of a URL, with ``:port`` unless it is the scheme's default; "" if there is none.

    Args:
        url: a URL, canonical or not.

    >>> host_key("https://WWW.PKU.EDU.CN:8080/"), host_key("mailto:a@pku.edu.cn")
    ('www.pku.edu.cn:8080', '')
    """
    canonical = canonicalize(url)
    return canonical.split("/", 3)[2] if canonical is not None else ""


def split_host(key: str) -> tuple[str, int | None]:
    """Split a host key into host and port (None: the scheme's default)."""
    host, colon, port = key.rpartition(":")
    if not colon or "]" in port:
        return key, None
    return host, int(port)


TOO_LONG: Final = ""
"""What a resolver with a bound gives for a URL beyond it."""


class LinkResolver:
    """Resolves the links of one page; the parts of its address are worked out once.

    Args:
        base: address of the page, None if only absolute URLs are expected.
        encoding: encoding of the page.
        max_chars: longest URL that is made; for what would be longer comes `TOO_LONG`. A long
            base is not copied once for each link of the page.
    """

    __slots__ = ("_base", "_directory", "_encoding", "_is_base_long", "_max_chars", "_page")

    def __init__(
        self, base: str | None, *, encoding: str = "utf-8", max_chars: int | None = None
    ) -> None:
        self._encoding = query_codec(encoding)
        self._max_chars = sys.maxsize if max_chars is None else max_chars
        self._base: _Parts | None = None
        self._directory = ""
        if base:
            self._base = self._parse(base)
        self._page = None if self._base is None else str(self._base)
        if self._base is not None:
            path = self._base.path
            self._directory = path[: path.rfind("/") + 1]
        self._is_base_long = self._base is not None and (
            len(self._base.path) + len(self._base.query or "") > self._max_chars
        )

    def resolve(self, url: str) -> str | None:
        """Canonical absolute form of a link target; None if it is not http(s)."""
        if self._is_base_long and self._is_long(url):
            return TOO_LONG
        canonical = self._resolve(url)
        return canonical if canonical is None or len(canonical) <= self._max_chars else TOO_LONG

    def _is_long(self, url: str) -> bool:
        """Whether a link is relative, and so longer than the bound if the page's address is."""
        url = url.strip(_EDGE)[:64]
        return url[:1] not in {"/", "\\"} and not _SCHEME.match(url)

    def _resolve(self, url: str) -> str | None:
        url = url.strip(_EDGE)
        if url[:1] == "#":
            return self._page
        match = _CLEAN.fullmatch(url)
        if match:
            clean = self._clean(*match.groups())
            if clean is not None:
                return clean
            if url[:11].lower() == "javascript:":
                return None
        parts = self._parse(url)
        return str(parts) if parts is not None else None

    def _clean(self, origin: str | None, path: str, query: str | None) -> str | None:
        """The common case: nothing to normalize, only to join."""
        if query and has_suspect(query):
            return None
        if origin is not None:
            if "xn--" in origin or len(origin) > MAX_HOST_CHARS:
                return None
            path = path or "/"
        elif self._base is None or not path or ":" in path or path.startswith("//"):
            return None
        else:
            origin = self._base.origin
            if path[0] != "/":
                path = self._directory + path
        if ";" in path or "(" in path:
            path = without_session(path)
        if "/." in path:
            path = _without_dots(path)
        return f"{origin}{path}?{query}" if query else origin + path

    def _parse(self, url: str) -> _Parts | None:
        url = url.strip(_EDGE).translate(_TAB_OR_NEWLINE).partition("#")[0]
        if not url.isascii():
            url = without_surrogates(url)
        match = _SCHEME.match(url)
        scheme = match[1].lower() if match else None
        if match is None:
            return self._relative(url)
        if scheme not in _DEFAULT_PORTS:
            return None
        rest = url[match.end() :]
        same = self._base is not None and self._base.origin.startswith(f"{scheme}:")
        if same and rest[:2].replace("\\", "/") != "//":
            return self._relative(rest)
        return self._absolute(scheme, rest)

    def _absolute(self, scheme: str, rest: str) -> _Parts | None:
        before, _, query = rest.partition("?")
        authority, slash, path = before.replace("\\", "/").lstrip("/").partition("/")
        origin = _origin(scheme, authority)
        if origin is None:
            return None
        return _Parts(origin, _path(slash + path), clean_query(query, self._encoding))

    def _relative(self, url: str) -> _Parts | None:
        base = self._base
        if base is None:
            return None
        path, mark, query = url.partition("?")
        path = path.replace("\\", "/")
        if path.startswith("//"):
            return self._absolute(base.origin.partition(":")[0], url)
        cleaned = clean_query(query, self._encoding) if mark else None
        if not path:
            return _Parts(base.origin, base.path, cleaned if mark else base.query)
        if not path.startswith("/"):
            path = self._directory + path
        return _Parts(base.origin, _path(path), cleaned)


def _origin(scheme: str, authority: str) -> str | None:
    host, colon, port = authority.rpartition("@")[2].rpartition(":")
    if not colon or "]" in port:
        host, port = authority.rpartition("@")[2], ""
    canonical = canonical_host(host)
    if canonical is None or (port and not (port.isascii() and port.isdigit())):
        return None
    port = port.lstrip("0") or ("0" if port else "")
    if len(port) > 5 or (port and int(port) > 65535):
        return None
    if not port or port == _DEFAULT_PORTS[scheme]:
        return f"{scheme}://{canonical}"
    return f"{scheme}://{canonical}:{port}"


def _path(path: str) -> str:
    path = without_session(encode_path(path))
    if "/." in path:
        path = _without_dots(path)
    return path or "/"


def _without_dots(path: str) -> str:
    path_segments: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if path_segments:
                path_segments.pop()
        elif segment != ".":
            path_segments.append(segment)
    if segments[-1] in {".", ".."}:
        path_segments.append("")
    return "/" + "/".join(path_segments)
