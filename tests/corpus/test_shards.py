"""Jobs over eight shards that are not merged give what they give of the merged corpus."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.corpus import (
    SampleOptions,
    corpus_statistics,
    dedup_corpus,
    dedup_folder,
    link_batches,
    sample_corpus,
)
from quarkcrawl.corpus.merge import Shards, merge_corpora
from quarkcrawl.corpus.near import find_near, near_groups
from quarkcrawl.engines import DuckEngine, parquet_files
from quarkcrawl.errors import StoreError
from quarkcrawl.store import Corpus, DropRow, RedirectRow, open_shard, shard_roots
from quarkcrawl.store.repair import verify
from tests.corpus.merge_oracle import merged_rows
from tests.corpus.merge_samples import write_page
from tests.corpus.near_stages import make_texts
from tests.store.samples import duplicate_row, make_body, make_item

N_SHARDS = 8


def host_of(number: int) -> str:
    return f"h{number % 7}.example.cn"


def write_shards(out: Path, n_pages: int = 240) -> None:
    """Pages of which some have the URL, some the body of another, and rows of other kinds."""
    texts = make_texts(n_pages)
    with ExitStack() as stack:
        writers = [stack.enter_context(open_shard(out)) for _ in range(N_SHARDS)]
        for number, text in enumerate(texts):
            url_of = number - 21 if number % 10 == 3 and number > 21 else number
            body_of = number // 2 if number % 9 == 4 else number
            item = make_item(
                number,
                host=host_of(url_of),
                url=f"http://{host_of(url_of)}/p{url_of}.html",
                body=make_body(body_of, n_words=20),
                fetched_at=1e9 + number * 37 % 1009,
                analysis={"content_text": text},
            )
            writers[number % N_SHARDS].append_page(item)
        for number in range(60):
            writer = writers[number * 3 % N_SHARDS]
            url, of = f"http://{host_of(number)}/d{number % 50}", number + n_pages - 50
            body = make_body(of, n_words=20)
            digest = make_item(of, body=body).fetched.md5
            writer.append_row(duplicate_row(url, "http://gone.cn/", digest, 2, 1e9 + number))
            target = f"http://{host_of(number)}/p{number}.html"
            writer.append_row(RedirectRow(f"{url}/r", target, 301, 2, 1e9 + number, True))
            writer.append_row(RedirectRow(target, target, 301, 2, 1e9 + number, True))
            writer.append_row(DropRow(f"{url}/x", "h.cn", "http_404", "", 2, 1e9 + number))


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> tuple[Path, Path]:
    """The shards, and the corpus made of them."""
    folder = tmp_path_factory.mktemp("shards")
    write_shards(folder / "shards")
    report = merge_corpora([folder / "shards"], folder / "merged")
    assert report.url_twice > 5
    assert report.md5_twice > 5
    return folder / "shards", folder / "merged"


def deduplicated(root: Path) -> tuple[list[dict], dict]:
    with DuckEngine(memory_bytes=1 << 30) as engine:
        report = dedup_corpus(engine, root)
    rows = [
        row
        for path in parquet_files(dedup_folder(root) / "duplicates")
        for row in pq.read_table(path).to_pylist()
    ]
    counts = {
        name: getattr(report, name)
        for name in ("rows", "stored", "without_md5", "duplicates", "stored_duplicates")
    }
    assert not (dedup_folder(root) / "journal").exists()
    return sorted(rows, key=lambda row: row["url"]), counts


@pytest.mark.full
def test_dedup(both) -> None:
    shards, merged = map(deduplicated, both)
    assert shards == merged
    assert len(shards[0]) > 50


@pytest.mark.full
@pytest.mark.parametrize("method", ["default", "simhash"])
def test_near(both, method) -> None:
    found = []
    for root in both:
        report = find_near(root, method)
        assert report.texts > 100
        assert not (root / "analysis" / "near" / method / "merge").exists()
        found.append(sorted(near_groups(root, method), key=str))
    assert found[0] == found[1]
    assert found[0]
    again = find_near(both[0], method)
    assert (again.stages, again.texts) == (0, report.texts)


@pytest.mark.full
def test_statistics(both) -> None:
    tables = []
    for root in both:
        with DuckEngine(memory_bytes=1 << 30) as engine:
            tables.append(corpus_statistics(engine, root).tables)
    assert tables[0] == tables[1]
    assert dict(tables[0][0].rows)["pages"] > 150


@pytest.mark.full
@pytest.mark.parametrize("duplicates", [False, True])
def test_links(both, duplicates) -> None:
    shards, merged = (
        sorted(
            (
                row
                for batch in link_batches(root, duplicates=duplicates)
                for row in batch.to_pylist()
            ),
            key=str,
        )
        for root in both
    )
    assert shards == merged
    assert len(shards) > 500


@pytest.mark.full
@pytest.mark.parametrize("tables_only", [False, True])
def test_sample(both, tmp_path, tables_only) -> None:
    options = SampleOptions(draw=1, group=1, tables_only=tables_only)
    found = []
    for root, name in zip(both, "ab", strict=True):
        deduplicated(root)
        with DuckEngine(memory_bytes=1 << 30) as engine:
            report = sample_corpus(engine, root, tmp_path / name, options)
        assert report.documents > 150
        found.append(contents(tmp_path / name, with_places=not tables_only))
    assert found[0] == found[1]
    assert any(name.endswith("page.dat") for name in found[0]) is not tables_only
    assert list(verify(tmp_path / "a")) == [] or tables_only


def contents(folder: Path, *, with_places: bool) -> dict[str, object]:
    """All that is in a collection; of tables the rows, of records their places if they are there."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix == ".parquet":
            table = pq.read_table(path, partitioning=None)
            if not with_places and "offset" in table.column_names:
                table = table.drop_columns(["offset"])
            found[name] = table.to_pylist()
        elif path.is_file() and "sha256" not in name.lower():
            found[name] = path.read_bytes()
    return found


