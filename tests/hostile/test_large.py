"""Pages of seven megabytes, sixteen at once: the other hosts hardly notice."""

import time
from itertools import pairwise

import pytest

import quarkcrawl
from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus

from .test_poison import HOSTS, crawl

LARGE = [f"www.large{n}.cn" for n in range(16)]
SIZE = 7 * 10**6
DELAY_S = 0.5


def large_page(number):
    """A page as a reader would have it, only longer: paragraphs, lists, tables, links."""
    parts, n_bytes = [f"<title>天网 {number}</title>"], 0
    while n_bytes < SIZE:
        n = len(parts)
        part = f"<h2>{n}</h2><p>{n}，{'天网收集网页，一九九七年上线。' * 9}<a href=/{n % 9}.html>第 {n} 页</a>"
        part += (
            f"<ul>{''.join(f'<li><a href=/{n % 9}.html>标题 {n} {k}</a>' for k in range(3))}</ul>"
        )
        part += f"<table><tr><td>{n}<td>北京<tr><td>大学<td>天网</table>"
        parts.append(part)
        n_bytes += len(part.encode())
    return "".join(parts)


def site():
    pages = {}
    for host in HOSTS:
        links = "".join(f"<a href=/{n}.html>{n}</a>" for n in range(30))
        pages[f"http://{host}/"] = f"<title>{host}</title>{links}"
        pages |= {f"http://{host}/{n}.html": f"<p>{host} {n} " + "天网" * 99 for n in range(30)}
    for number, host in enumerate(LARGE):
        pages[f"http://{host}/"] = large_page(number)
        pages |= {f"http://{host}/{n}.html": f"<p>{host} {n}" for n in range(9)}
    return pages


def silences(log, hosts, delay_s):
    """Longest time beyond the delay in which a host was not asked, by host."""
    times = {host: [entry.time for entry in log if entry.host == host] for host in hosts}
    return {
        host: max(later - at for at, later in pairwise(asked)) - delay_s
        for host, asked in times.items()
    }


@pytest.mark.full
@pytest.mark.alone
@pytest.mark.timeout(400)
def test_sixteen_large_pages_among_ten_good_hosts(tmp_path):
    pages = site()
    before_s = time.monotonic()
    quarkcrawl.extract(pages[f"http://{LARGE[0]}/"])
    one_page_s = time.monotonic() - before_s
    settings = {"delay_s": DELAY_S, "robots": "no", "workers": 2}
    with ServerProcess.for_pages(pages) as server:
        (summary,) = crawl(tmp_path, server, [*HOSTS, *LARGE], settings=settings)
        log = server.log()
    rows = list(Corpus.open(tmp_path / "corpus").pages())
    assert summary["left"] == 0
    assert sorted(row.url for row in rows) == sorted(pages)
    found = silences(log, HOSTS, DELAY_S)
    print(
        f"\none large page: {one_page_s:.2f} s;",
        {host: round(silence_s, 2) for host, silence_s in found.items()},
    )
    assert {row.url: row.flags for row in rows if row.flags} == {}
    # Two seconds; where others keep the processors busy, less than one large page takes.
    assert max(found.values()) <= max(2, one_page_s)
