"""The one ADDONS line in a Scrapy project that knows nothing of quarkcrawl."""

import json
import subprocess
import sys

from quarkcrawl.miniweb import ServerProcess

from .harness import environment

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


def test_any_scrapy_project_gets_pages_and_right_encodings(tmp_path):
    html = "<meta charset=iso-8859-1><title>北京大学天网实验室中文网页</title><a href='/乙'>搜索引擎</a>"
    page = {
        "body_b64": __import__("base64").b64encode(html.encode("gb18030")).decode(),
        "content_type": "text/html; charset=utf-8",
    }
    (tmp_path / "plain.py").write_text(SPIDER, encoding="utf-8")
    with ServerProcess.for_pages({"http://www.plain.example/": page}) as server:
        url = f"http://127.0.0.1:{server.info.http_port}/"
        words = [sys.executable, "-m", "scrapy", "runspider", "plain.py", "-a", f"url={url}"]
        done = subprocess.run([*words, "-o", "items.jsonl"], cwd=tmp_path, env=environment(),
                              capture_output=True, text=True, check=False, timeout=60)  # fmt: skip
    (line,) = (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()
    item = json.loads(line)
    assert item["encoding"] == "gb18030", done.stderr
    assert item["title"] == item["page_title"] == "北京大学天网实验室中文网页"
    assert item["links"][0].endswith("/%E4%B9%99")
