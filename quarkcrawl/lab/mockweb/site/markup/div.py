"""HTML as it was written about 2010: XHTML doctype, div and classes."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site.chrome import script, style
from quarkcrawl.lab.mockweb.site.markup.skin import item_text, links

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.lab.mockweb.site.markup.skin import Skin
    from quarkcrawl.lab.mockweb.site.model import Anchor, Document, Item


_HEAD = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" \
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>"""


def render(document: Document, skin: Skin) -> str:
    """Render a page."""
    main, side = _main(document, skin), _side(document, skin)
    inside = [side, main] if skin.variant == 2 else [main, side]
    parts = [
        _head(document, skin),
        f'<div id="{skin.name("top")}"><h2>{escape(document.site_name)}</h2></div>',
        _list(document.nav, skin, "nav"),
        f'<div class="{skin.name("wrap")} clearfix">',
        *inside,
        "</div>",
        _foot(document, skin),
    ]
    return "\n".join(parts)


def _head(document: Document, skin: Skin) -> str:
    lines = [_HEAD]
    if skin.meta:
        lines.append(f'<meta http-equiv="Content-Type" content="text/html; charset={skin.meta}" />')
    lines.append(f"<title>{escape(document.title)} - {escape(document.site_name)}</title>")
    if document.robots_meta:
        lines.append(f'<meta name="robots" content="{document.robots_meta}" />')
    if document.base:
        lines.append(f'<base href="{escape(document.base)}" />')
    lines.append('<link rel="stylesheet" type="text/css" href="/css/style.css" />')
    lines += ['<style type="text/css">', style(skin.markup, skin.variant), "</style>"]
    code = script(skin.markup, skin.variant)
    lines += ['<script type="text/javascript">', "//<![CDATA[", code, "//]]>", "</script>"]
    return "\n".join([*lines, "</head>", "<body>"])


def _list(anchors: Iterable[Anchor], skin: Skin, stem: str) -> str:
    inside = links(anchors, skin, "<li>", "</li>")
    return f'<div class="{skin.name(stem)}"><ul>\n{inside}\n</ul></div>'


def _block(title: str, anchors: tuple[Anchor, ...], skin: Skin, stem: str) -> str:
    if not anchors:
        return ""
    inside = links(anchors, skin, "<li>", "</li>")
    return f'<div class="{skin.name(stem)}"><h3>{title}</h3>\n<ul>\n{inside}\n</ul></div>'


def _side(document: Document, skin: Skin) -> str:
    parts = [
        _block("热门文章", document.entries if document.kind == "topic" else (), skin, "hot"),
        _block("服务", document.services, skin, "service"),
        _block("归档", document.pager if document.kind == "home" else (), skin, "archive"),
    ]
    return f'<div class="{skin.name("side")}">\n' + "\n".join(filter(None, parts)) + "\n</div>"


def _main(document: Document, skin: Skin) -> str:
    parts = [f'<div class="{skin.name("main")}">', f"<h1>{escape(document.title)}</h1>"]
    if document.date:
        parts.append(
            f'<div class="{skin.name("info")}"><span>{document.date}</span> '
            f"<span>来源：{document.source}</span> <span>编辑：{document.author}</span></div>"
        )
    if document.notice:
        parts.append(f'<p class="{skin.name("lead")}">{escape(document.notice)}</p>')
    if document.kind != "topic" and document.entries:
        parts.append(_list(document.entries, skin, "newslist"))
    if document.kind != "home" and document.pager:
        parts.append(
            f'<div class="{skin.name("pages")}">{links(document.pager, skin, "", " ")}</div>'
        )
    parts += _content(document, skin)
    parts.append(_block("相关阅读", document.related, skin, "related"))
    if document.padding:
        parts.append(f"<!-- {'填' * document.padding} -->")
    return "\n".join([*filter(None, parts), "</div>"])


def _content(document: Document, skin: Skin) -> list[str]:
    if document.posts:
        return [
            f'<div class="{skin.name("post")}">'
            f'<div class="{skin.name("author")}">{post.author}</div>'
            f'<div class="{skin.name("message")}"><em>发表于 {post.date}</em>'
            f"<p>{escape(post.text)}</p></div></div>"
            for post in document.posts
        ]
    if not document.items:
        return []
    inside = "\n".join(_item(item, skin) for item in document.items)
    return [f'<div class="{skin.name("content")}">\n{inside}\n</div>']


def _item(item: Item, skin: Skin) -> str:
    if item.kind == "picture":
        return (
            '<p style="text-align:center"><img src="/uploads/photo.jpg" alt="" /></p>\n'
            f'<p class="{skin.name("pic")}">{escape(item.text)}</p>'
        )
    if item.kind == "table":
        rows = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in item.rows)
        return f'<table class="{skin.name("data")}">{rows}</table>'
    return f"<p>　　{item_text(item, skin)}</p>"


def _foot(document: Document, skin: Skin) -> str:
    return f"""{_block("友情链接", document.friends, skin, "friend")}
<div id="{skin.name("foot")}"><p>
{links(document.footer, skin, "", " | ")}
</p><p>Copyright &copy; 2006-2014 {escape(document.site_name)} All Rights Reserved</p></div>
</body>
</html>"""
