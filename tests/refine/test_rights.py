"""Rights that pages, replies and hosts declare."""

import pytest

from quarkcrawl.page import Page
from quarkcrawl.refine.rights import REASONS, normalized_license, rights_of

BY_ND = "https://creativecommons.org/licenses/by-nd/4.0/"
URL = "http://www.example.cn/news/1.html"


def rights(html="<p>x", headers=(), robots=None, url=URL):
    return rights_of(Page.from_html(html, url).tree, url, headers, robots)


def test_nothing_is_declared():
    found = rights('<meta name="robots" content="index, follow"><a href="/license">License</a>')
    assert (found.license, found.noindex, found.opted_out) == (None, False, ())
    assert rights_of(None, URL).opted_out == ()


@pytest.mark.parametrize(
    ("html", "headers", "code"),
    [
        ('<meta name="robots" content="noai, noimageai">', (), "noai"),
        ('<META NAME="Robots" CONTENT="NoAI">', (), "noai"),
        ("", [("X-Robots-Tag", "otherbot: noai")], "noai"),
        ('<meta name="tdm-reservation" content="1">', (), "tdm_reservation"),
        ("", [("TDM-Reservation", "1")], "tdm_reservation"),
        ("", [("Content-Usage", "search=y, train-ai=n")], "content_usage"),
        ("", [("content-usage", "ai=n")], "content_usage"),
    ],
)
def test_pages_and_replies_opt_out(html, headers, code):
    assert rights(html, headers).opted_out == (code,)
    assert code in REASONS


@pytest.mark.parametrize(
    ("html", "headers"),
    [
        ('<meta name="tdm-reservation" content="0">', ()),
        ("", [("Content-Usage", "train-ai=y, search=n")]),
        ('<meta name="description" content="noai">', ()),
    ],
)
def test_other_words_do_not(html, headers):
    assert rights(html, headers).opted_out == ()


def test_noindex():
    assert rights('<meta name="robots" content="noindex,follow">').noindex
    assert rights('<meta name="baiduspider" content="none">').noindex
    assert rights(headers=[("X-Robots-Tag", "noindex")]).noindex


ROBOTS = """
User-agent: *
Disallow: /private/
Content-Usage: train-ai=y
Content-Usage: /news/ train-ai=n
Content-Usage: /news/open/ train-ai=y

User-agent: GPTBot
User-agent: CCBot
Disallow: /forum/
"""


@pytest.mark.parametrize(
    ("path", "reasons"),
    [
        ("/", ()),
        ("/news/1.html", ("content_usage",)),
        ("/news/open/1.html", ()),
        ("/forum/1.html", ("robots_ai",)),
        ("/private/forum.html", ()),
    ],
)
def test_robots_txt_is_asked_for_the_path(path, reasons):
    found = rights(robots=ROBOTS, url=f"http://www.example.cn{path}")
    assert found.opted_out == reasons


def test_preferences_for_other_agents_are_not_ours():
    robots = "User-agent: Foo\nContent-Usage: train-ai=n\n\nUser-agent: *\nDisallow:\n"
    assert rights(robots=robots).opted_out == ()
    signal = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
    assert rights(robots=signal).opted_out == ("content_usage",)


@pytest.mark.parametrize(
    ("html", "license_id"),
    [
        ('<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">', "CC-BY-4.0"),
        ('<a rel="license nofollow" href="http://creativecommons.org/licenses/by-nc-sa/3.0/cn/">x</a>',
         "CC-BY-NC-SA-3.0"),
        ('<a rel=license href="https://creativecommons.org/publicdomain/zero/1.0/">x</a>', "CC0-1.0"),
        ('<meta name="dcterms.license" content="https://example.cn/terms">', "https://example.cn/terms"),
        (f'<script type="application/ld+json">{{"license": "{BY_ND}"}}</script>', "CC-BY-ND-4.0"),
        ('<a href="https://creativecommons.org/licenses/by/4.0/">a page about it</a>', None),
    ],
)  # fmt: skip
def test_licenses(html, license_id):
    assert rights(html).license == license_id


def test_normalized_license_of_a_name():
    assert normalized_license(" All rights reserved ") == "All rights reserved"
