"""The analysis stages in real crawls: their columns come back, their failures cost no page."""

import duckdb
import pytest
from scrapy.exceptions import ScrapyDeprecationWarning

import quarkcrawl as qc
from quarkcrawl.crawl import AnalysisStage
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import BLOCK_COLUMNS, CONTENT_COLUMNS, Corpus, open_table
from quarkcrawl.store.repair.verify import verify

from .harness import crawl, scrapy_crawl

HOST = "www.cut.example"
HOME = f"http://{HOST}/"
SENTENCE = "图书馆新到了一批关于计算机网络的书，管理员说借的人很多，请大家看完以后按时归还。"
NAVIGATION = "".join(f"<li><a href='/n{i}'>栏目{i}</a></li>" for i in range(30))


def article(number: int) -> str:
    body = "".join(f"<p>{SENTENCE}{number}-{i}</p>" for i in range(12))
    return (
        f"<html><head><title>新闻{number}_天网</title></head><body><div><ul>{NAVIGATION}</ul></div>"
        f"<div><h1>新闻{number}</h1>{body}</div><div>版权所有 <a href='/about'>关于</a></div>"
        "</body></html>"
    )


SITE = {
    HOME: f"<title>首页</title><div><ul>{NAVIGATION}</ul></div><a href=/a1>一</a><a href=/a2>二</a>"
    "<a href=/text>文</a><a href=/empty>空</a>",
    f"{HOME}a1": article(1),
    f"{HOME}a2": {"html": article(2), "encoding": "gb18030"},
    f"{HOME}text": {"html": "纯文本 <b>", "content_type": "text/plain; charset=utf-8"},
    f"{HOME}empty": " ",
}
COLUMNS = {*BLOCK_COLUMNS, *CONTENT_COLUMNS}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with ServerProcess.for_pages(SITE) as server:
        run = crawl(
            tmp_path_factory.mktemp("cut"), server, [HOST], content="yes", content_method="quark"
        )
    run.assert_settled()
    assert set(run.pages()) == set(SITE)
    return run


@pytest.mark.full
def test_the_columns_say_what_the_library_says(run):
    corpus = Corpus.open(run.out)
    for url in (HOME, f"{HOME}a1", f"{HOME}a2"):
        row = run.pages()[url]
        page = corpus.page(row)
        content = qc.extract(page, method="quark")
        found = row.analysis
        assert found["content_text"] == content.text
        assert found["is_topic"] == content.is_topic
        assert found["topic_probability"] == pytest.approx(content.topic_probability, abs=1e-4)
        assert found["content_method"] == "quark"
        table = [(b["root"], b["tag"], b["tag_class"], b["kind"], b["n_chars"], b["n_links"])
                 for b in found["blocks"]]  # fmt: skip
        assert table == [(b.root, b.tag, b.tag_class, b.kind, b.n_chars, b.n_links)
                         for b in content.blocks]  # fmt: skip
        assert sum(b["n_chars"] for b in found["blocks"]) == page.tree.text_chars[0]
        assert not row.flags


def test_an_article_is_found_and_its_links_lie_in_other_blocks(run):
    row = run.pages()[f"{HOME}a2"]
    assert row.charset == "gb18030"
    assert row.analysis["content_text"].count(SENTENCE) == 12
    assert "栏目" not in row.analysis["content_text"]
    assert row.analysis["content_title"] == "新闻2"
    assert len(row.analysis["link_blocks"]) == len(row.links) == 31
    kinds = [row.analysis["blocks"][number]["kind"] for number in row.analysis["link_blocks"]]
    assert "content" not in kinds
    assert row.analysis["link_blocks"][0] != row.analysis["link_blocks"][-1]


@pytest.mark.parametrize(("name", "text"), [("text", "纯文本 <b>"), ("empty", "")])
def test_a_page_without_markup_or_text_has_no_blocks(run, name, text):
    row = run.pages()[HOME + name]
    assert row.flags == ()
    assert row.analysis["blocks"] == []
    assert row.analysis["content_text"] == text


def test_the_columns_in_tables_and_in_sql(run):
    table = open_table(run.out, "page").to_table()
    assert set(table.column_names) >= COLUMNS
    assert table.schema.field("blocks").type == BLOCK_COLUMNS["blocks"][0]
    pages = f"read_parquet('{run.out}/analysis/pages/*/*.parquet')"
    (found,) = duckdb.sql(
        f"SELECT url, sum(b.n_chars) FROM (SELECT url, unnest(blocks) AS b FROM {pages}) "
        f"WHERE b.kind = 'content' AND url = '{HOME}a1' GROUP BY url"
    ).fetchall()
    assert found[1] >= 12 * len(SENTENCE)
    linked = duckdb.sql(
        f"SELECT links[i].url, blocks[link_blocks[i] + 1].tag_class FROM {pages}, range(1, 32) r(i) "
        f"WHERE url = '{HOME}a1' AND link_blocks[i] >= 0"
    ).fetchall()
    assert len(linked) == 31
    assert {tag_class for _, tag_class in linked} <= {"B", "S", "C"}


def test_the_kinds_of_the_values_are_the_declared_ones(run):
    (found,) = duckdb.sql(
        f"SELECT typeof(is_topic), typeof(topic_probability), typeof(published), typeof(link_blocks)"
        f" FROM read_parquet('{run.out}/analysis/pages/*/*.parquet') LIMIT 1"
    ).fetchall()
    assert found == ("BOOLEAN", "FLOAT", "VARCHAR", "INTEGER[]")


