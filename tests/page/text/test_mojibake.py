"""Text that was encoded twice is read once more, and only that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.page import Page
from quarkcrawl.page.text import encoded_once, may_be_encoded_twice
from tests.page.samples import FOREIGN

_WINDOWS = bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
_SAYS = "It’s a “café” — 3 × 4 €, naïve Š 🎮 中文，©"

_TRADITIONAL = (
    "天網搜索引擎是中國最早的搜索引擎之一，由北京大學網絡實驗室開發。它從一九九七年開始提供服務，"
    "收集了數億個網頁，並且對這些網頁作了長期的保存和研究。"
)
_SIMPLIFIED = (
    "天网搜索引擎是中国最早的搜索引擎之一，由北京大学网络实验室开发。它从一九九七年开始提供服务，"
    "收集了数亿个网页，并且对这些网页作了长期的保存和研究。"
)


def _twice(text: str) -> str:
    """Text whose UTF-8 was read as Latin-1."""
    return text.encode().decode("latin-1")


@given(st.text(st.characters(codec="utf-8", min_codepoint=0x20)))
def test_what_was_encoded_twice_is_read_again(text: str) -> None:
    text = "".join(char for char in text if not "\x80" <= char <= "\xff") + "’"
    assert encoded_once([_twice(text)]) == [text]


@given(st.text(st.characters(min_codepoint=0xA0, max_codepoint=0x2000)))
def test_text_without_clear_signs_stays(text: str) -> None:
    text = "".join(char for char in text if char not in _WINDOWS + "Ã")
    assert encoded_once([text, text[::-1]]) is None


def _by_windows(text: str) -> str:
    """Text whose UTF-8 was read as Windows-1252, as browsers do."""
    return "".join(
        bytes([byte]).decode("cp1252", "replace")
        if 0x80 <= byte < 0xA0 and byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
        else chr(byte)
        for byte in text.encode()
    )


@given(st.text(st.characters(codec="utf-8", min_codepoint=0x20)))
def test_what_windows_encoded_twice_is_read_again(text: str) -> None:
    text = "".join(char for char in text if not "\x80" <= char <= "\xff") + "’€’…"
    assert encoded_once([_by_windows(text), "plain"]) == [text, "plain"]


@pytest.mark.parametrize("text", [*FOREIGN.values(), _SIMPLIFIED, _TRADITIONAL, _SAYS])
def test_a_page_that_windows_encoded_twice(text: str) -> None:
    """As UTF-8, and in other encodings, where each such character is a reference."""
    damaged = _by_windows(text * 2)
    html = f"<title>{damaged}</title><p>plain<p>{damaged}<img alt='{damaged[:9]}'>"
    says = f"<meta charset=gbk>{html}"
    for source, codec in ((html, "utf-8"), (says, "gbk"), (html, "ascii")):
        body = source.encode(codec, "xmlcharrefreplace")
        tree = Page.from_bytes(body, "", f"text/html; charset={codec}").tree
        assert tree.is_mended
        assert tree.text() == "plain" + text * 2
        assert tree.title == text * 2


@pytest.mark.parametrize(
    "text",
    [
        "« liberté\xa0», « égalité\xa0», « fraternité\xa0» et « unité\xa0»",
        "L’été…» “à l’école”… déjà… «thé…» créé…”",
        "SÃO JOÃO… “IRMÔ “CORAÇÃO” Ã…",
        "Smörgåsbord… “på…” gå…” få…”",
        "It’s “fine”…",
        *(["«Je suis tombé…»", "«Il m’a aimé…»", "«On a chanté…»", "«Tu as mangé…»"]),
        "the “Ñ”, “Å” and “Ð” of “Ñ”, “Ñ”",
        "„Î” „Î” „Î” „Î”",
        "“8×” zoom, 3×—10×—, 5”Ø” Nestlé™… Nestlé™…",
        "“amanhã…” “amanhã…” “manhã…” “manhã…”",
    ],
)
def test_letters_beside_quotation_marks_stay(text: str) -> None:
    assert encoded_once([text, "plain", text[::-1]]) is None
    assert encoded_once([text] * 5) is None


def test_a_table_of_damage_stays() -> None:
    assert encoded_once(["â€™", "’", "â€œ", "“", "â€“", "–", "Ã©", "é", "â€", "‚"]) is None


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_bytes_and_texts_agree(texts: list[str]) -> None:
    if encoded_once(texts) is not None:
        assert may_be_encoded_twice("".join(texts).encode())


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("CAFÉ\xa0: É»", "CAFÉ\xa0: É»"),  # French; elsewhere on the page something is damaged
        ("Â\xa0", "\xa0"),
        ("20Â°", "20°"),
        ("Å¼", "Å¼"),  # beside no control it may be meant so
        ("Å¼ab Ä\x99", "żab ę"),
        ("’ and â\x80\x99", "’ and ’"),
        ("\xed\xa0\x80 â\x80\x99", "\xed\xa0\x80 ’"),  # half of a pair
    ],
)
def test_texts_beside_a_damaged_one(text: str, again: str) -> None:
    texts = ["ok", text, _twice("’"), "é", "é"]
    assert encoded_once(texts) == ["ok", again, "’", "é", "é"]


def test_where_most_texts_are_damaged() -> None:
    assert encoded_once([_twice("ż"), _twice("’"), _twice("ę")]) == ["ż", "’", "ę"]


@pytest.mark.parametrize(
    ("codec", "misread"), [("gbk", "latin-1"), ("gbk", "iso8859-15"), ("big5", "latin-1")]
)
@pytest.mark.parametrize("n_times", [1, 2])
def test_chinese(codec: str, misread: str, n_times: int) -> None:
    """Chinese pages that were read as Latin-1, once or, as UTF-8, a second time."""
    text = _TRADITIONAL if codec == "big5" else _SIMPLIFIED
    damaged = text.encode(codec).decode(misread)
    for _ in range(n_times - 1):
        damaged = _twice(damaged)
    tree = Page.from_html(f"<title>plain</title><p>&nbsp;&nbsp;{damaged}<p>café").tree
    assert tree.is_mended
    assert tree.text() == f"\xa0\xa0{text}café"


@pytest.mark.parametrize("sign", ["»", "·", "¯", "ÀÉÈÊ", "×÷±§"])
def test_rows_of_signs_are_not_chinese(sign: str) -> None:
    assert encoded_once([sign * 100, "text"]) is None


def test_a_page() -> None:
    html = (
        f"<title>{_SAYS}</title><meta name=description content='{_SAYS}'>"
        f"<p>{_SAYS}<p>plain<img alt='{_SAYS}' src='é.png'><a href='/é'>{_SAYS}</a>"
    )
    page = Page.from_bytes(_twice(html).encode(), "http://a.cn/")
    tree = page.tree
    assert tree.is_mended
    assert page.title == _SAYS
    assert tree.text() == _SAYS + "plain" + _SAYS
    assert tree.attr(tree.nodes("meta")[0], "content") == _SAYS
    assert tree.attr(tree.nodes("img")[0], "src") == _twice("é.png")
    assert page.links.text == [_SAYS]
    for run, start, end in zip(tree.runs, page.spans.start, page.spans.end, strict=True):
        source = page.html[int(start) : int(end)]
        assert source.encode("latin-1").decode() == run
    sound = Page.from_bytes(html.encode())
    assert not sound.tree.is_mended
    assert sound.tree.runs == tree.runs


@pytest.mark.parametrize(
    "text", ["\x84Das ist ein großer Spaß\x93", "\x93LIBERTÉ\x94 \x93ÉGALITÉ\x94", "CAFÉ\x85"]
)
def test_letters_beside_quotation_marks_of_windows_stay(text: str) -> None:
    assert encoded_once([text, "CAFÉ\xa0!"]) is None


def test_a_lone_control_is_no_sign() -> None:
    tree = Page.from_bytes("<p>it\x92s CAFÉ\xa0!".encode()).tree
    assert not tree.is_mended
    assert tree.text() == "it\x92s CAFÉ\xa0!"
