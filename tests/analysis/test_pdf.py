"""PDF files in the workers of a crawl: bombs end a worker at most, and other pages go on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from quarkcrawl.analysis import (
    AnalysisEngine,
    AnalysisPlan,
    EngineOptions,
    PageInput,
    StagePlan,
    analyze,
    read_apart,
)
from quarkcrawl.errors import QuarkError
from quarkcrawl.page import Page
from tests.page.pdf import raw
from tests.page.pdf.makers import BOMBS, FILES, TEXT, hello, with_facts
from tests.page.pdf.test_files import check

pytest.importorskip("pypdfium2")

STAGES = "quarkcrawl.analysis.stages"
PLAN = AnalysisPlan((
    StagePlan("segmentation", f"{STAGES}:segmentation", (("spans", True),)),
    StagePlan("content", f"{STAGES}:content", (("spans", True), ("items", True))),
    StagePlan("near", f"{STAGES}:near"),
))  # fmt: skip
MEMORY_BYTES = 400 << 20
BASE_BYTES = 300 << 20
"""What a worker has before its first page, libraries and models among it."""


def source(body, number=0, *, head=None):
    url = f"http://www.pdf.example/{number}.pdf"
    return PageInput(url, body, "application/pdf", head=head)


def peak_bytes(pid) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in status.splitlines() if line[:6] == "VmHWM:")


async def run_all(sources):
    """What comes of pages in an engine, and the most memory that a worker was seen to have."""
    options = EngineOptions(2, cpu_s=6, timeout_s=300, memory_bytes=MEMORY_BYTES)
    engine, peak, is_over = AnalysisEngine(PLAN, options), 0, asyncio.Event()
    engine.start()

    async def look():
        nonlocal peak
        while not is_over.is_set():
            pids = [worker._process.pid for worker in engine._workers]
            peak = max(peak, *map(peak_bytes, pids))
            await asyncio.sleep(0.02)

    looking = asyncio.ensure_future(look())
    try:
        return await asyncio.gather(*(engine.analyze(one) for one in sources)), peak
    finally:
        is_over.set()
        await looking
        engine.close()


def test_a_pdf_has_the_columns_of_a_page_but_for_what_markup_tells():
    found = analyze(source(with_facts(), head=(200, "OK", "HTTP/1.1", ())), PLAN)
    content = found.columns["content"]
    assert (found.title, found.encoding, found.charset_source) == (
        "关于开展网页搜集工作的通知",
        "",
        "pdf",
    )
    assert found.packed is not None
    assert content["content_text"] == "A notice with metadata."
    assert content["content_method"] == "pdf"
    assert content["page_type"] == "document"
    assert content["author"] == "王小明"
    assert content["published"][:2] == "20"
    assert "content_spans" not in content
    assert "items" not in content
    assert len(found.columns["segmentation"]["blocks"]) == 0
    assert found.columns["near"]["simhash"]
    assert (len(found.links), found.flags) == (0, ())


def test_chinese_is_told_by_the_text():
    content = analyze(source(FILES["gbk"].make()), PLAN).columns["content"]
    assert (content["content_text"], content["language"]) == (TEXT, "zh")


def test_a_pdf_without_text_has_a_flag_and_no_content():
    for body, flag in ((b"", "pdf_broken"), (FILES["scanned"].make(), "pdf_no_text")):
        found = analyze(source(body), PLAN)
        assert found.flags == (flag,)
        assert found.columns["content"] == {}
        assert found.failures == {}


def test_the_beginning_of_a_long_one_is_kept_and_flagged():
    found = analyze(source(raw.many_pages(2001)), PLAN)
    assert found.flags == ("pdf_cut",)
    assert found.columns["content"]["content_text"].startswith("one of many")


def test_of_links_only_a_pdf_is_not_even_opened(monkeypatch):
    monkeypatch.setattr("quarkcrawl.page.page.read_pdf", lambda body: pytest.fail("read"))
    found = analyze(PageInput("http://a.cn/", hello(), "application/pdf", links_only=True), PLAN)
    assert (len(found.links), found.columns, found.failures) == (0, {}, {})


def test_an_exception_in_the_library_is_the_files_failure(monkeypatch):
    def burst(body):
        raise MemoryError

    monkeypatch.setattr("quarkcrawl.page.page.read_pdf", burst)
    found = analyze(source(hello()), PLAN)
    assert set(found.failures) == {"parse"}
    assert found.columns["content"] == {}


@pytest.mark.full
def test_bombs_end_their_worker_at_most_and_other_pages_go_on():
    html = PageInput("http://www.pdf.example/", b"<h1>t</h1><p>" + TEXT.encode() * 5, "text/html")
    made = [*BOMBS.values(), *FILES.values()]
    found, peak = asyncio.run(
        run_all([*(source(one.make(), i) for i, one in enumerate(made)), html])
    )
    *of_files, of_html = found
    assert TEXT in of_html.columns["content"]["content_text"]
    for one, analysis in zip(made, of_files, strict=True):
        text = analysis.columns.get("content", {}).get("content_text", "")
        (reason,) = analysis.flags or ("",)
        reason = "died" if reason in {"failed:crash", "failed:timeout", "failed:memory"} else reason
        check(one, f"{analysis.title}\n{text}" if text else "", reason)
    assert any(flag.startswith("failed:") for one in found for flag in one.flags)
    assert 0 < peak < MEMORY_BYTES + BASE_BYTES


@pytest.mark.full
def test_a_single_file_is_read_in_a_process_of_its_own():
    page = read_apart(Page.from_bytes(FILES["gbk"].make()))
    assert page.html == TEXT
    with pytest.raises(QuarkError, match=r"x\.pdf: pdf_encrypted: the PDF opens with"):
        read_apart(Page.from_bytes(FILES["aes 256"].make()), "x.pdf")
    with pytest.raises(QuarkError, match="could not be read"):
        read_apart(Page.from_bytes(BOMBS["2 GiB packed twice"].make()))
