"""Gold: pages whose content people marked, the sets they come in, and scores against them."""

from quarkcrawl.lab.gold.marking import (
    Rule,
    mark_by_extraction,
    mark_by_rules,
    mark_runs,
    read_rules,
)
from quarkcrawl.lab.gold.marks import (
    KINDS,
    AnnotatedPage,
    marked_text,
    read_marks,
    run_kinds,
    without_marks,
)
from quarkcrawl.lab.gold.pages import (
    BLANK,
    MARKS_FILE,
    UNKNOWN_ORIGIN,
    GoldPage,
    gold_page,
    load_gold,
    marked_file,
    set_name,
)
from quarkcrawl.lab.gold.passages import MARKED_AS, Passage
from quarkcrawl.lab.gold.scores import NOTHING, Score, macro
from quarkcrawl.lab.gold.sets import ARTICLES_ZH, TITLE_IN_GOLD, groups_of, includes_title

__all__ = [
    "ARTICLES_ZH",
    "BLANK",
    "KINDS",
    "MARKED_AS",
    "MARKS_FILE",
    "NOTHING",
    "TITLE_IN_GOLD",
    "UNKNOWN_ORIGIN",
    "AnnotatedPage",
    "GoldPage",
    "Passage",
    "Rule",
    "Score",
    "gold_page",
    "groups_of",
    "includes_title",
    "load_gold",
    "macro",
    "mark_by_extraction",
    "mark_by_rules",
    "mark_runs",
    "marked_file",
    "marked_text",
    "read_marks",
    "read_rules",
    "run_kinds",
    "set_name",
    "without_marks",
]
