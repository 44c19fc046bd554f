"""The recipes, run as scripts on the mock web; those of array jobs are in tests/corpus/tasks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from quarkcrawl.lab.mockweb import ListedWeb, MiniWeb, ServerProcess
from quarkcrawl.store import Corpus
from tests.content.posts.pages import TEXTS, discuz
from tests.crawl.harness import environment, host_map, write_hosts
from tests.redis.server import RedisServer

RECIPES = Path(__file__).resolve().parents[2] / "recipes"
FORUM = "club.fangmingzhixia.com.cn"
UNIVERSITY = "www.shitaizhengning.edu.cn"
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def options(server) -> list[str]:
    settings = {"host_map": host_map(server), "delay_s": "0", "host_concurrency": "8"}
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def run(name: str, *words: object, cwd: Path) -> str:
    done = subprocess.run([str(RECIPES / name), *map(str, words)], cwd=cwd, text=True,
                          env=environment(PATH=PATH), capture_output=True, check=False, timeout=500)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def demo_web():
    with ServerProcess.for_web(MiniWeb.demo()) as server:
        yield server


@contextmanager
def redis_server(folder: Path):
    folder.mkdir()
    redis = RedisServer(folder)
    try:
        yield redis
    finally:
        redis.stop()


def test_every_recipe_has_its_line_and_says_what_it_is_for():
    listed = (RECIPES / "README.md").read_text("utf-8")
    for path in RECIPES.iterdir():
        assert path.name == "README.md" or f"| `{path.name}` |" in listed, path.name
        if path.suffix == ".sh":
            first, second, *_ = path.read_text("utf-8").splitlines()
            assert first == "#!/bin/sh"
            assert second.startswith("# ")
            assert os.access(path, os.X_OK)


@pytest.mark.full
@pytest.mark.timeout(900)
def test_posts_of_a_forum(tmp_path):
    board = "bbs.listed.example"
    threads = {f"http://{board}/thread-{n}.html": [*TEXTS[n:], *TEXTS[:n]] for n in range(3)}
    links = "".join(f"<li><a href={url}>{url[-8:]}</a></li>" for url in threads)
    pages = {url: discuz(texts) for url, texts in threads.items()}
    hosts = write_hosts(tmp_path, [board])
    with ServerProcess.for_pages({f"http://{board}/": f"<ul>{links}</ul>", **pages}) as server:
        said = run("forum_corpus.sh", hosts, "forum", *options(server), cwd=tmp_path)
    rows = duckdb.read_parquet(str(tmp_path / "forum" / "posts.parquet")).fetchall()
    assert [(url, text) for url, *_, text in rows] == [
        (url, text) for url, texts in threads.items() for text in texts
    ]
    assert {(place, author, date) for _, _, place, author, date, _ in rows} == {
        (n, f"会员{n - 1}号", f"2012-03-0{n}T08:3{n - 1}") for n in range(1, len(TEXTS) + 1)
    }
    assert {thread for _, thread, *_ in rows} == {"镜像同步变慢"}
    assert f"{len(rows)} " in said


@pytest.mark.full
@pytest.mark.timeout(900)
def test_one_university(demo_web, tmp_path):
    hosts = write_hosts(tmp_path, [UNIVERSITY])
    said = run("university.sh", hosts, "corpus", *options(demo_web), cwd=tmp_path)
    assert f"http://{UNIVERSITY}/" in said
    assert (tmp_path / "corpus" / "analysis" / "ranks").is_dir()
    assert UNIVERSITY in (tmp_path / "corpus" / "report.html").read_text("utf-8")


@pytest.mark.full
@pytest.mark.timeout(900)
def test_news_are_watched(tmp_path):
    web = ListedWeb()
    with ServerProcess.for_web(web) as server:
        hosts = write_hosts(tmp_path, web.names())
        words = [hosts, "news", *options(server), "--set", "refresh_min_s=1"]
        run("news_watch.sh", *words, cwd=tmp_path)
        corpus = Corpus.open(tmp_path / "news" / "corpus")
        assert not list(corpus.visits())
        assert {row.url for row in corpus.pages()} > web.linked()
        run("news_watch.sh", *words, cwd=tmp_path)
    corpus = Corpus.open(tmp_path / "news" / "corpus")
    assert list(corpus.visits())
    assert duckdb.read_parquet(str(tmp_path / "news" / "texts.parquet")).fetchall()


@pytest.mark.full
@pytest.mark.timeout(900)
def test_a_changed_page_has_its_new_text(tmp_path):
    home, article = (f"http://news.listed.example/{path}" for path in ("", "a.html"))
    old, new = (f"<title>水位</title><h1>水位</h1><p>{text * 5}" for text in TEXTS[:2])
    hosts = write_hosts(tmp_path, ["news.listed.example"])
    pages = {home: f"<p>{TEXTS[3]}</p><a href={article}>水位</a>", article: [old, new]}
    with ServerProcess.for_pages(pages) as server:
        words = [hosts, "news", *options(server), "--set", "refresh_min_s=1"]
        for text in TEXTS[:2]:
            run("news_watch.sh", *words, cwd=tmp_path)
            table = duckdb.read_parquet(str(tmp_path / "news" / "texts.parquet"))
            rows = table.filter(f"url = '{article}'").project("text").fetchall()
            assert [row.count(text) for (row,) in rows] == [5]
    assert len(list(Corpus.open(tmp_path / "news" / "corpus").versions())) == 1


@pytest.mark.full
@pytest.mark.timeout(900)
def test_a_crawl_on_four_machines(demo_web, tmp_path):
    """Four processes, each with a folder of its own, over a real server; every page is kept once."""
    hosts = write_hosts(tmp_path, [FORUM, UNIVERSITY])
    machines = [tmp_path / f"machine-{number}" for number in range(1, 5)]
    with redis_server(tmp_path / "redis") as redis:
        words = [str(RECIPES / "shared_crawl.sh"), f"{redis.url}#four", str(hosts)]
        more = [*options(demo_web), "--in-process", "--set", "content=no"]
        children = [
            subprocess.Popen([*words, str(folder), *more], cwd=tmp_path, text=True,
                             env=environment(PATH=PATH), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for folder in machines
        ]  # fmt: skip
        for child in children:
            _, told = child.communicate(timeout=500)
            assert child.returncode == 0, told
    merge = ["quarkcrawl", "corpus", "merge", *map(str, machines), "--out", "merged"]
    subprocess.run(merge, cwd=tmp_path, env=environment(PATH=PATH), check=True, timeout=300)
    urls = [row.url for row in Corpus.open(tmp_path / "merged").pages()]
    assert len(urls) == len(set(urls)) > 60
    assert {url.split("/")[2] for url in urls} == {FORUM, UNIVERSITY}


@pytest.mark.full
def test_the_notebook_draws(demo_run, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="needs quarkcrawl[plot]")
    pyplot.switch_backend("agg")
    drawn = []
    monkeypatch.setattr(
        pyplot, "show", lambda: drawn.append(len(pyplot.gcf().axes[0].get_children()))
    )
    monkeypatch.chdir(demo_run.folder)
    names: dict[str, object] = {}
    notebook = json.loads((RECIPES / "corpus.ipynb").read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
            pyplot.close("all")
    assert len(drawn) == 3
    assert sum(count for _, count in names["charsets"]) == sum(n for (n,) in names["sizes"])
    assert len(names["chars"]) > 100
