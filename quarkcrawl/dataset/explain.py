"""The whole way of a URL: from the list of sites to a data set, or to where it was left out."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc
import pyarrow.dataset as ds
from protego import Protego
from pyarrow.parquet import read_schema

from quarkcrawl.content import extract
from quarkcrawl.corpus.extraction import ResultFolder, corpus_rules
from quarkcrawl.dataset.export import document_id, is_dataset
from quarkcrawl.engines import DuckEngine, parquet_files, source_path
from quarkcrawl.errors import InputError, QuarkError, StoreError
from quarkcrawl.frontier import Candidate, SqliteFrontier
from quarkcrawl.page import host_key
from quarkcrawl.progress import no_progress, reported
from quarkcrawl.rank import ranks_folder
from quarkcrawl.refine import WITHOUT_METHOD, label_table, repeat_table
from quarkcrawl.select import HOST_COLUMNS, SelectionWork, read_table, selection_of
from quarkcrawl.store import Corpus, bucket, logged_robots, shard_roots
from quarkcrawl.template import PagePlace, read_stored
from quarkcrawl.template.site import RULES_FILE, corrected, rule_effects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from quarkcrawl.progress import Progress
    from quarkcrawl.store.tables import RowKind
    from quarkcrawl.template.site import RuleEffect, SiteRules


_FRONTIER: Final = "frontier.sqlite"
_MEMORY_BYTES: Final = 512 << 20
_CONTENT: Final = (
    "content_method", "content_title", "page_type", "page_type_probability", "published", "author",
    "failure", "detail", "repeated_chars", "taught_chars",
)  # fmt: skip


WAY_STEPS: Final = (
    "list", "filters", "frontier", "robots", "fetch", "charset", "blocks", "content", "rules",
    "duplicates", "rank", "labels", "dataset",
)  # fmt: skip
"""What can happen to a URL, in this order."""

FILTER_REASONS: Final = frozenset(
    {
        "blocked_port",
        "campaign_budget",
        "host_alias",
        "host_budget",
        "opted_out",
        "private_address",
        "spam_host",
        "trap_depth",
        "trap_pattern",
        "trap_repeat",
        "url_too_long",
    }
)
"""Reasons for which a URL was dropped before anything was asked of its host."""


@dataclass(frozen=True, slots=True)
class WayPoint:
    """What happened to a URL at one step.

    Args:
        step: one of `WAY_STEPS`.
        finding: in a word or sentence, or a reason code.
        facts: what is known of it.
        place: the file or table that says so.
        outcome: the finding as one of a few words, without what differs from URL to URL; such as
            ``left_out``. ``unreadable``: the place could not be read, ``finding`` says why.
    """

    step: str
    finding: str
    facts: dict[str, Any] = field(default_factory=dict)
    place: str = ""
    outcome: str = ""


def explain_url(
    root: Path | str,
    url: str,
    *,
    method: str = "default",
    seeds: Path | None = None,
    datasets: Sequence[Path] = (),
    rules: Path | None = None,
    with_rules: bool = True,
    on_progress: Progress = no_progress,
) -> list[WayPoint]:
    """Say what became of a URL, step by step; what cannot be read says so, and the rest is told.

    Args:
        root: a corpus, or a folder of shards.
        url: the address, as it was crawled.
        method: extraction method whose content is told.
        seeds: work folder of the selection; None: beside the corpus or in its campaign, if there.
        datasets: data sets that may hold it; none: those beside the corpus and in its campaign.
        rules: file of what people taught about sites; None: that of the corpus, if it has one.
        with_rules: also what they do on the page, for which it is read and extracted again.
        on_progress: is told of shards that were searched.

    Raises:
        StoreError: the folder is no corpus.
        InputError: a folder is no data set.
    """
    roots = shard_roots(root)
    for folder in datasets:
        if not is_dataset(folder):
            raise InputError("is no data set", where=folder)
    base = Path(root)
    points: list[WayPoint] = []
    points += _readable("list", lambda: _listed(base, host_key(url), seeds))
    points += _readable("frontier", lambda: _frontier(base, url))
    points += _readable("robots", lambda: _robots(roots, url))
    with DuckEngine(memory_bytes=_MEMORY_BYTES, threads=2) as engine:
        for shard in reported(roots, "shards", on_progress, total=len(roots)):
            corpus = _Corpus(shard, url, method, engine)
            points += corpus.points()
            if with_rules:
                points += _readable("rules", partial(corpus.taught, base, rules))
    if not any(
        point.step in {"fetch", "filters"} or point.outcome.endswith(("_waits", "_fetching"))
        for point in points
    ):
        nothing = "the corpus knows nothing of this address"
        points.append(WayPoint("fetch", nothing, outcome="unknown"))
    for folder in datasets or _datasets(base):
        points += _readable("dataset", partial(_exported, folder, url))
    return sorted(points, key=lambda point: WAY_STEPS.index(point.step))


def _readable(step: str, read: Callable[[], Iterable[WayPoint]]) -> Iterator[WayPoint]:
    """What was found at a step; what cannot be read is a finding, too."""
    try:
        yield from read()
    except (QuarkError, OSError, ValueError) as error:  # Arrow's errors are of these kinds
        yield WayPoint(step, f"cannot be read ({error})", outcome="unreadable")


# Before the corpus


def _listed(root: Path, host: str, seeds: Path | None) -> Iterator[WayPoint]:
    work = SelectionWork(seeds) if seeds else selection_of(root)
    path = work.path("hosts.parquet") if work else None
    if path is None or not path.is_file():
        return
    table = read_table(path, HOST_COLUMNS)
    for row in table.filter(pc.field("host") == host).to_pylist():
        facts = {name: row[name] for name in ("url", "pages", "detail") if row[name]}
        if row["step"]:
            finding = f"host left out at {row['step']}: {row['reason']}"
            facts |= {"selection_step": row["step"], "reason": row["reason"]}
            yield WayPoint("list", finding, facts, str(path), "left_out")
        else:
            yield WayPoint("list", "host is a seed", facts, str(path), "seed")
        return
    yield WayPoint("list", "host is in no list", {"host": host}, str(path), "unlisted")


def _frontier(root: Path, url: str) -> Iterator[WayPoint]:
    path = root / _FRONTIER
    if not path.is_file():
        return
    with closing(SqliteFrontier(path, readonly=True)) as frontier:
        state = frontier.host(host_key(url))
        if state is None:
            finding = "host was never offered"
            yield WayPoint("frontier", finding, {}, str(path), "never_offered")
            return
        facts: dict[str, Any] = {"delay_s": state.delay_s, "stored": state.stored}
        facts |= {"reason": state.closed} if state.closed else {}
        (entry,) = frontier.find([url])
        waits = "waits" if isinstance(entry, Candidate) else "is being fetched"
        finding = f"host is closed: {state.closed}" if state.closed else "host is open"
        outcome = "closed" if state.closed else "open"
        if entry:
            finding += f"; the URL {waits}"
            outcome += "_waits" if isinstance(entry, Candidate) else "_fetching"
        yield WayPoint("frontier", finding, facts, str(path), outcome)


def _robots(shards: Sequence[Path], url: str) -> Iterator[WayPoint]:
    """What the host's robots.txt said of the URL, when it was read last."""
    host = host_key(url)
    texts = [robots for shard in shards for robots in logged_robots(shard) if robots.host == host]
    if texts:
        robots = max(texts, key=attrgetter("at"))
        allows = Protego.parse(robots.text).can_fetch(url, "quarkcrawl")
        facts = {"read_at": _time(robots.at), "chars": len(robots.text)}
        finding = "allowed" if allows else "forbidden"
        yield WayPoint("robots", finding, facts, outcome=finding)


