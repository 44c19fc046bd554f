"""A site for what people teach: articles with a note below that a method takes for content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.corpus.sitepages import NOTICE, paragraphs, store

if TYPE_CHECKING:
    from pathlib import Path

TAUGHT, ALONE = "taught.cn", "alone.cn"
N_PAGES = 9
RULE = f"""[[rule]]
host = "{TAUGHT}"
kind = "noise"
select = "div.note"
"""


def article(number: int, more: str = "") -> bytes:
    """One article; its id is its own, the note has a name that all have."""
    text = "".join(f"<p>{one}</p>" for one in paragraphs(number, 8))
    return (
        f"<html><head><meta charset=gb18030><title>第{number}篇文章</title></head><body>"
        f"<h1>第{number}篇文章</h1><div class='text' id='p{number}'>{text}</div>"
        f"<div class='note'><p>{NOTICE}</p></div>"
        f"{more}</body></html>"
    ).encode("gb18030")


def store_site(root: Path) -> None:
    """Two hosts with the same articles."""
    for host in (TAUGHT, ALONE):
        store(root, host, map(article, range(N_PAGES)))
