"""From a corpus to a collection: the sampling of CWT200g (thesis, 3.5).

The pages of each host are counted, duplicates left out; the sizes that occur are drawn (``draw``);
all pages of all hosts of these sizes are written to a new folder in the same layout
(``collection``), with document numbers, a manifest, checksums and a README. The same corpus,
options and version give the same bytes.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.corpus.collection.draw import DRAW, GROUP, DrawnSize, draw_sizes, draw_towards
from quarkcrawl.corpus.collection.files import write_collection_files
from quarkcrawl.corpus.collection.writer import (
    BucketSource,
    CollectionWriter,
    copies_of,
    write_table,
)
from quarkcrawl.corpus.dedupjob import view_unique
from quarkcrawl.corpus.inputs import register_table
from quarkcrawl.corpus.merge import SHARD, Shards
from quarkcrawl.engines import SparkEngine, parquet_files, sql_columns
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.progress import CountedStep, no_progress
from quarkcrawl.store import bucket, new_folder
from quarkcrawl.store.tables import schema_of, write_part

if TYPE_CHECKING:
    from quarkcrawl.engines import Engine
    from quarkcrawl.progress import Progress


_SIZES: Final = """
SELECT host, count(*) AS pages, sum(body_bytes) AS body_bytes
FROM sample_pages GROUP BY host
"""

_CHOSEN: Final = """
SELECT d.bucket, p.host, coalesce(p.shard, 0) AS shard, p."offset", p.length, p.url, p.level,
       p.fetched_at
FROM sample_pages AS p JOIN drawn_hosts AS d ON p.host = d.host
ORDER BY d.bucket, p.host, shard, p."offset"
"""

_CHOSEN_PAGES: Final = "SELECT bucket, count(*) AS n_pages FROM chosen GROUP BY bucket"

_NEWEST: Final = "SELECT max(fetched_at) AS fetched_at FROM chosen"

_DUPLICATES: Final = """
SELECT k.url, k.duplicate_of, k.md5, coalesce(p.level, c.level) AS level,
       coalesce(p.fetched_at, c.fetched_at) AS fetched_at
FROM known_duplicates AS k
SEMI JOIN chosen ON k.duplicate_of = chosen.url
LEFT JOIN pages AS p ON k.stored = 1 AND k.host = p.host AND k."offset" = p."offset"
LEFT JOIN (SELECT url, max(level) AS level, max(fetched_at) AS fetched_at
           FROM crawl_duplicates GROUP BY url) AS c ON k.stored = 0 AND k.url = c.url
