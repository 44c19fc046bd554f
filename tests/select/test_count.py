"""Hosts and page counts from URL lists in all their forms, good and bad."""

import codecs
import gzip
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.page import canonicalize
from quarkcrawl.select import SelectionWork, count_hosts
from quarkcrawl.select.hostnames import site_of
from tests.profiles import examples

URLS = [
    "http://a.com.cn/1",
    "http://a.com.cn/2",
    "https://b.cn/",
    "http://b.cn/x",
    "https://b.cn/y",
]
EXPECTED = {"a.com.cn": ("http://a.com.cn/", 2, 0), "b.cn": ("https://b.cn/", 3, 2)}


def table_of(counts):
    rows = counts.table.to_pylist()
    return {r["host"]: (r["url"], r["pages"], r["https_pages"]) for r in rows}


def text(urls=URLS):
    return "".join(f"{url}\n" for url in urls).encode()


def written(path, data):
    path.write_bytes(data)
    return path


def make_warc(path):
    with gzip.open(path, "wb") as out:
        for kind, url in [("request", "http://no.cn/"), *(("response", url) for url in URLS)]:
            body = b"HTTP/1.1 200 OK\r\n\r\nx"
            head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
            head += f"Content-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n"
            out.write(head.encode() + body + b"\r\n\r\n")
    return path


