"""Known-item search on a corpus made up, beside a naive BM25 and naive places; TREC's files."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections import Counter

import numpy as np
import pytest
from ir_datasets.formats import TrecDocs, TrecQrels, TrecQueries
from ir_datasets.util import LocalDownload

from quarkcrawl.cli import main
from quarkcrawl.content.quark import words
from quarkcrawl.errors import InputError
from quarkcrawl.lab.search import KnownItem, SearchPage, known_items, score_search, search_pages
from quarkcrawl.lab.search.ranking import place_of
from quarkcrawl.store import CorpusWriter
from tests.store.samples import make_item

CITIES = ["北京图书馆", "上海博物馆", "广州植物园", "成都动物园", "西安古城墙", "杭州美术馆"]
THINGS = ["开放时间", "门票价格", "交通路线", "历史沿革", "馆藏精品", "参观须知"]


def html(title: str, links: dict[str, str], n_sentences: int = 12) -> bytes:
    text = "".join(f"<p>{title}是本市居民周末常去的地方，第{n}段介绍它的{THINGS[n % 6]}。</p>"
                   for n in range(n_sentences))  # fmt: skip
    anchors = "".join(f'<li><a href="{url}">{name}</a></li>' for url, name in links.items())
    return (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
        f"<div>{text}</div><ul>{anchors}</ul></body></html>"
    ).encode()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two sites; a page of each links to the others by other words, all by 阅读 and 下一篇."""
    root = tmp_path_factory.mktemp("search") / "corpus"
    number = 0
    with CorpusWriter(root) as writer:
        for host in ("a.cn", "b.cn"):
            for place, city in enumerate(CITIES):
                title = f"{city}{host[0]}馆介绍"
                following = (place + 1) % len(CITIES)
                links = {
                    f"/{following}": f"下一篇：{CITIES[following]}{host[0]}馆介绍",
                    f"/{(place + 2) % 6}": "继续阅读",
                }
                if place == 0:
                    links |= {f"/{n}": f"{host[0]}站{THINGS[n]}指南手册" for n in range(3, 6)}
                body = html(title, links)
                writer.append_page(
                    make_item(number, host=host, url=f"http://{host}/{place}", body=body)
                )
                number += 1
    assert main(["rank", "pagerank", str(root)]) == 0
    return root


@pytest.fixture(scope="module")
def searched(corpus):
    pages, failures = search_pages(corpus, "rules", workers=1)
    assert failures == {}
    return pages, known_items(corpus, pages)


def test_queries_have_one_right_answer(searched):
    pages, items = searched
    titles = [item for item in items if item.kind == "title"]
    assert {item.text for item in titles} == {page.title for page in pages}
    assert all(pages[item.page].title == item.text for item in titles)
    anchors = {(item.text, pages[item.page].url) for item in items if item.kind == "anchor"}
    assert anchors == {
        (f"{host}站{THINGS[n]}指南手册", f"http://{host}.cn/{n}") for host in "ab" for n in (3, 4, 5)
    }  # fmt: skip


def test_headlines_of_two_pages_are_no_queries(corpus):
    pages = [SearchPage(f"http://c.cn/{n}", "c.cn", "同一个标题", "", "") for n in range(2)]
    assert known_items(corpus, pages) == []
    with pytest.raises(InputError, match="names one page only"):
        score_search(pages, [], {})


def naive_bm25(texts: list[list[str]], query: list[str]) -> list[float]:
    """Lucene's: k1 1.5, b .75, and log(1 + (N - n + .5) / (n + .5))."""
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        counts, score = Counter(text), 0.0
        for word in query:
            n = sum(word in other for other in texts)
            weight = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
            length = 1.5 * (0.25 + 0.75 * len(text) / mean)
            score += weight * counts[word] / (counts[word] + length)
        scores.append(score)
    return scores


def test_places_are_those_of_a_naive_search(searched):
    pages, items = searched
    scores = score_search(pages, items, {})
    assert [(result.text, result.rank) for result in scores.results] == [
        ("whole", ""),
        ("content", ""),
    ]
    for result in scores.results:
        texts = [words(getattr(page, result.text)) for page in pages]
        for item, reciprocal in zip(items, result.reciprocal, strict=True):
            found = naive_bm25(texts, words(item.text))
            own = found[item.page]
            near = [abs(other - own) < 1e-5 for other in found]
            place = 1 + sum(
                other > own and not close for other, close in zip(found, near, strict=True)
            )
            assert reciprocal == pytest.approx(1 / (place + (sum(near) - 1) / 2) if own else 0)  # fmt: skip


