"""Which characters the bytes of a page mean.

The bytes decide, declarations are hints: on the Chinese web a wrong declaration is as common as
a right one. Order: byte-order mark; strict UTF-8 over the whole body (its decoder is the test);
HZ; damaged UTF-8; gb18030 or Big5 by the share of common characters in a bounded sample of the
non-ASCII text; then a statistical detector and, where that is unsure, the declaration.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final, Literal

import cchardet

from quarkcrawl.page.hanzi import common_share

__all__ = ["CODECS", "Charset", "CharsetSource", "canonical_name", "decide"]

CharsetSource = Literal["bom", "utf-8", "hz", "header", "meta", "detector", "han-score", "default"]

SAMPLE_BYTES: Final = 4096
"""Bytes of non-ASCII text that are looked at."""

WINDOW_BYTES: Final = 16_384
MAX_SCAN_BYTES: Final = 1 << 20
MIN_SHARE: Final = 0.3
MAX_DAMAGE: Final = 0.2
MIN_CONFIDENCE: Final = 0.6

_ALIASES: Final[dict[str, str]] = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030",
    "gb_2312": "gb18030", "chinese": "gb18030", "csgb2312": "gb18030", "gb18030": "gb18030",
    "euc-cn": "gb18030", "cp936": "gb18030", "ms936": "gb18030", "windows-936": "gb18030",
    "hz-gb-2312": "hz", "hz": "hz",
    "big5": "big5", "big5-hkscs": "big5", "big-5": "big5", "cn-big5": "big5", "x-x-big5": "big5",
    "cp950": "big5", "csbig5": "big5", "big5hkscs": "big5",
    "utf8": "utf-8", "utf-8": "utf-8", "unicode-1-1-utf-8": "utf-8", "utf-8-sig": "utf-8",
    "iso-8859-1": "windows-1252", "latin1": "windows-1252", "latin-1": "windows-1252",
    "ascii": "windows-1252", "us-ascii": "windows-1252", "cp1252": "windows-1252",
    "iso8859-1": "windows-1252", "iso-8859-9": "windows-1254",
    "shift_jis": "shift_jis", "shift-jis": "shift_jis", "sjis": "shift_jis", "x-sjis": "shift_jis",
    "cp932": "shift_jis", "windows-31j": "shift_jis", "ms_kanji": "shift_jis",
    "euc-kr": "euc-kr", "ks_c_5601-1987": "euc-kr", "cp949": "euc-kr", "uhc": "euc-kr",
    "windows-949": "euc-kr", "korean": "euc-kr", "x-euc-jp": "euc-jp",
    "tis-620": "windows-874", "windows-874": "windows-874", "iso-8859-11": "windows-874",
}  # fmt: skip

CODECS: Final[dict[str, str]] = {
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "windows-874": "cp874",
}
"""Python codec behind an encoding name, where it is not the name itself."""

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER: Final = re.compile(r"""charset\s*=\s*["']?\s*([\w:.+-]+)""", re.IGNORECASE)
_META: Final = re.compile(
    rb"""<meta\b[^>]*?charset\s*=\s*["']?\s*([\w:.+-]+)|<\?xml\b[^>]*?encoding\s*=\s*["']([\w:.+-]+)""",
    re.IGNORECASE,
)
_HZ_RUN: Final = re.compile(rb"~\{((?:[\x21-\x77][\x21-\x7e])+)~\}")
_FOREIGN: Final = re.compile(rb"(?:[\x80-\xff]+[\x30-\x39\x40-\x7e]?)+")
_MARKUP: Final = re.compile(
    rb"<(?:script|style)\b.*?</(?:script|style)|<[^>]*>", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Charset:
    """How a body was decoded.

    Args:
        encoding: canonical name, lower case; `CODECS` gives the Python codec.
        text: the decoded text, without byte-order mark.
        source: what decided. ``"header"`` and ``"meta"``: the bytes bear out that declaration.
        header: what the Content-Type header declares, canonical, None if nothing usable.
        meta: what the page itself declares.
        n_replaced: number of undecodable places, each U+FFFD in ``text``.
    """

    encoding: str
    text: str
    source: CharsetSource
    header: str | None
    meta: str | None
    n_replaced: int


def canonical_name(label: str) -> str | None:
    """Canonical encoding name of a declared label; None if no codec answers to it."""
    label = label.strip().lower()
    known = _ALIASES.get(label)
    if known is not None:
        return known
    try:
        info = codecs.lookup(label)
        b"a".decode(info.name)
    except (LookupError, ValueError):
        return None
    name = label if re.fullmatch(r"(windows|iso|koi8|euc)-[\w-]+", label) else info.name
    return "utf-8" if name.startswith(("utf-16", "utf-32", "utf-7")) else _ALIASES.get(name, name)


def decide(body: bytes, content_type: str | None = None) -> Charset:
    """Decode a body; never raises.

    Args:
        body: the bytes of the page.
        content_type: value of the Content-Type header.
    """
    header = _declared(_HEADER.search(content_type)) if content_type else None
    meta = _meta(body)
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], name, "bom", header, meta)
    if body[1:4:2] == b"\0\0" and body[:1] != b"\0":
        return _decoded(body, "utf-16-le", "detector", header, meta)
    if body[:3:2] == b"\0\0" and body[1:2] != b"\0":
        return _decoded(body, "utf-16-be", "detector", header, meta)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        name, source = _foreign(body, header, meta)
        return _decoded(body, name, source, header, meta)
    if b"~{" in body and body.isascii() and _is_hz(body):
        return Charset("hz", _decode_hz(body), "hz", header, meta, 0)
    if b"\x1b$" in body and body.isascii():
        return _decoded(body, "iso-2022-jp", "detector", header, meta)
    return Charset("utf-8", text, "utf-8", header, meta, 0)


