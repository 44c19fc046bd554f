"""SQL of strangers: one clear line, nothing reached, nothing changed, the server lives on."""

from __future__ import annotations

import csv
import io
import os
import signal
import threading
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from quarkcrawl.workbench.web import create_app
from quarkcrawl.workbench.web.http import ApiError
from quarkcrawl.workbench.web.sql import SqlRunner
from quarkcrawl.workbench.web.sql.query import MOST_CELL_CHARS, MOST_COLUMNS
from quarkcrawl.workbench.web.sql.tables import TABLES
from tests.workbench.web.conftest import await_tables

BEARER = {"Authorization": "Bearer t"}

FILES = (
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM read_json('{secret}')",
    "SELECT * FROM read_parquet('{secret}')",
    "SELECT * FROM parquet_metadata('{secret}')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM '{secret}'",
    'SELECT * FROM "{secret}"',
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM query('SELECT * FROM read_text(''{secret}'')')",
    "FROM read_text(['{secret}'])",
    "SELECT * FROM read_csv('/proc/self/environ')",
    "COPY pages TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.parquet'",
    "EXPORT DATABASE '{folder}/out'",
    "ATTACH '{folder}/out.duckdb' AS out",
    "ATTACH ':memory:' AS other",
    "CREATE SECRET s (TYPE s3)",
)
NETWORK = (
    "SELECT * FROM read_csv('http://outside.example/x.csv')",
    "SELECT * FROM 's3://bucket/x.parquet'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{folder}/x.duckdb_extension'",
    "FORCE INSTALL httpfs FROM 'http://outside.example'",
)
SETTINGS = (
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET GLOBAL memory_limit = '100GB'",
    "SET VARIABLE a = 1",
    "PRAGMA enable_profiling",
    "PRAGMA database_list",
    "CALL enable_logging()",
    "USE temp",
)
CHANGES = (
    "CREATE TABLE x AS SELECT 1",
    "CREATE TEMP TABLE x AS SELECT 1",
    "CREATE OR REPLACE TEMP VIEW pages AS SELECT 1",
    "CREATE MACRO f(x) AS x",
    "INSERT INTO hosts SELECT * FROM hosts",
    "DELETE FROM pages",
    "UPDATE pages SET url = ''",
    "DROP TABLE pages",
    "DROP VIEW pages",
    "TRUNCATE pages",
    "ALTER TABLE pages ADD COLUMN x INT",
    "BEGIN TRANSACTION",
    "CHECKPOINT",
    "VACUUM",
    "DETACH temp",
    "PREPARE a AS SELECT 1",
    "COMMENT ON TABLE pages IS 'x'",
)
SEVERAL = (
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE pages",
    "SELECT 1; COPY pages TO '{folder}/out.csv'",
    ";",
    "-- nothing",
    "EXPLAIN ANALYZE SELECT 1",
    "PIVOT pages ON host",
)
OTHERS = (
    "SELECT getenv('HOME')",
    "SELECT * FROM os",
    "SELECT * FROM question",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM arrow_scan(1::POINTER, 1::POINTER, 1::POINTER)",
    "SELECT * FROM pandas_scan(1)",
    "SELECT ?",
    "SELECT $1",
    "SELEC 1",
    "SELECT '",
    "SELECT nope FROM pages",
    "SELECT 1 / 'x'::INT",
    "SELECT error('mine')",
    "SELECT " + "(" * 3000,
)
LONG = (
    "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
    "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b",
    "SELECT sleep_ms(600000)",
    "SELECT count(*) FROM range(1000000000000) t WHERE hash(range) = 1",
)
LARGE = (
    "SELECT repeat('x', 2000000000)",
    "SELECT list(range) FROM range(1000000000)",
    "SELECT string_agg(repeat('x', 1000), '') FROM range(100000000)",
    "SELECT list_sort(range(1000000000))",
    "SELECT repeat('x', 50000000) FROM range(1000)",
    "SELECT count(*) FROM (SELECT repeat('x', 99) || range FROM range(100000000) GROUP BY ALL)",
)


