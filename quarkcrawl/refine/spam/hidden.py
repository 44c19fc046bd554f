"""Links that a reader cannot see: in elements without size, off the screen or in its color."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from quarkcrawl.refine.spam.loops import absolute_links

if TYPE_CHECKING:
    from quarkcrawl.page import PageTree


_MAX_LINKS: Final = 400
"""Hidden links that are looked at; what thousands tell, hundreds do."""

_ABSOLUTE: Final = re.compile(r"\s{0,4}(?:https?:)?//([^\s/?#:@]{1,250})", re.IGNORECASE)
_WORTH_A_LOOK: Final = re.compile(
    r"none|hidden|-\d{3}|opacity|font-size|height|width|indent|color|clip", re.IGNORECASE
)
_OFF: Final = re.compile(
    r"(?:left|top|right|bottom|margin(?:-left|-top)?)\s{0,8}:\s{0,8}-\d{3,}", re.IGNORECASE
)
_TINY: Final = re.compile(
    r"font-size\s{0,8}:\s{0,8}1(?:px|pt)|clip\s{0,8}:\s{0,8}rect\(", re.IGNORECASE
)
_FLAT: Final = re.compile(
    r"(?:^|[;\s])(?:height|width)\s{0,8}:\s{0,8}[01](?:px)?\s{0,8}(?:;|!|$)", re.IGNORECASE
)
_CUT: Final = re.compile(r"overflow\s{0,8}:\s{0,8}hidden", re.IGNORECASE)
_GONE: Final = re.compile(
    r"display\s{0,8}:\s{0,8}none|visibility\s{0,8}:\s{0,8}hidden|text-indent\s{0,8}:\s{0,8}-\d{3,}"
    r"|font-size\s{0,8}:\s{0,8}0(?![.\d])|opacity\s{0,8}:\s{0,8}0?(?:\.0|(?<=0)(?![.\d]))",
    re.IGNORECASE,
)
"""What honest pages do as well: menus, pictures for text, gaps between boxes, fading in."""

_COLOR: Final = re.compile(
    r"(?:^|[;\s])color\s{0,8}:\s{0,8}(#[\da-f]{3,6}|[a-z]+|rgb\([^)]{1,24}\))", re.IGNORECASE
)
_GROUND: Final = re.compile(
    r"background(?:-color)?\s{0,8}:\s{0,8}(#[\da-f]{3,6}|[a-z]+|rgb\([^)]{1,24}\))", re.IGNORECASE
)
_WHITE: Final = re.compile(
    r"#(?:fff|fefefe|fdfdfd|ffffff)|white|rgb\(255,\s?255,\s?255\)", re.IGNORECASE
)
_RULE: Final = re.compile(r"[.#]([\w-]{1,64})\s{0,8}\{([^{}]{1,400})\}")
_HIDES_ID: Final = re.compile(
    r"getElementById\(\s{0,4}[\"']([\w-]{1,64})[\"']\s{0,4}\)\.style\.(?:display\s{0,4}=\s{0,4}[\"']none"
    r"|visibility\s{0,4}=\s{0,4}[\"']hidden|(?:left|top)\s{0,4}=\s{0,4}[\"']-\d{3,}|position\s{0,4}=)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class HiddenLinks:
    """Links to other hosts in hidden elements.

    Args:
        anchors: their texts.
        hosts: hosts that they lead to, each once.
        is_sly: some are hidden in a way that no menu is: off the screen, without size, in the
            color of the ground.
    """

    anchors: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    is_sly: bool = False


def foreign_links(tree: PageTree, host: str) -> dict[int, str]:
    """The ``a`` elements that lead to other sites, with the hosts that they lead to.

    Args:
        tree: the page.
        host: host of the page, "" if it is not known: then all absolute links count as foreign.
    """
    site = _site(host)
    own = (f"http://{host}/", f"https://{host}/") if host else ()
    foreign: dict[int, str] = {}
    for node, href in absolute_links(tree.all_attrs, tree.link_nodes, own):
        match = _ABSOLUTE.match(href)
        if match and (other := match[1]) != host and _site(other) != site:
            foreign[node] = other
    return foreign


def hidden_links(tree: PageTree, links: dict[int, str]) -> HiddenLinks:
    """Those of some links that are hidden.

    Args:
        tree: the page.
        links: what `foreign_links` found.
    """
    looks = _Looks(tree)
    anchors, hosts, is_sly = [], {}, False
    for node, other in links.items():
        how = looks.of(node)
        if how:
            anchors.append(" ".join(tree.text(node).split())[:200])
            hosts[other] = True
            is_sly = is_sly or how == _SLY
            if len(anchors) == _MAX_LINKS:
                break
    return HiddenLinks(tuple(anchors), tuple(hosts), is_sly)


_SHOWN, _PLAIN, _SLY = 0, 1, 2


class _Looks:
    """Whether elements are hidden, by themselves or by what they stand in; each asked once."""

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree
        self._known: dict[int, int] = {-1: _SHOWN, 0: _SHOWN}
        self._by_name = _names_of_style(tree)

    def of(self, node: int) -> int:
        """How a node is hidden."""
        parents, path = self._tree.parent, []
        while node not in self._known:
            path.append(node)
            node = int(parents[node])
        how = self._known[node]
        for below in reversed(path):
            how = max(how, self._own(below))
            self._known[below] = how
        return how

    def _own(self, node: int) -> int:
        how = _SHOWN
        tag = self._tree.tags[node]
        for name, value in self._tree.raw_attrs(node):
            if name == "style" and value:
                how = max(how, style_hides(value))
            elif name == "hidden":
                how = max(how, _PLAIN)
            elif name in ("class", "id") and value and self._by_name:
                for one in value.split():
                    how = max(how, self._by_name.get(one, _SHOWN))
            elif name == "color" and value and tag == "font" and _WHITE.fullmatch(value.strip()):
                how = max(how, _PLAIN)
            elif tag == "marquee" and name in ("height", "width") and value in ("0", "1", "2"):
                how = _SLY
        return how


@lru_cache(4096)
def style_hides(style: str) -> int:
    """How a style hides an element: 0 not, 1 as menus do, 2 slyly."""
    if _OFF.search(style) or _TINY.search(style):
        return _SLY
    if _FLAT.search(style) and _CUT.search(style):
        return _SLY
    color = _COLOR.search(style)
    if color is not None:
        ground = _GROUND.search(style)
        ink = color[1].lower().replace(" ", "")
        if ground is not None and ground[1].lower().replace(" ", "") == ink:
            return _SLY
        if _WHITE.fullmatch(ink):
            return _PLAIN  # the ground may be dark
    return _PLAIN if _GONE.search(style) else _SHOWN


def _names_of_style(tree: PageTree) -> dict[str, int]:
    """Classes and ids that the page's own styles and scripts hide."""
    names: dict[str, int] = {}
    for node in tree.nodes("style"):
        source = _source(tree, node)
        for name, rules in _RULE.findall(source):
            if _WORTH_A_LOOK.search(rules):
                how = style_hides(rules)
                if how:
                    names[name] = max(how, names.get(name, 0))
    for node in tree.nodes("script"):
        source = _source(tree, node)
        if "getElementById" in source:
            for name in _HIDES_ID.findall(source):
                names[name] = max(_PLAIN, names.get(name, 0))
    return names


def _source(tree: PageTree, node: int) -> str:
    return "".join(tree.runs[tree.run_start[node] : tree.run_end[node]])[:50_000]


_REGISTRIES: Final = frozenset(("com", "net", "org", "gov", "edu", "ac", "co", "or", "ne", "go"))


@lru_cache(4096)
def _site(host: str) -> str:
    """The registered domain, near enough: sites link to their own other hosts."""
    labels = host.lower().split(".")
    n = 3 if len(labels) > 2 and labels[-2] in _REGISTRIES and len(labels[-1]) == 2 else 2
    return ".".join(labels[-n:])
