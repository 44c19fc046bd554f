"""What page and host declare about the use of a text: license, indexing, training of models.

Read are meta elements and headers for robots, the reservation of text and data mining
(tdm-reservation), usage preferences (the header Content-Usage and its lines in robots.txt, as the
IETF's group aipref drafts them; Content-Signal says the same in other words), rules of robots.txt
for the crawlers of those who train models, and links to licenses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from protego import Protego

from quarkcrawl.content import described

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quarkcrawl.page import PageTree


REASONS: Final = {
    "noai": "a robots directive of the page says noai or noimageai",
    "tdm_reservation": "the page or its host reserve the rights of text and data mining",
    "content_usage": "the header or robots.txt says that no model may be trained on the page",
    "robots_ai": "robots.txt keeps crawlers that train models from the page",
}
"""Codes of the ways to opt out of training, and what they mean."""

_AGENTS: Final = (
    "GPTBot",
    "CCBot",
    "Google-Extended",
    "ClaudeBot",
    "Bytespider",
    "Applebot-Extended",
)
_ROBOTS_NAMES: Final = re.compile(r"robots$|.*bot$|.*spider$", re.IGNORECASE)
_TRAINING: Final = ("train-ai", "train-genai", "ai-train", "ai")
_CC: Final = re.compile(
    r"creativecommons\.org/(?:licenses/(?P<kind>[a-z]{2}(?:-[a-z]{2}){0,2})/(?P<version>\d\.\d)"
    r"|publicdomain/(?P<domain>zero|mark)/(?P<since>\d\.\d))"
)
_MAX_METAS: Final = 300
_MAX_LINKS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Rights:
    """What is declared.

    Args:
        license: in the notation of SPDX where it is one of Creative Commons, else its address.
        noindex: whether the page asks not to be indexed.
        opted_out: how page or host asks that no model be trained on the page, codes of `REASONS`.
    """

    license: str | None = None
    noindex: bool = False
    opted_out: tuple[str, ...] = ()


def rights_of(
    tree: PageTree | None,
    url: str,
    headers: Iterable[tuple[str, str]] = (),
    robots: str | None = None,
) -> Rights:
    """Read what is declared.

    Args:
        tree: the page; None if it is no HTML.
        url: its address.
        headers: names and values of the reply.
        robots: robots.txt of the host, if it is known.
    """
    fields = [(name.lower(), value) for name, value in headers]
    metas = _metas(tree) if tree is not None else []
    directives = {
        word.strip().lower()
        for name, value in [*metas, *fields]
        if _ROBOTS_NAMES.match(name) or name == "x-robots-tag"
        for word in re.split(r"[,:\s]", value)
    }
    reserved = {value.strip() for name, value in [*metas, *fields] if name == "tdm-reservation"}
    usage = [value for name, value in fields if name == "content-usage"]
    is_said = {
        "noai": bool({"noai", "noimageai"} & directives),
        "tdm_reservation": "1" in reserved,
        "content_usage": any(map(_refuses, usage)) or _robots_refuse(robots, url),
        "robots_ai": _agents_refused(robots, url),
    }
    return Rights(
        license=_license(tree, metas),
        noindex=bool({"noindex", "none"} & directives),
        opted_out=tuple(code for code, is_so in is_said.items() if is_so),
    )


def _metas(tree: PageTree) -> list[tuple[str, str]]:
    metas = []
    for node in tree.nodes("meta")[:_MAX_METAS]:
        attrs = dict(tree.raw_attrs(node))
        name = attrs.get("name") or attrs.get("property") or attrs.get("http-equiv")
        if name and (content := attrs.get("content")):
            metas.append((name.strip().lower(), content))
    return metas


# Preferences


def _refuses(preferences: str) -> bool:
    """Whether preferences such as ``train-ai=n, search=y`` refuse training."""
    for part in preferences.split(","):
        key, _, value = part.partition("=")
        if key.strip().lower() in _TRAINING and value.strip().lower() in {"n", "no"}:
            return True
    return False


def _robots_refuse(robots: str | None, url: str) -> bool:
    """Whether lines of robots.txt for all agents refuse it; the longest path that fits counts."""
    if not robots or not re.search("content-(?:usage|signal)", robots, re.IGNORECASE):
        return False
    path = urlsplit(url).path or "/"
    is_for_all = is_agent_line = False
    best = (-1, "")
    for line in robots.splitlines():
        name, _, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if name == "user-agent":
            is_for_all = value == "*" or (is_agent_line and is_for_all)
            is_agent_line = True
            continue
        is_agent_line = is_agent_line and not name
        if is_for_all and name in {"content-usage", "content-signal"}:
            prefix, preferences = "", value
            if value.startswith("/"):
                prefix, _, preferences = value.partition(" ")
            if path.startswith(prefix) and len(prefix) >= best[0]:
                best = (len(prefix), preferences)
    return _refuses(best[1])


def _agents_refused(robots: str | None, url: str) -> bool:
    """Whether agents that train models may not fetch what others may."""
    if not robots or not any(agent.lower() in robots.lower() for agent in _AGENTS):
        return False
    rules = Protego.parse(robots)
    if not rules.can_fetch(url, "quarkcrawl"):
        return False
    return not all(rules.can_fetch(url, agent) for agent in _AGENTS)


# Licenses


def _license(tree: PageTree | None, metas: Sequence[tuple[str, str]]) -> str | None:
    """The first license that is linked as one, or named in a meta element or in JSON-LD."""
    if tree is not None:
        for node in tree.nodes("link", "a")[:_MAX_LINKS]:
            attrs = dict(tree.raw_attrs(node))
            if "license" in (attrs.get("rel") or "").lower().split() and attrs.get("href"):
                return normalized_license(attrs["href"] or "")
    for name, value in metas:
        if name in {"dcterms.license", "dc.rights", "dcterms.rights", "license", "cc:license"}:
            return normalized_license(value)
    for record in described(tree) if tree is not None else ():
        named = record.get("license")
        if isinstance(named, str) and named.strip():
            return normalized_license(named)
    return None


def normalized_license(text: str) -> str:
    """A license in the notation of SPDX, if it is one of Creative Commons.

    Args:
        text: its address or name.

    >>> normalized_license("https://creativecommons.org/licenses/by-sa/4.0/deed.zh")
    'CC-BY-SA-4.0'
    """
    match = _CC.search(text.lower())
    if match is None:
        return text.strip()[:200]
    if match["kind"]:
        return f"CC-{match['kind'].upper()}-{match['version']}"
    return f"CC0-{match['since']}" if match["domain"] == "zero" else f"CC-PDM-{match['since']}"
