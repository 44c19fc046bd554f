"""Hosts without end: calendars, growing paths, session ids, long URLs, deep pagination.

Every page of a trap is ``trap``: a crawl may store or refuse it. Trap pages link to nothing that
is not linked from an ordinary page, so what a crawl does about them changes nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.dice import number
from quarkcrawl.lab.mockweb.site.model import Resource
from quarkcrawl.lab.mockweb.site.quirks.quirk import Quirk, anchor, special

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.lab.mockweb.site.model import Anchor
    from quarkcrawl.lab.mockweb.site.site import Site


def _trap(site: Site, target: str, title: str, anchors: Iterable[Anchor]) -> Resource:
    document = special(site, target, title, services=tuple(anchors))
    return Resource(document=document, trap=True)


def _calendar(site: Site, target: str) -> Resource | None:
    match = re.fullmatch(r"/cal/(\d{4})-(\d\d)\.html", target)
    if match is None or not 1 <= int(match[2]) <= 12:
        return None
    month = int(match[1]) * 12 + int(match[2]) - 1
    near = [f"/cal/{n // 12:04}-{n % 12 + 1:02}.html" for n in (month - 1, month + 1, month + 12)]
    labels = ("上月", "下月", "明年")
    links = [anchor(site, path, label) for path, label in zip(near, labels, strict=True)]
    return _trap(site, target, f"日历 {match[1]}年{match[2]}月", links)


def _repeat(site: Site, target: str) -> Resource | None:
    """Relative links that append to the path for ever, as in /a/b/a/b."""
    if not re.fullmatch(r"/dir/(?:[ab]/)*", target):
        return None
    links = [anchor(site, f"{target}{step}/", step, href=f"{step}/") for step in ("a", "b")]
    return _trap(site, target, f"目录 {target.count('/') - 2}", links)


def _sid(*parts: object) -> str:
    return f"{number('sid', *parts):016x}"


def _session(site: Site, target: str) -> Resource | None:
    """Each page hands out new session ids, in the path and in the query; they may be left out."""
    match = re.fullmatch(
        r"/sess/(?:page[0-3]\.jsp)?(?:;jsessionid=[0-9a-f]{16})?(?:\?PHPSESSID=[0-9a-f]{16})?",
        target,
    )
    if match is None:
        return None
    links = [
        anchor(site, f"/sess/page{n}.jsp?PHPSESSID={_sid(target, n)}", f"会员 {n}")
        for n in range(4)
    ]
    links.append(anchor(site, f"/sess/;jsessionid={_sid(target)}", "登录"))
    return _trap(site, target, "会员登录", links)


def _long(site: Site, target: str) -> Resource | None:
    """Query strings that double with each step, up to about 64,000 characters."""
    match = re.fullmatch(r"/long/\?q=(x+)", target)
    if match is None or len(match[1]) > 1 << 16:
        return None
    longer = f"/long/?q={'x' * (2 * len(match[1]))}"
    return _trap(site, target, f"查询 {len(match[1])}", [anchor(site, longer, "更多结果")])


def _deep(site: Site, target: str) -> Resource | None:
    match = re.fullmatch(r"/deep/([1-9]\d{0,8})\.html", target)
    if match is None:
        return None
    page = int(match[1])
    links = [anchor(site, f"/deep/{page + step}.html", f"第{page + step}页") for step in (1, 2, 10)]
    return _trap(site, target, f"留言簿 第{page}页", links)


TRAPS = {
    "calendar": Quirk("/cal/", lambda site: [anchor(site, "/cal/2008-08.html", "日历")], _calendar),
    "repeat": Quirk("/dir/", lambda site: [anchor(site, "/dir/", "资料目录")], _repeat),
    "session": Quirk("/sess/", lambda site: [anchor(site, "/sess/", "会员登录")], _session),
    "long": Quirk("/long/", lambda site: [anchor(site, f"/long/?q={'x' * 1500}", "查询")], _long),
    "deep": Quirk("/deep/", lambda site: [anchor(site, "/deep/1.html", "留言簿")], _deep),
}
