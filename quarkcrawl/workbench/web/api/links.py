"""The API of links from and to a page."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from quarkcrawl.workbench.web.api.corpus import Amount, ListPage, OfPage, Searched
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import ApiError, Operations
from quarkcrawl.workbench.web.index import PAGE_ROWS, links_of, queries

Direction = Annotated[
    Literal["in", "out"], msgspec.Meta(description="links to the page, or those on it")
]
LINK_OPERATIONS: Final = Operations()


class FoundLinks(Searched, forbid_unknown_fields=True):
    """A page of links; ``damaged``: files of the table that could not be read."""

    damaged: Amount


@LINK_OPERATIONS.add(
    "GET /api/pages/{id}/links",
    "Links from or to a page with their anchors; until is_done, asking again looks on",
    reply=FoundLinks,
)
def links(bench: Bench, request: OfPage, direction: Direction = "in", page: ListPage = 1) -> Any:
    """Links with the pages at their other end."""
    row = bench.tables.row('SELECT url, shard, "offset" FROM pages WHERE id = ?', [request.id])
    if not row:
        raise ApiError(404, "no such page in the corpus")
    n_pages = bench.tables.row("SELECT count(*) AS n FROM pages")["n"]
    cut = slice(PAGE_ROWS * (page - 1), PAGE_ROWS * page)
    if direction == "out":
        links = links_of(row)
        rows = queries.link_rows(bench.tables, links[cut], "target")
        state = {"searched": n_pages, "of": n_pages, "is_done": True, "damaged": 0}
    else:
        leading = queries.redirecting(bench.tables, row["url"])
        scan = bench.tables.links.to(frozenset(leading))
        links = scan.found
        rows = queries.link_rows(bench.tables, links[cut], "source")
        for one, link in zip(rows, links[cut], strict=True):
            one["leads_to"] = link.target if link.target != row["url"] else ""
        state = {"searched": min(scan.n_rows, n_pages), "of": n_pages, "is_done": scan.is_done,
                 "damaged": scan.n_damaged}  # fmt: skip
    total = len(links)
    return {"rows": rows, "total": total, "page": page, "pages": max(1, -(-total // PAGE_ROWS)),
            **state}  # fmt: skip
