"""The one ADDONS line in a Scrapy project that knows nothing of quarkcrawl."""

import base64
import json
import sys

import pytest
from scrapy.settings import Settings

from quarkcrawl.crawl import ExtractionAddon, ExtractionMiddleware
from quarkcrawl.lab.mockweb import ServerProcess
from tests import forked
from tests.crawl.harness import environment

SPIDER = """
import json
import scrapy
from quarkcrawl.crawl import page_of


class Plain(scrapy.Spider):
    name = "plain"
    custom_settings = {"ADDONS": {"quarkcrawl.crawl.ExtractionAddon": 500}}

    async def start(self):
        yield scrapy.Request(self.url, headers={"Host": "www.plain.example"})

    def parse(self, response):
        page = page_of(response)
        assert page is page_of(response)
        yield {
            "encoding": response.encoding,
            "title": response.css("title::text").get(),
            "page_title": page.title,
            "links": [link.url for link in page.links],
        }
"""


@pytest.mark.full
def test_any_scrapy_project_gets_pages_and_right_encodings(tmp_path):
    html = "<meta charset=iso-8859-1><title>北京大学天网实验室中文网页</title><a href='/乙'>搜索引擎</a>"
    page = {
        "body_b64": base64.b64encode(html.encode("gb18030")).decode(),
        "content_type": "text/html; charset=utf-8",
    }
    (tmp_path / "plain.py").write_text(SPIDER, encoding="utf-8")
    with ServerProcess.for_pages({"http://www.plain.example/": page}) as server:
        url = f"http://127.0.0.1:{server.info.http_port}/"
        words = [sys.executable, "-m", "scrapy", "runspider", "plain.py", "-a", f"url={url}"]
        words += ["-o", "items.jsonl"]
        done = forked.run(words, cwd=tmp_path, env=environment(), timeout=300)
    (line,) = (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    item = json.loads(line)
    assert item["encoding"] == "gb18030", done.stderr
    assert item["title"] == item["page_title"] == "北京大学天网实验室中文网页"
    assert item["links"][0].endswith("/%E4%B9%99")


EVERY_KIND = """
import scrapy
from quarkcrawl.crawl import page_of


class Every(scrapy.Spider):
    name = "every"
    custom_settings = {"ADDONS": {"quarkcrawl.crawl.ExtractionAddon": 500}, "ROBOTSTXT_OBEY": False}

    async def start(self):
        for path in ("picture", "empty", "none", "json", "xml", "gone"):
            url = self.url + path
            yield scrapy.Request(url, headers={"Host": "www.plain.example"}, method="GET")
        yield scrapy.Request(self.url + "picture", method="HEAD",
                             headers={"Host": "www.plain.example"}, dont_filter=True)

    def parse(self, response):
        page = page_of(response)
        kind = type(response).__name__
        text = response.json()["a"] if kind == "JsonResponse" else page.tree.title
        if kind == "XmlResponse":
            text = response.xpath("//t/text()").get()
        yield {"url": response.url, "method": response.request.method, "kind": kind, "text": text}
"""


@pytest.mark.full
def test_replies_that_are_no_pages_pass_through(tmp_path):
    def raw(body: bytes, kind: str) -> dict:
        return {"body_b64": base64.b64encode(body).decode(), "content_type": kind}

    root = "http://www.plain.example/"
    pages = {
        f"{root}picture": raw(b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        f"{root}empty": raw(b"", "text/html"),
        f"{root}none": {"status": 204, "html": ""},
        f"{root}json": raw('{"a": "天网"}'.encode(), "application/json"),
        f"{root}xml": raw("<?xml version='1.0' encoding='gbk'?><t>北京大学</t>".encode("gbk"),
                          "text/xml"),
    }  # fmt: skip
    (tmp_path / "every.py").write_text(EVERY_KIND, encoding="utf-8")
    with ServerProcess.for_pages(pages) as server:
        url = f"http://127.0.0.1:{server.info.http_port}/"
        words = [sys.executable, "-m", "scrapy", "runspider", "every.py", "-a", f"url={url}"]
        words += ["-o", "items.jsonl"]
        words += [
            "-s",
            "REMOTE_CONTROL_ENABLED=0",
        ]  # Scrapy's own file in HOME, which may not be there
        done = forked.run(words, cwd=tmp_path, env=environment(), timeout=300)
    lines = (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    found = {(i["method"], i["url"].rpartition("/")[2]): i["text"] for i in items}
    assert found == {
        ("GET", "picture"): "", ("HEAD", "picture"): "", ("GET", "empty"): "", ("GET", "none"): "",
        ("GET", "json"): "天网", ("GET", "xml"): "北京大学",
    }, done.stderr  # fmt: skip
    assert "Traceback" not in done.stderr


def test_the_extraction_addon_changes_one_setting():
    before, after = Settings(), Settings()
    ExtractionAddon().update_settings(after)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"SPIDER_MIDDLEWARES"}
    assert set(after["SPIDER_MIDDLEWARES"]) == {ExtractionMiddleware}
