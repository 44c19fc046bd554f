"""Small webs for the tests: pages with blocks and links, stored as a crawl stores them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quarkcrawl.page.links import Links
from quarkcrawl.rank import LinkGraph, PageBlocks
from quarkcrawl.store import CorpusWriter, RedirectRow
from tests.store.samples import duplicate_row, make_item

HOST = "a.cn"


def full(url: str) -> str:
    """``/x`` is a page of the host of the tests."""
    return f"http://{HOST}{url}" if url.startswith("/") else url


@dataclass(frozen=True)
class Piece:
    """A block of a page: links, and whether it is content."""

    links: tuple[str, ...] = ()
    content: bool = False
    n_chars: int = 100
    kind: str = ""


def block(*links: str, content: bool = False, n_chars: int = 100) -> Piece:
    """A block; a link that begins with "!" is nofollow."""
    return Piece(links, content, n_chars)


def _links(urls) -> Links:
    whole = [full(url.removeprefix("!")) for url in urls]
    n = len(whole)
    return Links(whole, [""] * n, [url.startswith("!") for url in urls], ["a"] * n)


class World:
    """A corpus that grows; ``rest`` are links in no block. Bodies are numbered."""

    def __init__(self, root: Path, *, n_before: int = 0) -> None:
        self.root = root
        self._writer = CorpusWriter(root)
        self._n = n_before

    def page(self, url: str, *pieces: Piece, rest: tuple[str, ...] = (), **changes: Any) -> None:
        """Store a page; ``canonical`` is the URL that it declares."""
        canonical = changes.pop("canonical", None)
        boxes = changes.pop("boxes", None)
        self._n += 1
        places = [k for k, piece in enumerate(pieces) for _ in piece.links] + [-1] * len(rest)
        urls = [link for piece in pieces for link in piece.links] + list(rest)
        table = [
            {"root": k, "tag": "div", "tag_class": "B", "n_chars": piece.n_chars,
             "kind": piece.kind or ("content" if piece.content else "noise"), "n_anchor_chars": 0,
             "n_links": len(piece.links)}
            for k, piece in enumerate(pieces)
        ]  # fmt: skip
        analysis: dict[str, Any] = {"blocks": table, "link_blocks": places}
        if canonical:
            analysis["canonical"] = full(canonical)
        if boxes:
            sides = ("x", "y", "width", "height")
            analysis["block_boxes"] = [dict(zip(sides, box, strict=True)) for box in boxes]
        if changes.pop("unlabelled", False):
            analysis = {}
        where = full(url)
        body = f"<p>{self._n}".encode()
        self._writer.append_page(
            make_item(self._n, host=where.split("/")[2], url=where, body=body, links=_links(urls),
                      analysis=analysis, **changes)
        )  # fmt: skip

    def duplicate(self, url: str, kept: str, *links: str) -> None:
        """A page left out because its body is that of another one; "": of one without a name."""
        md5 = hashlib.md5(kept.encode()).digest()
        whose = full(kept) if kept else ""
        self._writer.append_row(duplicate_row(full(url), whose, md5, 2, 1.1e9, _links(links)))

    def redirect(self, url: str, target: str) -> None:
        """A redirect."""
        row = RedirectRow(full(url), full(target), 301, 2, 1.1e9, in_scope=True)
        self._writer.append_row(row)

    def close(self) -> Path:
        """Finish; rows go to Parquet."""
        self._writer.sync().acknowledged()
        self._writer.close()
        return self.root

    def flush(self) -> Path:
        """Leave the rows in the journal."""
        self._writer.sync().acknowledged()
        return self.root


def edges(graph: LinkGraph) -> dict[tuple[str, str, int], int]:
    """(page, target, block) → number of links, with short URLs; the rest of a page is block -1."""
    names = [url.removeprefix(f"http://{HOST}") for url in graph.urls.to_pylist()]
    found: dict[tuple[str, str, int], int] = {}
    blocks = graph.blocks
    for page in range(graph.n_pages):
        for b in range(blocks.ptr[page], blocks.ptr[page + 1]):
            inner = -1 if b == blocks.ptr[page + 1] - 1 else int(b - blocks.ptr[page])
            for k in range(graph.link_ptr[b], graph.link_ptr[b + 1]):
                n = 1 if graph.counts is None else int(graph.counts[k])
                found[names[page], names[graph.targets[k]], inner] = n
    return found


def arrows(graph: LinkGraph) -> set[str]:
    """The links as ``"/a>/b"``."""
    return {f"{page}>{target}" for page, target, _ in edges(graph)}


def random_graph(seed: int, *, n_pages: int = 40, n_nodes: int = 60, n_links: int = 300,
                 repeated: str = "each") -> LinkGraph:  # fmt: skip
    """Pages with one to five blocks; some without links, some targets that are not stored."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_pages)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    n_blocks = int(ptr[-1])
    blocks = PageBlocks(
        ptr,
        rng.random(n_blocks) < 0.4,
        rng.integers(0, 500, n_blocks).astype(np.float32),
        rng.integers(1, 900, n_blocks).astype(np.float32),
    )
    linking = rng.choice(n_blocks, max(1, n_blocks // 2))
    return LinkGraph.from_links(
        rng.choice(linking, n_links), rng.integers(0, n_nodes, n_links) ** 2 // n_nodes,
        n_nodes=n_nodes, blocks=blocks, repeated=repeated,
    )  # fmt: skip


def dense_weights(graph: LinkGraph, weight) -> np.ndarray:
    """Sum of ``weight(block)`` over the links from page to target, one by one."""
    out = np.zeros((graph.n_nodes, graph.n_nodes))
    pages = graph.blocks.pages()
    for b in range(len(graph.blocks)):
        for k in range(graph.link_ptr[b], graph.link_ptr[b + 1]):
            n = 1 if graph.counts is None else graph.counts[k]
            out[pages[b], graph.targets[k]] += n * weight(b)
    return out


def stationary(weights: np.ndarray, damping: float = 0.85) -> np.ndarray:
    """Ranks of a dense graph by solving the equations; rows without links jump anywhere."""
    n = len(weights)
    sums = weights.sum(axis=1, keepdims=True)
    rows = np.divide(weights, sums, out=np.full_like(weights, 1 / n), where=sums > 0)
    ranks = np.linalg.solve(np.eye(n) - damping * rows.T, np.full(n, (1 - damping) / n))
    return ranks / ranks.sum()
