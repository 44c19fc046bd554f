"""The headline of a page, and how it is kept from standing in the text a second time.

Candidates are the headings, and every line of the page that is a part of what the page declares
as its title (title element, og:title, JSON-LD …) between possible separators. So a separator
inside a headline does no harm where the headline is shown whole, and the name of a site falls
off without a list of sites. Only a page that shows no headline has its title element cut.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.content.declared import TITLES, Declared
from quarkcrawl.content.page_lines import fold
from quarkcrawl.content.permalinks import MAX_PERMALINK_CHARS, permalinks_among, without_button

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page import PageTree


MAX_TITLE_CHARS: Final = 300
"""Titles are read so far."""

_MAX_PARTS: Final = 10
_STRONG: Final = re.compile(
    r"(?=[\s|｜¦│›‹·•_—–-])"
    r"(?:\s*(?:[|｜¦│›‹·•]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|--+|—{1,2}|\s[-–:：/]\s|\s::\s|\s[<>＞«»]\s)\s*"
    r"|\s*(?<=[^\x00-\x7f])[-–](?=[^\x00-\x7f])\s*)"
)
"""Begins with all that a separator can begin with: so most places are passed sooner."""

_ANY: Final = re.compile(
    r"(?=[\s_|｜¦│›‹·•>＞~—:：–/-])"
    r"\s*(?:[_|｜¦│›‹·•>＞~]|\s[«»]\s|--+|—{1,2}|::|[:：]|(?<!\w)[-–/]|[-–/](?!\w)|(?<=[^\x00-\x7f])[-–/]|[-–/](?=[^\x00-\x7f]))\s*"
)
_LAST_DASH: Final = re.compile(r"(?<=[A-Za-z0-9])[-–](?=[\u4e00-\u9fff][^-–]*$)")
_OPENING: Final = "【《「『〈（(["
_CLOSING: Final = "】》」』〉）)]"
_BRACKETS: Final = frozenset(_OPENING)
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_MAX_SITE_CHARS: Final = 40
_MAX_SITE_HAN: Final = 9
_SITE_WORDS: Final = (
    "网|網|网站|網站|报|報|日报|晚报|周刊|週刊|杂志|雜誌|频道|頻道|新闻|新聞|资讯|資訊|快讯|訊息|论坛|論壇|社区|社區|博客|部落格|在线|線上|"
    "門戶|门户|中心|首页|首頁|文库|百科|知道|问答|专栏|官网|官網|平台|电视台|電視台|出版社|公司|媒体|媒體|平臺|news|blog|"
    "forum|times|post|.com|.cn|.net|.org|.tw|.hk|.co.uk"
)
_SITE_ENDS: Final = tuple(_SITE_WORDS.split("|"))
_SITE_LASTS: Final = frozenset(end[-1] for end in _SITE_ENDS)
_SITE: Final = re.compile(
    rf"(?:{'|'.join(map(re.escape, _SITE_ENDS))}|powered by .*)(?:[(（][^)）]*[)）])?$",
    re.IGNORECASE,
)


_ALNUM: Final = re.compile(r"[^\W_]+")
_ASCII: Final = re.compile(r"[\0-\x7f]")
_MAX_HEADINGS: Final = 40
_MAX_CHARS: Final = 200
_MAX_LINES: Final = 6
"""So many lines of a heading are read."""

_MIN_PART_CHARS: Final = 3
_TELLING_CHARS: Final = 4
_TELLING_LETTERS: Final = 10
_FIRST_PART_CHARS: Final = 8
_WEIGHT: Final = {"h1": 6.0, "h2": 3.0, "h3": 1.0}
_ONLY_H1: Final = 3.0
"""What the only h1 of a page weighs more."""

_LEAST_SCORE: Final = 5.0
"""What a candidate must have where the page declares a telling title."""

_MAX_RUNS: Final = 100
"""A heading of more pieces is looked at as it is."""

_UNSEEN: Final = " \u200b\ufeff"
"""What may stand around a heading without being seen."""

_HOME: Final = re.compile(r"\s*(?:\.{0,2}/|(?:https?:)?//[^/?#]{1,255}/?|/?index\.\w{3,5})\s*")
_NAMING: Final = frozenset(("class", "id", "role"))
_DIALOG: Final = re.compile(
    r"(?:^|[\s_-])(?:modal|dialog)(?:\s|$|[_-](?:title|header|head|content|body|dialog))",
    re.IGNORECASE,
)
_DIALOG_LEVELS: Final = 4
_TRAIL: Final = re.compile("(?:您的|您现在的|当前|目前|現在|目前的)位置|首页 |首頁 |〉| > |＞")
_TRAIL_MARKS: Final = ("〉", " > ", "＞", " » ")
_ANGLED: Final = re.compile(r"\w< [^<>]{1,100}+>|\w< [^<>]{1,100}+< [^<>]{1,100}+> >")
"""Parameters of a type as manuals of C++ write them, ``Buffer< T >``: no separator is in them."""

_HEAD_LINES: Final = 6
"""So many first lines of a text are looked at for its headline."""

_BYLINE: Final = re.compile(
    r"(?:^|[\s【\[(（])(?:[来來]\s?源|[作记記]\s?者|[发發][布佈](?:[时時][间間]|日期)?|[时時][间間]|日期)\s?[:：]"
    r"|^(?:本[报報网網](?:[实實见見][习習]|特[约約]|首席)?)?[记記]者\s?[^\s，。]{2,4}(?:\s[^\s，。]{2,4}){0,3}$"
    r"|(?:19|20)\d\d\s?[-/.年]\s?\d\d?\s?[-/.月]\s?\d\d?"
)
_PARAGRAPH: Final = re.compile("(?=.{30})[^。]{6,}[，。；]")
_NO_HEADLINE: Final = re.compile(r"[。；]|[:：]$|^[-–—]|首[页頁]")
_MAX_BYLINE_CHARS, _MIN_SHOWN_CHARS, _MAX_SHOWN_CHARS = 100, 6, 50
_MAX_VAGUE_CHARS: Final = 14
"""A title element so short may be that of all pages of a site."""

_N_BEHIND: Final = 8
"""A further byline among so many lines is that of the next article of a list."""

_MAX_STEPS: Final = 3
"""A byline stands so few lines above the text, a headline so few above the byline."""

_IDEOGRAPHS: Final = re.compile("[\u4e00-\u9fff]{2,12}")

_SHRINKING: Final = 4
"""Characters that become at most one by compatibility composition (Unicode UAX 15)."""


class Headline(NamedTuple):
    """The headline.

    Args:
        text: white space folded.
        origin: what it came from: ``h1``, ``h2``, ``h3``, ``line``, or the name of a declared
            title where the page shows none.
        run: where it stands, -1 if it is not shown.
    """

    text: str = ""
    origin: str = ""
    run: int = -1


def find_headline(tree: PageTree, declared: Declared | None = None) -> Headline:
    """Find the headline of a page.

    Args:
        tree: the page.
        declared: what it declares, None if nobody read it yet.
    """
    declared = declared or Declared(tree)
    lines = declared.lines
    headings = list(_headings(tree, lines, "h1"))
    shown = {heading.text: heading for heading in reversed(headings)}
    cut: dict[str, str] = {}
    for text in (declared.title, declared.first(TITLES)) if shown else ():
        # An h1 that is the title without the site: nothing can outdo it, and half of all pages
        # have it. It is sought before JSON-LD is read and lines are counted.
        title = fold(text)[:MAX_TITLE_CHARS]
        cut[title] = core = strip_site(title, declared.site)
        is_told = len(core) >= _FIRST_PART_CHARS and core in shown and not is_site_name(core)
        if is_told and shown[core] in _without_site(list(shown.values()), {"": title}):
            return shown[core]
    titles = {name: fold(text)[:MAX_TITLE_CHARS] for name, text in declared.titles().items()}
    titles = {name: text for name, text in titles.items() if text}
    cut = {text: cut.get(text) or strip_site(text, declared.site) for text in titles.values()}
    judge = _Judge(list(cut), list(cut.values()), declared.site)
    has_one = len(headings) == 1
    rivals = _without_site([*headings, *_headings(tree, lines, "h2", "h3")], titles)
    scores = [judge.score(candidate, is_only=has_one) for candidate in rivals]
    most = max([judge.least, *scores])
    best = _best_line(lines, judge, cut, most)
    if best is None and most in scores and most > judge.least:
        best = rivals[scores.index(most)]
    if best is not None:
        return judge.without_noise(best, lines)
    first = rivals[scores.index(max(scores))] if rivals else Headline()
    unseen = next((Headline(cut[text], name) for name, text in titles.items()), first)
    return _above_byline(lines, unseen.text) or unseen


def _is_vague(title: str) -> bool:
    """Whether a declared title may be that of all pages of a Chinese site."""
    return len(title) <= _MAX_VAGUE_CHARS and (not title or _HAN.search(title) is not None)


def _is_byline(text: str) -> bool:
    return len(text) <= _MAX_BYLINE_CHARS and _BYLINE.search(text) is not None


def _above_byline(lines: PageLines, title: str) -> Headline | None:
    """The line above the byline of a Chinese article whose title is nowhere shown."""
    if not _is_vague(title):
        return None
    texts = lines.lines
    start = next((n for n, text in enumerate(texts) if _PARAGRAPH.match(text)), 0)
    for byline in range(start - 1, max(start - 1 - _MAX_STEPS, 0), -1):
        if not _is_byline(texts[byline]):
            continue
        if any(map(_is_byline, texts[start : start + _N_BEHIND])):
            return None  # a list of articles
        for place in range(byline - 1, max(byline - 1 - _MAX_STEPS, -1), -1):
            text = texts[place]
            is_long = _MIN_SHOWN_CHARS <= len(text) <= _MAX_SHOWN_CHARS
            if not is_long or _NO_HEADLINE.search(text) or _BYLINE.search(text):
                continue
            is_title = _HAN.search(text) and not _TRAIL.search(text) and not is_site_name(text)
            run = lines.first_of([text]).get(text, -1) if is_title else -1
            return Headline(text, "line", run) if run >= 0 else None
    return None


def _without_site(rivals: list[Headline], titles: dict[str, str]) -> list[Headline]:
    """Headings without those that end a title which begins with another heading.

    So a site puts its own name, or that of a book, behind the headline.
    """
    last = {
        rival.text: title[: -len(rival.text)]
        for title in titles.values()
        for rival in rivals
        if title.endswith(rival.text) and len(title) > len(rival.text)
    }
    if not last:
        return rivals
    cores = {bare(rival.text) for rival in rivals} - {""}
    sites = {text for text, rest in last.items() if bare(rest) in cores}
    return [rival for rival in rivals if rival.text not in sites]


def _headings(tree: PageTree, lines: PageLines, *names: str) -> Iterator[Headline]:
    nodes = tree.places(*names)[:_MAX_HEADINGS]
    for node, start in zip(nodes.tolist(), tree.run_start[nodes].tolist(), strict=True):
        first, behind = _without_permalinks(tree, start, without_button(tree, node))
        text = lines.text_of_runs(first, behind, _MAX_LINES).strip(_UNSEEN)
        is_text = 2 <= len(text) <= _MAX_CHARS
        if is_text and not _is_logo(tree, node) and not _in_dialog(tree, node):
            yield Headline(_behind_trail(text), tree.tags[node], first)


def _without_permalinks(tree: PageTree, start: int, end: int) -> tuple[int, int]:
    """Edges of a heading's runs without the sign that links it to itself, before it or behind."""
    if end - start > _MAX_RUNS:
        return start, end
    shown = [run for run in range(start, end) if tree.run_chars[run]]
    edges = {*shown[:1], *shown[-1:]}
    short = [run for run in edges if tree.run_chars[run] <= MAX_PERMALINK_CHARS]
    for run in permalinks_among(tree, short) if len(shown) > 1 else ():
        if run == shown[0]:
            start = run + 1
        else:
            end = run
    return start, end


