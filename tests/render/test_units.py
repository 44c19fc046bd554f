"""Parts that need no browser: limits, requests, the written page, the documents."""

import asyncio
from pathlib import Path

import pytest

from quarkcrawl.errors import ConfigError, FetchError
from quarkcrawl.render import REFUSALS, RENDER_REASONS, RenderLimits, Reply, same_site
from quarkcrawl.render.browser import find_browser
from quarkcrawl.render.serialize import serialize
from quarkcrawl.render.snapshot import FlatNode
from quarkcrawl.render.traffic import PageRequests, follow

URL = "http://www.example.com/a"
ROOT = Path(__file__).resolve().parents[2]


class Web:
    """Replies by URL; what is not there raises."""

    def __init__(self, **pages):
        self.pages = {f"http://{key.replace('_', '.')}/": value for key, value in pages.items()}
        self.asked = []

    async def fetch(self, url, max_bytes):
        self.asked.append((url, max_bytes))
        body, led_to = self.pages.get(url, (None, ""))
        if body is None:
            raise FetchError("not there", reason="http_404", where=url)
        return Reply(url, 200, "text/javascript", body, led_to)


def traffic(web=None, **limits):
    return PageRequests(URL, b"page", RenderLimits(**limits), web)


def answer(requests, url, method="GET", kind="script"):
    return asyncio.run(requests.answer(url, method, kind))


def test_what_may_be_fetched():
    web = Web(cdn_example_com=(b"1", ""))
    requests = traffic(web)
    assert answer(requests, "http://cdn.example.com/").body == b"1"
    assert answer(requests, "http://other.net/") is None
    assert answer(requests, "http://cdn.example.com/", kind="image") is None
    assert answer(requests, "http://cdn.example.com/", method="POST") is None
    assert answer(requests, "http://www.example.com/gone") is None
    assert answer(requests, "http://www.example.com/favicon.ico") is None
    assert requests.refused == {"other_site": 1, "image": 1, "method": 1, "http_404": 1}
    assert requests.n_requests == 5
    assert not requests.is_over
    assert answer(traffic(), "http://cdn.example.com/") is None


def test_limits_of_requests_and_bytes():
    web = Web(cdn_example_com=(b"12345", ""))
    few = traffic(web, max_requests=2)
    replies = [answer(few, "http://cdn.example.com/") for _ in range(4)]
    assert [reply is not None for reply in replies] == [True, True, False, False]
    assert few.is_over
    small = traffic(web, max_total_bytes=7, max_resource_bytes=6)
    assert answer(small, "http://cdn.example.com/") is not None
    assert [most for _, most in web.asked[-1:]] == [6]
    assert answer(small, "http://cdn.example.com/") is not None
    assert [most for _, most in web.asked[-1:]] == [2]
    assert answer(small, "http://cdn.example.com/") is None
    assert small.is_over


def test_redirects_stay_on_the_site():
    web = Web(
        a_example_com=(b"", "http://b.example.com/"), b_example_com=(b"b", ""),
        c_example_com=(b"", "http://d.net/"), d_net=(b"d", ""),
        e_example_com=(b"", "http://e.example.com/"),
    )  # fmt: skip
    assert asyncio.run(follow(web, "http://a.example.com/", 9, within=URL)).body == b"b"
    with pytest.raises(FetchError, match="another site"):
        asyncio.run(follow(web, "http://c.example.com/", 9, within=URL))
    assert ("http://d.net/", 9) not in web.asked
    assert asyncio.run(follow(web, "http://c.example.com/", 9)).body == b"d"
    with pytest.raises(FetchError, match="too many"):
        asyncio.run(follow(web, "http://e.example.com/", 9))


def test_scripts_may_reload_but_not_lead_elsewhere():
    requests = traffic()
    assert requests.navigate(URL).body == b"page"
    assert requests.navigate(URL + "#part").body == b"page"
    assert requests.navigate("http://www.example.com/b") is None
    assert requests.navigate("http://other.net/") is None
    assert requests.led_to == "http://www.example.com/b"
    assert requests.navigate(URL) is None  # it has reloaded often enough


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.com.cn/", "http://b.com.cn/", False),
        ("http://x.a.com.cn/", "https://y.a.com.cn:8443/", True),
        ("http://a.github.io/", "http://b.github.io/", True),
        ("http://192.0.2.1/", "http://192.0.2.1:8080/", True),
        ("http://192.0.2.1/", "http://192.0.2.2/", False),
        ("http://a.cn/", "data:text/plain,x", False),
        ("http://localhost/", "http://localhost/x", True),
    ],
)
def test_sites(one, other, same):
    assert same_site(one, other) is same
    assert same_site(other, one) is same


class Walk:
    """A flat tree from a nested list: (name, attrs, children) or text."""

    def __init__(self, tree):
        self._tree = tree
        self._number = 0

    def walk(self):
        yield from self._nodes(self._tree)

    def _nodes(self, entry):
        number, self._number = self._number, self._number + 1
        if isinstance(entry, str):
            yield FlatNode(number, "", entry, [], (0, 0, 1, 1), ())
            return
        name, attrs, *children = entry
        yield FlatNode(number, name, "", attrs, None, ())
        for child in children:
            yield from self._nodes(child)
        yield None


def test_the_written_page():
    tree = (
        "html", [],
        ("head", [], ("script", [], "if (a < b && c) x = '<p>'"), ("noscript", [], "no", ("p", []))),
        ("body", [("title", 'a"&<'), ("bad name", "x"), ("x", "")],
         "1 < 2 & 3", ("br", []), ("template", [], ("p", [], "no")), ("iframe", [("src", "/i")], "in"),
         ("pre", [], "\nlines"), ('a"b', [], "odd"), ("script", [], "x='</script>'")),
    )  # fmt: skip
    written = serialize(Walk(tree))
    assert written.html == (
        "<!DOCTYPE html><html><head><script>if (a < b && c) x = '<p>'</script></head>"
        '<body title="a&quot;&amp;<" x="">1 &lt; 2 &amp; 3<br><div data-frame="/i">in</div>'
        "<pre>\n\nlines</pre><div>odd</div><script></script></body></html>"
    )
    assert written.marked.count("data-quarkcrawl-node=") == len(written.nodes) == 9
    before = {node.text: (parent, last) for node, parent, last in written.texts}
    numbers = {node.name: number for number, node in written.nodes.items()}
    assert before["1 < 2 & 3"] == (numbers["body"], -1)
    assert before["in"] == (numbers["iframe"], -1)


@pytest.mark.parametrize("values", [{"wall_s": 0}, {"max_requests": -1}, {"max_nodes": 0}])
def test_limits_must_be_positive(values):
    with pytest.raises(ConfigError, match=next(iter(values))):
        RenderLimits(**values)
    assert RenderLimits(max_scrolls=0).max_scrolls == 0


def test_a_browser_that_is_not_there():
    with pytest.raises(ConfigError, match="render_browser"):
        find_browser("/nowhere/chromium")


def test_every_reason_is_documented():
    text = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
    for code, meaning in (RENDER_REASONS | REFUSALS).items():
        assert f"| `{code}` | {meaning} |" in text, code
