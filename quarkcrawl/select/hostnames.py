"""From what stands before the first slash of a URL to a site: scheme, host, port.

A site is kept under its host key (``www.pku.edu.cn``, ``a.cn:8080``), the name of its folder in a
corpus; http and https of one host are one site. Nearly all names in URL lists are canonical as
they stand; this module is for the others: capitals, user names, percent signs, Chinese names in
UTF-8 or GB18030, numbers that are addresses.
"""

from __future__ import annotations

import re
from typing import Final

from quarkcrawl.page import canonicalize

PLAIN_HOST: Final = r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*\.[a-z]{2,}"
"""Regular expression of names below 64 characters that are canonical as they stand."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:[/\\]")
_BARE = re.compile(r"[^@\s]+\Z")


def site_of(authority: str, *, is_latin: bool = False) -> tuple[str, str] | None:
    """Scheme and host key of the beginning of a URL.

    >>> site_of("WWW.Sina.com.cn:80"), site_of("https://a.cn:8080"), site_of("no host")
    (('http', 'www.sina.com.cn'), ('https', 'a.cn:8080'), None)

    Args:
        authority: a URL up to its path, or an authority by itself, which then is one of http.
        is_latin: bytes read as Latin-1, UTF-8 or GB18030 in truth.

    Returns:
        None if it is no site: nothing that can be a host, or a name without a dot.
    """
    text = _decoded(authority) if is_latin and not authority.isascii() else authority
    text = text.strip()
    if _SCHEME.match(text) is None:
        if _BARE.match(text.partition("/")[0]) is None:
            return None
        text = "http://" + text
    url = canonicalize(text)
    if url is None:
        return None
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0].partition("?")[0]
    return (scheme, host) if "." in host or host.startswith("[") else None


def _decoded(latin: str) -> str:
    try:
        raw = latin.encode("latin-1")
    except UnicodeEncodeError:  # a list in UTF-16, decoded already
        return latin
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return latin
