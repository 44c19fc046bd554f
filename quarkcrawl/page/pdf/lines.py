"""Lines of a PDF page: PDFium's characters, cut where a line ends or a wide gap is."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDE_GAP_EM: Final = 1.6
"""White space in a line, in letter sizes, that may part columns or the cells of a table."""

_LINE_END: Final = re.compile(r"\r\n|[\r\n]")
_CJK: Final = (
    "\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
)
_BLANK_IN_CJK: Final = re.compile(rf"(?<=[{_CJK}])[ \u3000]+(?=[{_CJK}])")
_BLANKS: Final = re.compile(r"[ \t\u00a0\u3000]+")
_UNREADABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufff0-\uffff]")
_HYPHENS: Final = "\x02\u00ad\ufffe"
"""What stands for a hyphen that only the end of the line has made."""

_HYPHEN_AT_END: Final = re.compile(f"[{_HYPHENS}][ ]*$")

CJK_CHAR: Final = re.compile(f"[{_CJK}]")
"""A letter or punctuation mark of writing without blanks between words."""

SOFT_HYPHEN: Final = "\u00ad"


@dataclass(slots=True)
class Line:
    """A line of text, or the part of it on one side of a wide gap; points, upwards.

    Args:
        text: white space folded; a soft hyphen at the end stands for a broken word.
        x0: left edge.
        x1: right edge.
        y0: lower edge.
        y1: upper edge.
        size: size of the letters.
        row: number of the line that it is a part of.
        n_unreadable: characters that the font gives no meaning, left out of the text.
        n_cells: parts of a row that were put together again, as those of a table are.
    """

    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    size: float
    row: int
    n_unreadable: int = 0
    n_cells: int = 1

    @property
    def is_vertical(self) -> bool:
        """Whether it is written from top to bottom."""
        return len(self.text) > 2 and self.y1 - self.y0 > 1.5 * (self.x1 - self.x0)

    @property
    def middle(self) -> float:
        """Height of its middle."""
        return (self.y0 + self.y1) / 2


class PageChars:
    """The characters of a page and where they stand.

    Args:
        raw: the bindings.
        text_page: PDFium's text page.
        most_chars: no more are read.
    """

    def __init__(self, raw: Any, text_page: Any, most_chars: int) -> None:
        self._raw = raw
        self._text_page = text_page
        self._box = raw.FS_RECTF()
        self._box_at = ctypes.byref(self._box)
        n_chars = max(raw.FPDFText_CountChars(text_page), 0)
        self.is_cut = n_chars > most_chars
        n_chars = min(n_chars, most_chars)
        text = text_page.get_text_range(0, n_chars, errors="replace") if n_chars else ""
        if len(text) != n_chars:  # some were left out: places would not fit
            codes = (raw.FPDFText_GetUnicode(text_page, place) for place in range(n_chars))
            text = "".join(chr(code) if 0 < code < 0x110000 else "\ufffd" for code in codes)
        self.text = text

    def box(self, place: int) -> tuple[float, float, float, float]:
        """Left, right, lower and upper edge of a character."""
        box = self._box
        if not self._raw.FPDFText_GetLooseCharBox(self._text_page, place, self._box_at):
            return 0.0, 0.0, 0.0, 0.0
        return box.left, box.right, box.bottom, box.top

    def is_unmapped(self, place: int) -> bool:
        """Whether the font does not say which character this is: the text has a guess."""
        return bool(self._raw.FPDFText_HasUnicodeMapError(self._text_page, place) == 1)

    def size(self, place: int) -> float:
        """Size of the letters, as they are shown."""
        left, right, lower, upper = self.box(place)
        named_size = float(self._raw.FPDFText_GetFontSize(self._text_page, place))
        shown = max(upper - lower, right - left)
        # The size that is told is that before the page's own scale.
        return named_size if 0.5 * shown <= named_size <= 2 * shown else shown / 1.2


def page_lines(chars: PageChars) -> list[Line]:
    """The lines of a page as the file has them, in its order; unreadable ones have no text.

    Args:
        chars: its characters.
    """
    out: list[Line] = []
    start = 0
    for row, (end, following) in enumerate(_line_ends(chars.text)):
        parts = (_line(chars, *span, row) for span in _parts(chars, start, end))
        out += [line for line in parts if line.text or line.n_unreadable]
        start = following
    return out


def _line_ends(text: str) -> Iterator[tuple[int, int]]:
    for match in _LINE_END.finditer(text):
        yield match.span()
    yield len(text), len(text)


def _parts(chars: PageChars, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Places of what stands between wide gaps."""
    text = chars.text
    begin = start
    for match in _BLANKS.finditer(text, start, end):
        before, behind = match.start() - 1, match.end()
        if before < begin or behind >= end:
            continue
        _, left, *_ = chars.box(before)
        right, _, lower, upper = chars.box(behind)
        if right - left > _WIDE_GAP_EM * max(upper - lower, 1.0):
            yield begin, behind
            begin = behind
    if begin < end:
        yield begin, end


def _line(chars: PageChars, start: int, end: int, row: int) -> Line:
    """The line of some characters; that of white space is empty."""
    text = chars.text
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return Line("", 0, 0, 0, 0, 0, row)
    sample = (start, (start + end) // 2, end - 1)
    if sum(map(chars.is_unmapped, sample)) > 1:
        return Line("", 0, 0, 0, 0, 0, row, end - start)
    edges = [chars.box(place) for place in sample]
    raw = _HYPHEN_AT_END.sub("\u00ad", text[start:end])
    readable = _UNREADABLE.sub("", raw)
    return Line(
        _BLANKS.sub(" ", _BLANK_IN_CJK.sub("", readable)).strip(" "),
        min(box[0] for box in edges),
        max(box[1] for box in edges),
        min(box[2] for box in edges),
        max(box[3] for box in edges),
        chars.size(start),
        row,
        len(raw) - len(readable),
    )
