"""The web of these tests: three hosts of the demo web, and one that reprints articles of another."""

from __future__ import annotations

import base64

from quarkcrawl.lab.mockweb import Ask, MiniWeb, truth

__all__ = ["HOSTS", "N_REPRINTS", "REPRINTS", "pages_of_the_web"]

HOSTS = ["www.tianhaiwenshan.net.cn", "zekangbei.com", "club.fangmingzhixia.com.cn"]
REPRINTS = "www.zhuanzai.cn"
N_REPRINTS = 4


def pages_of_the_web() -> dict[str, dict]:
    """Every URL of the four hosts with what it answers, as `ServerProcess.for_pages` takes it."""
    web = MiniWeb.demo()
    found = truth(web, HOSTS).hosts
    urls = [url for host in HOSTS for url in (f"http://{host}/", *found[host].levels)]
    pages = {url: _row(web, url) for url in urls}
    articles = [url for url in found[HOSTS[0]].levels if "show.asp" in url][:N_REPRINTS]
    links = "".join(f'<p><a href="/{n}.html">转载{n}</a></p>' for n in range(len(articles)))
    pages[f"http://{REPRINTS}/"] = {"html": f"<title>转载</title><h1>转载</h1>{links}"}
    for number, url in enumerate(articles):
        body = base64.b64decode(pages[url]["body_b64"])
        pages[f"http://{REPRINTS}/{number}.html"] = {"html": _reprinted(body)}
    return pages


def _row(web: MiniWeb, url: str) -> dict:
    scheme, _, rest = url.partition("://")
    host, _, target = rest.partition("/")
    reply = web.respond(Ask(scheme, host, "/" + target))
    body = base64.b64encode(reply.body).decode()
    return {"status": reply.status, "headers": list(reply.headers), "body_b64": body}


def _reprinted(body: bytes) -> str:
    """An article with some words exchanged, as editors do; its links lead nowhere here."""
    return body.decode().replace("表示", "指出").replace("已经", "早已")
