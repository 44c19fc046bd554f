"""Feeds for storages other than local files: a spool file is handed over at its end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.extensions.feedexport import BlockingFeedStorage

from .harness import Job, by_number, ids, item, run_job

PROJECT = Path(__file__).parents[4]


class AddingStorage(BlockingFeedStorage):
    """Adds to what is there, as FTP does with ``overwrite: False``."""

    def __init__(self, uri, *, feed_options=None):
        self.path = Path(uri.removeprefix("add://"))

    def _store_in_thread(self, file):
        file.seek(0)
        with self.path.open("ab") as target:
            target.write(file.read())
        file.close()


class FailingStorage(BlockingFeedStorage):
    def __init__(self, uri, *, feed_options=None):
        pass

    def _store_in_thread(self, file):
        file.close()
        raise ConnectionError("no such host")


def storages(**classes) -> dict:
    return {name: f"{__name__}.{cls.__name__}" for name, cls in classes.items()}


def spooled(folder: Path) -> list[Path]:
    return list((folder / "feeds").iterdir())


def test_a_storage_that_replaces_gets_the_file_at_every_stop(tmp_path):
    feeds = {f"copy://{tmp_path}/a.json": {"format": "json"}}
    for target in (5, 5, 8):
        run_job(tmp_path / "job", feeds, target, finished=False)
        assert ids(tmp_path / "a.json") == list(range(target))
    run_job(tmp_path / "job", feeds, 9)
    assert ids(tmp_path / "a.json") == list(range(9))
    assert spooled(tmp_path / "job") == []


def test_a_storage_that_adds_gets_the_file_once_when_the_job_is_finished(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": -1}\n')
    feeds = {f"add://{path}": {"format": "jsonlines", "overwrite": False}}
    by = {"FEED_STORAGES": storages(add=AddingStorage)}
    for target in (5, 8):
        run_job(tmp_path / "job", feeds, target, finished=False, **by)
        assert ids(path) == [-1]
    run_job(tmp_path / "job", feeds, 9, **by)
    assert ids(path) == list(range(-1, 9))


def test_what_a_storage_refuses_is_kept_and_offered_again(tmp_path, caplog):
    uri = f"copy://{tmp_path}/out/%(batch_id)d.jsonl"
    feeds = {uri: {"format": "jsonlines", "batch_item_count": 3}}
    failing = {"FEED_STORAGES": storages(copy=FailingStorage)}

    async def main():
        job = Job(tmp_path / "job", feeds, **failing)
        await job.run(8, finished=False)
        return job.crawler.stats.get_value("feedexport/failed_count/FailingStorage")

    assert asyncio.run(main()) == 3
    assert caplog.text.count("its content is kept in") == 3
    assert len(spooled(tmp_path / "job")) == 3
    run_job(tmp_path / "job", feeds, 10)
    assert ids(*by_number(tmp_path / "out", "*")) == list(range(10))
    assert spooled(tmp_path / "job") == []


def test_a_full_file_that_was_committed_but_not_stored_is_stored_by_the_next_process(tmp_path):
    feeds = {f"copy://{tmp_path}/out/%(batch_id)d.csv": {"format": "csv", "batch_item_count": 4}}

    async def main():
        job = Job(tmp_path / "job", feeds)
        job.write([item(n) for n in range(6)])
        job.shut()  # and dies

    asyncio.run(main())
    assert not (tmp_path / "out").exists()
    run_job(tmp_path / "job", feeds, 9)
    assert ids(*by_number(tmp_path / "out", "*")) == list(range(9))


@pytest.mark.full
def test_standard_output_gets_a_whole_document_of_each_process(tmp_path):
    script = "\n".join([
        "import sys, warnings; warnings.simplefilter('ignore')",
        "from pathlib import Path",
        f"from {__package__}.harness import run_job",
        "run_job(Path(sys.argv[1]), {'stdout:': {'format': 'csv'}}, int(sys.argv[2]), finished=False)",
    ])  # fmt: skip
    said = []
    for target in (2, 3):
        words = [sys.executable, "-c", script, str(tmp_path / "job"), str(target)]
        env = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        said.append(
            subprocess.run(words, cwd=PROJECT, env=env, check=True, capture_output=True).stdout
        )
    assert [text.count(b"id,day,text") for text in said] == [1, 1]
    assert [text.count(b"2026-11-26") for text in said] == [2, 1]
