"""Write marks into a page: ``quark=`` attributes at their places in the source, nothing else.

People mark by selectors, or correct what an extraction method found. Each mark is one attribute,
inserted behind the name in a start tag, so that taking the marks out again gives back every byte
(`quarkcrawl.lab.gold.without_marks`). Elements that have no start tag in the
source cannot be marked, and are named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from quarkcrawl.errors import InputError, read_failure
from quarkcrawl.lab.gold.marks import ATTRIBUTE, KINDS
from quarkcrawl.lab.gold.starttags import StartTags
from quarkcrawl.page.text import byte_offsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.page import Page


_CONTENT: Final = KINDS.index("content")
_RELATED: Final = KINDS.index("rel_link")
_WRONG: Final = 1 << 20
"""What a character of the wrong kind costs; a mark costs 1."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line of a selector list.

    Args:
        kind: one of `KINDS`.
        selector: CSS, or XPath if it starts with ``/``, ``./`` or ``(``.
        where: file and line, for messages.
    """

    kind: str
    selector: str
    where: str


@dataclass(frozen=True, slots=True)
class Marking:
    """A marked page.

    Args:
        body: its bytes.
        n_marks: elements that were marked.
        problems: what could not be marked, and why.
    """

    body: bytes
    n_marks: int
    problems: tuple[str, ...] = ()


def read_rules(path: Path) -> list[Rule]:
    """Read a list of selectors: kind, tab, selector; empty lines and lines with ``#`` are skipped.

    Args:
        path: the file.

    Raises:
        InputError: naming the line that is no rule.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {read_failure(error)}", where=path) from error
    rules = [
        _rule(line, f"{path}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    ]
    if not rules:
        raise InputError("no selectors here", where=path)
    return rules


def _rule(line: str, where: str) -> Rule:
    kind, tab, selector = line.partition("\t")
    if not tab or kind.strip() not in KINDS or not selector.strip():
        raise InputError(f"kind, tab, selector is expected; kinds: {', '.join(KINDS)}", where=where)
    return Rule(kind.strip(), selector.strip(), where)


def mark_by_rules(page: Page, rules: list[Rule], name: str = "page") -> Marking:
    """Mark what selectors find; where two find the same element, the later one decides.

    Args:
        page: the page to mark; its source is copied, not changed.
        rules: selectors with their kinds.
        name: what error messages call the page.

    Returns:
        The marked page. Selectors that find nothing, or elements that have no start tag in the
        source, are among its problems.

    Raises:
        InputError: for a line that is no selector; if the page has no exact byte offsets.
    """
    tags = StartTags(page.html)
    marks: dict[int, int] = {}
    problems: list[str] = []
    for rule in rules:
        try:
            nodes = tags.select(rule.selector)
        except InputError as error:
            raise InputError(error.message, where=rule.where) from error
        placed = [node for node in nodes if tags.name_end(node) is not None]
        if not nodes:
            problems.append(f"{rule.where}: {rule.selector} finds nothing")
        elif len(placed) < len(nodes):
            n_lost = len(nodes) - len(placed)
            problems.append(f"{rule.where}: {rule.selector} finds {n_lost} without a start tag")
        marks |= dict.fromkeys(placed, KINDS.index(rule.kind))
    return Marking(_with_marks(page, tags, marks, name), len(marks), tuple(problems))


def mark_by_extraction(content: Content, name: str = "page") -> Marking:
    """Mark what an extraction method found, with as few marks as possible.

    Args:
        content: what the method found; its blocks tell related links.
        name: what error messages call the page.

    Returns:
        As `mark_runs`.

    Raises:
        InputError: as `mark_runs`.
    """
    return mark_runs(content.page, _run_kinds(content), name)


def mark_runs(page: Page, run_kind: NDArray[np.int64], name: str = "page") -> Marking:
    """Mark each text run as what it is, with as few marks as possible.

    Args:
        page: the page to mark; its source is copied, not changed.
        run_kind: kind of each run, an index into `KINDS`.
        name: what error messages call the page.

    Returns:
        The marked page. Text that cannot be told from other text in the same element is counted
        in its problems; that nothing was found is one, too.

    Raises:
        InputError: if the page has no exact byte offsets.
    """
    tags = StartTags(page.html)
    if any(tags.attribute(node, ATTRIBUTE) for node in range(len(tags))):
        raise InputError("has marks already", where=name)
    if page.tree.unclosed:
        reason = f"a {page.tree.unclosed} that does not end takes a part of it"
        raise InputError(f"cannot be marked: {reason}", where=name)
    if tags.tags != [tag.lower() for tag in page.tree.tags]:
        raise InputError("is too deep or too long to be marked", where=name)
    copied = tags.opened_again()  # the copy would have the mark, too
    is_markable = [
        tags.name_end(node) is not None and node not in copied for node in range(len(tags))
    ]
    marks, n_wrong = _fewest_marks(page, run_kind, is_markable)
    body = _with_marks(page, tags, marks, name)
    return Marking(body, len(marks), tuple(_doubts(len(marks), n_wrong, name)))


def _doubts(n_marks: int, n_wrong: int, name: str) -> Iterator[str]:
    if n_wrong:
        yield f"{name}: {n_wrong} characters got the mark of text around them"
    if not n_marks:
        yield f'{name}: nothing is found; mark its body {ATTRIBUTE}="noise" if that is right'


def _run_kinds(content: Content) -> NDArray[np.int64]:
    segmentation = content.segmentation
    is_related = np.array([kind == "rel_link" for kind in segmentation.kinds] + [False], np.bool_)
    related = np.where(is_related[segmentation.run_block], _RELATED, 0)
    return np.where(content.runs, _CONTENT, related)


def _fewest_marks(
    page: Page, run_kind: NDArray[np.int64], is_markable: list[bool]
) -> tuple[dict[int, int], int]:
    """Marks that give each run its kind, and how many characters they get wrong.

    Dynamic programming over the tree: for each node and each kind that may reign in it, what the
    subtree costs at least. A node takes the kind of its parent, or a mark of its own.
    """
    tree, n_kinds = page.tree, len(KINDS)
    own = [np.bincount(tree.run_node, np.where(run_kind == kind, tree.run_chars, 0), len(tree))
           for kind in range(n_kinds)]  # fmt: skip
    total = np.sum(own, axis=0)
    cost = [[int(n) * _WRONG for n in row] for row in np.stack([total - o for o in own], 1)]
    parents = tree.parent.tolist()
    for node in range(len(tree) - 1, 0, -1):
        limit = min(cost[node]) + 1 if is_markable[node] else max(cost[node])
        above = cost[parents[node]]
        for kind in range(n_kinds):
            above[kind] += min(cost[node][kind], limit)
    return _marks_of(cost, parents, is_markable)


def _marks_of(
    cost: list[list[int]], parents: list[int], is_markable: list[bool]
) -> tuple[dict[int, int], int]:
    marks: dict[int, int] = {}
    reigning = [0] * len(cost)
    total = 0
    for node, costs in enumerate(cost):
        kind = reigning[parents[node]] if node else 0
        cheapest = min(costs)
        if is_markable[node] and cheapest + 1 < costs[kind]:
            kind = costs.index(cheapest)
            marks[node] = kind
        if not node:
            total = costs[kind]
        reigning[node] = kind
    return marks, total // _WRONG


def _with_marks(page: Page, tags: StartTags, marks: Mapping[int, int], name: str) -> bytes:
    """The page's bytes with an attribute for each mark; an attribute that is there is replaced."""
    offsets = byte_offsets(page.body, page.charset)
    if offsets is None:
        raise InputError(f"no exact byte offsets in {page.encoding}", where=name)
    edits: list[tuple[int, int, str]] = []
    for node, kind in marks.items():
        there, name_end = tags.attribute(node, ATTRIBUTE), tags.name_end(node)
        value = f'{ATTRIBUTE}="{KINDS[kind]}"'
        if there:
            edits.append((*there, value))
        elif name_end is not None:
            edits.append((name_end, name_end, f" {value}"))
    pieces: list[bytes] = []
    done = 0
    for start, end, text in sorted(edits):
        pieces += (page.body[done : int(offsets[start])], text.encode(page.charset.codec))
        done = int(offsets[end])
    pieces.append(page.body[done:])
    return b"".join(pieces)
