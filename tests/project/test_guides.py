"""What the guides show, tried: a spider and a stage of one's own, the add-on, priors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quarkcrawl.cli import main
from quarkcrawl.miniweb import ServerProcess
from quarkcrawl.store import Corpus
from tests.crawl.harness import environment, host_map

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
TITLED = (
    "<title>北京大学</title><h1>北京大学</h1><p>一九九七年十月，天网搜索引擎在这里开始服务。" * 2
)


def code(name: str, kind: str = "python") -> list[str]:
    text = (GUIDES / f"{name}.md").read_text("utf-8")
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def scrapy(folder: Path, *words: str) -> str:
    done = subprocess.run([sys.executable, "-m", "scrapy", *words], cwd=folder, text=True,
                          env=environment(), capture_output=True, check=False, timeout=100)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_spider_and_a_stage_of_your_own(tmp_path):
    mine = tmp_path / "mine"
    assert main(["config", "new", str(mine)]) == 0
    spider, stage = code("spider")
    (mine / "spiders" / "articles.py").write_text(spider, encoding="utf-8")
    (mine / "pipelines" / "digits.py").write_text(stage, encoding="utf-8")
    setting = re.search(r"'(ITEM_PIPELINES=[^']+)'", (GUIDES / "spider.md").read_text("utf-8"))[1]
    host = "www.guide.example"
    pages = {
        f"http://{host}/": "<title>首页</title><a href=/a>甲</a>",
        f"http://{host}/a": TITLED + "1997" * 30,
    }
    with ServerProcess.for_pages(pages) as server:
        words = [f"QUARKCRAWL_HOST_MAP={host_map(server)}", "QUARKCRAWL_DELAY_S=0",
                 "QUARKCRAWL_OUT=corpus", setting]  # fmt: skip
        options = [part for word in words for part in ("-s", word)]
        scrapy(mine, "crawl", "articles", "-a", f"hosts={host}", "-a", "word=大学", *options)
    corpus = Corpus.open(mine / "corpus")
    (row,) = corpus.pages()
    assert row.url.endswith("/a")
    assert [(drop.url, drop.reason) for drop in corpus.drops()] == [(f"http://{host}/", "no_item")]
    assert 0.2 < json.loads(json.dumps(row.analysis))["digit_share"] < 1


def test_the_add_on_in_another_project(tmp_path):
    line, spider = code("addon")
    assert line.strip() in spider.replace('"ADDONS": ', "ADDONS = ").replace("}}", "}")
    (tmp_path / "news.py").write_text(spider, encoding="utf-8")
    with ServerProcess.for_pages({"http://www.guide.example/": TITLED}) as server:
        url = f"http://127.0.0.1:{server.info.http_port}/"
        scrapy(tmp_path, "runspider", "news.py", "-a", f"url={url}", "-o", "news.jsonl",
               "-s", 'DEFAULT_REQUEST_HEADERS={"Host": "www.guide.example"}')  # fmt: skip
    (item,) = map(json.loads, (tmp_path / "news.jsonl").read_text("utf-8").splitlines())
    assert "天网搜索引擎" in item["text"]
    assert item["encoding"] == "utf-8"


def test_marks_lead_to_priors_and_scores(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gold").mkdir()
    body = f'<div class="article">{TITLED}</div><div id="ad"><a href=/x>{"广告" * 40}</a></div>'
    Path("page.html").write_text(body, encoding="utf-8")
    rules = next(block for block in code("gold", "sh") if block.startswith("printf"))
    subprocess.run(["sh", "-c", rules.splitlines()[0]], check=True)
    for line in rules.splitlines()[1:]:
        assert main(line.split()[1:]) == 0
    assert 'quark="content"' in Path("gold/0001.html").read_text("utf-8")
    assert main(["train", "priors", "gold/0001.html", "--out", "priors.json"]) == 0
    capsys.readouterr()
    (example,) = code("training")
    exec(compile(example, "training.md", "exec"), {})
    for block in code("gold", "sh")[-1:]:
        for line in block.splitlines():
            assert main([*line.split()[1:], *(["--workers", "1"])]) == 0, line


@pytest.mark.parametrize("name", ["compose.yaml", "Dockerfile"])
def test_containers_name_what_there_is(name):
    text = (GUIDES.parents[1] / name).read_text("utf-8")
    assert "hosts.txt" in text or "quarkcrawl.content.warmup" in text
    extras = re.findall(r'\[([a-z,]+)\]"', text)
    known = (GUIDES.parents[1] / "pyproject.toml").read_text("utf-8")
    assert all(f"\n{extra} = [" in known for group in extras for extra in group.split(","))
