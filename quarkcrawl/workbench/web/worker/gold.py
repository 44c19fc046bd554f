"""Marks on pages, in the worker process: written into the source, scored, proposed, exported."""

from __future__ import annotations

import base64
import time
from collections import defaultdict
from itertools import combinations, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from quarkcrawl.content import extract
from quarkcrawl.errors import InputError, QuarkError
from quarkcrawl.lab.evaluate import PEERS, Score, peer_text, read_marks, score_text
from quarkcrawl.lab.gold import (
    KINDS,
    MARKED_AS,
    Passage,
    Rule,
    mark_by_rules,
    mark_runs,
    marked_file,
    run_kinds,
)
from quarkcrawl.page import Page
from quarkcrawl.page.text import n_inked
from quarkcrawl.segment import segmentation_of
from quarkcrawl.workbench.report import ROLE_FILLS, shown_kinds
from quarkcrawl.workbench.web.worker.analyzed import analyzed, body_of
from quarkcrawl.workbench.web.worker.differences import MOST_TEXT
from quarkcrawl.workbench.web.worker.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content import Content
    from quarkcrawl.lab.gold import AnnotatedPage
    from quarkcrawl.segment import Segmentation
    from quarkcrawl.workbench.web.documents import DocumentSource

    Marked = tuple[str, int, dict[str, Any]]
    """Path of a marked page, when it was changed, what else is kept of it."""


KINDS_METHOD: Final = "default"
"""The method that tells all kinds of text apart; the others know content only."""

_scores: dict[tuple[str, int, str], Score | None] = {}
_kind_chars: dict[tuple[str, int], dict[str, tuple[int, int, int]]] = {}


