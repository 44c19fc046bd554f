"""Lists that are made to do harm, and lists of any bytes."""

import gzip
import socket
import time
import tracemalloc
import zlib
from itertools import pairwise
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.page import canonicalize
from quarkcrawl.page.lists import ListBounds, parse_list
from tests.cost import allowed_cpu_s

from .documents import BROKEN, GOLDEN, SITE

DOCUMENTS = [text for text, _ in GOLDEN.values()] + list(BROKEN.values())
PIECES = ["<urlset>", "<url>", "</url>", "<loc>", "</loc>", "http://www.a.cn/1", "<![CDATA[", "]]>", "&", "&#x;",
          "<!--", "-->", "<?x", "?>", "<item>", "<link href='http://www.a.cn/2'/>", "<entry>", "<feed>", "<rss>",
          "<!DOCTYPE a [", "]>", "<!ENTITY e 'x'>", "&e;", "<", ">", "天", "\0", "</_>", "<_>", " xml:base='/'"]  # fmt: skip


@given(st.binary(max_size=300), st.sampled_from(["", "<urlset>", "{", "http://", "\x1f\x8b\x08"]))
def test_any_bytes_are_read(noise, head):
    parse_list(head.encode("latin-1") + noise, SITE)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_order_of_tags_is_read(pieces):
    for one in parse_list("".join(pieces).encode(), SITE):
        assert one.url == canonicalize(one.url)


@given(st.sampled_from(DOCUMENTS), st.floats(0, 1))
def test_a_document_that_breaks_off_has_the_first_entries(text, share):
    """Or, of a text sitemap, a last one that broke off too."""
    whole = parse_list(text.encode(), SITE)
    part = parse_list(text[: int(len(text) * share)].encode(), SITE)
    known = part.url[:-1] if part.kind == "text" else part.url
    assert known == whole.url[: len(known)]


@given(st.sampled_from(DOCUMENTS), st.data())
def test_a_damaged_byte_raises_nothing(text, data):
    body = bytearray(text.encode())
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] = data.draw(st.integers(0, 255))
    parse_list(bytes(body), SITE)
    parse_list(gzip.compress(bytes(body), mtime=0)[:at], SITE)


_SEGMENTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


@given(st.lists(_SEGMENTS, max_size=30))
def test_urls_that_are_written_are_read(paths):
    urls = [f"http://www.a.cn/x/{path}" for path in paths]
    expected = list(dict.fromkeys(canonicalize(url.strip()) for url in urls))
    written = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in urls)
    assert parse_list(f"<urlset>{written}</urlset>".encode(), SITE).url == expected


def test_no_entity_is_expanded():
    names = [f"e{n}" for n in range(30)]
    subset = "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names))
    text = (
        f'<!DOCTYPE urlset [<!ENTITY e0 "http://www.a.cn/">{subset}]><urlset>'
        "<url><loc>http://www.a.cn/1</loc></url><url><loc>&e29;</loc></url>"
        "<url><loc>http://www.a.cn/&e0;</loc></url></urlset>"
    )
    assert parse_list(text.encode(), SITE).url == ["http://www.a.cn/1", "http://www.a.cn/&e0;"]


def test_nothing_is_opened_and_nobody_is_asked(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("http://www.a.cn/secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        here = f"http://127.0.0.1:{listener.getsockname()[1]}"
        text = (
            f'<!DOCTYPE urlset PUBLIC "x" "{here}/x.dtd" [<!ENTITY f SYSTEM "{secret.as_uri()}">'
            f'<!ENTITY % p SYSTEM "{here}/p">%p;<!ENTITY g SYSTEM "{here}/g">]>'
            f'<?xml-stylesheet href="{here}/style"?>'
            '<urlset xmlns:xi="http://www.w3.org/2001/XInclude">'
            f'<url><loc>&f;</loc></url><url><loc>&g;</loc></url><xi:include href="{here}/i"/>'
            "<url><loc>http://www.a.cn/1</loc></url></urlset>"
        )
        assert parse_list(text.encode(), SITE).url == ["http://www.a.cn/1"]
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.parametrize("layers", [1, 2])
def test_a_bomb_costs_what_the_bound_allows(layers):
    packer = zlib.compressobj(9, wbits=31)
    head = b"<urlset><url><loc>http://www.a.cn/1</loc></url>"
    body = packer.compress(head) + b"".join(packer.compress(b" " * (1 << 20)) for _ in range(200))
    body += packer.flush()
    body = gzip.compress(body, mtime=0) if layers == 2 else body
    tracemalloc.start()
    found = parse_list(body, SITE, bounds=ListBounds(max_bytes=1 << 20))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found.url, found.is_cut, found.is_whole) == (["http://www.a.cn/1"], True, False)
    assert peak_bytes < 24 << 20


def test_as_many_entries_as_the_bound_allows():
    written = "".join(f"<url><loc>http://www.a.cn/{n}</loc></url>" for n in range(1000))
    found = parse_list(
        f"<urlset>{written}</urlset>".encode(), SITE, bounds=ListBounds(max_entries=10)
    )
    assert len(found) == 10
    assert found.is_cut
    lines = "\n".join(f"http://www.a.cn/{n}" for n in range(1000))
    assert len(parse_list(lines.encode(), SITE, bounds=ListBounds(max_entries=10))) == 10
    long = f"<urlset><url><loc>http://www.a.cn/{'x' * 3000}</loc></url></urlset>"
    found = parse_list(long.encode(), SITE)
    assert (len(found), found.n_refused) == (0, 1)


_MANY = 200_000
SLOW = {
    "deep": "<urlset>" + "<url>" * _MANY,
    "unclosed CDATA": "<urlset>" + "<![CDATA[" * _MANY,
    "unclosed comments": "<urlset>" + "<!--" * _MANY,
    "references": "<urlset><url><loc>" + "&amp" * _MANY,
    "open signs": "<urlset>" + "< " * _MANY,
    "document types": "<!DOCTYPE [" * _MANY,
    "instructions": "<?xml " * _MANY,
    "attributes": "<urlset " + "a='1' " * _MANY + ">",
    "bases": "<feed>" + "".join(f"<entry xml:base='/{n}/'><link href='1'/></entry>" for n in range(20_000)),
    "one long value": "<urlset><url><loc>http://www.a.cn/" + "x" * _MANY * 5,
    "one long line": "http://" + "x" * _MANY * 5,
    "lines": "http://a.cn\n" + "\n" * _MANY * 5,
    "brackets": '{"items":' + "[" * _MANY,
    "end tags": "<urlset>" + "</url>" * _MANY,
}  # fmt: skip


@pytest.mark.parametrize("what", SLOW)
def test_nothing_takes_long(what):
    body = SLOW[what].encode()
    allowed = allowed_cpu_s(2.0)
    started = time.process_time()
    parse_list(body, SITE)
    assert time.process_time() - started < allowed
