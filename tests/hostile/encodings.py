"""Content encodings that explode or lie; charsets that are not what is declared."""

from __future__ import annotations

import codecs
import gzip
import zlib
from functools import cache

import brotli

from .behavior import Conn, behavior

try:
    from compression import zstd
except ImportError:
    from backports import zstd

E, C = "content encoding", "charset"


@cache
def gzip_bomb() -> bytes:
    """1 GiB in sixteen members."""
    return gzip.compress(bytes(64 << 20), 1) * 16


def packed(
    name: str, says: str, coding: str, body, home: str = "stored+truncated", why: str = ""
) -> None:
    def act(c: Conn):
        raw = body(c) if callable(body) else body
        return c.reply(raw, f"Content-Encoding: {coding}")

    act.__name__ = name
    behavior(E, says, home, why=why)(act)


@cache
def brotli_bomb() -> bytes:
    return brotli.compress(b"b" * (256 << 20), quality=1)


@cache
def zstd_bomb() -> bytes:
    """512 MiB in eight frames."""
    return zstd.compress(b"z" * (64 << 20), 1) * 8


@cache
def deflate_bomb() -> bytes:
    return zlib.compress(b"d" * (256 << 20), 1)


def zstd_wide(c: Conn) -> bytes:
    """A frame that asks for a window of 2 GiB (RFC 8878, 3.1.1.1.2)."""
    body = c.page().encode()
    block = (len(body) << 3 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([(31 - 10) << 3]) + block + body


packed("gzip_bomb", "1 GiB of zeros in 1 MB of gzip", "gzip", lambda c: gzip_bomb())
packed(
    "gzip_bomb_twice", "the bomb, packed twice", "gzip, gzip",
    lambda c: gzip.compress(gzip.compress(b"2" * (64 << 20), 1) * 16, 1),
)  # fmt: skip
packed("deflate_bomb", "256 MiB of one letter, deflated", "deflate", lambda c: deflate_bomb())
packed("brotli_bomb", "256 MiB of one letter in brotli", "br", lambda c: brotli_bomb())
packed("zstd_bomb", "512 MiB of one letter in zstd", "zstd", lambda c: zstd_bomb())
packed("zstd_wide_window", "zstd that asks for 2 GiB of memory", "zstd", zstd_wide,
       "stored+bad_encoding")  # fmt: skip
packed("gzip_truncated", "gzip cut in the middle", "gzip",
       lambda c: gzip.compress(c.page(body=" ".join(map(str, range(3000)))).encode())[:-2000],
       "stored+bad_encoding")  # fmt: skip
packed("gzip_bad_checksum", "gzip with a wrong checksum", "gzip",
       lambda c: gzip.compress(c.page().encode())[:-8] + bytes(8), "stored+bad_encoding")  # fmt: skip
packed("gzip_garbage", "garbage said to be gzip", "gzip",
       lambda c: bytes((i * 31) % 251 for i in range(3000)), "stored+bad_encoding")  # fmt: skip
packed("gzip_declared_only", "plain text said to be gzip", "gzip",
       lambda c: c.page().encode(), "stored+bad_encoding")  # fmt: skip
packed("gzip_of_nothing", "gzip of no bytes at all", "gzip", b"", "stored|duplicate",
       why="a duplicate if the empty body of another host came first")  # fmt: skip
packed("encoding_unknown", "a content encoding that does not exist", "klingon",
       lambda c: c.page().encode(), "stored+bad_encoding")  # fmt: skip
packed("encodings_many", "gzip, five hundred times", ", ".join(["gzip"] * 500),
       lambda c: gzip.compress(c.page().encode()), "stored+bad_encoding")  # fmt: skip
packed("deflate_raw", "deflate without its zlib header", "deflate",
       lambda c: zlib.compress(c.page().encode())[2:-4], "stored")  # fmt: skip


TITLE = "北京大学天网搜索引擎与中文网页信息检索研究"
BIG5_TITLE = "台灣大學圖書館資訊檢索系統的研究與發展"
PARAGRAPH = "，".join([TITLE, "我们收集了很多中文网页", "这是一个很长的段落"] * 20)


ENGLISH = b"<title>Hello</title><p>A short page about the weather and the sea. \xc0\x80"


def charset(name: str, says: str, declared: str | None, encoding: str, **more) -> None:
    """A page in one charset that declares another; its title must be read right all the same."""
    title = more.pop("title", TITLE)
    meta = more.pop("meta", "")
    damage = more.pop("damage", lambda raw: raw)

    def act(c: Conn):
        paragraph = PARAGRAPH if title == TITLE else "，".join([title] * 20)
        html = c.page(title=title, body=paragraph).replace("这一页在", "页")
        if title == BIG5_TITLE:
            html = html.replace("页", "頁").replace("下一頁", "")
        html = html.replace("<head>", f"<head>{meta}")
        kind = "text/html" + (f"; charset={declared}" if declared else "")
        return c.reply(damage(html.encode(encoding)), kind=kind)

    act.__name__ = name
    behavior(C, says, text=title, **more)(act)


charset("gbk_as_utf8", "GBK declared as UTF-8", "utf-8", "gbk")
charset("utf8_as_gb2312", "UTF-8 declared as gb2312", "gb2312", "utf-8")
charset("gb18030_as_latin1", "GB18030 declared as ISO-8859-1", "iso-8859-1", "gb18030")
charset("gbk_meta_big5", "GBK whose meta says Big5", None, "gbk", meta="<meta charset=big5>")
charset("big5_undeclared", "Big5, undeclared", None, "big5", title=BIG5_TITLE)
charset("big5_as_gbk", "Big5 declared as GBK", "gbk", "big5", title=BIG5_TITLE)
charset("hz_undeclared", "HZ, undeclared", None, "hz")
charset("utf16_bom", "UTF-16 with a byte order mark, declared as UTF-8", "utf-8", "utf-16")
charset("charset_unknown", "a charset that does not exist", "x-klingon-8", "gb18030")
charset("charset_python_codec", "charset=bz2, a codec of Python", "bz2", "utf-8")
charset("charset_utf7", "charset=utf-7, that browsers refuse", "utf-7", "utf-8")
charset("charset_idna", "charset=idna, a codec that takes quadratic time", "idna", "utf-8")
charset("charset_two_declared", "two charsets, both wrong", "utf-8", "gb18030",
        meta='<meta http-equiv="Content-Type" content="text/html; charset=big5">')  # fmt: skip
charset("gbk_damaged", "GBK with one bad byte", "gbk", "gbk",
        damage=lambda raw: raw + b"<!-- \xff -->")  # fmt: skip
charset("utf8_overlong", "UTF-8 with overlong bytes", "utf-8", "utf-8",
        damage=lambda raw: raw + b"<p>\xc0\x80 \xe0\x80\xaf \xc0\xaf")  # fmt: skip
charset("utf8_overlong_english", "English with two overlong bytes, nothing else beyond ASCII", "utf-8",
        "utf-8", title="Hello", damage=lambda raw: ENGLISH)  # fmt: skip
charset("utf8_damaged", "UTF-8 with one bad byte, declared as gbk", "gbk", "utf-8",
        damage=lambda raw: raw.replace("很长".encode(), "很长".encode() + b"\xff", 1))  # fmt: skip
charset("utf8_bom_as_gbk", "UTF-8 with a byte order mark, declared as gbk", "gbk", "utf-8",
        damage=lambda raw: codecs.BOM_UTF8 + raw)  # fmt: skip
