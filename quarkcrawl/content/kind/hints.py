"""Hints at the kind of a page: how often words of one meaning stand in names, labels and addresses.

A few hundred marked pages cannot teach that "add to bag" says what "buy now" says. The words of
one meaning count together here, and the model learns what each group is worth. The groups hold
words of the web in general, of several languages, and no names of sites.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quarkcrawl.content.kind.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from quarkcrawl.page import PageTree


_NAMES: Final = {
    "cart": "addtocart add-to-cart add_to_cart cart basket buy checkout wishlist bag",
    "price": "price sale amount money discount msrp",
    "product": "product sku variant swatch quantity qty stock shipping gallery goods",
    "review": "review rating stars",
    "grid": "grid tile card collection",
    "filter": "filter facet sort refine",
    "pager": "pagin pager next-page load-more loadmore",
    "list": "list archive feed teaser loop results excerpt summary",
    "entry": "entry article story byline post-content post-title single dateline",
    "author": "author byline publish timestamp date-time",
    "share": "share social",
    "related": "related recommend popular trending",
    "comment": "comment respond",
    "post": "postbit postbody post-body post_body message thread topic-body reply replies",
    "forum": "forum topic bbs board",
    "member": "avatar username user-info userinfo member signature karma reputation joined profile",
    "vote": "vote upvote score accepted answer question",
    "manual": "docs toc markdown sidebar-nav sidenav version-sel",
    "code": "highlight code-block codeblock language- syntax",
    "steps": "prev next edit-page edit-this",
    "hero": "hero banner cta jumbotron masthead slider carousel",
    "pitch": "testimonial feature pricing benefit client partner logos trust solution service",
    "contact": "contact form quote phone tel address appointment demo",
    "faq": "faq accordion",
    "event": "event venue ticket schedule calendar attendee",
    "job": "job salary position apply vacancy recruit zhaopin company",
    "crumbs": "breadcrumb crumb",
}
"""Pieces of the names of classes and ids."""

_LABELS: Final = {
    "cart": "add to cart|add to bag|add to basket|buy now|warenkorb|panier|carrito|in stock|"
    "out of stock|sold out|checkout|wishlist|购物|購物|购买|購買",
    "quick": "quick view|quick shop|quick add|quick buy|choose options|select options|"
    "view product|shop now|see details|view details",
    "sort": "sort by|filter|filters|refine|per page|0 items|0 results|0 products|showing 0|"
    "featured|best selling|relevance|排序|筛选|篩選",
    "spec": "specifications|specification|description|dimensions|weight|warranty|quantity|size|"
    "color|colour|material|return policy|free shipping|规格|規格|商品",
    "review": "customer reviews|write a review|0 reviews|rating|ratings|based on 0|评价|評價",
    "reply": "reply|quote|report|like|antworten|zitieren|répondre|responder|citar|permalink|"
    "upvote|downvote|回复|回覆|引用|举报|檢舉|点赞|只看",
    "member": "posts|joined|messages|member|moderator|administrator|registered|guest|join date|"
    "threads|beiträge|楼主|樓主|积分|積分|帖子|主题|主題|发表|發表|沙发|板凳|威望",
    "answer": "answer|answers|0 answer|0 answers|accepted|asked|answered|ask a question|votes|"
    "ask question|回答|提问|提問|采纳|答案",
    "ago": "minutes ago|hours ago|hour ago|days ago|day ago|weeks ago|months ago|years ago|"
    "year ago|mins ago|分钟|小时|天前|月前|年前",
    "by": "by|written by|author|min read|minute read|updated|published|last modified|von|por|"
    "作者|来源|來源|编辑|編輯|记者|記者|阅读",
    "more": "read more|continue reading|learn more|view all|see all|show more|load more|"
    "full story|weiterlesen|lire la suite|全文|更多|查看",
    "pages": "next|previous|older posts|newer posts|page 0|next page|older|newer|下一|上一|尾页",
    "manual": "table of contents|on this page|api reference|reference|installation|overview|"
    "getting started|quickstart|quick start|example|examples|parameters|returns|syntax|usage|"
    "edit this page|edit on|view source|page helpful|copy|tutorial|documentation|docs|"
    "changelog|see also|目录|安装|示例",
    "pitch": "get started|free trial|request a|demo|book a|book now|contact us|schedule|"
    "our services|why choose|how it works|testimonials|our team|sign up|get in touch|call us|"
    "call now|free quote|free estimate|consultation|about us|pricing|customers|solutions|"
    "industries|talk to|联系|聯絡|关于|關於|公司|产品|產品|服务|服務",
    "event": "register|ticket|tickets|venue|apply|apply now|salary|requirements|报名|報名|活动|"
    "活動|时间|時間|地点|地點|主办|主辦|招聘|应聘|职位|薪资|任职|岗位|日期|费用|費用|名额|名額",
    "follow": "follow|subscribe|share|tweet|email|print|comments|comment|leave a comment|"
    "leave a reply|newsletter|分享|收藏|关注|评论|評論",
    "faq": "faq|faqs|frequently asked",
}
"""Words, and rows of up to three, of short texts; 0 stands for a number."""

_ADDRESSES: Final = {
    "article": "news article articles story stories blog blogs post posts opinion magazine press "
    "recipe recipes content",
    "forum": "thread threads topic topics viewtopic showthread showtopic forum forums bbs board "
    "boards discuss discussion discussions community comments tid viewthread forumdisplay t",
    "product": "product products p dp item items sku goods buy detail",
    "collection": "collection collections category categories shop store catalog catalogue c "
    "brand brands sale gifts set sets",
    "listing": "tag tags topic topics author archive archives list index category search page "
    "directory resources trending",
    "manual": "doc docs documentation manual reference api guide guides tutorial tutorials help "
    "support learn wiki developer developers kb handbook glossary man latest stable",
    "service": "service services solution solutions about pricing company contact platform "
    "feature features program programs industries plans locations use",
    "other": "event events job jobs career careers zhaopin recruit ticket tickets calendar "
    "activity activities hiring",
    "question": "question questions ask answer answers qa wenda",
}
"""Words of addresses. What tells question pages is not read from a page's own address, since their
labels were made from it."""

_OWN_GROUPS: Final = frozenset(_ADDRESSES) - {"question"}
_STEPS: Final = (1, 2, 4, 8, 16, 32)
_SHARES: Final = (0.05, 0.2, 0.4, 0.6)
_MAX_NAMES_CHARS: Final = 30_000
_MAX_LABEL_CHARS: Final = 40
_MAX_LABELS: Final = 2_000
_MAX_LINKS: Final = 300
_MAX_STEPS: Final = 6
_MAX_LINK_CHARS: Final = 300
_MAX_KNOWN: Final = 50_000
_LONG_SLUG_WORDS: Final = 4
_LONG_NUMBER_DIGITS: Final = 4
_WORD: Final = re.compile(r"[^\W\d_\u3040-\u9fff]+|[\u3040-\u9fff]+|\d+")
_STEP_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_PRICE: Final = re.compile(r"(?:us|hk|nt|[ca])?[$€£¥￥]\s?\d|\d[\d.,]*\s?(?:€|元|kr|zł)$")
_DATE: Final = re.compile(
    r"\w+\.? \d{1,2},? (?:19|20)\d\d|\d{1,2}\.? \w+\.? (?:19|20)\d\d"
    r"|(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d"
)
_PLACE: Final = re.compile(r"#\d+$|\d+(?:楼|樓|#)")


def _groups_by_word(rows: Mapping[str, str], separator: str | None) -> dict[str, tuple[str, ...]]:
    """Groups that each word belongs to."""
    table: dict[str, tuple[str, ...]] = {}
    for group, row in rows.items():
        for word in row.split(separator):
            table[word] = (*table.get(word, ()), group)
    return table


_NAME_PIECES: Final = [(group, piece) for group, row in _NAMES.items() for piece in row.split()]
_NAME_COUNTER: Final = Pieces([piece for _, piece in _NAME_PIECES])
_LABEL_GROUPS: Final = _groups_by_word(_LABELS, "|")
_FIRST_WORDS: Final = frozenset(label.partition(" ")[0] for label in _LABEL_GROUPS)
_ADDRESS_GROUPS: Final = _groups_by_word(_ADDRESSES, None)


def short_texts(tree: PageTree) -> Counter[str]:
    """The first short texts of a page, such as buttons, and how often each stands there."""
    chars, runs = tree.run_chars, tree.runs
    short = ((chars > 0) & (chars <= _MAX_LABEL_CHARS)).nonzero()[0][:_MAX_LABELS].tolist()
    return Counter([" ".join(runs[run].split()) for run in short])


def hint_words(
    tree: PageTree, url: str, names: Iterable[str], texts: Mapping[str, int]
) -> Iterator[str]:
    """Hints of a page: where, which group of words, how often at least.

    Args:
        tree: the page.
        url: its address.
        names: names of its elements.
        texts: how often each of its short texts stands there.
    """
    text = " ".join(sorted(names))[:_MAX_NAMES_CHARS].lower()
    named = Counter[str]()
    for (group, _), n in zip(_NAME_PIECES, _NAME_COUNTER.counts(text).tolist(), strict=True):
        named[group] += n
    yield from _at_least("name", named)
    yield from _at_least("label", _label_counts(texts))
    for group in set(_phrase_groups(" ".join(tree.title[:200].lower().split()))):
        yield f"title {group}"
    yield from _own_address(url)
    yield from _link_hints(tree)


def _at_least(where: str, counts: Mapping[str, int]) -> Iterator[str]:
    for group, n in counts.items():
        for step in _STEPS:
            if n < step:
                break
            yield f"{where} {group} {step}"


def _label_counts(texts: Mapping[str, int]) -> Counter[str]:
    """How many short texts belong to each group."""
    counts: Counter[str] = Counter()
    for text, n in texts.items():
        for group in _label_groups(text):
            counts[group] += n
    return counts


@lru_cache(_MAX_KNOWN)
def _label_groups(text: str) -> frozenset[str]:
    """Groups of one short text."""
    label = text.lower()
    groups = set(_phrase_groups(label))
    if any(map(str.isdigit, label)):
        shapes = (("price", _PRICE), ("date", _DATE), ("place", _PLACE))
        groups.update(name for name, shape in shapes if shape.match(label))
    return frozenset(groups)


def _phrase_groups(label: str) -> Iterator[str]:
    """Groups of the words of a text in lower case, and of those that follow one another."""
    words: list[str] = []
    for word in _WORD.findall(label):
        if word[0].isdigit():
            words.append("0")
        elif "\u3040" <= word[0] <= "\u9fff":
            for pair in map("".join, itertools.pairwise(word)):
                yield from _LABEL_GROUPS.get(pair, ())
        else:
            words.append(word)
    for start in [place for place, word in enumerate(words) if word in _FIRST_WORDS]:
        for n_words in (1, 2, 3):
            yield from _LABEL_GROUPS.get(" ".join(words[start : start + n_words]), ())
            if start + n_words >= len(words):
                break


@lru_cache(_MAX_KNOWN)
def _step_groups(step: str) -> frozenset[str]:
    """Groups of one part of an address, and its shape."""
    words = _STEP_WORD.findall(step)
    groups = {group for word in words for group in _ADDRESS_GROUPS.get(word, ())}
    if len(words) >= _LONG_SLUG_WORDS:
        groups = {"slug"}  # words of a headline say nothing of the place
    if any(word.isdecimal() and len(word) >= _LONG_NUMBER_DIGITS for word in words):
        groups.add("number")
    return frozenset(groups)


def _own_address(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url[:500].lower())
        host = parts.hostname or ""
    except ValueError:  # brackets that do not match
        return
    for group in _step_groups(" ".join(host.removeprefix("www.").split(".")[:-1][:2])):
        if group in _OWN_GROUPS:
            yield f"host {group}"
    steps = [step for step in parts.path.split("/") if step]
    for step in steps[:-1]:
        yield from (f"inner {group}" for group in _step_groups(step) if group != "question")
    for step in (*steps[-1:], parts.query):
        yield from (f"last {group}" for group in _step_groups(step) if group != "question")


def _link_hints(tree: PageTree) -> Iterator[str]:
    """How often parts of the addresses of links belong to each group, also beside their number."""
    steps: list[str] = []
    n_links = 0
    all_attrs = tree.all_attrs
    for node in tree.link_nodes[:_MAX_LINKS].tolist():
        for name, value in all_attrs[node]:
            if name != "href" or not value or value[0] in "#jm" or len(value) > _MAX_LINK_CHARS:
                continue
            n_links += 1
            start = value.find("/", value.find("//", 0, 8) + 2) if "//" in value[:8] else 0
            if start >= 0:
                steps += value[start:].replace("?", "/").split("/")[:_MAX_STEPS]
    counts: Counter[str] = Counter()
    for step, n in Counter(steps).items():
        for group in _step_groups(step.lower()):
            counts[group] += n
    yield from _at_least("link", counts)
    for group, n in counts.items():
        yield from (f"links {group} {share}" for share in _SHARES if n >= share * n_links)
