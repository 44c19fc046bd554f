"""The hosts of `plan_selection` as a web that can be probed and crawled, and as tables.

Sites have a home page, lists of fifty pages each and the pages; hosts of the form ``trap`` also
have a calendar without end. The tables are what counting its URL lists and asking its home pages
would give, for simulations too large to be served; hosts with a port of their own answer there,
but not in the served web, which has no such ports.
"""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.mockweb.dice import Dice
from quarkcrawl.lab.mockweb.selection.plan import SPAM_PATTERNS, plan_selection
from quarkcrawl.lab.mockweb.web import Ask, Fault, MockReply, Web, not_found

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from quarkcrawl.lab.mockweb.selection.plan import SimHost


_HTML: Final = (("Content-Type", "text/html; charset=utf-8"),)
_LIST_PAGES: Final = 50
_SLOW_S: Final = 0.5
_FAULTS: Final = frozenset(("hang", "reset", "empty", "garbage"))
_DEATH_REASONS: Final = {
    "hang": "timeout",
    "reset": "connection_lost",
    "empty": "connection_lost",
    "garbage": "bad_http",
    "404": "http_404",
    "500": "http_500",
    "loop": "redirect_limit",
    "image": "mime",
}
_TOPICS: Final = ["新闻", "教育", "旅游", "科技", "体育", "财经", "健康", "房产", "汽车", "文化"]


