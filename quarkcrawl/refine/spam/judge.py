"""Which kinds of spam a page is, judged by several independent signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quarkcrawl.page import PageTree
from quarkcrawl.refine.spam.hidden import HiddenLinks, foreign_links, hidden_links
from quarkcrawl.refine.spam.lexicon import SUBJECTS, Lexicon, Matches, plain, plain_lines, size
from quarkcrawl.refine.spam.loops import declarations, link_texts
from quarkcrawl.refine.spam.repetition import TextRepeats, repetition
from quarkcrawl.refine.spam.scripts import script_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.page import Page


REASONS: Final[dict[str, str]] = {
    "spam_gambling": "The page advertises gambling.",
    "spam_pornography": "The page advertises pornography or prostitution.",
    "spam_pharmacy": "The page sells drugs or remedies as fake pharmacies do.",
    "spam_loans": "The page offers loans as loan sharks do.",
    "spam_stuffing": "The page repeats the phrases it wants to be found by and says nothing.",
    "spam_spun": "The text was spun: one text in several wordings, or with unfilled slots.",
    "spam_hacked": "The page carries hidden links, a redirect or a title that intruders left.",
}
"""Reason code of each kind of spam, and what it means."""

KINDS: Final = tuple(code.removeprefix("spam_") for code in REASONS)

THRESHOLD: Final = 0.5
"""Score from which a page is called spam."""

_MAX_TEXT: Final = 12_000
"""Characters of a text that are read: spam says what it sells early."""

_SAMPLE: Final = 1_400
"""Characters of a text that are searched at first; all of it is if these or the title know a word
that advertises."""

_MAX_ANCHOR: Final = 32
"""Characters of a link's text that is a keyword; headlines of news are longer."""

_MAX_ANCHORS: Final = 400

_SIMPLE: Final = re.compile(r"https?://([a-z\d.-]+)(?:[/?#]|\Z)", re.ASCII)
"""Addresses as most are, taken apart without `urlsplit`."""