@pytest.fixture(scope="module")
def app(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sql")
    made = create_app(corpus, token="t", gold=folder / "gold", templates=folder / "t.json")
    made.state.bench.sql.close()
    made.state.bench.sql = SqlRunner(limit_s=1.0, kill_s=3.0, memory_bytes=64 << 20)
    yield made
    made.state.bench.close()


@pytest.fixture(scope="module")
def client(app):
    made = TestClient(app, base_url="http://127.0.0.1")
    await_tables(lambda: made.get("/hosts").status_code)
    return made


def ask(client, sql, **options):
    return client.get("/api/sql", params={"q": sql, **options}, headers=BEARER)


def assert_one_line(reply) -> str:
    assert reply.status_code == 409, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    detail = reply.json()["detail"]
    assert detail
    assert "\n" not in detail
    assert "Traceback" not in detail
    return detail


def assert_all_is_well(client) -> None:
    """The next query is answered, and so are the other views."""
    reply = ask(client, "SELECT count(*) FROM pages")
    assert reply.status_code == 200, reply.text
    assert reply.json()["rows"] == [[client.get("/api/overview").json()["totals"]["pages"]]]
    assert client.get("/pages").status_code == 200


@pytest.mark.parametrize("sql", [*FILES, *NETWORK, *SETTINGS, *CHANGES, *SEVERAL, *OTHERS])
def test_what_is_no_query_on_the_tables_is_refused_in_one_line(client, tmp_path, sql):
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\nhush,1\n")
    reply = ask(client, sql.replace("{secret}", str(secret)).replace("{folder}", str(tmp_path)))
    assert_one_line(reply)
    assert "hush" not in reply.text
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_secrets_of_the_user_are_not_read(client):
    """Those that DuckDB has stored for other programs."""
    found = ask(client, "SELECT * FROM duckdb_secrets()")
    assert found.status_code == 409 or found.json()["rows"] == []
    setting = "SELECT value FROM duckdb_settings() WHERE name = 'allow_persistent_secrets'"
    assert ask(client, setting).json()["rows"] == [["false"]]


@pytest.mark.full
def test_after_all_that_the_tables_are_as_they_were(client, app):
    before = app.state.bench.tables.rows("SELECT * FROM hosts ORDER BY host")
    for sql in (*CHANGES, *SETTINGS):
        assert_one_line(ask(client, sql))
    assert app.state.bench.tables.rows("SELECT * FROM hosts ORDER BY host") == before
    assert_all_is_well(client)


@pytest.mark.full
@pytest.mark.parametrize("sql", LONG)
def test_a_query_that_does_not_end_is_ended(client, sql):
    assert assert_one_line(ask(client, sql)) == "the query takes longer than 1 s"
    assert_all_is_well(client)


@pytest.mark.full
@pytest.mark.parametrize("sql", LARGE)
def test_a_query_that_wants_much_memory_does_not_get_it(client, sql):
    detail = assert_one_line(ask(client, sql))
    assert "memory" in detail or "ended its process" in detail or "longer" in detail
    assert_all_is_well(client)


def test_a_cross_join_is_cut_and_not_made(client):
    """A result of more rows than anybody can store, of which some are asked for."""
    sql = "SELECT a.range AS a, b.range AS b FROM range(1000000) a, range(1000000) b"
    found = ask(client, sql, rows=7).json()
    assert len(found["rows"]) == 7
    assert found["is_cut"] is True
    found = ask(client, "SELECT range FROM range(7)", rows=7).json()
    assert found["is_cut"] is False


def test_results_are_bounded_in_columns_cells_and_bytes(client):
    wide = "SELECT " + ", ".join(f"{n} AS c{n}" for n in range(MOST_COLUMNS + 1))
    assert str(MOST_COLUMNS) in assert_one_line(ask(client, wide))
    (((cell,),)) = ask(client, "SELECT repeat('x', 1000000)").json()["rows"]
    assert len(cell) == MOST_CELL_CHARS
    many = ask(client, "SELECT repeat('x', 19000) FROM range(2000)", rows=2000)
    assert many.json()["is_cut"] is True
    assert 4 << 20 < len(many.content) < 16 << 20
    nested = ask(client, "SELECT list(range) FROM range(100000)").json()["rows"][0][0]
    assert len(str(nested)) <= MOST_CELL_CHARS


def test_order_and_values_are_those_of_duckdb(client):
    found = ask(client, "SELECT range AS n FROM range(100000) ORDER BY n DESC", rows=3).json()
    assert found["rows"] == [[99999], [99998], [99997]]
    sql = (
        "SELECT 1.5 AS d, NULL AS e, 'nan'::FLOAT AS f, [1, NULL] AS g, {'a': 'x'} AS h,"
        " DATE '2004-05-06' AS i, '\\xAA'::BLOB AS j, true AS k, MAP {'m': 2} AS l,"
        " 170141183460469231731687303715884105727::HUGEINT AS m"
    )
    found = ask(client, sql).json()
    assert found["rows"] == [
        ["1.5", None, "nan", [1, None], {"a": "x"}, "2004-05-06", "aa", True, {"m": 2}, 2**127 - 1]
    ]
    assert [column["name"] for column in found["columns"]] == list("defghijklm")
    assert found["columns"][5]["type"] == "DATE"


def test_the_tables_are_named_with_their_columns(client):
    found = {table["name"]: table for table in client.get("/api/sql/tables").json()["tables"]}
    assert list(found) == list(TABLES)
    totals = client.get("/api/overview").json()["totals"]
    assert found["pages"]["rows"] == totals["pages"]
    assert found["drops"]["rows"] == totals["drops"]
    for name, table in found.items():
        columns = ", ".join(f'"{column["name"]}"' for column in table["columns"])
        assert ask(client, f"SELECT {columns} FROM {name} LIMIT 1").status_code == 200
    ranks = ask(client, "SELECT DISTINCT method FROM ranks ORDER BY method").json()["rows"]
    assert ["quarkrank"] in ranks


def test_csv_has_the_rows_of_the_query(client):
    sql = "SELECT url, content_title, marks, level FROM pages ORDER BY url"
    rows = ask(client, sql).json()["rows"]
    reply = client.get("/api/sql/csv", params={"q": sql}, headers=BEARER)
    assert reply.headers["content-disposition"] == 'attachment; filename="result.csv"'
    head, *lines = csv.reader(io.StringIO(reply.text))
    assert head == ["url", "content_title", "marks", "level"]
    assert [(line[0], line[1], line[3]) for line in lines] == [
        (row[0], row[1] or "", str(row[3])) for row in rows
    ]


def test_running_needs_the_token_and_one_of_our_own_pages(app, client):
    stranger = TestClient(app, base_url="http://127.0.0.1")
    sql = quote("SELECT 'r' || 'an' FROM hosts LIMIT 1")
    for path in ("/api/sql", "/api/sql/csv"):
        assert stranger.get(f"{path}?q={sql}").status_code == 403
        wrong = stranger.get(f"{path}?q={sql}", headers={"Authorization": "Bearer x"})
        assert wrong.status_code == 403
        assert (
            stranger.get(f"{path}?q={sql}", headers={**BEARER, "Host": "evil.example"}).status_code
            == 403
        )
        assert stranger.post(f"{path}?q={sql}", headers=BEARER).status_code == 405
    shown = stranger.get(f"/sql?q={sql}").text
    assert "<td" not in shown
    assert "token" in shown
    ours = TestClient(app, base_url="http://127.0.0.1")
    ours.get("/sql?token=t")
    assert ours.get(f"/api/sql?q={sql}").json()["rows"] == [["ran"]]
    assert ">ran<" in ours.get(f"/sql?q={sql}").text
    for site in ("cross-site", "same-site"):
        headers = {"Sec-Fetch-Site": site}
        assert ours.get(f"/api/sql?q={sql}", headers=headers).status_code == 403
        assert ours.get(f"/api/sql/csv?q={sql}", headers=headers).status_code == 403
        page = ours.get(f"/sql?q={sql}", headers=headers).text
        assert "&#39;r&#39; || &#39;an&#39;" in page
        assert ">ran<" not in page


def test_a_query_is_text_in_its_view(client):
    ours = TestClient(client.app, base_url="http://127.0.0.1")
    ours.get("/sql?token=t")
    for sql in ("SELECT '<script>RAN</script>' AS \"<b>\"", "</textarea><script>RAN</script>"):
        assert "<script>RAN" not in ours.get("/sql", params={"q": sql}).text


def test_sizes_of_queries_are_bounded(client):
    assert ask(client, "SELECT 1 --" + "x" * 10_000).status_code == 400
    assert ask(client, "").status_code == 400
    assert ask(client, "SELECT 1", rows=10_001).status_code == 400
    assert ask(client, "SELECT 1", rows=0).status_code == 400
    assert ask(client, "SELECT '\0'").status_code == 400


@pytest.mark.full
def test_one_query_at_a_time_and_others_are_told_to_wait(app, client, monkeypatch):
    monkeypatch.setattr("quarkcrawl.workbench.web.sql.runner._TURN_S", 0.0)
    runner, path = app.state.bench.sql, app.state.bench.tables.database_path

    def long():
        with pytest.raises(ApiError, match="longer"):
            runner.rows(path, LONG[0], 1)

    thread = threading.Thread(target=long)
    thread.start()
    told = []
    while thread.is_alive() and not told:
        reply = ask(client, "SELECT 1")
        told += [reply] if reply.status_code == 503 else []
    thread.join()
    assert told[0].headers["retry-after"] == "1"
    assert "another query" in told[0].json()["detail"]
    assert_all_is_well(client)


@pytest.mark.full
def test_a_process_that_is_killed_is_told_and_the_next_query_is_answered(app, client):
    assert_all_is_well(client)
    os.kill(app.state.bench.sql._process.worker._process.pid, signal.SIGKILL)
    assert "ended its process" in assert_one_line(ask(client, "SELECT 1"))
    assert_all_is_well(client)


def test_the_process_can_write_no_file(app, client):
    """What the kernel forbids holds, whatever DuckDB does."""
    assert_all_is_well(client)
    pid = app.state.bench.sql._process.worker._process.pid
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    assert next(line for line in lines if line.startswith("Max file size")).split()[3] == "0"


def test_without_a_corpus_there_is_nothing_to_ask(tmp_path):
    app = create_app(token="t", gold=tmp_path / "gold", templates=tmp_path / "t.json")
    client = TestClient(app, base_url="http://127.0.0.1")
    assert ask(client, "SELECT 1").status_code == 404
    assert client.get("/sql").status_code == 404
    app.state.bench.close()
