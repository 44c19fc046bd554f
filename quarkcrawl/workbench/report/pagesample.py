"""A sample of the pages of a corpus for one file: texts to be searched, copies to be looked at.

Each host has the same chance, whatever its size. A page is read in a process of its own with a time
limit, as hostile as it may be; its copy (`pagecopy`) is cleaned, and kept compressed. One copy
serves all views of it: each run carries the kind and the number of its block, and the sheet that
colors them is put in where the copy was cut.
"""

from __future__ import annotations

import base64
import gzip
import heapq
import math
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarkcrawl.analysis import map_pages
from quarkcrawl.content import extract, plain_content
from quarkcrawl.errors import StoreError
from quarkcrawl.page import Page, UnparsedPage
from quarkcrawl.page.text import without_surrogates
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.segment import segmentation_of
from quarkcrawl.store import read_at, record_file, shard_roots, split_reply
from quarkcrawl.store.tables import iter_batches
from quarkcrawl.workbench.report.contentview import KIND_FILLS
from quarkcrawl.workbench.report.legend import fill_sheet
from quarkcrawl.workbench.report.pagecopy import ElementAttributes, wrapped_copy
from quarkcrawl.workbench.report.plots import MAP_COLORS, map_colors
from quarkcrawl.workbench.report.roles import ROLE_FILLS, shown_kinds
from quarkcrawl.workbench.theme import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.analysis import Outcome
    from quarkcrawl.content import Content
    from quarkcrawl.progress import Progress
    from quarkcrawl.segment import Segmentation


_COLUMNS: Final = ("url", "host", "offset", "length", "title", "level", "content_text")
_TEXT_CHARS: Final = 20_000
_MOST_NODES: Final = 8_000
_MAP_SHEET: Final = "".join(
    f'[data-qk-map="{number}"]{{background:{color}!important}}'
    for number, color in enumerate(MAP_COLORS)
)
_STILL: Final = "a{pointer-events:none!important}"
SHEETS: Final = {
    "kinds": fill_sheet({**KIND_FILLS, **ROLE_FILLS}) + _STILL,
    "map": _MAP_SHEET + fill_sheet(ROLE_FILLS) + _STILL,
    "looks": _STILL,
}
"""What is put into a copy for each way to look at it."""


@dataclass(frozen=True, slots=True)
class ReportSample:
    """How many pages a report has, and how large they may be.

    Args:
        pages: most pages.
        most_bytes: most bytes of texts and copies in the file; what does not fit has its text
            only, or is left out.
        method: extraction method of the colors.
        workers: processes that read pages; 0: one a core.
        timeout_s: longest time for a page.
    """

    pages: int = 100
    most_bytes: int = 16 << 20
    method: str = "default"
    workers: int = 0
    timeout_s: float = 20.0


class SampledPage(NamedTuple):
    """A page that was drawn: what the tables say, and where its record is."""

    url: str
    host: str
    title: str
    level: int
    path: str
    offset: int
    length: int


def sampled_pages(
    root: Path,
    hosts: Mapping[str, int],
    lang: str,
    options: ReportSample,
    on_progress: Progress = no_progress,
) -> list[dict[str, Any]]:
    """The pages of a report as JSON values, by host and URL.

    Args:
        root: a corpus, or a folder of shards.
        hosts: stored pages of each host.
        lang: language of what is said of the blocks.
        options: how many, and how large.
        on_progress: is told of each page.

    Returns:
        ``url``, ``host``, ``title``, ``level``, ``text``, ``chars``; ``copy`` has the beginning and
        the end of the copy, compressed (Base64 of gzip), or is null, and then ``why`` says why.

    Raises:
        StoreError: the table of pages cannot be read.
    """
    drawn = sorted(_drawn(root, hosts, options.pages))
    read = partial(_entry, lang=lang, method=options.method)
    n_bytes, entries = 0, []
    outcomes = map_pages(
        read, drawn, workers=options.workers, timeout_s=options.timeout_s, chunk_pages=1
    )
    for outcome in reported(outcomes, "pages of the sample", on_progress, total=len(drawn)):
        entry = _told(outcome)
        if entry["copy"] is not None and n_bytes + _size(entry) > options.most_bytes:
            entry |= {"copy": None, "why": "size"}
        if n_bytes + _size(entry) <= options.most_bytes:
            n_bytes += _size(entry)
            entries.append(entry)
    return entries


