"""Corpora with texts of our own for what is asked of labels and data sets."""

from __future__ import annotations

import random
from pathlib import Path

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, extract_corpus
from quarkcrawl.engines import DuckEngine
from quarkcrawl.refine import RefineOptions, refine_corpus
from quarkcrawl.store import CorpusWriter
from tests.corpus.sitepages import page
from tests.store.samples import make_item

POOL = PoolOptions(workers=1, in_process=True)
HOSTS = ("www.lab.cn", "news.lab.cn", "bbs.lab.cn")
SHORT = "http://www.lab.cn/short.html"
COPY = "http://copy.lab.cn/0.html"


_WORDS = [
    "网络",
    "实验室",
    "学生",
    "研究",
    "数据",
    "网页",
    "北京",
    "上海",
    "文章",
    "历史",
    "语言",
    "问题",
    "方法",
    "结果",
    "系统",
    "搜索",
    "引擎",
    "图书馆",
    "老师",
    "城市",
    "新闻",
    "天气",
    "春天",
    "河流",
    "音乐",
    "电影",
    "足球",
    "经济",
    "市场",
    "公司",
    "产品",
    "设计",
    "建筑",
    "旅行",
    "火车",
    "机场",
    "海洋",
    "森林",
    "动物",
    "植物",
    "医院",
    "健康",
    "食物",
    "茶叶",
    "咖啡",
    "早晨",
    "夜晚",
    "朋友",
    "家庭",
    "孩子",
    "父母",
    "学校",
    "考试",
    "大学",
    "专业",
    "工程",
    "数学",
    "物理",
    "化学",
    "生物",
]
_VERBS = [
    "发现",
    "认为",
    "需要",
    "改变",
    "影响",
    "支持",
    "反对",
    "解释",
    "记录",
    "比较",
    "学习",
    "参观",
    "讨论",
    "建立",
    "保护",
    "完成",
]


def sentences(number: int, n: int = 8) -> list[str]:
    """Paragraphs that no other number gives."""
    chance = random.Random(number)
    return [
        "".join(
            f"{chance.choice(_WORDS)}的{chance.choice(_WORDS)}{chance.choice(_VERBS)}了"
            f"{chance.choice(_WORDS)}和{chance.choice(_WORDS)}，"
            f"我们在{chance.choice(_WORDS)}里{chance.choice(_VERBS)}{chance.choice(_WORDS)}。"
            for _ in range(3)
        )
        for _ in range(n)
    ]


def body(number: int) -> bytes:
    """An article that no other page has."""
    return page(number, sentences(number), "")


def add(root: Path, pages: dict[str, bytes]) -> None:
    """Store pages by URL."""
    with CorpusWriter(root) as writer:
        for number, (url, html) in enumerate(pages.items()):
            host = url.split("/")[2]
            writer.append_page(make_item(number, host=host, url=url, body=html))


def make_corpus(root: Path, n: int = 30) -> None:
    """Articles of three hosts, and a short one."""
    pages = {f"http://{HOSTS[k % 3]}/{k}.html": body(k) for k in range(n)}
    add(
        root,
        pages | {SHORT: page(999, ["第999次实验没有结果，研究人员认为应当再做一次实验。"], "")},
    )


def extract(root: Path, **options) -> None:
    """Extract the contents by the default method."""
    extract_corpus(root, ExtractionOptions(site_pages=0), pool=POOL, **options)


def refine(root: Path, options: RefineOptions | None = None, **how):
    """Label the documents in this process."""
    with DuckEngine(memory_bytes=512 << 20, threads=1) as engine:
        return refine_corpus(engine, root, options, pool=POOL, **how)


def make_labeled(root: Path) -> None:
    """The same with a copy and an empty page, extracted and labeled."""
    make_corpus(root)
    add(root, {COPY: body(0), "http://empty.lab.cn/": b"<html></html>"})
    extract(root)
    refine(root)
