"""Pictures of a corpus: what the mini-web knows of them, BM25 beside a naive count, the command."""

import json
import math
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.content.quark.tokens import words
from quarkcrawl.corpus.extraction.job import PoolOptions
from quarkcrawl.corpus.pictures.index import index_pictures, pictures_folder
from quarkcrawl.corpus.pictures.rows import FIELD_WEIGHTS, picture_rows, weighted_terms
from quarkcrawl.corpus.pictures.search import (
    RankingOptions,
    query_terms,
    search_folder,
    search_pictures,
)
from quarkcrawl.errors import ConfigError, InputError, StoreError
from quarkcrawl.lab.mockweb import Ask, MiniWeb, page_truth, truth
from quarkcrawl.page import Page
from quarkcrawl.store import CorpusWriter, page_dat_path
from tests.store.samples import make_item
from tests.workbench.web.sites import HOSTS

ONE = PoolOptions(workers=1)
LINE = "天网从一九九七年起收集中国的网页，收集到的都留了下来。"
PAGE = f"""<html><head><title>未名湖的冬天</title></head><body><ul><li><a href=/>首页</a></ul>
<div><h1>未名湖的冬天</h1><p>{LINE * 3}</p><p>博雅塔倒映在湖水里，游人不多。</p>
<figure><img src="/lake.jpg" alt="结冰的湖面" width="600" height="400">
<figcaption>未名湖雪景 <b>[摄影]</b></figcaption></figure><p>湖边的柳树落光了叶子。</p><p>{LINE * 2}</p>
<p><img src="tower.png" width="500" height="700"></p><p>博雅塔高三十七米。</p></div>
<img src="/logo.gif" width="20" height="20"></body></html>"""


@pytest.fixture(scope="module")
def mini():
    """Pages of the mini-web that have a picture, with its caption."""
    web = MiniWeb.demo()
    found = {}
    for host, told in truth(web, HOSTS).hosts.items():
        for url in told.levels:
            known = page_truth(web, url)
            captions = (
                [item.text for item in known.items if item.kind == "picture"] if known else []
            )
            if len(captions) == 1:
                scheme, _, rest = url.partition("://")
                target = "/" + rest.partition("/")[2]
                found[url] = (host, captions[0], web.respond(Ask(scheme, host, target)))
    return found


@pytest.fixture(scope="module")
def corpus(mini, tmp_path_factory):
    root = tmp_path_factory.mktemp("pictures") / "corpus"
    with CorpusWriter(root) as writer:
        for number, (url, (host, _, reply)) in enumerate(mini.items()):
            writer.append_page(make_item(number, host=host, url=url, body=reply.body))
        page = {"url": "http://pku.cn/lake", "host": "pku.cn", "body": PAGE.encode()}
        writer.append_page(make_item(9000, **page))
        writer.append_page(make_item(9001, url="http://pku.cn/none", host="pku.cn"))
        writer.sync().acknowledged()
    index_pictures(root, pool=ONE)
    return root


def test_rows_of_a_page():
    lake, tower = picture_rows(Page.from_html(PAGE, "http://pku.cn/winter/a.html"))
    assert (lake["src"], lake["alt"]) == ("http://pku.cn/lake.jpg", "结冰的湖面")
    assert lake["caption"] == "未名湖雪景 [摄影]"
    assert lake["before"] == "博雅塔倒映在湖水里，游人不多。"
    assert lake["after"] == "湖边的柳树落光了叶子。"
    assert (lake["width_px"], lake["height_px"]) == (600, 400)
    assert tower["src"] == "http://pku.cn/winter/tower.png"
    assert tower["after"] == "博雅塔高三十七米。"
    assert all(row["title"] == "未名湖的冬天" and row["block_text"] for row in (lake, tower))
    assert picture_rows(Page.from_html("<p>没有图片")) == []


def test_words_count_by_the_weight_of_their_field():
    row = dict.fromkeys(FIELD_WEIGHTS, "") | {"caption": "湖面 湖面", "alt": "湖面", "title": None}
    assert weighted_terms(row, {"caption": 2, "alt": 0.5}) == {"湖面": 4.5}
    assert weighted_terms(row, {"title": 1}) == {}


@pytest.mark.full
def test_pictures_are_found_by_their_captions(corpus, mini):
    assert len(mini) > 20
    found = 0
    for url, (_, caption, _) in mini.items():
        hits = search_pictures(corpus, caption, limit=5).rows
        found += url in {row["url"] for row in hits}
    assert found / len(mini) >= 0.95


def naive(rows, query, k1, b):
    """BM25 as it is printed, one picture after the other."""
    texts = {row["picture"]: Counter(w for name in FIELD_WEIGHTS for w in words(row[name] or ""))
             for row in rows}  # fmt: skip
    usual = sum(text.total() for text in texts.values()) / len(texts)
    scores = {}
    for picture, text in texts.items():
        score = 0.0
        for term in set(words(query)):
            n = sum(term in other for other in texts.values())
            idf = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
            norm = k1 * (1 - b + b * text.total() / usual)
            score += idf * text[term] * (k1 + 1) / (text[term] + norm) if text[term] else 0
        if any(text[term] for term in set(words(query))):
            scores[picture] = score
    return scores