def test_equal_scores_share_their_places():
    rng = random.Random(7)
    for _ in range(200):
        scores = np.array([float(rng.randrange(5)) for _ in range(rng.randrange(1, 9))])
        position = rng.randrange(len(scores))
        order = sorted(range(len(scores)), key=lambda one: -scores[one])
        equal = [
            1 + order.index(one) for one in range(len(scores)) if scores[one] == scores[position]
        ]
        assert place_of(scores, position) == sum(equal) / len(equal)  # fmt: skip


def test_a_rank_that_knows_the_answer_helps_and_its_weight_comes_from_other_sites():
    texts = ["天网 搜索 引擎"] * 8
    pages = [SearchPage(f"http://{host}/{n}", host, "", text, text)
             for host in ("a.cn", "b.cn", "c.cn") for n, text in enumerate(texts)]  # fmt: skip
    items = [
        KnownItem("title", "搜索 引擎", at)
        for at, page in enumerate(pages)
        if page.url.endswith("/3")
    ]
    known = {page.url: 0.9 if page.url.endswith("/3") else 0.01 for page in pages}
    scores = score_search(pages, items, {"known": known, "even": dict.fromkeys(known, 0.5)})
    by_name = {(result.text, result.rank): result for result in scores.results}
    plain, even, best = (by_name["whole", name] for name in ("", "even", "known"))
    assert scores.mrr(plain) == pytest.approx(1 / 12.5) == scores.mrr(even)
    assert scores.mrr(best) == pytest.approx(1 / 2)  # three pages are named so
    assert best.against_plain.low > 0
    assert 0.0 not in best.weights
    assert even.weights == {0.0: 3}
    assert (plain.mrr.mean, plain.at_weights) == (pytest.approx(1 / 12.5), {})
    assert best.mrr.low == best.mrr.high == pytest.approx(1 / 2)  # all sites are alike
    for weight, told in best.at_weights.items():  # all texts are equal: the rank alone decides
        place = 2 if weight else 12.5
        assert told.mean == pytest.approx(1 / place - 1 / 12.5), weight
        assert told.low > 0
    assert {told.mean for told in even.at_weights.values()} == {0.0}
    assert 0.0 not in best.at_weights
    assert len(best.at_weights) == 7
    with pytest.raises(InputError, match="none of the pages"):
        score_search(pages, items, {"foreign": {"http://d.cn/": 1.0}})


def test_ir_datasets_reads_the_collection(corpus, searched, tmp_path, capsys):
    out = tmp_path / "trec"
    words_ = ["evaluate", "search", str(corpus), "--method", "rules", "--workers", "1"]
    assert main([*words_, "--out", str(out), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["queries"] == {"title": 12, "anchor": 6}
    assert [(row["text"], row["rank"]) for row in found["results"]] == [
        ("whole", ""), ("whole", "pagerank"), ("content", ""), ("content", "pagerank"),
    ]  # fmt: skip
    pages, items = searched
    for text in ("whole", "content"):
        docs = TrecDocs(LocalDownload(out / f"documents-{text}"))
        read = list(docs.docs_iter())
        assert len(read) == len(pages)
        assert all("".join(getattr(page, text).split()) in "".join(doc.text.split())
                   for page, doc in zip(pages, read, strict=True))  # fmt: skip
    topics = list(TrecQueries(LocalDownload(out / "topics.trec")).queries_iter())
    assert [topic.title for topic in topics] == [item.text for item in items]
    qrels = list(TrecQrels(LocalDownload(out / "qrels.txt"), {}).qrels_iter())
    numbers = {doc.doc_id: at for at, doc in enumerate(read)}
    assert [(qrel.query_id, numbers[qrel.doc_id], qrel.relevance) for qrel in qrels] == [
        (str(number), item.page, 1) for number, item in enumerate(items, 1)
    ]
    assert main([*words_, "--out", str(out)]) == 2
    assert "exists already" in capsys.readouterr().err


def test_a_damaged_page_is_named_and_the_others_are_searched(corpus, tmp_path, capsys):
    root = shutil.copytree(corpus, tmp_path / "damaged")
    (path,) = root.glob("data_*/a.cn/page.dat")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))
    assert main(["evaluate", "search", str(root), "--method", "rules", "--workers", "1"]) == 1
    done = capsys.readouterr()
    assert done.err.count("left out") == 1
    assert "http://a.cn/" in done.err
    assert "11 pages of 2 sites" in done.out