def mark(
    document: DocumentSource, kinds: Sequence[str], passages: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Write marks for the blocks of a page into its source.

    Args:
        document: the page.
        kinds: kind of each of its blocks.
        passages: runs, characters and kinds of what is marked inside of blocks.

    Returns:
        Among others ``passages`` that cover the whole of each run that has any, and ``pieces``, of
        each block that has any how many visible characters have which kind, in order.

    Raises:
        InputError: there are more or fewer blocks; the page has no such passages; it cannot be
            marked.
    """
    held = analyzed(document)
    page, segmentation = held.page, held.segmentation
    if len(kinds) != len(segmentation):
        raise InputError(f"{len(kinds)} kinds for {len(segmentation)} blocks", where=document.id)
    stretches = _stretches(segmentation, kinds, passages, document.id)
    run_kind = _run_kinds(segmentation, kinds)
    for run, parts in stretches.items():
        run_kind[run] = KINDS.index(_most(page.tree.runs[run], parts))
    marking = mark_runs(page, run_kind, document.id)
    for selector in (
        "body, html",
        "body > *",
    ):  # unmarked text is noise, but one mark there must be
        if not marking.n_marks:
            marking = mark_by_rules(page, [Rule("noise", selector, "all noise")], document.id)
    if not marking.n_marks:
        raise InputError("the page has no tag that could carry a mark", where=document.id)
    pieces = _pieces(segmentation, kinds, stretches)
    problems: list[str] = []
    again = Page.from_bytes(marking.body, document.url)
    if again.tree.runs != page.tree.runs:
        problems.append(f"{document.id}: read without its header, the page has another text")
    else:  # text may share its element with other text, or have none: passages say it exactly
        wrong = np.flatnonzero(run_kinds(again.tree, document.id) != run_kind)
        of_blocks = segmentation.run_block[wrong]
        for run, block in zip(wrong.tolist(), of_blocks.tolist(), strict=True):
            if block >= 0 and page.tree.run_chars[run]:
                whole = Passage(run, 0, len(page.tree.runs[run]), kinds[block])
                stretches.setdefault(run, [whole])
    return {
        "body": marking.body,
        "n_marks": marking.n_marks,
        "problems": problems,
        "chars": segmentation.n_chars.tolist(),
        "passages": [
            {**part._asdict(), "block": int(segmentation.run_block[part.run])}
            for parts in stretches.values()
            for part in parts
        ],
        "pieces": pieces,
    }


def _run_kinds(segmentation: Segmentation, kinds: Sequence[str]) -> NDArray[np.int64]:
    """Kind of each run by the kinds of the blocks, an index into `KINDS`."""
    of_block = [*(KINDS.index(MARKED_AS[kind]) for kind in kinds), KINDS.index("noise")]
    run_kind: NDArray[np.int64] = np.array(of_block, np.int64)[segmentation.run_block]
    return run_kind


def _stretches(
    segmentation: Segmentation,
    kinds: Sequence[str],
    passages: Iterable[dict[str, Any]],
    name: str,
) -> dict[int, list[Passage]]:
    """Of each run with passages all its characters, cut where the kind changes."""
    runs = segmentation.page.tree.runs
    marked: dict[int, list[str]] = {}
    for one in passages:
        run, start, end = one["run"], one["start"], one["end"]
        if not (run < len(runs) and start < end <= len(runs[run])):
            raise InputError(f"no characters {start}-{end} in text {run}", where=name)
        block = int(segmentation.run_block[run])
        if block < 0:
            raise InputError(f"text {run} is in no block", where=name)
        of_run = marked.setdefault(run, [kinds[block]] * len(runs[run]))
        of_run[start:end] = [one["kind"]] * (end - start)
    return {run: list(_cut(run, of_run)) for run, of_run in sorted(marked.items())}


def _cut(run: int, of_run: Sequence[str]) -> Iterable[Passage]:
    start = 0
    for kind, same in groupby(of_run):
        end = start + len(list(same))
        yield Passage(run, start, end, kind)
        start = end


def _most(text: str, parts: Iterable[Passage]) -> str:
    """The value of the mark that most visible characters of a run want."""
    chars: dict[str, int] = defaultdict(int)
    for part in parts:
        chars[MARKED_AS[part.kind]] += n_inked(text[part.start : part.end])
    return max(chars, key=chars.__getitem__)


def _pieces(
    segmentation: Segmentation, kinds: Sequence[str], stretches: dict[int, list[Passage]]
) -> dict[str, list[tuple[int, str]]]:
    tree = segmentation.page.tree
    pieces: dict[str, list[tuple[int, str]]] = {}
    for block in sorted({int(segmentation.run_block[run]) for run in stretches}):
        counts = []
        for run in np.flatnonzero(segmentation.run_block == block).tolist():
            whole = [Passage(run, 0, len(tree.runs[run]), kinds[block])]
            for _, start, end, kind in stretches.get(run, whole):
                counts.append((n_inked(tree.runs[run][start:end]), kind))
        pieces[str(block)] = [(n, kind) for n, kind in counts if n]
    return pieces


def proposal(document: DocumentSource, method: str) -> dict[str, Any]:
    """What a method finds, as marks to begin from.

    A method may take lines of a block and leave others; such runs become passages, as do headline,
    date and byline.
    """
    content = read(document, "content", method).content(method)
    blocks = content.segmentation
    kinds = [kind if kind in MARKED_AS else "noise" for kind in blocks.kinds]
    tree = content.page.tree
    passages = []
    for run, kind in enumerate(_said_of_runs(content)):
        block = int(blocks.run_block[run])
        if block >= 0 and tree.run_chars[run] and kind != kinds[block]:
            whole = Passage(run, 0, len(tree.runs[run]), kind)
            passages.append({**whole._asdict(), "block": block})
    return {"kinds": kinds, "passages": passages}


def _said_of_runs(content: Content) -> list[str]:
    """Kind of each run: its role, or that of its block as far as the method took the run."""
    kinds = []
    for kind, is_taken in zip(shown_kinds(content), content.runs.tolist(), strict=True):
        if kind in ROLE_FILLS or (kind in MARKED_AS and (MARKED_AS[kind] == "content") == is_taken):
            kinds.append(kind)
        else:
            kinds.append("content" if is_taken else "noise")
    return kinds


def score_marks(marked: Sequence[Marked], methods: Sequence[str], limit_s: float) -> dict[str, Any]:
    """Scores of methods on marked pages, as far as the time allows; what is done is kept.

    Args:
        marked: the pages.
        methods: names of methods.
        limit_s: begin no other page after so long.

    Returns:
        For each method precision, recall and F1 a page, None where nothing is marked as content,
        "" where it is not known yet; under ``kinds`` characters by kind: marked, found by
        `KINDS_METHOD`, both.
    """
    start = time.perf_counter()
    for path, changed, entry in marked:
        for method in methods:
            if time.perf_counter() - start > limit_s:
                break
            if (path, changed, method) not in _scores:
                _score(path, changed, entry, method)
    scores = {
        method: [_plain((path, changed, method)) for path, changed, _ in marked]
        for method in methods
    }
    totals: dict[str, list[int]] = {}
    for path, changed, _ in marked:
        for kind, counts in _kind_chars.get((path, changed), {}).items():
            sums = totals.setdefault(kind, [0, 0, 0])
            totals[kind] = [a + b for a, b in zip(sums, counts, strict=True)]
    return {"methods": scores, "kinds": totals}


def _plain(key: tuple[str, int, str]) -> list[float] | str | None:
    """A score as numbers; None if there is nothing to score, "" if it is not known yet."""
    if key not in _scores:
        return ""
    score = _scores[key]
    if score is None:
        return None
    return [round(score.precision, 4), round(score.recall, 4), round(score.f1, 4)]


def _score(path: str, changed: int, entry: dict[str, Any], method: str) -> None:
    gold = marked_file(Path(path), entry, Path(path).stem)
    marked = read_marks(gold.page(), path, passages=gold.passages)
    content = extract(marked.page, method=method)
    if method == KINDS_METHOD:
        # Marks that began from its proposal say little about it.
        is_own = gold.origin == method
        _kind_chars[path, changed] = {} if is_own else _chars_by_kind(marked, entry, content)
    _scores[path, changed, method] = None
    if marked.is_topic:
        chars, gold_chars = marked.page.tree.run_chars, marked.content_chars
        content_runs = content.runs & ~marked.page.tree.run_raw
        _scores[path, changed, method] = Score.of(
            int(gold_chars[content_runs].sum()),
            int(chars[content_runs].sum()),
            int(gold_chars.sum()),
        )


def _chars_by_kind(
    marked: AnnotatedPage, entry: dict[str, Any], content: Content
) -> dict[str, tuple[int, int, int]]:
    """Visible characters by kind: marked, found, both; empty if the blocks are others by now."""
    tree, kinds = marked.page.tree, entry["kinds"]
    blocks = segmentation_of(marked.page)
    if len(kinds) != len(blocks):
        return {}
    said = _said_of_runs(content)
    counts: dict[str, list[int]] = {kind: [0, 0, 0] for kind in MARKED_AS}
    parts = _stretches(blocks, kinds, entry.get("passages", ()), "")
    for run in np.flatnonzero((blocks.run_block >= 0) & (tree.run_chars > 0)).tolist():
        whole = [Passage(run, 0, len(tree.runs[run]), kinds[int(blocks.run_block[run])])]
        for _, start, end, kind in parts.get(run, whole):
            n_chars = n_inked(tree.runs[run][start:end])
            counts[kind][0] += n_chars
            counts[said[run]][1] += n_chars
            counts[kind][2] += n_chars * (said[run] == kind)
    return {kind: (a, b, c) for kind, (a, b, c) in counts.items() if a or b}


def disagreements(
    documents: Sequence[DocumentSource], methods: Sequence[str], limit_s: float
) -> list[float]:
    """How far methods differ on pages, as many pages as the time allows, one at least.

    Returns:
        Of each page the mean over pairs of methods of 1 minus the F1 of one against the other, by
        characters; 0 for a page that cannot be read. Of peers texts are compared; one that fails
        on a page is left out there.
    """
    start = time.perf_counter()
    page_disagreements: list[float] = []
    for document in documents:
        if page_disagreements and time.perf_counter() - start > limit_s:
            break
        try:
            body, content_type = body_of(document)
        except QuarkError:
            page_disagreements.append(0.0)
            continue
        page = Page.from_bytes(body, document.url, content_type)
        page_disagreements.append(_disagreement(page, methods))
    return page_disagreements


def _disagreement(page: Page, methods: Sequence[str]) -> float:
    chars = np.where(page.tree.run_raw, 0, page.tree.run_chars)
    contents = [extract(page, method=method) for method in methods if method not in PEERS]
    values = []
    for one, two in combinations([content.runs for content in contents], 2):
        both, n_one, n_two = (int(chars[mask].sum()) for mask in (one & two, one, two))
        values.append(1 - Score.of(both, n_one, n_two).f1 if n_one or n_two else 0.0)
    texts = [content.text[:MOST_TEXT] for content in contents]
    for method in methods:
        if method in PEERS:
            try:
                text = peer_text(method, page, contents[0].language)[:MOST_TEXT]
            except QuarkError:
                continue
            values += [1 - score_text(text, other).f1 if text or other else 0.0 for other in texts]
            texts.append(text)
    return round(float(np.mean(values)), 4)


def exported(marked: Sequence[Marked], limit_s: float) -> list[dict[str, Any]]:
    """Marked pages as records of a gold set in JSON lines, as many as the time allows."""
    start = time.perf_counter()
    records: list[dict[str, Any]] = []
    for path, _, entry in marked:
        if records and time.perf_counter() - start > limit_s:
            break
        gold = marked_file(Path(path), entry, Path(path).stem)
        gold_page = read_marks(gold.page(), path, passages=gold.passages)
        records.append(
            {
                "id": gold.number,
                "url": gold.url,
                "body_b64": base64.b64encode(gold.body).decode(),
                "gold_text": gold_page.content_text,
                "gold_includes": [],
                "is_topic": gold_page.is_topic,
                "origin": gold.origin,
                "passages": entry.get("passages", []),
                "kinds": entry.get("kinds", []),
                "parts": _texts_of_kinds(gold_page.page, entry),
            }
        )
    return records


def _texts_of_kinds(page: Page, entry: dict[str, Any]) -> dict[str, list[str]]:
    """Texts of headline, date, byline, posts and comments, by kind and in the order of the page."""
    blocks, kinds = segmentation_of(page), entry.get("kinds", ())
    if len(kinds) != len(blocks):
        return {}
    parts = _stretches(blocks, kinds, entry.get("passages", ()), "")
    texts: dict[str, list[str]] = {}
    last: tuple[int, str] | None = None
    for run, text in enumerate(page.tree.runs):
        block = int(blocks.run_block[run])
        if block < 0:
            continue
        for _, start, end, kind in parts.get(run, [Passage(run, 0, len(text), kinds[block])]):
            words = " ".join(text[start:end].split())
            if not words or kind in KINDS:
                continue
            if last == (block, kind):
                texts[kind][-1] += f" {words}"
            else:
                texts.setdefault(kind, []).append(words)
            last = block, kind
    return texts
