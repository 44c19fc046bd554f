"""A stored page as a copy that is safe to look at."""

from quarkcrawl.workbench.report.pagecopy.copy import ElementAttributes
from quarkcrawl.workbench.report.pagecopy.shell import FONTS, language, policy, wrapped_copy

__all__ = ["FONTS", "ElementAttributes", "language", "policy", "wrapped_copy"]
