"""The verbs from a corpus to a data set: `quarkcrawl refine`, `export` and `explain`."""

from quarkcrawl.cli.dataset.explain import explain
from quarkcrawl.cli.dataset.export import export
from quarkcrawl.cli.dataset.refine import refine

__all__ = ["explain", "export", "refine"]
