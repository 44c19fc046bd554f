"""A job that was cut anywhere leaves the very bytes that Scrapy writes in one run."""

from __future__ import annotations

import asyncio
import logging
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Field, Item, signals
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter

from quarkcrawl.crawl.jobs.feeds import JobFeeds
from quarkcrawl.errors import ConfigError, InputError, StoreError

from .harness import Job, by_number, ids, item, new_crawler, read_rows, run_job

FORMATS = ("jsonlines", "json", "csv", "xml")
PLUGIN = "scrapy.extensions.postprocessing."


class Product(Item):
    id = Field()
    name = Field()


class Offer(Item):
    id = Field()
    price = Field()


def by_scrapy(feeds: dict, items: list, **settings) -> None:
    """What Scrapy's own extension writes."""

    async def main():
        crawler = new_crawler(feeds, **settings)
        exporter = FeedExporter(crawler)
        exporter.open_spider(crawler.spider)
        for one in items:
            exporter.item_scraped(one, crawler.spider)
        await exporter.close_spider(crawler.spider)

    asyncio.run(main())


def by_job(folder: Path, feeds: dict, items: list, deaths: list, **settings) -> None:
    """The same in processes that end or die: ``deaths`` has (items, commit, stop) of each."""

    async def main():
        for n_items, n_committed, stops in [*deaths, (len(items), len(items), None)]:
            job = Job(folder, feeds, **settings)
            rest = items[job.next :][:n_items]
            if stops is None:
                job.write(rest)
                await job.close(finished=True)
                return
            if n_committed:
                job.write(rest[:n_committed])
                rest = rest[n_committed:]
            job.feeds.write(rest)  # and not committed
            if stops:
                await job.close(finished=False)
            else:
                for feed in job.feeds._open_feeds:  # what a buffer holds may reach the file or not
                    if feed.batch.is_open and n_items % 2:
                        feed.batch._file.sync()
                job.shut()

    asyncio.run(main())


DEATHS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 6), st.booleans()), max_size=6)
FOLDERS = count()


