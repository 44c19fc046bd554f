"""Who is on one worker's opt-out list is asked by no worker of the campaign."""

from __future__ import annotations

import asyncio

import pytest

from quarkcrawl.crawl.campaign.optout import OptOut
from quarkcrawl.frontier import RedisFrontier, WorkerHooks
from quarkcrawl.lab.mockweb import ServerProcess
from tests.redis.steps import batched, until
from tests.redis.workers import Crew

PAGE = "<title>{0}</title><p>{0}<a href=/a>a</a>"


@pytest.mark.full
def test_workers_tell_each_other(tmp_path, campaign_url) -> None:
    """In both directions, while they run, more names than travel at once; a lost server too."""
    path = tmp_path / "refused.txt"
    path.write_text("".join(f"h{n}.cn\n" for n in range(2500)), encoding="utf-8")
    lists = [OptOut(str(path)), OptOut("")]
    workers = [batched(campaign_url) for _ in lists]

    async def run() -> None:
        for worker, names in zip(workers, lists, strict=True):
            worker.start(WorkerHooks(opted_out=names))
        await until(lambda: all(lists[1].covers(f"www.h{n}.cn") for n in (0, 1200, 2499)))
        assert not lists[1].covers("other.cn")
        path.write_text("late.cn\n", encoding="utf-8")
        assert lists[0].look()
        await until(lambda: lists[1].covers("late.cn"))
        # What the server lost (a crash) is told again by whoever read it.
        server = workers[0].direct.server
        server._client.delete(f"{server.address.prefix}optout")
        await until(lambda: not lists[1].covers("h0.cn"))
        await until(lambda: lists[1].covers("late.cn"))
        for worker in workers:
            await worker.stop()

    asyncio.run(run())
    for worker in workers:
        worker.close()


@pytest.mark.full
def test_a_worker_without_a_list_asks_nothing_of_them(tmp_path, campaign_url) -> None:
    pages = {f"http://{h}/{p}": PAGE.format(h + p) for h in ("a.cn", "b.cn") for p in ("", "a")}
    told = RedisFrontier(campaign_url)
    told.server.call([["opt_out", ["b.cn"], 0]])
    with (
        ServerProcess.for_pages(pages) as server,
        Crew(tmp_path, server, campaign_url, ["a.cn", "b.cn"], robots="true") as crew,
    ):
        crew.start()
        crew.finish()
        assert {entry.host for entry in server.log()} == {"a.cn"}
        assert set(crew.stored()) == {"http://a.cn/", "http://a.cn/a"}
        assert crew.summary(0)["reasons"]["opted_out"] == 1
    told.close()
