"""Hosts that fail: error pages, broken connections, redirects of every kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site.model import Resource, nowhere
from quarkcrawl.lab.mockweb.site.quirks.quirk import Quirk, anchor, special, stored
from quarkcrawl.lab.mockweb.web import Fault

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.model import Anchor
    from quarkcrawl.lab.mockweb.site.site import Site


_UNAVAILABLE = Resource("http_503", status=503, headers=(("Retry-After", "1"),))
_ERRORS: dict[str, tuple[str, Resource]] = {
    "404": ("找不到的页面", nowhere()),
    "403": ("会员专区", Resource("http_403", status=403)),
    "410": ("已删除的页面", Resource("http_410", status=410)),
    "500": ("服务器错误", Resource("http_500", status=500)),
    "reset": ("连接中断", Resource("connection_lost", fault=Fault.RESET)),
    "empty": ("没有回应", Resource("connection_lost", fault=Fault.EMPTY)),
    "cut": ("传输不完整", Resource("data_loss", fault=Fault.TRUNCATE, body=b"x" * 4000)),
    "garbage": ("不是网页", Resource("bad_http", fault=Fault.GARBAGE)),
}
"""Failures for good: last part of the path, title of the link, resource."""
_HEALING: dict[str, tuple[str, Resource]] = {
    "500-once": ("偶尔出错", Resource("http_500", status=500)),
    "503-once": ("服务器忙", _UNAVAILABLE),
    "reset-once": ("偶尔中断", Resource("connection_lost", fault=Fault.RESET)),
}
"""Failures of the first visit only."""


def _error_index(site: Site) -> list[Anchor]:
    listed = {name: title for name, (title, _) in (_ERRORS | _HEALING).items()}
    listed |= {"slow": "很慢的页面", "drip": "断断续续"}
    return [anchor(site, f"/err/{name}.html", title) for name, title in listed.items()]


def _look_error(site: Site, target: str) -> Resource | None:
    if target == "/err/":
        return stored(site, target, "服务器测试", services=tuple(_error_index(site)))
    name = target.removeprefix("/err/").removesuffix(".html")
    if target != f"/err/{name}.html":
        return None
    if name in _ERRORS:
        return _ERRORS[name][1]
    if name in _HEALING:
        title, before = _HEALING[name]
        return stored(site, target, title).after(before)
    document = special(site, target, "很慢的页面")
    if name == "slow":
        return Resource(document=document, delay_s=1.0)
    return Resource(document=document, drip_s=0.8, chunked=True) if name == "drip" else None


_STATUSES = (301, 302, 303, 307, 308)
_NAMES = "relative chain-1 abroad loop-a self file private nowhere growing?n=1 wide"


def _redirect_index(site: Site) -> list[Anchor]:
    names = [*map(str, _STATUSES), *_NAMES.split()]
    return [anchor(site, f"/go/{name}", f"转向 {name}") for name in names]


def _moved(status: int, location: str, target: str, fate: str = "redirect") -> Resource:
    return Resource(fate, status=status, location=location, target=target)


def _look_redirect(site: Site, target: str) -> Resource | None:
    if target == "/go":
        return _moved(301, "/go/", f"{site.origin}/go/")
    if target == "/go/":
        return stored(site, target, "转向目录", services=tuple(_redirect_index(site)))
    name = target.removeprefix("/go/")
    if re.fullmatch(r"target-[a-z0-9]+\.html", name):
        return stored(site, target, f"转向的终点 {name[7:-5]}")
    return _within(site, name) or _bad(site, name)


def _within(site: Site, name: str) -> Resource | None:
    """Redirects that lead to a page of the site in the end, or round in a circle."""
    origin = site.origin
    if name.isdigit() and int(name) in _STATUSES:
        return _moved(
            int(name), f"{origin}/go/target-{name}.html", f"{origin}/go/target-{name}.html"
        )
    steps = {
        "relative": "target-relative.html",
        "chain-1": "chain-2",
        "chain-2": "chain-3",
        "chain-3": "target-chain.html",
        "loop-a": "loop-b",
        "loop-b": "loop-a",
        "self": "self",
    }
    if name in steps:
        return _moved(302, steps[name], f"{origin}/go/{steps[name]}")
    if match := re.fullmatch(r"growing\?n=([1-9]\d{0,5})", name):
        following = f"/go/growing?n={int(match[1]) + 1}"
        return Resource(
            "redirect", status=302, location=following, target=origin + following, trap=True
        )
    return None


def _bad(site: Site, name: str) -> Resource | None:
    """Redirects that a crawl must not follow."""
    if name == "abroad":
        url = site.web.friends(site.plan.index)[0].url
        return _moved(301, url, url)
    if name == "wide":
        return _moved(302, "//www.example.invalid/", f"{site.plan.scheme}://www.example.invalid/")
    if name == "private":
        return _moved(302, "http://127.0.0.1:22/", "http://127.0.0.1:22/")
    if name == "file":
        return _moved(302, "file:///etc/passwd", "", "bad_redirect")
    return _moved(302, "", "", "bad_redirect") if name == "nowhere" else None


FAILURES = {
    "errors": Quirk("/err/", lambda site: [anchor(site, "/err/", "服务器测试")], _look_error),
    "redirects": Quirk("/go", lambda site: [anchor(site, "/go", "转向目录")], _look_redirect),
}
