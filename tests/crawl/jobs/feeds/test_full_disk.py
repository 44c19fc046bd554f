"""A full disk ends a job with one clear line; a later run loses nothing."""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quarkcrawl.errors import StorageFullError

from .harness import Job, ids, run_job
from .killer import PLUGIN

PROJECT = Path(__file__).parents[4]
NAMES = ["a.jsonl", "a.json", "a.csv", "a.xml", "a.json.gz"]


def feeds_in(out: Path) -> dict:
    feeds = {str(out / name): {"format": name.split(".")[1]} for name in NAMES}
    feeds[str(out / "a.json.gz")]["postprocessing"] = [f"{PLUGIN}GzipPlugin"]
    feeds[str(out / "a.jsonl")]["format"] = "jsonlines"
    return feeds


async def fill(job: Job) -> StorageFullError:
    """Write until there is no room, then close, as a scheduler does."""
    with pytest.raises(StorageFullError) as caught:
        await job.run(100_000)
    await job.close(finished=False)
    return caught.value


@pytest.fixture
def small_disk(tmp_path: Path):
    """A file system of 512 KiB."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    place = tmp_path / "small"
    place.mkdir()
    command = [str(mount), "-t", "tmpfs", "-o", "size=512k", "none", str(place)]
    if mount is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no right to mount a small file system")
    try:
        yield place
    finally:
        subprocess.run([str(umount), "--lazy", str(place)], check=True)


def test_a_full_disk(tmp_path, small_disk):
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(200_000))
    feeds = feeds_in(small_disk)

    async def main():
        job = Job(tmp_path / "job", feeds)
        return await fill(job), job.next

    error, n_committed = asyncio.run(main())
    assert Path(error.where).name in NAMES
    assert "no room to write" in str(error)
    assert n_committed > 20
    for name in NAMES:
        assert ids(small_disk / name)[:n_committed] == list(range(n_committed)), name
    ballast.unlink()
    run_job(tmp_path / "job", feeds, n_committed + 50)
    for name in NAMES:
        assert ids(small_disk / name) == list(range(n_committed + 50)), name


def limited(folder: str) -> None:
    """Files may not exceed 60,000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))

    async def main():
        job = Job(Path(folder, "job"), feeds_in(Path(folder, "out")))
        error = await fill(job)
        return {"committed": job.next, "where": error.where}

    result = asyncio.run(main())
    sys.stdout.write(json.dumps(result))


@pytest.mark.full
def test_a_limit_on_file_size(tmp_path):
    script = f"import sys; from {__name__} import limited; limited(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=PROJECT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert Path(result["where"]).name in NAMES
    run_job(tmp_path / "job", feeds_in(tmp_path / "out"), result["committed"] + 30)
    for name in NAMES:
        assert ids(tmp_path / "out" / name) == list(range(result["committed"] + 30)), name


def test_a_parquet_feed_that_finds_no_room_at_its_end_is_kept(tmp_path, small_disk, caplog):
    feeds = {str(small_disk / "a.parquet"): {"format": "parquet", "overwrite": True}}
    run_job(tmp_path / "job", feeds, 10, finished=False)
    (small_disk / "ballast").write_bytes(bytes(500_000))
    items = [{"id": n, "noise": str(hash(str(n)) ** 9)} for n in range(10, 2000)]

    async def main():
        job = Job(tmp_path / "job", feeds)
        job.write(items)
        await job.close(finished=True)

    asyncio.run(main())
    assert "no room to write" in caplog.text
    assert "its content is kept in" in caplog.text
    assert ids(small_disk / "a.parquet") == list(range(10))  # as the last run left it
    (small_disk / "ballast").unlink()
    run_job(tmp_path / "job", feeds, 2001)
    assert ids(small_disk / "a.parquet") == list(range(2001))