def feeds_in(folder: Path, encoding: str | None = None, **options) -> dict:
    more = {"encoding": encoding, **options}
    feeds = {str(folder / f"all.{name}"): {"format": name, **more} for name in FORMATS}
    return feeds | {
        str(folder / f"b-%(batch_id)d.{name}"): {"format": name, "batch_item_count": 4, **more}
        for name in FORMATS
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.full
@given(
    deaths=DEATHS,
    n_items=st.integers(0, 30),
    overwrite=st.booleans(),
    store_empty=st.booleans(),
    old=st.sampled_from([b"", b"from before\n"]),
    encoding=st.sampled_from([None, "utf-8", "gb18030"]),
)
def test_cut_anywhere_as_if_never_written(
    tmp_path_factory, deaths, n_items, overwrite, store_empty, old, encoding
):
    folder = tmp_path_factory.mktemp("cut")
    items, outs = [item(n) for n in range(n_items)], []
    for name in ("scrapy", "job"):
        out = folder / name
        out.mkdir()
        options = {"overwrite": overwrite, "store_empty": store_empty, "indent": 1}
        feeds = feeds_in(out, encoding, **options)
        if old:
            for uri in feeds:
                Path(uri.replace("%(batch_id)d", "2")).write_bytes(old)
        if name == "scrapy":
            by_scrapy(feeds, items)
        else:
            by_job(folder / "jobs", feeds, items, deaths)
        outs.append(contents(out))
    assert outs[0] == outs[1]


@pytest.mark.parametrize("name", FORMATS)
def test_two_classes_of_items_in_two_feeds_and_columns_of_the_first_item(tmp_path, name, caplog):
    items = [
        cls(id=n, **({"name": f"n{n}"} if cls is Product else {"price": n}))
        for n in range(9)
        for cls in (Product, Offer)
    ]
    classes = {"products": [Product], "offers": [f"{__name__}.Offer"], "both": []}
    outs = []
    for way in ("scrapy", "job"):
        out = tmp_path / way
        feeds = {
            str(out / f"{which}.{name}"): {"format": name, "item_classes": classes[which]}
            for which in classes
        }
        if way == "scrapy":
            by_scrapy(feeds, items)
        else:
            by_job(tmp_path / "jobs", feeds, items, [(3, 2, False), (5, 4, True), (1, 0, False)])
        outs.append(contents(out))
    assert outs[0] == outs[1]
    if name == "csv":
        assert outs[1]["both.csv"].count(b"id,name") == 1


@pytest.mark.parametrize(("plugin", "suffix"), [("Gzip", "gz"), ("Bz2", "bz2"), ("LZMA", "xz")])
def test_a_compressed_feed_is_continued_by_a_new_member(tmp_path, plugin, suffix):
    options = {"postprocessing": [f"{PLUGIN}{plugin}Plugin"]}
    feeds = {str(tmp_path / f"a.{n}.{suffix}"): {"format": n, **options} for n in FORMATS}
    empty = {str(tmp_path / f"none.json.{suffix}"): {"format": "json", **options}}
    by_job(tmp_path / "jobs", feeds, [item(n) for n in range(20)], [(7, 5, False), (6, 3, True)])
    by_job(tmp_path / "other", empty, [], [(0, 0, True)])
    for name in ("json", "csv", "xml"):
        assert ids(tmp_path / f"a.{name}.{suffix}") == list(range(20))
    assert read_rows(tmp_path / f"none.json.{suffix}") == []


def test_a_stopped_job_leaves_valid_files_at_any_time(tmp_path):
    feeds = feeds_in(tmp_path / "out") | {
        str(tmp_path / "out" / "p.parquet"): {"format": "parquet"}
    }
    for target in (0, 3, 4, 11):
        run_job(tmp_path / "job", feeds, target, finished=False)
        for name in ("json", "csv", "xml", "parquet"):
            (path,) = (tmp_path / "out").glob(f"*[lp].{name}" if name != "parquet" else "p.parquet")
            assert ids(path) == list(range(target)), (name, target)
        files = by_number(tmp_path / "out", "b-*.json")
        assert ids(*files) == list(range(target))


def test_settings_of_uri_signals_stats_and_log_are_those_of_scrapy(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    slots, ends = [], []

    async def main():
        uri = f"{tmp_path}/%(name)s-%(time)s-%(batch_id)d.csv"
        job = Job(tmp_path / "job", {uri: {"format": "csv", "batch_item_count": 5}})
        connect = job.crawler.signals.connect
        connect(
            lambda slot: slots.append((slot.uri, slot.itemcount)),
            signals.feed_slot_closed,
            weak=False,
        )
        connect(lambda: ends.append(1), signals.feed_exporter_closed, weak=False)
        await job.run(12, step=6)
        return job.crawler.stats.get_stats()

    stats = asyncio.run(main())
    assert [n for _, n in slots] == [5, 5, 2]
    assert ends == [1]
    assert all(Path(uri).name.startswith("items-20") for uri, _ in slots)
    assert stats["feedexport/success_count/FileFeedStorage"] == 3
    assert f"Stored csv feed (2 items) in: {slots[2][0]}" in caplog.text


def test_a_full_file_is_announced_after_its_commit_only(tmp_path):
    """Who moves it away then, does so with a file that nobody will cut back."""

    async def main():
        job = Job(
            tmp_path / "job",
            {f"{tmp_path}/%(batch_id)d.csv": {"batch_item_count": 2, "format": "csv"}},
        )
        closed = []
        job.crawler.signals.connect(
            lambda slot: closed.append(slot.uri), signals.feed_slot_closed, weak=False
        )
        job.feeds.write([item(0), item(1), item(2)])
        states = job.feeds.sync()
        await asyncio.sleep(0.05)
        assert closed == []
        job.commit(states, next=3)
        job.feeds.write([])
        while not closed:  # noqa: ASYNC110 - what comes is a signal of Scrapy's
            await asyncio.sleep(0)
        (tmp_path / "1.csv").rename(tmp_path / "moved.csv")
        job.shut()

    asyncio.run(main())
    run_job(
        tmp_path / "job",
        {f"{tmp_path}/%(batch_id)d.csv": {"batch_item_count": 2, "format": "csv"}},
        5,
    )
    assert ids(tmp_path / "moved.csv", tmp_path / "2.csv", tmp_path / "3.csv") == list(range(5))


def test_an_item_that_a_format_cannot_express_is_left_out_whole(tmp_path, caplog):
    items = [
        {"id": 0, "x": b"\xff"},
        {"id": 1, "x": object()},
        {"id": 2, "x": "s"},
        {"id": 3, "x": object()},
        item(4),
    ]
    feeds = {
        str(tmp_path / f"a.{n}"): {"format": n, "fields": ["id", "x"]}
        for n in ("json", "parquet", "csv")
    }
    by_job(tmp_path / "job", feeds, items, [(2, 1, False), (3, 2, False)])
    assert [row["id"] for row in read_rows(tmp_path / "a.json")] == [2, 4]
    assert [row["id"] for row in read_rows(tmp_path / "a.parquet")] == [0, 2, 4]
    assert "Item not written to" in caplog.text

    async def main():
        again = {uri: {**options, "overwrite": True} for uri, options in feeds.items()}
        job = Job(tmp_path / "next", again)
        job.write(items)
        await job.close(finished=True)
        return job.crawler.stats.get_value("feedexport/unexported_count")

    assert asyncio.run(main()) == 6  # three in JSON, two in Parquet, one in CSV


def test_a_feed_that_cannot_be_continued_is_refused_in_one_line(tmp_path):
    uri = str(tmp_path / "a")
    gzip = f"{PLUGIN}GzipPlugin"
    for options, said in [
        ({"format": "pickle"}, "pickle is not written in a durable job"),
        ({"format": "marshal"}, "marshal is not written in a durable job"),
        (
            {"format": "json", "postprocessing": [gzip, gzip]},
            "GzipPlugin, GzipPlugin cannot be continued",
        ),
        (
            {"format": "json", "postprocessing": [f"{PLUGIN}LZMAPlugin"], "lzma_format": 2},
            "FORMAT_XZ",
        ),
        ({"format": "odd"}, "OddExporter has a start_exporting"),
    ]:
        exporters = {"odd": f"{__name__}.OddExporter"}
        with pytest.raises(ConfigError, match=said) as caught:
            Job(tmp_path / "job", {uri: options}, FEED_EXPORTERS=exporters)
        assert "\n" not in str(caught.value)
        assert str(caught.value).startswith(uri)
    assert not Path(uri).exists()
    with pytest.raises(NotConfigured):
        JobFeeds.from_crawler(new_crawler({}))


class OddExporter:
    def start_exporting(self):
        pass


def test_a_feed_keeps_its_format_and_its_file(tmp_path):
    uri = str(tmp_path / "a")
    run_job(tmp_path / "job", {uri: {"format": "csv"}}, 5, finished=False)
    with pytest.raises(
        ConfigError,
        match=r"a: a feed of a job keeps its format \(begun with format csv, now json\)",
    ):
        Job(tmp_path / "job", {uri: {"format": "json"}})
    data = Path(uri).read_bytes()
    Path(uri).write_bytes(data[:-1])
    with pytest.raises(
        StoreError, match=f"a: has {len(data) - 1} bytes and had {len(data)} at the last commit"
    ):
        Job(tmp_path / "job", {uri: {"format": "csv"}})
    Path(uri).unlink()
    with pytest.raises(StoreError, match=r"cannot be continued at byte .*No such file"):
        Job(tmp_path / "job", {uri: {"format": "csv"}})
    Path(uri).write_bytes(data)
    run_job(tmp_path / "job", {uri: {"format": "csv"}}, 7)
    assert ids_of_csv(Path(uri)) == list(range(7))


def ids_of_csv(path: Path) -> list[int]:
    named = path.with_suffix(".csv")
    path.rename(named)
    return ids(named)


def test_a_feed_taken_out_of_the_settings_ends_at_the_last_commit_and_a_new_one_begins(
    tmp_path, caplog
):
    one, two = str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl")
    by = {"format": "jsonlines"}
    run_job(tmp_path / "job", {one: by}, 5, finished=False)
    with Path(one).open("a") as file:
        file.write('{"id": to')
    run_job(tmp_path / "job", {two: by}, 9)
    assert ids(Path(one)) == list(range(5))
    assert ids(Path(two)) == list(range(5, 9))
    assert "one.jsonl of this job is not in FEEDS any more" in caplog.text


def test_parquet_is_not_appended_to_a_file_from_before_the_job(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"old")
    with pytest.raises(InputError, match=r"a\.parquet: a Parquet feed cannot be appended to it"):
        Job(tmp_path / "job", {path: {"format": "parquet"}})
    assert path.read_bytes() == b"old"
    run_job(tmp_path / "job", {path: {"format": "parquet", "overwrite": True}}, 3)
    assert ids(path) == [0, 1, 2]
