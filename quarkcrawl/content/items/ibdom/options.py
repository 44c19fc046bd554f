"""The constants of the IB-DOM paper, each under a name, and those that it leaves open."""

from __future__ import annotations

from dataclasses import dataclass, fields

from quarkcrawl.errors import ConfigError


@dataclass(frozen=True, slots=True)
class IbDomOptions:
    """Options of `quarkcrawl.content.items.ibdom.IbDom`; the defaults are the paper's.

    Args:
        min_table_cells: a data table has at least this many cells (section 3.3, rule 1).
        max_cell_units: a cell with more links, forms and pictures than this makes its table a
            layout table (rule 2). The paper prints no value: calibrated on our marked tables.
        headed_is_data: a ``caption`` or ``th`` makes a table with enough cells a data table
            whatever rule 2 says (rule 4).
        heading_weight: what an ``h1`` with text counts in the positive weight (formula 1).
        region_share: a block is descended into if its positive weight is more than this share of
            the one around it.
        min_picture_px: a picture less wide or less high than this is no topic picture
            (section 3.4).
        max_picture_ratio: height / width must lie between its inverse and this.
        min_picture_chars: without a size, a picture stays if the innermost block around it or the
            block around that one has at least this many characters.
        max_negative_ratio: a block whose negative weight is more than this many times its
            positive weight is noise.
        min_block_chars: a block with fewer characters can be noise by the third rule.
        min_mean_chars: … if its text nodes are shorter than this on average.

    Raises:
        ConfigError: a negative constant, or a share above 1.
    """

    min_table_cells: int = 2
    max_cell_units: int = 0
    headed_is_data: bool = True
    heading_weight: int = 2
    region_share: float = 0.75
    min_picture_px: float = 100
    max_picture_ratio: float = 3
    min_picture_chars: int = 15
    max_negative_ratio: float = 4
    min_block_chars: int = 50
    min_mean_chars: float = 5

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 0 or (field.name == "region_share" and value > 1):
                raise ConfigError(f"{field.name}={value} is out of range", where="IbDomOptions")