@pytest.mark.full
def test_rows_are_those_of_a_plain_rule(both, tmp_path) -> None:
    expected = merged_rows(both[0])
    with Shards(both[0], tmp_path / "lists") as shards:
        assert shards.folders == shard_roots(both[0])
        for kind, rows in expected.items():
            urls = [
                url
                for batch in shards.rows(kind, ["url"])
                for url in batch.column("url").to_pylist()
            ]
            assert sorted(urls) == sorted(rows)
        places = [
            (shards.folders[shard], row)
            for shard, batch in shards.pages(["url", "host", "offset"])
            for row in batch.to_pylist()
        ]
    for folder, row in places[::20]:
        found = {(page.host, page.offset): page.url for page in Corpus.open(folder).pages()}
        assert found[row["host"], row["offset"]] == row["url"]
    assert not (tmp_path / "lists").exists()


def test_one_corpus_is_read_as_it_is(both, tmp_path) -> None:
    with Shards(both[1], tmp_path / "lists") as shards:
        assert shards.folders == [both[1]]
        (row,) = [
            row
            for _, batch in shards.pages(["url", "links"])
            for row in batch.to_pylist()
            if row["url"].endswith("/p0.html")
        ]
    assert len(row["links"]) == 5
    assert not (tmp_path / "lists").exists()


def test_a_corpus_that_grows_meanwhile_is_no_silent_mixture(tmp_path) -> None:
    with open_shard(tmp_path / "out") as one:
        for number in range(3):
            write_page(one, f"http://a.cn/{number}")
    with Shards(tmp_path / "out", tmp_path / "lists") as shards:
        assert sum(rows.num_rows for rows in shards.rows("page", ["url"])) == 3
        with open_shard(tmp_path / "out") as one:
            write_page(one, "http://a.cn/new")
        with pytest.raises(StoreError, match="001: the corpus has changed while it was read"):
            list(shards.rows("page", ["url"]))


def test_a_folder_of_shards_without_any(tmp_path, capsys) -> None:
    (tmp_path / "out" / "workers").mkdir(parents=True)
    for command in (
        ["dedup"],
        ["stats"],
        ["links"],
        ["near"],
        ["merge", "--out", str(tmp_path / "m")],
    ):
        assert main(["corpus", command[0], str(tmp_path / "out"), *command[1:]]) == 2
        assert "no worker has stored anything" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@pytest.mark.full
def test_commands_take_shards(both, tmp_path, capsys) -> None:
    shards = str(both[0])
    for verb in ("dedup", "near"):
        assert main(["corpus", verb, shards]) == 0
        assert json.loads(capsys.readouterr().out)["corpus"] == shards
    assert main(["corpus", "stats", shards, "--format", "csv"]) == 0
    assert "pages," in capsys.readouterr().out
    assert main(["corpus", "links", shards, "--out", str(tmp_path / "links.parquet")]) == 0
    assert json.loads(capsys.readouterr().out)["links"] > 500