# In the corpus


class _Corpus:
    """What the tables of one corpus know of a URL."""

    def __init__(self, root: Path, url: str, method: str, engine: DuckEngine) -> None:
        self._corpus = Corpus.open(root)
        self._engine = engine
        self._root = root
        self._url = url
        self._method = method
        self._bucket = bucket(host_key(url))

    def points(self) -> Iterator[WayPoint]:
        """All of it."""
        ends: tuple[tuple[RowKind, str, str], ...] = (
            ("redirect", "target", "redirected"), ("duplicate", "duplicate_of", "duplicate"),
            ("drop", "detail", "dropped"),
        )  # fmt: skip
        for kind, detail, outcome in ends:
            yield from _readable("fetch", partial(self._ended, kind, detail, outcome))
        pages: list[dict[str, Any]] = []

        def stored() -> Iterator[WayPoint]:
            pages.extend(self._rows(self._corpus.table("page"), bucketed=True))
            if pages:
                yield from self._stored(max(pages, key=itemgetter("offset")), len(pages))

        yield from _readable("fetch", stored)
        if pages:
            page = max(pages, key=itemgetter("offset"))
            steps = (("blocks", self._blocks), ("content", self._content),
                     ("duplicates", self._exact), ("duplicates", self._near),
                     ("labels", self._labels))  # fmt: skip
            for step, read in steps:
                yield from _readable(step, partial(read, page))
        yield from self._ranks()

    def _ended(self, kind: RowKind, detail: str, outcome: str) -> Iterator[WayPoint]:
        for row in self._rows(self._corpus.table(kind)):
            reason = row.get("reason") or kind
            facts = {detail: row[detail]} if row[detail] else {}
            time = row.get("at") or row.get("fetched_at")
            facts |= {"level": row["level"], **({"at": _time(time)} if time else {})}
            step = "filters" if reason in FILTER_REASONS else "fetch"
            yield WayPoint(step, reason, facts, self._place(f"{kind}s"), outcome)

    def _stored(self, page: dict[str, Any], n_records: int) -> Iterator[WayPoint]:
        facts = {name: page[name] for name in ("status", "mime", "body_bytes", "level", "origin")}
        facts["at"] = _time(page["fetched_at"])
        facts |= {"marks": page["marks"]} if page["marks"] else {}
        facts |= {"records": n_records} if n_records > 1 else {}
        place = f"{self._root}/data_{page['bucket']}/{page['host']}/page.dat@{page['offset']}"
        yield WayPoint("fetch", "stored", facts, place, "stored")
        decided = {"decided_by": page["charset_source"]}
        yield WayPoint("charset", page["charset"], decided, outcome="decided")

    @staticmethod
    def _blocks(page: dict[str, Any]) -> Iterator[WayPoint]:
        if page.get("blocks"):
            kinds: dict[str, int] = {}
            for block in page["blocks"]:
                kind = block["kind"] or "none"
                kinds[kind] = kinds.get(kind, 0) + 1
            yield WayPoint("blocks", f"{len(page['blocks'])} blocks", kinds, outcome="blocks")

    def _content(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        """What was found; a data set has the text that is named last."""
        if page.get("content_method") in {self._method, *WITHOUT_METHOD}:
            yield _content_point(page, self._place("pages"))
        for folder in ("cleaned", "extractions"):
            results = ResultFolder(self._root / "analysis" / folder / self._method)
            for row in self._rows(results.dataset(), bucketed=True):
                if row["offset"] == page["offset"]:
                    yield _content_point(row, str(results.path))

    def taught(self, base: Path, file: Path | None) -> Iterator[WayPoint]:
        """What people taught about the host, and what it does on the page."""
        rules = corpus_rules(base, file)
        if host_key(self._url) not in rules.hosts:
            return
        pages = self._rows(self._corpus.table("page"), bucketed=True)
        if pages and (page := max(pages, key=itemgetter("offset")))["mime"] != "text/plain":
            place = PagePlace(*(page[name] for name in PagePlace._fields))
            content = extract(read_stored(place, str(self._root)), method=self._method)
            taught = rules.of(host_key(self._url))
            yield from rule_points(
                self._url, rules, str(file or base / RULES_FILE),
                rule_effects(content, taught), is_kept=corrected(content, taught).is_kept,
            )  # fmt: skip

    def _exact(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        del page
        exact = self._root / "analysis" / "dedup" / "duplicates"
        for row in self._file_rows(exact):
            facts = {"kept": row["duplicate_of"]}
            yield WayPoint("duplicates", "same bytes", facts, str(exact), "exact")

    def _near(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        near = self._root / "analysis" / "near"
        for row in self._group_rows(near):
            facts = {"kept": row["kept_url"], "reason": row["reason"]}
            if row["is_kept"]:
                yield WayPoint("duplicates", "kept of a group", facts, str(near), "kept")
            else:
                yield WayPoint("duplicates", "nearly the same text", facts, str(near), "near")
        if page.get("near_of"):
            facts = {"kept": page["near_of"]}
            yield WayPoint("duplicates", "nearly the same text", facts, outcome="near")

    def _ranks(self) -> Iterator[WayPoint]:
        """The place of the URL in each rank of pages; linked URLs have one, stored or not."""
        for path in sorted(ranks_folder(self._root).glob("*.parquet")):
            yield from _readable("rank", partial(self._rank, path))

    def _rank(self, path: Path) -> Iterator[WayPoint]:
        files = parquet_files(path)  # from Spark a table is a folder
        if not files or not {"url", "rank", "position"} <= set(read_schema(files[0]).names):
            return
        for row in self._rows_of(files, '"rank", "position"'):
            facts = {"rank": row["rank"], "position": row["position"]}
            yield WayPoint("rank", path.stem, facts, str(path), "ranked")

    def _labels(self, page: dict[str, Any]) -> Iterator[WayPoint]:
        for table in (label_table(self._root), repeat_table(self._root)):
            for row in self._rows_of(table.files()):
                if row["offset"] == page["offset"]:
                    left = ("url", "host", "offset", "text_md5")
                    facts = {k: v for k, v in row.items() if k not in left and v is not None}
                    yield WayPoint("labels", table.path.name, facts, str(table.path), "labels")

    def _place(self, table: str) -> str:
        return str(self._root / "analysis" / table)

    def _file_rows(self, folder: Path) -> list[dict[str, Any]]:
        return self._rows_of(parquet_files(folder))

    def _group_rows(self, near: Path) -> list[dict[str, Any]]:
        """The rows of groups by any method, each a file or a folder of parts."""
        folders = (parquet_files(path) for path in sorted(near.glob("*/groups.parquet")))
        return self._rows_of([path for files in folders for path in files])

    def _rows_of(self, files: Sequence[Path], columns: str = "*") -> list[dict[str, Any]]:
        """Rows of the URL in files that have no order by URL.

        DuckDB reads the other columns only where the URL is; Arrow reads all of all rows.
        """
        if not files:
            return []
        paths = ", ".join(f"'{source_path(path)}'" for path in files)
        url = self._url.replace("'", "''")
        source = f"read_parquet([{paths}], hive_partitioning = false, union_by_name = true)"
        table = self._engine.fetch(
            f"SELECT {columns} FROM {source} WHERE url = '{url}'"  # noqa: S608 - quoted above
            " ORDER BY filename, file_row_number"
        )
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows

    def _rows(self, table: ds.Dataset, *, bucketed: bool = False) -> list[dict[str, Any]]:
        is_of_url = pc.field("url") == self._url
        if bucketed:
            is_of_url &= pc.field("bucket") == self._bucket
        columns = [name for name in table.schema.names if name != "links"]
        key = [name for name in ("host", "offset") if name in columns]
        rows: list[dict[str, Any]] = []
        try:  # first where it is: by host and offset tables are sorted, so the rest is not read
            hits = table.to_table(columns=["url", *key], filter=is_of_url).to_pylist()
            for place in dict.fromkeys(tuple(row[name] for name in key) for row in hits):
                there = is_of_url
                for name, value in zip(key, place, strict=True):
                    column = pc.field(name)
                    there &= column.is_null() if value is None else column == value
                rows += table.to_table(columns=columns, filter=there).to_pylist()
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read a table ({error})", where=self._root) from error
        return rows


def _content_point(row: dict[str, Any], place: str) -> WayPoint:
    facts = {name: row[name] for name in _CONTENT if row.get(name) is not None}
    n_chars = len(row.get("content_text") or "")
    facts |= {"chars": n_chars} if n_chars else {}
    finding = row.get("failure") or (f"{n_chars} characters" if n_chars else "no text")
    outcome = "failed" if row.get("failure") else "text" if n_chars else "empty"
    return WayPoint("content", finding, facts, place, outcome)


def rule_points(
    url: str, rules: SiteRules, place: str, effects: Sequence[RuleEffect], *, is_kept: bool
) -> Iterator[WayPoint]:
    """What each rule for a page does there, and what a method had said of the same text.

    Args:
        url: the address of the page.
        rules: those of all hosts.
        place: their file.
        effects: what the rules of its host decide there.
        is_kept: they would leave nearly nothing, so the page stays as it was.
    """
    by_rule = {effect.rule: effect for effect in effects}
    for number, rule in enumerate(rules.for_host(host_key(url))):
        if rule.page_only and rule.page != url:
            continue
        rule_facts: dict[str, Any] = {"rule": rules.rules.index(rule) + 1}
        rule_facts |= {"kind": rule.kind, "select": rule.select}
        rule_facts |= {name: True for name in ("own", "page_only") if getattr(rule, name)}
        rule_facts |= {"taught_on": rule.page} if rule.page else {}
        outcome = "absent"
        if effect := by_rule.get(number):
            rule_facts |= {"blocks": effect.blocks, "said_content_chars": effect.content_chars,
                     "said_noise_chars": effect.noise_chars}  # fmt: skip
            is_noise = rule.kind == "noise"
            n_against = effect.content_chars if is_noise else effect.noise_chars
            outcome = "agrees" if not n_against else "kept" if is_kept else "changed"
        yield WayPoint("rules", f"{rule.kind}: {rule.select}", rule_facts, place, outcome)


# After it


def _datasets(root: Path) -> list[Path]:
    around = [root.parent, root / "campaign", root]
    paths = [path for folder in around for path in sorted(folder.glob("*"))]
    paths += sorted((root / "datasets").glob("*/dataset"))  # those of the workbench
    return [path for path in paths if is_dataset(path)]


def _exported(folder: Path, url: str) -> Iterator[WayPoint]:
    left_out = ds.dataset(str(folder / "left_out"), format="parquet")
    rows = left_out.to_table(filter=pc.field("url") == url).to_pylist()
    for row in rows:
        facts = {"reason": row["reason"]}
        yield WayPoint("dataset", f"left out: {row['reason']}", facts, str(folder), "left_out")
    if not rows:
        yield _document(folder, url)


def _document(folder: Path, url: str) -> WayPoint:
    """Whether a URL that was not left out is in a data set, as far as its files tell."""
    unnamed = WayPoint("dataset", "not in the list of those left out", {}, str(folder), "unlisted")
    files = sorted((folder / "data").glob("*.parquet"))
    if not files:
        return unnamed
    table = ds.dataset([str(path) for path in files])
    key, value = ("id", document_id(url)) if "id" in table.schema.names else ("url", url)
    if key not in table.schema.names:
        return unnamed
    for fragment in table.get_fragments(pc.field(key) == value):
        if fragment.count_rows(filter=pc.field(key) == value):
            return WayPoint("dataset", "in the data set", {key: value}, fragment.path, "taken")
    return WayPoint("dataset", "unknown to the data set", {}, str(folder), "unknown")


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
