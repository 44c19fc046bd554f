"""Jobs on a corpus tell how far they are: each step rises to its end."""

from __future__ import annotations

import pytest

from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import link_batches, merge_corpora
from quarkcrawl.corpus.warc import export_warc, import_warc
from quarkcrawl.store import CorpusWriter
from quarkcrawl.store.repair import verify
from tests.progress import Told
from tests.store.samples import duplicate_row, make_item

N_PAGES = 12


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    root = tmp_path_factory.mktemp("told") / "corpus"
    with CorpusWriter(root) as writer:
        for number in range(N_PAGES):
            row = writer.append_page(make_item(number, host=f"h{number % 5}.cn"))
        writer.append_row(duplicate_row("http://z.cn/", row.url, row.md5, 1, 1.0, row.links))
    return root


@pytest.fixture
def told():
    return Told()


def test_links(corpus, told):
    assert list(link_batches(corpus, duplicates=True, on_progress=told))
    told.check("links of pages", "links of duplicates")
    assert told.steps["links of pages"][-1] == (N_PAGES, N_PAGES)


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
