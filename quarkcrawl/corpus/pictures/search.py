"""Search for pictures by the words around them: BM25 in SQL over the stored index."""

from __future__ import annotations

import glob
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content.quark import words
from quarkcrawl.corpus.pictures.index import pictures_folder
from quarkcrawl.errors import ConfigError, NotStoredError, StoreError
from quarkcrawl.store import Corpus

if TYPE_CHECKING:
    from pathlib import Path


_MAX_TERMS: Final = 50
_SQL: Final = """
WITH stats AS (SELECT count(*) AS n, greatest(avg(length), 1e-9) AS usual
               FROM read_parquet($pictures)),
hit AS (SELECT term, picture, tf FROM read_parquet($postings)
        WHERE term IN (SELECT unnest($terms))),
weight AS (SELECT term, ln(1 + (n - count(*) + .5) / (count(*) + .5)) AS idf
           FROM hit, stats GROUP BY term, n),
scored AS (SELECT picture, sum(idf * tf * ($k1 + 1)
                  / (tf + $k1 * (1 - $b + $b * length / usual))) AS score, count(*) AS n_terms
           FROM hit JOIN weight USING (term)
                JOIN (SELECT picture, length FROM read_parquet($pictures)) USING (picture), stats
           GROUP BY picture)
SELECT count(*) OVER () AS total, round(score, 4) AS score, n_terms, found.* EXCLUDE (length)
FROM scored JOIN read_parquet($pictures) found USING (picture)
ORDER BY scored.score DESC, picture LIMIT $limit OFFSET $offset
"""


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """Constants of BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).

    Args:
        k1: how soon further occurrences of a word stop to count.
        b: how much long texts are held back, 0–1.

    Raises:
        ConfigError: a number is out of range.
    """

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not (0 <= self.k1 < 1000 and 0 <= self.b <= 1):
            raise ConfigError("k1 is from 0, b from 0 to 1", where="RankingOptions")


@dataclass(frozen=True, slots=True)
class PictureHits:
    """Pictures that a search found.

    Args:
        terms: the words that were looked for.
        total: how many pictures have one of them.
        rows: those asked for, the best first: ``score``, ``n_terms`` (how many of the words it has)
            and the columns of the picture.
    """

    terms: tuple[str, ...]
    total: int
    rows: list[dict[str, Any]]


def query_terms(query: str) -> tuple[str, ...]:
    """Words of a query, each once, cut as those of the index are.

    Args:
        query: any text; words beyond the fiftieth are left out.
    """
    text = query.encode("utf-8", "replace").decode()  # bytes of a command line that are no text
    return tuple(dict.fromkeys(words(text)))[:_MAX_TERMS]


def search_pictures(
    root: Path | str,
    query: str,
    *,
    out: Path | None = None,
    limit: int = 10,
    offset: int = 0,
    options: RankingOptions | None = None,
) -> PictureHits:
    """Find pictures of a corpus, by the text of their blocks (Quark thesis, section 5.2).

    Args:
        root: the corpus.
        query: words; pictures with any of them are found, rare words and many count most.
        out: folder of the tables, if not in the corpus.
        limit: most pictures.
        offset: pictures passed over.
        options: constants.

    Raises:
        StoreError: the corpus has no index, or it cannot be read.
    """
    folder = pictures_folder(Corpus.open(root).root, out)
    return search_folder(folder, query, limit=limit, offset=offset, options=options)


def search_folder(
    folder: Path,
    query: str,
    *,
    limit: int = 10,
    offset: int = 0,
    options: RankingOptions | None = None,
) -> PictureHits:
    """Find pictures by the index in a folder.

    Args:
        folder: where ``pictures.parquet`` and ``postings.parquet`` are.
        query: see `search_pictures`, and so for the rest.
        limit: most pictures.
        offset: pictures passed over.
        options: constants of the ranking; None for the defaults.

    Raises:
        StoreError: there is no index, or it cannot be read.
    """
    options = options or RankingOptions()
    pictures, postings = folder / "pictures.parquet", folder / "postings.parquet"
    if not (pictures.is_file() and postings.is_file()):
        message = "no picture index; quarkcrawl pictures index CORPUS makes it"
        raise NotStoredError(message, where=folder)
    terms = query_terms(query)
    if not terms:
        return PictureHits((), 0, [])
    values = {
        "pictures": glob.escape(str(pictures)),
        "postings": glob.escape(str(postings)),
        "terms": list(terms),
        "k1": options.k1,
        "b": options.b,
        "limit": limit,
        "offset": offset,
    }
    rows = _rows(values, folder)
    if offset and not rows:  # beyond the end: the first page knows how many there are
        return replace(search_folder(folder, query, limit=1, options=options), rows=[])
    total = int(rows[0]["total"]) if rows else 0
    for row in rows:
        del row["total"]
    return PictureHits(terms, total, rows)


def _rows(values: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    import duckdb  # noqa: PLC0415 - 0.1 s that other commands need not pay

    try:
        with duckdb.connect() as database:
            cursor = database.execute(_SQL, values)
            names = [one[0] for one in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except duckdb.Error as error:
        raise StoreError(f"the picture index cannot be read ({error})", where=folder) from error
