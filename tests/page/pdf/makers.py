"""Forty PDF files of several makers, made when they are asked for, and what is to come of each."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.page.pdf import raw

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "天网搜集系统从一九九七年开始运行，收集了中国的网页。"
BIG5 = "中文電腦與資訊產業的發展歷程"
ENGLISH = (
    "A crawler follows the links of pages that it has fetched and stores what it finds. "
    "Whoever builds a corpus wants the text of these pages in the order in which people read it, "
    "without the lines that every page repeats and with its paragraphs in one piece."
)


@dataclass(frozen=True)
class Made:
    """A file and what is to come of it.

    Args:
        make: makes it.
        holds: what its text has, in this order.
        lacks: what its text has not.
        reasons: one of these is its reason; ``""``: none. ``died``: its worker ended.
        title: what it is called.
    """

    make: Callable[[], bytes]
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ("",)
    title: str = ""


# reportlab


def _canvas(draw, **options) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), **options)
    draw(canvas)
    canvas.save()
    return out.getvalue()


def reportlab_cid(
    font: str, encoding: str, text: str, codec: str = "", *, down: bool = False
) -> bytes:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import CIDFont, UnicodeCIDFont

    def draw(canvas):
        made = CIDFont(font, encoding) if codec else UnicodeCIDFont(font, isVertical=down)
        pdfmetrics.registerFont(made)
        canvas.setFont(made.fontName, 12)
        for i in range(0, len(text), 13):
            line = text[i : i + 13]
            told = line.encode(codec).decode("latin-1") if codec else line
            place = (500 - 20 * i / 13, 700) if down else (72, 700 - 20 * i / 13)
            canvas.drawString(*place, told)

    return _canvas(draw)


def _column_lines(mark: str) -> list[str]:
    return [f"{mark}{i:02d} of the text that runs on here" for i in range(20)]


def two_columns(*, by_rows: bool) -> bytes:
    left, right = _column_lines("Left"), _column_lines("Right")

    def draw(canvas):
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 790, "A Paper in Two Columns, from Edge to Edge")
        canvas.setFont("Helvetica", 10)
        places = [(60, left), (310, right)]
        cells = [(x, i, lines[i]) for x, lines in places for i in range(20)]
        for x, i, line in sorted(cells, key=lambda cell: cell[1]) if by_rows else cells:
            canvas.drawString(x, 750 - 14 * i, line)

    return _canvas(draw)


def running_heads() -> bytes:
    words = ENGLISH.split()

    def draw(canvas):
        for page in range(1, 7):
            canvas.setFont("Helvetica", 9)
            canvas.drawString(72, 810, "Annual Report of the Library 2008")
            canvas.drawCentredString(297, 30, f"- {page} -")
            canvas.setFont("Helvetica", 12)
            for i in range(6):
                canvas.drawString(72, 760 - 16 * i, " ".join(words[(page * 3 + i) % 20 :][:9]))
            canvas.drawString(72, 640, f"Unlike line {page * page} here")
            canvas.showPage()

    return _canvas(draw)


def broken_words() -> bytes:
    lines = [
        "The laboratory of computer networks has built a system that collects infor-",
        "mation from the web of China, and stores it in files that others can read with-",
        "out any special program. It began to run in the year 1997 and goes on to run.",
    ]

    def draw(canvas):
        for i, line in enumerate(lines):
            canvas.drawString(72, 760 - 15 * i, line)
        canvas.drawString(90, 715, "A second paragraph begins with an indent.")

    return _canvas(draw)


def with_facts() -> bytes:
    def draw(canvas):
        canvas.setTitle("关于开展网页搜集工作的通知")
        canvas.setAuthor("王小明")
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 760, "A notice with metadata.")

    return _canvas(draw)


def rotated() -> bytes:
    def draw(canvas):
        canvas.setPageRotation(90)
        canvas.drawString(72, 760, "A page that is shown turned")

    return _canvas(draw)


def table() -> bytes:
    def draw(canvas):
        for i in range(12):
            for j, cell in enumerate((f"row{i}", f"{i * 7}", f"{i * i}")):
                canvas.drawString(72 + 150 * j, 760 - 16 * i, cell)

    return _canvas(draw)


def reportlab_encrypted() -> bytes:
    from reportlab.lib.pdfencrypt import StandardEncryption

    guard = StandardEncryption("user", ownerPassword="owner", strength=128)
    return _canvas(lambda canvas: canvas.drawString(72, 760, "secret"), encrypt=guard)


# fpdf2


def _fpdf(draw, **options) -> bytes:
    from fpdf import FPDF

    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    draw(pdf)
    return bytes(pdf.output())


def fpdf_text() -> bytes:
    return _fpdf(lambda pdf: pdf.multi_cell(0, 8, ENGLISH))


def fpdf_justified() -> bytes:
    return _fpdf(lambda pdf: pdf.multi_cell(80, 6, ENGLISH, align="J"))


def fpdf_embedded() -> bytes:
    from matplotlib import font_manager

    def draw(pdf):
        pdf.add_font("DejaVu", fname=font_manager.findfont("DejaVu Sans"))
        pdf.set_font("DejaVu", size=12)
        pdf.multi_cell(0, 8, "Шрифт внутри файла: буквы по номерам, ελληνικά.")

    return _fpdf(draw)


def fpdf_scanned(n_pages: int = 1) -> bytes:
    from PIL import Image, ImageDraw

    picture = Image.new("L", (400, 560), 255)
    ImageDraw.Draw(picture).text((40, 40), "what was scanned", fill=0)

    def draw(pdf):
        for page in range(n_pages):
            if page:
                pdf.add_page()
            pdf.image(picture, x=0, y=0, w=210)

    return _fpdf(draw)


def fpdf_aes(user: str) -> bytes:
    from fpdf.enums import EncryptionMethod

    def draw(pdf):
        pdf.cell(text="behind AES of 256 bits")
        pdf.set_encryption(owner_password="owner", user_password=user,
                           encryption_method=EncryptionMethod.AES_256)  # fmt: skip

    return _fpdf(draw)


# matplotlib


def plot(font_type: int) -> bytes:
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    out = io.BytesIO()
    with mpl.rc_context({"pdf.fonttype": font_type}):
        figure = Figure()
        figure.add_subplot().set_title("Pages fetched in a second")
        FigureCanvasPdf(figure).print_pdf(out)
    return out.getvalue()


# pikepdf (qpdf) and pypdf, on files of others


def pikepdf_saved(data: bytes, **options) -> bytes:
    import pikepdf

    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.save(out, **options)
    return out.getvalue()


def pikepdf_locked(user: str, version: int) -> bytes:
    import pikepdf

    guard = pikepdf.Encryption(user=user, owner="owner", R=version, aes=version >= 4,
                               metadata=version >= 4)  # fmt: skip
    return pikepdf_saved(hello(), encryption=guard)


def pikepdf_streams() -> bytes:
    import pikepdf

    mode = pikepdf.ObjectStreamMode.generate
    return pikepdf_saved(hello(), object_stream_mode=mode, linearize=True)


def pypdf_merged() -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for data in (hello(), fpdf_text(), with_facts()):
        for page in PdfReader(io.BytesIO(data)).pages:
            writer.add_page(page)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def hello() -> bytes:
    return raw.page_file(raw.stream(raw.shown("Hello, reader", "of a second line")))


def with_junk_before() -> bytes:
    return b"HTTP/1.1 200 OK\r\nX: junk that a proxy left\r\n\r\n" * 8 + hello()


DIED = ("died",)
_LEFT = tuple(f"Left{i:02d}" for i in range(20))
_RIGHT = tuple(f"Right{i:02d}" for i in range(20))

FILES: dict[str, Made] = {
    # Chinese in several encodings
    "gb unicode": Made(lambda: reportlab_cid("STSong-Light", "UniGB-UCS2-H", TEXT), (TEXT,)),
    "gbk": Made(lambda: reportlab_cid("STSong-Light", "GBK-EUC-H", TEXT, "gbk"), (TEXT,)),
    "gb2312": Made(lambda: reportlab_cid("STSong-Light", "GB-EUC-H", TEXT, "gbk"), (TEXT,)),
    "cns unicode": Made(lambda: reportlab_cid("MSung-Light", "UniCNS-UCS2-H", BIG5), (BIG5,)),
    "big5": Made(lambda: reportlab_cid("MSung-Light", "ETen-B5-H", BIG5, "big5"), (BIG5,)),
    "vertical": Made(
        lambda: reportlab_cid("STSong-Light", "UniGB-UCS2-V", TEXT, down=True), (TEXT,)
    ),
    "identity with unicode": Made(lambda: raw.composite(TEXT, to_unicode=True), (TEXT,)),
    "identity without": Made(
        lambda: raw.composite(TEXT, to_unicode=False), reasons=("pdf_no_text",)
    ),
    # Layout
    "columns by rows": Made(
        lambda: two_columns(by_rows=True), ("Edge to Edge", *_LEFT, *_RIGHT),
        title="A Paper in Two Columns, from Edge to Edge",
    ),
    "columns in turn": Made(
        lambda: two_columns(by_rows=False), ("Edge to Edge", *_LEFT, *_RIGHT),
        title="A Paper in Two Columns, from Edge to Edge",
    ),
    "running heads": Made(
        running_heads, ("line 1 here", "line 36 here"), ("Annual Report", "- 3 -")
    ),
    "broken words": Made(
        broken_words, ("collects information from", "read without any", "run.\nA second")
    ),
    "table": Made(table, ("row0 0 0", "row3 21 9", "row11 77 121")),
    "turned page": Made(rotated, ("A page that is shown turned",)),
    "facts": Made(with_facts, ("A notice",), title="关于开展网页搜集工作的通知"),
    # Other makers
    "fpdf2": Made(fpdf_text, (ENGLISH,)),
    "fpdf2 justified": Made(fpdf_justified, (ENGLISH,)),
    "fpdf2 embedded font": Made(fpdf_embedded, ("буквы по номерам, ελληνικά",)),
    "matplotlib type 3": Made(lambda: plot(3), ("Pages fetched in a second",), title="Pages fetched in a second"),
    "matplotlib type 42": Made(lambda: plot(42), ("Pages fetched in a second",), title="Pages fetched in a second"),
    "qpdf object streams": Made(pikepdf_streams, ("Hello, reader of a second line",)),
    "pypdf merged": Made(pypdf_merged, ("Hello, reader", "A crawler", "A notice")),
    # Nothing to read
    "scanned": Made(fpdf_scanned, reasons=("pdf_no_text",)),
    "scanned book": Made(lambda: fpdf_scanned(30), reasons=("pdf_no_text",)),
    # Locked
    "user password": Made(lambda: pikepdf_locked("user", 4), reasons=("pdf_encrypted",)),
    "owner password": Made(lambda: pikepdf_locked("", 4), ("Hello, reader",)),
    "rc4": Made(lambda: pikepdf_locked("user", 3), reasons=("pdf_encrypted",)),
    "aes 256": Made(lambda: fpdf_aes("user"), reasons=("pdf_encrypted",)),
    "aes 256 owner": Made(lambda: fpdf_aes(""), ("behind AES",)),
    "reportlab locked": Made(reportlab_encrypted, reasons=("pdf_encrypted",)),
    # Broken
    "truncated": Made(lambda: hello()[:-400], ("Hello, reader",)),
    "half": Made(lambda: fpdf_text()[:300], reasons=("pdf_broken", "pdf_no_text")),
    "table astray": Made(
        lambda: hello().replace(b"startxref\n", b"startxref\n77"), ("Hello, reader",)
    ),
    "table of itself": Made(raw.table_that_points_to_itself, ("found by looking",)),
    "junk before": Made(with_junk_before, ("Hello, reader",)),
    "html": Made(lambda: b"<html><p>no such file", reasons=("pdf_broken",)),
    "empty": Made(lambda: b"", reasons=("pdf_broken",)),
    "pages in a circle": Made(raw.cyclic_pages, reasons=("pdf_broken",)),
    "pages in pages": Made(lambda: raw.deep_pages(5000), reasons=("pdf_broken", "pdf_no_text")),
    "brackets": Made(lambda: raw.deep_arrays(100_000), ("behind the brackets",)),
    "form in itself": Made(raw.self_calling_form, ("a page whose form calls itself",)),
    "mapping of everything": Made(raw.wide_mapping, reasons=("", "pdf_no_text", "died")),
}  # fmt: skip

BOMBS: dict[str, Made] = {
    "2 GiB of blanks": Made(lambda: raw.flate_bomb(2 << 30, twice=False), reasons=DIED),
    "2 GiB packed twice": Made(lambda: raw.flate_bomb(2 << 30, twice=True), reasons=DIED),
    "object stream of 1 GiB": Made(lambda: raw.object_stream(1 << 30), reasons=DIED),
    "100,000 pages": Made(lambda: raw.many_pages(100_000), ("one of many",), reasons=("pdf_cut",)),
    "picture of 10^10 dots": Made(lambda: raw.picture_bomb(100_000), reasons=("pdf_no_text",)),
    "jbig2 of 10^18 dots": Made(
        lambda: raw.picture_bomb(1 << 30, jbig2=True), reasons=("pdf_no_text",)
    ),
    "10^10 forms": Made(lambda: raw.forms_of_forms(10, 10), reasons=DIED),
}
