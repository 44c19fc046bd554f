"""Small pages that a careless program makes large things of; all harmless to a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BOMBS", "ISSUE_PAGE"]

SIZE: Final = 3 << 20
_LONG: Final = "/" + "天网" * 20 + "x" * 100


def filled(piece: str, size: int = SIZE, start: str = "", end: str = "") -> str:
    """A page of a piece that comes so often that the page has about that size."""
    room = size - len(start) - len(end)
    return start + "".join(piece.format(n=n) for n in range(room // len(piece))) + end


def base(n_base: int, n_links: int) -> str:
    """Links that are short as written and long as they are meant."""
    links = "".join(f"<a href={n}>x</a>" for n in range(n_links))
    return f"<base href='http://www.bad.cn/{'b' * n_base}/'>{links}"


def ladder(n_formats: int, size: int = SIZE) -> str:
    """Formatting elements that are opened anew in each paragraph."""
    opened = "".join(f"<b a={n}>" for n in range(n_formats))
    return filled("<p>x", size, opened)


def misnested(size: int = SIZE) -> str:
    """Formats that are closed in the wrong order, each time with a block between."""
    return filled("<a href={n}><b><div>x</a>", size)


def json_ld(text: str) -> str:
    return f"<script type=application/ld+json>{text}</script><p>天网</p>"


ISSUE_PAGE: Final = base(199_000, 5_000)
"""The page of issue 23: a base of 200 KB and 5,000 links."""

BOMBS: Final[dict[str, Callable[[], str]]] = {
    "base": lambda: ISSUE_PAGE,
    "base_3mb": lambda: base(SIZE // 2, SIZE // 40),
    "base_within_bounds": lambda: base(1_900, SIZE // 20),
    "srcset": lambda: "<img srcset='" + filled("{n}.jpg 1x, ", end="'>"),
    "srcsets": lambda: filled("<img srcset='a{n} 1x, b{n} 2x' src=c{n}>"),
    "data_attributes": lambda: filled("<p data-a{n}='{n}' data-b{n}=1>x</p>"),
    "attributes_of_one": lambda: filled("data-a{n}=1 ", start="<p ", end=">x</p>"),
    "long_attribute": lambda: f"<p title='{'天' * (SIZE // 3)}'>天网</p>" * 1,
    "long_href": lambda: f"<a href='/{'x' * SIZE}'>天网</a>",
    "long_hrefs": lambda: filled(f"<a href='{_LONG}{{n}}'>天网</a>"),
    "a_million_links": lambda: "<a href>" * (1 << 20),
    "links_by_number": lambda: filled("<a href=?{n}>", 8 << 20),
    "links_within_links": lambda: filled("<a href=/{n}><table><tr><td>天网" * 1),
    "areas": lambda: filled("<area href={n}>"),
    "frames": lambda: filled("<iframe src=/{n}></iframe>"),
    "nested_frames": lambda: filled("<frameset><frame src=/{n}>"),
    "refreshes": lambda: filled("<meta http-equiv=refresh content='1;url=/{n}'>"),
    "title": lambda: f"<title>{'天网' * (SIZE // 6)}</title><p>天网",
    "headline": lambda: f"<h1>{'天网' * (SIZE // 6)}</h1><p>天网",
    "canonical": lambda: f"<link rel=canonical href='/{'c' * SIZE}'><p>天网",
    "meta": lambda: filled("<meta name=author content='张三{n}'>"),
    "meta_author": lambda: f"<meta name=author content='{'张' * (SIZE // 3)}'><p>天网",
    "description": lambda: f"<meta name=description content='{'天 ' * (SIZE // 4)}'><p>天网",
    "json_ld_wide": lambda: json_ld(
        '{"@type":"NewsArticle","headline":"' + "天" * 99999 + '","author":['
        + filled('{{"name":"张{n}"}},', SIZE - (1 << 19)) + '{"name":"x"}]}'
    ),
    "json_ld_deep": lambda: json_ld("[" * SIZE),
    "json_ld_deep_objects": lambda: json_ld('{"@graph":[' * (SIZE // 11) + "]}" * (SIZE // 99)),
    "json_ld_many": lambda: filled(
        '<script type=application/ld+json>{{"@type":"Article","headline":"天{n}"}}</script>'
    ),
    "json_ld_digits": lambda: json_ld('{"datePublished":' + "9" * SIZE + "}"),
    "deep": lambda: filled("<div>"),
    "deep_inline": lambda: filled("<i>x"),
    "formats": lambda: ladder(1_000),
    "formats_many": lambda: ladder(100_000),
    "misnested": misnested,
    "tables": lambda: filled("<table><tr><td>"),
    "cells": lambda: filled("<td>x", start="<table><tr>"),
    "spans_of_cells": lambda: filled(
        "<tr><td rowspan=65534 colspan=1000>x", start="<p>天网<table><tr><th>a<th>b"
    ),
    "stray_in_table": lambda: filled("<i>x", start="<table>"),
    "paragraphs": lambda: filled("<p>{n}"),
    "line_breaks": lambda: filled("x<br>"),
    "lists": lambda: filled("<ul><li>天网"),
    "list_items": lambda: filled("<li>天网<a href={n}>2008-03-05</a>", start="<ul>"),
    "definitions": lambda: filled("<dt>天<dd>网", start="<dl>"),
    "templates": lambda: filled("<template><dl>"),
    "svg": lambda: filled("<svg><title>x"),
    "select": lambda: filled("<option>{n}", start="<select>"),
    "one_run": lambda: "<p>" + "天网" * (SIZE // 6),
    "one_word": lambda: "<p>" + "x" * SIZE,
    "sentences": lambda: "<p>" + "天网。" * (SIZE // 9),
    "dates": lambda: "<p>" + "2008-03-05 " * (SIZE // 11),
    "dates_in_lines": lambda: filled("<p>2008年3月5日 来源：天网 作者：张三</p>"),
    "spaces": lambda: "<p>天" + " " * SIZE + "网",
    "entities": lambda: "<p>" + "&nbsp;&#22825;" * (SIZE // 14),
    "comments": lambda: filled("<!--{n}-->x"),
    "unclosed_comment": lambda: "<p>天网<!--" + "<!-" * (SIZE // 3),
    "unclosed_tag": lambda: "<p>天网" + "<a href='" * (SIZE // 9),
    "nothing_but_less": lambda: "<" * SIZE,
    "unknown_tags": lambda: filled("<x{n}>"),
    "pictures": lambda: filled("<img src={n}.jpg alt=天网>"),
    "styles": lambda: filled("<p style='display:none'>x</p>"),
    "pre": lambda: "<pre>" + "x \n" * (SIZE // 3),
}  # fmt: skip
