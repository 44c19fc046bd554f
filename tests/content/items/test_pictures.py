"""Addresses and sizes of pictures, and which of them belong to the topic by our rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quarkcrawl as qc
from quarkcrawl.content.items.api import topic_region
from quarkcrawl.content.items.model import Picture
from quarkcrawl.content.items.pictures import best_candidate, declared_size, picture_source
from quarkcrawl.content.items.region import PictureRule
from quarkcrawl.page import PageTree

LONG = "<p>这是一段说明，用来撑起页面的主题。这是一段说明，用来撑起页面的主题。</p>" * 3


def source(img: str) -> str:
    tree = PageTree.parse(img)
    return picture_source(tree, tree.nodes("img")[0])


@pytest.mark.parametrize(
    ("img", "expected"),
    [
        ("<img src=a.jpg>", "a.jpg"),
        ("<img>", ""),
        ("<img src=/blank.gif data-src=a.jpg>", "a.jpg"),
        ("<img src=data:image/gif;base64,R0 data-original=a.jpg>", "a.jpg"),
        ("<img src=thumb.jpg data-lazy-src=a.jpg>", "a.jpg"),
        ("<img data-src='data:image/gif;base64,R0' src=a.jpg>", "a.jpg"),
        ("<img file=a.jpg src=images/none.gif>", "a.jpg"),
        ("<img srcset='s.jpg 320w, l.jpg 1280w, m.jpg 640w'>", "l.jpg"),
        ("<img src=a.jpg srcset='l.jpg 2x'>", "a.jpg"),
        ("<img src=lazy.png data-srcset='s.jpg 1x,l.jpg 2x'>", "l.jpg"),
        ("<picture><source srcset='a.webp 800w'><img></picture>", "a.webp"),
        ("<img data-file=a.jpg>", "a.jpg"),
    ],
)
def test_where_the_address_stands(img: str, expected: str) -> None:
    assert source(img) == expected


@given(st.text("a.jpgwx 0123456789,", max_size=60))
def test_candidates_never_fail_and_are_among_those_listed(source_set: str) -> None:
    best = best_candidate(source_set)
    assert best is None or best in source_set


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({}, (None, None)),
        ({"width": "300", "height": "200"}, (300, 200)),
        ({"width": "50%", "style": "height:120px"}, (None, 120)),
        ({"width": "300", "style": "WIDTH: 80.5px;height:90px"}, (80.5, 90)),
        ({"style": "max-width:600px; line-height:20px"}, (None, None)),
        ({"data-width": "640", "data-height": "480"}, (640, 480)),
        ({"width": "9" * 99}, (999999999, None)),
    ],
)
def test_sizes_from_style_and_attributes(attrs, expected) -> None:
    size = declared_size(attrs)
    assert (size.width_px, size.height_px) == expected


def rule(img: str, around: str = LONG) -> PictureRule | Picture:
    found = topic_region(f"<article>{around}{img}{around}</article>", "http://a.cn/x/")
    if found.dropped:
        return next(iter(found.dropped.values()))
    return found.pictures[0]


@pytest.mark.parametrize(
    ("img", "expected"),
    [
        ("<img src=a.jpg width=99 height=200>", PictureRule.SMALL),
        ("<img src=a.jpg style='width:99px'>", PictureRule.SMALL),
        ("<img src=a.jpg width=301 height=100>", PictureRule.SHAPE),
        ("<a href=next.html><img src=a.jpg></a>", PictureRule.LINKED),
        ("<img src=/img/logo.png>", PictureRule.NAMED),
        ("<img data-a=b>", PictureRule.NO_SOURCE),
        ("<img src=data:image/gif;base64,R0>", PictureRule.NO_SOURCE),
        ("<img src=a.jpg><img src=a.jpg><img src=a.jpg>", PictureRule.REPEATED),
    ],
)
def test_pictures_that_are_dropped(img: str, expected: PictureRule) -> None:
    assert rule(img) is expected


@pytest.mark.parametrize(
    ("img", "link"),
    [
        ("<img src=a.jpg>", ""),
        ("<img src=a.jpg width=100 height=300>", ""),
        ("<a href=big.jpg><img src=a.jpg></a>", "http://a.cn/x/big.jpg"),
        ("<a href='big.PNG?x=1' class=c><img src=a.jpg></a>", "http://a.cn/x/big.PNG?x=1"),
        ("<a href=#><img src=a.jpg></a>", ""),
        ("<a href=view.php rel=lightbox><img src=a.jpg></a>", ""),
        ("<a href=view.php data-fancybox=g><img src=a.jpg></a>", ""),
    ],
)
def test_pictures_that_stay(img: str, link: str) -> None:
    found = rule(img)
    assert isinstance(found, Picture)
    assert (found.src, found.link) == ("http://a.cn/x/a.jpg", link)


def test_unknown_size_needs_text_around() -> None:
    html = f"<article>{LONG}<section><div>{{}}<div><img src=a.jpg></div></div></section>{LONG}</article>"
    assert not topic_region(html.format("文" * 14)).pictures
    assert topic_region(html.format("文" * 15)).pictures


def test_a_lazy_picture_and_its_twin_for_browsers_without_scripts() -> None:
    img = "<img src=x.gif data-src=a.jpg><noscript><img src=a.jpg></noscript>"
    found = topic_region(f"<article>{LONG}{img}</article>", "http://a.cn/")
    assert [picture.src for picture in found.pictures] == ["http://a.cn/a.jpg"]


def test_a_caption_belongs_to_its_picture_and_is_no_paragraph() -> None:
    html = f"<article>{LONG}<figure><img src=a.jpg alt=旧><figcaption>校门 <b>外景</b></figcaption></figure>"
    items = qc.topic_items(html, "http://a.cn/")
    assert [item.kind for item in items] == ["paragraph"] * 3 + ["picture"]
    assert (items[-1].caption, items[-1].alt, items[-1].text) == ("校门 外景", "旧", "校门 外景")


def test_a_box_called_caption() -> None:
    html = f"<article>{LONG}<div class=wp-caption><img src=a.jpg><p>校门</p></div>{LONG}"
    items = qc.topic_items(html)
    assert [item.caption for item in items if item.kind == "picture"] == ["校门"]
    assert "校门" not in [item.text for item in items if item.kind == "paragraph"]


def test_addresses_are_resolved_against_the_base() -> None:
    html = f"<base href=http://b.cn/p/><article>{LONG}<img src=../a.jpg></article>"
    assert [i.src for i in qc.topic_items(html, "http://a.cn/") if i.kind == "picture"] == [
        "http://b.cn/a.jpg"
    ]
