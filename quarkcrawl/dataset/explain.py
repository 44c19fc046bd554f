"""The whole way of a URL: from the list of sites to a data set, or to where it was left out."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc
import pyarrow.dataset as ds
from protego import Protego

from quarkcrawl.corpus.extraction import ResultFolder
from quarkcrawl.dataset.export import document_id, is_dataset
from quarkcrawl.engines import parquet_files
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.frontier import Candidate, SqliteFrontier
from quarkcrawl.page import host_key
from quarkcrawl.refine import WITHOUT_METHOD, label_table, repeat_table
from quarkcrawl.select import HOST_COLUMNS, read_table
from quarkcrawl.store import Corpus, bucket, logged_robots, shard_roots

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.store.tables import RowKind


_FRONTIER: Final = "frontier.sqlite"
_CONTENT: Final = (
    "content_method", "content_title", "page_type", "page_type_probability", "published", "author",
    "failure", "detail", "repeated_chars",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WayPoint:
    """What happened to a URL at one step.

    Args:
        step: list, frontier, robots, fetch, charset, blocks, content, duplicates, labels, dataset.
        finding: in a word or sentence, or a reason code.
        facts: what is known of it.
        place: the file or table that says so.
    """

    step: str
    finding: str
    facts: dict[str, Any] = field(default_factory=dict)
    place: str = ""


def explain_url(
    root: Path | str,
    url: str,
    *,
    method: str = "default",
    seeds: Path | None = None,
    datasets: Sequence[Path] = (),
) -> list[WayPoint]:
    """Say what became of a URL, step by step.

    Args:
        root: a corpus, or a folder of shards.
        url: the address, as it was crawled.
        method: extraction method whose content is told.
        seeds: work folder of the selection; None: beside the corpus or in its campaign, if there.
        datasets: data sets that may hold it; none: those beside the corpus and in its campaign.

    Raises:
        StoreError: the folder is no corpus, or a table cannot be read.
        InputError: a folder is no data set.
    """
    roots = shard_roots(root)
    points: list[WayPoint] = []
    points += _listed(Path(root), host_key(url), seeds)
    points += _frontier(Path(root), url)
    points += _robots(roots, url)
    for shard in roots:
        points += _Corpus(shard, url, method).points()
    if not any(point.step == "fetch" for point in points):
        points.append(WayPoint("fetch", "the corpus knows nothing of this address"))
    for folder in datasets or _datasets(Path(root)):
        points += _exported(folder, url)
    return points


# Before the corpus


def _listed(root: Path, host: str, seeds: Path | None) -> Iterator[WayPoint]:
    for folder in [seeds] if seeds else [root.parent / "seeds", root / "campaign" / "seeds"]:
        path = folder / "hosts.parquet"
        if not path.is_file():
            continue
        table = read_table(path, HOST_COLUMNS)
        for row in table.filter(pc.field("host") == host).to_pylist():
            dropped = row["step"] and f"host left out at {row['step']}: {row['reason']}"
            facts = {name: row[name] for name in ("url", "pages", "detail") if row[name]}
            yield WayPoint("list", dropped or "host is a seed", facts, str(path))
            return
        yield WayPoint("list", "host is in no list", {"host": host}, str(path))
        return


def _frontier(root: Path, url: str) -> Iterator[WayPoint]:
    path = root / _FRONTIER
    if not path.is_file():
        return
    with closing(SqliteFrontier(path, readonly=True)) as frontier:
        state = frontier.host(host_key(url))
        if state is None:
            yield WayPoint("frontier", "host was never offered", {}, str(path))
            return
        facts: dict[str, Any] = {"delay_s": state.delay_s, "stored": state.stored}
        (entry,) = frontier.find([url])
        waits = "waits" if isinstance(entry, Candidate) else "is being fetched"
        finding = f"host is closed: {state.closed}" if state.closed else "host is open"
        yield WayPoint("frontier", f"{finding}; the URL {waits}" if entry else finding, facts,
                       str(path))  # fmt: skip


def _robots(shards: Sequence[Path], url: str) -> Iterator[WayPoint]:
    """What the host's robots.txt said of the URL, when it was read last."""
    host = host_key(url)
    texts = [robots for shard in shards for robots in logged_robots(shard) if robots.host == host]
    if texts:
        robots = max(texts, key=attrgetter("at"))
        allows = Protego.parse(robots.text).can_fetch(url, "quarkcrawl")
        facts = {"read_at": _time(robots.at), "chars": len(robots.text)}
        yield WayPoint("robots", "allowed" if allows else "forbidden", facts)


# In the corpus


