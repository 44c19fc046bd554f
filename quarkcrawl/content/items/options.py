"""The constants of our own item rules."""

from __future__ import annotations

from dataclasses import dataclass, fields

from quarkcrawl.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ItemOptions:
    """Options of `quarkcrawl.content.items.rules.TopicRules`; chosen on the development pages.

    Args:
        region_share: a block is descended into if it holds more than this share of the weight.
        min_plain_chars: text without a comma or full stop weighs from this length on.
        max_noise_share: a block with more of the page's weight than this is never noise.
        max_link_share: a block with a greater share of its characters in links is noise.
        max_reply_share: where replies hold at least this share of the weight, they are the topic.
        min_kept_share: where noise would take more than all but this share of the weight, names
            do not count, and if that does not help, nothing is noise.
        max_linked_cells: greatest share of filled cells with a link in a data table without
            headers.
        min_filled_cells: least share of filled cells in such a table.
        min_wide_rows: least share of its rows that have two cells or more.
        max_controls: most form controls a cell in any data table.
        max_cell_share: a table with a greater share of its text in one cell is layout …
        min_big_cell_chars: … if that cell has at least this many characters.
        max_term_chars: longest term of a definition list that is data, on average.
        min_picture_px: a picture less wide or less high than this is no topic picture.
        max_picture_ratio: greatest ratio of its longer to its shorter side.
        min_picture_chars: least text around a picture whose size is unknown.
        max_shown: a picture that the page shows more often is no topic picture.

    Raises:
        ConfigError: a negative constant.
    """

    region_share: float = 0.7
    min_plain_chars: int = 30
    max_noise_share: float = 0.5
    max_link_share: float = 0.5
    max_reply_share: float = 0.5
    min_kept_share: float = 0.1
    max_linked_cells: float = 0.45
    min_filled_cells: float = 0.5
    min_wide_rows: float = 0.6
    max_controls: float = 0.2
    max_cell_share: float = 0.6
    min_big_cell_chars: int = 120
    max_term_chars: int = 20
    min_picture_px: float = 100
    max_picture_ratio: float = 3
    min_picture_chars: int = 15
    max_shown: int = 2

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 0:
                value = getattr(self, field.name)
                raise ConfigError(f"{field.name}={value} is out of range", where="ItemOptions")
