"""A stored page as a copy that is safe to look at."""

from quarkcrawl.workbench.report.pagecopy.copy import ElementAttributes
from quarkcrawl.workbench.report.pagecopy.shell import FONTS, language, wrapped_copy

__all__ = ["FONTS", "ElementAttributes", "language", "wrapped_copy"]
