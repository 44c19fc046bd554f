"""Which characters the bytes of a page mean.

The bytes decide, declarations are hints: on the Chinese web a wrong declaration is as common as
a right one. Only a page too short to judge believes its header and its own declaration where
these agree and its bytes can be read so, or one alone if all its characters are frequent ones.
Order: byte-order mark, or the zeros of UTF-16 without one; strict UTF-8 over the whole body (its
decoder is the test); HZ; damaged UTF-8; Japanese in EUC-JP or gb18030; gb18030 or Big5 by the share
of common characters in a bounded sample of the non-ASCII text, or by quotation marks and dashes;
UTF-8 whose damage is of its own kind; then a statistical detector and, where that is unsure, the
declaration.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final, Literal

import cchardet
import numpy as np

from quarkcrawl.page.text.labels import canonical_name, python_codecs

COMMON_HAN: Final = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    "发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本"
    "前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很"
    "最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度"
    "门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电"
    "数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马"
    "科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万"
    "取拉格望觉术领共确传师观清今切院让识候带导争运网站登录注册首页友情链接版权所有联系我们新闻中心"
    "公司企业产品服务信息技术发布时间作者来源上一下篇返回更多评论京省县号邮编备案电话阅读文章标签"
    "這個們來為國說時會對過發後裡裏種經麼學現當沒動還進樣從實軍無與長機關點業將兩間問並應戰頭體見"
    "產話內給門兒東聲員論處義幾認條係系氣題爾別變總電數報結務場計資許統區隊決馬書則聽達強難權設記"
    "類據邊張該規萬覺術領確傳師觀讓識帶導爭運網錄冊頁鏈聯繫聞訊術佈來閱讀標籤於臺灣喺係嘅唔佢"
    "，。、；：？！“”‘’（）《》【】「」『』…—·　"
)
"""Common characters of both scripts, words of page furniture, and Chinese punctuation."""


_LETTERS: Final = (
    "αβγδεζηθικλμνξοπρςστυφχψωабвгдежзийклмнопрстуфхцчшщъыьэюяёāáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜüê"
)
"""Letters that Chinese encodings have, too, in rows where no text of one byte a letter falls. Small
ones only: capitals alone are noise."""

_SIGNS: Final = re.compile("[\u00a0-\u30ff\uff00-\uffef]")
"""What is no Chinese character: letters, punctuation, signs, kana."""


def _table() -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    table = np.zeros(0x10000, np.int8)
    table[[ord(char) for char in COMMON_HAN + _LETTERS]] = 1
    table[0xE000:0xF900] = table[0xFFFD] = -2
    return table


_VALUES: Final = _table()
"""What each non-ASCII character says: common, undecodable or of private use, or nothing."""

_HAN_VALUES: Final = _VALUES.copy()
_HAN_VALUES[:0x4E00] = 0
_HAN_VALUES[0xFF00:0xFFFD] = 0
_HAN_VALUES[[ord(char) for char in "ー・（）「」『』"]] = 1
"""Chinese characters, and the signs among kana that have other codes in EUC-JP than in GB 18030."""

_BIG5_VALUES: Final = _VALUES.copy()
_BIG5_VALUES[0x3041:0x3100] = 1
"""In Big5 kana count as common characters. In GB 18030 they do not: its rows of kana hold the
commonest traditional characters of Big5."""


def common_share(
    text: str, values: np.ndarray[tuple[int], np.dtype[np.int8]] = _VALUES
) -> tuple[float, int]:
    """Judge a decoded sample.

    Args:
        text: the sample; ASCII characters do not count.
        values: what each of the first 65,536 characters says.

    Returns:
        The share of common characters among the non-ASCII ones, less twice the share of
        undecodable and private-use ones, and the number of non-ASCII characters.
    """
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    n_chars = int(np.count_nonzero(units > 0x7F))
    return int(values.take(units).sum()) / max(n_chars, 1), n_chars


CharsetSource = Literal[
    "bom", "utf-8", "hz", "header", "meta", "detector", "han-score", "default", "pdf"
]

SAMPLE_BYTES: Final = 4096
"""Bytes of non-ASCII text that are looked at."""

WINDOW_BYTES: Final = 16_384
MAX_SCAN_BYTES: Final = 1 << 20
MIN_SHARE: Final = 0.3
MAX_DAMAGE: Final = 0.2
MIN_CONFIDENCE: Final = 0.6
SHORT_BYTES: Final = 96
"""Bytes of non-ASCII text that are too few to judge."""

_REFUTABLE: Final = frozenset(("gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"))
"""Encodings in which many bytes mean nothing, so that a declaration can be refuted."""

_FREQUENT: Final = {
    "gb18030": re.compile(rb"(?:[\xa1\xa3\xb0-\xd7][\xa1-\xfe]|[\0-\x7f])+"),
    "big5": re.compile(rb"(?:\xa1[\x41-\x7e\xa1-\xfe]|[\xa4-\xc6][\x40-\x7e\xa1-\xfe]|[\0-\x7f])+"),
}
"""The more frequent half of the characters, and punctuation: hardly a text in another encoding has
bytes of no other kind."""

_HIGH_BYTES: Final = bytes(range(0x80, 0x100))
_KANA: Final = re.compile("[\u3041-\u30fe]")
MIN_KANA: Final = 0.3
"""Of Chinese in Big5, read as GB 18030, less than a quarter are kana, beside much that is none."""

MIN_COMMON_HAN: Final = 0.05
"""Least share of common Chinese characters in Japanese text."""

_BIG5_QUOTES: Final = re.compile(b"\xa1[\xa5-\xa8]")
"""Quotation marks whose second byte is no letter of ASCII."""

_PUNCTUATION: Final = re.compile("[“”‘’—…·•–]")
MOSTLY: Final = 0.8
NEARLY: Final = 0.2
"""Where two readings are as near as that, the declared one is taken."""

_WIDE: Final = re.compile("[\u0800-\U0010ffff]")
"""What takes at least three bytes in UTF-8, as each Chinese character does."""

_UTF8_SHAPED: Final = re.compile(
    rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}"
    rb"|[\xf8-\xfb][\x80-\xbf]{4}|[\xfc-\xfd][\x80-\xbf]{5}"
)
"""Lead byte and as many continuations as it announces, also too long for its character, half
of a pair of UTF-16, or beyond Unicode: UTF-8 that no decoder takes, and hardly anything else."""

STRAY_BYTES: Final = 3
"""So few non-ASCII bytes say nothing against a declared UTF-8."""

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER: Final = re.compile(r"""charset\s*+=\s*+["']?\s*+([\w:.+-]+)""", re.IGNORECASE)
_META: Final = re.compile(
    rb"""<meta\b[^<>]*?charset\s*+=\s*+["']?\s*+([\w:.+-]+)"""
    rb"""|<\?xml\b[^<>]*?encoding\s*+=\s*+["']([\w:.+-]+)""",
    re.IGNORECASE,
)
"""Possessive, and stopped by ``<`` too: what never closes is not read again from each start."""
_PRIVATE_USE: Final = re.compile("[\ue000-\uf8ff]")
_MISREAD: Final = re.compile("[\ue000-\uf8ffЁДЕЖЗИЙКЛМУФ-яё①-⑩⑴-⑽▓々ぁ-んゝゞァ-ヶヾ]")
"""Private use, and what cp950 reads only from codes that mean something else in browsers."""

