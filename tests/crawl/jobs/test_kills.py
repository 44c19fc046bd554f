"""Six ordinary spiders, stopped in every way: nothing lost, and twice only what was in flight."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quarkcrawl.crawl.jobs import JOB_FILE, job_status

from .checks import assert_feeds, assert_twice_only_in_flight, assert_whole, feeds
from .powerloss import Disk, compiled
from .runs import Job
from .site import Shop, ShopServer

pytestmark = pytest.mark.timeout(1800)  # up to 13 starts of a process and 5,000 pages

SPIDERS = ["pages", "patient", "rules", "maps", "api", "stock"]
ONE_IS_QUICK = [
    pytest.param(spider, marks=[] if spider == "stock" else pytest.mark.full) for spider in SPIDERS
]


@pytest.fixture(scope="module")
def server():
    """A tenth of the shop."""
    with ShopServer(Shop(n_categories=8, n_lists=5)) as process:
        yield process


@pytest.fixture(scope="module")
def large_server():
    """5,000 pages and 20,000 items."""
    with ShopServer(Shop()) as process:
        yield process


def kill_again_and_again(job: Job, n_kills: int, dice: random.Random) -> int:
    """Kill runs at random moments, some of them while they start; how many were cut short."""
    share = job.server.shop.asked(job.spider).total() // n_kills
    cut = 0
    for number in range(n_kills):
        if number % 4 == 3:  # loading, restoring, or a little later
            process = job.start()
            time.sleep(dice.uniform(0.2, 2))
            process.kill()
            process.wait(timeout=400)
            cut += job.rows()[-1].get("closed") != "finished"
        else:
            cut += job.kill(dice.randint(1, share), dice)
    return cut


def finish(job: Job) -> None:
    job.finish()
    assert_whole(job)
    if job.spider == "stock":
        assert_state(job)


def assert_state(job: Job) -> None:
    """What it holds for certain is there; what it counts may count pages in flight again."""
    state = job.rows()[-1]["state"]
    shop = job.server.shop
    urls = {url for urls in state["lists"].values() for url in urls}
    assert urls == {f"{job.server.url}/cat/{c}?page={n}" for c, n in shop.lists}
    assert state["products"] >= len(shop.products)


@pytest.mark.full
@pytest.mark.parametrize("spider", ONE_IS_QUICK)
def test_three_kills(tmp_path, server, spider):
    job = Job(tmp_path, server, spider)
    assert kill_again_and_again(job, 3, random.Random(f"3 {spider}")) == 3
    finish(job)


@pytest.mark.slow
@pytest.mark.parametrize("spider", SPIDERS)
def test_twelve_kills_of_the_large_shop(tmp_path, large_server, spider):
    """What is in flight is bounded: a group of 200 requests, 16 that are out, 5 items of each."""
    assert len(large_server.shop.rows("pages")) == 20_000
    job = Job(tmp_path, large_server, spider)
    assert kill_again_and_again(job, 12, random.Random(f"12 {spider}")) == 12
    finish(job)
    assert max(map(len, job.in_flight_of_each_run())) <= 2 * (200 + 16) * 5


@pytest.mark.full
@pytest.mark.parametrize("spider", SPIDERS)
def test_terminated_once_nothing_is_twice(tmp_path, server, spider):
    """Scrapy then waits for what is in flight."""
    job = Job(tmp_path, server, spider)
    assert job.stop([signal.SIGTERM], 200, random.Random(1))
    assert job.rows()[-1]["closed"] == "shutdown"
    so_far = {row["sku"]: row for row in job.lines()}
    assert so_far.keys() == job.logged().keys()
    finish(job)
    assert set(job.logged().values()) == {1}


@pytest.mark.full
def test_a_stopped_job_leaves_feeds_that_can_be_read(tmp_path, server):
    job = Job(tmp_path, server, "rules")
    assert job.stop([signal.SIGTERM], 200, random.Random(1))
    for name, counts in feeds(job).items():
        assert counts == job.logged(), name


@pytest.mark.full
@pytest.mark.parametrize("spider", SPIDERS)
def test_terminated_twice(tmp_path, server, spider):
    job = Job(tmp_path, server, spider)
    for _ in range(2):
        assert job.stop([signal.SIGTERM, signal.SIGTERM], 150, random.Random(1))
    finish(job)


def is_finished(job: Job) -> bool:
    """Whether the mark that the job is done was written: one more run would begin anew."""
    (file,) = job.folder.glob(f".scrapy/jobs/*/{JOB_FILE}")
    return bool(job_status(file.parent)["finished"])


@pytest.mark.full
@pytest.mark.parametrize("delay_s", [0, 0.05, 0.1, 0.2, 0.4, 0.8])
def test_killed_while_the_job_ends(tmp_path, delay_s):
    """After the last item: commit, footers, Parquet, the mark that the job is done."""
    with ShopServer(Shop(n_categories=2, n_lists=3)) as server:
        job = Job(tmp_path, server, "rules")
        expected = server.shop.rows("rules")
        process = job.start()
        while process.poll() is None and job.logged().keys() != expected.keys():
            time.sleep(0.005)
        time.sleep(delay_s)
        process.kill()
        if process.wait(timeout=400) != 0 and not is_finished(job):
            job.finish()
        assert_twice_only_in_flight(job)
        assert_feeds(job, expected)


@contextmanager
def mounted(folder: Path, n_bytes: int) -> Iterator[None]:
    """A file system of this size in a folder."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a tmpfs")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_twice(job: Job, disk_bytes: int, left_bytes: int) -> None:
    """Two runs that find the disk full, then one that has room."""
    filler = job.folder / "filler"
    filler.write_bytes(b"x" * (disk_bytes - left_bytes - 64 * 2**10))
    for _ in range(2):
        job.run()
        assert job.rows()[-1].get("closed") != "finished"
        said = job.said().lower()
        assert "no space left" in said or "disk is full" in said, said[-3000:]
    filler.unlink()
    finish(job)


