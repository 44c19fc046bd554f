"""Extraction as tasks: plans, and what a task does with its slice.

What hosts repeat has to be known before their pages are done, so there are two jobs: the first
reads samples of hosts (a slice has whole samples), the second does all pages. Each has its own
plan, and the second is planned when the parts of the first are published.
"""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow as pa

from quarkcrawl.analysis import PoolOptions, map_pages
from quarkcrawl.content import method_name, method_named
from quarkcrawl.corpus.extraction.page import (
    ExtractionOptions,
    SitePage,
    extract_stored,
    lines_of_stored,
    result_row,
)
from quarkcrawl.corpus.extraction.results import (
    PART_SCHEMA,
    ResultFolder,
    results_base,
    writable_base,
)
from quarkcrawl.corpus.extraction.sites import SITE_SCHEMA, site_row
from quarkcrawl.corpus.extraction.todo import ChosenPages, TodoPages, corpus_rules
from quarkcrawl.corpus.pagerows import PageRows, corpus_identity
from quarkcrawl.corpus.tasks import (
    AllTasks,
    TaskFolder,
    TaskOrder,
    TaskReport,
    TaskTotals,
    check_task,
    do_task,
    pool_of,
    run_task,
)
from quarkcrawl.errors import ConfigError
from quarkcrawl.store import Corpus, CorpusLock, bucket, folder_here
from quarkcrawl.store.tables import columns_of, count_table
from quarkcrawl.template.site import SiteLines

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from quarkcrawl.corpus.tasks import TaskInputs, TaskPlan
    from quarkcrawl.template.site import SiteRules

    Rows: TypeAlias = Generator[dict[str, Any] | None, None, None]
    Phase: TypeAlias = Literal["sites", "pages"]


_PLACE: Final = pa.schema(columns_of("url", "host", "offset", "length", "mime"))
_SAMPLES: Final = _PLACE.append(pa.field("is_last", pa.bool_()))
_KNOWN: Final = ("repeated", "taught")
_PAGES: Final = pa.schema([*_PLACE, *(pa.field(name, pa.string()) for name in _KNOWN)])


@dataclass(frozen=True, slots=True)
class PagesJob:
    """Extracts pages.

    Args:
        root: the corpus.
        options: what to extract.
        pool: number and bounds of the processes.
        function: makes a row of a page.
    """

    root: str
    options: ExtractionOptions
    pool: PoolOptions
    function: Callable[..., dict[str, Any]] = extract_stored

    @property
    def schema(self) -> pa.Schema:
        """See `TaskJob.schema`."""
        return PART_SCHEMA

    def rows(self, inputs: Iterator[dict[str, Any]]) -> Rows:
        """See `TaskJob.rows`."""
        function = partial(self.function, root=self.root, plan=self.options.plan)
        pages = (SitePage(**values) for values in inputs)
        with closing(map_pages(function, pages, **asdict(self.pool))) as outcomes:
            for outcome in outcomes:
                yield result_row(outcome)

    def counted(self, row: dict[str, Any]) -> list[str]:
        """See `TaskJob.counted`."""
        columns = {"shortened": "repeated_chars", "corrected": "taught_chars"}
        changed = [name for name, column in columns.items() if row.get(column)]
        return [row["failure"], *changed] if row.get("failure") else changed


@dataclass(frozen=True, slots=True)
class SitesJob:
    """Learns what hosts repeat; the row of a host comes with the last page of its sample.

    Args:
        root: the corpus.
        method: extraction method.
        pool: number and bounds of the processes.
    """

    root: str
    method: str
    pool: PoolOptions

    @property
    def schema(self) -> pa.Schema:
        """See `TaskJob.schema`."""
        return SITE_SCHEMA

    def rows(self, inputs: Iterator[dict[str, Any]]) -> Rows:
        """See `TaskJob.rows`."""
        is_last: deque[bool] = deque()

        def pages() -> Iterator[SitePage]:
            for values in inputs:
                is_last.append(values.pop("is_last"))
                yield SitePage(**values)

        function = partial(lines_of_stored, root=self.root, method=self.method)
        sample: list[SitePage] = []
        lines: list[SiteLines] = []
        with closing(map_pages(function, pages(), **asdict(self.pool))) as outcomes:
            for outcome in outcomes:
                sample.append(outcome.input)
                if outcome.value is not None and "failure" not in outcome.value:
                    lines.append(SiteLines(**outcome.value))
                if not is_last.popleft():
                    yield None
                    continue
                yield site_row(sample, lines)
                sample, lines = [], []

    def counted(self, _: dict[str, Any]) -> list[str]:
        """See `TaskJob.counted`."""
        return []


