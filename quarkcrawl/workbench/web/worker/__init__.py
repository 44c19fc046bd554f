"""The process that reads pages for the workbench."""

from quarkcrawl.workbench.web.worker.analyzed import body_of
from quarkcrawl.workbench.web.worker.process import AnsweringProcess
from quarkcrawl.workbench.web.worker.worker import PageWorker

__all__ = ["AnsweringProcess", "PageWorker", "body_of"]