@pytest.mark.full
@pytest.mark.parametrize("spider", SPIDERS)
@pytest.mark.parametrize("left_bytes", [40_000, 250_000])
def test_a_full_disk(tmp_path, server, spider, left_bytes):
    with mounted(tmp_path / "project", 12 * 2**20):
        fill_twice(Job(tmp_path, server, spider), 12 * 2**20, left_bytes)


@pytest.mark.slow
@pytest.mark.parametrize("spider", SPIDERS)
def test_a_full_disk_of_the_large_shop(tmp_path, large_server, spider):
    with mounted(tmp_path / "project", 96 * 2**20):
        fill_twice(Job(tmp_path, large_server, spider), 96 * 2**20, 2_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("spider", SPIDERS)
def test_the_large_shop_is_terminated_again_and_again(tmp_path, large_server, spider):
    job = Job(tmp_path, large_server, spider)
    share = large_server.shop.asked(spider).total() // 6
    for number in range(5):
        assert job.stop([signal.SIGTERM], share, random.Random(number))
        assert job.rows()[-1]["closed"] == "shutdown"
    finish(job)
    assert set(job.logged().values()) == {1}


def lose_power_again_and_again(job: Job, disk: Disk, n_times: int, dice: random.Random) -> None:
    job.environment |= disk.environment
    share = job.server.shop.asked(job.spider).total() // n_times
    for _ in range(n_times):
        assert job.kill(dice.randint(1, share), dice)
        disk.lose_power(dice)


@pytest.mark.full
@pytest.mark.parametrize("spider", SPIDERS)
def test_three_power_cuts(tmp_path, server, spider):
    job = Job(tmp_path, server, spider)
    disk = Disk(compiled(tmp_path), job.folder, tmp_path / "events")
    lose_power_again_and_again(job, disk, 3, random.Random(f"p {spider}"))
    finish(job)


@pytest.mark.slow
@pytest.mark.parametrize("spider", SPIDERS)
def test_twelve_power_cuts_of_the_large_shop(tmp_path, large_server, spider):
    job = Job(tmp_path, large_server, spider)
    disk = Disk(compiled(tmp_path), job.folder, tmp_path / "events")
    lose_power_again_and_again(job, disk, 12, random.Random(f"p12 {spider}"))
    finish(job)


@pytest.mark.full
def test_the_recorder_misses_nothing_that_is_written(tmp_path, server):
    """Else a power cut would find more than it should, or less."""
    job = Job(tmp_path, server, "stock")
    disk = Disk(compiled(tmp_path), job.folder, tmp_path / "events")
    job.environment |= disk.environment
    assert job.stop([signal.SIGTERM], 100, random.Random(1))
    job.finish()
    disk.as_recorded(tmp_path / "again")

    def files(folder):
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and not path.name.endswith("-shm")  # SQLite's memory, not on disk
        }

    assert files(tmp_path / "again") == files(job.folder)
