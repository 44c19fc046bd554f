"""The pages that some words, filters and facets ask for: a list, its facets, an export, its SQL."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from quarkcrawl.workbench.web.index.facets import (
    COUNTED_COLUMNS,
    FACETS,
    MOST_VALUES,
    NONE,
    SHOWN_VALUES,
    Condition,
    Facet,
    chosen_values,
    conditions,
    counting,
    facet_of,
)
from quarkcrawl.workbench.web.index.queries import PAGE_COLUMNS, PAGE_ROWS, PAGE_SORTS, Rows
from quarkcrawl.workbench.web.index.search import Search, hit_spans, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarkcrawl.workbench.web.index.index import CorpusIndex


SearchSort = Literal["relevance", "url", "newest", "largest", "longest", "level"]
SNIPPET_CHARS: Final = 120
SQL_PAGES: Final = 400
"""Ids of pages that a search found which its SQL names."""

EXPORTED: Final = (
    "id", "url", "host", "title", "level", "status", "mime", "charset", "body_bytes",
    "content_chars", "fetched_at", "published", "source", "author", "language", "page_type",
    "is_topic", "template", "reasons", "labels",
)  # fmt: skip
"""Columns of an exported result."""

_TITLE: Final = "coalesce(nullif(content_title, ''), title) AS title"


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Which pages are wanted.

    Args:
        text: words and phrases of the content, all of them; "": any.
        part: part of the URL or the title; "": any.
        filters: values of `PAGE_FILTERS`, ``|`` between several; what is missing or "": any.
        sort: one of `PAGE_SORTS`, or relevance, which needs a text.
    """

    text: str = ""
    part: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    sort: str = "url"

    @property
    def words(self) -> tuple[str, ...]:
        """What is looked for in the texts; empty if nothing is."""
        return words_of(self.text)

    @property
    def order(self) -> str:
        """SQL of the order."""
        if self.sort == "relevance" and self.words:
            return "score DESC, number"
        return PAGE_SORTS.get(self.sort, PAGE_SORTS["url"])

    def conditions(self, without: str = "") -> Condition:
        """What pages must be but for the words; ``without``: but for this filter, too."""
        terms = conditions(self.filters, without)
        if self.part:
            terms.append(
                (
                    "(contains(url, ?) OR contains(lower(coalesce(title, '')), lower(?)))",
                    [self.part] * 2,
                )
            )
        texts = [one for one, _ in terms] or ["true"]
        return " AND ".join(texts), [value for _, values in terms for value in values]


