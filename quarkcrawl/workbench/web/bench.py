"""What the views and the API work on: one object for the life of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quarkcrawl.content import METHODS
from quarkcrawl.select import SelectionReview, SelectionWork, selection_of
from quarkcrawl.workbench.web.clusters import Clusters
from quarkcrawl.workbench.web.documents import Documents
from quarkcrawl.workbench.web.gold import GoldFolder
from quarkcrawl.workbench.web.http import Access, ApiError
from quarkcrawl.workbench.web.index import CorpusIndex
from quarkcrawl.workbench.web.labels import CorpusLabels
from quarkcrawl.workbench.web.methodstore import MethodStore
from quarkcrawl.workbench.web.queue import MarkingQueue
from quarkcrawl.workbench.web.rulestore import RuleStore
from quarkcrawl.workbench.web.runs import TwoRuns
from quarkcrawl.workbench.web.services import Services
from quarkcrawl.workbench.web.sql import SqlRunner
from quarkcrawl.workbench.web.teaching import Teaching
from quarkcrawl.workbench.web.templatestore import TemplateStore
from quarkcrawl.workbench.web.worker import PageWorker

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(slots=True)
class Bench:
    """The parts of a workbench.

    Args:
        corpus: its folder, None if there is none.
        services: what the caller can do.
        access: who may write.
        gold_folder: where marks are saved.
        template_file: templates of the corpus.
        seeds_folder: work folder of the selection; None: where `selection_of` finds one.
        before: an earlier run of the same crawl; None: there is none to compare with.
        rules_file: what people taught about its sites.
        method_files: methods with options of their own, beside ours.
    """

    corpus: Path | None
    gold_folder: Path
    template_file: Path
    rules_file: Path
    services: Services = field(default_factory=Services)
    access: Access = field(default_factory=Access)
    seeds_folder: Path | None = None
    before: Path | None = None
    method_files: tuple[Path, ...] = ()
    methods: MethodStore = field(init=False)
    index: CorpusIndex | None = field(init=False, default=None)
    documents: Documents = field(init=False)
    worker: PageWorker = field(init=False)
    sql: SqlRunner = field(init=False, default_factory=SqlRunner)
    gold: GoldFolder = field(init=False)
    queue: MarkingQueue = field(init=False)
    templates: TemplateStore = field(init=False)
    clusters: Clusters = field(init=False)
    _seeds: SelectionReview | None = field(init=False, default=None)
    _runs: TwoRuns | None = field(init=False, default=None)
    _labels: CorpusLabels | None = field(init=False, default=None)
    rules: RuleStore = field(init=False)
    teaching: Teaching = field(init=False)

    def __post_init__(self) -> None:
        self.methods = MethodStore(self.method_files)
        if self.corpus is not None:
            self.index = CorpusIndex(self.corpus)
            self._labels = CorpusLabels(self.index)
            if self.before is not None:
                self._runs = TwoRuns(self.index, self.before)
        self.documents = Documents(self.index, self.rules_file)
        self.worker = PageWorker()
        self.gold = GoldFolder(self.gold_folder)
        self.queue = MarkingQueue(self.worker, self.gold, self.documents, tuple(METHODS))
        self.templates = TemplateStore(self.template_file)
        self.clusters = Clusters(self.worker, self.templates, self.documents)
        self.rules = RuleStore(self.rules_file)
        self.teaching = Teaching(self.worker, self.documents)

    @property
    def tables(self) -> CorpusIndex:
        """The tables of the corpus.

        Raises:
            ApiError: there is no corpus.
        """
        if self.index is None:
            raise ApiError(404, "the workbench was started without a corpus")
        return self.index

    @property
    def labels(self) -> CorpusLabels:
        """The labels of the corpus.

        Raises:
            ApiError: there is no corpus.
        """
        if self._labels is None:
            raise ApiError(404, "the workbench was started without a corpus")
        return self._labels

    @property
    def has_before(self) -> bool:
        """Whether there is an earlier run to compare with."""
        return self._runs is not None

    @property
    def runs(self) -> TwoRuns:
        """The corpus beside an earlier run.

        Raises:
            ApiError: there is none.
        """
        if self._runs is None:
            raise ApiError(404, "no earlier run was named: quarkcrawl serve CORPUS --before OTHER")
        return self._runs

    @property
    def has_seeds(self) -> bool:
        """Whether there is a selection of seed sites."""
        return self._selection() is not None

    @property
    def seeds(self) -> SelectionReview:
        """The selection of seed sites; it may have been made after the start.

        Raises:
            ApiError: there is none.
        """
        work = self._selection()
        if work is None:
            raise ApiError(404, "there is no selection of seed sites: quarkcrawl select")
        if self._seeds is None or self._seeds.work != work:
            self._seeds = SelectionReview(work)
        return self._seeds

    def _selection(self) -> SelectionWork | None:
        if self.seeds_folder is not None:
            return SelectionWork(self.seeds_folder)
        return None if self.corpus is None else selection_of(self.corpus)

    def warm(self) -> None:
        """Start the process that reads pages and begin to read the tables, before somebody asks."""
        self.worker.warm()
        if self.index is not None:
            self.index.warm()

    def close(self) -> None:
        """End processes, remove temporary files."""
        self.clusters.close()
        self.teaching.close()
        self.worker.close()
        self.sql.close()
        self.templates.close()
        self.methods.close()
        self.documents.close()
        if self._labels is not None:
            self._labels.close()
        if self._runs is not None:
            self._runs.close()
        if self.index is not None:
            self.index.close()
