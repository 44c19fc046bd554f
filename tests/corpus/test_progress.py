"""Jobs on a corpus tell how far they are: each step rises to its end."""

from __future__ import annotations

import gzip
import shutil

import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.classify import Examples, left_out_predictions, train
from quarkcrawl.corpus import (
    ExtractionOptions,
    classify_corpus,
    dedup_corpus,
    extract_corpus,
    link_batches,
    merge_corpora,
)
from quarkcrawl.corpus.collection import SampleOptions, sample_corpus
from quarkcrawl.corpus.near import find_near
from quarkcrawl.corpus.pictures import index_pictures
from quarkcrawl.corpus.stats import corpus_statistics
from quarkcrawl.corpus.warc import export_warc, import_warc
from quarkcrawl.dataset import export_dataset
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_all
from quarkcrawl.refine import refine_corpus
from quarkcrawl.select import SelectionOptions, SelectionWork
from quarkcrawl.store import CorpusWriter
from quarkcrawl.store.repair import verify
from quarkcrawl.template import StoredPages, prepare, train_sequences
from quarkcrawl.template.structure import SequenceOptions
from tests.progress import Told
from tests.store.samples import duplicate_row, make_item

N_PAGES = 12
POOL = PoolOptions(in_process=True)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("told") / "corpus"
    with CorpusWriter(root) as writer:
        for number in range(N_PAGES):
            row = writer.append_page(make_item(number, host=f"h{number % 5}.cn"))
        writer.append_row(duplicate_row("http://z.cn/", row.url, row.md5, 1, 1.0, row.links))
    return root


@pytest.fixture(scope="module")
def extracted(corpus, tmp_path_factory):
    root = shutil.copytree(corpus, tmp_path_factory.mktemp("told") / "extracted")
    extract_corpus(root, ExtractionOptions(), pool=POOL)
    return root


@pytest.fixture
def told():
    return Told()


def test_links(corpus, told):
    assert list(link_batches(corpus, duplicates=True, on_progress=told))
    told.check("buckets of pages", "buckets of duplicates")
    assert told.steps["buckets of pages"][-1] == (5, 5)


def test_links_of_shards(told, tmp_path):
    for worker in ("one", "two"):
        with CorpusWriter(tmp_path / "workers" / worker) as writer:
            for number in range(N_PAGES):
                writer.append_page(make_item(number, host=f"h{number % 5}.cn"))
    assert list(link_batches(tmp_path, duplicates=True, on_progress=told))
    told.check(
        "which pages stay", "pages", "duplicates", unknown={"which pages stay", "duplicates"}
    )
    assert told.steps["pages"][-1] == (N_PAGES, N_PAGES)


def test_verify(corpus, told):
    assert list(verify(corpus, on_progress=told)) == []
    told.check("url of rows", "md5 of rows", "records")


def test_merge(corpus, told, tmp_path):
    merge_corpora([corpus], tmp_path / "out", on_progress=told)
    told.check(
        "rows", "which pages stay", "pages", "which other rows stay",
        unknown={"which pages stay", "which other rows stay"},
    )  # fmt: skip
    assert told.steps["rows"][-1][0] == N_PAGES + 1


@pytest.mark.parametrize("pool", [None, PoolOptions(1, in_process=True)])
def test_warc_files(corpus, told, tmp_path, pool):
    export_warc(corpus, tmp_path / "warcs", on_progress=told)
    told.check("pages", "redirects and duplicates", unknown={"redirects and duplicates"})
    told = Told()
    import_warc([tmp_path / "warcs"], tmp_path / "again", pool=pool, on_progress=told)
    told.check("bytes", "revisits")
    assert len(told.steps["bytes"]) > N_PAGES


def test_a_page_dat_without_rows(corpus, told, tmp_path):
    [path, *_] = sorted(corpus.glob("data_*/*/page.dat"))
    export_warc(path, tmp_path / "warcs", on_progress=told)
    assert told.steps["records"][-1][0] > 0


@pytest.mark.parametrize("method", ["default", "thesis"])
def test_exact_duplicates(corpus, told, tmp_path, method):
    root = shutil.copytree(corpus, tmp_path / "corpus")
    with DuckEngine() as engine:
        dedup_corpus(engine, root, method, on_progress=told)
    queries = ["MD5s that occur twice", "equal pages"] if method == "default" else []
    told.check("tables", *queries, "duplicates", "report", unknown={*told.steps})


