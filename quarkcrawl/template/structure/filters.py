"""Pages that are no detail pages (thesis, section 2.2.1 and table 6.2).

Cheap rules first; every page that is left out has a reason. Many corpora want list pages grouped
too, and clusterings are evaluated on all pages: filters are off unless asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from quarkcrawl.errors import ConfigError
from quarkcrawl.page.tree import covered

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.page.tree import PageTree


Reason = Literal["error_page", "short_page", "directory_url", "directory_links"]

_ERROR_WORDS: Final = re.compile(r"404 not found|server error", re.IGNORECASE)
_LONG_PAGE_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Which pages are left out.

    Args:
        least_text_chars: pages with fewer visible characters are short; 0: none is.
        least_html_chars: the thesis' rule, 6,000 characters of source, took 17 % of our
            development pages for errors; 0: off.
        detail_url: pattern that addresses of detail pages match somewhere; "" for no rule.
        max_link_share: pages with a larger share of text in links of lists are directories; used
            where there is no ``detail_url``.

    Raises:
        ConfigError: ``detail_url`` is no regular expression.
    """

    least_text_chars: int = 30
    least_html_chars: int = 0
    detail_url: str = ""
    max_link_share: float = 0.5

    def __post_init__(self) -> None:
        try:
            re.compile(self.detail_url)
        except re.error as error:
            message = f"detail_url {self.detail_url!r} is no regular expression: {error}"
            raise ConfigError(message) from error


THESIS_BLOG: Final = FilterOptions(0, 6000, r"\.html?$")
"""The rules of the thesis for blogs."""

THESIS_NEWS: Final = FilterOptions(0, 6000, r"\.shtml$")
"""The rules of the thesis for news."""


def reason_to_leave_out(
    page: Page, options: FilterOptions | None = None, status: int = 200
) -> Reason | None:
    """Why a page is no detail page; None if it is one.

    Args:
        page: the page with its URL, which may decide.
        options: the rules; None for the defaults.
        status: HTTP status, where it is known.
    """
    how = options or FilterOptions()
    if status >= 400 or _says_error(page):
        return "error_page"
    if len(page.html) < how.least_html_chars:
        return "short_page"
    if how.detail_url:
        if not re.search(how.detail_url, page.url):
            return "directory_url"
    elif link_share(page.tree) > how.max_link_share:
        return "directory_links"
    return "short_page" if int(page.tree.text_chars[0]) < how.least_text_chars else None


def _says_error(page: Page) -> bool:
    """Key words in the title, or anywhere on a page that is not long."""
    if _ERROR_WORDS.search(page.title):
        return True
    is_short = len(page.html) < _LONG_PAGE_CHARS
    return is_short and _ERROR_WORDS.search(page.tree.text()) is not None


def link_share(tree: PageTree) -> float:
    """Share of the visible text that stands in links in items of lists."""
    total = int(tree.text_chars[0])
    lists = np.array(tree.nodes("ul", "ol"), np.intp)
    items = np.array(tree.nodes("li"), np.intp)
    in_list = covered(lists, tree.end[lists], len(tree))
    items = items[in_list[items]]
    is_item = covered(items, tree.end[items], len(tree))
    links = np.array(tree.nodes("a"), np.intp)
    links = links[is_item[links]]
    in_link = covered(tree.run_start[links], tree.run_end[links], len(tree.runs))
    return float(tree.run_chars[in_link].sum()) / total if total else 0.0