def _declared(match: re.Match[str] | None) -> str | None:
    return canonical_name(match[1]) if match else None


def _meta(body: bytes) -> str | None:
    match = _META.search(body, 0, WINDOW_BYTES)
    return canonical_name((match[1] or match[2]).decode("latin-1")) if match else None


def _decoded(
    body: bytes, name: str, source: CharsetSource, header: str | None, meta: str | None
) -> Charset:
    codec = CODECS.get(name, name)
    try:
        return Charset(name, body.decode(codec), source, header, meta, 0)
    except UnicodeError:
        text = body.decode(codec, "replace")
    return Charset(name, text, source, header, meta, text.count("\ufffd"))


def _is_hz(body: bytes) -> bool:
    runs = _HZ_RUN.findall(body, 0, MAX_SCAN_BYTES)
    sample = b"".join(runs)[:SAMPLE_BYTES]
    share, n_chars = common_share(_shifted(sample))
    return n_chars > 0 and share >= MIN_SHARE


def _shifted(pairs: bytes) -> str:
    return bytes(byte | 0x80 for byte in pairs).decode("gb2312", "replace")


def _decode_hz(body: bytes) -> str:
    """Decode the runs between ``~{`` and ``~}`` (RFC 1843), leaving all other tildes alone."""
    pieces = _HZ_RUN.split(body)
    pieces_text = [
        _shifted(piece) if number % 2 else piece.decode("ascii")
        for number, piece in enumerate(pieces)
    ]
    return "".join(pieces_text)


def _foreign(body: bytes, header: str | None, meta: str | None) -> tuple[str, CharsetSource]:
    """Encoding of a body that is not valid UTF-8."""
    sample = _sample(body)
    name = _by_content(sample)
    if name is not None:
        if name == header:
            return name, "header"
        return name, "meta" if name == meta else "han-score"
    return _by_detector(body, header, meta)


def _sample(body: bytes) -> bytes:
    found: list[bytes] = []
    size = 0
    for start in range(0, min(len(body), MAX_SCAN_BYTES), WINDOW_BYTES):
        runs = _FOREIGN.findall(body, start, start + WINDOW_BYTES)
        size += sum(map(len, runs))
        found += runs
        if size >= SAMPLE_BYTES:
            break
    return b"\n".join(found)[:SAMPLE_BYTES]


def _by_content(sample: bytes) -> str | None:
    as_utf8 = sample.decode("utf-8", "replace")
    n_bad = as_utf8.count("\ufffd")
    n_good = sum(char > "\x7f" for char in as_utf8) - n_bad
    if n_good and n_bad <= MAX_DAMAGE * n_good + 1:
        return "utf-8"
    shares = {
        name: common_share(sample.decode(CODECS.get(name, name), "replace"))[0]
        for name in ("gb18030", "big5")
    }
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= MIN_SHARE else None


def _by_detector(body: bytes, header: str | None, meta: str | None) -> tuple[str, CharsetSource]:
    text = _MARKUP.sub(b" ", body[: 4 * WINDOW_BYTES])
    guess = cchardet.detect(text)
    name = canonical_name(guess["encoding"] or "")
    sure = name is not None and (guess["confidence"] or 0.0) >= MIN_CONFIDENCE
    declared: tuple[tuple[str | None, CharsetSource], ...] = ((header, "header"), (meta, "meta"))
    for label, source in declared:
        if label is not None and label == name:
            return label, source
    if not sure:
        for label, source in declared:
            if label is not None and _fits(body, label):
                return label, source
    return (name, "detector") if name is not None else ("windows-1252", "default")


def _fits(body: bytes, name: str) -> bool:
    try:
        body.decode(CODECS.get(name, name))
    except UnicodeError:
        return False
    return True
