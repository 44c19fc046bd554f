"""Related links: rules one by one, and precision and recall on the simulated web."""

from urllib.parse import urlsplit

import pytest

import quarkcrawl as qc
from quarkcrawl.content import related
from quarkcrawl.content.related import is_article_url
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth, truth

HERE = "http://a.cn/2008/03/05/t_1234.html"
BODY = "北京天文馆拍到了流星，研究人员分析了照片，并且公布了全部结果。" * 10


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.cn/2008/03/06/t_1235.html", True),
        (HERE, False),
        ("http://b.cn/2008/03/06/t_1235.html", False),
        ("http://a.cn/", False),
        ("http://a.cn/sports/", False),
        ("http://a.cn/index.html", False),
        ("http://a.cn/list_200801.html", False),
        ("http://a.cn/tags/2008.html", False),
        ("http://a.cn/news/88123.shtml", True),
        ("http://a.cn/about.html", False),
    ],
)
def test_articles_of_the_same_site(url, expected):
    assert is_article_url(url, HERE) is expected


def test_links_at_once_are_judged_as_one_by_one():
    paths = ("/", "/a?x=1", "/2008/03/06/t_1235.html", "/index.html?id=123", "/n/88123.shtml", "/?")
    urls = [f"http://{host}{path}" for host in ("a.cn", "a.cn:8080", "b.cn") for path in paths]
    for here in (HERE, "http://a.cn/", "", "//["):
        assert related._are_articles(urls, here) == [is_article_url(url, here) for url in urls]


def test_no_address_no_article():
    assert not is_article_url("http://a.cn/1234.html", "//[")
    assert not is_article_url("http://a.cn/1234.html", "")


def links(n, host=""):
    item = '<li><a href="{}/2008/03/{}/t_{}.html">一篇关于流星的报道第{}号</a>'
    return "".join(item.format(host, day, 1000 + day, day) for day in range(10, 10 + n))


def found(*parts, url=HERE):
    html = f"<title>流星</title><div>{BODY}</div>" + "".join(parts)
    return len(qc.extract(html, url=url, method="quark").related_links)


def test_what_the_words_above_say():
    assert found(f"<div>相关新闻<ul>{links(5)}</ul></div>") == 5
    assert found(f"<div><p>延伸閱讀</p></div><div><ul>{links(5)}</ul></div>") == 5
    assert found(f"<div>热门排行<ul>{links(5)}</ul></div>") == 0
    assert found(f"<div>Hot<ul>{links(5)}</ul></div>") == 0
    assert found(f"<div>Photos of the day<ul>{links(5)}</ul></div>") == 5  # no word of its own
    far = (
        "<div>"
        + "版权所有，未经授权，不得转载，联系我们，其他文字，其他文字，其他文字。" * 3
        + "</div>"
    )
    assert found(f"<div><ul>{links(5)}</ul></div>") == 5
    assert found(far, f"<div><ul>{links(5)}</ul></div>") == 0
    assert found(far, f"<div>相关新闻<ul>{links(5)}</ul></div>") == 5


def test_links_that_lead_elsewhere_or_to_no_article():
    assert found(f"<div>相关新闻<ul>{links(5, 'http://b.cn')}</ul></div>") == 0
    sections = "".join(f'<li><a href="/c{n}/">频道的名字第{n}号</a>' for n in range(9))
    assert found(f"<div>相关栏目<ul>{sections}</ul></div>") == 0


def test_related_links_inside_a_content_block():
    html = (
        f"<div>{BODY}<p>相关阅读</p><ul>{links(3)}</ul><p>{BODY}<a href='/x/9999.html'>注</a></div>"
    )
    content = qc.extract(html, url=HERE, method="quark")
    assert [block.kind for block in content.blocks] == ["content"]
    assert [link.text[-3:] for link in content.related_links] == ["10号", "11号", "12号"]


def miniweb_pages(seed):
    web = MiniWeb(seed, 12, 250)
    for urls in truth(web).groups.values():
        url = min(urls)
        known = page_truth(web, url)
        if known is None or known.kind != "topic":
            continue
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        reply = web.respond(Ask(parts.scheme, parts.netloc, target, visit=2))
        if reply.status == 200 and reply.body:
            yield known, qc.Page.from_bytes(reply.body, url, known.content_type)


@pytest.mark.full
def test_precision_and_recall_on_the_simulated_web():
    right = n_found = n_true = 0
    for known, page in miniweb_pages(seed=7):
        related = {link.url for link in qc.extract(page, method="quark").related_links}
        right += len(related & set(known.related))
        n_found += len(related)
        n_true += len(known.related)
    assert n_true > 500
    assert right / n_found > 0.95
    assert right / n_true > 0.9
