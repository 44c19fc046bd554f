"""Real pages go in and come out byte for byte."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.layout import page_dat_path
from quarkcrawl.store.repair.verify import verify
from quarkcrawl.store.writer import CorpusWriter
from tests.store.samples import make_item
from tests.store.spec_reader import spec_records

SITES = Path(__file__).parents[3] / "shared" / "data" / "sites"
PER_SITE = 25

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SITES.is_dir(), reason="../shared/data/sites is not there"),
]


def real_pages() -> dict[str, bytes]:
    pages = {}
    for path in sorted(SITES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for _, line in zip(range(PER_SITE), lines, strict=False):
                page = json.loads(line)
                url = quote(page["url"].lower(), safe=":/?&=%#")
                pages[url] = page["html"].encode()
    return pages


@pytest.mark.full
def test_real_pages_come_back_byte_for_byte(tmp_path: Path) -> None:
    pages = real_pages()
    assert len(pages) > 200
    seen: set[str] = set()
    with CorpusWriter(tmp_path, rotate_bytes=1 << 20) as writer:
        for number, (url, body) in enumerate(pages.items()):
            md5 = hashlib.md5(body).hexdigest()
            if md5 not in seen:
                host = urlsplit(url).netloc
                writer.append_page(make_item(number, host=host, url=url, body=body))
                seen.add(md5)
            if number % 64 == 63:
                writer.sync().acknowledged()
    assert list(verify(tmp_path)) == []
    corpus = Corpus.open(tmp_path)
    for row in corpus.pages():
        assert corpus.page(row).body == pages[row.url]
    by_spec = {
        record["url"]: record["body"]
        for host in corpus.hosts()
        for record in spec_records(page_dat_path(tmp_path, host))
    }
    assert by_spec == {url: pages[str(url)] for url in by_spec}
    assert len(by_spec) == len(seen) == corpus.info().pages
