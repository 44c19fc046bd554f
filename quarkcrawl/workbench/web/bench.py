"""What the views and the API work on: one object for the life of the server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quarkcrawl.content import METHODS
from quarkcrawl.workbench.web.clusters import Clusters
from quarkcrawl.workbench.web.documents import Documents
from quarkcrawl.workbench.web.gold import GoldFolder
from quarkcrawl.workbench.web.http import Access, ApiError
from quarkcrawl.workbench.web.index import CorpusIndex
from quarkcrawl.workbench.web.queue import MarkingQueue
from quarkcrawl.workbench.web.services import Services
from quarkcrawl.workbench.web.sql import SqlRunner
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
    """

    corpus: Path | None
    gold_folder: Path
    template_file: Path
    services: Services = field(default_factory=Services)
    access: Access = field(default_factory=Access)
    index: CorpusIndex | None = field(init=False, default=None)
    documents: Documents = field(init=False)
    worker: PageWorker = field(init=False)
    sql: SqlRunner = field(init=False, default_factory=SqlRunner)
    gold: GoldFolder = field(init=False)
    queue: MarkingQueue = field(init=False)
    templates: TemplateStore = field(init=False)
    clusters: Clusters = field(init=False)

    def __post_init__(self) -> None:
        if self.corpus is not None:
            self.index = CorpusIndex(self.corpus)
        self.documents = Documents(self.index)
        self.worker = PageWorker()
        self.gold = GoldFolder(self.gold_folder)
        self.queue = MarkingQueue(self.worker, self.gold, self.documents, tuple(METHODS))
        self.templates = TemplateStore(self.template_file)
        self.clusters = Clusters(self.worker, self.templates, self.documents)

    @property
    def tables(self) -> CorpusIndex:
        """The tables of the corpus.

        Raises:
            ApiError: there is no corpus.
        """
        if self.index is None:
            raise ApiError(404, "the workbench was started without a corpus")
        return self.index

    def warm(self) -> None:
        """Start the process that reads pages and begin to read the tables, before somebody asks."""
        self.worker.warm()
        if self.index is not None:
            self.index.warm()

    def close(self) -> None:
        """End processes, remove temporary files."""
        self.clusters.close()
        self.worker.close()
        self.sql.close()
        self.templates.close()
        self.documents.close()
        if self.index is not None:
            self.index.close()