class PageResult:
    """The pages of a corpus that are wanted.

    In a very large corpus a search is answered with what was found after a while; asked again, it
    goes on from there (`quarkcrawl.workbench.web.index.search`).

    Args:
        index: the corpus.
        query: which pages.

    Raises:
        TablesPendingError: the tables are still being read.
    """

    def __init__(self, index: CorpusIndex, query: PageQuery) -> None:
        self._index = index
        self._query = query
        self._search: Search | None = None
        self._hits: dict[str, Any] = {}
        self._take_hits()

    def finish(self) -> None:
        """Go on with the search until all texts were searched."""
        while self.how_far and not self.how_far["is_done"]:
            self._take_hits()

    def _take_hits(self) -> None:
        """Search on, if there are words, and take what was found so far."""
        import pyarrow as pa  # noqa: PLC0415 - slow, and not needed without a corpus

        if not self._query.words:
            return
        self._search = self._index.texts.search(self._query.words)
        n_found = len(self._search.scores)  # another request may go on with the search
        rows = np.array(self._search.found[:n_found], np.int64)
        scores = np.array(self._search.scores[:n_found], np.float32)
        self._hits["hits"] = pa.table({"text_row": rows, "score": scores})

    @property
    def how_far(self) -> dict[str, Any]:
        """How far the search for the words has come; empty without words."""
        if self._search is None:
            return {}
        n_texts = len(self._index.texts)
        done = self._search.next_row
        return {"searched": done, "of": n_texts, "is_done": done >= n_texts}

    def _source(self, condition: str) -> str:
        return f"pages {'JOIN hits USING (text_row) ' * bool(self._hits)}WHERE {condition}"

    def rows(self, page: int) -> Rows:
        """One page of the list; of pages that words were looked for in, with the place."""
        condition, values = self._query.conditions()
        source = self._source(condition)
        total = self._index.row(f"SELECT count(*) AS n FROM {source}", values, **self._hits)["n"]  # noqa: S608 - own names
        columns = f"{PAGE_COLUMNS}, text_row"
        rows = self._listed(columns, source, values, PAGE_ROWS, PAGE_ROWS * (page - 1))
        if self._search is not None:
            texts, words = self._index.texts, self._query.words
            for row in rows:
                row.update(_snippet(texts[row["text_row"]], words))
                row["title_hits"] = hit_spans(row["title"] or "", words)
        for row in rows:
            del row["text_row"]
        return Rows(rows, total, page)

    def _listed(
        self, columns: str, source: str, values: Sequence[str], most: int, offset: int = 0
    ) -> list[dict[str, Any]]:
        """Rows in the order of the list; only the numbers of all are sorted."""
        score = ", score" if self._hits else ""
        sql = (
            f"SELECT number{score} FROM {source}"  # noqa: S608
            f" ORDER BY {self._query.order} LIMIT {most} OFFSET {offset}"
        )
        numbers = [row["number"] for row in self._index.rows(sql, values, **self._hits)]
        rows = self._index.rows(
            f"SELECT number, {columns} FROM pages WHERE number IN (SELECT unnest(?::BIGINT[]))",  # noqa: S608
            [numbers],
        )
        by_number = {row["number"]: row for row in rows}
        return [by_number[number] for number in numbers]

    def facets(self, expanded: str = "") -> list[Facet]:
        """All facets with the counts of their values.

        Args:
            expanded: the facet of which more values are wanted.
        """
        choices = {name: chosen_values(self._query.filters.get(name, "")) for name in FACETS}
        used = [name for name in FACETS if choices[name]]
        rows = self._counted(
            "", {name: choices[name] for name in FACETS if not choices[name]}, expanded
        )
        for name in used:
            rows += self._counted(name, {name: choices[name]}, expanded)
        facets = [facet_of(name, rows, choices[name]) for name in FACETS]
        return [
            self._with_none(facet) if NONE in choices[facet.name] else facet for facet in facets
        ]

    def _counted(
        self, without: str, choices: Mapping[str, Sequence[str]], expanded: str
    ) -> list[dict[str, Any]]:
        """Counts of some facets under the same conditions."""
        condition, bound = self._query.conditions(without)
        parts = []
        for name, values in choices.items():
            most = MOST_VALUES if name == expanded else SHOWN_VALUES
            sql, given = counting(name, "listed", values, most)
            parts.append(f"SELECT * FROM ({sql})")  # noqa: S608
            bound += given
        hint = "MATERIALIZED" if self._hits else "NOT MATERIALIZED"  # a join is worth keeping
        listed = f"SELECT {COUNTED_COLUMNS} FROM {self._source(condition)}"  # noqa: S608 - own names
        sql = f"WITH listed AS {hint} ({listed}) {' UNION ALL '.join(parts)}"
        return self._index.rows(sql, bound, **self._hits) if parts else []

    def _with_none(self, facet: Facet) -> Facet:
        """A facet with the number of pages that have no value of it, which was chosen."""
        condition, values = self._query.conditions(without=facet.name)
        none, _ = conditions({facet.name: NONE})[0]
        source = self._source(f"{condition} AND {none}")
        n = self._index.row(f"SELECT count(*) AS n FROM {source}", values, **self._hits)["n"]  # noqa: S608
        counted = [replace(one, n=n) if one.value == NONE else one for one in facet.values]
        return replace(facet, values=counted)

    def exported(self, most_rows: int) -> list[dict[str, Any]]:
        """Rows with everything that is known of each page, in the order of the list."""
        condition, values = self._query.conditions()
        columns = ", ".join(_TITLE if name == "title" else name for name in EXPORTED)
        rows = self._listed(columns, self._source(condition), values, most_rows)
        return [{name: row[name] for name in EXPORTED} for row in rows]

    def sql(self) -> str:
        """The query in the words of SQL; of a search the pages that it found are named.

        Texts are no column there. Of more than `SQL_PAGES` pages that were found the first ones
        in the order of the list are named, and a comment says so.
        """
        condition, values = self._query.conditions()
        named = order = ""
        if self._search is not None:
            rows = self._listed("id", self._source(condition), values, SQL_PAGES + 1)
            ids = ", ".join(f"'{row['id']}'" for row in rows[:SQL_PAGES])
            extent = f"the first {SQL_PAGES:,} pages" if len(rows) > SQL_PAGES else "all pages"
            named = f"-- {extent} found with: {' '.join(self._query.text.split())}\n"
            condition += f"\n  AND id IN ({ids or 'NULL'})"
        else:
            order = f"\nORDER BY {self._query.order}"
        shown = _spelled(condition, values)
        columns = f"id, url, {_TITLE}, host, published, content_chars"
        return f"{named}SELECT {columns}\nFROM pages\nWHERE {shown}{order}"


def _spelled(condition: str, values: Sequence[str]) -> str:
    """A condition with its values in place; our own words have no question mark."""
    pieces = condition.split("?")
    quoted = ["'" + value.replace("'", "''") + "'" for value in values]
    return "".join(one + value for one, value in zip(pieces, [*quoted, ""], strict=True))


def _snippet(text: str, words: Sequence[str]) -> dict[str, Any]:
    """Some of a text around the longest word, and where words stand in that."""
    title_chars = text.find("\n") + 1
    body = text[title_chars:]
    spans = hit_spans(body, words[:1]) or hit_spans(body, words)
    first = max(0, (spans[0][0] if spans else 0) - SNIPPET_CHARS // 3)
    shown = " ".join(body[first : first + SNIPPET_CHARS].split())
    return {"snippet": shown, "snippet_hits": hit_spans(shown, words)}
