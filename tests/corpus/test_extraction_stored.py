"""What an extraction takes from the store besides the bytes, and leaves behind in it."""

import pytest

import quarkcrawl as qc
from quarkcrawl.analysis import PoolOptions
from quarkcrawl.corpus import ExtractionOptions, extract_corpus

from .corpora import add_pages, assert_complete, parts_of, rows_of

QUARK, POOL = ExtractionOptions("quark"), PoolOptions(workers=1, timeout_s=20)
TEXT = "Žižek, Łódź. " * 4
BODY, HEADER = f"<div><p>{TEXT}</div>".encode("iso-8859-2"), "text/html; charset=iso-8859-2"


def test_the_stored_content_type_tells_the_charset(tmp_path):
    assert TEXT not in qc.Page.from_bytes(BODY).html  # the bytes do not tell
    add_pages(tmp_path, [1], body=BODY, header_lines=((b"Content-Type", HEADER.encode()),))
    extract_corpus(tmp_path, QUARK, pool=POOL)
    (row,) = rows_of(tmp_path).values()
    assert row["content_text"] == TEXT.strip()


@pytest.mark.full
def test_half_written_parts_go_when_a_run_goes_on(tmp_path):
    add_pages(tmp_path, range(3))
    extract_corpus(tmp_path, QUARK, pool=POOL)
    parts = parts_of(tmp_path)
    folder = tmp_path / "analysis" / "extractions" / "quark"
    left = (folder / next(iter(parts))).parent / ".part-9.parquet.tmp"
    left.write_bytes(b"PAR1 half")
    report = extract_corpus(tmp_path, QUARK, pool=POOL)
    assert not left.exists()
    assert (report.extracted, report.done_before) == (0, 3)
    assert parts_of(tmp_path) == parts
    assert_complete(tmp_path)
