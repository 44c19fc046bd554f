"""Labels for page classes that nobody made for the purpose: what sites say of their own pages.

- topics: tags and categories of posts on personal sites, taken from the addresses of the links
  that a post has to its tag pages. A tag on half of a site's posts or more is navigation. Classes
  are the tags that two sites at least spell alike and use on five posts each; posts with several
  of them are left out. The links themselves are taken out of the pages before anything is read.
- rubrics: the rubric of a news page by its title, as its editors call it (headline_娱乐_新民网),
  else by the first part of the host's name (ent.xinmin.cn). A title is no text of the page; the
  words that rubrics are called by are taken out of the words.
- kinds: article or forum thread, by the data set that a page was put into by hand.
- pages: kind of page of a site (post, home, archive, tag, category) by its address.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from quarkcrawl.lab.training.data import site_of
from quarkcrawl.page import Page

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MIN_PAGES, MAX_PAGES = 5, 60
_LINK = re.compile(
    r"""<a\b[^>]*?href\s*=\s*["']?([^"'\s>]*)[^>]*>.*?</a>""", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"/(?:tags|categories|tag|category)/(?!page/)(.+?)/?(?:index\.html)?$")
RUBRICS = {
    "finance": "财经 財經 经济 經濟 股票 股市 美股 证券 證券 理财 金融 产业 公司 外汇 企业 财富 "
    "财讯 产经",
    "technology": "科技 家电 数码 互联网 电信",
    "entertainment": "娱乐 娛樂 影音 电影 影視 影视 文娱",
    "health": "健康 醫藥 医药 卫生 醫療 养生 保健",
    "society": "社会 社會",
    "life": "生活 樂活 消費 旅遊 旅游 美食",
}
"""Words that rubrics are called by, in the titles of pages."""
CHANNELS = {
    "finance": "finance money stock forex economy industry biz kuaixun",
    "technology": "tech it digi",
    "entertainment": "ent entertainment yule movie",
    "health": "health",
}
"""First parts of the names of hosts."""
RUBRIC_WORDS = frozenset(word for words in RUBRICS.values() for word in words.split()) | frozenset(
    ["新闻", "新聞", "频道", "頻道", "首页", "首頁"]
)
_SEGMENT = re.compile(r"[_|｜]|\s-\s|-")
_RUBRIC_CHARS = 8


@dataclass(frozen=True)
class Labeled:
    label: str
    site: str
    name: str
    url: str
    body: bytes


def records(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def tags_of(html):
    found = (_TAG.search(unquote(href)) for href in _LINK.findall(html))
    parts = (match[1].lower().split("/") for match in found if match)
    return {part.strip().replace("-", " ") for names in parts for part in names}


def without_tags(html):
    """A page without its links to pages of tags."""
    return _LINK.sub(lambda hit: "" if _TAG.search(unquote(hit[1])) else hit[0], html)


def _posts():
    for path in sorted((DATA / "sites").glob("*.jsonl.gz")):
        site = path.name.split(".")[0]
        posts = [one for one in records(path) if one["template_label"] in {"post", "other"}]
        tags = [tags_of(one["html"]) for one in posts]
        often = Counter(tag for own in tags for tag in own)
        for one, own in zip(posts, tags, strict=True):
            yield site, one, {tag for tag in own if often[tag] < len(posts) / 2}


def topics(seed=1):
    posts = list(_posts())
    pages = defaultdict(Counter)
    for site, _, tags in posts:
        for tag in tags:
            pages[tag][site] += 1
    shared = {
        tag for tag, sites in pages.items() if sum(n >= MIN_PAGES for n in sites.values()) > 1
    }
    single = [(site, one, tags & shared) for site, one, tags in posts if len(tags & shared) == 1]
    found = [
        Labeled(*tags, site, one["url"], one["url"], without_tags(one["html"]).encode())
        for site, one, tags in single
    ]
    return _several_sites(_capped(found, seed), MIN_PAGES)


def _extraction(*names):
    for name in names:
        for one in records(DATA / "extraction" / f"{name}.jsonl.gz"):
            yield name, one, base64.b64decode(one["body_b64"])


def rubrics():
    found = []
    for _, one, body in _extraction("daniel_zh", "magic_article_zh"):
        title = Page.from_bytes(body, one["url"]).tree.title
        label = _rubric(title) or _channel(one["url"])
        if label:
            found.append(Labeled(label, site_of(one["url"], body), one["id"], one["url"], body))
    return _several_sites(found)


def _rubric(title):
    """By the first short part of a title, after the headline, that is called by such a word."""
    for part in _SEGMENT.split(title)[1:]:
        for name, words in RUBRICS.items():
            if len(part) <= _RUBRIC_CHARS and any(word in part for word in words.split()):
                return name
    return None


def _channel(url):
    first = (urlsplit(url).hostname or "").split(".")[0]
    return next((name for name, words in CHANNELS.items() if first in words.split()), None)


def kinds():
    names = [f"magic_{kind}_{lang}" for kind in ("article", "forum") for lang in ("zh", "en")]
    return [
        Labeled(name.split("_")[1], site_of(one["url"], body), one["id"], one["url"], body)
        for name, one, body in _extraction(*names)
    ]


def pages(seed=1, per_site=25):
    found = []
    for path in sorted((DATA / "sites").glob("*.jsonl.gz")):
        site = path.name.split(".")[0]
        for one in records(path):
            if one["template_label"] in {"post", "home", "archive", "tag", "category"}:
                body = one["html"].encode()
                found.append(Labeled(one["template_label"], site, one["url"], one["url"], body))
    return _several_sites(_capped(found, seed, per_site))


def _capped(found, seed, most=MAX_PAGES):
    """At most so many pages of a class and site: no site drowns the others."""
    dice, groups = random.Random(seed), defaultdict(list)
    for one in found:
        groups[one.label, one.site].append(one)
    return [one for own in groups.values() for one in dice.sample(own, min(most, len(own)))]


def _several_sites(found, least=1):
    """Without classes that only one site has on so many pages, or of ten pages or fewer."""
    sites, often = defaultdict(Counter), Counter(one.label for one in found)
    for one in found:
        sites[one.label][one.site] += 1
    kept = {
        label
        for label, pages in sites.items()
        if sum(n >= least for n in pages.values()) > 1 and often[label] > 10
    }
    return [one for one in found if one.label in kept]
