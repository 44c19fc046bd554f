"""Tables read behind the answers: what is told meanwhile, when they change, when they are broken."""

from __future__ import annotations

import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from quarkcrawl.store import Corpus
from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.http.pending import TablesPendingError
from quarkcrawl.workbench.web.index import index, queries
from quarkcrawl.workbench.web.index.build import Builder, Tables
from quarkcrawl.workbench.web.index.index import CorpusIndex
from quarkcrawl.workbench.web.index.results import PageQuery, PageResult
from quarkcrawl.workbench.web.index.search import TextWriter


@pytest.fixture
def corpus(made_corpus, tmp_path):
    """A copy of its own, without the contents that were cleaned after the crawl."""
    ignored = shutil.ignore_patterns("cleaned")
    return shutil.copytree(made_corpus, tmp_path / "corpus", ignore=ignored)


@pytest.fixture
def opened():
    """Opens indexes of corpora and waits until they can be asked."""
    made = []

    def open_index(corpus):
        made.append(CorpusIndex(corpus))
        made[-1].warm()
        return await_rows(made[-1], "SELECT 1 AS n") and made[-1]

    yield open_index
    for one in made:
        one.close()


def await_rows(tables, sql):
    for _ in range(100):
        try:
            return tables.rows(sql)
        except TablesPendingError:
            continue
    pytest.fail("the tables are still being read")


def stored_rows(corpus):
    return Corpus.open(corpus).table("page").to_table().to_pylist()


def found(tables, text):
    result = PageResult(tables, PageQuery(text))
    assert result.how_far["is_done"]
    return result.rows(1)


@pytest.mark.full
def test_the_server_answers_while_tables_are_read(corpus, monkeypatch):
    may_go, build = threading.Event(), Builder.build

    def slow(self):
        self.n_pages, self.n_done = 1000, 250
        assert may_go.wait(60)
        return build(self)

    monkeypatch.setattr(Builder, "build", slow)
    app = create_app(corpus, token="t")
    client = TestClient(app, base_url="http://127.0.0.1")
    page = client.get("/hosts?lang=en")
    assert page.status_code == 202
    assert page.headers["refresh"] == "1"
    assert "250 of 1,000 pages" in page.text
    reply = client.get("/api/hosts")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
    assert "250 of 1000" in reply.json()["detail"]
    assert client.get("/inspect").status_code == 200
    may_go.set()
    await_rows(app.state.bench.index, "SELECT 1")
    assert client.get("/hosts").status_code == client.get("/api/hosts").status_code == 200
    app.state.bench.close()


def test_the_tables_are_those_of_the_corpus(corpus, opened):
    tables = opened(corpus)
    rows = {row["url"]: row for row in stored_rows(corpus)}
    for row in tables.rows("SELECT url, content_chars, body_bytes, text_row FROM pages"):
        stored = rows.pop(row["url"])
        assert row["content_chars"] == len(stored["content_text"] or "")
        assert row["body_bytes"] == stored["body_bytes"]
        title = stored["content_title"] or stored["title"] or ""
        text = f"{title}\n{stored['content_text'] or ''}\n"
        assert tables.texts[row["text_row"]] == text
    assert rows == {}


def test_words_are_found_in_the_order_and_number_that_a_scan_finds(corpus, opened):
    tables = opened(corpus)
    rows = stored_rows(corpus)
    for text in ("城市", "城市 增长", "没有的词", "的", "3"):
        wanted = {
            row["url"]
            for row in rows
            if all(
                word in f"{row['content_title']}\n{row['content_text']}" for word in text.split()
            )
        }
        pages = found(tables, text)
        assert pages.total == len(wanted)
        assert {row["url"] for row in pages.rows} <= wanted
        for row in pages.rows:
            assert text.split()[0] in row["snippet"] + row["title"]
    query = PageQuery("的", filters={"host": rows[0]["host"]}, sort="longest")
    chars = [row["content_chars"] for row in PageResult(tables, query).rows(1).rows]
    assert chars == sorted(chars, reverse=True) != []


