"""Titles taken apart: separators, names of sites, and what two texts have in common.

A title element is mostly ``headline SEPARATOR section SEPARATOR site``. Separators also stand
inside headlines, so nothing is cut here for good: `parts` gives the pieces and `spans` all ways of
putting neighbours together again; which of them is the headline is for the page to say.
"""

from __future__ import annotations

import re
from typing import Final

MAX_TITLE_CHARS: Final = 300
"""Titles are read so far."""

_MAX_PARTS: Final = 10
_STRONG: Final = re.compile(
    r"\s*(?:[|｜¦│»«›‹·•]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|--+|—{1,2}|\s[-–:：/]\s|\s::\s|\s[<>＞]\s)\s*"
    r"|\s*(?<=[^\x00-\x7f])[-–](?=[^\x00-\x7f])\s*"
)
_ANY: Final = re.compile(
    r"\s*(?:[_|｜¦│»«›‹·•>＞~]|--+|—{1,2}|::|[:：]|(?<!\w)[-–/]|[-–/](?!\w)|(?<=[^\x00-\x7f])[-–/]|[-–/](?=[^\x00-\x7f]))\s*"
)
_OPENING: Final = "【《「『〈（(["
_CLOSING: Final = "】》」』〉）)]"
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_MAX_SITE_CHARS: Final = 40
_MAX_SITE_HAN: Final = 9
_SITE_WORDS: Final = (
    "网|網|网站|網站|报|報|日报|晚报|周刊|週刊|杂志|雜誌|频道|頻道|新闻|新聞|资讯|資訊|快讯|訊息|论坛|論壇|社区|社區|博客|部落格|在线|線上|"
    "門戶|门户|中心|首页|首頁|文库|百科|知道|问答|专栏|官网|官網|平台|电视台|電視台|出版社|公司|媒体|媒體|平臺|news|blog|"
    "forum|times|post|.com|.cn|.net|.org|.tw|.hk|.co.uk"
)
_SITE_ENDS: Final = tuple(_SITE_WORDS.split("|"))
_SITE: Final = re.compile(
    rf"(?:{'|'.join(map(re.escape, _SITE_ENDS))}|powered by .*)(?:[(（][^)）]*[)）])?$",
    re.IGNORECASE,
)


def bare(text: str) -> str:
    """Letters and digits only, in lower case: what counts when titles are compared."""
    return (text if text.isalnum() else "".join(filter(str.isalnum, text))).lower()


def parts(title: str) -> list[tuple[int, int]]:
    """Slices of a title between possible separators, at most ten.

    Args:
        title: text of a title element.
    """
    found = _slices(title, _ANY)
    if len(found) > _MAX_PARTS:
        middle = found[_MAX_PARTS - 2][0], found[-2][1]
        found = [*found[: _MAX_PARTS - 2], middle, found[-1]]
    return found


def _slices(title: str, separator: re.Pattern[str]) -> list[tuple[int, int]]:
    """Slices between separators; those inside brackets part nothing."""
    found: list[tuple[int, int]] = []
    done = 0
    for match in separator.finditer(title):
        before = title[done : match.start()]
        n_open = sum(map(before.count, _OPENING)) - sum(map(before.count, _CLOSING))
        if before and n_open <= 0:
            found.append((done, match.start()))
        if n_open <= 0:
            done = match.end()
    if done < len(title):
        found.append((done, len(title)))
    return found


def spans(title: str) -> list[str]:
    """All runs of neighbouring parts, longest first."""
    pieces = parts(title)
    found = {
        title[first[0] : last[1]] for place, first in enumerate(pieces) for last in pieces[place:]
    }
    return sorted(found, key=len, reverse=True)


def is_site_name(text: str) -> bool:
    """Whether a part of a title looks like the name of a site or of one of its sections.

    Headlines that end with the name of an organisation are longer than names of sites.
    """
    if len(text) > _MAX_SITE_CHARS:
        return False
    folded = text.casefold()
    if not folded.endswith(_SITE_ENDS):  # which tells most of them sooner than a pattern
        may_be = folded.endswith((")", "）", "\n")) or "powered by " in folded
        if not may_be or _SITE.search(text) is None:
            return False
    return len(_HAN.findall(text.partition("（")[0].partition("(")[0])) <= _MAX_SITE_HAN


def strip_site(title: str, site: str = "") -> str:
    """Title without the names of site and sections, for pages that show no headline.

    Args:
        title: text of a title element.
        site: name of the site where the page states it.
    """
    pieces = [title[first:last] for first, last in _slices(title, _STRONG)]
    if len(pieces) < 2:
        return _without_last_words(title)
    named = bare(site)
    kept = [piece for piece in pieces if bare(piece) != named and not is_site_name(piece)]
    if not kept:
        return pieces[0]
    best = max(kept[:1] + kept[-1:], key=lambda piece: (len(bare(piece)), piece == kept[0]))
    if len(bare(kept[0])) * 2 >= len(bare(best)):
        best = kept[0]
    return _without_last_words(best)


def _without_last_words(title: str) -> str:
    """Title without names of sites that only a space parts from it."""
    while True:
        head, _, last = title.rpartition(" ")
        if not head or last.isascii() or len(last) > len(head) or not is_site_name(last):
            return title
        title = head


def common_chars(first: str, second: str) -> int:
    """Length of the longest common substring of two bare texts."""
    if first in second:
        return len(first)
    if second in first:
        return len(second)
    best = 0
    for start in range(len(first)):
        while start + best < len(first) and first[start : start + best + 1] in second:
            best += 1
    return best


def pieces(text: str, n_chars: int, step: int = 1) -> list[str]:
    """All pieces of a length; texts that share none have no longer one in common either.

    Only one of ``step`` pieces is taken: of any ``n_chars + step - 1`` characters in a row there is
    one.
    """
    return [text[place : place + n_chars] for place in range(0, len(text) - n_chars + 1, step)]
