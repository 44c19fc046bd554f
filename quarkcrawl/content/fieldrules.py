"""Fields of pages by rules of CSS or XPath, from a small TOML file; parsel finds what they say.

[fields]
title = "h1::text"                                  # CSS
published = "//span[@class='date']/text()"          # XPath: begins with / or ./ or (
price = ["b.price", "//meta[@name='price']/@content"]   # the first that finds something

An element gives all its text; ``::text``, ``::attr(name)``, ``text()``, ``@name`` what they name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.config import check_keys, read_toml
from quarkcrawl.errors import ConfigError
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


_XPATH: Final = ("/", "./", "(")


@dataclass(frozen=True, slots=True)
class FieldRules:
    """What is read of a page.

    Args:
        queries: for each field its CSS selectors or XPath expressions, the preferred one first.
    """

    queries: Mapping[str, tuple[str, ...]]

    def read(self, page: Page) -> dict[str, list[str]]:
        """The values of each field, in page order; a field without one is left out.

        Args:
            page: any page; a PDF file has no elements.
        """
        values_of_field = {}
        for name, queries in self.queries.items():
            values_of_query = (_texts(page, query) for query in queries)
            if values := next(filter(None, values_of_query), None):
                values_of_field[name] = values
        return values_of_field


def read_field_rules(path: str | PathLike[str]) -> FieldRules:
    """The rules of a file.

    Args:
        path: the file.

    Raises:
        ConfigError: it cannot be read, or a rule in it cannot be understood.
    """
    table = read_toml(str(path))
    check_keys(table, ["fields"], source=str(path))
    fields = table.get("fields")
    if not isinstance(fields, dict) or not fields:
        raise ConfigError("a table [fields] with a rule a field is expected", where=path)
    queries = {}
    for name, given in fields.items():
        one_or_more = [given] if isinstance(given, str) else given
        if not isinstance(one_or_more, list) or not all(
            isinstance(query, str) and query.strip() for query in one_or_more
        ):
            raise ConfigError(f"{name}: a CSS selector or XPath, or a list of them", where=path)
        queries[name] = tuple(query.strip() for query in one_or_more)
        for query in queries[name]:
            _check(name, query, path)
    return FieldRules(queries)


def _check(name: str, query: str, path: str | PathLike[str]) -> None:
    try:
        _texts(Page.from_html("<p>"), query)
    except Exception as error:  # of parsel, cssselect and lxml, which share no class
        said = " ".join(str(error).split())
        raise ConfigError(f"{name}: {query!r}: {said}", where=path) from error


def _texts(page: Page, query: str) -> list[str]:
    """Texts and attributes as they are, elements by all their text; white space made one space."""
    selectors = page.xpath(query) if query.startswith(_XPATH) else page.css(query)
    texts = (
        one.get() if isinstance(one.root, str) else one.xpath("string()").get() for one in selectors
    )
    return [" ".join(text.split()) for text in texts if text and not text.isspace()]