@pytest.mark.full
def test_spans_name_the_bytes_of_the_content(tmp_path):
    with ServerProcess.for_pages(SITE) as server:
        wanted = {
            "content": "yes",
            "content_method": "quark",
            "analysis_spans": "yes",
            "analysis_items": "yes",
        }
        run = crawl(tmp_path, server, [HOST], **wanted)
    run.assert_settled()
    row, body = run.pages()[f"{HOME}a2"], run.bodies()[f"{HOME}a2"]
    text = b"".join(body[s["start"] : s["end"]] for s in row.analysis["content_spans"])
    assert text.decode("gb18030").count(SENTENCE) == 12
    assert "".join(item["text"] for item in row.analysis["items"]).count(SENTENCE) == 12
    for block in row.analysis["blocks"]:
        pieces = [body[s["start"] : s["end"]].decode("gb18030") for s in block["spans"]]
        assert pieces
        assert "栏目29" in "".join(pieces) or block["kind"] != "noise" or block["n_links"] < 30


@pytest.mark.full
def test_metadata_can_be_left_out(tmp_path):
    with ServerProcess.for_pages(SITE) as server:
        run = crawl(tmp_path, server, [HOST], levels="1", content="yes", analysis_metadata="no")
    (row,) = (row for url, row in run.pages().items() if url == HOME)
    assert "content_text" in row.analysis
    assert row.analysis.keys().isdisjoint(
        {"content_title", "published", "source", "author", "language", "site_name"}
        | {"page_type", "page_type_probability"}
    )


@pytest.mark.full
def test_stages_can_be_switched_off_and_on_again(tmp_path):
    """Rows without the columns, as an older version wrote them, are read beside those with."""
    with ServerProcess.for_pages(SITE) as server:
        first = crawl(tmp_path, server, [HOST], levels="1", segmentation="no", content="no")
        assert not COLUMNS & set(first.pages()[HOME].analysis)
    more = SITE | {HOME.replace("www", "new"): article(3)}
    with ServerProcess.for_pages(more) as server:
        second = crawl(tmp_path, server, [HOST.replace("www", "new")], levels="1", content="no")
    rows = second.pages()
    assert not COLUMNS & set(rows[HOME].analysis)
    (new,) = [row for url, row in rows.items() if url != HOME]
    assert set(new.analysis) == set(BLOCK_COLUMNS)
    assert {block.get("kind") for block in new.analysis["blocks"]} == {None}
    blocks = open_table(second.out, "page").to_table()["blocks"].to_pylist()
    assert sorted(b is None for b in blocks) == [False, True]


def test_the_name_of_before_of_a_stages_work_is_taken_with_a_notice():
    with pytest.warns(ScrapyDeprecationWarning, match=r"Old\.analyse is called analyze now"):

        class Old(AnalysisStage):
            def analyse(self, item):
                return (item, "done")

    assert Old.analyze(None, 1) == (1, "done")
    assert "analyze" not in vars(type("New", (AnalysisStage,), {}))


BROKEN = """
from pipelines.content import ContentPipeline
from pipelines.segmentation import SegmentationPipeline


class Content(ContentPipeline):
    def analyze(self, item):
        if item.url.endswith("/a1"):
            raise MemoryError("too long")
        return super().analyze(item)


class Segmentation(SegmentationPipeline):
    def analyze(self, item):
        if item.url.endswith("/a2"):
            raise ZeroDivisionError
        return super().analyze(item)
"""


@pytest.mark.full
def test_a_stage_that_fails_marks_the_page_which_is_stored(tmp_path):
    stages = (
        '{"pipelines.segmentation.SegmentationPipeline": null, "pipelines.extra.Segmentation": 300,'
        ' "pipelines.content.ContentPipeline": null, "pipelines.extra.Content": 400}'
    )
    with ServerProcess.for_pages(SITE) as server:
        run = scrapy_crawl(tmp_path, server, "cwt", [HOST], pipelines=BROKEN,
                           settings={"ITEM_PIPELINES": stages, "QUARKCRAWL_CONTENT": "yes"})  # fmt: skip
    run.assert_settled()
    rows = run.pages()
    assert set(rows) == set(SITE)
    assert rows[HOME].flags == ()
    assert rows[f"{HOME}a1"].flags == ("failed:content",)
    assert set(rows[f"{HOME}a1"].analysis) == set(BLOCK_COLUMNS)
    assert rows[f"{HOME}a2"].flags == ("failed:segmentation",)
    assert rows[f"{HOME}a2"].analysis["content_text"].count(SENTENCE) == 12
    assert "blocks" not in rows[f"{HOME}a2"].analysis
    assert "MemoryError: too long" in run.stderr
    assert list(verify(run.out)) == []


@pytest.mark.full
def test_an_unknown_method_stops_the_run_before_it_fetches(tmp_path):
    with ServerProcess.for_pages(SITE) as server:
        run = crawl(tmp_path, server, [HOST], content="yes", content_method="quirk")
        assert server.log() == []
    assert run.code != 0
    assert "quirk" in run.stderr
    assert "'quark'" in run.stderr
    assert "Traceback" not in run.stderr