_SIGNS_OF_BIG5: Final = str.maketrans("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡")
"""What big5hkscs reads otherwise than browsers, but for six codes (A241, A242, 8862 …) whose
reading is right elsewhere or takes two characters."""

HZ_RUN: Final = re.compile(rb"~\{((?:[\x21-\x77][\x21-\x7e])+)~\}")
"""A run of GB 2312 characters in HZ (RFC 1843); the group holds their pairs of 7-bit bytes."""
_MARKUP: Final = re.compile(
    rb"<(?:script|style)\b.*?(?:</(?:script|style)|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Charset:
    """How a body was decoded.

    Args:
        encoding: canonical name, lower case, such as ``"gb18030"``.
        text: the decoded text, without byte-order mark.
        source: what decided. ``"header"`` and ``"meta"``: the bytes bear out that declaration.
        header: what the Content-Type header declares, canonical, None if nothing usable.
        meta: what the page itself declares.
        n_replaced: number of undecodable places, each U+FFFD in ``text``.
        codec: the Python codec that read the bytes (one name may have several).
    """

    encoding: str
    text: str
    source: CharsetSource
    header: str | None
    meta: str | None
    n_replaced: int
    codec: str = "utf-8"


def decide(body: bytes, content_type: str | None = None) -> Charset:
    """Decode a body; never raises.

    Args:
        body: the bytes of the page.
        content_type: value of the Content-Type header.

    >>> found = decide("天网搜索引擎".encode("gb18030"), "text/html; charset=utf-8")
    >>> found.encoding, found.text
    ('gb18030', '天网搜索引擎')
    """
    header = _declared(_HEADER.search(content_type)) if content_type else None
    meta = _meta(body)
    name, source, n_skipped = _wide(body)
    if name is None:
        try:
            text = body.decode()
        except UnicodeDecodeError:
            name, source = _foreign(body, header, meta)
        else:
            may_be_other = not _REFUTABLE.isdisjoint((header, meta)) and _has_two_chars(body)
            name = _believed(_sample(body), header, meta) if may_be_other else None
            source = "header" if header else "meta"
            if name is None and (not body.isascii() or not (b"~{" in body or b"\x1b$" in body)):
                return Charset("utf-8", text, "utf-8", header, meta, 0)
            if name is None:
                return _seven_bit(body, text, header, meta)
    text, codec, n_replaced = _decode(body[n_skipped:], name)
    return Charset(name, text, source, header, meta, n_replaced, codec)


def _has_two_chars(body: bytes) -> bool:
    """Whether four non-ASCII bytes follow one another, as two Chinese characters do."""
    if body.isascii():
        return False
    is_high = np.frombuffer(body, np.int8) < 0  # a regular expression takes 20 times as long
    return bool((is_high[:-3] & is_high[1:-2] & is_high[2:-1] & is_high[3:]).any())


def _wide(body: bytes) -> tuple[str | None, CharsetSource, int]:
    """Byte-order marks, and UTF-16 without one."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return name, "bom", len(mark)
    if body[1:4:2] == b"\0\0" and body[:1] != b"\0":
        return "utf-16-le", "detector", 0
    if body[:3:2] == b"\0\0" and body[1:2] != b"\0":
        return "utf-16-be", "detector", 0
    return None, "default", 0


def _seven_bit(body: bytes, text: str, header: str | None, meta: str | None) -> Charset:
    """ASCII bytes that may shift into Chinese (HZ, RFC 1843) or Japanese (ISO-2022-JP)."""
    if _is_hz(body, declared="hz" in {header, meta}):
        return Charset("hz", _decode_hz(body), "hz", header, meta, 0, "hz")
    if b"\x1b$" in body:
        japanese, codec, n_replaced = _decode(body, "iso-2022-jp")
        return Charset("iso-2022-jp", japanese, "detector", header, meta, n_replaced, codec)
    return Charset("utf-8", text, "utf-8", header, meta, 0)


def _declared(match: re.Match[str] | None) -> str | None:
    return canonical_name(match[1]) if match else None


def _meta(body: bytes) -> str | None:
    match = _META.search(body, 0, WINDOW_BYTES)
    return canonical_name((match[1] or match[2]).decode("latin-1")) if match else None


def _decode(body: bytes, name: str) -> tuple[str, str, int]:
    """Text, the Python codec that reads the body with the least damage, and the damage."""
    candidates = python_codecs(name)
    for codec in candidates:
        try:
            text = body.decode(codec)
        except UnicodeError:
            continue
        if codec == candidates[-1] or not _MISREAD.search(text):
            return _as_browsers(text, codec), codec, 0
    tries = [(body.decode(codec, "replace"), codec) for codec in candidates]
    text, codec = min(tries, key=lambda text_and_codec: _n_wrong(*text_and_codec))
    n_replaced = text.count("\ufffd") - _n_genuine(body, codec)
    return _as_browsers(text, codec), codec, n_replaced


def _n_wrong(text: str, codec: str) -> int:
    """Characters that are damage, or that cp950 reads otherwise than browsers."""
    return text.count("\ufffd") + (len(_MISREAD.findall(text)) if codec == "cp950" else 0)


def _as_browsers(text: str, codec: str) -> str:
    return text.translate(_SIGNS_OF_BIG5) if codec == "big5hkscs" else text


def _n_genuine(body: bytes, codec: str) -> int:
    """How often the body itself spells U+FFFD."""
    try:
        return body.count("\ufffd".encode(codec))
    except UnicodeError:
        return 0


def _is_hz(body: bytes, *, declared: bool) -> bool:
    runs = HZ_RUN.findall(body, 0, MAX_SCAN_BYTES)
    share, _ = common_share(_shifted(b"".join(runs)[:SAMPLE_BYTES]))
    return bool(runs) and (declared or share >= MIN_SHARE / 2)


def _shifted(pairs: bytes) -> str:
    return bytes(byte | 0x80 for byte in pairs).decode("gb2312", "replace")


def _decode_hz(body: bytes) -> str:
    """Decode the runs between ``~{`` and ``~}`` (RFC 1843); ``~~`` is a tilde.

    A lone tilde is an error by the RFC, but common in URLs: it stays.
    """
    pieces_text = [
        _shifted(piece) if number % 2 else piece.decode("ascii").replace("~~", "~")
        for number, piece in enumerate(HZ_RUN.split(body))
    ]
    return "".join(pieces_text)


def _foreign(body: bytes, header: str | None, meta: str | None) -> tuple[str, CharsetSource]:
    """Encoding of a body that is not valid UTF-8."""
    sample = _sample(body)
    believed = _believed(sample, header, meta)
    if believed is not None:
        return believed, "header" if header else "meta"
    name = (
        _by_kana(sample, header, meta)
        or _by_content(sample, header, meta)
        or _by_signs(sample, header, meta)
    )
    decider: CharsetSource = "han-score"
    if name is None:
        name, decider = _by_shape(sample, header, meta), "utf-8"
    if name is not None:
        if name == header:
            return name, "header"
        return name, "meta" if name == meta else decider
    return _by_detector(body, header, meta)


def _believed(sample: bytes, header: str | None, meta: str | None) -> str | None:
    """What the declarations name, if the page is too short to judge and can be read so.

    Where there is only one, the page must have frequent Chinese characters only.

    UTF-8 whose characters take three bytes each is hardly ever anything else, so it must be the
    less usual text of the two to be given up.
    """
    declared = header or meta
    if len(sample) > SHORT_BYTES or declared not in _REFUTABLE or (meta or declared) != declared:
        return None
    is_sure = header == meta or (
        declared in _FREQUENT and _FREQUENT[declared].fullmatch(sample) is not None
    )
    if not is_sure:
        return None
    text, _, n_replaced = _decode(sample, declared)
    if n_replaced or _PRIVATE_USE.search(text):
        return None
    as_utf8 = sample.decode("utf-8", "ignore")
    n_high = _n_high(sample)
    is_wide = 3 * len(_WIDE.findall(as_utf8)) >= MOSTLY * n_high
    return None if is_wide and common_share(as_utf8)[0] >= common_share(text)[0] else declared


def _sample(body: bytes) -> bytes:
    """Non-ASCII bytes, each run with the ASCII byte behind it, which may belong to it."""
    windows: list[bytes] = []
    size = 0
    for start in range(0, min(len(body), MAX_SCAN_BYTES), WINDOW_BYTES):
        window = np.frombuffer(body, np.uint8, min(WINDOW_BYTES, len(body) - start), start)
        high = window >= 0x80
        is_sampled = high.copy()
        is_sampled[1:] |= high[:-1]
        windows.append(window[is_sampled].tobytes())
        size += len(windows[-1])
        if size >= SAMPLE_BYTES:
            break
    return b"\n".join(windows)[:SAMPLE_BYTES]


def _by_content(sample: bytes, header: str | None, meta: str | None) -> str | None:
    as_utf8 = sample.decode("utf-8", "replace")
    n_bad = as_utf8.count("\ufffd")
    n_good = len(as_utf8) - len(as_utf8.encode("ascii", "ignore")) - n_bad
    if n_good and n_bad <= MAX_DAMAGE * n_good + 1:
        return "utf-8"
    # 起期气前 and others are kana if read as Big5, and four of them may be all that a page says
    big5_values = _BIG5_VALUES if len(sample) > SHORT_BYTES else _VALUES
    shares = {
        name: common_share(sample.decode(python_codecs(name)[-1], "replace"), values)[0]
        for name, values in (("gb18030", _VALUES), ("big5", big5_values))
    }
    best = max(shares, key=shares.__getitem__)
    for name in (header, meta):
        if name in shares and shares[name] >= max(MIN_SHARE, shares[best] - NEARLY):
            return name
    return best if shares[best] >= MIN_SHARE else None


def _by_kana(sample: bytes, header: str | None, meta: str | None) -> str | None:
    """EUC-JP or GB 18030 where much is kana, which both have at the same places.

    Their Chinese characters tell which it is: those of the wrong reading are rare ones. Where the
    readings are as good, or nearly, the declaration does.
    """
    as_gb = sample.decode("gb18030", "replace")
    n_chars = len(as_gb) - len(as_gb.encode("ascii", "ignore"))
    if len(_KANA.findall(as_gb)) < MIN_KANA * n_chars:
        return None
    as_euc = sample.decode(python_codecs("euc-jp")[-1], "replace")
    readings = {"gb18030": as_gb, "euc-jp": as_euc}
    shares = {name: common_share(text, _HAN_VALUES)[0] for name, text in readings.items()}
    best = max(shares, key=shares.__getitem__)
    for name in (header, meta):
        if name in shares and shares[name] >= shares[best] - MIN_COMMON_HAN:
            return name
    return best if shares[best] >= MIN_COMMON_HAN else None


def _by_signs(sample: bytes, header: str | None, meta: str | None) -> str | None:
    """GB 18030 or Big5, where the bytes read so are nearly all signs and letters.

    Western pages in Chinese encodings have a few quotation marks and dashes of two bytes each; as
    text of one byte a character, or in another encoding, the same bytes make no such thing. Where
    they are nearly all quotation marks and dashes, no declaration is needed; but signs of Big5
    whose second byte is a letter of ASCII may be a Spanish exclamation mark and that letter.
    """
    readings = {}
    for name in ("gb18030", "big5"):
        text, _, n_replaced = _decode(sample, name)
        n_chars = len(text) - len(text.encode("ascii", "ignore"))
        if not n_replaced and n_chars:
            readings[name] = text, MOSTLY * n_chars
    for label in (header, meta):
        if label in readings and len(_SIGNS.findall(readings[label][0])) >= readings[label][1]:
            return label
    for name, (text, n_least) in readings.items():
        is_certain = name == "gb18030" or _BIG5_QUOTES.search(sample) is not None
        if is_certain and len(_PUNCTUATION.findall(text)) >= n_least:
            return name
    return None


def _by_shape(sample: bytes, header: str | None, meta: str | None) -> str | None:
    """UTF-8 with damage of its own kind, or with next to nothing beyond ASCII, if none denies it.

    A detector takes such bytes for text in an encoding of one byte a letter.
    """
    declared = {header, meta} - {None}
    if declared - {"utf-8"}:
        return None
    n_high = _n_high(sample)
    if declared and n_high <= STRAY_BYTES:
        return "utf-8"
    n_shaped = sum(map(len, _UTF8_SHAPED.findall(sample)))
    return "utf-8" if n_shaped >= MOSTLY * n_high else None


def _n_high(sample: bytes) -> int:
    return len(sample) - len(sample.translate(None, _HIGH_BYTES))


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
    return _decode(body, name)[2] == 0