class _Corpus:
    """What the tables of one corpus know of a URL."""

    def __init__(self, root: Path, url: str, method: str) -> None:
        self._corpus = Corpus.open(root)
        self._root = root
        self._url = url
        self._method = method
        self._bucket = bucket(host_key(url))

    def points(self) -> Iterator[WayPoint]:
        """All of it."""
        ends: tuple[tuple[RowKind, str], ...] = (
            ("redirect", "target"), ("duplicate", "duplicate_of"), ("drop", "detail"),
        )  # fmt: skip
        for kind, told in ends:
            for row in self._rows(self._corpus.table(kind)):
                reason = row.get("reason") or kind
                facts = {told: row[told]} if row[told] else {}
                time = row.get("at") or row.get("fetched_at")
                facts |= {"level": row["level"], **({"at": _time(time)} if time else {})}
                yield WayPoint("fetch", reason, facts, self._place(f"{kind}s"))
        pages = self._rows(self._corpus.table("page"), bucketed=True)
        if pages:
            yield from self._stored(max(pages, key=lambda page: page["offset"]), len(pages))

    def _stored(self, page: dict[str, Any], n_records: int) -> Iterator[WayPoint]:
        facts = {name: page[name] for name in ("status", "mime", "body_bytes", "level", "origin")}
        facts["at"] = _time(page["fetched_at"])
        facts |= {"marks": page["marks"]} if page["marks"] else {}
        facts |= {"records": n_records} if n_records > 1 else {}
        place = f"{self._root}/data_{page['bucket']}/{page['host']}/page.dat@{page['offset']}"
        yield WayPoint("fetch", "stored", facts, place)
        yield WayPoint("charset", page["charset"], {"decided_by": page["charset_source"]})
        yield from self._blocks(page)
        yield from self._content(page)
        yield from self._duplicates(page)
        yield from self._labels(page)

    def _blocks(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        if page.get("blocks"):
            kinds: dict[str, int] = {}
            for block in page["blocks"]:
                kind = block["kind"] or "none"
                kinds[kind] = kinds.get(kind, 0) + 1
            yield WayPoint("blocks", f"{len(page['blocks'])} blocks", kinds)

    def _content(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        """What was found; a data set has the text that is named last."""
        if page.get("content_method") in {self._method, *WITHOUT_METHOD}:
            yield _content_point(page, self._place("pages"))
        for folder in ("cleaned", "extractions"):
            results = ResultFolder(self._root / "analysis" / folder / self._method)
            for row in self._rows(results.dataset(), bucketed=True):
                if row["offset"] == page["offset"]:
                    yield _content_point(row, str(results.path))

    def _duplicates(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        exact = self._root / "analysis" / "dedup" / "duplicates"
        for row in self._file_rows(exact):
            yield WayPoint("duplicates", "same bytes", {"kept": row["duplicate_of"]}, str(exact))
        near = self._root / "analysis" / "near"
        for row in self._group_rows(near):
            facts = {"kept": row["kept_url"], "reason": row["reason"]}
            finding = "kept of a group" if row["is_kept"] else "nearly the same text"
            yield WayPoint("duplicates", finding, facts, str(near))
        if page.get("near_of"):
            yield WayPoint("duplicates", "nearly the same text", {"kept": page["near_of"]})

    def _labels(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        for table in (label_table(self._root), repeat_table(self._root)):
            for row in self._rows_of(table.files()):
                if row["offset"] == page["offset"]:
                    left = ("url", "host", "offset", "text_md5")
                    facts = {k: v for k, v in row.items() if k not in left and v is not None}
                    yield WayPoint("labels", table.path.name, facts, str(table.path))

    def _place(self, table: str) -> str:
        return str(self._root / "analysis" / table)

    def _file_rows(self, folder: Path) -> list[dict[str, Any]]:
        return self._rows_of(parquet_files(folder))

    def _group_rows(self, near: Path) -> list[dict[str, Any]]:
        """The rows of groups by any method, each a file or a folder of parts."""
        found = (parquet_files(path) for path in sorted(near.glob("*/groups.parquet")))
        return self._rows_of([path for files in found for path in files])

    def _rows_of(self, files: Sequence[Path]) -> list[dict[str, Any]]:
        return self._rows(ds.dataset([str(path) for path in files])) if files else []

    def _rows(self, table: ds.Dataset, *, bucketed: bool = False) -> list[dict[str, Any]]:
        wanted = pc.field("url") == self._url
        if bucketed:
            wanted &= pc.field("bucket") == self._bucket
        try:
            rows: list[dict[str, Any]] = table.to_table(filter=wanted).to_pylist()
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read a table ({error})", where=self._root) from error
        return rows


def _content_point(row: dict[str, Any], place: str) -> WayPoint:
    facts = {name: row[name] for name in _CONTENT if row.get(name) is not None}
    n_chars = len(row.get("content_text") or "")
    finding = row.get("failure") or (f"{n_chars} characters" if n_chars else "no text")
    return WayPoint("content", finding, facts, place)


# After it


def _datasets(root: Path) -> list[Path]:
    around = [root.parent, root / "campaign", root]
    return [path for folder in around for path in sorted(folder.glob("*")) if is_dataset(path)]


def _exported(folder: Path, url: str) -> Iterator[WayPoint]:
    if not is_dataset(folder):
        raise InputError("is no data set", where=folder)
    left_out = ds.dataset(str(folder / "left_out"), format="parquet")
    rows = left_out.to_table(filter=pc.field("url") == url).to_pylist()
    for row in rows:
        yield WayPoint("dataset", f"left out: {row['reason']}", {}, str(folder))
    if rows:
        return
    files = sorted((folder / "data").glob("*.parquet"))
    if not files:
        yield WayPoint("dataset", "not in the list of those left out", {}, str(folder))
        return
    table = ds.dataset([str(path) for path in files])
    key, value = ("id", document_id(url)) if "id" in table.schema.names else ("url", url)
    if key not in table.schema.names:
        yield WayPoint("dataset", "not in the list of those left out", {}, str(folder))
        return
    for fragment in table.get_fragments(pc.field(key) == value):
        if fragment.count_rows(filter=pc.field(key) == value):
            yield WayPoint("dataset", "in the data set", {key: value}, fragment.path)
            return
    yield WayPoint("dataset", "unknown to the data set", {}, str(folder))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
