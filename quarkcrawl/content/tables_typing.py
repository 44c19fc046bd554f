"""Layout or data: what a table is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.content.tables_index import not_inside_another

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quarkcrawl.content.ibdom_options import IbDomOptions
    from quarkcrawl.content.tables_index import TableIndex

    BoolArray = NDArray[np.bool_]
    Places = NDArray[np.intp]

__all__ = ["outermost", "paper_data_tables"]


def paper_data_tables(index: TableIndex, options: IbDomOptions) -> BoolArray:
    """Which tables are data tables by the four rules of the paper (section 3.3).

    Args:
        index: the tables of the page.
        options: constants.
    """
    n_units = index.cell_links + index.cell_forms + index.cell_pictures
    loaded = index.per_table(n_units > options.max_cell_units) > 0
    is_plain = ~loaded
    if options.headed_is_data:
        is_plain |= index.has_own("caption", "th")
    return is_plain & (index.n_cells >= options.min_table_cells)


def outermost(index: TableIndex, chosen: BoolArray) -> Places:
    """Those of the chosen tables that lie in no other chosen one, as positions.

    Args:
        index: the tables of the page.
        chosen: which tables.
    """
    places = np.flatnonzero(chosen)
    return places[not_inside_another(index.table[places], index.tree.end[index.table[places]])]
