"""A made-up archive in Common Crawl's layout: lists of paths, WARC files, a columnar index, damage.

    crawl-data/CC-MAIN-2026-48/warc.paths.gz, cc-index-table.paths.gz
    crawl-data/CC-MAIN-2026-48/segments/1794000000000.00/warc/CC-MAIN-…-00000.warc.gz
    cc-index/table/cc-main/warc/crawl=CC-MAIN-2026-48/subset=warc/part-00000.gz.parquet

Its WARC records are put together here, not by the code that is tested. Each page is one request,
one response and one metadata record, a gzip member each, as in the real files.

    python -m tests.corpus.archive.commoncrawl /tmp/cc --files 50 --pages 4000
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import random
import uuid
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

CRAWL = "CC-MAIN-2026-48"
SEGMENT = "1794000000000.00"
KINDS = ("bad gzip", "cut short", "wrong length", "garbage header")
"""The damages, in turn. Of the last file of an archive the end is missing besides, if it has any."""
_SYLLABLES = [
    a + b for a in "天北大网新搜引中收论图国民经济文化" for b in "网京学络闻索擎文藏坛片报道发展"
]
_LANGUAGES = ("zho", "zho", "zho", "zho,eng", "eng", "jpn,zho", "deu", None)
_MIMES = ("text/html",) * 17 + ("application/xhtml+xml", "text/plain", "application/pdf")
_SCHEMA = pa.schema([
    ("url_surtkey", pa.string()), ("url", pa.string()), ("url_host_name", pa.string()),
    ("url_host_registered_domain", pa.string()), ("url_protocol", pa.string()),
    ("url_path", pa.string()), ("fetch_time", pa.timestamp("ms")), ("fetch_status", pa.int16()),
    ("content_digest", pa.string()), ("content_mime_type", pa.string()),
    ("content_mime_detected", pa.string()), ("content_charset", pa.string()),
    ("content_languages", pa.string()), ("warc_filename", pa.string()),
    ("warc_record_offset", pa.int32()), ("warc_record_length", pa.int32()),
    ("warc_segment", pa.string()),
])  # fmt: skip


@dataclass
class MadeArchive:
    """Where an archive is, and the truth about it."""

    root: Path
    rows: list[dict] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    """Kind of damage by URL."""
    n_paragraphs: int = 2

    @property
    def paths(self) -> Path:
        return self.root / "crawl-data" / CRAWL / "warc.paths.gz"

    @property
    def index(self) -> Path:
        return self.root / "cc-index" / "table" / "cc-main" / "warc" / f"crawl={CRAWL}"

    @property
    def warcs(self) -> list[Path]:
        return sorted(self.root.glob("crawl-data/*/segments/*/warc/*.warc.gz"))


def make_archive(
    root: Path,
    *,
    n_files: int = 5,
    n_pages: int = 100,
    damaged_every: int = 0,
    n_hosts: int = 40,
    n_paragraphs: int = 4,
) -> MadeArchive:
    """Make it; ``n_pages`` in each file, one of ``damaged_every`` damaged."""
    made = MadeArchive(root, n_paragraphs=n_paragraphs)
    folder = root / "crawl-data" / CRAWL / "segments" / SEGMENT / "warc"
    folder.mkdir(parents=True)
    names = []
    for number in range(n_files):
        path = folder / f"CC-MAIN-20261101000000-20261101030000-{number:05}.warc.gz"
        names.append(str(path.relative_to(root)))
        _write_file(made, path, number, n_pages, damaged_every, n_hosts)
        if damaged_every and number == n_files - 1:
            _cut_end(made, path)
    _write_lists(made, names)
    return made


def known_archive(root: Path, damaged_every: int) -> MadeArchive:
    """An archive that was made before, and the truth about it again."""
    made = MadeArchive(root)
    for path in sorted(made.index.rglob("*.parquet")):
        made.rows += pq.read_table(path, partitioning=None).to_pylist()
    made.rows.sort(key=lambda row: _number(row["url"]))
    for row in made.rows if damaged_every else ():
        if kind := _kind_of(_number(row["url"]), damaged_every):
            made.damaged[row["url"]] = kind
    if damaged_every:
        made.damaged[made.rows[-1]["url"]] = "end of file"
    return made


def _number(url: str) -> int:
    return int(url.rpartition("/p")[2].removesuffix(".html"))


def _kind_of(number: int, every: int) -> str | None:
    """How a page is damaged."""
    return KINDS[number // every % len(KINDS)] if every and number % every == every // 2 else None


def _write_file(made, path: Path, number: int, n_pages: int, every: int, n_hosts: int) -> None:
    at = 0
    info = f"warcinfo-{number}"
    with path.open("wb") as file:
        fields = [("Content-Type", "application/warc-fields"), ("WARC-Filename", path.name)]
        at += file.write(
            _member(_record("warcinfo", info, "", fields, b"isPartOf: " + CRAWL.encode()))
        )
        for page in range(number * n_pages, (number + 1) * n_pages):
            # The very last page is not among these: the end of the file is damage of its own.
            kind = _kind_of(page, every)
            row, request, response, metadata = make_page(page, n_hosts, made.n_paragraphs)
            at += file.write(_member(request))
            member = _damaged(response, kind, page)
            row |= {
                "warc_filename": str(path.relative_to(made.root)), "warc_record_offset": at,
                "warc_record_length": len(member), "warc_segment": SEGMENT,
            }  # fmt: skip
            made.rows.append(row)
            if kind:
                made.damaged[row["url"]] = kind
            at += file.write(member)
            at += file.write(_member(metadata))


def _cut_end(made: MadeArchive, path: Path) -> None:
    """The file ends within its last page."""
    row = made.rows[-1]
    assert row["url"] not in made.damaged
    made.damaged[row["url"]] = "end of file"
    with path.open("r+b") as file:
        file.truncate(row["warc_record_offset"] + row["warc_record_length"] // 2)


def make_page(number: int, n_hosts: int, n_paragraphs: int) -> tuple[dict, bytes, bytes, bytes]:
    """The index row of a page without its place, and its three records."""
    rng = random.Random(number)
    domain = f"site{rng.randrange(n_hosts) // 2}.cn"
    host = f"{rng.choice(('www', 'news'))}.{domain}"
    path = f"/{number % 7}/p{number}.html"
    url = f"http://{host}{path}"
    mime = _MIMES[rng.randrange(len(_MIMES))]
    status = 404 if rng.randrange(50) == 0 else 200
    body = make_text(number, rng) if mime == "text/plain" else make_html(number, rng, n_paragraphs)
    if mime == "application/pdf":
        body = b"%PDF-1.4\n" + body
    headers = (
        f"HTTP/1.1 {status} {'OK' if status == 200 else 'Not Found'}\r\nServer: nginx\r\n"
        f"Content-Type: {mime}; charset=utf-8\r\nX-Crawler-Content-Encoding: gzip\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    asked = f"GET {path} HTTP/1.1\r\nUser-Agent: CCBot/2.0\r\nHost: {host}\r\n\r\n".encode()
    digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
    response = [
        ("WARC-IP-Address", "127.0.0.1"), ("WARC-Payload-Digest", f"sha1:{digest}"),
        ("Content-Type", "application/http; msgtype=response"),
        ("WARC-Identified-Payload-Type", mime),
    ]  # fmt: skip
    records = (
        _record(
            "request",
            f"q{number}",
            url,
            [("Content-Type", "application/http; msgtype=request")],
            asked,
        ),
        _record("response", f"r{number}", url, response, headers.encode() + body),
        _record(
            "metadata",
            f"m{number}",
            url,
            [("Content-Type", "application/warc-fields")],
            b"fetchTimeMs: 17\r\n",
        ),
    )
    row = {
        "url_surtkey": ",".join(reversed(host.split("."))) + ")" + path, "url": url,
        "url_host_name": host, "url_host_registered_domain": domain, "url_protocol": "http",
        "url_path": path, "fetch_time": 1_793_491_200_000 + number * 1000, "fetch_status": status,
        "content_digest": digest, "content_mime_type": mime, "content_mime_detected": mime,
        "content_charset": "UTF-8", "content_languages": rng.choice(_LANGUAGES),
    }  # fmt: skip
    return row, *records


def _sentence(rng: random.Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.randrange(12, 40))) + "。"


_POOL_RNG = random.Random(0)
_SENTENCES = [_sentence(_POOL_RNG) for _ in range(2000)]


def make_text(number: int, rng: random.Random) -> bytes:
    """A plain text of its own."""
    return f"第{number}篇\n\n{''.join(rng.choices(_SENTENCES, k=12))}\n".encode()


def make_html(number: int, rng: random.Random, n_paragraphs: int) -> bytes:
    """A page with a navigation, an article of its own, and a footer; 8 paragraphs: about 8 KB."""
    menu = "".join(f'<li><a href="/c{n}/">{_SENTENCES[n][:4]}</a></li>' for n in range(40))
    paragraphs = "".join(
        f"<p>{''.join(rng.choices(_SENTENCES, k=rng.randrange(2, 5)))}</p>"
        for _ in range(n_paragraphs)
    )
    related = "".join(
        f'<li><a href="/{n % 7}/p{n}.html">{rng.choice(_SENTENCES)[:18]}</a></li>'
        for n in rng.sample(range(10_000_000), 12)
    )
    title = f"{rng.choice(_SENTENCES)[:16]}（{number}）"
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title></head><body>"
        f"<div class=nav><ul>{menu}</ul></div><div class=main><h1>{title}</h1>"
        f"<div class=article>{paragraphs}</div><div class=related><ul>{related}</ul></div></div>"
        "<div class=footer>版权所有 京ICP备00000000号 联系我们</div></body></html>"
    ).encode()


def _record(kind: str, name: str, url: str, fields: list[tuple[str, str]], block: bytes) -> bytes:
    digest = base64.b32encode(hashlib.sha1(block).digest()).decode()
    lines = [
        "WARC/1.0", f"WARC-Type: {kind}", "WARC-Date: 2026-11-01T00:00:00Z",
        f"WARC-Record-ID: <{uuid.uuid5(uuid.NAMESPACE_URL, name).urn}>",
        f"Content-Length: {len(block)}",
    ]  # fmt: skip
    lines += [f"{key}: {value}" for key, value in fields]
    if url:
        lines.append(f"WARC-Target-URI: {url}")
    lines.append(f"WARC-Block-Digest: sha1:{digest}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def _member(record: bytes) -> bytes:
    stream = zlib.compressobj(4, zlib.DEFLATED, 31)
    return stream.compress(record) + stream.flush()


def _damaged(record: bytes, kind: str | None, seed: int) -> bytes:
    """The gzip member of a record, damaged in one of the ways."""
    rng = random.Random(f"damage {seed}")
    if kind == "wrong length":
        before, mark, rest = record.partition(b"Content-Length: ")
        length, end, rest = rest.partition(b"\r\n")
        record = (
            before + mark + str(int(length) + rng.choice((-7, 7, 100_000))).encode() + end + rest
        )
    elif kind == "garbage header":
        record = rng.randbytes(300) + record[300:]
    member = _member(record)
    if kind == "bad gzip":
        middle = len(member) // 2
        member = (
            member[:middle]
            + bytes(byte ^ 0x5A for byte in member[middle : middle + 20])
            + member[middle + 20 :]
        )
    elif kind == "cut short":
        member = member[: len(member) // 3]
    return member


def _write_lists(made: MadeArchive, names: list[str]) -> None:
    made.paths.write_bytes(gzip.compress("".join(f"{name}\n" for name in names).encode()))
    rows = sorted(made.rows, key=lambda row: row["url_surtkey"])
    folder = made.index / "subset=warc"
    folder.mkdir(parents=True)
    half = (len(rows) + 1) // 2
    tables = []
    for number, part in enumerate((rows[:half], rows[half:])):
        path = folder / f"part-{number:05}.gz.parquet"
        pq.write_table(
            pa.Table.from_pylist(part, _SCHEMA), path, compression="gzip", row_group_size=20_000
        )
        tables.append(str(path.relative_to(made.root)))
    lists = made.paths.with_name("cc-index-table.paths.gz")
    lists.write_bytes(gzip.compress("".join(f"{name}\n" for name in tables).encode()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--paragraphs", type=int, default=8)
    parser.add_argument("--damaged-every", type=int, default=1000)
    options = parser.parse_args()
    archive = make_archive(
        options.root, n_files=options.files, n_pages=options.pages,
        damaged_every=options.damaged_every, n_hosts=4000,
        n_paragraphs=options.paragraphs,
    )  # fmt: skip
    print(len(archive.rows), "pages,", len(archive.damaged), "damaged")
