"""What a process loads once: compiled loops, the model, the dictionary of words.

The first page that a method sees pays for them: 15 s of CPU where numba has no cache of the
compiled loops yet, about a second where it has. Who serves others meanwhile (a crawl) or times
pages asks for them before, and the Makefile after an installation.
"""

from __future__ import annotations

from typing import Final

from quarkcrawl.content.methods import extract

_SENTENCES: Final = (
    "天网搜集系统从一九九七年开始运行，收集了中国的网页。",
    "每一个网页都被压缩，连同网址和时间一起保存下来，供研究者使用。",
    "研究者从网页中找出正文，去掉导航、广告和重复的文章。",
)
_LINK: Final = "<li><a href=/2008/0304/2.htm>网页的结构和排序</a>"
_PAGE: Final = (
    "<html><head><title>天网的网页 - 样例</title><meta name=author content=编者></head><body>"
    "<ul class=nav><li><a href=/>首页</a><li><a href=/news/>新闻</a></ul>"
    "<h1>天网的网页</h1><p>2008年3月5日 来源：样例</p>"
    f"<div><p>{_SENTENCES[0] * 3}<p>{_SENTENCES[1] * 3}</div>"
    f"<div><p>{_SENTENCES[0]}{_SENTENCES[2] * 4}</div>"
    "<table><tr><th>年<th>页<tr><td>1997<td>1,000,000</table>"
    f"<div><h2>相关新闻</h2><ul>{_LINK * 9}</ul></div></body></html>"
)


def warm_up(method: str = "default") -> None:
    """Load all that a method needs, by pages of its own.

    Args:
        method: name of the method.

    Raises:
        InputError: if there is no such method.
    """
    for html in (_PAGE, _PAGE.replace("首页", "😀")):  # loops of their own read rare characters
        content = extract(html, "http://www.example.com/2008/0305/1.htm", method)
        _ = content.text, content.metadata, content.blocks, content.topic_probability
        _ = content.related_links, content.items
