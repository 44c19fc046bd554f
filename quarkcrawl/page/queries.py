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
