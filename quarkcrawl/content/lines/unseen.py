"""Lines that readers do not see, or not as text: form fields, menus, footers, hidden, scrolled.

What is most of the text stays, whatever it is in. Of hidden elements little text must be chosen:
tabs, folded answers and bodies that a script unfolds are hidden, too, and are content. Hidden
dialogs of few words are not, however little else there is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.content.lines.matrix import COLUMNS
from quarkcrawl.content.lines.text import COUNTS
from quarkcrawl.page.tree import TAG_IDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.lines.matrix import LineFeatures
    from quarkcrawl.page import PageTree
    from quarkcrawl.page.tree import Attributes

    BoolArray = NDArray[np.bool_]


MAX_FIELD_SHARE: Final = 0.5
"""Form fields and ``noscript`` with more of the chosen text than that are the body."""

MAX_HIDDEN_SHARE: Final = 0.1
"""The same for hidden elements."""

MAX_DIALOG_SHARE: Final = 0.4
"""The same where all hidden lines stand behind the part of the page that holds what is shown, as
dialogs do; the rest of a text that a script unfolds, tabs and folded answers stand within it or in
one element with it."""

MAX_DIALOG_CHARS: Final = 500
"""What stands in hidden dialogs that are named or declared so is left out, up to so much of it;
more is a text that opens in a box."""

_MAX_TIMES_OTHER: Final = 3
"""More than so many times the rest of the content is the body, in a box that a script opens."""

_DIALOG_WORDS: Final = frozenset(
    ("dialog", "lightbox", "login", "modal", "modals", "popup", "signin")
)
_DIALOG_ROLES: Final = frozenset(("dialog", "alertdialog"))
_NAME_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MAX_NAME_CHARS: Final = 200

MIN_DIALOG_DISTANCE: Final = 3
"""Dialogs begin so many lines behind the last that is shown."""

MAX_FRAME_SHARE: Final = 0.95
"""The same for ``nav`` and ``footer``, whose name says what they are: a tree of links may be more
than the text it leads through, and what shops say about prices more than what they show."""

_FRAMES: Final = (
    *(("textarea", MAX_FIELD_SHARE), ("noscript", MAX_FIELD_SHARE)),
    *(("nav", MAX_FRAME_SHARE), ("footer", MAX_FRAME_SHARE)),
)

MAX_ANSWER_LINKS: Final = 0.3
"""A ``nav`` with no more of its text in links right behind a question is no menu but what a button
unfolds: its answer."""

_IS_HIDDEN: Final = COLUMNS.index("is_hidden")
_CHARS: Final = COUNTS.index("chars")
_MARQUEE: Final = TAG_IDS["marquee"]
_CLIPPED: Final = re.compile(r"overflow(?:-y)?\s*:\s*hidden", re.IGNORECASE)
_HEIGHT: Final = re.compile(r"(?<![\w-])height\s*:\s*(\d{1,4})\s*px", re.IGNORECASE)
_MIN_BOX_HEIGHT, _LINE_HEIGHT = 10, 16
"""Pixels: a lower box is folded, not scrolled; a line takes so many at least."""

_MIN_FILLINGS, _MAX_ITEM_CHARS = 4, 24
"""What fills a box so many times, with no more characters a line on the average, is scrolled; less,
or longer lines, are an article whose rest is shown on demand."""


def without_unseen(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> BoolArray:
    """The choice without what is in form fields, ``noscript``, menus, footers, hidden or scrolled.

    Where such an element holds the body, its lines stay.

    Args:
        tree: the page.
        features: its lines.
        is_content: which of them are content.
    """
    for name, most in _FRAMES:
        nodes = tree.places(name)
        if name == "nav" and len(nodes):
            nodes = nodes[~_are_answers(tree, nodes)]
        if len(nodes):
            inside = np.zeros(len(is_content), np.bool_)
            first_run = features.cut.first_run
            starts = first_run.searchsorted(tree.run_start[nodes]).tolist()
            ends = first_run.searchsorted(tree.run_end[nodes]).tolist()
            for start, end in zip(starts, ends, strict=True):
                inside[start:end] = True
            is_content = _without(is_content, inside, features, most)
    hidden: BoolArray = features.matrix[:, _IS_HIDDEN] > 0
    if (is_content & hidden).any():
        dialogs = _in_dialogs(tree, features, hidden, is_content)
        n_chars = features.text.counts[is_content & dialogs, _CHARS].sum()
        n_other_chars = features.text.counts[is_content & ~dialogs, _CHARS].sum()
        if n_chars <= min(MAX_DIALOG_CHARS, _MAX_TIMES_OTHER * n_other_chars):
            is_content = _without(is_content, dialogs, features, 1)
        is_dialog = _are_dialogs(tree, features, is_content & ~hidden, is_content & hidden)
        most = MAX_DIALOG_SHARE if is_dialog else MAX_HIDDEN_SHARE
        is_content = _without(is_content, hidden, features, most)
    return _without(is_content, _scrolled(tree, features, is_content), features, MAX_FRAME_SHARE)


def _are_answers(tree: PageTree, nodes: NDArray[np.intp]) -> BoolArray:
    """Which of some ``nav`` answer a question: builders of sites fold all kinds of text in them.

    Args:
        tree: the page.
        nodes: the elements.
    """
    are_answers: BoolArray = tree.anchor_chars[nodes] <= MAX_ANSWER_LINKS * tree.text_chars[nodes]
    inked = tree.run_chars.nonzero()[0]
    for place in (are_answers & (tree.text_chars[nodes] > 0)).nonzero()[0].tolist():
        n_before = int(inked.searchsorted(tree.run_start[nodes[place]]))
        before = tree.runs[inked[n_before - 1]].rstrip() if n_before else ""
        are_answers[place] = before.endswith(("?", "？"))
    return are_answers


def _in_dialogs(
    tree: PageTree, features: LineFeatures, hidden: BoolArray, is_content: BoolArray
) -> BoolArray:
    """Lines of dialogs that are hidden as wholes, and of such forms that ask for a password."""
    is_password = np.zeros(len(tree), np.int8)
    for field in tree.nodes("input"):
        is_password[field] = (tree.attr(field, "type") or "").lower() == "password"
    forms = tree.places("form")
    asking = set(forms[tree.over_nodes(is_password)[forms] > 0].tolist())
    first_run, parents, all_attrs = features.cut.first_run, tree.parent, tree.all_attrs
    inside, passed = np.zeros(len(hidden), np.bool_), {0}
    for inner in tree.run_node[first_run[is_content & hidden]].tolist():
        node = inner
        while node not in passed:
            passed.add(node)
            if node in asking or _is_dialog(all_attrs[node]):
                start, end = first_run.searchsorted((tree.run_start[node], tree.run_end[node]))
                if hidden[start:end].all():
                    inside[start:end] = True
            node = int(parents[node])
    return inside


def _is_dialog(attrs: Attributes) -> bool:
    """Whether an element is named or declared as a dialog."""
    for name, value in attrs:
        if name in ("class", "id") and value:
            words = _NAME_WORD.findall(value[:_MAX_NAME_CHARS])
            if any(word.lower() in _DIALOG_WORDS for word in words):
                return True
        elif (name == "role" and value in _DIALOG_ROLES) or (
            name == "aria-modal" and value == "true"
        ):
            return True
    return False


def _are_dialogs(
    tree: PageTree, features: LineFeatures, is_shown: BoolArray, is_hidden: BoolArray
) -> bool:
    """Whether all hidden lines stand far behind those shown and outside of what holds these.

    What stands in the next larger element may be the rest of the text, unless that is ``body``, or
    form fields stand between the hidden lines.
    """
    shown, hidden = is_shown.nonzero()[0], is_hidden.nonzero()[0]
    if not len(shown) or not len(hidden) or hidden[0] - shown[-1] <= MIN_DIALOG_DISTANCE:
        return False
    runs, parent, starts, ends = features.cut.first_run, tree.parent, tree.run_start, tree.run_end
    node = int(tree.run_node[runs[shown[0]]])
    while node > 0 and ends[node] <= runs[shown[-1]]:
        node = int(parent[node])
    if runs[hidden[0]] < ends[node]:
        return False
    around = int(parent[node])
    while around > 0 and (starts[around], ends[around]) == (starts[node], ends[node]):
        around = int(parent[around])  # only wrapped once more
    if around <= 0 or tree.tags[around] == "body" or runs[hidden[0]] >= ends[around]:
        return True
    first, last = tree.run_node[runs[hidden[[0, -1]]]].tolist()
    return any(
        first < field < last and tree.attr(field, "type") != "hidden"
        for field in tree.nodes("input", "select", "textarea")
    )


def _scrolled(tree: PageTree, features: LineFeatures, is_content: BoolArray) -> BoolArray:
    """Lines that pass one after the other through a box too low for them: news, names of customers.

    Only boxes around chosen lines are looked for.
    """
    cut, parents, all_attrs, tags = features.cut, tree.parent, tree.all_attrs, tree.tag
    scrolled, passed = np.zeros(len(is_content), np.bool_), {0}
    for inner in tree.run_node[cut.first_run[is_content]].tolist():
        node = inner
        while node not in passed:
            passed.add(node)
            height = _box_height(all_attrs[node])
            if tags[node] == _MARQUEE or height >= _MIN_BOX_HEIGHT:
                start, end = cut.first_run.searchsorted((tree.run_start[node], tree.run_end[node]))
                n_chars = features.text.counts[start:end, _CHARS].sum()
                is_much = (end - start) * _LINE_HEIGHT >= _MIN_FILLINGS * height
                if is_much and n_chars <= _MAX_ITEM_CHARS * (end - start):
                    scrolled[start:end] = True
            node = int(parents[node])
    return scrolled


def _box_height(attrs: Attributes) -> int:
    """Height in pixels of an element that hides what does not fit, 0 if it is none."""
    for name, value in attrs:
        if name == "style" and value and _CLIPPED.search(value):
            height = _HEIGHT.search(value)
            return int(height[1]) if height else 0
    return 0


def _without(
    is_content: BoolArray, others: BoolArray, features: LineFeatures, most: float
) -> BoolArray:
    """The choice without some lines, unless they are too much of it."""
    both = is_content & others
    if not both.any() or features.weight @ both >= most * (features.weight @ is_content):
        return is_content
    return is_content & ~others