def store_extraction(corpus, row, method):
    """One row of an extraction by this method, as the command writes it."""
    folder = corpus / "analysis" / "extractions" / method / "bucket=0"
    folder.mkdir(parents=True)
    columns = {"url": row["url"], "offset": row["offset"], "failure": None, "content_method": method,
               "content_text": "猎户座星云", "content_title": "新题", "published": None, "source": None,
               "author": None, "is_topic": True, "topic_probability": 0.5}  # fmt: skip
    table = pa.Table.from_pylist([columns])
    pq.write_table(table, folder / "part-000001.parquet")


def test_another_method_takes_no_place_of_what_the_crawl_found_by_default(corpus, opened):
    row = next(row for row in stored_rows(corpus) if len(row["content_text"]) > 200)
    assert row["content_method"] == "default"
    store_extraction(corpus, row, "quark")
    tables = opened(corpus)
    assert found(tables, "猎户座").rows == []
    (shown,) = tables.rows(
        "SELECT content_chars, content_method FROM pages WHERE url = ?", [row["url"]]
    )
    assert shown == {"content_chars": len(row["content_text"]), "content_method": "default"}


def test_a_later_extraction_takes_the_place_of_that_of_the_crawl(corpus, opened):
    row = next(row for row in stored_rows(corpus) if len(row["content_text"]) > 200)
    store_extraction(corpus, row, "default")
    tables = opened(corpus)
    assert [one["url"] for one in found(tables, "猎户座").rows] == [row["url"]]
    old = row["content_text"][:60].splitlines()[0]
    assert row["url"] not in {one["url"] for one in found(tables, old).rows}
    (shown,) = tables.rows(
        "SELECT content_chars, content_title FROM pages WHERE url = ?", [row["url"]]
    )
    assert shown == {"content_chars": 5, "content_title": "新题"}


def test_new_tables_are_seen_and_the_old_ones_answer_until_then(corpus, opened, monkeypatch):
    monkeypatch.setattr(index, "_LOOK_S", 0.05)
    monkeypatch.setattr(index, "_REST", 0)
    monkeypatch.setattr(index, "_LINGER_S", 0.0)
    tables = opened(corpus)
    ranks = corpus / "analysis" / "ranks"
    shutil.copy(ranks / "pagerank.parquet", ranks / "otherrank.parquet")
    for _ in range(600):
        names = queries.rank_methods(tables)  # answers all the time
        if names == ["blpr", "otherrank", "pagerank", "quarkrank"]:
            break
        assert names == ["blpr", "pagerank", "quarkrank"]
        time.sleep(0.05)
    else:
        pytest.fail("the new table is not seen")


@pytest.mark.full
def test_tables_are_closed_when_the_last_question_is_answered(tmp_path):
    """DuckDB 2 refuses to close a connection while a cursor of it works."""
    tables = Tables(duckdb.connect(), TextWriter(tmp_path / "texts").finish())
    asked, counts = threading.Event(), []

    def ask():
        with tables.cursor() as cursor:
            asked.set()
            query = (
                "SELECT count(*) FROM range(20000) t(i), range(20000) u(j) WHERE (i * j) % 7 = 0"
            )
            counts.extend(cursor.execute(query).fetchall())

    thread = threading.Thread(target=ask)
    thread.start()
    asked.wait()
    tables.close()
    thread.join()
    assert len(counts) == 1
    with pytest.raises(duckdb.ConnectionException), tables.cursor():
        pass


