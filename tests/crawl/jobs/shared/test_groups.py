"""A worker that dies between its disk and the server: what it wrote counts, or is cut off."""

import asyncio
import os

import pytest

from quarkcrawl.crawl.jobs.requests import RequestCodec
from quarkcrawl.crawl.jobs.shared.groups import DoneRequest, WorkerGroups
from quarkcrawl.errors import FrontierError
from quarkcrawl.frontier import Ending, FrontierOptions, WorkerHooks, collecting, open_shared
from tests.crawl.jobs.stored import Books
from tests.frontier.steps import page
from tests.redis.server import RedisServer
from tests.redis.steps import some

OPTIONS = FrontierOptions(delay_s=0.0, concurrency=50, robots=False, strict=False, lease_s=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(params=["one server", "three servers"])
def address(request, server, tmp_path):
    databases = [f"redis://127.0.0.1:{server.port}/{n}" for n in range(3)]
    servers = databases[:1] if request.param == "one server" else databases
    return f"{','.join(servers)}#{tmp_path.name}"


class LinesFeed:
    """As much of `JobFeeds` as groups need: one file of lines, cut back to an offset."""

    def __init__(self, path):
        self.path = path
        path.touch()

    def restore(self, states, commit, *, folder):
        os.truncate(self.path, int(states.get("lines", 0)))

    def write(self, items):
        with self.path.open("a") as file:
            file.writelines(f"{item}\n" for item in items)

    def sync(self):
        return {"lines": str(self.path.stat().st_size)}

    async def close(self, *, finished):
        self.write(["the end"])


class Worker:
    """A worker's life, until it dies."""

    def __init__(self, folder, address):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.direct = open_shared(address, OPTIONS, worker="w1")
        self.feed = LinesFeed(folder / "items")
        values = RequestCodec(Books(), trusted=True).values
        self.groups = WorkerGroups(folder, "w1", self.direct, self.feed, values)
        self.frontier = collecting(self.direct)
        self.state = {}

    def lines(self):
        return self.feed.path.read_text().split()

    async def lease(self, numbers):
        if not self.frontier.running:
            self.frontier.start(WorkerHooks())
        self.frontier.push([page(n, 1, f"h{n}.cn") for n in numbers])
        return await some(self.frontier, len(numbers))

    async def end(self, leases):
        done = [DoneRequest(one.token, "stored", [one.url]) for one in leases]
        await self.groups.end(done, self.frontier, lambda: self.state)

    def die(self):
        self.groups.file.abandon()
        for part in self.direct.parts:
            part.server.close()


class DeadError(Exception):
    """The process is gone here."""


def dying(frontier, *, before):
    """Let a worker die before, or after, the server has ended a group."""
    real = frontier.end_group

    async def end_group(group):
        if not before:
            await real(group)
        raise DeadError

    frontier.end_group = end_group


@pytest.mark.parametrize("before", [True, False])
def test_who_died_between_disk_and_answer_finds_out(tmp_path, address, before):
    async def first():
        worker = Worker(tmp_path / "w", address)
        leases = await worker.lease(range(6))
        worker.state = {"n": 1}
        await worker.end(leases[:3])
        kept = worker.lines()
        assert len(kept) == 3
        worker.state = {"n": 2}
        dying(worker.frontier, before=before)
        with pytest.raises(DeadError):
            await worker.end(leases[3:])
        written = worker.lines()
        assert len(written) > 3
        await worker.frontier.stop()
        worker.die()
        return kept, written

    kept, written = asyncio.run(first())
    again = Worker(tmp_path / "w", address)
    assert again.groups.is_resumed
    assert again.groups.has_cut == before
    assert again.lines() == (kept if before else written)
    assert again.groups.state == {"n": 1 if before else 2}
    again.groups.file.abandon()
    again.direct.close()


def test_what_others_have_is_cut_off_and_the_rest_written_again(tmp_path, address):
    async def crawl():
        worker = Worker(tmp_path / "w", address)
        leases = await worker.lease(range(8))
        other = open_shared(address, worker="w2")
        other.release([leases[1].token, leases[4].token])
        await worker.end(leases)
        assert sorted(worker.lines()) == sorted(
            one.url for at, one in enumerate(leases) if at not in {1, 4}
        )
        assert worker.groups.n_withdrawn in {1, 2}
        again = await worker.lease([])
        again += await some(worker.frontier, 2)
        await worker.end(again)
        assert sorted(worker.lines()) == sorted(one.url for one in leases)
        await worker.frontier.stop()
        assert worker.frontier.counts().ended == {"stored": 8}
        await worker.groups.close(is_finished=True)
        worker.frontier.close()
        other.close()

    asyncio.run(crawl())
    lines = (tmp_path / "w" / "items").read_text().split("\n")
    assert lines[-2] == "the end"
    again = Worker(tmp_path / "w", address)
    assert len(again.lines()) == 8  # what stands at the end of a feed is cut off to go on
    again.die()


def test_an_earlier_process_is_shut_out(tmp_path, address):
    async def crawl():
        worker = Worker(tmp_path / "w", address)
        leases = await worker.lease(range(2))
        worker.direct.begin_run("w1", "ff")
        with pytest.raises(FrontierError, match="another process has taken over"):
            await worker.end(leases)
        await worker.frontier.stop()
        worker.die()

    asyncio.run(crawl())


def test_an_item_of_start_is_written_by_one(tmp_path, address):
    async def crawl():
        found = []
        for name in ("a", "b"):
            worker = Worker(tmp_path / name, address)
            worker.frontier.start(WorkerHooks())
            done = [DoneRequest(0, "", [f"item-{n}"], f"start {n}") for n in range(2)]
            await worker.groups.end(done, worker.frontier, dict)
            found.append(worker.lines())
            await worker.frontier.stop()
            worker.die()
        return found

    assert asyncio.run(crawl()) == [["item-0", "item-1"], []]


def test_a_folder_of_another_crawl_is_refused(tmp_path, server):
    first = Worker(tmp_path / "w", f"{server.url}#one-{tmp_path.name}")
    first.die()
    with pytest.raises(FrontierError, match="belongs to another crawl"):
        Worker(tmp_path / "w", f"{server.url}#other-{tmp_path.name}")


def test_endings_of_the_contract_are_those_of_groups(tmp_path, address):
    """What is acknowledged singly and what is in a group is counted alike."""

    async def crawl():
        worker = Worker(tmp_path / "w", address)
        leases = await worker.lease(range(4))
        worker.frontier.acknowledge([Ending(one.token, "stored") for one in leases[:2]])
        await worker.end(leases[2:])
        await worker.frontier.stop()
        counts = worker.frontier.counts()
        worker.die()
        return counts

    counts = asyncio.run(crawl())
    assert counts.ended == {"stored": 4}
    assert (counts.pending, counts.leased) == (0, 0)
