"""All real development sites, replayed under their own host names, against an independent walk."""

import asyncio
import hashlib
import random
import threading
from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.repair.verify import verify

from .harness import SHARED, crawl, endings
from .walker import encode, load_site, walk

FILES = sorted((SHARED / "data" / "sites").glob("*.jsonl.gz"))
README_COUNTS = {
    "1010n111": 2046, "3panda": 517, "0cch": 368, "1156721874": 262, "yorick-ryu": 251,
    "10000hours6": 244, "barudisshu": 186, "21gun5": 124, "1405904364": 107, "bboyjing": 58,
    "1740133524": 39, "404note": 15, "13718004742": 1,
}  # fmt: skip

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not FILES, reason="../shared/data/sites is not here"),
]


def path_of(url: str) -> str:
    parts = urlsplit(url)
    query = f"?{unquote(parts.query)}" if parts.query else ""
    return unquote(parts.path, errors="surrogateescape") + query


@pytest.mark.full
def test_the_stored_set_equals_an_independent_walk(tmp_path):
    sites = [load_site(path) for path in FILES]
    # Hosts as their owners write them, mixed case included: a crawl lowers them.
    names = [site.host.upper() if i % 2 else site.host for i, site in enumerate(sites)]
    with ServerProcess.for_replay([SHARED / "data" / "sites"], upgrade_http=True) as server:
        run = crawl(tmp_path, server, names, limit_s=240)
    run.assert_settled()
    assert run.code == 0
    assert list(verify(run.out)) == []
    corpus = Corpus.open(run.out)
    rows = list(corpus.pages())
    assert {row.url.partition(":")[0] for row in rows} == {"https"}
    digests = Counter(row.md5 for row in rows)
    assert max(digests.values()) == 1
    reached = {(r.url.split("/")[2], path_of(r.url)) for r in [*rows, *corpus.duplicates()]}
    for site in sites:
        expected = walk(site)
        stored = {row.md5: row for row in rows if row.host == site.host}
        assert set(stored) == expected.bodies, site.host
        assert {p for host, p in reached if host == site.host} == set(expected.paths), site.host
        assert len(stored) == README_COUNTS[site.host.partition(".")[0]], site.host
        originals = {hashlib.md5(encode(html)).digest(): html for html in site.pages.values()}
        for md5, row in stored.items():
            assert corpus.page(row).body == encode(originals[md5])
    assert endings(run)["stored"] == len(rows)


@contextmanager
def losing(server, share: float):
    """A way to a server on which that share of requests gets no answer."""
    dice, info = random.Random(2), server.info
    lost = Counter()

    async def pump(reader, writer, *, may_lose: bool) -> None:
        try:
            while data := await reader.read(1 << 16):
                lost[may_lose] += 1
                if may_lose and dice.random() < share:
                    lost["lost"] += 1
                    continue
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def forward(port: int):
        async def connect(reader, writer) -> None:
            back, there = await asyncio.open_connection(info.address, port)
            await asyncio.gather(
                pump(reader, there, may_lose=True), pump(back, writer, may_lose=False)
            )

        return connect

    loop, ports, is_up = asyncio.new_event_loop(), [], threading.Event()

    async def serve() -> None:
        for port in (info.http_port, info.https_port):
            listener = await asyncio.start_server(forward(port), "127.0.0.1", 0)
            ports.append(listener.sockets[0].getsockname()[1])
            listeners.append(listener)
        is_up.set()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.run_forever()
        loop.run_until_complete(end())
        loop.close()

    async def end() -> None:
        for listener in listeners:
            listener.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.1)

    listeners: list[asyncio.Server] = []
    thread = threading.Thread(target=run)
    thread.start()
    is_up.wait(60)
    try:
        yield SimpleNamespace(
            info=SimpleNamespace(address="127.0.0.1", http_port=ports[0], https_port=ports[1]),
            lost=lost,
        )
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


@pytest.mark.slow
def test_no_page_is_lost_where_a_tenth_of_the_requests_time_out(tmp_path, capsys):
    sites = [load_site(path) for path in FILES]
    with (
        ServerProcess.for_replay([SHARED / "data" / "sites"], upgrade_http=True) as server,
        losing(server, 0.1) as way,
    ):
        run = crawl(tmp_path, way, [site.host for site in sites], limit_s=1500, timeout_s="3",
                    total_timeout_s="30")  # fmt: skip
        with capsys.disabled():
            print(dict(way.lost), run.summary["retries"], run.reasons)
    assert run.code == 0
    assert run.summary["complete"], run.summary["given_up"]
    rows = run.pages().values()
    by_host = Counter(row.host.partition(".")[0] for row in rows)
    assert by_host == README_COUNTS
    assert sum(by_host.values()) == 4218
    assert run.summary["retries"] > 400
    assert list(verify(run.out)) == []
