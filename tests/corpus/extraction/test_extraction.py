"""Extraction over a stored corpus: complete, resumable, and no page spoils it for the others."""

import dataclasses
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import duckdb
import pyarrow.parquet as pq
import pytest

import quarkcrawl as qc
from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import (
    ExtractionOptions,
    extract_corpus,
    extraction_failures,
    extractions,
    pagerows,
)
from quarkcrawl.corpus.extraction import job as extraction
from quarkcrawl.errors import (
    ConfigError,
    CorpusLockedError,
    InputError,
    StorageFullError,
    StoreError,
)
from quarkcrawl.store import Corpus, CorpusLock, CorpusWriter, page_dat_path, salvage
from quarkcrawl.store.tables.parts import part_path
from tests.corpus import toys
from tests.corpus.corpora import HOSTS, add_pages, assert_complete, parts_of, rows_of
from tests.crawl.harness import ROOT, environment
from tests.store.samples import make_item

QUARK = ExtractionOptions("quark")
POOL = PoolOptions(workers=2, timeout_s=20)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(extraction, "extract_stored", toys.quick)


def run(root, options=QUARK, **more):
    return extract_corpus(root, options, pool=POOL, **more)


def test_rows_say_what_the_library_says(tmp_path):
    add_pages(tmp_path, range(12))
    report = run(tmp_path, ExtractionOptions("quark", blocks=True, spans=True, items=True))
    assert (report.pages, report.extracted, report.failures) == (12, 12, {})
    assert_complete(tmp_path)
    corpus, rows = Corpus.open(tmp_path), rows_of(tmp_path)
    for page in corpus.pages():
        row, content = rows[page.url], qc.extract(corpus.page(page), method="quark")
        assert row["content_text"] == content.text
        assert [(b["root"], b["kind"]) for b in row["blocks"]] == [
            (b.root, b.kind) for b in content.blocks
        ]
        assert [(i["kind"], i["text"]) for i in row["items"]] == [
            (i.kind, i.text) for i in content.items
        ]
        assert len(row["link_blocks"]) == len(page.links)
        body = corpus.page(page).body
        pieces = [body[s["start"] : s["end"]] for s in row["content_spans"]]
        seen = re.sub("<[^>]*>", "", b"".join(pieces).decode("gb18030"))
        assert seen == content.text.replace("\n", "")


def test_in_process_the_rows_are_the_same(tmp_path):
    add_pages(tmp_path, range(6))
    pool = PoolOptions(in_process=True)
    extract_corpus(tmp_path, QUARK, out=tmp_path / "here", pool=pool)
    extract_corpus(tmp_path, QUARK, out=tmp_path / "there", pool=POOL)
    here, there = (extractions(tmp_path, "quark", out=tmp_path / x) for x in ("here", "there"))
    assert here.to_table().equals(there.to_table())


def test_any_engine_reads_the_rows(tmp_path, quick):
    add_pages(tmp_path, range(9))
    run(tmp_path)
    found = duckdb.sql(
        f"SELECT p.url, e.content_text, p.bucket = e.bucket FROM "
        f"read_parquet('{tmp_path}/analysis/pages/*/*.parquet') p JOIN "
        f"read_parquet('{tmp_path}/analysis/extractions/quark/*/*.parquet') e USING (url)"
    ).fetchall()
    assert len(found) == 9
    assert all(url == text and same for url, text, same in found)


@pytest.mark.full
def test_only_flagged_pages_are_done_and_once(tmp_path, quick):
    flags = [("failed:content",), ("truncated",), ("links_cut", "failed:timeout"), ()]
    with CorpusWriter(tmp_path) as writer:
        for n in range(8):
            writer.append_page(make_item(n, host=HOSTS[n % 2], flags=flags[n % 4]))
    wanted = {row.url for row in Corpus.open(tmp_path).pages() if "failed:" in str(row.flags)}
    report = run(tmp_path, only_flagged=True)
    assert (report.pages, report.extracted, len(wanted)) == (4, 4, 4)
    assert rows_of(tmp_path).keys() == wanted
    report = run(tmp_path, only_flagged=True)
    assert (report.pages, report.extracted, report.done_before, report.removed) == (4, 0, 4, 0)
    report = run(tmp_path)
    assert (report.pages, report.extracted, report.done_before) == (8, 4, 4)
    report = run(tmp_path, only_flagged=True)
    assert (report.pages, report.done_before, report.removed) == (4, 4, 0)
    assert_complete(tmp_path)


