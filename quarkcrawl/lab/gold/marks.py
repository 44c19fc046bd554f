"""Hand-marked pages: which text is content, and where it stood before the marks were added.

In a gold page of SEWM2008 any element may carry ``quark="content"``, ``quark="rel_link"`` or
``quark="noise"``; the nearest marked ancestor decides, unmarked text is noise. Run files give
offsets in the page as it was before it was marked, so the marks are taken out again, exactly.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import InputError
from quarkcrawl.lab.gold.passages import Passage, content_characters
from quarkcrawl.lab.gold.starttags import StartTags
from quarkcrawl.page import Page
from quarkcrawl.page.text import byte_offsets, n_inked
from quarkcrawl.segment import lines_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.lab.gold.pages import GoldPage
    from quarkcrawl.page import PageTree

    Kinds = NDArray[np.int8]


ATTRIBUTE: Final = "quark"
"""Attribute that marks an element."""

KINDS: Final = ("noise", "content", "rel_link")
"""Values of the attribute; arrays of kinds hold indexes into this tuple."""


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedPage:
    """A page with what people marked on it.

    Args:
        page: the page without the marks.
        run_kind: kind of each of its text runs, an index into `KINDS`.
        run_parts: by the numbers of those that have passages, whether each character is content.
    """

    page: Page
    run_kind: Kinds
    run_parts: Mapping[int, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def run_is_content(self) -> NDArray[np.bool_]:
        """Which text runs are visible content, by the marks of their elements."""
        is_content: NDArray[np.bool_] = self.run_kind == KINDS.index("content")
        return is_content & ~self.page.tree.run_raw

    @property
    def content_runs(self) -> list[str]:
        """The texts of the runs, of those with passages what is content."""
        runs = list(self.page.tree.runs)
        for run, is_kept in self.run_parts.items():
            runs[run] = _kept(runs[run], is_kept)
        return runs

    @property
    def content_chars(self) -> NDArray[np.int64]:
        """Visible characters of each run that are content and no white space."""
        tree = self.page.tree
        chars = np.where(self.run_is_content, tree.run_chars, 0).astype(np.int64)
        for run, is_kept in self.run_parts.items():
            if not tree.run_raw[run]:
                chars[run] = n_inked(_kept(tree.runs[run], is_kept))
        return chars

    @property
    def content_text(self) -> str:
        """The content in lines."""
        has_content = self.content_chars > 0
        if not self.run_parts:
            return lines_of(self.page.tree, self.run_is_content)
        return lines_of(self.page.tree.with_runs(self.content_runs), has_content)

    @property
    def is_topic(self) -> bool:
        """Whether the page has any visible content."""
        return bool(self.content_chars.any())


def _kept(text: str, is_kept: NDArray[np.bool_]) -> str:
    return "".join(
        char for char, is_kept_char in zip(text, is_kept.tolist(), strict=True) if is_kept_char
    )


def read_marks(
    marked: Page, name: str, *, keep_marks: bool = False, passages: Sequence[Passage] = ()
) -> AnnotatedPage:
    """Read a hand-marked page.

    Args:
        marked: the page with the marks.
        name: what error messages call the page.
        keep_marks: take the marked page itself for the page, so that offsets count the marks.
        passages: what is marked inside of elements, kept beside the page.

    Raises:
        InputError: if no element is marked, a mark has another value than `KINDS`, the marks
            cannot be taken out without changing the text, or a passage lies outside of it.
    """
    run_kind = run_kinds(marked.tree, name)
    is_content = run_kind == KINDS.index("content")
    parts = content_characters(marked.tree.runs, is_content, passages, name)
    if keep_marks:
        return AnnotatedPage(marked, run_kind, parts)
    page = without_marks(marked, name)
    if page.tree.runs != marked.tree.runs:
        raise InputError("taking the marks out changes the text of the page", where=name)
    return AnnotatedPage(page, run_kind, parts)


def marked_text(gold: GoldPage) -> GoldPage:
    """A hand-marked page as one with plain-text gold: marks taken out, marked text in lines.

    Args:
        gold: the marked page.

    Raises:
        InputError: as `read_marks`.
    """
    marked = read_marks(gold.page(), gold.where, passages=gold.passages)
    return dataclasses.replace(
        gold, body=marked.page.body, gold_text=marked.content_text, passages=()
    )


def run_kinds(tree: PageTree, name: str) -> Kinds:
    """Kind of each text run of a marked page, an index into `KINDS`.

    Args:
        tree: the page with its marks.
        name: what error messages call the page.

    Raises:
        InputError: no element is marked, or a mark has another value than `KINDS`.
    """
    node_kind = np.zeros(len(tree), np.int8)
    is_marked = False
    for node in range(len(tree)):
        value = tree.attr(node, ATTRIBUTE)
        if value is not None:
            is_marked = True
            node_kind[node : tree.end[node]] = _kind_number(value, name)  # inner marks come later
    if not is_marked:
        hint = f'a page without content has {ATTRIBUTE}="noise" on its body'
        raise InputError(f"no element is marked ({ATTRIBUTE}=…); {hint}", where=name)
    kinds: Kinds = node_kind[tree.run_node]
    return kinds


def _kind_number(value: str, name: str) -> int:
    kind = value.strip().lower()
    if kind not in KINDS:
        raise InputError(f'{ATTRIBUTE}="{value}" is none of {", ".join(KINDS)}', where=name)
    return KINDS.index(kind)


def without_marks(marked: Page, name: str = "page") -> Page:
    """Take the marks out of the source: each attribute with one white space in front of it.

    Args:
        marked: the page with the marks.
        name: what error messages call the page.

    Returns:
        The page as it was before `quarkcrawl.lab.gold.marking` or a person added
        the marks.

    Raises:
        InputError: if the page has no exact byte offsets.
    """
    source = marked.html
    offsets = byte_offsets(marked.body, marked.charset)
    if offsets is None:
        raise InputError(f"no exact byte offsets in {marked.encoding}", where=name)
    text, body = [], []
    done, done_byte = 0, 0
    for start, end in _attributes(source):
        first = start - 1 if source[start - 1].isspace() else start
        text.append(source[done:first])
        body.append(marked.body[done_byte : offsets[first]])
        done, done_byte = end, int(offsets[end])
    text.append(source[done:])
    body.append(marked.body[done_byte:])
    charset = dataclasses.replace(marked.charset, text="".join(text))
    return Page(b"".join(body), charset, marked.url)


def _attributes(source: str) -> list[tuple[int, int]]:
    tags = StartTags(source)
    spans = (tags.attribute(node, ATTRIBUTE) for node in range(len(tags)))
    return sorted({span for span in spans if span is not None})
