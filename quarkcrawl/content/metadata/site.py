"""The name of the site that a page belongs to, as the page tells it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.declared import names
from quarkcrawl.content.headline import bare, is_site_name
from quarkcrawl.content.page_lines import fold

if TYPE_CHECKING:
    from quarkcrawl.content.declared import Declared


_MAX_CHARS: Final = 60
_METAS: Final = (
    *("og:site_name", "sitename", "application-name", "apple-mobile-web-app-title"),
    "dc.publisher",
)
_NOT_NAMED: Final = re.compile(
    r"https?:|[{}<>\n]|^(?:website|home|homepage|my site|untitled|首页|首頁|null)$", re.IGNORECASE
)
_PARTING: Final = re.compile(r"\s*[|｜¦│·•»«—–_-]+\s*|\s*[:：]\s+")
_MAX_PART_CHARS: Final = 30
_SOFTWARE: Final = re.compile(
    r"(?:[\s|｜_–—-]{1,9}(?:手机版|手機版))?[\s|｜_–—-]{1,9}powered by [^|｜]{1,40}$", re.IGNORECASE
)
_ORGANIZATION: Final = re.compile(
    "(?:大学|大學|学院|學院|中学|中學|小学|小學|学校|學校|政府|医院|醫院|银行|銀行|委员会|委員會|法院|检察院|研究院|研究所|图书馆|圖書館"
    "|博物馆|博物館|协会|協會|学会|學會|基金会|基金會|集团|集團|[\u4e00-\u9fff]{2}局)$"
)


def host_of(url: str) -> str:
    """The host that a URL names, without ``www.``; "" if it names none."""
    return url.partition("://")[2].partition("/")[0].lower().removeprefix("www.")


def site_name_of(declared: Declared, headline: str, host: str) -> str:
    """The name of a page's site, "" if the page does not tell.

    Args:
        declared: what the page declares.
        headline: its headline, which stands beside the name of the site in its title.
        host: its host, "" if unknown.
    """
    values = [declared.meta.get(name, "") for name in _METAS]
    for name in map(fold, (*values[:2], *_of_records(declared), *values[2:])):
        is_title = bare(name) == bare(headline)
        if 1 < len(name) <= _MAX_CHARS and not _NOT_NAMED.search(name) and not is_title:
            return name
    return _of_title(declared.title, headline, host)


def _of_records(declared: Declared) -> list[str]:
    """Names of the site and of the publisher in JSON-LD."""
    site_names = list[str]()
    for record in declared.site_records():
        site_names += names(record.get("name"))[:1]
    return site_names


def _of_title(title: str, headline: str, host: str) -> str:
    """What stands in the title element beside the headline, if it may be the name of a site."""
    title, headline = _SOFTWARE.sub("", fold(title)), fold(headline)
    before, match, behind = title.partition(headline) if headline else ("", "", "")
    if not match:
        is_name = len(title) <= _MAX_PART_CHARS and not _PARTING.search(title)
        return title if headline and is_name and _is_name(title) else ""
    parts = [part for part in _PARTING.split(behind or before) if part.strip()]
    part = (parts[-1] if behind else parts[0]).strip(" []()（）【】") if parts else ""
    if not 1 < len(part) <= _MAX_PART_CHARS:
        return ""
    core = bare(part)
    is_of_host = core.isascii() and len(core) > 2 and core in bare(host)
    is_only = len(parts) == 1 and bool(_PARTING.match(behind) or _PARTING.search(before))
    return part if is_of_host or is_only or _is_name(part) else ""


def _is_name(part: str) -> bool:
    """Whether a part of a title names a site or an organization."""
    return is_site_name(part) or _ORGANIZATION.search(part) is not None
