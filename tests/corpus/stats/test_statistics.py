"""Statistics tables against plain counting, and the classes of hosts and URLs."""

from __future__ import annotations

import csv
import io
import json
import struct
from collections import Counter

import pytest

from quarkcrawl.corpus.dedupjob import dedup_corpus
from quarkcrawl.corpus.stats.domains import (
    DOMAIN_CLASSES,
    PROVINCES,
    domain_class,
    province_of_domain,
)
from quarkcrawl.corpus.stats.ip import ip_database, province_finder
from quarkcrawl.corpus.stats.statistics import corpus_statistics
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import InputError
from quarkcrawl.store import CorpusWriter
from quarkcrawl.workbench.report.statistics import STATISTICS_FORMATS, show_statistics
from tests.store.samples import make_body, make_item

URLS = {
    "http://www.a.com.cn/": "/",
    "http://www.a.com.cn/x/": "/",
    "http://www.a.com.cn/x.asp?id=1&b=/c.html": "asp",
    "http://www.a.com.cn/x.PHP": "php",
    "http://www.b.cn/?q=x.asp": "/",
    "http://www.b.cn/dir.v2/page": "",
    "http://www.b.cn/中.html": "html",
    "http://x.bj.cn/a.htm?": "htm",
    "http://www.c.net:8080/a.b.shtml": "shtml",
    "http://www.c.net:8080/a.qqq": "qqq",
}
IPS = {"www.a.com.cn": "162.105.1.1", "www.b.cn": "1.2.3.4", "x.bj.cn": "", "www.c.net:8080": "x"}


def host_of(url):
    return url.split("/")[2]


@pytest.fixture(scope="module")
def engine():
    with DuckEngine(memory_bytes=256 << 20, threads=1) as engine:
        yield engine


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("statistics") / "corpus"
    with CorpusWriter(root) as writer:
        for number, url in enumerate(URLS):
            host = host_of(url)
            body = make_body(number, n_words=20)
            writer.append_page(make_item(number, host=host, url=url, body=body, ip=IPS[host]))
        copy = make_item(1, host="www.b.cn", url="http://www.b.cn/copy.htm", body=body)
        writer.append_page(copy)
    return root


@pytest.fixture(scope="module")
def statistics(engine, corpus):
    return corpus_statistics(engine, corpus)


def rows(statistics, name):
    table = statistics.table(name)
    return {row[0]: dict(zip(table.columns[1:], row[1:], strict=True)) for row in table.rows}


def test_page_types(statistics):
    found = {name: row["pages"] for name, row in rows(statistics, "types").items()}
    expected = Counter(name or "no suffix" for name in URLS.values()) + Counter(["htm"])
    assert found == expected
    assert sum(row["share"] for row in rows(statistics, "types").values()) == pytest.approx(1)


def test_totals(statistics, corpus):
    totals = {name: row["count"] for name, row in rows(statistics, "totals").items()}
    assert totals["pages"] == len(URLS) + 1
    assert totals["sites"] == 4
    assert totals["dynamic pages"] == sum("?" in url for url in URLS)
    assert totals["bytes of records"] == sum(p.stat().st_size for p in corpus.rglob("page.dat"))


def test_domains(statistics):
    found = rows(statistics, "domains")
    assert {name: row["sites"] for name, row in found.items()} == {
        ".net": 1, ".cn": 1, "com.cn": 1, "province.cn": 1,
    }  # fmt: skip
    assert found["com.cn"]["dynamic"] == 1
    assert list(found) == [name for name in DOMAIN_CLASSES if name in found]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("com.cn", ".cn"), ("a.com.cn", "com.cn"), ("bj.cn", ".cn"), ("A.BJ.CN:81", "province.cn"),
        ("ac.cn", ".cn"), ("iie.ac.cn", "ac.cn"), ("cn", "other"), ("[::1]", "other"),
        ("a.org", ".org"), ("a.org.cn", "org.cn"), ("a.com.hk", "other"), ("", "other"),
    ],
)  # fmt: skip
def test_domain_class(host, expected):
    assert domain_class(host) == expected
    assert domain_class(host) in DOMAIN_CLASSES


def test_provinces_without_a_database(statistics):
    table = statistics.table("provinces")
    assert {row[0]: row[2] for row in table.rows} == {"北京": 1, "other": len(URLS)}
    assert "bj.cn" in table.note
    assert province_of_domain("www.xz.cn") == "西藏"
    assert len(PROVINCES) == len(set(PROVINCES.values())) == 34


