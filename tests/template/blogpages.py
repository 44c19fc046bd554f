"""Pages of a blog: posts and lists, of two templates."""

from quarkcrawl.page import Page
from quarkcrawl.template.structure.sequence import sequence_of_page

__all__ = ["WORDS", "at", "listing", "post", "prepared"]

WORDS = "春天来了，校园里的樱花开得正好。同学们在湖边读书，老师在树下散步。"


def post(number, comments=0, host="a.example.cn", editor=True):
    """A page of a blog: title, date, body, sometimes an editor, some comments."""
    said = "".join(f"<dl><dt>网友{k}</dt><dd>评论{number}-{k}</dd></dl>" for k in range(comments))
    by = f"<address>编辑{number}</address>" if editor else ""
    body = "".join(f"<p>第{number}篇第{k}段。{WORDS}</p>" for k in range(3 + number % 4))
    html = f"""<html><head><title>文章{number} - 我的博客</title></head><body>
    <nav><a href="/">首页</a> <a href="/about">关于</a></nav>
    <div><article><h1>文章{number}</h1><time>2013-06-{10 + number % 18}</time>{by}
    <section>{body}</section></article><aside>{said}</aside></div>
    <footer>版权所有 我的博客</footer></body></html>"""
    return Page.from_html(html, f"http://{host}/post/{number}.html")


def listing(number, host="a.example.cn"):
    rows = "".join(
        f"<h2><a href='/post/{number}{k}.html'>旧文{number}{k}</a></h2>" for k in range(9)
    )
    html = f"""<html><head><title>第{number}页</title></head><body><nav><a href="/">首页</a></nav>
    <main>{rows}</main><form><button>查</button></form></body></html>"""
    return Page.from_html(html, f"http://{host}/list/{number}.html")


def at(template, tag):
    return next(place for place, node in template.positions() if node.tag == tag)


def prepared(page, templates):
    return sequence_of_page(page, templates.sequence).sequence