@pytest.mark.full
def test_a_second_run_adds_what_is_new_and_nothing_else(tmp_path, quick):
    add_pages(tmp_path, range(20))
    run(tmp_path)
    first = parts_of(tmp_path)
    assert run(tmp_path).extracted == 0
    assert parts_of(tmp_path) == first
    add_pages(tmp_path, range(20, 26))
    report = run(tmp_path)
    assert (report.pages, report.done_before, report.extracted) == (26, 20, 6)
    assert first.items() <= parts_of(tmp_path).items()
    assert_complete(tmp_path)


def test_while_a_crawl_writes_rows_in_the_journal_count_too(tmp_path, quick):
    add_pages(tmp_path, range(6))
    writer = add_pages(tmp_path, range(6, 15), keep_open=True)
    assert run(tmp_path).extracted == 15
    assert_complete(tmp_path)
    writer.close()
    assert run(tmp_path).extracted == 0


@pytest.mark.full
def test_bad_pages_get_a_row_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(extraction, "extract_stored", toys.unlucky)
    add_pages(tmp_path, range(20))
    report = extract_corpus(tmp_path, QUARK, pool=PoolOptions(2, timeout_s=5))
    assert report.failures == {"crash": 1, "timeout": 1, "error": 2}
    assert_complete(tmp_path)
    failed = {int(r["url"].split("/p")[1][:-5]): (r["failure"], r["detail"])
              for r in extraction_failures(tmp_path, "quark")}  # fmt: skip
    assert failed == {
        3: ("crash", "crash: SIGSEGV"),
        5: ("timeout", "timeout"),
        7: ("error", "error: ValueError: 坏"),
        11: ("error", "error: MemoryError"),
    }
    monkeypatch.setattr(extraction, "extract_stored", toys.quick)
    assert run(tmp_path).extracted == 0
    again = run(tmp_path, retry_failed=True)
    assert (again.removed, again.extracted) == (4, 4)
    assert_complete(tmp_path)
    assert list(extraction_failures(tmp_path, "quark")) == []


def damage(root, host, row):
    path = page_dat_path(root, host)
    data = bytearray(path.read_bytes())
    data[row.offset + row.length - 60 : row.offset + row.length - 20] = bytes(40)
    path.write_bytes(data)


def test_damaged_records_are_listed_and_leave_with_a_salvage(tmp_path):
    add_pages(tmp_path, range(12))
    victim = [row for row in Corpus.open(tmp_path).pages() if row.host == HOSTS[0]][1]
    damage(tmp_path, HOSTS[0], victim)
    page_dat_path(tmp_path, HOSTS[1]).unlink()
    report = run(tmp_path)
    assert report.failures == {"damaged": 1, "unreadable": 4}
    assert_complete(tmp_path)
    listed = {row["url"]: row["detail"] for row in extraction_failures(tmp_path, "quark")}
    assert f"page.dat@{victim.offset}" in listed[victim.url]
    salvage(tmp_path)
    mended = run(tmp_path)
    assert mended.pages == 7
    # What followed the damaged record has moved; what is lost has no row any more.
    assert mended.removed == 5 + 2
    assert mended.extracted == 2
    assert_complete(tmp_path)


def test_plain_text_is_content_as_it_is(tmp_path):
    body = "第一行 <b>\r\n\r\n第二行\n".encode()
    header = ((b"Content-Type", b"text/plain; charset=utf-8"),)
    add_pages(tmp_path, [1], body=body, header_lines=header)
    run(tmp_path)
    (row,) = rows_of(tmp_path).values()
    assert row["content_text"] == "第一行 <b>\n\n第二行"
    assert row["content_method"] == "plain"


# Stopped at any moment

KILLED = """
import sys
from pathlib import Path
from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, extract_corpus, extraction
from tests.corpus import toys
if __name__ == "__main__":
    extraction.extract_stored = toys.unhurried
    extraction._PART_ROWS = 7
    print("go", flush=True)
    extract_corpus(sys.argv[1], ExtractionOptions("quark"), pool=PoolOptions(2))
"""


def start(script, root):
    script.write_text(KILLED)
    return subprocess.Popen([sys.executable, script, root], cwd=ROOT, env=environment(),
                            stdout=subprocess.PIPE, text=True)  # fmt: skip


