"""Pages annotated by hand or by rules: read, written, drawn by start tags."""

from quarkcrawl.lab.evaluate.annotations.gold import GoldPage, load_gold, set_name
from quarkcrawl.lab.evaluate.annotations.marking import (
    Rule,
    mark_by_extraction,
    mark_by_rules,
    read_rules,
)
from quarkcrawl.lab.evaluate.annotations.marks import (
    AnnotatedPage,
    marked_text,
    read_marks,
    without_marks,
)

__all__ = [
    "AnnotatedPage",
    "GoldPage",
    "Rule",
    "load_gold",
    "mark_by_extraction",
    "mark_by_rules",
    "marked_text",
    "read_marks",
    "read_rules",
    "set_name",
    "without_marks",
]
