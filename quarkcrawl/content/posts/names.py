"""What class names and ids say about posts and comments, and their shapes without numbers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from quarkcrawl.page.tree import Attributes


POST, COMMENT, BODY, ASIDE, QUOTE, AUTHOR, DATE, LISTED, TOPIC, REPLY, ANSWER = (
    1 << bit for bit in range(11)
)
"""Bits of what a name speaks for: a post, a comment, the text of one, what is no text of it, a
quotation, the author, the date, an entry of a list of other pages, the post that began a thread,
a reply to something, an answer."""

_TEST_NAMES: Final = frozenset(("data-testid", "data-test-id", "data-test", "data-hook", "data-qa"))
"""Attributes by which those who make a site find its elements, whatever programs call these."""

_MAX_NAMES: Final = 8
_MAX_CHARS: Final = 300
_MAX_NAME_CHARS: Final = 80
_MAX_KNOWN: Final = 20_000
_DIGITS: Final = re.compile(r"\d+")
_HEX: Final = re.compile(r"(?=[a-f]{0,12}\d)[0-9a-f]{8,}", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_THREAD: Final = "thread(?!-(?:odd|even|alt))"
_COMMENT: Final = "comm?[eo]nt(?!ent)"
_USER: Final = "user(?!-?content|text)"
_NAMED: Final = "user(?!-?(?:content|text|titles?|rank|group|role|status|extra|stats))"
_PATTERNS: Final = {
    POST: rf"posts?(?![a-z])|post(?:bit|_|-|ing|row|message|container|list|id)|^c?post|{_THREAD}"
    "|topic|repl(?:y|ies)|answer|floor|message|msg|question|discussion|forum|^bbs|^pid|^plhin|^tpc"
    "|^crawler|^status|tiezi|huifu|huida|lou(?:ceng)?$",
    COMMENT: rf"{_COMMENT}|^cmts?(?![a-z])|[-_]cmts?(?![a-z])|pinglun|respond|review|disqus"
    "|feedback|guestbook|gbook|liuyan|^ds-",
    BODY: "content|body|text(?!area)|message|msg(?!-right)|entry|post_?message|^t_f$|^pcb$|prose"
    "|markdown|rich|fmt|desc|bbwrapper|^md$|^quote$|detail|^post$|^comment$|copy$|^bd$|^nr$",
    ASIDE: r"sign(?:ature)?(?![a-z])|^sig|[-_]sig$|avatar|author|profile|byline|meta|foot|tool"
    rf"|{_USER}|poster(?![a-z]*mess)|head(?!line)|button|btn|action|share|vote|rating|edited"
    "|lastedit|pstatus|modif|attach|controls?$|options?$|like|karma|rank|badge|^date|time|nav"
    "|permalink|menu|^tags?$|report|icons?$|rate|^ad$|ads$|adsby|related|^po$|^pi$|locked"
    "|sharing|reaction|breadcrumb",
    QUOTE: "quot(?!e-?content)|blockquote|citation|^cite$|yinyong",
    AUTHOR: rf"author(?!-?(?:title|rank|group|role|stat))|{_NAMED}|poster|nick|(?<![a-z])name"
    "|name$|^by(?:line)?$|fn$|member|owner|profile|^authi$|vcard|creator",
    DATE: "date|time|posted|when|ago$|^em$|publish|created",
    LISTED: "related|excerpt|teaser|testimonial|activity|recommend|latest|hot|recent|widget"
    "|sidebar|nav|menu|pag(?:er|ination)|breadcrumb|similar|product|^row$|^clear",
    TOPIC: rf"topic|{_THREAD}|question|discussion|^tpc|tiezi|zhuti|wenti|first-?post|op_#|^bbs"
    r"|(?<![a-z])ask(?!ed|ing)"
    "|issue-?(?:comment|viewer|body|timeline)|issuable",
    REPLY: rf"repl(?:y|ies)|answer|{_COMMENT}|respon|huifu|huida|pinglun|^re$",
    ANSWER: "answer|huida",
}
_COMPILED: Final = [(bit, re.compile(text)) for bit, text in _PATTERNS.items()]
"""For names in lower case, in which they are found in less than half the time."""

_SIGNATURE: Final = re.compile(
    r"[a-z](?:[-_](?:signature|sig|attribution|footer|meta|toolbar|actions?(?:bar)?)|signature)$"
)
"""The last word of a name that is no text whatever it belongs to: ``message-signature``."""


@lru_cache(_MAX_KNOWN)
def name_bits(name: str) -> int:
    """What one class name or id, without its numbers, speaks for."""
    name = _CAMEL.sub("-", name).lower()
    bits = sum(bit for bit, find in _COMPILED if find.search(name))
    return bits & ~BODY if _SIGNATURE.search(name) else bits


def _shape(name: str) -> str:
    """A name with a sign for each of its numbers."""
    name = name[:_MAX_NAME_CHARS]
    return _DIGITS.sub("#", _HEX.sub("#", name)) if _DIGITS.search(name) else name


class Names:
    """Names of a node.

    Args:
        classes: shapes of its class names; those of grids are left out.
        number: shape of its id if that holds a number, else "".
        plain: its id if that holds none.

    Attributes:
        number, plain: the same.
        keys: what nodes of the same look share, one of them at least.
        key: what nodes of the same look share above all.
    """

    __slots__ = ("_bits", "_known", "key", "keys", "number", "plain")

    def __init__(self, classes: tuple[str, ...], number: str, plain: str) -> None:
        self.number, self.plain = number, plain
        self.key: str = classes[0] if classes else number and f"#{number}"
        self.keys = (*classes, f"#{number}") if number else classes
        self._known, self._bits = (*classes, number, plain), -1

    @property
    def bits(self) -> int:
        """What they speak for."""
        if self._bits < 0:
            self._bits = 0
            for name in filter(None, self._known):
                self._bits |= name_bits(name)
        return self._bits


@lru_cache(_MAX_KNOWN)
def _read(class_name: str, id_name: str) -> Names:
    """Names of a node with these attributes."""
    shapes = map(_shape, class_name.split()[:_MAX_NAMES])
    classes = tuple(dict.fromkeys(name for name in shapes if not name.startswith("col-")))
    shape = _shape(id_name)
    is_plain = shape == id_name[:_MAX_NAME_CHARS]
    return Names(classes, "" if is_plain else shape, shape if is_plain else "")


_NO_NAMES: Final = Names((), "", "")


def names_of(attrs: Attributes, tag: str = "") -> Names:
    """Names of a node.

    Args:
        attrs: its attributes.
        tag: its tag where that is a name that the site gave it.
    """
    class_name, id_name, test_name = "", "", tag
    for key, value in attrs:
        if key == "class":
            class_name = value or ""
        elif key == "id":
            id_name = value or ""
        elif key in _TEST_NAMES and value:
            test_name = f"{test_name} {value[:_MAX_NAME_CHARS]}"
    if test_name:
        class_name = f"{class_name[: _MAX_CHARS // 2]} {test_name}"
    if not class_name and not id_name:
        return _NO_NAMES
    return _read(class_name[:_MAX_CHARS], id_name[:_MAX_CHARS])
