"""Pages for the tests of topic items."""

from __future__ import annotations

import quarkcrawl as qc
from quarkcrawl.content.items.build import text_of

__all__ = ["BODY", "GOLDEN", "LINKS", "PRICES", "text"]

BODY = "<p>图书馆新到了一批书，借的人很多。请大家看完以后按时归还，谢谢。</p>" * 4
LINKS = "<ul>" + "<li><a href=x.html>另外一条新闻的标题，在这里</a></li>" * 8 + "</ul>"
PRICES = "<table><tr><th>名<th>价<tr><td>甲<td>3<tr><td>乙<td>4</table>"


def text(html: str, method: str = "default") -> str:
    return text_of(qc.topic_items(html, method=method))


GOLDEN = f"""
<html><head><title>校园新闻</title></head><body>
<div class=nav><a href=/>首页</a><a href=/news>新闻</a></div>
<div id=main>
  <h1>图书馆到了新书</h1>
  {BODY}
  <figure><a href=big.jpg><img src=small.jpg width=400 height=300 alt=书></a><figcaption>新书架</figcaption></figure>
  <p>第二段说明，<br>换行以后，继续说明。</p>
  {PRICES}
  <p>最后一段，到此结束。</p>
</div>
<div class=related>{LINKS}</div>
<div class=footer>版权所有，某某大学。</div></body></html>"""
