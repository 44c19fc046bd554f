"""PDF files of many makers: text in order, or the reason why there is none."""

from __future__ import annotations

import pytest

from quarkcrawl.page import Page, PdfPage
from quarkcrawl.page.pdf import PDF_REASONS, PdfLimits, read_pdf
from tests.page.pdf import raw
from tests.page.pdf.makers import BOMBS, ENGLISH, FILES, TEXT, hello, with_facts

pytest.importorskip("pypdfium2")


def check(made, text, reason):
    assert reason in made.reasons
    assert bool(text) or reason in {*PDF_REASONS, "died"}
    place = 0
    for words in made.holds:
        found = text.find(words, place)
        assert found >= 0, (words, text[:2000])
        place = found + len(words)
    assert not [words for words in made.lacks if words in text]


def test_there_are_forty_of_them():
    assert len(FILES) + len(BOMBS) >= 40


@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_its_text_or_a_reason(name):
    made = FILES[name]
    found = read_pdf(made.make())
    check(made, found.text, found.reason)
    assert found.title == made.title


def test_paragraphs_of_chinese_are_joined_without_blanks():
    assert read_pdf(FILES["gbk"].make()).text == TEXT


def test_pages_are_parted_by_an_empty_line():
    assert read_pdf(raw.many_pages(3)).text == "one of many\n\none of many\n\none of many"


def test_metadata_is_kept_where_it_is_plausible():
    found = read_pdf(with_facts())
    assert found.author == "王小明"
    assert found.created[:2] == "20"
    info = b"<< /Title (Microsoft Word - report.doc) /Author (Administrator) /CreationDate (D:19010203) >>"
    data = raw.file_of({
        1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
           b"/Resources << /Font << /F1 5 0 R >> >> >>",
        4: raw.stream(raw.shown("text")), 5: raw.HELVETICA, 6: info,
    }, extra="/Info 6 0 R ")  # fmt: skip
    found = read_pdf(data)
    assert (found.title, found.author, found.created, found.text) == ("", "", "", "text")


def test_what_is_beyond_the_limits_is_left_out_and_said():
    data = raw.many_pages(30)
    found = read_pdf(data, PdfLimits(max_pages=4))
    assert (found.text.count("one"), found.reason, found.n_pages) == (4, "pdf_cut", 30)
    found = read_pdf(data, PdfLimits(max_chars=25))
    assert found.reason == "pdf_cut"
    assert 2 <= found.text.count("one") <= 3
    assert read_pdf(data, PdfLimits(max_pages=30)).reason == ""


@pytest.mark.parametrize(
    ("content_type", "body", "is_read"),
    [
        ("application/pdf", b"anything", True),
        ("application/x-pdf; charset=binary", b"", True),
        ("application/octet-stream", b"junk %PDF-1.4", True),
        ("application/octet-stream", b"PK", False),
        ("text/html", b"%PDF-1.4", False),
        ("text/plain", b"%PDF-1.4", False),
        (None, b"%PDF-1.4", True),
        (None, b"<p>%PDF-1.4", False),
    ],
)
def test_a_pdf_is_known_by_its_type_or_its_first_bytes(content_type, body, is_read):
    page = Page.from_bytes(body, "http://a.cn/x.pdf", content_type)
    assert isinstance(page, PdfPage) == is_read


def test_a_pdf_has_no_tree_no_links_and_nothing_is_read_before_it_is_asked_for(monkeypatch):
    monkeypatch.setattr("quarkcrawl.page.page.read_pdf", lambda body: pytest.fail("read"))
    page = Page.from_bytes(hello(), "http://a.cn/x.pdf", "application/pdf")
    assert (len(page.tree.runs), len(page.links), page.canonical) == (0, 0, None)
    assert (page.encoding, page.charset_source) == ("", "pdf")


def test_without_the_library_there_is_a_reason(monkeypatch):
    monkeypatch.setattr("quarkcrawl.page.pdf.document.has_pdf_library", lambda: False)
    assert read_pdf(hello()).reason == "pdf_no_library"


def test_a_narrow_column_of_english_is_one_paragraph():
    assert read_pdf(FILES["fpdf2 justified"].make()).text == ENGLISH
