"""Dates that elements and scripts tell to machines, besides meta elements, JSON-LD and ``time``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.metadata.dates.dates import Stamp, parse_iso
from quarkcrawl.content.metadata.loops import holders

if TYPE_CHECKING:
    from quarkcrawl.page.tree import PageTree


_PUBLISHED: Final = ("itemprop", "datePublished")
_WECHAT: Final = ("id", "js_content")
_MARKS: Final = frozenset((_PUBLISHED, _WECHAT))
_MAX_SCRIPTS: Final = 200
_MAX_SCRIPT_CHARS: Final = 300_000
_SECONDS: Final = re.compile(r"var ct\s?=\s?[\"'](\d{10})[\"']")
_CREATED: Final = re.compile(r"createTime\s?=\s?[\"']((?:19|20)\d\d-\d\d?-\d\d?[ \d:]{0,10})[\"']")
_CHINA: Final = 8 * 60


def marked_nodes(tree: PageTree, first: int, last: int) -> tuple[list[int], bool]:
    """Elements with a date of publication by schema.org; whether the page is a WeChat post.

    Meta and time elements are left out.

    Args:
        tree: the page.
        first: the first run that is looked at.
        last: one past the last one.
    """
    start, end = tree.run_start.searchsorted((first, last)).tolist()
    near = tree.all_attrs[start:end]
    nodes = [start + node for node in holders(near, set(_MARKS), {value for _, value in _MARKS})]
    dated = list[int]()
    is_wechat = False
    for node in nodes:
        attrs = tree.raw_attrs(node)
        is_wechat = is_wechat or _WECHAT in attrs
        if _PUBLISHED in attrs and tree.tags[node] not in ("meta", "time"):
            dated.append(node)
    return dated, is_wechat


def stamp_of_scripts(tree: PageTree) -> Stamp | None:
    """The moment that the scripts of a WeChat post state, None if they do not.

    Args:
        tree: the page.
    """
    for node in tree.nodes("script")[:_MAX_SCRIPTS]:
        for run in range(int(tree.run_start[node]), int(tree.run_end[node])):
            script = tree.runs[run][:_MAX_SCRIPT_CHARS]
            place = script.find("var ct")
            if place >= 0 and (seconds := _SECONDS.match(script, place)):
                moment = datetime.fromtimestamp(int(seconds[1]), UTC) + timedelta(minutes=_CHINA)
                return Stamp(moment.date(), moment.hour * 60 + moment.minute, offset=_CHINA)
            place = script.find("createTime")
            if place >= 0 and (created := _CREATED.match(script, place)):
                return parse_iso(created[1])
    return None
