"""Which gold sets include the headline, and which sets are averaged together.

Gold texts mark different things: some the body alone, some the headline with it. Each extractor is
scored with the composition that a set marks. That is declared here, once, from what the makers of
the sets say; a JSON-lines record can say it for itself (``gold_includes``), and so can an option.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from quarkcrawl.lab.gold.pages import GoldPage


TITLE_IN_GOLD: Final = frozenset(
    {
        *("daniel_zh", "daniel_en", "daniel_other", "twevents"),
        *("magic_forum_zh", "magic_forum_en", "zh_threads"),
    }
)
"""Sets whose gold text includes the headline."""

ARTICLES_ZH: Final = frozenset({"daniel_zh", "cwced", "magic_article_zh"})
"""Sets of Chinese articles."""


def includes_title(page: GoldPage, set_name: str, title_in: Collection[str] = ()) -> bool:
    """Whether the gold text of a page includes the headline.

    Where the page itself does not say, its set decides; ``title_in`` names further sets with
    headlines.
    """
    if page.includes_title is not None:
        return page.includes_title
    return set_name in TITLE_IN_GOLD or set_name in title_in


def groups_of(set_name: str, lang: str) -> list[str]:
    """The averages that a page counts in, besides that of its set.

    >>> groups_of("cwced", "zh"), groups_of("wcxb_en", "en"), groups_of("mine", "")
    (['articles_zh', 'all_zh'], ['all_en'], [])
    """
    groups = ["articles_zh"] if set_name in ARTICLES_ZH else []
    return [*groups, f"all_{lang}"] if lang else groups