class ExtractionTasks:
    """The tasks of one extraction.

    Args:
        corpus: the pages; a crawl may be adding others.
        results: where the rows go.
        options: what to extract.
        chosen: which pages are done.
        rules: what people taught about hosts.
    """

    def __init__(
        self,
        corpus: Corpus,
        results: ResultFolder,
        options: ExtractionOptions,
        scope: ChosenPages,
        rules: SiteRules,
    ) -> None:
        self._rules = rules
        self._corpus = corpus
        self._results = results
        self._options = options
        self._chosen = scope
        self._settings = {**options.noted(), "corpus": corpus_identity(corpus.root)}
        self._listed: dict[str, Any] = {}  # what was noted of the pages, also if none is to be done

    def folder(self, phase: Phase) -> TaskFolder:
        """The tasks of a phase."""
        sites, pages = self._results.tasks
        return sites if phase == "sites" else pages

    def discard(self) -> None:
        """Forget all tasks and all rows."""
        self._results.clear_tasks(restart=True)
        self._results.open(self._settings, restart=True)

    def job(self, phase: Phase, pool: PoolOptions) -> PagesJob | SitesJob:
        """What the tasks of a phase do."""
        root = str(self._corpus.root)
        if phase == "sites":
            return SitesJob(root, self._options.method, pool)
        return PagesJob(root, self._options, pool)

    # Plans

    def plan(self, phase: Phase, n_tasks: int, *, anew: bool = False) -> TaskPlan | None:
        """The plan of a phase, ``anew`` if an earlier one is finished; None: nothing to do.

        Raises:
            ConfigError: other tasks are under way, or what hosts repeat is not known yet.
            CorpusLockedError: another extraction is running on this corpus.
            StoreError: tables cannot be read, or the folder cannot be written.
        """
        settings = {**self._settings, **self._chosen._asdict()}
        if phase == "pages" and len(self._rules):
            settings["rules"] = self._rules.digest
        order = TaskOrder(phase, n_tasks, settings, PageRows(self._corpus).state())
        if phase == "sites":
            return self.folder(phase).prepare(order, _SAMPLES, self._list_samples, anew=anew)
        return self.folder(phase).prepare(order, _PAGES, self._list_pages, anew=anew)

    def _todo(self) -> TodoPages:
        self._results.open(self._settings, restart=False)
        given = self._corpus, self._results, self._chosen, self._options.site_pages
        return TodoPages(*given, self._rules)

    def _list_samples(self, inputs: TaskInputs) -> Mapping[str, Any]:
        with CorpusLock(self._results.path.parent):
            for sample in self._todo().to_learn():
                for page in sample:
                    values = page._asdict()
                    for name in _KNOWN:
                        del values[name]
                    values["is_last"] = page is sample[-1]
                    first = page is sample[0]
                    inputs.add(values, _folder_of(page), page.length, may_begin=first)
        return {"n_inputs": inputs.n_inputs}

    def _list_pages(self, inputs: TaskInputs) -> Mapping[str, Any]:
        with CorpusLock(self._results.path.parent):
            todo = self._todo()
            # What hosts repeat may have changed since with pages that a crawl has added: their
            # pages are done by what is known, and again by a later run.
            sites, _ = self._results.tasks
            if sites.totals() is None and next(todo.to_learn(), None) is not None:
                message = "what hosts repeat has to be learned first: --learn-sites as tasks, too"
                message += ", or --site-pages 0 to leave it in"
                raise ConfigError(message, where=self._corpus.root)
            for page in todo.pages():
                inputs.add(page._asdict(), _folder_of(page), page.length)
        self._listed = {
            "n_inputs": inputs.n_inputs,
            "pages": todo.n_pages,
            "done_before": todo.n_done_before,
            "removed": todo.n_removed,
        }
        return self._listed

    # On a cluster

    def run_on(
        self, tasks: AllTasks, pool: PoolOptions
    ) -> tuple[TaskTotals | None, TaskTotals | None]:
        """Let a cluster do all tasks; returns what was made of samples and of pages.

        Raises:
            EngineError: the cluster gave up; what is done stays.
        """
        pool = pool_of(tasks, pool)
        sites = self._phase_on(tasks, "sites", pool) if self._options.site_pages else None
        return sites, self._phase_on(tasks, "pages", pool)

    def _phase_on(self, tasks: AllTasks, phase: Phase, pool: PoolOptions) -> TaskTotals | None:
        folder = self.folder(phase)
        n_tasks = tasks.count(folder, count_table(self._corpus.table("page")))
        if self.plan(phase, n_tasks, anew=True) is None:
            return TaskTotals(0, about=self._listed) if phase == "pages" else None
        return tasks.run(folder, partial(run_task, job=self.job(phase, pool)))


