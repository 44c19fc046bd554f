"""The printed tables, entry by entry where the print is doubtful; options."""

from __future__ import annotations

import pytest

from quarkcrawl.errors import ConfigError
from quarkcrawl.page.tree.tags import TAG_IDS
from quarkcrawl.segment import (
    HTML5_TAGS,
    TAG_CLASSES,
    THESIS_TAGS,
    SegmentOptions,
    TagClass,
    tag_class,
)


def test_sizes_of_the_printed_tables() -> None:
    sizes = {kind.value: len(names) for kind, names in THESIS_TAGS.items()}
    assert sizes == {"S": 7, "B": 11, "L": 16, "D": 44, "A": 15}


def test_double_entries_and_misprints() -> None:
    assert {tag_class("fieldset"), tag_class("td"), tag_class("label")} == {"S", "B", "D"}
    assert "lable" not in TAG_CLASSES
    assert tag_class("th") is TagClass.AFFILIATED
    assert tag_class("dd") is TagClass.DISPLAY
    assert tag_class("o:smarttagtype") is TagClass.DISPLAY
    assert tag_class("nobr") is tag_class("o:p") is TagClass.DISPLAY


def test_extension_is_apart() -> None:
    printed = {name for names in THESIS_TAGS.values() for name in names}
    added = {name for names in HTML5_TAGS.values() for name in names}
    assert printed.isdisjoint(added)
    assert set(TAG_CLASSES) == printed | added
    assert [tag_class(name) for name in ("article", "figcaption", "svg")] == ["B", "L", "S"]


def test_every_tag_that_matters_has_an_id() -> None:
    assert {name for name, kind in TAG_CLASSES.items() if kind in "SBL"} <= TAG_IDS.keys()


@pytest.mark.parametrize(
    "wrong",
    [
        {"ripe_chars": -1},
        {"ripe_layout_share": 1.1},
        {"ripe_layout_share": float("nan")},
        {"custom_patterns": ("(",)},
    ],
)
def test_options_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        SegmentOptions(**wrong)  # type: ignore[arg-type]
