"""Well-formed inputs for each target, made here: from them a fuzzer finds its way."""

from __future__ import annotations

import gzip
import zlib

from quarkcrawl.store import TianwangRecord, encode_record
from quarkcrawl.store.warc.record import HTTP_RESPONSE, WarcEntry, encode_entry
from tests.fuzz.targets import template_text
from tests.store.samples import make_body

HTML = (
    '<!doctype html><meta charset=gbk><title>天网</title><body><table><tr><td>一<a href="/a?b=1#c">二'
    "</a></table><ul><li>三<li>&amp;四</ul><script>x<1</script><svg><title>五</title></svg>"
    "<b><p>六</b>七</p><template><i></template><iframe>八</iframe><textarea>\n九</textarea>"
)
REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n%s"
URLS = [
    "HTTP://User:p@WWW.例子.cn:80/a/../b;jsessionid=1?q=中&utm_source=x#f", "//0x7f.1/%zz", "?a",
    "http://[::ffff:127.0.0.1]/", "http://3232235777/", "\\\\a.cn\\b", "http://a。cn/", "x:y",
]  # fmt: skip


def _warc() -> list[bytes]:
    facts = ("X-Quarkcrawl", '{"row":"page","level":1,"marks":["x"],"extra":[["a","b"]]}')
    fields = [("WARC-Date", "2004-02-14T08:00:00.5Z"), ("WARC-IP-Address", "1.2.3.4")]
    entries = [
        WarcEntry("response", "urn:uuid:1", 0, _reply(), HTTP_RESPONSE, "http://a.cn/", fields),
        WarcEntry("response", "urn:uuid:2", 0, _reply(), HTTP_RESPONSE, "http://a.cn/", [facts]),
        WarcEntry("resource", "urn:uuid:3", 0, b"<p>x", "text/html", "http://b.cn/"),
        WarcEntry("revisit", "urn:uuid:4", 0, b"", HTTP_RESPONSE, "http://b.cn/2",
                  [("WARC-Refers-To-Target-URI", "http://b.cn/")]),
    ]  # fmt: skip
    members = [encode_entry(entry) for entry in entries]
    plain = [gzip.decompress(member) for member in members]
    return [b"\0" + m for m in members] + [bytes([n]) + p for n in (0, 1, 2) for p in plain]


def _reply(extra: bytes = b"", body: bytes = b"<p>hello") -> bytes:
    return REPLY % (extra, body)


def _replies() -> list[bytes]:
    body = HTML.encode("gb18030")
    return [
        _reply(),
        _reply(b"Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\n0\r\n\r\n"),
        _reply(b"Content-Encoding: gzip\r\n", gzip.compress(body, mtime=0)),
        _reply(b"Content-Encoding: deflate\r\n", zlib.compress(body)),
        _reply(b"Content-Encoding: br, zstd\r\n", b"\x0b\x02\x80hello\x03"),
        b"HTTP/1.0 200\n\nbody",
    ]


def _templates() -> list[bytes]:
    edits = [b"\0", b"\0\x05\x06", b"\0\x09\x02\x11\x20"]
    return [template_text().encode(), b'{"format": 1}', b"[]", *edits]


def seeds(target: str) -> list[bytes]:
    """Inputs for a target."""
    if target in {"charset", "spans"}:
        pages = [HTML.encode(name) for name in ("utf-8", "gb18030", "big5", "utf-16")]
        return [bytes([n]) + p for n, p in enumerate([*pages, b"~{VPND~} text", b"\xef\xbb\xbfx"])]
    return {
        "tree": lambda: [HTML.encode(), make_body(1, n_words=5), b"<table><b><tr>x<td></b>y"],
        "urls": lambda: [bytes([n]) + url.encode() for n, url in enumerate(URLS)],
        "tianwang": lambda: [
            bytes([n]) + encode_record(TianwangRecord(f"http://a.cn/{n}", n, "1.2.3.4", _reply(),
                                                      extra=(("a", "b"),)), compress=bool(n))
            for n in (0, 1, 2)
        ],
        "warc": _warc,
        "replies": _replies,
        "templates": _templates,
        "runfiles": lambda: [b"\0CWT0001 12 30\r\nCWT0002 0 1 // remark\n", b"\2CWT0001\nCWT0002\n"],
    }[target]()  # fmt: skip
