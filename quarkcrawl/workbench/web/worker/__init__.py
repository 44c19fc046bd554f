"""The process that reads pages for the workbench."""

from quarkcrawl.workbench.web.worker.analysed import body_of
from quarkcrawl.workbench.web.worker.worker import PageWorker

__all__ = ["PageWorker", "body_of"]