@pytest.mark.full
def test_killed_at_any_moment_it_goes_on(tmp_path, quick):
    root = tmp_path / "corpus"
    add_pages(root, range(150))
    rng = random.Random(2006)
    kept = {}
    for _ in range(4):
        with start(tmp_path / "killed.py", root) as process:
            assert process.stdout
            process.stdout.readline()
            time.sleep(rng.uniform(0.1, 1.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
        if not (root / "analysis" / "extractions" / "quark").is_dir():
            continue
        rows_of(root)  # no page twice
        now = parts_of(root)
        assert kept.items() <= now.items()
        kept = now
    report = run(root)
    assert report.done_before == sum(kept.values())
    assert report.extracted == 150 - report.done_before
    assert kept.items() <= parts_of(root).items()
    assert_complete(root)
    assert not list(root.rglob("*.tmp"))


def test_an_interrupt_keeps_what_is_done(tmp_path, quick):
    add_pages(tmp_path, range(30))

    def interrupt(report):
        if report.extracted == 13:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, on_progress=interrupt)
    assert len(rows_of(tmp_path)) == 13
    assert run(tmp_path).extracted == 17
    assert_complete(tmp_path)


def test_stale_rows_leave_part_by_part(tmp_path, quick, monkeypatch):
    monkeypatch.setattr(extraction, "_PART_ROWS", 3)
    add_pages(tmp_path, range(0, 30, 3))
    run(tmp_path)
    assert sorted(parts_of(tmp_path).values()) == [1, 3, 3, 3]
    shutil.rmtree(tmp_path / "analysis" / "pages")
    for folder in ("journal", f"data_{Corpus.open(tmp_path).info().hosts}"):
        shutil.rmtree(tmp_path / folder, ignore_errors=True)
    for path in tmp_path.glob("data_*"):
        shutil.rmtree(path)
    add_pages(tmp_path, [3, 0, 27])
    report = run(tmp_path)
    # Page 3 now lies where page 0 was; page 27 lies elsewhere too.
    assert (report.removed, report.extracted) == (10, 3)
    assert_complete(tmp_path)


# Wrong use


def test_other_options_need_a_restart(tmp_path, quick):
    add_pages(tmp_path, range(5))
    run(tmp_path)
    with pytest.raises(ConfigError, match=r"spans = false, not true; --restart"):
        run(tmp_path, ExtractionOptions("quark", spans=True))
    report = run(tmp_path, ExtractionOptions("quark", spans=True), restart=True)
    assert (report.done_before, report.extracted) == (0, 5)
    assert_complete(tmp_path)


def test_results_of_another_corpus_are_not_touched(tmp_path, quick):
    for name in ("a", "b"):
        add_pages(tmp_path / name, range(5))
    about = tmp_path / "b" / "corpus.json"
    about.write_text(about.read_text().replace("Z", "z"))  # made in another second
    run(tmp_path / "a", out=tmp_path / "rows")
    assert not (tmp_path / "a" / "analysis" / "extractions").exists()
    with pytest.raises(ConfigError, match="made from another corpus"):
        run(tmp_path / "b", out=tmp_path / "rows")
    assert len(rows_of(tmp_path / "a", out=tmp_path / "rows")) == 5


def test_two_runs_at_once(tmp_path, quick):
    add_pages(tmp_path, range(5))
    (tmp_path / "analysis" / "extractions").mkdir()
    with CorpusLock(tmp_path / "analysis" / "extractions"), pytest.raises(CorpusLockedError):
        run(tmp_path)
    assert run(tmp_path).extracted == 5


def test_an_unknown_method_writes_nothing(tmp_path):
    add_pages(tmp_path, range(2))
    with pytest.raises(InputError, match="did you mean 'quark'"):
        run(tmp_path, ExtractionOptions("quarks"))
    assert not (tmp_path / "analysis" / "extractions").exists()


def test_no_corpus_and_no_extraction(tmp_path):
    with pytest.raises(StoreError, match="no corpus"):
        run(tmp_path)
    add_pages(tmp_path / "c", range(2))
    with pytest.raises(StoreError, match="no extraction by the method 'quark'"):
        extractions(tmp_path / "c", "quark")


def test_an_empty_corpus_has_an_empty_table(tmp_path):
    Corpus.create(tmp_path)
    assert run(tmp_path).pages == 0
    assert rows_of(tmp_path) == {}


@pytest.mark.full
def test_a_part_that_cannot_be_read_is_named(tmp_path, quick):
    add_pages(tmp_path, range(3))
    run(tmp_path)
    name = next(iter(parts_of(tmp_path)))
    path = tmp_path / "analysis" / "extractions" / "quark" / name
    path.write_bytes(b"PAR1 no more")
    with pytest.raises(StoreError, match=r"part-000001.parquet: cannot read a part .* delete it"):
        run(tmp_path)
    path.unlink()
    assert run(tmp_path).extracted == 1
    assert_complete(tmp_path)


def test_a_corpus_that_cannot_be_written_to(tmp_path, quick):
    root = tmp_path / "corpus"
    add_pages(root, range(4))
    (root / "analysis" / "extractions").write_text("in the way, also of root")
    with pytest.raises(StoreError, match=r"cannot write \(File exists\); --out puts the rows else"):
        run(root)
    run(root, out=tmp_path / "rows")
    assert len(rows_of(root, out=tmp_path / "rows")) == 4


def test_a_full_disk_keeps_the_parts_that_are_there(tmp_path, quick, monkeypatch):
    add_pages(tmp_path, range(9))
    written = []

    def write_part(table, path, **_):
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(table.num_rows)
        real(table, path)

    from quarkcrawl.corpus.extraction import results

    real = results.write_part
    monkeypatch.setattr(results, "write_part", write_part)
    with pytest.raises(StorageFullError, match="no room"):
        run(tmp_path)
    assert len(rows_of(tmp_path)) == sum(written)
    monkeypatch.setattr(results, "write_part", real)
    assert run(tmp_path).extracted == 9 - sum(written)
    assert_complete(tmp_path)


def test_options_are_plain_values():
    assert dataclasses.asdict(ExtractionOptions()) == {
        "method": "default", "blocks": False, "spans": False, "items": False,
        "site_pages": 80,
    }  # fmt: skip


def test_a_part_says_which_version_wrote_it(tmp_path, quick):
    add_pages(tmp_path, range(2))
    run(tmp_path)
    name = next(iter(parts_of(tmp_path)))
    path = tmp_path / "analysis" / "extractions" / "quark" / name
    assert pq.read_schema(path).metadata[b"quarkcrawl_version"] == qc.__version__.encode()


def test_parts_that_a_crawl_merges_as_the_run_begins(tmp_path, quick, monkeypatch):
    add_pages(tmp_path, range(9))
    table = Corpus.table
    opened = []

    def then_merged(self, kind):
        opened.append(table(self, kind))
        if len(opened) == 1:
            for part in (tmp_path / "analysis" / "pages").rglob("part-*.parquet"):
                part.rename(part_path(part.parent, 1, 2))
        return opened[-1]

    monkeypatch.setattr(Corpus, "table", then_merged)
    assert run(tmp_path).extracted == 9
    assert len(opened) == 2
    monkeypatch.setattr(pagerows, "_TRIES", 0)
    with pytest.raises(StoreError, match="faster than it can be read"):
        run(tmp_path)


_READ_ALL = """
import sys
from pathlib import Path
from quarkcrawl.corpus.extraction.results import ResultFolder
from quarkcrawl.corpus.extraction.todo import ChosenPages, TodoPages
from quarkcrawl.corpus.near.astasks import _bucket_bytes
from quarkcrawl.corpus.pagerows import PageRows
from quarkcrawl.store import Corpus

def resident_mib():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

corpus = Corpus.open(Path(sys.argv[1]))
corpus.table("page").head(1)
results = ResultFolder(Path(sys.argv[2]))
before = resident_mib()
todo = TodoPages(corpus, results, ChosenPages(), site_pages=80)
assert todo.n_pages > 700
assert len(list(todo.pages())) > 1
rows = PageRows(corpus)
assert len(list(rows.places())) > 1
assert sum(_bucket_bytes(corpus)) > 0
print(resident_mib() - before)
"""


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
def test_metadata_of_all_files_are_not_kept(tmp_path):
    """Those of 768 files took 200 MiB and more, in each of three readings."""
    root = tmp_path / "corpus"
    add_pages(root, range(4))
    part = next((root / "analysis" / "pages").rglob("*.parquet"))
    for number in range(768):
        folder = part.parent.parent / f"bucket={number % 256}"
        folder.mkdir(exist_ok=True)
        last = 100 + number // 256
        shutil.copy(part, part_path(folder, last, last))
    command = [sys.executable, "-c", _READ_ALL, str(root), str(tmp_path / "results")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 100