def _in_dialog(tree: PageTree, node: int) -> bool:
    """Whether a heading stands in a window that a script opens, such as one to log in."""
    for _ in range(_DIALOG_LEVELS):
        node = int(tree.parent[node])
        if node <= 0:
            return False
        if tree.tags[node] == "dialog":
            return True
        for key, value in tree.raw_attrs(node):
            if key in _NAMING and value and _DIALOG.search(value[:_MAX_CHARS]):
                return True
    return False


def _is_logo(tree: PageTree, node: int) -> bool:
    """Whether a heading is, or stands in, a link to the home page."""
    if "a" not in tree.tags[node - 1 : node + 2]:
        return False
    links = [place for place in (node - 1, node + 1) if tree.tags[place : place + 1] == ["a"]]
    return any(
        (place > node or tree.run_end[place] >= tree.run_end[node])
        and _HOME.fullmatch(tree.attr(place, "href") or "") is not None
        for place in links
    )


def _behind_trail(text: str) -> str:
    """The last step of a heading that is a trail of links."""
    if _ANGLED.search(text):
        return text
    for mark in _TRAIL_MARKS:
        if mark in text:
            head, _, last = text.rpartition(mark)
            if len(last) >= _FIRST_PART_CHARS and head[:6].strip():
                return last.strip()
    return text


