"""Plots of reports."""

from quarkcrawl.workbench.report.plots.pairplot import rank_pair_plot
from quarkcrawl.workbench.report.plots.palette import MAP_COLORS, map_colors
from quarkcrawl.workbench.report.plots.rankplot import check_picture, plot_ranks
from quarkcrawl.workbench.report.plots.sizeplot import size_plot
from quarkcrawl.workbench.report.plots.zipfplot import zipf_plot

__all__ = [
    "MAP_COLORS",
    "check_picture",
    "map_colors",
    "plot_ranks",
    "rank_pair_plot",
    "size_plot",
    "zipf_plot",
]
