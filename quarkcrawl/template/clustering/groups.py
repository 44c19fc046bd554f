"""Which pages may share a template: those of a host, or of a section of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quarkcrawl.page.urls import host_key

if TYPE_CHECKING:
    from collections.abc import Sequence


_LEAST_SECTION: Final = 5


def groups_of(urls: Sequence[str], group_by: str = "host") -> list[str]:
    """Name of the group in which each page is clustered.

    A section is the first step of a path, where at least five pages have it and it is no number
    (of a year, say); pages outside such sections are grouped by host.

    >>> groups_of(["http://Blog.sina.com.cn/tags/a/index.html"] * 5, "section")[0]
    'blog.sina.com.cn/tags'
    """
    if group_by == "all":
        return [""] * len(urls)
    hosts = [host_key(url) or "" for url in urls]
    if group_by == "host":
        return hosts
    sections = [section_of(url) for url in urls]
    sizes = Counter(sections)
    pairs = zip(sections, hosts, strict=True)
    return [section if sizes[section] >= _LEAST_SECTION else host for section, host in pairs]


def section_of(url: str) -> str:
    """Host and first step of the path; the host alone if that is a number or the last step."""
    host = host_key(url) or ""
    try:
        steps = urlsplit(url).path.split("/")
    except ValueError:
        return host
    is_inner = len(steps) > 2 and not steps[1].isdigit()
    return f"{host}/{steps[1]}" if is_inner else host
