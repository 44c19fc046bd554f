"""Webs without end, links that are no links, and pages that parsers dislike."""

from __future__ import annotations

import random

from .behavior import Conn, behavior

M, L, D = "maze", "links", "document"
MAX_HOST_PAGES, PATTERN_PAGES = 25, 12
REQUESTS = MAX_HOST_PAGES + 12


def maze(says: str, *reasons: str, home: str = "stored", **more):
    """Any number of URLs; which end how depends on order: all reasons occur, and no others."""
    return behavior(M, says, home, also={"*": frozenset(reasons)}, most_requests=REQUESTS, **more)


@maze("a calendar: each day links to twenty later ones", "stored", "trap_pattern")
def calendar(c: Conn):
    day = int(c.path.rpartition("/")[2] or 0)
    return c.reply(c.page(*(f"/cal/2006/05/{day + n}" for n in range(1, 21))))


@maze("dates in the query", "stored", "trap_pattern")
def calendar_query(c: Conn):
    day = int(c.path.rpartition("=")[2] if "=" in c.path else 0)
    return c.reply(c.page(*(f"/cal?y=2006&day={day + n}" for n in range(1, 21))))


@maze("a fresh session id of letters in each link's path", "stored", "host_budget")
def session_path(c: Conn):
    rng = random.Random(c.path + str(c.visit))
    words = ["".join(rng.choices("ghijklmnop", k=12)) for _ in range(20)]
    return c.reply(c.page(*(f"/;sid={w}/list" for w in words)))


@maze("a fresh session id in each link's query", "stored")
def session_query(c: Conn):
    rng = random.Random(c.path + str(c.visit))
    return c.reply(c.page(*(f"/list?PHPSESSID={rng.getrandbits(128):032x}" for _ in range(20))))


@maze("links differ on each visit", "stored", "host_budget")
def links_differ(c: Conn):
    rng = random.Random()
    words = ["".join(rng.choices("abcdefghij", k=9)) for _ in range(30)]
    return c.reply(c.page(*(f"/{w}" for w in words)))


@maze("the same page below ever longer paths", "duplicate")
def mirror(c: Conn):
    text = "<title>镜像</title><p>同一页" + c.host
    links = "".join(f"<a href='{w}/'>{w}</a>" for w in ("甲", "乙", "丙", "丁"))
    return c.reply(text + links)


@maze("relative links that add the path to itself", "stored", "trap_repeat", "trap_depth")
def repeats(c: Conn):
    deep = "/a/b/c" * 5
    return c.reply(c.page("a/b/c/", f"{deep}/x", "/" + "/".join(f"d{n}" for n in range(60))))


@maze("soft 404: any URL gives one and the same page, status 200", "stored", "duplicate")
def soft_404(c: Conn):
    if c.path == "/":
        return c.reply(c.page(*(f"/gone/{w}" for w in "abcdefgh")))
    return c.reply(f"<title>not found</title><p>{c.host}: nothing is here")


@maze("soft 404 that names the URL and links on", "stored", "host_budget")
def soft_404_links(c: Conn):
    return c.reply(c.page(*(f"{c.path.rstrip('/')}/{w}" for w in "abcdefgh")))


@maze("200,000 links on a page", "stored", "host_budget", home="stored+truncated")
def links_200k(c: Conn):
    if c.path != "/":
        return c.reply(c.page())
    return c.reply(c.page(body="".join(f"<a href=/{_letters(n)}>x</a>" for n in range(200_000))))


def _letters(n: int) -> str:
    return "".join("abcdefghij"[int(d)] for d in str(n))


VAST = "/" + "x" * (1 << 19)
CUT = "stored+long_links"


@behavior(L, "a link of half a megabyte", CUT, also={"/ok": CUT})
def long_link(c: Conn):
    return c.reply(c.page("/ok", VAST))


@behavior(L, "a link of 2 MB, at which the page is cut", "stored+truncated",
           also={"/ok": "stored"})  # fmt: skip
def vast_link(c: Conn):
    if c.path != "/":
        return c.reply(c.page())
    return c.reply(c.page("/ok", VAST * 4))


LONG = "/" + "x" * 3000