@pytest.mark.full
def test_a_broken_table_is_told_and_read_again_when_it_is_whole(corpus, monkeypatch):
    monkeypatch.setattr(index, "_LOOK_S", 0.05)
    part = next((corpus / "analysis" / "pages").rglob("*.parquet"))
    whole = part.read_bytes()
    part.write_bytes(whole[: len(whole) // 2])
    tables = CorpusIndex(corpus)
    count = "SELECT count(*) AS n FROM pages"
    left = await_rows(tables, count)[0]["n"]
    (fault,) = tables.note().faults
    assert (fault.table, fault.path) == ("page", part)
    part.write_bytes(whole)
    for _ in range(600):
        if not tables.note().faults:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the table is not read again")
    assert await_rows(tables, count)[0]["n"] == left + pq.read_metadata(part).num_rows
    tables.close()


@pytest.mark.parametrize("kind", ["drops", "redirects", "duplicates"])
def test_a_table_of_one_broken_file_is_empty_and_the_others_are_whole(corpus, opened, kind):
    n_pages = len(stored_rows(corpus))
    files = list((corpus / "analysis" / kind).rglob("*.parquet"))
    assert files
    for file in files:
        file.write_bytes(b"PAR1 no more")
    tables = opened(corpus)
    assert {fault.path for fault in tables.note().faults} == set(files)
    assert await_rows(tables, "SELECT count(*) AS n FROM pages")[0]["n"] == n_pages


def test_damaged_columns_behind_a_good_footer_are_found(corpus, opened):
    """The footer is whole; only whoever reads the rows meets the damage."""
    part = max(
        (corpus / "analysis" / "pages").rglob("*.parquet"), key=lambda path: path.stat().st_size
    )
    data = bytearray(part.read_bytes())
    data[4 : len(data) // 2] = bytes(len(data) // 2 - 4)
    part.write_bytes(data)
    tables = opened(corpus)
    (fault,) = tables.note().faults
    assert fault.path == part
    assert await_rows(tables, "SELECT count(*) AS n FROM pages")[0]["n"] > 0


def test_a_file_whose_text_is_no_utf8_costs_its_own_rows(corpus, opened):
    part = min((corpus / "analysis" / "pages").rglob("*.parquet"))
    table = pq.read_table(part, partitioning=None)
    data = b"\xf0" * len(table)
    ends = pa.array(range(len(table) + 1), pa.int32()).buffers()[1]
    text = pa.StringArray.from_buffers(len(table), ends, pa.py_buffer(data))
    place = table.column_names.index("content_text")
    pq.write_table(table.set_column(place, table.field(place), text), part)
    tables = opened(corpus)
    (fault,) = tables.note().faults
    assert (fault.table, fault.path) == ("page", part)
    assert "UTF8" in fault.why
    assert await_rows(tables, "SELECT count(*) AS n FROM pages")[0]["n"] > 0


def test_pages_are_numbered_by_host_and_address(corpus, opened):
    rows = await_rows(opened(corpus), 'SELECT number, host, url, "offset" AS at FROM pages')
    by_number = sorted(rows, key=lambda row: row["number"])
    assert [row["number"] for row in by_number] == list(range(1, len(rows) + 1))
    keys = [(row["host"].encode(), row["url"].encode(), row["at"]) for row in by_number]
    assert keys == sorted(keys)


def test_one_view_is_answered_by_one_copy_of_the_tables(corpus, opened, monkeypatch):
    monkeypatch.setattr(index, "_LOOK_S", 0.05)
    monkeypatch.setattr(index, "_REST", 0)
    tables = opened(corpus)
    ranks = corpus / "analysis" / "ranks"
    before = queries.rank_methods(tables)
    with tables.one_copy() as told:
        assert told() is None
        assert queries.rank_methods(tables) == before
        shutil.copy(ranks / "pagerank.parquet", ranks / "otherrank.parquet")
        with ThreadPoolExecutor(1) as other:  # who asks for another view gets the new copy
            for _ in range(600):
                if other.submit(queries.rank_methods, tables).result() != before:
                    break
                time.sleep(0.05)
            else:
                pytest.fail("the new table is not seen")
        assert queries.rank_methods(tables) == before
        as_of = told().as_of
    assert queries.rank_methods(tables) != before
    assert tables.note().as_of > as_of


def test_closing_ends_a_reading_that_is_under_way(corpus):
    tables = CorpusIndex(corpus)
    tables.warm()
    tables.close()
    assert not tables._folder.exists()
    assert not tables._thread.is_alive()
