"""Extraction over a stored corpus: every page once, whatever happens on the way.

Bucket by bucket, the pages of the corpus are compared with the rows that are there (``todo``).
Pages without a row go through the pool of processes, or as tasks to a cluster (``astasks``); the
rows become Parquet parts. A run that was killed goes on where its last part ended; pages that were
crawled since are added by the next run; rows whose page was moved or taken out by a salvage leave
the table, and so do those whose host is known to repeat something else than when they were made,
or has got other rules. So the rows depend on the stored pages and the file of rules alone.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from quarkcrawl.analysis import PoolOptions, map_pages
from quarkcrawl.content import method_name, method_named
from quarkcrawl.corpus.extraction.astasks import ExtractionTasks
from quarkcrawl.corpus.extraction.page import (
    ExtractionOptions,
    SitePage,
    extract_stored,
    lines_of_stored,
    result_row,
)
from quarkcrawl.corpus.extraction.results import (
    ResultFolder,
    results_base,
    writable_base,
)
from quarkcrawl.corpus.extraction.todo import ChosenPages, TodoPages, corpus_rules
from quarkcrawl.corpus.pagerows import corpus_identity
from quarkcrawl.corpus.tasks import AllTasks
from quarkcrawl.errors import NotStoredError, StorageUnreachableError
from quarkcrawl.store import (
    Corpus,
    CorpusLock,
    bucket,
    folder_here,
    read_results,
    results_folder,
    working_copy,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow.dataset as ds

    from quarkcrawl.analysis import Outcome
    from quarkcrawl.corpus.tasks import TaskTotals
    from quarkcrawl.engines import Cluster
    from quarkcrawl.template.site import SiteRules


_PART_ROWS: Final = 2048
_PART_CHARS: Final = 16 << 20


@dataclass(slots=True)
class ExtractionReport:
    """What a run did.

    Args:
        corpus: path of the corpus that was read.
        folder: where the rows are.
        method: extraction method.
        pages: pages of the corpus when the run began, or those of them that are flagged.
        done_before: pages that had their row already.
        extracted: pages that got a row in this run, failures included.
        failures: how many of these failed, by reason: ``damaged`` or ``unreadable`` records,
            ``timeout``, ``crash``, ``error``.
        removed: rows that left because their page has moved or is gone, or to be done again.
        site_pages_read: pages that were read before, to find what their hosts repeat.
        shortened: pages extracted in this run that lost something which their host repeats.
        corrected: those that what people taught about their host has changed.
        elapsed_s: length of the run.
    """

    corpus: str
    folder: str
    method: str
    pages: int = 0
    done_before: int = 0
    extracted: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    removed: int = 0
    site_pages_read: int = 0
    shortened: int = 0
    corrected: int = 0
    elapsed_s: float = 0.0


def extract_corpus(  # noqa: PLR0913 - options of a command
    root: Path | str,
    options: ExtractionOptions | None = None,
    *,
    out: Path | str | None = None,
    pool: PoolOptions | None = None,
    restart: bool = False,
    retry_failed: bool = False,
    only_flagged: bool = False,
    only_sites: bool = False,
    rules: Path | str | None = None,
    on_progress: Callable[[ExtractionReport], None] | None = None,
    cluster: Cluster | None = None,
    n_tasks: int = 0,
) -> ExtractionReport:
    """Extract the content of all pages of a corpus that have no row yet.

    Args:
        root: the corpus, also in an object store; a crawl may be writing to one that is here.
        options: what to extract.
        out: where the rows go, for a corpus that can only be read; None: into the corpus.
        pool: number and bounds of the processes; on a cluster those of a task, one if it is 0.
        restart: do all pages anew.
        retry_failed: do pages again whose row tells of a failure.
        only_flagged: do no pages but those whose analysis failed in the crawl (flags
            ``failed:…``), again if they have failed here, too; rows of others stay as they are.
        only_sites: do no pages but those of hosts that repeat something or have rules, and none
            that the crawl has rendered, whose columns are of another page than the one that is
            stored.
        rules: file of what people taught about hosts, see `quarkcrawl.template.site.read_rules`;
            None: ``rules.toml`` in the corpus, if there is one.
        on_progress: called after each page, or on a cluster at the end, with the report so far.
        cluster: what runs the pages as tasks that write their rows themselves; None: `map_pages`
            on this machine.
        n_tasks: how many tasks on a cluster; 0: by the number of pages.

    Raises:
        InputError: there is no such method.
        ConfigError: the rows that are there were made with other options, or a rule is wrong.
        CorpusLockedError: another extraction is running on this corpus.
        StoreError: the folder is no corpus, or the rows cannot be read or written.
        EngineError: the cluster gave up.
    """
    started = time.monotonic()
    options = options or ExtractionOptions()
    name = method_named(options.method).name
    taught = corpus_rules(root, rules)
    own = (f"extractions/{name}",) if out is None else ()
    if cluster is not None:
        root, out = folder_here(root, "clusters"), out and folder_here(out, "clusters")
    with ExitStack() as stack:
        source = stack.enter_context(working_copy(root, own, writes=out is None))
        rows = source if out is None else stack.enter_context(results_folder(out, name))
        report = _extract(
            source.path,
            options,
            out=None if out is None else rows.path,
            restart=restart,
            scope=ChosenPages(retry_failed or only_flagged, only_flagged, only_sites),
            rules=taught,
            pool=pool or PoolOptions(),
            on_progress=rows.followed(on_progress) or (lambda _: None),
            cluster=cluster,
            n_tasks=n_tasks,
        )
    report.elapsed_s = round(time.monotonic() - started, 3)
    report.corpus, report.folder = source.named(report.corpus), rows.named(report.folder)
    return report


def _extract(  # noqa: PLR0913 - those of the function above
    root: Path,
    options: ExtractionOptions,
    *,
    out: Path | None,
    restart: bool,
    scope: ChosenPages,
    rules: SiteRules,
    pool: PoolOptions,
    on_progress: Callable[[ExtractionReport], None],
    cluster: Cluster | None,
    n_tasks: int,
) -> ExtractionReport:
    """See `extract_corpus`; all folders are here."""
    corpus = Corpus.open(root)
    folder = writable_base(corpus.root, out)
    method = method_named(options.method)
    results = ResultFolder(folder / method.name)
    report = ExtractionReport(str(corpus.root), str(results.path), method.name)
    if cluster is not None:
        tasks = ExtractionTasks(corpus, results, options, scope, rules)
        if restart:
            with CorpusLock(folder):
                tasks.discard()
        sites, pages = tasks.run_on(AllTasks(cluster, n_tasks), pool)
        _fill(report, sites, pages)
        on_progress(report)
    else:
        with CorpusLock(folder):
            results.clear_tasks(restart=restart)
            noted = {**options.noted(), "corpus": corpus_identity(corpus.root)}
            results.open(noted, restart=restart)
            todo = TodoPages(corpus, results, scope, options.site_pages, rules)
            run = _Run(results, options, todo, report)
            run.run(str(corpus.root), pool, on_progress)
    return report


def _fill(report: ExtractionReport, sites: TaskTotals | None, pages: TaskTotals | None) -> None:
    """What tasks have done, as a report."""
    if sites is not None:
        report.site_pages_read = sites.about["n_inputs"]
    if pages is None:
        return
    report.pages, report.done_before = pages.about["pages"], pages.about["done_before"]
    report.removed, report.extracted = pages.about["removed"], pages.rows
    counts = dict(pages.counts)
    report.shortened = counts.pop("shortened", 0)
    report.corrected = counts.pop("corrected", 0)
    report.failures = counts


class _Run:
    """One run on this machine."""

    def __init__(
        self,
        results: ResultFolder,
        options: ExtractionOptions,
        todo: TodoPages,
        report: ExtractionReport,
    ) -> None:
        self._results = results
        self._options = options
        self._todo = todo
        self._report = report
        self._bucket = -1
        self._rows: list[dict[str, Any]] = []  # of this bucket, not in a part yet
        self._n_chars = 0

    def run(
        self, root: str, pool: PoolOptions, on_progress: Callable[[ExtractionReport], None]
    ) -> None:
        """Do it."""
        read = partial(lines_of_stored, root=root, method=self._options.method)
        self._learn(read, asdict(pool))
        function = partial(extract_stored, root=root, plan=self._options.plan)
        try:
            with closing(map_pages(function, self._pages(), **asdict(pool))) as outcomes:
                for outcome in outcomes:
                    self._take(outcome)
                    on_progress(self._report)
            self._flush()
        except (KeyboardInterrupt, StorageUnreachableError):
            self._flush()  # what is done is done
            raise
        finally:
            self._note()

    def _learn(
        self, function: Callable[[SitePage], dict[str, Any]], bounds: dict[str, Any]
    ) -> None:
        """Find what hosts repeat, where that is not known yet."""
        pages = chain.from_iterable(self._todo.to_learn())
        sites = self._todo.sites
        with closing(map_pages(function, pages, **bounds)) as outcomes:
            for outcome in outcomes:
                _check_reached(outcome.value)
                sites.take(outcome)
        sites.finish()
        self._report.site_pages_read = sites.n_read

    def _pages(self) -> Iterator[SitePage]:
        for page in self._todo.pages():
            self._note()
            yield page

    def _note(self) -> None:
        todo, report = self._todo, self._report
        report.pages, report.done_before = todo.n_pages, todo.n_done_before
        report.removed = todo.n_removed

    def _take(self, outcome: Outcome[SitePage, dict[str, Any]]) -> None:
        number = bucket(outcome.input.host)
        if number != self._bucket or len(self._rows) >= _PART_ROWS or self._n_chars >= _PART_CHARS:
            self._flush()
            self._bucket = number
        row = result_row(outcome)
        _check_reached(row)
        if failure := row.get("failure"):
            failures = self._report.failures
            failures[failure] = failures.get(failure, 0) + 1
        self._report.extracted += 1
        self._report.shortened += bool(row.get("repeated_chars"))
        self._report.corrected += bool(row.get("taught_chars"))
        self._rows.append(row)
        self._n_chars += len(row.get("content_text") or "")

    def _flush(self) -> None:
        if self._rows:
            self._results.write(self._bucket, self._rows)
            self._rows, self._n_chars = [], 0


def _check_reached(row: Mapping[str, Any] | None) -> None:
    """Stop where an object store has stayed away: its pages have not failed, they come later."""
    if row is not None and row.get("failure") == StorageUnreachableError.reason:
        raise StorageUnreachableError(str(row["detail"]))


def extractions(
    root: Path | str, method: str = "default", *, out: Path | str | None = None
) -> ds.Dataset:
    """The rows of an extraction as a pyarrow dataset.

    Args:
        root: the corpus, a folder of this machine.
        method: extraction method.
        out: where the rows are, if not in the corpus.

    Raises:
        StoreError: the folder is no corpus, or there is no extraction by this method.
    """
    folder = ResultFolder(results_base(Corpus.open(root).root, out) / method_name(method))
    if folder.options() is None:
        raise NotStoredError(f"no extraction by the method {method!r}", where=folder.path)
    return folder.dataset()


def extraction_failures(
    root: Path | str, method: str = "default", *, out: Path | str | None = None
) -> Iterator[dict[str, Any]]:
    """URL, host, offset, failure (the reason code) and detail of each page that failed.

    Args:
        root: the corpus.
        method: extraction method.
        out: where the rows are, if not in the corpus.

    Raises:
        StoreError: the folder is no corpus, or there is no extraction by this method.
    """
    columns = ["url", "host", "offset", "failure", "detail"]
    with ExitStack() as stack:
        name = method_name(method)
        own = (f"extractions/{name}",) if out is None else ()
        source = stack.enter_context(working_copy(root, own))
        rows = None if out is None else stack.enter_context(read_results(out, name)).path
        table = extractions(source.path, method, out=rows)
        failed = pc.field("failure").is_valid()
        for batch in table.to_batches(columns=columns, filter=failed, cache_metadata=False):
            yield from batch.to_pylist()
