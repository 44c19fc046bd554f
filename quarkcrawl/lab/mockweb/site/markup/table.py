"""HTML as it was written about 2005: layout tables, font tags, no closing of what closes itself."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site.chrome import script, style
from quarkcrawl.lab.mockweb.site.markup.skin import item_text, link, links

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.markup.skin import Skin
    from quarkcrawl.lab.mockweb.site.model import Document, Item


_DOCTYPE = '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">'


def render(document: Document, skin: Skin) -> str:
    """Render a page."""
    sides = [_side(document, skin), _main(document, skin)]
    if skin.variant % 2:
        sides.reverse()
    parts = [
        _head(document, skin),
        _banner(document, skin),
        "<TABLE cellSpacing=0 cellPadding=4 width=760 align=center border=0><TR vAlign=top>",
        *sides,
        "</TR></TABLE>",
        _foot(document, skin),
    ]
    return "\n".join(part for part in parts if part)


def _head(document: Document, skin: Skin) -> str:
    lines = [_DOCTYPE, "<HTML><HEAD>"]
    if skin.meta:
        lines.append(f'<META http-equiv=Content-Type content="text/html; charset={skin.meta}">')
    lines.append(f"<TITLE>{escape(document.title)}_{escape(document.site_name)}</TITLE>")
    if document.robots_meta:
        lines.append(f'<META name=robots content="{document.robots_meta}">')
    if document.base:
        lines.append(f'<BASE href="{escape(document.base)}">')
    lines += ["<STYLE type=text/css>", style(skin.markup, skin.variant), "</STYLE>"]
    lines += [
        "<SCRIPT language=JavaScript><!--",
        script(skin.markup, skin.variant),
        "//--></SCRIPT>",
    ]
    return "\n".join([*lines, "</HEAD><BODY bgColor=#ffffff topMargin=0>"])


def _banner(document: Document, skin: Skin) -> str:
    return f"""<TABLE width=760 align=center border=0 bgColor=#336699><TR><TD height=60>
<IMG src="/images/logo.gif" width=180 height=56 alt="{escape(document.site_name)}"></TD>
<TD align=right><FONT color=#ffffff>设为首页 | 加入收藏</FONT></TD></TR></TABLE>
<TABLE width=760 align=center border=0 bgColor=#eeeeee><TR><TD>
{links(document.nav, skin, "", " | ")}
</TD></TR></TABLE>"""


def _side(document: Document, skin: Skin) -> str:
    is_topic = document.kind == "topic"
    blocks = [
        ("热点排行", document.entries if is_topic else ()),
        ("服务导航", document.services),
        ("分页" if document.kind == "list" else "存档", document.pager),
    ]
    rows = [
        f"<TR><TD bgColor=#cccccc><B>{title}</B></TD></TR>\n"
        f"<TR><TD>{links(group, skin, '·', '<BR>')}</TD></TR>"
        for title, group in blocks
        if group
    ]
    inside = "\n".join(rows) or "<TR><TD>&nbsp;</TD></TR>"
    return f'<TD width=200><TABLE width="100%" border=0>\n{inside}\n</TABLE></TD>'


def _main(document: Document, skin: Skin) -> str:
    parts = [f"<CENTER><FONT size=5><B>{escape(document.title)}</B></FONT></CENTER><BR>"]
    if document.date:
        parts.append(
            f"<CENTER><FONT color=#666666>{document.date} 来源：{document.source} "
            f"作者：{document.author}</FONT></CENTER><HR SIZE=1>"
        )
    if document.notice:
        parts.append(f"<P>　　{escape(document.notice)}</P>")
    if document.kind != "topic":
        parts.append(links(document.entries, skin, "<LI class=f14>", ""))
    parts += [_item(item, skin) for item in document.items]
    parts += [
        f"<TABLE width=520 border=1><TR><TD width=90 bgColor=#f5f5f5><B>{post.author}</B></TD>"
        f"<TD>发表于 {post.date}<HR SIZE=1>{escape(post.text)}</TD></TR></TABLE>"
        for post in document.posts
    ]
    if document.related:
        parts.append("<BR><B><FONT color=#cc0000>相关新闻</FONT></B><BR>")
        parts.append(links(document.related, skin, "<LI>", ""))
    if document.padding:
        parts.append(f"<!-- {'填' * document.padding} -->")
    return "<TD width=550>\n" + "\n".join(parts) + "\n</TD>"


def _item(item: Item, skin: Skin) -> str:
    if item.kind == "picture":
        return (
            '<CENTER><IMG src="/uploads/photo.jpg" width=400 border=1><BR>'
            f"<FONT color=#336699>{escape(item.text)}</FONT></CENTER><BR>"
        )
    if item.kind == "table":
        rows = "".join(f"<TR><TD>{'</TD><TD>'.join(row)}</TD></TR>" for row in item.rows)
        return f"<TABLE border=1 cellSpacing=0>{rows}</TABLE><BR>"
    return f"<FONT class=f14>　　{item_text(item, skin)}</FONT><BR><BR>"


def _foot(document: Document, skin: Skin) -> str:
    friends = ""
    if document.friends:
        cells = " ".join(link(anchor, skin, " target=_blank") for anchor in document.friends)
        friends = f"<TABLE width=760 align=center><TR><TD>友情链接：{cells}</TD></TR></TABLE>"
    return f"""{friends}
<TABLE width=760 align=center border=0><TR><TD align=middle><HR SIZE=1>
{links(document.footer, skin, "", " - ")}<BR>
Copyright &copy; 2003-2012 {escape(document.site_name)} 版权所有 ICP备05001234号
</TD></TR></TABLE></BODY></HTML>"""