ORDER BY k.url, k.duplicate_of, k.host, k."offset"
"""

_REDIRECTS: Final = """
SELECT r.* FROM redirects AS r SEMI JOIN chosen ON r.target = chosen.url
ORDER BY r.url, r.target, r.fetched_at
"""

_CHOSEN_COLUMNS: Final = {
    **sql_columns(
        schema_of("page"), ("bucket", "host", "offset", "length", "url", "level", "fetched_at")
    ),
    SHARD: "int",
}


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """What is drawn and how it is called.

    Args:
        name: what the collection is called; it stands for ``{name}`` in ``docno``.
        seed: start of the random draw; another one draws others.
        group, draw: sizes in a group, and how many of them are drawn.
        pages: about how many pages are wanted, instead of ``draw``.
        body_bytes: about how many bytes of bodies are wanted, instead of ``draw``.
        docno: pattern of document numbers, with ``{name}`` and ``{n}``.
        dedup: leave out duplicates; the corpus must have been deduplicated.
        tables_only: write rows, but no page.dat.
    """

    name: str = "CWT"
    seed: int = 1
    group: int = GROUP
    draw: int = DRAW
    pages: int = 0
    body_bytes: int = 0
    docno: str = "{name}-{n:08d}"
    dedup: bool = True
    tables_only: bool = False

    def pattern(self) -> str:
        """The pattern of document numbers with the name filled in.

        Raises:
            ConfigError: it has no ``{n}``, or cannot be a header line.
        """
        try:
            pattern = self.docno.replace("{name}", self.name)
            first, second = pattern.format(n=1), pattern.format(n=2)
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            message = f"no pattern of document numbers: {self.docno!r}"
            raise ConfigError(message, where="--docno") from error
        if first == second or not first.isprintable() or first != first.strip():
            message = "document numbers need {n} and no line breaks or blanks around them"
            raise ConfigError(message, where="--docno")
        return pattern


@dataclass(frozen=True, slots=True)
class SampleReport:
    """What was drawn.

    Args:
        corpus: where from.
        out: the collection.
        engine: what ran the job.
        hosts, pages: hosts and pages to draw from, duplicates left out.
        sizes: site sizes that occur; ``drawn_sizes`` of them were drawn.
        drawn_hosts, documents: hosts and pages of the collection.
        damaged: pages left out because their record is damaged.
        duplicates, redirects: rows of the companion tables.
        elapsed_s: length of the run.
    """

    corpus: str
    out: str
    engine: str
    hosts: int
    pages: int
    sizes: int
    drawn_sizes: int
    drawn_hosts: int
    documents: int
    damaged: int
    duplicates: int
    redirects: int
    elapsed_s: float


def host_sizes(engine: Engine, corpus: Shards, work: Path, *, dedup: bool) -> pa.Table:
    """Pages and bytes of each host, by name; registers what later queries need.

    Rows that are not in Parquet yet are put into ``work``.

    Raises:
        StoreError: a table cannot be read, or the corpus has not been deduplicated.
    """
    register_table(engine, corpus, "page", "pages", work)
    register_table(engine, corpus, "duplicate", "crawl_duplicates", work)
    view_unique(engine, corpus.root, "sample_pages", dedup=dedup)
    return engine.fetch(_SIZES).sort_by("host")


def sample_corpus(
    engine: Engine,
    root: Path | str,
    out: Path | str,
    options: SampleOptions | None = None,
    *,
    on_progress: Progress = no_progress,
) -> SampleReport:
    """Draw a collection from a corpus.

    Args:
        engine: DuckDB or Spark, see `quarkcrawl.engines.open_engine`.
        root: the corpus, or shards of a shared crawl that are not merged; no crawl should be
            writing to it.
        out: folder of the collection; it must not be there yet.
        options: what to draw.
        on_progress: is told of the pages, bucket by bucket.

    Raises:
        ConfigError: options contradict each other, or nothing would be drawn.
        InputError: the folder is there already.
        StoreError: the corpus cannot be read, has not been deduplicated, or no room.
        EngineError: the engine gave up.
    """
    job = _Sampling(engine, Path(root), Path(out), options or SampleOptions())
    return job.run(on_progress)


class _Sampling:
    """One run."""

    def __init__(self, engine: Engine, root: Path, out: Path, options: SampleOptions) -> None:
        self._engine = engine
        self._root = root
        self._out = out
        self._options = options
        self._pattern = options.pattern()
        if options.pages and options.body_bytes:
            raise ConfigError("wanted are pages or bytes, not both", where="sample")
        if out.exists():
            raise InputError("is there already", where=out)
        self._temporary = out.with_name(f".{out.name}.tmp")
        self._drafts = out.with_name(f".{out.name}.drafts.tmp")
        self._shards = Shards(root, self._temporary / "work" / "merge")

    def run(self, on_progress: Progress) -> SampleReport:
        """Do it; the folder gets its name only when it is whole."""
        started = time.monotonic()
        clear = partial(shutil.rmtree, ignore_errors=True)
        try:
            clear(self._drafts)
            with new_folder(self._out, self._temporary, clear):
                (self._temporary / "work").mkdir(parents=True)
                self._drafts.mkdir()
                return self._write(on_progress, started)
        finally:
            clear(self._drafts)

    def _write(self, on_progress: Progress, started: float) -> SampleReport:
        work = self._temporary / "work"
        on_progress("sizes of hosts", 0, None)
        sizes = host_sizes(self._engine, self._shards, work, dedup=self._options.dedup)
        drawn = self._draw(sizes)
        hosts = _hosts_of(sizes, drawn)
        on_progress("pages of hosts that were drawn", 0, None)
        self._choose(hosts, work)
        writer = CollectionWriter(self._temporary)
        self._pages(writer, work / "chosen", on_progress)
        on_progress("duplicates and redirects", 0, None)
        n_duplicates, n_redirects = self._companions(work)
        writer.finish(created=self._newest())
        shutil.rmtree(work)
        report = SampleReport(
            corpus=str(self._root),
            out=str(self._out),
            engine=self._engine.name,
            hosts=sizes.num_rows,
            pages=pc.sum(sizes["pages"]).as_py() or 0,
            sizes=len(drawn),
            drawn_sizes=sum(size.is_drawn for size in drawn),
            drawn_hosts=hosts.num_rows,
            documents=writer.n_documents,
            damaged=writer.n_damaged,
            duplicates=n_duplicates,
            redirects=n_redirects,
            elapsed_s=round(time.monotonic() - started, 3),
        )
        on_progress("checksums", 0, None)
        write_collection_files(self._temporary, self._manifest(report), drawn, sizes)
        return report

    def _draw(self, sizes: pa.Table) -> list[DrawnSize]:
        options = self._options
        if not (options.pages or options.body_bytes):
            values = sizes["pages"].unique().to_pylist()
            return draw_sizes(values, options.seed, group=options.group, draw=options.draw)
        weight = "pages" if options.pages else "body_bytes"
        weights = pa.table({"size": sizes["pages"], "weight": sizes[weight]})
        totals = weights.group_by("size").aggregate([("weight", "sum")])
        pairs = zip(totals["size"].to_pylist(), totals["weight_sum"].to_pylist(), strict=True)
        target = options.pages or options.body_bytes
        drawn = draw_towards(
            {s: int(w) for s, w in pairs}, target, options.seed, group=options.group
        )
        if drawn and not any(size.is_drawn for size in drawn):
            message = f"the first size drawn has more than twice the {target:,} wanted"
            where = "--pages" if options.pages else "--bytes"
            raise ConfigError(f"{message}: ask for more, or take another --seed", where=where)
        return drawn

    def _choose(self, hosts: pa.Table, work: Path) -> None:
        """The places of all pages of the hosts, in the order of their numbers."""
        write_part(hosts, work / "hosts.parquet")
        columns = {"host": "string", "bucket": "int"}
        self._engine.table("drawn_hosts", [work / "hosts.parquet"], columns)
        self._engine.write(_CHOSEN, work / "chosen")
        self._engine.table("chosen", parquet_files(work / "chosen"), _CHOSEN_COLUMNS)

    def _pages(self, writer: CollectionWriter, pages: Path, on_progress: Progress) -> None:
        source = BucketSource(
            [folder.absolute() for folder in self._shards.folders],
            [path.absolute() for path in parquet_files(pages)],
            self._drafts.absolute(),
            self._pattern,
            tables_only=self._options.tables_only,
        )
        counted = self._engine.fetch(_CHOSEN_PAGES).to_pylist()
        n_pages = {row["bucket"]: row["n_pages"] for row in counted}
        engine = self._engine
        copies = copies_of(engine, source, n_pages) if isinstance(engine, SparkEngine) else {}
        step = CountedStep("pages", on_progress, sum(n_pages.values()))
        for number in sorted(n_pages):
            first = writer.n_documents + 1
            writer.add(copies.get(number) or source.write(number, first))
            step.add(n_pages[number])

    def _companions(self, work: Path) -> tuple[int, int]:
        """Duplicates and redirects that lead to documents."""
        register_table(self._engine, self._shards, "redirect", "redirects", work)
        duplicates = self._engine.fetch(_DUPLICATES)
        redirects = self._engine.fetch(_REDIRECTS)
        if duplicates.num_rows:
            write_table(self._temporary, "duplicate", duplicates)
        if redirects.num_rows:
            write_table(self._temporary, "redirect", redirects)
        return duplicates.num_rows, redirects.num_rows

    def _newest(self) -> str:
        """When the youngest document was fetched: runs at other times give the same bytes."""
        newest = self._engine.fetch(_NEWEST)["fetched_at"][0].as_py() or 0.0
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(newest))

    def _manifest(self, report: SampleReport) -> dict[str, Any]:
        figures = asdict(report)
        for name in ("out", "engine", "elapsed_s", "corpus"):
            del figures[name]
        return {"name": self._options.name, "options": asdict(self._options), **figures}


def _hosts_of(sizes: pa.Table, drawn: list[DrawnSize]) -> pa.Table:
    """Hosts of the drawn sizes with their buckets."""
    taken = pa.array([size.pages for size in drawn if size.is_drawn], pa.int64())
    hosts = sizes.filter(pc.is_in(sizes["pages"].cast(pa.int64()), value_set=taken))["host"]
    buckets = pa.array([bucket(host) for host in hosts.to_pylist()], pa.int32())
    return pa.table({"host": hosts.cast(pa.string()), "bucket": buckets})
