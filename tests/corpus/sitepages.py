"""Hosts of our own for what hosts repeat: articles with a notice in their content, and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.store import CorpusWriter
from tests.store.samples import make_item

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NOTICE = (
    "本文内容仅代表作者本人的观点，与本站立场没有任何关系，转载时请注明文章的出处和作者的姓名。"
)
COPIED = [
    f"第{place}条规定，网络实验室的全体成员应当在每周{place}的下午检查各自负责的服务器，并写下记录。"
    for place in "一二三四五六"
]


def paragraphs(number: int, n: int = 4) -> list[str]:
    """Sentences that no other page has."""
    return [
        f"第{number}次实验从{number * 7 + part}号服务器收集了{number * 31 + part * 5}万个网页，"
        f"平均每个网页有{part * number + 11}个链接，研究人员认为这个结果比上一次好得多。"
        for part in range(n)
    ]


def page(number: int, texts: Iterable[str], notice: str = NOTICE) -> bytes:
    """A page whose content is some paragraphs, with the notice between them."""
    first, *rest = (f"<p>{text}</p>" for text in texts)
    note = f'<div class="note{number}"><p>{notice}</p></div>' if notice else ""
    return (
        f"<html><head><title>第{number}篇文章</title></head><body><h1>第{number}篇文章</h1>"
        f'<div class="content">{first}{note}{"".join(rest)}</div></body></html>'
    ).encode("gb18030")


def store(root: Path, host: str, bodies: Iterable[bytes], start: int = 0) -> None:
    """Add pages to a corpus."""
    with CorpusWriter(root) as writer:
        for number, body in enumerate(bodies, start):
            url = f"http://{host}/{number}.html"
            writer.append_page(make_item(number, host=host, url=url, body=body))


def articles(n: int, start: int = 0) -> list[bytes]:
    """Different articles with the same notice."""
    return [page(number, paragraphs(number)) for number in range(start, start + n)]


def copies(n: int) -> list[bytes]:
    """One article, mirrored, each time with a line and a title of its own."""
    return [page(number, [*COPIED, paragraphs(number, 1)[0]], "") for number in range(n)]
