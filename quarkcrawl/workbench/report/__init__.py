"""Show pages, blocks and content as self-contained HTML: the three views of the thesis (3.3).

`block_map` colors every block of a page, `content_view` its content red, its related links green
and its noise purple, `comparison_view` puts hand-marked text beside extracted text, with what is
common, missing and extra. The first two show a copy of the page (`pagecopy`): the tree of the page
written anew with its looks, cleaned by nh3 (`sanitizer`), under a policy that forbids what could
act or load (`shell`). `quarkcrawl.segment.show` and `quarkcrawl.content.content`,
below, are what notebooks show of blocks and content.
"""

from quarkcrawl.workbench.report.alignment import COMMON, align, stretches
from quarkcrawl.workbench.report.blockmap import block_map
from quarkcrawl.workbench.report.campaign import write_campaign_page
from quarkcrawl.workbench.report.comparison import comparison_view
from quarkcrawl.workbench.report.contentview import KIND_FILLS, content_view
from quarkcrawl.workbench.report.corpuspage import corpus_page
from quarkcrawl.workbench.report.legend import Fill, fill_sheet
from quarkcrawl.workbench.report.pagecopy import FONTS, ElementAttributes, wrapped_copy
from quarkcrawl.workbench.report.pagesample import ReportSample
from quarkcrawl.workbench.report.plots import (
    MAP_COLORS,
    check_picture,
    map_colors,
    plot_ranks,
    rank_pair_plot,
    zipf_plot,
)
from quarkcrawl.workbench.report.region import region_map
from quarkcrawl.workbench.report.roles import ROLE_FILLS, chars_by_kind, shown_kinds
from quarkcrawl.workbench.report.selection import write_selection_report
from quarkcrawl.workbench.report.statistics import STATISTICS_FORMATS, show_statistics
from quarkcrawl.workbench.report.template import TEMPLATE_FILLS, position_kind, template_view

__all__ = [
    "COMMON",
    "FONTS",
    "KIND_FILLS",
    "MAP_COLORS",
    "ROLE_FILLS",
    "STATISTICS_FORMATS",
    "TEMPLATE_FILLS",
    "ElementAttributes",
    "Fill",
    "ReportSample",
    "align",
    "block_map",
    "chars_by_kind",
    "check_picture",
    "comparison_view",
    "content_view",
    "corpus_page",
    "fill_sheet",
    "map_colors",
    "plot_ranks",
    "position_kind",
    "rank_pair_plot",
    "region_map",
    "show_statistics",
    "shown_kinds",
    "stretches",
    "template_view",
    "wrapped_copy",
    "write_campaign_page",
    "write_selection_report",
    "zipf_plot",
]