class SelectionWeb(Web):
    """A web to choose seed sites from.

    Args:
        seed: decides everything.
        n_hosts: number of hosts.
        most_pages: sizes are cut here, so that a small web is soon crawled.
    """

    def __init__(self, seed: int = 0, n_hosts: int = 2000, *, most_pages: int = 20_000) -> None:
        self.seed, self.n_hosts, self.most_pages = seed, n_hosts, most_pages
        self.plan = plan_selection(seed, n_hosts)
        self._by_name = {host.host: host for host in self.plan}
        self._counted = {host.of for host in self.plan if host.form == "counter"}

    def arguments(self) -> list[str]:
        """The command line of ``python -m quarkcrawl.lab.mockweb`` that serves this web."""
        words = ["--selection", self.n_hosts, "--seed", self.seed, "--most-pages", self.most_pages]
        return [str(word) for word in words]

    def pages_of(self, host: SimHost) -> int:
        """Pages of a host as the lists name them.

        Args:
            host: a host of the plan.
        """
        return min(host.pages, self.most_pages)

    def spam_patterns(self) -> tuple[str, ...]:
        """Lines of the spam-domain list that belongs to this web."""
        return SPAM_PATTERNS

    # --- the Web protocol --------------------------------------------------------------------

    def hosts(self) -> Sequence[str]:
        """All names that can be asked for."""
        return [host.host for host in self.plan if host.kind not in {"malformed", "port"}]

    def respond(self, ask: Ask) -> MockReply:
        """Answer one request."""
        host = self._by_name.get(ask.host)
        if host is None or host.kind in {"malformed", "port"}:
            return not_found()
        if host.kind == "dead":
            return _dead(host, ask)
        if host.kind == "alias":
            return self._alias(host, ask)
        if host.form == "retry" and ask.target == "/" and ask.visit <= 1:
            return MockReply(503, _HTML, "请稍候".encode())
        return self._page(host, ask)

    def _alias(self, host: SimHost, ask: Ask) -> MockReply:
        true = self._by_name[host.of]
        if host.form == "same":
            return self._page(true, ask)
        return MockReply(301, (("Location", true.url.rstrip("/") + ask.target),))

    def _page(self, host: SimHost, ask: Ask) -> MockReply:
        body = self._body(host, ask.target, ask.visit)
        if body is None:
            return not_found()
        return MockReply(200, _HTML, body.encode(), _SLOW_S if host.form == "slow" else 0.0)

    def _body(self, host: SimHost, target: str, visit: int = 1) -> str | None:
        name, _, tail = target.lstrip("/").rpartition("/")
        number = tail.partition(".")[0]
        if target == "/":
            return self._home(host, visit)
        if not number.isdecimal():
            return None
        if name == "list" and int(number) * _LIST_PAGES < self.pages_of(host):
            return _document(host, f"列表 {number}", self._links(host, int(number)))
        if name == "page" and int(number) < self.pages_of(host):
            return _document(host, f"文章 {number}", ["/"])
        if name == "calendar" and host.form == "trap":
            return _document(host, f"日历 {number}", [f"/calendar/{int(number) + 1}.html"])
        return None

    def _home(self, host: SimHost, visit: int) -> str:
        count = self.pages_of(host)
        links = [f"/list/{n}.html" for n in range(-(-count // _LIST_PAGES))]
        if host.form == "trap":
            links.append("/calendar/1.html")
        counter = f"您是第 {visit} 位访客" if host.host in self._counted else ""
        return _document(host, f"首页 {counter}", links)

    def _links(self, host: SimHost, number: int) -> list[str]:
        first = number * _LIST_PAGES
        last = min(first + _LIST_PAGES, self.pages_of(host))
        return [f"/page/{n}.html" for n in range(first, last)]

    # --- tables ------------------------------------------------------------------------------

    def urls(self) -> Iterator[str]:
        """The URLs that a crawler would have found, host by host."""
        for host in self.plan:
            yield host.url
            for number in range(1, self.pages_of(host)):
                yield f"{host.url}page/{number}.html"

    def count_table(self) -> pa.Table:
        """What counting `urls` gives."""
        import pyarrow as pa  # noqa: PLC0415 - slow to load

        hosts = sorted(self.plan, key=lambda host: host.host)
        pages = pa.array([self.pages_of(host) for host in hosts], pa.int64())
        columns = [[host.host for host in hosts], [host.url for host in hosts], pages]
        return pa.table(columns, ["host", "url", "pages"])

    def probe_rows(self) -> Iterator[dict[str, object]]:
        """What asking each host for its home page gives, as fields of a probe."""
        for host in self.plan:
            row: dict[str, object] = {"host": host.host, "url": host.url, "reason": ""}
            if host.kind == "dead":
                yield row | {"reason": _DEATH_REASONS[host.form], "tries": 2}
            elif host.kind == "alias" and host.form != "same":
                true = self._by_name[host.of]
                yield row | self._found(true, 2) | {"hops": 1, "final_url": true.url}
            else:
                true = self._by_name[host.of] if host.kind == "alias" else host
                yield row | self._found(true, 1) | {"final_url": host.url}

    def _found(self, host: SimHost, visit: int) -> dict[str, object]:
        body = self._home(host, visit).encode()
        digest = md5(body, usedforsecurity=False).hexdigest()
        return {"status": 200, "md5": digest, "body_bytes": len(body)}


def _dead(host: SimHost, ask: Ask) -> MockReply:
    if host.form in _FAULTS:
        return MockReply(200, _HTML, b"<p>never seen", fault=Fault(host.form))
    if host.form == "loop":
        hop = int(ask.target.rpartition("=")[2] or 0) if "=" in ask.target else 0
        return MockReply(302, (("Location", f"/?hop={hop + 1}"),))
    if host.form == "image":
        return MockReply(200, (("Content-Type", "image/gif"),), b"GIF89a")
    return MockReply(int(host.form), _HTML, b"<h1>error</h1>")


def _document(host: SimHost, title: str, links: Sequence[str]) -> str:
    dice = Dice("selection-page", host.host, title.partition(" ")[0])
    topic = dice.pick(_TOPICS)
    anchors = "".join(f'<li><a href="{link}">{topic} {n}</a></li>' for n, link in enumerate(links))
    return (
        f'<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8">'
        f"<title>{topic} - {host.host}</title></head><body><h1>{host.host} {title}</h1>"
        f"<p>这里是{host.host}的{topic}频道。</p><ul>{anchors}</ul></body></html>"
    )