def _best_line(
    lines: PageLines, judge: _Judge, titles: Iterable[str], least: float
) -> Headline | None:
    """The best of the lines that are a part of a declared title and score above a bound."""
    parts = dict.fromkeys(part for text in titles for part in spans(text))
    # No line scores more than it has characters.
    starts = lines.first_of(part for part in parts if len(part) > max(least, _MIN_PART_CHARS - 1))
    headlines = [Headline(part, "line", starts[part]) for part in parts if part in starts]
    scores = [judge.score(line, is_only=False) for line in headlines]
    return headlines[scores.index(max(scores))] if max(scores, default=least) > least else None


class _Judge:
    """Weighs candidates against what the page declares.

    Args:
        declared: declared titles.
        cut: the same without names of sites.
        site: name of the site where the page states it.
    """

    def __init__(self, declared: list[str], cut: list[str], site: str) -> None:
        self._references = list(dict.fromkeys(map(bare, declared)))
        self._declared = declared
        self._site = bare(site)
        self._first_parts = {
            bare(text[: end[1]]) for text in declared for end in _slices(text, _STRONG)[:1]
        }
        cores = {text: core for text in cut if len(core := bare(text)) >= _TELLING_CHARS}
        self._cut = cores
        self._is_told = any(
            core != self._site and not is_site_name(text) for text, core in cores.items()
        )
        self._n_told = min(map(len, cores.values())) if self._is_told else 0
        self.least = _LEAST_SCORE if self._is_told else 0.0

    def score(self, headline: Headline, *, is_only: bool) -> float:
        """How much a line looks like the headline; below 0: not at all.

        Args:
            headline: the line.
            is_only: the page has one h1.
        """
        text = bare(headline.text)
        if not text:
            return -1.0
        score = _WEIGHT.get(headline.origin, 0.0)
        is_only &= headline.origin == "h1"
        score += _ONLY_H1 if is_only else 0.0
        shared, place = self._agreement(text)
        is_first = False
        if not shared:
            if self._is_told and (not is_only or headline.text.endswith((":", "："))):
                return -1.0
        else:
            is_long = shared >= _FIRST_PART_CHARS
            is_first = place == 0 and (is_long or (score > 0 and shared == len(text)))
            weight = _width(text) / len(text)
            score += min(shared * weight, 40) * (1.0 if place == 0 else 0.75)
            score -= 0.5 * weight * (len(text) - shared)
            score -= 20.0 if shared < 0.5 * self._n_told and not is_first else 0.0
            # So short that little speaks for it: 通知 of 通知_某某大学.
            score += 1.0 if is_first and text in self._first_parts else 0.0
        # The only h1 may look like a name of a site where it begins the title: 天网 of 天网_北大.
        is_site = text == self._site or (is_site_name(headline.text) and not (is_only and is_first))
        if is_site or _TRAIL.search(_ANGLED.sub(" ", headline.text)):
            score -= 15
        return score

    def _agreement(self, text: str) -> tuple[int, int]:
        """Shared characters, and minus their place: headlines mostly precede the site's name.

        So few that they may be an accident count as none.
        """
        least = min(-(-4 * len(text) // 5), _TELLING_LETTERS if text.isascii() else _TELLING_CHARS)
        best = 0, 0
        for reference in self._references:
            place = reference.find(text)
            if place >= 0:
                best = max(best, (len(text), -place))
            elif best[0] < len(text):
                best = max(best, (common_chars(text, reference, max(least, best[0])), 0))
        return best

    def without_noise(self, headline: Headline, lines: PageLines) -> Headline:
        """A declared title that the line holds behind a label, or with a label stuck to it."""
        if bare(headline.text) in self._references:
            return headline
        for text in self._cut:
            before, match, after = headline.text.partition(text)
            is_end = any(one.startswith(text) or one.endswith(text) for one in self._declared)
            if not match or not is_end or text.endswith(("…", "...")):
                continue
            is_label = before or after[:1].isalnum()
            if is_label or (after and lines.text_of_line_at(headline.run) == text):
                return Headline(text, headline.origin, headline.run)
        return headline


def _width(text: str) -> float:
    """Length in Chinese characters; a word of Western letters says as much as two of them."""
    if _ASCII.search(text) is None:
        return float(len(text))
    return sum([0.4 if char < "\x80" else 1.0 for char in text])


def bare(text: str) -> str:
    """Letters and digits only, in lower case: what counts when titles are compared."""
    return (text if text.isalnum() else "".join(_ALNUM.findall(text))).lower()


def parts(title: str) -> list[tuple[int, int]]:
    """Slices of a title between possible separators, at most ten.

    Args:
        title: text of a title element.
    """
    slices = _slices(title, _ANY)
    if len(slices) > _MAX_PARTS:
        middle = slices[_MAX_PARTS - 2][0], slices[-2][1]
        slices = [*slices[: _MAX_PARTS - 2], middle, slices[-1]]
    return slices


def _slices(title: str, separator: re.Pattern[str]) -> list[tuple[int, int]]:
    """Slices between separators; those inside brackets part nothing."""
    slices: list[tuple[int, int]] = []
    done, has_brackets = 0, not _BRACKETS.isdisjoint(title)
    angled = [match.span() for match in _ANGLED.finditer(title)]
    for match in separator.finditer(title):
        start, end = match.span()
        if any(first < start < last for first, last in angled):
            continue
        if has_brackets:
            before = title[done:start]
            if sum(map(before.count, _OPENING)) > sum(map(before.count, _CLOSING)):
                continue
        if done < start:
            slices.append((done, start))
        done = end
    if done < len(title):
        slices.append((done, len(title)))
    return slices


def spans(title: str) -> list[str]:
    """All runs of neighboring parts, longest first."""
    pieces = parts(title)
    texts = [
        title[first[0] : last[1]] for place, first in enumerate(pieces) for last in pieces[place:]
    ]
    return sorted(dict.fromkeys(texts), key=len, reverse=True)


def is_site_name(text: str) -> bool:
    """Whether a part of a title looks like the name of a site or of one of its sections.

    Headlines that end with the name of an organization are longer than names of sites.
    """
    if len(text) > _MAX_SITE_CHARS:
        return False
    folded = text.casefold()
    # Most names are told sooner than by a pattern.
    if folded[-1:] not in _SITE_LASTS or not folded.endswith(_SITE_ENDS):
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
    cores, named = {piece: bare(piece) for piece in pieces}, bare(site)
    own_pieces = [piece for piece in pieces if cores[piece] != named and not is_site_name(piece)]
    if not own_pieces:
        return pieces[0]
    first, last = own_pieces[0], own_pieces[-1]
    return _without_last_words(first if len(cores[first]) * 2 >= len(cores[last]) else last)


def _without_last_words(title: str) -> str:
    """Title without names of sites that only a space, or a dash behind a letter, parts from it."""
    dash = _LAST_DASH.search(title)
    if dash and is_site_name(title[dash.end() :]) and dash.start() > len(title) - dash.end():
        title = title[: dash.start()]
    while True:
        head, _, last = title.rpartition(" ")
        if not head or last.isascii() or len(last) > len(head) or not is_site_name(last):
            return title
        title = head


def common_chars(first: str, second: str, at_least: int = 1) -> int:
    """Length of the longest common substring of two texts, 0 if it is not that long."""
    # Of any so many characters in a row one of these pieces is a part; most texts share none.
    half = at_least // 2
    starts = range(0, len(first) - half + 1, at_least - half + 1)
    for start in starts:
        if first[start : start + half] in second:
            break
    else:
        return 0
    best = max(at_least, 1) - 1
    for start in range(len(first) - best):
        while first[start : start + best + 1] in second and start + best < len(first):
            best += 1
    return best if best >= at_least else 0


def squeezed(text: str) -> str:
    """A text without white space, compatibility forms unified, in lower case.

    Args:
        text: any text.
    """
    return "".join(unicodedata.normalize("NFKC", text).split()).lower()


def _kept_part(text: str) -> str:
    """A part of a text that stands in it when it is squeezed, too; "" if none is seen at once.

    Ideographs stay what they are, and so does an ASCII character with another one behind it.
    """
    match = _IDEOGRAPHS.search(text)
    if match:
        return match[0]
    head = text[:8]
    return "".join(head[:-1].split()).lower() if head.isascii() else ""


def is_squeezed(text: str, title: str) -> bool:
    """Whether a text is a squeezed one, which a part of it mostly tells.

    Args:
        text: any text.
        title: what it should be when it is `squeezed`.
    """
    return _kept_part(text) in title and squeezed(text) == title


def headline_among(tree: PageTree, texts: list[str], declared: Declared) -> Headline | None:
    """The headline, if some lines of the page may be it; None where it need not be sought.

    Args:
        tree: the page.
        texts: the lines.
        declared: what the page declares.
    """
    titles = [text for text in (declared.title, declared.first(TITLES)) if text]
    # Where there is a title only an h1 may be the headline that does not stand in it.
    nodes = tree.places("h1") if titles else tree.places(*_WEIGHT)
    edges = zip(tree.run_start[nodes].tolist(), tree.run_end[nodes].tolist(), strict=True)
    titles += ["".join(tree.runs[start : min(end, start + _MAX_LINES)]) for start, end in edges]
    whole = "\n".join(titles)
    folded = squeezed(whole)
    short = (text for text in texts if 0 < len(text) <= _MAX_CHARS)
    if any(_kept_part(text) in folded and squeezed(text) in folded for text in short):
        return find_headline(tree, declared)
    if len(nodes) or not _is_vague(strip_site(fold(declared.title), declared.site)):
        return None
    headline = find_headline(tree, declared)
    return headline if headline.run >= 0 else None


def without_headline(text: str, tree: PageTree, declared: Declared) -> tuple[str, Headline | None]:
    """A text without the line, among its first ones, that is the headline, and the headline.

    Args:
        text: the content, one paragraph a line.
        tree: the page.
        declared: what it declares.

    Returns:
        Both; None where it was clear without searching that no line is the headline.
    """
    lines = text.split("\n", _HEAD_LINES)
    headline = headline_among(tree, lines[:_HEAD_LINES], declared)
    core = squeezed(headline.text) if headline else ""
    for number, line in enumerate(lines[:_HEAD_LINES] if core else ()):
        if len(line) <= 2 * _SHRINKING * len(core) + 2 and is_squeezed(line, core):
            return "\n".join(lines[:number] + lines[number + 1 :]), headline
    return text, headline
