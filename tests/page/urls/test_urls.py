"""Canonical URLs: a table of rules, properties, and hosts."""

from __future__ import annotations

import ipaddress
import random
import re
import string
import time
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarkcrawl.page import canonicalize, host_key
from quarkcrawl.page.urls.canonical import LinkResolver, split_host
from quarkcrawl.page.urls.hosts import canonical_host
from tests.cost import allowed_cpu_s

BASE = "http://www.example.cn/news/2008/index.html?page=2"

RULES = [
    # origin
    ("HTTP://WWW.Example.CN", "http://www.example.cn/"),
    ("http://example.cn:80/", "http://example.cn/"),
    ("https://example.cn:443/", "https://example.cn/"),
    ("https://example.cn:80/", "https://example.cn:80/"),
    ("http://example.cn:/", "http://example.cn/"),
    ("http://example.cn:008080/", "http://example.cn:8080/"),
    ("http://example.cn:65536/", None),
    ("http://example.cn:8x/", None),
    ("http://user:p@ss@example.cn/", "http://example.cn/"),
    ("http://example.cn./", "http://example.cn/"),
    ("http://example.cn../", None),
    ("http://a_b.example.cn/", "http://a_b.example.cn/"),
    ("http://-a.cn/", "http://-a.cn/"),
    ("http:///example.cn//x", "http://example.cn//x"),
    ("http:\\\\example.cn\\a\\b?c\\d", "http://example.cn/a/b?c\\d"),
    ("ht\ntp://exam\tple.cn/a\r\nb", "http://example.cn/ab"),
    ("  http://example.cn/ \x00", "http://example.cn/"),
    ("http://", None),
    ("http:///", None),
    ("http://a b/", None),
    ("http://a<b/", None),
    ("http://" + "a" * 64 + ".cn/", None),
    ("http://" + "a." * 130 + "cn/", None),
    ("mailto:a@b.cn", None),
    ("javascript:void(0)", None),
    ("data:text/html,x", None),
    ("ftp://example.cn/", None),
    ("file:///etc/passwd", None),
    # IDNA
    ("http://中国.cn/", "http://xn--fiqs8s.cn/"),
    ("http://中国。ＣＮ/", "http://xn--fiqs8s.cn/"),
    ("http://%E4%B8%AD%E5%9B%BD.cn/", "http://xn--fiqs8s.cn/"),
    ("http://XN--FIQS8S.cn/", "http://xn--fiqs8s.cn/"),
    ("http://faß.de/", "http://xn--fa-hia.de/"),
    ("http://☃.net/", "http://xn--n3h.net/"),
    ("http://xn--/", None),
    ("http://xn--é.cn/", None),
    ("http://a%2Fb.cn/", None),
    ("http://\ud800.cn/", None),
    # addresses
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://0x7f000001/", "http://127.0.0.1/"),
    ("http://0x7F.1/", "http://127.0.0.1/"),
    ("http://017700000001/", "http://127.0.0.1/"),
    ("http://127.1/", "http://127.0.0.1/"),
    ("http://192.0x00A80001/", "http://192.168.0.1/"),
    ("http://１２７.0.0.1/", "http://127.0.0.1/"),
    ("http://127.0.0.1./", "http://127.0.0.1/"),
    ("http://256.1.1.1/", None),
    ("http://1.2.3.4.5/", None),
    ("http://09.1/", None),
    ("http://4294967296/", None),
    ("http://a.0x/", None),
    ("http://[::1]:80/", "http://[::1]/"),
    ("http://[0:0::1]:81/", "http://[::1]:81/"),
    ("http://[::1/", None),
    ("http://[fe80::1%25eth0]/", None),
    # path
    ("http://a.cn/b/../c/./d", "http://a.cn/c/d"),
    ("http://a.cn/../../x", "http://a.cn/x"),
    ("http://a.cn/b/%2e%2E/c", "http://a.cn/c"),
    ("http://a.cn/b/..", "http://a.cn/"),
    ("http://a.cn/b/.", "http://a.cn/b/"),
    ("http://a.cn//b///c", "http://a.cn//b///c"),
    ("http://a.cn/...", "http://a.cn/..."),
    ("http://a.cn/%7Eann/%41%2d", "http://a.cn/~ann/A-"),
    ("http://a.cn/%e4%b8%ad%2f", "http://a.cn/%E4%B8%AD%2F"),
    ("http://a.cn/中 文", "http://a.cn/%E4%B8%AD%20%E6%96%87"),
    ("http://a.cn/%u4E2D%", "http://a.cn/%u4E2D%"),
    ("http://a.cn/%%34%31", "http://a.cn/%%341"),
    ("http://a.cn/\ud800", "http://a.cn/%EF%BF%BD"),
    ('http://a.cn/"<>^`{}', "http://a.cn/%22%3C%3E%5E%60%7B%7D"),
    ("http://a.cn/x#frag", "http://a.cn/x"),
    ("http://a.cn/x;jsessionid=0A1B?y=1", "http://a.cn/x?y=1"),
    ("http://a.cn/x;v=1", "http://a.cn/x;v=1"),
    ("http://a.cn/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "http://a.cn/x.aspx"),
    ("http://a.cn/wiki/A_(S)", "http://a.cn/wiki/A_(S)"),
    # query
    ("http://a.cn/?", "http://a.cn/"),
    ("http://a.cn?b", "http://a.cn/?b"),
    ("http://a.cn/?b=2&a=1&&a=1", "http://a.cn/?b=2&a=1&&a=1"),
    ("http://a.cn/?q=%7e%e4+x y'", "http://a.cn/?q=~%E4+x%20y%27"),
    ("http://a.cn/?a=1?b=/../c", "http://a.cn/?a=1?b=/../c"),
    ("http://a.cn/?PHPSESSID=abc&x=1", "http://a.cn/?x=1"),
    ("http://a.cn/?sid=0123456789abcdef&x=1", "http://a.cn/?x=1"),
    ("http://a.cn/?sid=12436&s=news", "http://a.cn/?sid=12436&s=news"),
    ("http://a.cn/?id=3&utm_source=x&UTM_Medium=y", "http://a.cn/?id=3"),
    ("http://a.cn/?gclid=x&fbclid=y", "http://a.cn/"),
    ("http://a.cn/?spm=a1z10.1.0.0", "http://a.cn/"),
    ("http://a.cn/?spm=hello", "http://a.cn/?spm=hello"),
    ("http://a.cn/?from=timeline&isappinstalled=0", "http://a.cn/"),
    ("http://a.cn/?from=464&isappinstalled=x", "http://a.cn/?from=464&isappinstalled=x"),
    # relative
    ("", "http://www.example.cn/news/2008/index.html?page=2"),
    ("#top", "http://www.example.cn/news/2008/index.html?page=2"),
    ("?page=3", "http://www.example.cn/news/2008/index.html?page=3"),
    ("?", "http://www.example.cn/news/2008/index.html"),
    ("a.html", "http://www.example.cn/news/2008/a.html"),
    ("./a.html", "http://www.example.cn/news/2008/a.html"),
    ("../a.html", "http://www.example.cn/news/a.html"),
    ("../../../../a.html", "http://www.example.cn/a.html"),
    ("/a.html", "http://www.example.cn/a.html"),
    ("//b.cn/c", "http://b.cn/c"),
    ("\\\\b.cn\\c", "http://b.cn/c"),
    ("http:a.html", "http://www.example.cn/news/2008/a.html"),
    ("https:b.cn/a.html", "https://b.cn/a.html"),
    ("a:b", None),
    ("./a:b", "http://www.example.cn/news/2008/a:b"),
    ("/a:b", "http://www.example.cn/a:b"),
    ("1a:b", "http://www.example.cn/news/2008/1a:b"),
]


@pytest.mark.parametrize(("url", "expected"), RULES)
def test_rules(url: str, expected: str | None) -> None:
    assert canonicalize(url, BASE) == expected


def test_relative_needs_a_base() -> None:
    assert canonicalize("a.html") is None
    assert canonicalize("a.html", "mailto:x") is None
    assert canonicalize("a.html", "") is None


@pytest.mark.parametrize(
    ("encoding", "query"),
    [
        ("gb18030", "%D6%D0"),
        ("big5", "%A4%A4"),
        ("utf-8", "%E4%B8%AD"),
        ("utf-16-le", "%E4%B8%AD"),
        ("hz", "%E4%B8%AD"),
        ("windows-1252", "%26%2320013%3B"),
        ("no-such-codec", "%E4%B8%AD"),
    ],
)
def test_query_is_sent_in_the_encoding_of_the_page(encoding: str, query: str) -> None:
    expected = f"http://a.cn/%E4%B8%AD?q={query}"
    assert canonicalize("http://a.cn/中?q=中", encoding=encoding) == expected


PIECES = [
    *["http://", "https://", "HTTP:", "//", "/", "\\", ".", "..", "%2e", "a", "B.cn", "www.x.cn"],
    *["中国", "。", "?", "#", "&", "=", "%41", "%4", "%", "%zz", "%e4", " ", "\t", "@", ":", ":80"],
    *["[::1]", "[", "1.2.3", "0x7f", "017", "xn--fiqs8s", "xn--", "|", "^", "'", "<", "\ud800"],
    *[
        "é",
        "😀",
        "\0",
        ";jsessionid=1",
        "(S(",
        "))",
        "&utm_id=1",
        "sid=",
        "0123456789abcdef",
        "\xad",
    ],
]
urls = st.lists(st.sampled_from(PIECES), max_size=9).map("".join) | st.text(max_size=30)


@given(urls, st.none() | urls, st.sampled_from(["utf-8", "gb18030", "big5", "latin-1"]))
@example("http://a.cn/(S(0123456789abcdef))/(S(0123456789abcdef))/", None, "utf-8")
@example("http://a.cn/(S(0123456789abcdef));jsessionid=1/(S(0123456789abcdef))/x", None, "utf-8")
def test_never_raises_and_is_idempotent(url: str, base: str | None, encoding: str) -> None:
    canonical = canonicalize(url, base, encoding=encoding)
    if canonical is None:
        return
    assert canonical.isascii()
    assert canonicalize(canonical) == canonical
    assert canonicalize(canonical, base, encoding=encoding) == canonical
    assert re.match(r"https?://[^/?#@]+/[^#\s]*$", canonical)
    assert host_key(canonical) == urlsplit(canonical).netloc != ""


SAFE = string.ascii_letters + string.digits + "-_~"
segments = st.lists(
    st.text(SAFE, min_size=1, max_size=5) | st.sampled_from([".", ".."]), max_size=6
)


@given(st.lists(st.text(SAFE, min_size=1, max_size=5), max_size=5), segments, st.booleans())
def test_joining_agrees_with_rfc_3986(base: list[str], link: list[str], absolute: bool) -> None:
    """Against the standard library, on paths where browsers and RFC 3986 agree."""
    base_url = "http://a.cn/" + "/".join(base)
    target = ("/" if absolute else "") + "/".join(link)
    if not target:
        return
    assert canonicalize(target, base_url) == urljoin(base_url, target)


@given(st.integers(0, 2**32 - 1))
def test_all_spellings_of_an_address(value: int) -> None:
    dotted = str(ipaddress.IPv4Address(value))
    a, b, c, d = (value >> 24, value >> 16 & 255, value >> 8 & 255, value & 255)
    spellings = [
        str(value), hex(value), f"0{value:o}", f"{a}.{value & 0xFFFFFF}",
        f"{a}.{b:#x}.{value & 0xFFFF}", f"0{a:o}.{b}.{c}.{d}",
    ]  # fmt: skip
    assert {canonicalize(f"http://{s}/") for s in spellings} == {f"http://{dotted}/"}


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_fast_path_gives_what_the_long_way_gives(url: str) -> None:
    resolver = LinkResolver(BASE)
    parts = resolver._parse(url)
    assert resolver.resolve(url) == (None if parts is None else str(parts))


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://A.cn:80/x", "a.cn"),
        ("https://a.cn:8443", "a.cn:8443"),
        ("http://u@[::1]:81/", "[::1]:81"),
        ("/relative", ""),
        ("mailto:x@y.cn", ""),
    ],
)
def test_host_key(url: str, key: str) -> None:
    assert host_key(url) == key


