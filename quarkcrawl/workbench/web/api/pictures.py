"""Pictures of the corpus by the words around them: a view, and the endpoint that it shows.

The view asks nobody but this server: a picture is a link and the words that found it. Thumbnails
come from the sites themselves, and so they are shown only to who asks for them, never from names
that stand for this machine or its neighbors, and without a word of where they are shown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from quarkcrawl.corpus.pictures import pictures_folder, search_folder
from quarkcrawl.workbench.web.api.corpus import Listed, ListPage
from quarkcrawl.workbench.web.bench import Bench
from quarkcrawl.workbench.web.http import ApiError, Operations, ViewQuery, app_policy, string
from quarkcrawl.workbench.web.index import PAGE_ROWS, Rows

PICTURE_OPERATIONS: Final = Operations()
_PUBLIC: Final = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+", re.IGNORECASE)
_OWN: Final = (".local", ".localhost", ".internal", ".lan", ".home", ".intranet", ".test")


def pictures_model(bench: Bench, view_query: ViewQuery) -> dict[str, Any]:
    """What the view shows.

    Args:
        bench: the workbench.
        view_query: words of the search; ``thumbs=1`` shows thumbnails.
    """
    query, has_index = view_query.text("q").strip(), _folder(bench) is not None
    rows, terms = Rows([], 0, 1), tuple[str, ...]()
    if has_index and query:
        rows, terms = _search(bench, query, view_query.page)
    thumbnails = view_query.text("thumbs") == "1"
    values = {
        "view": "pictures",
        "has_index": has_index,
        "q": query,
        "found": rows,
        "terms": terms,
        "thumbnails": thumbnails,
        "is_public": _is_public,
    }
    policy = app_policy().replace("img-src 'self'", "img-src 'self' http: https:")
    return {**values, "policy": policy} if thumbnails else values


def _is_public(src: str) -> bool:
    """Whether an address is one that a browser may ask without reaching into our own network."""
    try:
        parts = urlsplit(src)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    is_own = f".{host}".lower().endswith(_OWN)
    return parts.scheme in {"http", "https"} and bool(_PUBLIC.fullmatch(host)) and not is_own


def _folder(bench: Bench) -> Path | None:
    """Where the index is; None if there is none."""
    if bench.corpus is None:
        raise ApiError(404, "the workbench was started without a corpus")
    folder = pictures_folder(bench.corpus)
    return folder if (folder / "pictures.parquet").is_file() else None


def _search(bench: Bench, query: str, page: int) -> tuple[Rows, tuple[str, ...]]:
    folder = _folder(bench)
    if folder is None:
        raise ApiError(404, "no picture index; quarkcrawl pictures index CORPUS makes it")
    hits = search_folder(folder, query, limit=PAGE_ROWS, offset=PAGE_ROWS * (page - 1))
    ids = _page_ids(bench, sorted({row["url"] for row in hits.rows}))
    for row in hits.rows:
        row["id"] = ids.get((row["url"], row["offset"]), "")
    return Rows(hits.rows, hits.total, page), hits.terms


def _page_ids(bench: Bench, urls: list[str]) -> dict[tuple[str, int], str]:
    """Id of each page by URL and place; none while the tables are still being read."""
    if not urls or bench.index is None:
        return {}
    marks = ", ".join("?" * len(urls))
    rows = bench.tables.rows(f'SELECT id, url, "offset" FROM pages WHERE url IN ({marks})', urls)  # noqa: S608
    return {(row["url"], row["offset"]): row["id"] for row in rows}


class FoundPictures(Listed, forbid_unknown_fields=True):
    """A page of pictures, and the words that were looked for."""

    terms: list[Annotated[str, string()]]


@PICTURE_OPERATIONS.add(
    "GET /api/pictures", "Pictures by words around them, the best first", reply=FoundPictures
)
def pictures(
    bench: Bench,
    q: Annotated[str, string(500, "words; pictures with any of them are found")],
    page: ListPage = 1,
) -> Any:
    """Pictures by words around them."""
    rows, terms = _search(bench, q, page)
    return {**rows.plain(), "terms": list(terms)}