def _folder_of(page: SitePage) -> str:
    return f"bucket={bucket(page.host)}"


# A task by itself


def extract_task(  # noqa: PLR0913 - options of a command
    root: Path | str,
    options: ExtractionOptions | None,
    task: tuple[int, int],
    *,
    out: Path | str | None = None,
    pool: PoolOptions | None = None,
    phase: Phase = "pages",
    retry_failed: bool = False,
    only_flagged: bool = False,
    rules: Path | str | None = None,
) -> TaskReport:
    """Do task k of n of an extraction; all n together make what `extract_corpus` makes.

    Args:
        root: the corpus; a crawl may be writing to it, and pages that it adds are left to later
            runs.
        options: what to extract, the same for all tasks.
        task: number of the task, from 0, and how many there are.
        out: where the rows go, for a corpus that can only be read; None: into the corpus.
        pool: number and bounds of the processes.
        phase: ``"sites"`` to learn what hosts repeat, which comes first unless ``site_pages`` is
            0; ``"pages"`` to extract.
        retry_failed: do pages again whose row tells of a failure.
        only_flagged: do no pages but those whose analysis failed in the crawl.
        rules: file of what people taught about hosts, the same for all tasks; None: that of the
            corpus, if there is one.

    Raises:
        InputError: there is no such method or task.
        ConfigError: other tasks are under way, the rows that are there were made with other
            options, what hosts repeat is not known yet, or a rule is wrong.
        CorpusLockedError: an extraction that is no task is running on this corpus.
        StoreError: the folder is no corpus, or the rows cannot be read or written.
    """
    options = options or ExtractionOptions()
    name = method_named(options.method).name
    number, n_tasks = task
    check_task(number, n_tasks)
    corpus = Corpus.open(folder_here(root, "tasks"))
    out = None if out is None else folder_here(out, "tasks")
    results = ResultFolder(writable_base(corpus.root, out) / name)
    scope = ChosenPages(retry_failed or only_flagged, only_flagged)
    tasks = ExtractionTasks(corpus, results, options, scope, corpus_rules(root, rules))
    report = TaskReport(str(corpus.root), str(results.path), number, n_tasks)
    if tasks.plan(phase, n_tasks) is None:
        return report
    job = tasks.job(phase, pool or PoolOptions())
    return do_task(task, tasks.folder(phase), report, partial(run_task, job=job))


def finish_extraction(
    root: Path | str, method: str = "default", *, out: Path | str | None = None
) -> TaskTotals:
    """Publish what all tasks of an extraction have made; the last of them does so by itself.

    Args:
        root: the corpus.
        method: extraction method.
        out: where the rows are, if not in the corpus.

    Raises:
        StoreError: there are no tasks, or some are not done.
    """
    corpus = Corpus.open(folder_here(root, "tasks"))
    out = None if out is None else folder_here(out, "tasks")
    results = ResultFolder(results_base(corpus.root, out) / method_name(method))
    sites, pages = results.tasks
    return (sites if sites.is_under_way() or pages.plan() is None else pages).finish()