FORMS = {
    "plain.txt": lambda p: written(p, text()),
    "no-suffix-gz": lambda p: written(p, gzip.compress(text())),
    "urls.zst": lambda p: written(p, zstd.compress(text())),
    "crlf.txt": lambda p: written(p, text().replace(b"\n", b"\r\n")),
    "no-last-newline.txt": lambda p: written(p, text()[:-1]),
    "utf16.txt": lambda p: written(p, codecs.BOM_UTF16_LE + text().decode().encode("utf-16-le")),
    "bom.txt": lambda p: written(p, codecs.BOM_UTF8 + text()),
    "urls.warc.gz": make_warc,
    "old.cdx": lambda p: written(p, b" CDX N b a m s k r M S V g\n" + b"".join(
        f"key 2006 {u} text/html 200 X - - 1 2 f\n".encode() for u in URLS)),
    "new.cdxj": lambda p: written(p, b"".join(
        f'cn,a)/ 2006 {{"url": "{u}", "status": "200"}}\n'.encode() for u in URLS)),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_counts(name, tmp_path):
    path = FORMS[name](tmp_path / name)
    counts = count_hosts([path])
    assert table_of(counts) == EXPECTED
    assert counts.summary()["bad"] == 0
    assert counts.summary()["urls"] == 5


def test_parquet_by_column_and_counts_of_other_machines(tmp_path):
    pq.write_table(pa.table({"link": URLS}), tmp_path / "u.parquet")
    one = count_hosts([tmp_path / "u.parquet"], column="link")
    assert table_of(one) == EXPECTED
    pq.write_table(one.table, tmp_path / "counted.parquet")
    both = count_hosts([tmp_path / "counted.parquet", written(tmp_path / "t", text())])
    assert table_of(both) == {
        "a.com.cn": ("http://a.com.cn/", 4, 0),
        "b.cn": ("https://b.cn/", 6, 4),
    }
    assert both.table["lists"].to_pylist() == [2, 2]


def test_a_corpus_is_a_list_also_with_rows_in_its_journal(tmp_path):
    from tests.corpus.corpora import HOSTS, add_pages

    add_pages(tmp_path / "corpus", range(6))
    writer = add_pages(tmp_path / "corpus", range(6, 9), keep_open=True)
    counts = count_hosts([tmp_path / "corpus"])
    writer.close()
    assert {h: n for h, (_, n, _) in table_of(counts).items()} == dict.fromkeys(HOSTS, 3)


def test_lines_that_are_no_urls_are_counted_and_the_first_ten_named(tmp_path):
    lines = [b"http://a.cn/"] * 3 + [b"junk %d" % (i % 4) for i in range(14)] + [b"", b"http:///"]
    path = written(tmp_path / "bad.txt", b"\n".join(lines))
    counts = count_hosts([path])
    (one,) = counts.lists
    assert (one.urls, one.bad, one.blank) == (3, 15, 1)
    assert [(line.line, line.text) for line in counts.bad_lines] == [
        (4 + i, f"junk {i % 4}") for i in range(10)
    ]
    assert {line.path for line in counts.bad_lines} == {str(path)}


def test_bad_rows_of_parquet_are_named_by_row(tmp_path):
    pq.write_table(pa.table({"url": [*URLS, None, "junk", "ftp://x.cn/"]}), tmp_path / "p.parquet")
    counts = count_hosts([tmp_path / "p.parquet"])
    assert [(line.line, line.text) for line in counts.bad_lines] == [
        (7, "junk"),
        (8, "ftp://x.cn/"),
    ]
    assert counts.lists[0].blank == 1


def test_bad_lines_are_named_over_several_lists(tmp_path):
    first = written(tmp_path / "1", b"x y\n" * 7)
    second = written(tmp_path / "2", b"http://a.cn/\n" + b"y z\n" * 7)
    counts = count_hosts([first, second])
    assert [(line.path[-1], line.line) for line in counts.bad_lines] == [
        *(("1", n) for n in range(1, 8)), ("2", 2), ("2", 3), ("2", 4),
    ]  # fmt: skip


def test_mixed_encodings_lose_no_line(tmp_path):
    data = "http://a.cn/新闻\nhttp://中文.cn/页\n".encode()
    data += (
        "http://a.cn/新闻\nhttp://中文.cn/页\n".encode("gb18030") + b"http://b.cn/\xff\xfe\x80\n"
    )
    counts = count_hosts([written(tmp_path / "mixed", data)])
    assert {h: n for h, (_, n, _) in table_of(counts).items()} == {
        "a.cn": 2, "b.cn": 1, "xn--fiq228c.cn": 2,
    }  # fmt: skip


def test_a_list_cut_off_counts_what_came_before(tmp_path):
    data = gzip.compress(text([f"http://s{i}.cn/" for i in range(200_000)]))
    counts = count_hosts([written(tmp_path / "cut.gz", data[: len(data) // 2])])
    assert 0 < counts.table.num_rows < 200_000
    assert "cut.gz: damaged or cut off" in counts.lists[0].damage


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("none.txt", None, "none.txt: no such file"),
        ("x.parquet", b"PAR1 not really", "x.parquet: not a Parquet file"),
        ("x.warc", b"no warc at all", "x.warc: not a whole WARC file"),
    ],
)
def test_unreadable_lists(tmp_path, name, data, message):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        count_hosts([path])


def test_a_missing_column_is_named_with_those_that_are_there(tmp_path):
    pq.write_table(pa.table({"link": URLS, "n": [1] * 5}), tmp_path / "u.parquet")
    with pytest.raises(InputError, match=r"u\.parquet: no column 'url'.*it has: link, n"):
        count_hosts([tmp_path / "u.parquet"])


def test_a_folder_that_is_no_corpus_and_no_lists_at_all(tmp_path):
    with pytest.raises(InputError, match=r"corpus\.json"):
        count_hosts([tmp_path])
    with pytest.raises(InputError, match="no URL lists"):
        count_hosts([])


@pytest.mark.full
def test_a_full_disk_keeps_the_table_that_was_there(tmp_path):
    path = written(tmp_path / "urls", text([f"http://site{i}.com.cn/" for i in range(30_000)]))
    small = written(tmp_path / "small", text())
    work = SelectionWork(tmp_path / "work")
    work.count([small])
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from quarkcrawl.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        f"sys.exit(main(['select', 'count', {str(path)!r}, '--work', {str(work.root)!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "counts.parquet: no room to write" in done.stderr
    assert table_of(work_counts(work)) == EXPECTED
    assert not list(work.root.glob("*.tmp"))
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20000


def work_counts(work):
    from types import SimpleNamespace

    return SimpleNamespace(table=work.counts())


def test_the_database_has_a_memory_limit(tmp_path):
    path = written(
        tmp_path / "urls", text([f"http://s{i}.com.cn/{'x' * 30}" for i in range(400_000)])
    )
    with pytest.raises(StoreError, match="no room"):
        count_hosts([path], memory_bytes=12 << 20)


urls = st.one_of(
    st.tuples(
        st.sampled_from(["http://", "https://", "HTTP://", "http:/", "", "ftp://", "//"]),
        st.sampled_from(["a.cn", "B.com", "a.cn:80", "a.cn:443", "u@a.cn", "x", "1.2.3.4", "a..b", "中.cn"]),
        st.sampled_from(["", "/", "/a?b", "?q", "#f", "\\x", "/http://z.cn/"]),
    ).map("".join),
    st.text(st.characters(blacklist_characters="\n\r", blacklist_categories=["Cs"]), max_size=20),
)  # fmt: skip


@pytest.mark.full
@settings(max_examples=examples(60))
@given(st.lists(urls, max_size=12))
def test_counts_equal_a_loop_over_the_lines(lines):
    data = "".join(f"{line}\n" for line in lines).encode()
    lines = data.decode().removeprefix("\ufeff").split("\n")[:-1]
    with tempfile.TemporaryDirectory() as folder:
        counts = count_hosts([written(Path(folder) / "urls", data)])
    expected, bad = Counter(), 0
    for line in lines:
        site = naive_site(line)
        if site is not None:
            expected[site] += 1
        elif line.strip(" \r"):
            bad += 1
    assert {h: n for h, (_, n, _) in table_of(counts).items()} == expected
    assert counts.summary()["bad"] <= bad + len(lines)
    assert counts.summary()["urls"] == expected.total()


def naive_site(line):
    """The host of one line, with the rules written down as Python."""
    scheme, slashes, rest = line.partition("://")
    if scheme in {"http", "https"} and slashes:
        start = f"{scheme}://{rest.partition('/')[0]}"
    else:
        start = re.match(r"\s*(?:[A-Za-z]+:[/\\]+)?[^/\\?#]{0,200}", line)[0]
    site = site_of(start.rstrip(" \r\n"))
    return site[1] if site else None


@given(
    st.sampled_from(["http", "https"]),
    st.from_regex(r"[a-z]{1,5}\.(com|cn)", fullmatch=True),
    st.integers(1, 70000),
)
def test_a_site_is_the_origin_of_the_canonical_url(scheme, host, port):
    site = site_of(f"{scheme}://{host}:{port}")
    url = canonicalize(f"{scheme}://{host}:{port}/")
    assert (site is None) == (url is None)
    if site is not None:
        assert f"{site[0]}://{site[1]}/" == url


def test_brackets_in_a_path_are_no_pattern(tmp_path):
    folder = tmp_path / "list[1]*"
    folder.mkdir()
    pq.write_table(pa.table({"url": URLS}), folder / "u.parquet")
    assert table_of(count_hosts([folder / "u.parquet"])) == EXPECTED


def test_a_column_that_holds_no_texts_holds_no_urls(tmp_path):
    pq.write_table(pa.table({"is_old": [True, False]}), tmp_path / "u.parquet")
    counts = count_hosts([tmp_path / "u.parquet"], column="is_old")
    assert (counts.summary()["urls"], counts.summary()["bad"]) == (0, 2)


@pytest.mark.full
@pytest.mark.parametrize("pack", [zstd.compress, gzip.compress])
def test_a_damaged_list_counts_what_came_before(tmp_path, pack):
    whole = pack(text([f"http://s{i}.cn/{hash(i * i)}" for i in range(400_000)]))
    middle = len(whole) // 2
    broken = whole[:middle] + bytes(byte ^ 0x5A for byte in whole[middle : middle + 64])
    path = written(tmp_path / "list", broken + whole[middle + 64 :])
    counts = count_hosts([path])
    assert 0 < counts.table.num_rows < 400_000
    assert "list: damaged or cut off" in counts.lists[0].damage


def test_a_corpus_with_a_damaged_table_is_named(tmp_path):
    from tests.corpus.corpora import add_pages

    add_pages(tmp_path / "corpus", range(6))
    part = next((tmp_path / "corpus").rglob("part-*.parquet"))
    part.write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="not a Parquet file"):
        count_hosts([tmp_path / "corpus"])


def test_what_does_not_fit_goes_to_the_folder_of_temporary_files(tmp_path, monkeypatch):
    """By itself DuckDB makes a folder where the command is run."""
    connect, seen = duckdb.connect, []
    monkeypatch.setattr(duckdb, "connect", lambda **how: seen.append(how) or connect(**how))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    count_hosts([written(tmp_path / "urls", text())])
    spill = Path(seen[0]["config"]["temp_directory"])
    assert spill.parent == tmp_path
    assert not spill.exists()


def test_damaged_columns_of_a_parquet_file_are_named(tmp_path):
    path = tmp_path / "u.parquet"
    pq.write_table(pa.table({"url": [f"http://s{i}.cn/{i * i}" for i in range(50_000)]}), path)
    data = bytearray(path.read_bytes())
    data[2000:60_000:7] = bytes(byte ^ 0x5A for byte in data[2000:60_000:7])
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"u\.parquet: cannot be read"):
        count_hosts([path])