def test_near_duplicates(extracted, told, tmp_path):
    root = shutil.copytree(extracted, tmp_path / "corpus")
    stages = []
    find_near(root, extraction="default", least_chars=1, on_progress=told, on_stage=stages.append)
    told.check("buckets", "stages", unknown={"stages"})
    assert told.steps["stages"][-1][0] == len(stages) > 0


def test_statistics_and_a_sample(corpus, told, tmp_path):
    with DuckEngine() as engine:
        corpus_statistics(engine, corpus, on_progress=told)
        told.check("tables", "hosts", "kinds of pages", unknown={"tables", "hosts"})
        told = Told()
        options = SampleOptions(draw=20, dedup=False)
        report = sample_corpus(engine, corpus, tmp_path / "out", options, on_progress=told)
    told.check(
        "sizes of hosts", "pages of hosts that were drawn", "pages", "duplicates and redirects",
        "checksums", unknown={*told.steps} - {"pages"},
    )  # fmt: skip
    assert told.steps["pages"][-1][0] == report.documents == N_PAGES


@pytest.mark.full
def test_labels_and_a_data_set(extracted, told, tmp_path):
    root = shutil.copytree(extracted, tmp_path / "corpus")
    with DuckEngine() as engine:
        refine_corpus(engine, root, pool=POOL, on_progress=told)
        counted = ("buckets", "documents", "paragraphs of texts", "substrings of texts")
        told.check(*told.steps, unknown={*told.steps} - {*counted})
        assert [step for step in told.steps if step in counted] == [*counted]
        assert told.steps["documents"][-1] == (N_PAGES, N_PAGES)
        told = Told()
        export_dataset(engine, root, tmp_path / "out", on_progress=told)
    told.check(
        "which documents stay", "documents", "card", unknown={"which documents stay", "card"}
    )
    assert told.steps["documents"][-1] == (N_PAGES, N_PAGES)


def test_classes_and_pictures(corpus, told, tmp_path):
    words = [["news", "today"], ["list", "links"]] * 4
    sites = [f"h{number // 4}.cn" for number in range(8)]
    examples = Examples(["one", "two"] * 4, sites, words, "page")
    assert left_out_predictions(examples, n_parts=2, on_progress=told)
    told.check("sites left out")
    train(examples).save(tmp_path / "model.npz")
    told = Told()
    classify_corpus(
        corpus, tmp_path / "model.npz", out=tmp_path / "classes", pool=POOL, on_progress=told
    )
    told.check("pages")
    assert told.steps["pages"][-1] == (N_PAGES, N_PAGES)
    told = Told()
    index_pictures(corpus, out=tmp_path / "pictures", pool=POOL, on_progress=told)
    told.check("pages", "sorting", unknown={"sorting"})


def test_templates(corpus, told):
    pages = StoredPages(corpus)
    sequences = [prepare(page, SequenceOptions()) for page in pages]
    urls = [page.url for page in pages]
    done = train_sequences(sequences, urls, on_progress=told)
    told.check("grouping", "kinds of lists", "templates", unknown={"kinds of lists"})
    assert told.steps["grouping"][-1] == (N_PAGES, N_PAGES)
    assert told.steps["templates"][-1][0] == len(done.templates)


def test_selection(told, tmp_path):
    path = tmp_path / "urls.txt"
    path.write_text("".join(f"http://www.h{n % 3}.cn/{n}\n" for n in range(60)))
    work = SelectionWork(tmp_path / "work")
    work.count([path, path], on_progress=told)
    told.check("lists", "merging", unknown={"merging"})
    told = Told()
    work.filter(SelectionOptions(), checked=False, on_progress=told)
    told.check("steps", "tables", unknown={"tables"})


def test_lines_of_files_are_counted_before(told, tmp_path):
    path = tmp_path / "records.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n\n{"a": 2}\n'))
    assert len(list(read_all([path, path], "records", told))) == 4
    told.check("records")
    told = Told()
    with pytest.raises(InputError, match="cannot be read"):
        list(read_all([tmp_path / "none"], "records", told))
    assert told.steps == {"records": [(0, None)]}
