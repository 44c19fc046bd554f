"""Hosts with odd pages: other media types, base elements, nofollow, Chinese paths, huge pages."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from quarkcrawl.lab.mockweb.site import text, words
from quarkcrawl.lab.mockweb.site.model import Resource
from quarkcrawl.lab.mockweb.site.quirks.quirk import Quirk, anchor, special, stored

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.model import Anchor
    from quarkcrawl.lab.mockweb.site.site import Site


OVERSIZE_CHARS = 5_000_000
"""Filler of an oversize page; two to three times as many bytes."""

_TYPES = {
    "photo.jpg": ("image/jpeg", b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 2000 + b"\xff\xd9"),
    "paper.pdf": ("application/pdf", b"%PDF-1.4\n" + b"0" * 3000 + b"\n%%EOF"),
    "style.css": ("text/css", b"body { margin: 0 }\n" * 20),
    "data.json": ("application/json", b'{"total": 3}'),
    "feed.xml": ("application/xml", b'<?xml version="1.0"?><rss version="2.0"></rss>'),
    "image.php?id=3": ("image/png", b"\x89PNG\r\n\x1a\n" + b"\0" * 500),
    "download.asp?file=7": ("application/octet-stream", b"\0" * 1000),
}


def _look_type(site: Site, target: str) -> Resource | None:
    name = target.removeprefix("/type/")
    if name == "":
        names = [*_TYPES, "notes.txt", "readme"]
        services = tuple(anchor(site, f"/type/{n}", f"下载 {n}") for n in names)
        return stored(site, target, "下载中心", services=services)
    if name in {"notes.txt", "readme"}:
        dice = site.dice("plain", name)
        lines = [text.paragraph(dice, words.NOUNS) for _ in range(5)]
        return Resource(plain="\n\n".join(lines) + "\n", content_type="text/plain")
    if name in _TYPES:
        content_type, body = _TYPES[name]
        return Resource("mime", body=body, content_type=content_type)
    return None


def _look_base(site: Site, target: str) -> Resource | None:
    """Links that only a reader of the base element resolves rightly."""
    names = ("one.html", "two.html", "../three.html")
    if target == "/base/":
        paths = ("/base/deep/one.html", "/base/deep/two.html", "/base/three.html")
        links = tuple(
            anchor(site, path, "专题文章", href=name)
            for path, name in zip(paths, names, strict=True)
        )
        return stored(site, target, "专题", services=links, base="/base/deep/")
    if target in {"/base/deep/one.html", "/base/deep/two.html", "/base/three.html"}:
        return stored(site, target, "专题文章")
    return None


def _look_nofollow(site: Site, target: str) -> Resource | None:
    """One page behind rel=nofollow, one behind a robots meta element."""
    if target == "/nf/":
        marked = anchor(site, "/nf/ad.html", "广告", nofollow=True)
        links = (marked, anchor(site, "/nf/open.html", "论坛"))
        return stored(site, target, "合作伙伴", services=links)
    if target == "/nf/closed/":
        hidden = anchor(site, "/nf/hidden.html", "内部资料")
        return stored(site, target, "内部", services=(hidden,), robots_meta="index,nofollow")
    if target in {"/nf/ad.html", "/nf/open.html", "/nf/hidden.html"}:
        return stored(site, target, "合作伙伴的页面")
    return None


def _look_oversize(site: Site, target: str) -> Resource | None:
    if target != "/big/all.html":
        return None
    return Resource(document=special(site, target, "全部数据", padding=OVERSIZE_CHARS))


_TOPICS = ("奥运", "春节", "高考")


def _chinese_entries(site: Site) -> list[Anchor]:
    """Chinese paths, written raw (where the page is UTF-8) and percent-encoded."""
    links = []
    for n, topic in enumerate(_TOPICS):
        path = f"/专题/{topic}.html"
        raw = path if n % 2 == 0 and site.plan.declaration.charset == "utf-8" else quote(path)
        links.append(anchor(site, quote(path), f"{topic}专题", href=raw))
    return links


def _look_chinese(site: Site, target: str) -> Resource | None:
    topic = unquote(target)[len("/专题/") : -len(".html")]
    if topic not in _TOPICS or unquote(target) != f"/专题/{topic}.html":
        return None
    return stored(site, quote(f"/专题/{topic}.html"), f"{topic}专题")


def _idle_entries(site: Site) -> list[Anchor]:
    """The same pages once more, with parameters that change nothing."""
    links = []
    for n, nav in enumerate(site.nav[1:4]):
        mark = "&" if "?" in nav.url else "?"
        for value in ("nav", "index"):
            url = f"{nav.url}{mark}from={value}"
            links.append(anchor(site, url[len(site.origin) :], f"{nav.text}{n}"))
        links.append(anchor(site, f"{nav.url}{mark}sid=0{n}a7"[len(site.origin) :], nav.text))
    return links


def _private_entries(site: Site) -> list[Anchor]:
    paths = ("/private/a.html", "/private/open/b.html", "/notes/1.html?print=1", "/notes/1.html")
    return [anchor(site, path, f"资料 {n}") for n, path in enumerate(paths, 1)]


def _look_private(site: Site, target: str) -> Resource | None:
    """Pages that robots.txt forbids; they exist, and answer whoever asks nevertheless."""
    private_urls = {entry.url for entry in _private_entries(site)}
    if site.origin + target not in private_urls:
        return None
    page = stored(site, target, "内部资料")
    allowed = target in {"/private/open/b.html", "/notes/1.html"}
    return page if allowed else Resource("robots", document=page.document)


PAGES = {
    "types": Quirk("/type/", lambda site: [anchor(site, "/type/", "下载中心")], _look_type),
    "base": Quirk("/base/", lambda site: [anchor(site, "/base/", "专题")], _look_base),
    "nofollow": Quirk(
        "/nf/",
        lambda site: [anchor(site, "/nf/", "合作伙伴"), anchor(site, "/nf/closed/", "内部")],
        _look_nofollow,
    ),
    "oversize": Quirk(
        "/big/", lambda site: [anchor(site, "/big/all.html", "全部数据")], _look_oversize
    ),
    "chinese": Quirk("/%E4%B8%93%E9%A2%98/", _chinese_entries, _look_chinese),
    "idle": Quirk("", _idle_entries, lambda _site, _target: None),
    "defaults": Quirk(
        "",
        lambda site: [anchor(site, path, "首页") for path in ("/index.html", "/default.htm")],
        lambda _site, _target: None,
    ),
    "robots": Quirk("/", _private_entries, _look_private),
}