def small_database(path, regions):
    """An ip2region.xdb (structure 2.0): header, index of vectors, regions, segments."""
    pieces, data, segments = bytearray(256 + 256 * 256 * 8), b"", []
    struct.pack_into("<HHI", pieces, 0, 2, 1, 1)
    start = len(pieces)
    for first, last, text in regions:
        raw = text.encode()
        segments.append((first, last, len(raw), start + len(data)))
        data += raw
    at = start + len(data)
    index = b""
    for first, last, length, pointer in segments:
        slot = 256 + ((first >> 24) * 256 + (first >> 16 & 255)) * 8
        struct.pack_into("<II", pieces, slot, at + len(index), at + len(index))
        index += struct.pack("<IIHI", first, last, length, pointer)
    struct.pack_into("<II", pieces, 8, at, at + len(index) - 14)
    path.write_bytes(bytes(pieces) + data + index)


def address(text):
    return int.from_bytes(map(int, text.split(".")), "big")


def test_provinces_with_a_database(engine, corpus, tmp_path):
    pytest.importorskip("ip2region", reason="needs py-ip2region (extra geo)")
    path = tmp_path / "small.xdb"
    regions = [
        (address("1.2.0.0"), address("1.2.255.255"), "中国|0|内蒙古|呼和浩特市|电信"),
        (address("162.105.0.0"), address("162.105.255.255"), "中国|北京市|北京市|教育网|CN"),
        (address("8.8.0.0"), address("8.8.255.255"), "美国|0|0|0|Level3"),
    ]
    small_database(path, regions)
    find = province_finder(path)
    addresses = ("162.105.3.4", "1.2.0.0", "1.2.255.255", "8.8.8.8", "9.9.9.9", "::1", "no", "")
    assert [find(a) for a in addresses] == [
        "北京",
        "内蒙古",
        "内蒙古",
        None,
        None,
        None,
        None,
        None,
    ]
    table = corpus_statistics(engine, corpus, ip_file=path).table("provinces")
    assert {row[0]: (row[2], row[4]) for row in table.rows} == {
        "北京": (5, 2), "内蒙古": (4, 1), "other": (2, 1),
    }  # fmt: skip
    assert str(path) in table.note


def test_databases_that_are_none(monkeypatch, tmp_path):
    pytest.importorskip("ip2region", reason="needs py-ip2region (extra geo)")
    (tmp_path / "x.xdb").write_bytes(b"x" * 2000)
    for path in (tmp_path / "x.xdb", tmp_path / "absent.xdb"):
        with pytest.raises(InputError, match="no ip2region database"):
            province_finder(path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert ip_database() is None
    with pytest.raises(InputError, match="pip install"):
        province_finder(tmp_path / "x.xdb")


def test_duplicates_are_left_out_once_they_are_known(engine, corpus, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(corpus, copy)
    dedup_corpus(engine, copy)
    totals = rows(corpus_statistics(engine, copy), "totals")
    assert totals["pages"]["count"] == len(URLS)
    assert totals["stored duplicates, left out"]["count"] == 1
    whole = rows(corpus_statistics(engine, copy, dedup=False), "totals")
    assert whole["pages"]["count"] == len(URLS) + 1


def test_formats(statistics):
    shown = {form: show_statistics(statistics, form) for form in STATISTICS_FORMATS}
    assert json.loads(shown["json"])["tables"]["types"]["rows"][0][2] == 3
    table = list(csv.DictReader(io.StringIO(shown["csv"])))
    assert {"table": "totals", "row": "sites", "column": "count", "value": "4"} in table
    assert "| /" in shown["markdown"]
    assert "<td>/</td>" in shown["html"]
    assert "http-equiv" in shown["html"]
    lines = shown["text"].splitlines()
    assert lines[0] == "Totals"
    assert any(line.startswith("北京") for line in lines)


def test_an_empty_corpus(engine, tmp_path):
    CorpusWriter(tmp_path / "empty").close()
    statistics = corpus_statistics(engine, tmp_path / "empty")
    assert rows(statistics, "totals")["pages"]["count"] == 0
    for form in STATISTICS_FORMATS:
        assert show_statistics(statistics, form)


def test_the_shares_of_the_thesis():
    """Tables 4.2 and 4.3: shares are parts of the page types listed, not of all pages."""
    types = [13339431, 8896099, 5574326, 5160105, 1416117, 1149007, 797277, 317803,
             49689, 48502, 13929, 11994, 5566, 4438, 3596, 81]  # fmt: skip
    domains = [23452494, 4821358, 3414675, 2972910, 600642, 554817, 520205, 388910, 381225,
               185558, 89266, 71753]  # fmt: skip
    assert sum(domains) == 37_453_813
    assert round(types[0] / 36_788_226, 5) == 0.36260
    assert round(domains[0] / 36_788_226, 4) == 0.6375
    assert sum(domains) / 36_788_226 == pytest.approx(1.018, abs=0.001)


def test_a_table_that_there_is_not(statistics):
    with pytest.raises(KeyError, match="weather"):
        statistics.table("weather")
