"""The web of the crawl benchmark: hosts of alike pages as files, served by nginx."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

PAGE_BYTES = 20 << 10
LINKS = 41
_WORDS = (
    "北京大学网络实验室信息搜集系统研究中国历史网页天网学生老师工作发展技术问题社会经济今天记者报道表示进行通过我们他们"
    "没有可以这个一些时间成为开始方面公司市场文化活动教育城市生活政府国家新闻"
)


def write_web(folder: Path, n_hosts: int, n_pages: int) -> list[str]:
    """Pages of 20 KiB with 41 links each, all to their own host; returns the hosts."""
    dice = random.Random(2006)
    hosts = [f"www.bench{number}.cn" for number in range(n_hosts)]
    for host in hosts:
        root = folder / host
        root.mkdir(parents=True)
        (root / "robots.txt").write_text("User-agent: *\nDisallow: /private\n", encoding="utf-8")
        for number in range(n_pages):
            page = _page(dice, host, number, n_pages)
            name = f"{number}.html" if number else "index.html"
            (root / name).write_text(page, encoding="utf-8")
    return hosts


def _sentence(dice: random.Random) -> str:
    return "".join(
        _WORDS[(at := 2 * dice.randrange(len(_WORDS) // 2)) : at + 2]
        for _ in range(dice.randint(6, 14))
    ) + dice.choice("，。，。！")


def _page(dice: random.Random, host: str, number: int, n_pages: int) -> str:
    near = [(number + step) % n_pages for step in range(1, 21)]
    far = [dice.randrange(n_pages) for _ in range(LINKS - 21)]
    nav = _list(dice, near, "nav", "")
    related = _list(dice, far, "related", "<span>2008-03-05</span>")
    head = (
        f'<html><head><meta charset="utf-8"><title>{_sentence(dice)} - {host}</title>'
        '<link rel="stylesheet" href="/s.css"><script>function f(){return 1}</script></head>'
        f'<body><div class="head"><a href="/">首页</a></div>{nav}<div class="main">'
        f"<h1>{_sentence(dice)}</h1>"
        '<div class="info">2008年3月5日 来源：天网</div><div class="text">'
    )
    foot = f'</div></div>{related}<div class="foot">版权所有 {host}</div></body></html>'
    text = ""
    while len((head + text + foot).encode()) < PAGE_BYTES:
        text += f"<p>{''.join(_sentence(dice) for _ in range(dice.randint(3, 9)))}</p>\n"
    return head + text + foot


def _list(dice: random.Random, targets: list[int], name: str, more: str) -> str:
    lines = (
        f'<li><a href="/{f"{target}.html" if target else ""}">{_sentence(dice)}</a>{more}</li>\n'
        for target in targets
    )
    return f'<ul class="{name}">{"".join(lines)}</ul>'


class Nginx:
    """nginx on port 80 of loopback, pinned to one core, serving ``folder/HOST``.

    The port needs root: crawlee's client can be led to a server, but not to another port.
    """

    def __init__(self, folder: Path, web: Path) -> None:
        self._folder = folder
        path = folder / "nginx.conf"
        path.write_text(
            f"""
worker_processes 1; daemon on; pid {folder}/nginx.pid; error_log {folder}/nginx.err;
events {{ worker_connections 4096; }}
http {{
  access_log off; sendfile on; keepalive_requests 1000000;
  types {{ text/html html; text/plain txt; }}
  server {{ listen 127.0.0.1:80 backlog=2048; root {web}/$host; index index.html; }}
}}
""",
            encoding="utf-8",
        )
        self._command = [shutil.which("nginx") or "nginx", "-c", path]
        subprocess.run(self._command, check=True)

    def __enter__(self) -> Self:
        for _ in range(100):
            with contextlib.suppress(OSError):
                self._pid = int((self._folder / "nginx.pid").read_text())
                with contextlib.suppress(urllib.error.HTTPError):
                    urllib.request.urlopen("http://127.0.0.1/", timeout=1)
                break
            time.sleep(0.05)
        for pid in self._pids():
            os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run([*self._command, "-s", "stop"], check=True, stderr=subprocess.DEVNULL)

    def _pids(self) -> list[int]:
        children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
        return [self._pid, *map(int, children)]

    def cpu_s(self) -> float:
        """CPU time of the server so far."""
        tick = os.sysconf("SC_CLK_TCK")
        return (
            sum(
                sum(
                    map(
                        int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
                    )
                )
                for pid in self._pids()
            )
            / tick
        )
