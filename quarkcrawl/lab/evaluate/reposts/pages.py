"""Web pages around the texts of the repost benchmark: sites that look different from each other.

Five layouts of the time, in tables and in blocks, each with navigation, lists of other articles,
advertisements and a footer of its own, varied by host. What is measured on them is extraction and
grouping together.
"""

from __future__ import annotations

from html import escape
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quarkcrawl.lab.evaluate.reposts.reposts import Repost


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_CHANNELS: Final = _words(
    "首页 新闻 国内 国际 财经 体育 科技 教育 娱乐 军事 汽车 房产 论坛 博客 图片 视频"
)
_TOPICS: Final = _words(
    "高考招生 房价走势 联赛战报 新车上市 银行利率 手机评测 旅游线路 养生知识 票房排行"
)
_ACTIONS: Final = _words(
    "最新消息 引发热议 现场图集 专家解读 全国排名 网友评论 十大看点 有新变化 权威发布"
)

_LISTED: Final = "<li><a href={0}>{1}</a></li>"


def _links(random: Random, n_links: int, item: str) -> str:
    return "".join(
        item.format(
            f"/a/{random.randrange(10**6)}.html", random.choice(_TOPICS) + random.choice(_ACTIONS)
        )
        for _ in range(n_links)
    )


def _navigation(random: Random, n_links: int, between: str) -> str:
    channels = random.sample(_CHANNELS, n_links)
    return between.join(f'<a href="/c{at}/">{name}</a>' for at, name in enumerate(channels))


def _title(paragraphs: Sequence[str], random: Random) -> str:
    body = max(paragraphs, key=len, default="")
    return escape(body[: random.randint(10, 18)].strip("，。：“”"))


def _paragraphs(paragraphs: Sequence[str], before: str, after: str) -> str:
    return "".join(f"{before}{escape(paragraph)}{after}\n" for paragraph in paragraphs)


def _tables(title: str, body: Sequence[str], random: Random) -> str:
    """Portal of about 2004: nested tables, br between paragraphs."""
    return (
        f"<table width=760><tr><td>{_navigation(random, 10, ' | ')}</td></tr></table>"
        "<table width=760><tr><td width=560 valign=top>"
        f"<table><tr><td align=center><font size=5><b>{title}</b></font></td></tr>"
        f"<tr><td align=center>2004年8月{random.randint(1, 28)}日 10:20</td></tr>"
        f"<tr><td>{_paragraphs(body, '　　', '<br><br>')}</td></tr></table></td>"
        f"<td width=200><b>相关新闻</b><br>{_links(random, 9, '· <a href={0}>{1}</a><br>')}</td>"
        "</tr></table><table width=760><tr><td align=center>"
        "关于我们 | 联系方式 | 广告服务<br>版权所有 京ICP证010010号</td></tr></table>"
    )


def _blocks(title: str, body: Sequence[str], random: Random) -> str:
    """News site of about 2010: div and ul."""
    return (
        f"<div class=nav>{_navigation(random, 12, ' ')}</div><div id=main><div class=left>"
        f"<h1>{title}</h1><div class=info>2010-0{random.randint(1, 9)}-12 09:30</div>"
        f"<div class=text>{_paragraphs(body, '<p>　　', '</p>')}</div>"
        f"<div class=rel><h3>相关阅读</h3><ul>{_links(random, 8, _LISTED)}</ul>"
        "</div></div><div class=right><h3>热点排行</h3><ol>"
        f"{_links(random, 10, _LISTED)}</ol></div></div>"
        "<div class=footer><p>© 2010 All Rights Reserved. 电信业务经营许可证</p></div>"
    )


def _html5(title: str, body: Sequence[str], random: Random) -> str:
    """A site of today."""
    return (
        f"<header><nav>{_navigation(random, 8, '')}</nav></header><main><article>"
        f"<h1>{title}</h1><time datetime=2021-03-0{random.randint(1, 9)}>2021年3月</time>"
        f"{_paragraphs(body, '<p>', '</p>')}</article>"
        f"<aside><h2>推荐</h2>{_links(random, 7, '<p><a href={0}>{1}</a></p>')}</aside></main>"
        "<footer><p>公司简介 隐私政策 沪公网安备31010402000001号</p></footer>"
    )


def _blog(title: str, body: Sequence[str], random: Random) -> str:
    """A blog with its entry in one block and a side of links before it."""
    return (
        f"<div id=side><h4>最近文章</h4><ul>{_links(random, 10, '<li><a href={0}>{1}</a>')}</ul>"
        f"<h4>分类</h4>{_navigation(random, 6, '<br>')}</div><div id=content><div class=post>"
        f"<h2><a href=/p/1>{title}</a></h2><div class=entry>{_paragraphs(body, '<div>', '</div>')}"
        f"</div><p class=meta>阅读({random.randint(10, 9999)})</p></div></div>"
        "<div id=foot>Powered by WordPress</div>"
    )


def _forum(title: str, body: Sequence[str], random: Random) -> str:
    """The first entry of a thread, with two short replies."""
    replies = "".join(
        f"<tr><td>网友{random.randrange(999)}</td><td>{text}</td></tr>"
        for text in random.sample(["顶一下", "学习了，谢谢分享", "路过看看", "沙发"], 2)
    )
    return (
        f"<div>{_navigation(random, 7, ' » ')}</div><h1>{title}</h1><table>"
        f"<tr><td width=150>楼主 等级：会员</td><td><div>{_paragraphs(body, '', '<br>')}</div>"
        "</td></tr>"
        f"{replies}</table><div>{_links(random, 6, '<a href={0}>{1}</a> ')}</div>"
        "<p>Powered by Discuz! X3</p>"
    )


_LAYOUTS: Final[tuple[Callable[[str, Sequence[str], Random], str], ...]] = (
    _tables,
    _blocks,
    _html5,
    _blog,
    _forum,
)
N_LAYOUTS: Final = len(_LAYOUTS)
"""How many layouts there are."""


def page_of(repost: Repost, number: int, seed: int = 0) -> str:
    """HTML of a page that shows a text.

    Args:
        repost: the text.
        number: tells the pages of a benchmark apart; it decides site and layout.
        seed: the same text, number and seed give the same page.
    """
    random = Random(f"page {seed} {number}")  # noqa: S311 - reproducible on purpose
    body = repost.text.split("\n")
    title = _title(body, random)
    content = _LAYOUTS[random.randrange(N_LAYOUTS)](title, body, random)
    site = random.choice(_CHANNELS) + "网"
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8">'
        f"<title>{title}_{site}</title></head><body>{content}</body></html>"
    )