def _size(entry: Mapping[str, Any]) -> int:
    parts = entry["copy"] or ()
    return sum(map(len, parts)) + 3 * len(entry["text"])  # a Chinese character is three bytes


def _drawn(root: Path, hosts: Mapping[str, int], n: int) -> list[SampledPage]:
    """Pages of which each host has the same chance to give some; always the same ones.

    Weighted sampling without replacement by exponential keys (Efraimidis, Spirakis 2006).
    """
    best: list[tuple[float, SampledPage]] = []
    for shard in shard_roots(root):
        for batch in iter_batches(shard, "page", list(_COLUMNS[:-1])):
            for row in batch.to_pylist():
                digest = blake2b(row["url"].encode("utf-8", "replace"), digest_size=8).digest()
                chance = (int.from_bytes(digest) + 1) / (1 << 64)
                key = math.log(chance) * hosts[row["host"]]
                if n and (len(best) < n or key > best[0][0]):
                    path = str(record_file(shard, row["host"]))
                    page = SampledPage(
                        row["url"], row["host"], row["title"] or "", row["level"] or 0, path,
                        row["offset"], row["length"],
                    )  # fmt: skip
                    (heapq.heappush if len(best) < n else heapq.heapreplace)(best, (key, page))
    return list({page.url: page for _, page in sorted(best)}.values())


def _told(outcome: Outcome[SampledPage, dict[str, Any]]) -> dict[str, Any]:
    """The entry of a page, also of one that could not be read."""
    page = outcome.input
    about = {"url": page.url, "host": page.host, "title": page.title, "level": page.level}
    failed = {"text": "", "chars": 0, "copy": None, "why": outcome.reason}
    return about | (outcome.value or failed)


def _entry(page: SampledPage, lang: str, method: str) -> dict[str, Any]:
    """What a report has of a page; runs in a process of the pool."""
    try:
        record = read_at(Path(page.path), page.offset, page.length)
    except StoreError as error:
        return {"text": "", "chars": 0, "copy": None, "why": error.reason}
    reply = split_reply(record.data)
    parsed = Page.from_bytes(reply.body, page.url, reply.content_type)
    if isinstance(parsed, UnparsedPage):
        return _texts(plain_content(parsed)) | {"copy": None, "why": "plain"}
    content = extract(parsed, method=method)
    texts = _texts(content)
    if len(parsed.tree) + len(parsed.tree.runs) > _MOST_NODES:
        return texts | {"copy": None, "why": "large"}
    return texts | {"copy": _copied(content, segmentation_of(parsed), lang), "why": ""}


def _texts(content: Content) -> dict[str, Any]:
    text = without_surrogates(content.text or "")
    texts: dict[str, Any] = {"text": text[:_TEXT_CHARS], "chars": len(text)}
    return texts | ({"title": without_surrogates(content.title)} if content.title else {})


def _copied(content: Content, blocks: Segmentation, lang: str) -> list[str]:
    """The copy of a page, cut where the sheet belongs."""
    page, t = content.page, words(lang)
    kinds, colors = shown_kinds(content), map_colors(blocks)
    of_run = {}
    for run, block in enumerate(blocks.run_block.tolist()):
        if block >= 0:
            kind = kinds[run]
            said = t("report.block", kind=t.or_(f"kind.{kind}", kind), n=block)
            of_run[run] = (
                f' data-qk-fill="{kind}" data-qk-map="{colors[block]}" title="{said}"'
                if kind not in ROLE_FILLS
                else f' data-qk-fill="{kind}" title="{said}"'
            )
    cut = f"/*{blake2b(page.html.encode('utf-8', 'replace'), digest_size=16).hexdigest()}*/"
    document = wrapped_copy(
        page, ElementAttributes(of_run), title=page.title, legend=None, sheet=cut, offline=True
    )
    first, _, last = without_surrogates(document).partition(cut)
    return [_packed(first), _packed(last)]


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
