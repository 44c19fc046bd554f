"""Show pages, blocks and content as self-contained HTML: the three views of the thesis (3.3).

`block_map` colours every block of a page, `content_view` its content red, its related links green
and its noise purple, `comparison_view` puts hand-marked text beside extracted text, with what is
common, missing and extra. The first two show a copy of the page (`pagecopy`): the tree of the page
written anew with its looks (`attributes`, `stylesheets`), without anything that could act, under a
policy that forbids the rest (`shell`). `quarkcrawl.segment.show` and `quarkcrawl.content.show`,
below, are what notebooks show of blocks and content.
"""

from quarkcrawl.workbench.report.blockmap import block_map
from quarkcrawl.workbench.report.comparison import comparison_view
from quarkcrawl.workbench.report.contentview import content_view
from quarkcrawl.workbench.report.region import region_map

__all__ = ["block_map", "comparison_view", "content_view", "region_map"]
