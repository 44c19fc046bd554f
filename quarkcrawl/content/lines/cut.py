"""A page cut into lines: what stands between two breaks a reader sees.

Lines are the unit that the default extractor keeps or drops. They are finer than any block (every
paragraph, list item, table cell and piece between two ``br`` is one), so that hardly any line is
half content: choosing whole lines perfectly gives an F1 of .99 on hand-marked pages. One walk over
the marks of the tree yields the lines together with the structure that features are counted on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.linenumbers import numbers_beside
from quarkcrawl.content.loops import drop_wrappers, number_lines
from quarkcrawl.content.markdown import LANGUAGES
from quarkcrawl.content.permalinks import MAX_PERMALINK_CHARS, permalinks_among, without_button
from quarkcrawl.page.tree import (
    BLOCK_LEVEL_TAGS,
    CELL,
    CELLS,
    LINE,
    PREFORMATTED,
    PREFORMATTED_TAGS,
    TAG_IDS,
    tag_flags,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from quarkcrawl.page import PageTree
    from quarkcrawl.page.tree import RunLines

    IntArray = NDArray[np.int32]
    ByteArray = NDArray[np.uint8]


_MORE: Final = ("iframe", "noscript", "select", "colgroup", "thead", "canvas", "audio", "video")
MAX_LINK_CHARS: Final = 300
"""An ``a`` with more text than that wraps part of the page rather than naming a link."""

MAX_BUTTON_CHARS: Final = 20
"""A button with more text than that holds code rather than copying it."""

_BUTTON: Final = TAG_IDS["button"]
_PRE: Final = TAG_IDS["pre"]
_IS_HEADING: Final = tag_flags(("h1", "h2", "h3", "h4", "h5", "h6")).astype(np.bool_)
_IS_BLOCK: Final = tag_flags(BLOCK_LEVEL_TAGS).astype(np.bool_)

_EDIT_CLASS: Final = "mw-editsection"
_BACK_SIGNS: Final = frozenset("↩↵⏎⤴↑^")
_CODE_LINKS: Final = frozenset(("[source]", "[src]", "[docs]", "[view source]"))
_CODE_LINK_CHARS: Final = sorted({sum(not char.isspace() for char in link) for link in _CODE_LINKS})
_UNSEEN: Final = " \t\r\n\f\u200b\ufeff\ufe0e\ufe0f"
_LINK_LEVELS: Final = 4
"""So many elements, from the inside, may be the link around the sign that leads back."""

_ACTION_NAMES: Final = """
    copy / copied / copy code / copy to clipboard / copy snippet / copy text / select / select all /
    code: select all / raw / view raw / view plain / kopieren / code kopieren / alles auswählen /
    copier / copier le code / tout sélectionner / copiar / copiar código / seleccionar todo /
    selecionar tudo / copia / copia codice / kopiëren / kopiuj / zaznacz wszystko / скопировать /
    копировать / копировать код / выделить всё / 复制 / 复制代码 / 复制成功 / 已复制 /
    一键复制 / 点击复制 / 复制到剪贴板 / 全选 / 代码: 全选 / 查看纯文本 / 複製 / 複製代碼 /
    複製程式碼 / 已複製 / 選擇全部 / 全選 /
    コピー / コードをコピー / コピーする / 복사 / 복사하기 / 코드 복사
"""
_ACTIONS: Final = frozenset(" ".join(_ACTION_NAMES.split()).split(" / "))
"""What one does with a listing as a whole, as it is written beside it."""

_BOX_ACTION: Final = re.compile(
    r"\W*+(?:复制代码|複製代碼|select(?: all)?|copy code)\W*+", re.IGNORECASE
)
"""The same where no ``pre`` tells that it is a listing."""

_COPY_CODE: Final = re.compile("复制代码|複製代碼|copy code", re.IGNORECASE)
_BUTTON_TAGS: Final = frozenset(("a", "button", "div", "em", "i", "span"))
"""What may be a button that says so where nothing is called a box of code."""

_TITLE_NAMES: Final = """
    code / quellcode / código / codice / код / kod / 代码 / 代碼 / 程式碼 / コード / 코드 /
    expand / collapse / wrap / run / 展开 / 收起 / 折叠 / 运行 / 展開 / 收合 / 摺疊 / 運行 /
    console / markdown / plain text / plaintext / text