_HANDLE: Final = re.compile(
    r"(?:微信|薇信|威信|v信|wx|vx|weixin|wechat|qq|扣扣|q群|企鹅|电报|電報|飞机|telegram|tg|whatsapp"
    r"|skype|signal|wickr|kik|line|加薇|加微|加v|号|號|热线|熱線|电话|電話|手机|手機|客服|咨询|call|text|tel|phone"
    r"|hotline|官网|官網|网址|網址)"
    r"[^\w\n@+]{0,6}(?:(?:号|號|us|now|at|id|me|码|群|号码|同号)[^\w\n]{0,4})?[@+(]?([a-z\d][a-z\d_.()-]{4,24})"
)
_CHANNEL: Final = re.compile(
    r"(?:[a-z\d-]{2,40}\.){1,3}(?:com|net|cc|vip|top|xyz|app|bet|club|me|org|info|online|shop|site|live|win|tv)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class PageSpam:
    """What spam a page is.

    Args:
        kinds: kinds of spam, those of the highest score first; empty for a good page.
        score: from 0 to 1, the highest of all kinds; from .5 on the page is spam.
        evidence: signs as ``kind:sign=what``, for a reader.
    """

    kinds: tuple[str, ...] = ()
    score: float = 0.0
    evidence: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Codes of `REASONS` for the kinds."""
        return tuple(f"spam_{kind}" for kind in self.kinds)


def spam_of(
    page: Page | PageTree | None,
    text: str,
    title: str = "",
    *,
    url: str = "",
    lexicon: Lexicon | None = None,
) -> PageSpam:
    """Judge whether a page is spam, and of which kinds; no input makes it raise.

    Args:
        page: the page or its tree; None if only the text is left: then links, scripts and
            declared keywords do not speak.
        text: its content, as extraction found it.
        title: its headline or title.
        url: its address; links to other hosts are foreign.
        lexicon: words of spam; those that come with the package if None.

    >>> spam_of(None, "今天天气很好，我们去公园看花。").kinds
    ()
    """
    tree = page if page is None or isinstance(page, PageTree) else page.tree
    if not url and page is not None and not isinstance(page, PageTree):
        url = page.url
    clues = _Clues(tree, text[:_MAX_TEXT], title, url, lexicon or Lexicon.packaged())
    scores: dict[str, tuple[float, list[str]]] = {}
    for kind in SUBJECTS:
        if kind in clues.matches:
            scores[kind] = _subject(clues, kind)
    scores["stuffing"] = _stuffing(clues)
    sells = any(score >= THRESHOLD for score, _ in scores.values())
    scores["spun"] = (0.0, []) if sells else _spun(clues)  # advertisements repeat themselves anyway
    scores["hacked"] = _hacked(clues)
    ranked = sorted(scores, key=lambda kind: -scores[kind][0])
    kinds = tuple(kind for kind in ranked if scores[kind][0] >= THRESHOLD)
    shown = kinds or [kind for kind in ranked[:1] if scores[kind][0] > 0]
    evidence = tuple(f"{kind}:{sign}" for kind in shown for sign in scores[kind][1])
    return PageSpam(kinds, round(scores[ranked[0]][0], 3), evidence)


class _Clues:
    """What the judges of all kinds look at."""

    def __init__(
        self, tree: PageTree | None, text: str, title: str, url: str, lexicon: Lexicon
    ) -> None:
        self.text = plain(text)
        self.lexicon = lexicon
        shown_title = tree.title if tree is not None else ""
        self.title = plain(title if title in shown_title else f"{title} {shown_title}")[:400]
        self.keywords, self.declared = _declared(tree)
        heads, sample = f"{self.title}\n{self.keywords}\n{self.declared}", _sample(self.text)
        foreign = foreign_links(tree, _host(url)) if tree is not None else {}
        anchors: list[str] = []
        if tree is not None and len(foreign) > 1:
            nodes = list(foreign)[:_MAX_ANCHORS]
            anchors = link_texts(tree.runs, tree.run_raw, tree.run_start, tree.run_end, nodes)
        names = plain_lines(_names(anchors))
        knows_any = bool(lexicon.matches(f"{heads}\n{sample}\n{names}"))  # most pages do not
        self.in_heads = lexicon.matches(heads) if knows_any else {}
        self.in_title = lexicon.matches(self.title) if _subjects(self.in_heads) else {}
        self.matches = lexicon.matches(sample) if knows_any else {}
        if len(self.text) > _SAMPLE and (self.in_title or _subjects(self.matches)):
            self.matches = lexicon.matches(self.text)
        self.repeats: TextRepeats = repetition(self.text, f"{self.title}\n{self.keywords}")
        self.scripts = script_signs(tree) if tree is not None else ()
        self.hidden = HiddenLinks()
        self.heavy: tuple[str, ...] = ()
        sells = knows_any and len(self._heavy(anchors)) > 1
        if tree is not None and (sells or (self.scripts and len(foreign) > 1)):
            self.hidden = hidden_links(tree, foreign)
            self.heavy = self._heavy(self.hidden.anchors)

    def _heavy(self, anchors: Sequence[str]) -> tuple[str, ...]:
        """Texts of links, each once, that name what spam sells."""
        names = _names(anchors)
        if not _subjects(self.lexicon.matches(plain_lines(names))):
            return ()
        distinct = dict.fromkeys(map(plain, names))
        return tuple(one for one in distinct if _subjects(self.lexicon.matches(one)))

    @property
    def size(self) -> float:
        """Length of the text as `size` has it, never 0."""
        return max(size(self.text), 1.0)

    def contacts(self) -> int:
        """Different handles, numbers and addresses that the text names."""
        handles = {handle for handle in _HANDLE.findall(self.text) if _is_handle(handle)}
        return len(handles)

    def addresses(self) -> int:
        """Different host names written in the text."""
        return len(set(_CHANNEL.findall(self.text)))


def _names(anchors: Sequence[str]) -> list[str]:
    """The texts of links that are keywords, each once."""
    return list(dict.fromkeys(one.strip() for one in anchors if len(one) <= _MAX_ANCHOR))


def _sample(text: str) -> str:
    return text if len(text) <= _SAMPLE else f"{text[: _SAMPLE - 400]}\n{text[-400:]}"


def _subjects(matches: dict[str, Matches]) -> bool:
    """Whether some word advertises, or tries not to be found."""
    return any(
        matches[kind].n_words(2) or matches[kind].n_disguised
        for kind in SUBJECTS
        if kind in matches
    )


def _is_handle(handle: str) -> bool:
    return any(char.isdigit() for char in handle) or "_" in handle


def _host(url: str) -> str:
    if match := _SIMPLE.match(url):
        return match[1]
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _declared(tree: PageTree | None) -> tuple[str, str]:
    """Keywords and description that a page declares, made plain."""
    if tree is None:
        return "", ""
    keywords, description = declarations(tree.all_attrs, tree.places("meta"))
    return plain(keywords[:2000]), plain(description[:2000])


_DENSE: Final = 2.5
"""Weight of the words in a hundred characters from which a text is about nothing else."""


def _subject(clues: _Clues, kind: str) -> tuple[float, list[str]]:
    """How much a text advertises one of the kinds that are known by their words."""
    here: Matches = clues.matches[kind]
    density = 100 * here.weight / clues.size
    signs = _signs_of_words(clues, kind, density)
    if density < _DENSE:
        return min(0.4, 0.05 * len(signs)), signs
    acts = _acts(clues)
    if not (here.n_words(3) or here.n_words(2) >= 3 or here.n_disguised >= 2):
        return min(0.4, 0.05 * len(signs)), signs + acts
    points = len(signs) + 1.2 * len(acts)
    if not acts and not (here.n_words(3) >= 4 and density >= 3 * _DENSE):
        points = min(points, 3.9)  # who reports about spam asks for nothing
    return min(1.0, points / 8), signs + acts


def _signs_of_words(clues: _Clues, kind: str, density: float) -> list[str]:
    """What speaks for a kind in the words of text, title and declarations."""
    here, title, heads = clues.matches[kind], clues.in_title.get(kind), clues.in_heads.get(kind)
    most = max(here.counts.values())
    signs = {
        f"density={density:.1f}": density >= _DENSE,
        "words=" + ",".join(here.heaviest()): here.n_words(2) >= 3,
        f"strong={here.n_words(3)}": here.n_words(3) >= 2,
        f"disguised={here.n_disguised}": here.n_disguised >= 2,
        f"repeated={most}": most >= 5 and len(here.counts) >= 3,
    }
    if title is not None:
        signs["title=" + ",".join(title.heaviest(2))] = bool(title.n_words(2) or title.n_disguised)
    if heads is not None:
        signs["declared=" + ",".join(heads.heaviest())] = heads.n_words(2) >= 3
    return [sign for sign, holds in signs.items() if holds]


def _acts(clues: _Clues) -> list[str]:
    """How a text asks its reader to come: calls, handles, addresses."""
    call = clues.matches.get("call")
    n_contacts, n_addresses = clues.contacts(), clues.addresses()
    acts = []
    if call is not None and len(call.counts) >= 2:
        acts.append("call=" + ",".join(call.heaviest()))
    if n_contacts:
        acts.append(f"contact={n_contacts}")
    if n_addresses:
        acts.append(f"address={n_addresses}")
    return acts


def _stuffing(clues: _Clues) -> tuple[float, list[str]]:
    """How much a text is one phrase over and over."""
    repeats = clues.repeats
    if repeats.phrase_share < 0.06 or repeats.n_phrase < 8:
        return 0.0, []
    signs = [f"phrase={repeats.phrase}*{repeats.n_phrase}"]
    if repeats.phrase_share >= 0.12:
        signs.append(f"share={repeats.phrase_share:.2f}")
    if repeats.function_share < 0.03:
        signs.append(f"function={repeats.function_share:.3f}")
    if repeats.spread >= 0.6:
        signs.append(f"spread={repeats.spread:.2f}")
    if clues.keywords.count(repeats.phrase) >= 4:
        signs.append(f"keywords={clues.keywords.count(repeats.phrase)}")
    if clues.title.count(repeats.phrase) >= 2:
        signs.append(f"title={clues.title.count(repeats.phrase)}")
    score = min(1.0, len(signs) / 8)
    is_sought = clues.keywords.count(repeats.phrase) >= 4 or clues.title.count(repeats.phrase) >= 2
    is_bare = repeats.phrase_share >= 0.25 or (
        repeats.phrase_share >= 0.12 and repeats.function_share < 0.03
    )
    return (score if is_sought and is_bare else min(score, 0.45)), signs


def _spun(clues: _Clues) -> tuple[float, list[str]]:
    """How much a text reads as if spun by a program."""
    repeats = clues.repeats
    signs, points = [], 0.0
    if repeats.n_slots >= 2:
        signs.append(f"slots={repeats.n_slots}")
        points += 2
    if repeats.reworded_share >= 0.5:
        signs.append(f"reworded={repeats.reworded_share:.2f}")
        points += 3 if repeats.reworded_share >= 0.6 else 2
    if repeats.n_phrase >= 6 and repeats.spread >= 0.3 and repeats.function_share >= 0.02:
        signs.append(f"phrase={repeats.phrase}*{repeats.n_phrase}")
        points += 1 if repeats.spread < 0.5 else 1.5
    return min(1.0, points / 6), signs


def _hacked(clues: _Clues) -> tuple[float, list[str]]:
    """How much a page shows traces of intruders."""
    signs, points = [], 0.0
    hidden = clues.hidden
    heavy = clues.heavy
    if len(heavy) >= 2 and len(heavy) >= 0.2 * len(hidden.anchors):
        signs.append(f"hidden={len(hidden.anchors)}")
        signs.append("anchors=" + ",".join(heavy[:3]))
        points += 3
    elif hidden.is_sly and len(hidden.hosts) >= 4:
        signs.append(f"hidden={len(hidden.anchors)}")
        points += 1  # pages of good sites hide links, too
    for sign in clues.scripts:
        signs.append(f"script={sign}")
        points += 1.5
    alien = [
        kind for kind in SUBJECTS
        if kind in clues.in_heads and clues.in_heads[kind].n_words(2)
        and clues.in_heads[kind].n_words() >= 2
        and (kind not in clues.matches or not clues.matches[kind].n_words(2))
    ]  # fmt: skip
    if alien and clues.size >= 60:
        n_heavy = clues.in_heads[alien[0]].n_words(2)
        signs.append("alien=" + ",".join(clues.in_heads[alien[0]].heaviest(3)))
        points += 1.5 if n_heavy < 2 else 2 if n_heavy < 4 else 3
    return min(1.0, points / 6), signs