def test_split_host() -> None:
    assert split_host("a.cn") == ("a.cn", None)
    assert split_host("a.cn:81") == ("a.cn", 81)
    assert split_host("[::1]") == ("[::1]", None)
    assert split_host("[::1]:81") == ("[::1]", 81)


@pytest.mark.usefixtures("without_gc")
def test_hostile_lengths_stay_linear() -> None:
    n = 200_000
    started = time.process_time()
    for url in ("http://a.cn/" + "../" * n, "http://a.cn/" + "%%34" * n, "http://" + "a." * n):
        canonicalize(url)
    for url in ("http://a.cn/?" + "&" * n, "http://a.cn/" + "(S(" * n, "http://0" + "7" * n + "/"):
        canonicalize(url)
    canonicalize("http://a.cn:" + "9" * n + "/")
    canonicalize("http://" + "9" * 5000 + "/")
    assert time.process_time() - started < allowed_cpu_s(1.5)


@pytest.mark.usefixtures("without_gc")
def test_hosts_that_are_too_long_are_refused_at_once() -> None:
    """Punycode takes the square of a label's length: .3 s for a thousand characters."""
    dice = random.Random(1)
    hosts = ["".join(chr(dice.randrange(0x4E00, 0x9FA5)) for _ in range(1_000)) for _ in range(9)]
    started = time.process_time()
    assert [canonicalize(f"http://{host}.cn/") for host in hosts] == [None] * 9
    assert time.process_time() - started < allowed_cpu_s(0.1)


@pytest.mark.parametrize(("n_chars", "is_host"), [(63, True), (64, False), (100_000, False)])
def test_the_longest_label(n_chars: int, is_host: bool) -> None:
    assert (canonical_host(f"{'a' * n_chars}.cn") is not None) == is_host
    assert canonical_host("天" * n_chars) is None
    assert canonical_host("%E5%A4%A9" * 30 + ".cn") is not None
