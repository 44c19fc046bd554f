"""Query parameters that identify a visit, not a page: session ids and tracking marks."""

from __future__ import annotations

import re
from typing import Final

from quarkcrawl.page.percent import encode_query

__all__ = ["clean_query", "has_suspect", "without_session"]

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

_SUSPECT: Final = re.compile(
    r"sess|sid=|(?:^|&)s=|zenid|utm_|clid|braid|igshid|mc_|_g|_hs|bd_vid|hm|nsukey|spm=|from=|isapp",
    re.IGNORECASE,
)
_PATH_SESSION: Final = re.compile(
    r";(?:jsessionid|phpsessid)=[^/;?]*|/\(S\([A-Za-z0-9]{16,}\)\)(?=/)", re.IGNORECASE
)


def has_suspect(query: str) -> bool:
    """Whether a query may hold a parameter that `clean_query` removes."""
    return _SUSPECT.search(query) is not None


def clean_query(query: str, encoding: str) -> str:
    """Encode a query canonically and remove idle parameters; all others stay in order."""
    query = encode_query(query, encoding)
    if not has_suspect(query):
        return query
    return "&".join(part for part in query.split("&") if not _IDLE.fullmatch(part))


def without_session(path: str) -> str:
    """Remove session ids that servers write into paths (``;jsessionid=…``, ASP.NET ``(S(…))``)."""
    if ";" not in path and "(" not in path:
        return path
    return _PATH_SESSION.sub("", path)
