"""HTML as it is written today: HTML5 elements, minimal attributes, entities where they please."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site.chrome import script, style
from quarkcrawl.lab.mockweb.site.markup.skin import item_text, links

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.markup.skin import Skin
    from quarkcrawl.lab.mockweb.site.model import Anchor, Document, Item


def render(document: Document, skin: Skin) -> str:
    """Render a page."""
    return "\n".join(
        [
            _head(document, skin),
            f'<header class="{skin.name("header")}"><a href="/">{escape(document.site_name)}</a>',
            f"<nav><ul>\n{links(document.nav, skin, '<li>', '')}\n</ul></nav></header>",
            f'<main class="{skin.name("container")}">',
            _article(document, skin),
            _aside(document, skin),
            "</main>",
            _foot(document, skin),
        ]
    )


def _head(document: Document, skin: Skin) -> str:
    lines = ["<!DOCTYPE html>", '<html lang="zh-CN">', "<head>"]
    if skin.meta:
        lines.append(f'<meta charset="{skin.meta}">')
    lines.append('<meta name="viewport" content="width=device-width, initial-scale=1">')
    lines.append(f"<title>{escape(document.title)} | {escape(document.site_name)}</title>")
    if document.robots_meta:
        lines.append(f'<meta name="robots" content="{document.robots_meta}">')
    if document.base:
        lines.append(f'<base href="{escape(document.base)}">')
    lines.append('<link rel="stylesheet" href="/assets/app.css">')
    lines += ["<style>", style(skin.markup, skin.variant), "</style>"]
    lines += ["<script>", script(skin.markup, skin.variant), "</script>"]
    return "\n".join([*lines, "</head>", "<body>"])


def _section(title: str, anchors: tuple[Anchor, ...], skin: Skin, stem: str) -> str:
    if not anchors:
        return ""
    inside = links(anchors, skin, "<li>", "</li>")
    return f'<section class="{skin.name(stem)}"><h3>{title}</h3><ul>\n{inside}\n</ul></section>'


def _article(document: Document, skin: Skin) -> str:
    parts = [f'<article class="{skin.name("article")}">', f"<h1>{escape(document.title)}</h1>"]
    if document.date:
        stamp = document.date.replace(" ", "T")
        parts.append(
            f'<p class="{skin.name("meta")}"><time datetime="{stamp}">{document.date}</time>'
            f" · {document.source} · {document.author}</p>"
        )
    if document.notice:
        parts.append(f"<p>{escape(document.notice)}</p>")
    if document.kind != "topic":
        parts.append(_section("最新", document.entries, skin, "latest"))
        if document.pager:
            parts.append(f"<nav>{links(document.pager, skin, '', '&nbsp;')}</nav>")
    parts += [_item(item, skin) for item in document.items]
    parts += [
        f'<section class="{skin.name("comment")}"><b>{post.author}</b> <time>{post.date}</time>'
        f"<p>{escape(post.text)}</p></section>"
        for post in document.posts
    ]
    if document.padding:
        parts.append(f"<!-- {'填' * document.padding} -->")
    return "\n".join([*filter(None, parts), "</article>"])


def _item(item: Item, skin: Skin) -> str:
    if item.kind == "picture":
        return (
            '<figure><img src="/uploads/photo.jpg" loading="lazy">'
            f"<figcaption>{escape(item.text)}</figcaption></figure>"
        )
    if item.kind == "table":
        rows = "".join(f"<tr><td>{'<td>'.join(row)}" for row in item.rows)
        return f"<table>{rows}</table>"
    return f"<p>{item_text(item, skin)}"


def _aside(document: Document, skin: Skin) -> str:
    is_topic = document.kind == "topic"
    parts = [
        _section("相关文章", document.related, skin, "related"),
        _section("热门", document.entries if is_topic else (), skin, "hot"),
        _section("服务", document.services, skin, "service"),
    ]
    return "<aside>\n" + "\n".join(filter(None, parts)) + "\n</aside>"


def _foot(document: Document, skin: Skin) -> str:
    return f"""<footer class="{skin.name("footer")}">
{_section("友情链接", document.friends, skin, "friends")}
<p>{links(document.footer, skin, "", " · ")}</p>
<small>&copy; {escape(document.site_name)}</small>
</footer>
</body>
</html>"""