"""
_TITLES: Final = LANGUAGES.union(" ".join(_TITLE_NAMES.split()).split(" / "))
"""What a listing is called where its frame or what stands there with it tells that it is one."""

_LABELS: Final = _ACTIONS | _TITLES
_LANGUAGE_NAME: Final = r"(?:^|[\s_-])lang(?:uage)?(?=$|[\s_-])"
_LANGUAGE_CLASS: Final = re.compile(_LANGUAGE_NAME, re.IGNORECASE)
_CONTROL_CLASS: Final = re.compile(
    rf"copy|copied|clipboard|btn|button|{_LANGUAGE_NAME}", re.IGNORECASE
)
_FRAME_CLASS: Final = re.compile(
    r"code|highlight|snippet|syntax|(?:^|\s)lang(?:uage)?-[a-z]", re.IGNORECASE
)
_BOX_CLASS: Final = re.compile(
    r"(?:^|\s)(?:block_?code|code_?box|code-?block|code-?header|bbcode_code)(?=$|\s)", re.IGNORECASE
)
"""What is called so holds a listing without a ``pre``, or stands right before one."""

_CLASS_WORD: Final = re.compile(r"[a-z][\w+#]*")
_NO_FRAMES: Final = frozenset(("html", "body", "main", "article", "section", "li", "blockquote"))
_HEADS: Final = frozenset(
    ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "td", "caption", "figcaption")
)
_MAX_FRAME_LEVELS: Final = 5
_MAX_FRAME_CHARS: Final = 60
"""The frame of a listing has no more text than that around the code."""

_MAX_BOX_LEVELS: Final = 3
_MAX_LABEL_LEVELS: Final = 4
_LABEL_SIGNS: Final = " :：[]【】()（）!！…|"
_BOX_ACTION_CHARS: Final = np.zeros(16, np.bool_)
_BOX_ACTION_CHARS[[4, 6, 8, 9]] = True
"""By how many visible characters they have, signs around them included."""

_BREAKS: Final = (
    LINE * tag_flags((*BLOCK_LEVEL_TAGS, *_MORE))
    + CELL * tag_flags(CELLS)
    + PREFORMATTED * tag_flags(PREFORMATTED_TAGS)
)
"""What starts and ends a line or a cell, see `quarkcrawl.page.PageTree.lines_by`."""


@dataclass(frozen=True, slots=True, eq=False)
class LineCut:
    """Lines of a page.

    Args:
        lines: how the runs stand in lines and links.
        is_link: which nodes are links.
        run_line: line of each run, -1 for hidden and empty runs, permalinks, and for buttons of
            headlines, and buttons in and labels of listings.
        first_run: first run of each line.
        node: node that holds each line's first run.
    """

    lines: RunLines
    is_link: ByteArray
    run_line: IntArray
    first_run: IntArray
    node: IntArray

    def __len__(self) -> int:
        return len(self.first_run)


def cut_lines(tree: PageTree, is_link: ByteArray) -> LineCut:
    """Cut a page into lines.

    Args:
        tree: the page.
        is_link: 1 for each ``a`` with ``href``; those that wrap a part of the page are cleared.
    """
    sums = np.empty(len(tree.runs) + 1, np.int64)
    drop_wrappers(tree.run_start, tree.run_end, tree.run_chars, MAX_LINK_CHARS, sums, is_link)
    lines = tree.lines_by(_BREAKS, is_link)
    run_line, first_run = np.empty(len(tree.runs), np.int32), np.empty(len(tree.runs), np.int32)
    chars = tree.run_chars
    is_short = lines.linked & (chars > 0) & (chars <= MAX_PERMALINK_CHARS)
    unread = permalinks_among(tree, is_short.nonzero()[0].tolist())
    unread += _runs_of_buttons_in_code(tree) + _runs_of_buttons_in_headlines(tree)
    unread += _Labels(tree, lines.preformatted).runs()
    if unread:
        chars = chars.copy()
        chars[unread] = 0
    n_lines = number_lines(lines.piece, chars, run_line, first_run)
    first_run = first_run[:n_lines].copy()
    return LineCut(lines, is_link, run_line, first_run, tree.run_node[first_run])


def _runs_of_buttons_in_code(tree: PageTree) -> list[int]:
    """Text runs of short buttons before or behind all other text of a listing, such as "Copy"."""
    unread = list[int]()
    buttons = (tree.tag == _BUTTON).nonzero()[0]
    listings = (tree.tag == _PRE).nonzero()[0].tolist() if len(buttons) else []
    next_node = 0
    for listing in listings:
        if listing < next_node:
            continue  # within the one before
        next_node = int(tree.end[listing])
        first, last = buttons.searchsorted([listing, next_node]).tolist()
        start, end = int(tree.run_start[listing]), int(tree.run_end[listing])
        chars = tree.run_chars[start:end].copy()
        short = list[range]()
        for button in buttons[first:last].tolist():
            runs = range(int(tree.run_start[button]) - start, int(tree.run_end[button]) - start)
            if len(runs) <= MAX_BUTTON_CHARS and chars[runs].sum() <= MAX_BUTTON_CHARS:
                chars[runs] = 0
                short.append(runs)
        others = chars.nonzero()[0]
        if len(others):
            at_edge = (runs for runs in short if runs.stop <= others[0] or runs.start > others[-1])
            unread += (start + run for runs in at_edge for run in runs)
    return unread


def _runs_of_buttons_in_headlines(tree: PageTree) -> list[int]:
    """Text runs of buttons that end an ``h1`` which has other text."""
    buttons = (tree.tag == _BUTTON).nonzero()[0]
    headings = tree.places("h1")
    if not len(buttons) or not len(headings):
        return []
    ends = tree.end[headings]
    has_button = buttons.searchsorted(ends) > buttons.searchsorted(headings)
    unread = list[int]()
    for node in headings[has_button].tolist():
        unread += range(without_button(tree, node), int(tree.run_end[node]))
    return unread


def without_asides(tree: PageTree, cut: LineCut) -> NDArray[np.bool_] | None:
    """Take links that are there to work with a page out of its lines, without judging these anew.

    They lead from a note back to where it is referred to, to where a part of a wiki is changed, or
    to the code of what a manual describes.

    Args:
        tree: the page.
        cut: its lines; runs of such links belong to none of them afterwards.

    Returns:
        Which lines have other text, None if no line has such links.
    """
    is_short = cut.lines.linked & (tree.run_chars > 0) & (tree.run_chars <= MAX_PERMALINK_CHARS)
    asides = _back_links(tree, cut, is_short.nonzero()[0].tolist()) + _runs_of_edit_links(tree)
    links = (cut.lines.linked & np.isin(tree.run_chars, _CODE_LINK_CHARS)).nonzero()[0].tolist()
    asides += [run for run in links if tree.runs[run].strip().lower() in _CODE_LINKS]
    if not asides:
        return None
    cut.run_line[asides] = -1
    has_text = np.zeros(len(cut), np.bool_)
    has_text[cut.run_line[cut.run_line >= 0]] = True
    return has_text


def _back_links(tree: PageTree, cut: LineCut, runs: Iterable[int]) -> list[int]:
    """Those of some runs that are a sign in a link from a note to where it is referred to."""
    signs = [(run, tree.runs[run].strip(_UNSEEN)) for run in runs]
    return [
        run
        for run, sign in signs
        if sign in _BACK_SIGNS
        and _leads_back(tree, int(tree.run_node[run]), sign)
        and _is_at_edge(tree, cut, run)
    ]


def _is_at_edge(tree: PageTree, cut: LineCut, run: int) -> bool:
    """Whether a run begins or ends its line, and is not all of it."""
    inked = (cut.run_line == cut.run_line[run]).nonzero()[0]
    inked = inked[tree.run_chars[inked] > 0]
    return len(inked) > 1 and run in (int(inked[0]), int(inked[-1]))


def _leads_back(tree: PageTree, node: int, sign: str) -> bool:
    """Whether the link that an element stands in leads to a place, by ``^`` to one of this page."""
    for _ in range(_LINK_LEVELS):
        if node > 0 and tree.tags[node] != "a":
            node = int(tree.parent[node])
    page, _, place = (tree.attr(node, "href") or "").partition("#")
    return bool(place and not (page and sign == "^"))  # "^" also marks links to other sites


def _runs_of_edit_links(tree: PageTree) -> list[int]:
    """Text runs of what wikis show in or behind a heading for changing the part below it."""
    is_heading = _IS_HEADING[tree.tag]
    spans = tree.places("span")
    if not len(spans) or not is_heading.any():
        return []
    behind = np.zeros(len(tree) + 1, np.bool_)
    behind[tree.end[is_heading]] = True
    runs, next_node = list[int](), 0
    for span in spans[is_heading[tree.parent[spans]] | behind[spans]].tolist():
        if span >= next_node and _EDIT_CLASS in (tree.attr(span, "class") or "").split():
            runs += range(int(tree.run_start[span]), int(tree.run_end[span]))
            next_node = int(tree.end[span])
    return runs


class _Labels:
    """Finds what stands beside listings and is none of their text: "Copy code", "Code:".

    Args:
        tree: the page.
        preformatted: which runs stand in listings.
    """

    def __init__(self, tree: PageTree, preformatted: NDArray[np.bool_]) -> None:
        self._tree = tree
        self._preformatted = preformatted

    def runs(self) -> list[int]:
        """Text runs of labels."""
        labels, next_node = self._in_boxes(), 0
        for listing in self._tree.places("pre").tolist():
            if listing >= next_node and self._tree.text_chars[listing]:
                next_node = int(self._tree.end[listing])
                labels += self._at_listing(listing)
        return labels

    @cached_property
    def _buttons(self) -> NDArray[np.intp]:
        return self._tree.places("button")

    @cached_property
    def _inked(self) -> NDArray[np.intp]:
        """Runs with visible characters."""
        return self._tree.run_chars.nonzero()[0]

    def _inked_between(self, start: int, end: int) -> list[int]:
        first, last = self._inked.searchsorted([start, end]).tolist()
        return self._inked[first:last].tolist()  # type: ignore[no-any-return]

    def _text(self, run: int) -> str:
        return " ".join(self._tree.runs[run].split()).strip(_LABEL_SIGNS).casefold()

    def _in_boxes(self) -> list[int]:
        """Labels at the edges of what is called a box of code."""
        tree, labels, boxes = self._tree, list[int](), set[int]()
        sizes = np.minimum(tree.run_chars, len(_BOX_ACTION_CHARS) - 1)
        for run in (_BOX_ACTION_CHARS[sizes] & ~self._preformatted).nonzero()[0].tolist():
            match = _BOX_ACTION.fullmatch(tree.runs[run])
            box = self._box_around(run) if match else -1
            if match and box < 0 and _COPY_CODE.search(tree.runs[run]):
                box = self._plain_box_around(run)
            if box < 0 or box in boxes:
                continue
            boxes.add(box)
            inked = self._inked_between(tree.run_start[box], tree.run_end[box])
            for side in (inked, inked[::-1]):
                near = list(takewhile(lambda run: self._text(run) in _LABELS, side))
                if any(self._text(run) in _ACTIONS for run in near):
                    labels += near
        return labels

    def _box_around(self, run: int) -> int:
        """The nearest element around a run that is called a box of code, -1 if none is near."""
        node = int(self._tree.run_node[run])
        for _ in range(_MAX_BOX_LEVELS):
            if node > 0 and not _BOX_CLASS.search(self._tree.attr(node, "class") or ""):
                node = int(self._tree.parent[node])
        is_box = node > 0 and _BOX_CLASS.search(self._tree.attr(node, "class") or "")
        return node if is_box else -1

    def _plain_box_around(self, run: int) -> int:
        """The element around a button that has more text than that, -1 if there is no button."""
        tree, node = self._tree, int(self._tree.run_node[run])
        if tree.tags[node] not in _BUTTON_TAGS or tree.text_chars[node] != tree.run_chars[run]:
            return -1
        for _ in range(_MAX_BOX_LEVELS):
            node = int(tree.parent[node])
            if node <= 0 or tree.tags[node] in _NO_FRAMES or tree.tags[node] in _HEADS:
                break
            if tree.text_chars[node] > tree.run_chars[run]:
                return node
        return -1

    def _at_listing(self, listing: int) -> list[int]:
        """Labels within a listing, before or behind its code, and in the frame around it."""
        tree = self._tree
        first, last = int(tree.run_start[listing]), int(tree.run_end[listing])
        start, end = self._code_within(listing)
        n_code = int(tree.run_chars[start:end].sum())
        frame, is_called_code = self._frame(listing, n_code)
        if tree.text_chars[frame] == n_code:
            return []
        inside = self._inked_between(first, start) + self._inked_between(end, last)
        around = self._inked_between(tree.run_start[frame], first)
        around += self._inked_between(last, tree.run_end[frame])
        inside = [run for run in inside if self._is_control(run, listing)]
        around = [run for run in around if not (self._preformatted[run] or self._heads(run))]
        labels = [run for run in inside if self._is_called(run, listing, _CONTROL_CLASS)]
        labels += [run for run in inside + around if self._text(run) in _ACTIONS]
        if not labels and not is_called_code:
            return []
        titles = _TITLES | self._words_of_classes(listing)
        labels += [run for run in inside + around if self._text(run) in titles]
        return labels + [run for run in around if self._is_called(run, listing, _LANGUAGE_CLASS)]

    def _frame(self, listing: int, n_code: int) -> tuple[int, bool]:
        """The element around a listing and its labels, and whether it is called one of code."""
        tree, frame = self._tree, listing
        numbers = numbers_beside(tree, listing)
        n_code += int(tree.run_chars[numbers.start : numbers.stop].sum())
        for _ in range(_MAX_FRAME_LEVELS):
            above = int(tree.parent[frame])
            n_other = int(tree.text_chars[above]) - n_code
            if n_other > _MAX_FRAME_CHARS or tree.tags[above] in _NO_FRAMES:
                break
            frame = above
            if n_other and self._is_called_code(frame):
                return frame, True
        return frame, False

    def _is_called_code(self, frame: int) -> bool:
        """Whether an element is called a frame of code, or has a button without text."""
        tree = self._tree
        if _FRAME_CLASS.search(tree.attr(frame, "class") or ""):
            return True
        first, last = self._buttons.searchsorted([frame, tree.end[frame]]).tolist()
        return not tree.text_chars[self._buttons[first:last]].all()

    def _code_within(self, listing: int) -> tuple[int, int]:
        """Runs from the first ``code`` of a listing to its last one, or all but its controls."""
        tree, codes = self._tree, self._tree.places("code")
        first, last = codes.searchsorted([listing, tree.end[listing]]).tolist()
        codes = codes[first:last]
        codes = codes[tree.text_chars[codes] > 0]
        if len(codes):
            return int(tree.run_start[codes[0]]), int(tree.run_end[codes].max())
        start, end = int(tree.run_start[listing]), int(tree.run_end[listing])
        inked = self._inked_between(start, end)
        n_before, n_behind = (
            sum(1 for _ in takewhile(lambda run: self._is_action_within(run, listing), side))
            for side in (inked, reversed(inked))
        )
        if n_before + n_behind >= len(inked):
            return start, end
        return inked[n_before], inked[-1 - n_behind] + 1

    def _is_action_within(self, run: int, listing: int) -> bool:
        return self._text(run) in _ACTIONS and self._is_control(run, listing)

    def _heads(self, run: int) -> bool:
        """Whether text is a heading, a term, or a cell of a table."""
        node = int(self._tree.run_node[run])
        for _ in range(_MAX_LABEL_LEVELS):
            if self._tree.tags[node] in _HEADS:
                return True
            node = max(int(self._tree.parent[node]), 0)
        return False

    def _elements(self, run: int, listing: int) -> Iterator[int]:
        """The nearest elements around a run that do not hold the listing."""
        tree, node = self._tree, int(self._tree.run_node[run])
        for _ in range(_MAX_LABEL_LEVELS):
            if node <= listing < tree.end[node]:
                break
            yield node
            node = int(tree.parent[node])

    def _is_control(self, run: int, listing: int) -> bool:
        """Whether text within a listing stands apart from it, or is there to be clicked."""
        has_code = self._tree.places("code").searchsorted([listing, self._tree.end[listing]])
        return any(
            (_IS_BLOCK[self._tree.tag[node]] and has_code[0] < has_code[1])
            or any(
                name == "onclick" or (name == "class" and value and _CONTROL_CLASS.search(value))
                for name, value in self._tree.raw_attrs(node)
            )
            for node in self._elements(run, listing)
        )

    def _is_called(self, run: int, listing: int, name: re.Pattern[str]) -> bool:
        """Whether text stands in a short element whose class has some name."""
        return any(
            self._tree.text_chars[node] <= MAX_BUTTON_CHARS
            and name.search(self._tree.attr(node, "class") or "")
            for node in self._elements(run, listing)
        )

    def _words_of_classes(self, listing: int) -> set[str]:
        """What the classes of a listing and of the first element in it may call its language."""
        inner = min(listing + 1, int(self._tree.end[listing]) - 1)
        names = [self._tree.attr(node, "class") or "" for node in (listing, inner)]
        return set(_CLASS_WORD.findall(" ".join(names).casefold()))
