"""What pages say to robots: which lines hold for ours, and what a crawl does with them."""

import time

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.http import RobotsTags
from quarkcrawl.errors import ConfigError
from quarkcrawl.lab.mockweb import ServerProcess
from tests.crawl.harness import crawl

HOST = "www.tags.example"
HTML = "text/html; charset=utf-8"


def said(body="", *lines, agent="quarkcrawl/0.1 (research)"):
    tags = RobotsTags(CrawlConfig(user_agent=agent))
    raw = body if isinstance(body, bytes) else body.encode()
    return tags.directives([(b"X-Robots-Tag", line.encode()) for line in lines], raw)


@pytest.mark.parametrize(
    ("lines", "directives"),
    [
        (("noindex",), {"noindex"}),
        (("NoIndex , NOFOLLOW",), {"noindex", "nofollow"}),
        (("none",), {"none", "noindex", "nofollow"}),
        (("googlebot: noindex, nofollow",), set()),
        (("quarkcrawl: noindex", "bingbot: nofollow"), {"noindex"}),
        (("bingbot: nofollow, QuarkCrawl: noarchive, noindex",), {"noarchive", "noindex"}),
        (("*: noindex",), {"noindex"}),
        (
            ("unavailable_after: 25 jun 2010 15:00:00 pst, nofollow",),
            {"unavailable_after: 25 jun 2010 15:00:00 pst", "nofollow"},
        ),
        (("max-snippet: 5, noindex",), {"max-snippet: 5", "noindex"}),
        (
            ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex",),
            {"unavailable_after: fri", "25 jun 2010 15:00:00 gmt", "noindex"},
        ),
        (
            ("unavailable_after: June 25, 2010, 15:00:00, noindex, 360Spider: nofollow",),
            {"unavailable_after: june 25", "2010", "15:00:00", "noindex"},
        ),
        (("bingbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex",), set()),
        ((",,:,",), set()),
    ],
)
def test_lines_hold_for_the_robot_that_they_name(lines, directives):
    assert said("", *lines) == directives


@pytest.mark.parametrize(
    ("html", "directives"),
    [
        ('<META NAME="Robots" CONTENT="noindex,nofollow">', {"noindex", "nofollow"}),
        ("<meta content=noindex name=robots />", {"noindex"}),
        ("<meta name = 'quarkcrawl' content = 'no&#97;rchive'>", {"noarchive"}),
        ("<meta name=googlebot content=noindex>", set()),
        ("<meta name=robots><meta content=noindex>", set()),
        ("<!-- <meta name=robots content=noindex> -->", set()),
        ("<!-- <meta name=robots content=noindex>", set()),
        ("<script>'<meta name=robots content=noindex>'</script>", set()),
        ("<title><meta name=robots content=noindex></title>", set()),
        ("<noscript><meta name=robots content=noindex></noscript>", {"noindex"}),
        ('<meta name="description" content="a > b"><meta name=robots content=none>',
         {"none", "noindex", "nofollow"}),
        ("<metadata name=robots content=noindex>", set()),
        ("<meta name=robots content=noindex", {"noindex"}),
    ],
)  # fmt: skip
def test_elements_are_read_as_markup(html, directives):
    assert said(html) == directives
    assert said(html.encode("utf-16-le")) == directives


@pytest.mark.parametrize(
    "piece", ["<!--", "<script", "<meta ", '<meta name="', "<meta a=", "<", "='"]
)
def test_no_page_takes_more_time_than_its_length(piece):
    def cost(n):
        begun = time.process_time()
        said(piece * (n // len(piece)))
        return time.process_time() - begun

    small = min(cost(1 << 14) for _ in range(3))
    assert cost(1 << 18) < 100 * small + 2  # sixteen times the bytes; the square would be 256


def test_the_first_word_of_the_user_agent_is_the_name():
    assert said("<meta name=beibot content=noindex>", agent="BeiBot (x)") == {"noindex"}
    assert said("", "beibot: noindex", agent="BeiBot/2") == {"noindex"}


def test_any_first_word_of_the_user_agent_is_a_name():
    assert said("", "web spider+1: noindex, web+1: nofollow", agent="web+1") == {
        "web spider+1: noindex", "nofollow"
    }  # fmt: skip


def test_an_unknown_mode_is_an_error():
    with pytest.raises(ConfigError, match="robots_meta is ignore, nofollow"):
        CrawlConfig.from_mapping({"robots_meta": "yes"})


def _row(body, *tags):
    return {"status": 200, "headers": [("Content-Type", HTML), *(("X-Robots-Tag", t) for t in tags)],
            "html": f"<title>x</title>{body}"}  # fmt: skip


PATHS = ("noindex", "header", "other", "noarchive", "nofollow", "nofollow-header", "rel")
PAGES = {
    f"http://{HOST}/": _row("".join(f"<a href=/{path}>x</a>" for path in PATHS)),
    f"http://{HOST}/noindex": _row("<meta name=robots content=noindex><a href=/from-noindex>x</a>"),
    f"http://{HOST}/header": _row("<a href=/from-header>x</a>", "quarkcrawl: none"),
    f"http://{HOST}/other": _row("甲", "otherbot: noindex, nofollow"),
    f"http://{HOST}/noarchive": _row("<meta name=quarkcrawl content=noarchive>乙"),
    f"http://{HOST}/nofollow": _row("<meta name=robots content=nofollow><a href=/from-meta>x</a>"),
    f"http://{HOST}/nofollow-header": _row("<a href=/from-line>x</a>", "nofollow"),
    f"http://{HOST}/rel": _row("<a rel=nofollow href=/from-rel>x</a>"),
    **{
        f"http://{HOST}/from-{name}": _row(name)
        for name in ("noindex", "header", "meta", "line", "rel")
    },
}
STORED = {"", "other", "nofollow", "nofollow-header", "rel"}
FROM = {f"from-{name}" for name in ("noindex", "header", "meta", "line", "rel")}
KEPT_BACK = {"noindex", "header", "noarchive"}


@pytest.mark.full
@pytest.mark.parametrize(
    ("mode", "stored", "dropped"),
    [
        ("ignore", STORED | KEPT_BACK | FROM, {}),
        ("nofollow", STORED | KEPT_BACK | {"from-noindex"}, {}),
        ("noindex", STORED | {"noarchive"} | FROM, {"noindex": "noindex", "header": "noindex"}),
        (
            "obey",
            STORED | {"from-noindex"},
            {"noindex": "noindex", "header": "noindex", "noarchive": "noarchive"},
        ),
    ],
)
def test_a_crawl_obeys_as_the_setting_says(tmp_path, mode, stored, dropped):
    with ServerProcess.for_pages(PAGES) as server:
        run = crawl(tmp_path, server, [HOST], robots_meta=mode)
    assert run.code == 0, run.stderr
    start = f"http://{HOST}/"
    assert {url.removeprefix(start) for url in run.pages()} == stored
    assert {url.removeprefix(start): reason for url, reason in run.drops().items()} == dropped
    flags = run.pages()[f"{start}nofollow-header"].flags
    assert flags == (("nofollow",) if mode in {"nofollow", "obey"} else ())
    run.assert_settled()
