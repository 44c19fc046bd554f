"""Numbers that tell the kind of a page: how much of what stands on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

from quarkcrawl.content.kind.pieces import Pieces
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.page import Page, PageTree

    FloatArray = NDArray[np.float64]


_TAGS: Final = (
    *("a", "p", "br", "li", "ul", "ol", "dl", "dt", "table"),
    *("tr", "td", "th", "h1", "h2", "h3", "h4", "img", "picture"),
    *("pre", "code", "blockquote", "form", "input", "button", "select", "option", "textarea"),
    *("article", "section", "time", "figure", "nav", "main", "iframe", "video", "svg"),
    *("label", "strong", "em", "details", "cite", "dd"),
)
_TAG_NUMBERS: Final = np.array([TAG_IDS[name] for name in _TAGS])
_SIGNS: Final = {
    "prices": "$ € £ ¥ ￥ 元 .00 .99",
    "years": "201 202 /20 -20",
    "ages": "_ago 天前 小时前 前_",
    "clocks": ": AM PM _at_",
    "questions": "? ？",
    "firsts": "_I_ I'm I've _my_ 我",
    "seconds": "_you _your Your You 您 你",
    "wes": "_our _we_ Our We_ 我们 我們 公司",
    "code": "( ) { } ; = < > :: ->",
    "more": "ead_more earn_more iew_all ee_all hop_now 更多 全文",
    "carts": "art asket 购物车 購物車 n_stock hipping heckout uantity olor ize",
    "replies": "eply eplies uote 回复 回覆 osted oined 楼 osts: rote wrote said",
    "contacts": "ontact_ et_started ign_up ign_Up ook_a 联系 聯絡 电话 emo ricing",
    "stars": "★ out_of_5 eviews eview 评价 ating",
    "sections": "xample eturn unction eference efault arameter ersion 示例 参数",
    "lists": "_| · • » › → ©",
}
"""Pieces of text whose number tells something, by what they tell; _ stands for a space."""

_PIECES: Final = [
    (group, piece.replace("_", " ")) for group, row in _SIGNS.items() for piece in row.split()
]
_GROUP_OF_PIECE: Final = np.array([list(_SIGNS).index(group) for group, _ in _PIECES])
_PIECE_COUNTER: Final = Pieces([piece for _, piece in _PIECES])
_WORD: Final = re.compile(r"[^\W\d_]+")
_MAX_CHARS: Final = 6_000
_MAX_URL_CHARS: Final = 2_000
_PARTS: Final = ("pre", "p", "li", "table", "article", "main", "nav", "code")
_RUN_BOUNDS: Final = (3, 12, 40, 120, 400)

COLUMNS: Final = (
    *(f"n_{name}" for name in _TAGS),
    *(f"share_{name}" for name in _TAGS),
    "nodes", "chars", "link_share", "stops_share", "punctuation_share", "digits_share", "longest",
    *(f"runs_to_{bound}" for bound in _RUN_BOUNDS), "runs_beyond",
    *(f"chars_to_{bound}" for bound in _RUN_BOUNDS), "chars_beyond",
    *(f"{name}_chars_share" for name in _PARTS),
    "links_in_main", "p_mean", "chinese_share", "depth",
    *(f"n_{group}_{piece}" for group, piece in _PIECES), *_SIGNS,
    "url_depth", "url_words", "url_digits", "has_query", "is_home", "title_chars", "own_links",
)  # fmt: skip
"""Names of the columns."""


def page_numbers(page: Page) -> FloatArray:
    """One number for each of `COLUMNS`; counts are logarithms.

    Args:
        page: any page.
    """
    tree = page.tree
    counts = np.bincount(tree.tag, minlength=len(TAG_IDS) + 1)[_TAG_NUMBERS]
    chars, linked = tree.run_chars, tree.run_anchor
    total = max(float(chars.sum()), 1.0)
    visible = chars[chars > 0]
    group = np.searchsorted(_RUN_BOUNDS, visible)
    n_groups = len(_RUN_BOUNDS) + 1
    runs = np.bincount(group, minlength=n_groups) / max(len(visible), 1)
    run_chars = np.bincount(group, visible, n_groups) / total
    text = _first_text(tree)
    n_text = max(len(text), 1)
    pieces = _PIECE_COUNTER.counts(text)
    signs = np.bincount(_GROUP_OF_PIECE, pieces, len(_SIGNS))
    text_chars, anchors = tree.text_chars, tree.anchor_chars

    paragraphs = text_chars[tree.places("p")]
    main = tree.places("main", "article")
    biggest = main[text_chars[main].argmax()] if len(main) else 0
    return np.array(
        [
            *np.log1p(counts),
            *(counts / max(len(tree), 1)),
            np.log1p(len(tree)),
            np.log1p(total),
            float((chars * linked).sum()) / total,
            float(tree.run_class.stops.sum()) / total,
            float(tree.run_class.punctuation.sum()) / total,
            sum(map(text.count, "0123456789")) / n_text,
            np.log1p(visible.max(initial=0)),
            *runs,
            *run_chars,
            *(_chars_in(tree, name) / total for name in _PARTS),
            float(anchors[biggest]) / max(float(text_chars[biggest]), 1),
            np.log1p(paragraphs.mean() if len(paragraphs) else 0),
            sum(map(text.count, "的是不了在一有")) / n_text,
            float(tree.depth.mean()) if len(tree) else 0.0,
            *np.log1p(pieces),
            *(1000 * signs / n_text),
            *_address(page.url),
            np.log1p(len(tree.title)),
            np.log1p(len(tree.link_nodes)),
        ]
    )


def _first_text(tree: PageTree) -> str:
    """The first text of a page, however much white space stands in its source."""
    n_runs = int(tree.run_chars.cumsum().searchsorted(_MAX_CHARS)) + 1
    classes = tree.run_class
    text = classes.text[: classes.starts[min(n_runs, len(tree.runs))]]
    words = text.replace("\0", " ").split(maxsplit=_MAX_CHARS)  # a run may be the whole page
    return " ".join(words[:_MAX_CHARS])[:_MAX_CHARS]


def _chars_in(tree: PageTree, name: str) -> float:
    """Characters in the elements of a name; those nested in one another count once."""
    nodes = tree.places(name)
    if not len(nodes):
        return 0.0
    sums = tree.text_chars[nodes]
    ends = np.maximum.accumulate(tree.end[nodes])
    outer = np.append(True, nodes[1:] >= ends[:-1])
    return float(sums[outer].sum())


def _address(url: str) -> list[float]:
    """How long and how deep an address is; five zeros if it is none."""
    try:
        parts = urlsplit(url[:_MAX_URL_CHARS])
    except ValueError:
        return [0.0] * 5
    steps = [step for step in parts.path.split("/") if step]
    return [
        len(steps) if parts.netloc else -1,
        len(_WORD.findall(steps[-1])) if steps else 0,
        sum(map(str.isdigit, parts.path)),
        bool(parts.query),
        bool(parts.netloc) and not steps,
    ]
