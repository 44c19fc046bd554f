"""Pages, content and metadata injected by scrapy-poet, in a project with page objects."""

import base64
import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from quarkcrawl.crawl import ExtractionAddon, page_of
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.page import Page
from tests import forked
from tests.crawl.harness import environment
from tests.page.samples import hz_encode

# A mark, not `importorskip`: a skip while tests are collected would pass where all are required.
pytestmark = pytest.mark.skipif(
    find_spec("scrapy_poet") is None, reason="needs scrapy-poet: pip install 'quarkcrawl[poet]'"
)

PROJECT = Path(__file__).with_name("newsroom")
HOST = "www.newsroom.example"
TEXT = {
    "zh-cn": ("天网搜索引擎开始服务", "北京大学网络实验室的搜索引擎，从一九九七年开始运行，收集了全国的网页。"),
    "zh-tw": ("天網搜尋引擎開始服務", "臺灣大學網路實驗室的搜尋引擎，從一九九七年開始運行，收集了全國的網頁。"),
}  # fmt: skip
PAGES = {
    # path: language, how it is encoded, what the server and the page declare, the right name
    "gb": ("zh-cn", lambda text: text.encode("gb18030"), "utf-8", "iso-8859-1", "gb18030"),
    "big5": ("zh-tw", lambda text: text.encode("big5"), "gb2312", "utf-8", "big5"),
    "utf8": ("zh-cn", lambda text: text.encode(), "big5", "gbk", "utf-8"),
    "hz": ("zh-cn", hz_encode, "utf-8", "utf-8", "hz"),
}
PDF = b"%PDF-1.4\n"
ADDONS = {"scrapy_poet.Addon": 300, "quarkcrawl.crawl.ExtractionAddon": 500}


def raw(body, content_type):
    return {"body_b64": base64.b64encode(body).decode(), "content_type": content_type}


def source(path):
    language, _, _, declared, _ = PAGES[path]
    title, text = TEXT[language]
    return (
        f"<html><head><meta charset={declared}><title>{title}</title></head><body><h1>{title}</h1>"
        f"<p class=byline>2021-03-04 10:00</p><p>{text * 4}</p><p>{text * 3}</p></body></html>"
    )


def title(path):
    return TEXT[PAGES[path][0]][0]


@pytest.fixture(scope="module")
def site():
    pages = {
        f"http://{HOST}/{path}": raw(encode(source(path)), f"text/html; charset={served}")
        for path, (_, encode, served, _, _) in PAGES.items()
    }
    pages[f"http://{HOST}/report"] = raw(PDF, "application/pdf")
    with ServerProcess.for_pages(pages) as server:
        yield f"http://127.0.0.1:{server.info.http_port}"


