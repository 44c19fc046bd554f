"""Inputs for the page tests: our own texts, generated pages, and the shared real pages."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import strategies as st

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"

SIMPLIFIED = (
    "春天来了，校园里的樱花开得正好。学生们在湖边读书，老人们在树下下棋，孩子们放着风筝。"
    "图书馆新到了一批关于计算机网络的书，管理员说借的人很多，请大家看完以后按时归还。"
    "下午三点在第二教学楼有一场报告，题目是“中国互联网二十年”，欢迎各系的同学参加。"
)
TRADITIONAL = (
    "春天來了，校園裡的櫻花開得正好。學生們在湖邊讀書，老人們在樹下下棋，孩子們放著風箏。"
    "圖書館新到了一批關於電腦網路的書，管理員說借的人很多，請大家看完以後按時歸還。"
    "下午三點在第二教學樓有一場報告，題目是「臺灣網際網路二十年」，歡迎各系的同學參加。"
)
FOREIGN = {
    "ja": "図書館は朝九時に開きます。静かな部屋で本を読むことができますし、パソコンも使えます。",
    "ko": "도서관은 아침 아홉 시에 문을 엽니다. 조용한 방에서 책을 읽습니다.",
    "ru": "Библиотека открывается в девять часов утра. В тихом зале можно читать книги и журналы.",
    "fr": "La bibliothèque ouvre à neuf heures. On peut y lire près de la fenêtre, déjà.",
}

_TAGS = """
<b> </b> <i\tx=1> </i> <a\thref=/x> </a> <p> </p> <div> </div> <ul> <li> </ul> <table> <tr> <td>
</table> <select> <option> </select> <svg> <title> </title> </svg> <script> </script> <style>
</style> <br> <!-- --> <template> </template> <form> </form> <h1> </h2> <textarea> </textarea>
<frameset> <noscript> </noscript> <math> <mi> <foreignObject> <plaintext> <pre> <font> </font>
<image> &amp; &nbsp; &#x4e2d; < > " ' = 中文 text <!doctype> <?x?> <iframe> </iframe> <xmp> </xmp>
<object> </br> <body> <html> <head> <desc> </svg> <caption> <button> </button> <nobr> <dd> <hr>
"""
_OTHERS = [" ", "\n", "\r\n", "\t", "\0", "\ud800", "\U00100005", "\u3000", "好，再见。"]
FRAGMENTS = [*_TAGS.split(" "), *_OTHERS]

markup = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)
"""Random tag soup."""


def hz_encode(text: str) -> bytes:
    """HZ after RFC 1843, written for the tests."""
    pieces: list[bytes] = []
    for is_ascii, group in itertools.groupby(text, str.isascii):
        data = "".join(group)
        if is_ascii:
            pieces.append(data.encode())
        else:
            pieces.append(b"~{" + bytes(b & 0x7F for b in data.encode("gb2312")) + b"~}")
    return b"".join(pieces)


def encode(text: str, encoding: str) -> bytes:
    """Encode text, what the encoding lacks as numeric references."""
    if encoding != "hz":
        return text.encode("cp950" if encoding == "big5" else encoding, "xmlcharrefreplace")
    return hz_encode(text.encode("gb2312", "xmlcharrefreplace").decode("gb2312"))


def chinese_page(text: str, declared: str | None, seed: int = 0) -> str:
    """A page of the time with our text in it."""
    rnd = random.Random(seed)
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">'
    sentences = [s + "。" for s in text.split("。") if s]
    body = "\n".join(
        f'<tr><td class="c{n}"><a href="/news/{n}.html" title="{rnd.choice(sentences)}">'
        f"{rnd.choice(sentences)}</a><font color=red>{n}</font></td></tr>"
        for n in range(rnd.randrange(1, 20))
    )
    head = f"<head>{meta if declared else ''}<title>{rnd.choice(sentences)[:12]}</title></head>"
    return f"<html>{head}<body bgcolor=#ffffff><table>{body}</table><p>{text}</p></body></html>"


def real_pages(
    *sets: str, limit: int = 10_000, folder: str = "extraction"
) -> list[tuple[str, bytes, str]]:
    """(name, body, encoding found by hand) of shared pages; skips the test where absent."""
    if not SHARED.is_dir():
        pytest.skip("the real pages of ../shared/data are not here")
    pages = []
    for name in sets:
        with gzip.open(SHARED / folder / f"{name}.jsonl.gz") as lines:
            for line in itertools.islice(lines, limit):
                row = json.loads(line)
                body = base64.b64decode(row["body_b64"])
                pages.append((f"{name}/{row['id']}", body, row["encoding"]))
    return pages


def without_declaration(html: str) -> str:
    """A page with its charset declarations taken out."""
    return re.sub(r"<meta[^>]*charset[^>]*>|<\?xml[^>]*>", "", html, flags=re.IGNORECASE)
