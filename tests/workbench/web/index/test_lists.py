"""Lists page by page: each page has the rows that stand there when all rows are sorted."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quarkcrawl.dataset import explain_url
from quarkcrawl.store import CorpusWriter
from quarkcrawl.workbench.web.http.pending import TablesPendingError
from quarkcrawl.workbench.web.index import PAGE_ROWS, queries
from quarkcrawl.workbench.web.index.index import CorpusIndex
from tests.store.samples import make_item

HOST = "a.cn"
STORED = [f"http://{HOST}/{number}" for number in range(60)]
TWICE = STORED[7]
ODD = f"http://{HOST}/it's?\\"
RANKED = [*STORED, ODD, *(f"http://{HOST}/linked/{number}" for number in range(70))]


def rank_rows(seed):
    """URLs in any order with ranks of which many are equal."""
    dice = random.Random(seed)
    urls = dice.sample(RANKED, len(RANKED))
    return [
        {"url": url, "host": HOST, "rank": dice.randrange(9) / 8, "position": place}
        for place, url in enumerate(urls, 1)
    ]


@pytest.fixture(scope="module")
def ranks():
    return {"one": rank_rows(1), "two": rank_rows(2)}


@pytest.fixture(scope="module")
def root(ranks, tmp_path_factory):
    root = tmp_path_factory.mktemp("lists") / "corpus"
    with CorpusWriter(root) as writer:
        for number, url in enumerate([*STORED, TWICE]):
            body = f"<title>T{number}</title><p>{number}".encode()
            writer.append_page(make_item(number, host=HOST, url=url, body=body))
    folder = root / "analysis" / "ranks"
    (folder / "two.parquet").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(ranks["one"]), folder / "one.parquet")
    for part, rows in enumerate((ranks["two"][:50], ranks["two"][50:])):  # as Spark writes it
        pq.write_table(pa.Table.from_pylist(rows), folder / "two.parquet" / f"part-{part}.parquet")
    copies = [
        {"url": f"{url}?copy={number}", "duplicate_of": url}
        for place, url in enumerate(RANKED)
        for number in range(1 + place % 3)
    ]
    folder = root / "analysis" / "dedup" / "duplicates"
    folder.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(copies), folder / "part-000001.parquet")
    return root


@pytest.fixture(scope="module")
def tables(root):
    index = CorpusIndex(root)
    for _ in range(100):
        try:
            index.row("SELECT 1")
            break
        except TablesPendingError:
            continue
    yield index
    index.close()


def pages_of(listed):
    """All pages of a list, and that there is nothing after them."""
    first = listed(1)
    pages = [first, *map(listed, range(2, first.n_pages + 1))]
    assert {one.total for one in pages} == {first.total}
    assert [len(one.rows) for one in pages[:-1]] == [PAGE_ROWS] * (len(pages) - 1)
    assert listed(first.n_pages + 1).rows == []
    rows = [row for one in pages for row in one.rows]
    assert len(rows) == first.total
    return rows


@pytest.mark.parametrize("method", ["one", "two"])
def test_every_page_of_a_rank(tables, ranks, method):
    rows = pages_of(lambda page: queries.ranks(tables, method, page))
    expected = sorted(ranks[method], key=lambda row: (-row["rank"], row["url"]))
    named = [(row["url"], row["rank"], row["position"]) for row in rows]
    assert named == [(row["url"], row["rank"], row["position"]) for row in expected]
    assert {row["url"] for row in rows if row["id"]} == set(STORED)
    titles = {row["url"]: row["title"] for row in rows}
    assert titles[STORED[3]] == "T3"
    assert titles[TWICE] == f"T{len(STORED)}"  # of two records the newer
    assert titles[ODD] is None


def test_a_rank_that_is_not_there_has_one_empty_page(tables):
    assert queries.rank_methods(tables) == ["one", "two"]
    found = queries.ranks(tables, "three", 1)
    assert (found.rows, found.total, found.n_pages) == ([], 0, 1)


def test_the_ranks_of_a_url(tables, ranks):
    for url in (STORED[0], ODD):
        expected = [
            {"method": method, "rank": row["rank"], "position": row["position"]}
            for method in ("one", "two")
            for row in ranks[method]
            if row["url"] == url
        ]
        assert queries.history(tables, url)["ranks"] == expected


def test_every_page_of_the_groups_of_copies(tables):
    rows = pages_of(lambda page: queries.copies(tables, "exact", page))
    sizes = {url: 2 + place % 3 for place, url in enumerate(RANKED)}
    expected = sorted(sizes.items(), key=lambda one: (-one[1], one[0]))
    assert [(row["first"], row["n"]) for row in rows] == expected
    assert {row["first"] for row in rows if row["id"]} == set(STORED)


def test_the_group_of_a_page_begins_with_it(tables):
    first = STORED[2]
    rows = queries.copy_group(tables, "exact", first)
    assert [row["url"] for row in rows] == [first, *(f"{first}?copy={n}" for n in range(3))]
    assert [bool(row["id"]) for row in rows] == [True, False, False, False]
    assert rows[0]["title"] == "T2"


@pytest.mark.parametrize("rows_per_group", [40, 1000])
def test_every_page_of_a_file_in_its_order(tables, tmp_path, rows_per_group):
    dice = random.Random(5)
    stored = [{"n": dice.randrange(10**6), "kind": dice.choice("ab")} for _ in range(230)]
    path = tmp_path / "it's.parquet"
    pq.write_table(pa.Table.from_pylist(stored), path, row_group_size=rows_per_group)

    def listed(page, asked=(), values=()):
        return queries.stored_rows(tables, path, "n, kind", asked, values, page)

    assert pages_of(listed) == stored
    some = pages_of(lambda page: listed(page, ["kind = ?", "n > ?"], ["b", 1000]))
    assert some == [row for row in stored if row["kind"] == "b" and row["n"] > 1000]
    assert listed(1, ["kind = ?"], ["c"]).rows == []


@pytest.mark.parametrize("url", [STORED[0], ODD])
def test_the_way_of_a_url_names_its_place_in_each_rank(root, ranks, url):
    points = [point for point in explain_url(root, url) if point.step == "rank"]
    expected = [
        (method, {"rank": row["rank"], "position": row["position"]})
        for method in ("one", "two")
        for row in ranks[method]
        if row["url"] == url
    ]
    assert [(point.finding, point.facts) for point in points] == expected