@behavior(L, "a link of 3,000 characters", CUT, also={"/ok": CUT})
def longish_link(c: Conn):
    return c.reply(c.page("/ok", LONG))


@behavior(
    L, "control characters and line ends in links",
    also={"/ab": "stored", "/c%0D%0AX-Planted:%20yes": "stored", "/d%01e": "stored",
          "/f%00g": "stored"},
)  # fmt: skip
def control_characters(c: Conn):
    return c.reply(c.page("/a\nb", "/c%0d%0aX-Planted:%20yes", "/d\x01e", "/f%00g"))


@behavior(L, "the host's name in look-alike letters, and with a final dot", also={"/x": "stored"})
def homograph(c: Conn):
    return c.reply(c.page(f"http://{c.host.replace('o', 'о')}/", f"http://{c.host}./x"))


@behavior(L, "base element with javascript:, file: and a foreign host")
def bad_base(c: Conn):
    base = "<base href='http://127.0.0.1/'><base href='javascript:x'>"
    return c.reply(c.page("x", "y").replace("<body>", f"<body>{base}"))


@behavior(L, "links of every scheme but http", also={"/://x": "stored"})
def odd_schemes(c: Conn):
    if c.path != "/":
        return c.reply(c.page())
    return c.reply(c.page("file:///etc/passwd", "javascript:x", "data:,x", "mailto:a@b", "s3://b/k",
                          "ftp://x/y", "http:", "http://", "http://[", "//", "://x"))  # fmt: skip


@behavior(L, "port numbers that do not exist")
def odd_ports(c: Conn):
    ports = ("0", "65536", "-1", "1e3", "８０", "99999999999999")
    return c.reply(c.page(*(f"http://{c.host}:{p}/" for p in ports)))


@behavior(L, "meta refresh to itself, every 0 seconds", also={"/?again": "stored"})
def meta_refresh(c: Conn):
    return c.reply(c.page(body="<meta http-equiv=refresh content='0;url=/?again'>"))


@behavior(D, "100,000 nested elements")
def nested(c: Conn):
    return c.reply(c.page(body="<div>" * 100_000 + "深"))


@behavior(D, "50,000 attributes on an element")
def attributes(c: Conn):
    return c.reply(c.page(body="<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">"))


@behavior(D, "thousands of unclosed formatting elements")
def formatting(c: Conn):
    return c.reply(c.page(body="<p><b><i><a href=#>" * 5000))


@behavior(D, "tables in tables")
def tables(c: Conn):
    return c.reply(c.page(body="<table><tr><td>" * 3000))


@behavior(D, "a comment, a script and a title that never end")
def unclosed(c: Conn):
    return c.reply(c.page() + "<script>" + "x" * 200_000 + "<!--<title>")


@behavior(D, "half a megabyte of <")
def angles(c: Conn):
    return c.reply(c.page(body="<" * 500_000))


@behavior(D, "half a megabyte of & and entities")
def entities(c: Conn):
    return c.reply(c.page(body="&#x110000;&#0;&bogus;&amp" * 20_000))


@behavior(D, "NUL bytes, lone surrogates and non-characters")
def nul_bytes(c: Conn):
    return c.reply(c.page().encode() + b"a\x00b\xed\xa0\x80\xef\xbf\xbe\xff" * 500)


@behavior(D, "an empty body", "stored|duplicate",
           why="a duplicate if another empty body came first")  # fmt: skip
def empty(c: Conn):
    return c.reply("")


@behavior(D, "one Chinese character, 300,000 times")
def one_character(c: Conn):
    return c.reply(c.page(body="啊" * 300_000))


@behavior(D, "a picture said to be HTML")
def picture_as_html(c: Conn):
    return c.reply(b"\x89PNG\r\n\x1a\n" + bytes(i * 7 % 256 for i in range(20_000)))


@behavior(D, "HTML said to be a picture", "mime")
def html_as_picture(c: Conn):
    c.reply(c.page(), kind="image/png")


@behavior(D, "a Content-Type that is not a media type", "mime")
def media_type_garbage(c: Conn):
    c.reply(c.page(), b"Content-Type: \xff;;=,/ html;;;charset", kind=None)


@behavior(D, "no media type")
def media_type_missing(c: Conn):
    return c.reply(c.page(), kind=None)