@pytest.mark.parametrize(
    "query", ["未名湖 雪景", "博雅塔 博雅塔 湖水", "记者 现场 介绍", "湖", "lake"]
)
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.0, 0.0), (2.0, 1.0)])
def test_scores_equal_the_naive_count(corpus, query, k1, b):
    rows = pq.read_table(pictures_folder(corpus) / "pictures.parquet").to_pylist()
    expected = naive(rows, query, k1, b)
    found = search_pictures(corpus, query, limit=10_000, options=RankingOptions(k1, b))
    assert found.total == len(found.rows) == len(expected)
    assert {row["picture"]: row["score"] for row in found.rows} == pytest.approx(expected, abs=2e-4)
    scores = [row["score"] for row in found.rows]
    assert scores == sorted(scores, reverse=True)


def test_parts_of_the_list_fit_together(corpus):
    whole = search_pictures(corpus, "记者 现场", limit=10_000)
    assert whole.total > 6
    parts = [
        row for k in range(0, 6, 2)
        for row in search_pictures(corpus, "记者 现场", limit=2, offset=k).rows
    ]  # fmt: skip
    assert parts == whole.rows[:6]


def test_queries_without_words_and_of_any_kind(corpus):
    for query in ("", "，。的", "' OR 1=1 --", "\x00\ud800", "[b]%$", "长" * 5000):
        found = search_pictures(corpus, query)
        assert len(found.terms) <= 50
        assert found.total >= len(found.rows)
    assert query_terms("湖面 湖面 Lake") == ("湖面", "lake")


def test_what_the_index_says_of_itself(corpus, tmp_path):
    report = index_pictures(corpus, out=tmp_path / "it's", pool=ONE)
    rows = pq.read_table(tmp_path / "it's" / "pictures.parquet").to_pylist()
    postings = pq.read_table(tmp_path / "it's" / "postings.parquet").to_pylist()
    assert (report.pictures, report.postings) == (len(rows), len(postings))
    assert [row["picture"] for row in rows] == list(range(len(rows)))
    keys = [(one["term"].encode(), one["picture"]) for one in postings]
    assert keys == sorted(keys)
    assert sorted(p.name for p in (tmp_path / "it's").iterdir()) == [
        "pictures.parquet", "postings.parquet", "reasons.parquet",
    ]  # fmt: skip


def test_damaged_records_are_told_and_the_rest_is_found(tmp_path):
    root = tmp_path / "corpus"
    with CorpusWriter(root) as writer:
        for number in range(3):
            writer.append_page(make_item(number, host=f"h{number}.cn", body=PAGE.encode()))
        writer.sync().acknowledged()
    path = page_dat_path(root, "h1.cn")
    stored = bytearray(path.read_bytes())
    stored[-40] ^= 0xFF
    path.write_bytes(stored)
    report = index_pictures(root, pool=ONE)
    assert report.pictures == 4
    assert sum(report.reasons.values()) == 1
    (row,) = pq.read_table(pictures_folder(root) / "reasons.parquet").to_pylist()
    assert (row["url"], [row["reason"]]) == ("http://h1.cn/p1.html", [*report.reasons])


def test_what_is_refused(corpus, tmp_path):
    with pytest.raises(StoreError, match="quarkcrawl pictures index"):
        search_folder(tmp_path, "湖")
    for name in ("pictures", "postings"):
        (tmp_path / f"{name}.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(StoreError, match="cannot be read"):
        search_folder(tmp_path, "湖")
    with pytest.raises(ConfigError):
        RankingOptions(b=2)


@pytest.mark.full
def test_the_command(corpus, capsys, tmp_path):
    assert main(["pictures", "search", str(corpus), "未名湖 雪景", "--top", "2"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["src"] == "http://pku.cn/lake.jpg"
    assert rows[0]["url"] == "http://pku.cn/lake"
    assert main(["pictures", "search", str(corpus), "未名湖", "--no-json"]) == 0
    assert "[摄影]" in capsys.readouterr().out
    out = str(tmp_path / "index")
    assert main(["pictures", "index", str(corpus), "--out", out, "--workers", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["pictures"] > 20
    assert main(["pictures", "search", str(corpus), "湖", "--out", str(tmp_path)]) == 2
    assert "no picture index" in capsys.readouterr().err


def test_a_folder_with_other_things_is_left_alone(corpus, tmp_path, capsys):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"other things than an index \(thesis\.tex\)"):
        index_pictures(corpus, out=mine, pool=ONE)
    assert main(["pictures", "index", str(corpus), "--out", str(mine)]) == 2
    assert "thesis.tex" in capsys.readouterr().err
    assert (mine / "thesis.tex").read_text() == "years of work"
    with pytest.raises(InputError, match="cannot be the folder"):
        index_pictures(corpus, out=mine / "thesis.tex", pool=ONE)


@pytest.mark.full
def test_brackets_and_dots_in_the_path(corpus, tmp_path, monkeypatch):
    folder = tmp_path / "index [1]*"
    folder.mkdir()
    monkeypatch.chdir(folder)
    index_pictures(corpus, out=Path(), pool=ONE)
    assert search_folder(folder, "未名湖").total == search_pictures(corpus, "未名湖").total > 0


def test_the_total_is_told_beyond_the_end(corpus):
    whole = search_pictures(corpus, "记者 现场", limit=10_000)
    beyond = search_pictures(corpus, "记者 现场", offset=whole.total + 5)
    assert (beyond.rows, beyond.total) == ([], whole.total)