@pytest.fixture
def crawl(site, tmp_path):
    """Run a spider of the project on some paths: the items by path, and what it logged."""

    def run(spider, *paths, **settings):
        folder = shutil.copytree(PROJECT, tmp_path / "newsroom", dirs_exist_ok=True)
        words = [sys.executable, "-m", "scrapy", "crawl", spider, "-O", "items.jsonl"]
        words += ["-a", "urls=" + " ".join(f"http://{HOST}/{path}" for path in paths)]
        for name, value in settings.items():
            words += ["-s", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
        env = environment(http_proxy=site, no_proxy="")
        done = forked.run(words, cwd=folder, env=env, timeout=300)
        items = (folder / "items.jsonl").read_text("utf-8").splitlines()
        return [json.loads(item) for item in items], done.stderr

    return run


def by_path(items):
    return {urlsplit(item["url"]).path[1:]: item for item in items}


@pytest.mark.full
@pytest.mark.parametrize("is_first", [True, False], ids=["extraction-first", "poet-first"])
def test_callbacks_are_given_the_page_its_content_and_its_metadata(crawl, is_first):
    addons = ADDONS | {"quarkcrawl.crawl.ExtractionAddon": 100 if is_first else 900}
    items, log = crawl("callbacks", *PAGES, ADDONS=addons)
    found = by_path(items)
    assert found.keys() == PAGES.keys(), log
    for path, item in found.items():
        assert item["same"], path
        assert item["encodings"] == [PAGES[path][-1]] * 2
        assert item["titles"] == [title(path)] * 2
        assert item["text"].count(TEXT[PAGES[path][0]][1]) == 7
        assert item["published"].startswith("2021-03-04")
    assert "Traceback" not in log


@pytest.mark.full
def test_without_the_add_on_there_is_nothing_to_inject(crawl):
    items, log = crawl("callbacks", "gb", ADDONS={"scrapy_poet.Addon": 300})
    assert items == []
    assert "missing 3 required positional arguments" in log


@pytest.mark.full
def test_fields_of_page_objects_beside_other_inputs(crawl):
    items, log = crawl("objects", *PAGES)
    found = by_path(items)
    assert found.keys() == PAGES.keys(), log
    for number, path in enumerate(PAGES):
        item = found[path]
        assert item["title"] == title(path)
        assert item["byline"] == "2021-03-04 10:00"
        assert item["section"] == number
        assert item["same_page"]
        assert item["same_body"]
        assert item["same_as_callback"]
    assert found["gb"]["as_declared"] != title("gb"), "web-poet would have read it as well"
    assert "'poet/stats/front_pages': 4" in log


@pytest.mark.full
@pytest.mark.parametrize("spider", ["items", "stories"])
def test_items_of_page_objects_that_are_found_by_url(crawl, spider):
    items, log = crawl(spider, *PAGES)
    assert {item["encoding"] for item in items} == {page[-1] for page in PAGES.values()}, log
    titles = {page[-1]: title(path) for path, page in PAGES.items()}
    for item in items:
        assert item["title"] == titles[item["encoding"]]
        assert item["published"].startswith("2021-03-04")
        assert len(item["text"]) > 200


@pytest.mark.full
def test_a_callback_that_needs_no_page_downloads_none(crawl):
    items, log = crawl("undownloaded", "gb", "utf8")
    assert [item["kind"] for item in items] == ["DummyResponse"] * 2
    assert {item["section"] for item in items} == {0, 1}
    assert "'scrapy_poet/dummy_response_count': 2" in log
    assert "'downloader/response_count'" not in log
    assert "Traceback" not in log


@pytest.mark.full
def test_a_callback_that_asks_for_nothing_is_as_before(crawl):
    items, log = crawl("classic", "gb")
    assert items == [{"title": title("gb")}], log


@pytest.mark.full
def test_a_file_that_is_no_page_is_injected_as_the_kind_it_is(crawl):
    items, log = crawl("onepage", "report")
    assert items == [{"kind": "PdfPage", "same": True, "title": "", "nodes": 1}], log


@pytest.mark.full
def test_the_method_of_the_content_is_a_setting(crawl):
    items, log = crawl("callbacks", "gb", QUARKCRAWL_CONTENT_METHOD="quark")
    assert [item["method"] for item in items] == ["quark"], log


@pytest.mark.parametrize(
    "given",
    [
        {"ADDONS": {"scrapy_poet.Addon": 1}},
        {"DOWNLOADER_MIDDLEWARES": {"scrapy_poet.InjectionMiddleware": 543}},
    ],
    ids=["by-its-add-on", "by-its-middleware"],
)
def test_the_provider_is_registered_where_scrapy_poet_is_used(given):
    from quarkcrawl.crawl.components.poet import PageInputProvider

    settings = Settings(given)
    ExtractionAddon().update_settings(settings)
    ExtractionAddon().update_settings(settings)
    assert dict(settings["SCRAPY_POET_PROVIDERS"]) == {PageInputProvider: 1100}
    by_hand = {"quarkcrawl.crawl.components.poet.PageInputProvider": 5}
    settings = Settings({**given, "SCRAPY_POET_PROVIDERS": by_hand})
    ExtractionAddon().update_settings(settings)
    assert dict(settings["SCRAPY_POET_PROVIDERS"]) == by_hand


def test_an_add_on_made_of_that_of_scrapy_poet_counts():
    from scrapy_poet import Addon

    class Own(Addon):
        """With more settings."""

    settings = Settings({"ADDONS": {Own: 1}})
    ExtractionAddon().update_settings(settings)
    assert len(settings["SCRAPY_POET_PROVIDERS"]) == 1


@pytest.mark.parametrize("given", [{}, {"ADDONS": {"scrapy_poet.Addon": None}}])
def test_elsewhere_it_is_not(given):
    settings = Settings(given)
    ExtractionAddon().update_settings(settings)
    assert settings.get("SCRAPY_POET_PROVIDERS") is None


@pytest.mark.parametrize("asked", ["p", "c", "m", "pc", "pm", "cm", "pcm"])
def test_all_are_of_one_page_and_one_extraction(monkeypatch, asked):
    from scrapy_poet.injection import get_injector_for_testing

    from quarkcrawl.content import Content, Metadata
    from quarkcrawl.crawl.components import poet

    extracted = []

    def counted(page, **options):
        extracted.append(content := extract(page, **options))
        return content

    extract = poet.extract
    monkeypatch.setattr(poet, "extract", counted)
    (provider,) = [
        provider
        for provider in get_injector_for_testing({poet.PageInputProvider: 1}).providers
        if isinstance(provider, poet.PageInputProvider)
    ]
    response = HtmlResponse("http://a.cn/", body=source("gb").encode("gb18030"))
    kinds = {"p": Page, "c": Content, "m": Metadata}
    inputs = provider({kinds[letter] for letter in asked}, response)
    assert [type(one) for one in inputs] == [kinds[letter] for letter in asked]
    assert len(extracted) == (asked != "p")
    assert "p" not in asked or inputs[0] is page_of(response)
    assert all(content.page is page_of(response) for content in extracted)
    assert all(type(one) is not Metadata or one is extracted[0].metadata for one in inputs)
