"""Personal data: found in what is made of it, not found in other numbers, gone when masked."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError
from quarkcrawl.refine.personal import KINDS, PersonalSpan, find_personal, mask_personal
from tests.profiles import examples
from tests.refine.personal.people import personal_text


def pieces(text, **options):
    return [(text[start:end], kind) for start, end, kind in find_personal(text, **options)]


def test_what_is_made_is_found():
    """Separators, full width, tables, both languages: recall of at least .99 for each kind."""
    counts = dict.fromkeys(KINDS, 0)
    missed: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for seed in range(100_000, 103_000):
        text, piece, kind = personal_text(seed)
        start = text.index(piece)
        end = start + len(piece)
        counts[kind] += 1
        if not any(s <= start and end <= e for s, e, _ in find_personal(text)):
            missed[kind].append(text)
    for kind, n in counts.items():
        assert n > 200
        assert len(missed[kind]) <= 0.01 * n, missed[kind]


def test_a_masked_text_holds_none():
    for seed in range(2_000):
        text = "\n".join(personal_text(seed * 5 + part)[0] for part in range(3))
        masked = mask_personal(text, find_personal(text))
        assert not find_personal(masked), (text, masked)


@pytest.mark.parametrize(
    "text",
    [
        "订单号 20200101123456789012，金额 13800138000.00 元",
        "时间戳 1577836800000，文档编号 2020-01-01-1234，ISBN 978-7-302-12345-6",
        "版本 2.6.31.8，Chrome/86.0.4240.198 与 v1.22.33.44，第 3.21.4.5 节",
        "127.0.0.1 192.168.1.1 10.0.0.8 255.255.255.0 300.1.2.3 224.0.0.251",
        "11010519491231002Y 110105194913310021 1101051949123100",
        "4111 1111 1111 1112 与 0000000000000000",
        "圆周率 3.14159265358979 和 2.718281828",
        "见图 logo@2x.png，用 @import 和 user@localhost",
        "股票代码 600036，共 12345678 人，占 12,345,678 户",
        "http://a.cn/13800138000.html?id=13900139000",
        "17179869184 bytes 的文件，+15017122661 在美国",
        "京A组的成绩，A123456788，E12345678",
        "12:30:45:10 和 ab:cd 以及 ::1",
    ],
)
def test_other_numbers_are_left_alone(text):
    assert pieces(text) == []


def test_kinds_of_single_forms():
    assert pieces("致电 010-62751234转801 或 (02)2345-6789#12") == [
        ("010-62751234转801", "phone"),
        ("(02)2345-6789#12", "phone"),
    ]
    assert pieces("QQ群：12345678，微信号 ｚｈａｎｇ＿１２３") == [
        ("12345678", "qq"),
        ("ｚｈａｎｇ＿１２３", "wechat"),
    ]
    assert pieces("粤BD12345 与 京A·12345") == [("粤BD12345", "plate"), ("京A·12345", "plate")]
    assert pieces("护照号码：E12345678") == [("E12345678", "passport")]
    assert pieces("写信给 a(at)b.com") == [("a(at)b.com", "email")]
    assert pieces("IP地址：8.8.4.4") == [("8.8.4.4", "ip")]


def test_kinds_are_the_users_choice():
    text = "13800138000 a@pku.edu.cn"
    assert pieces(text, kinds=["email"]) == [("a@pku.edu.cn", "email")]
    assert pieces(text, kinds=[]) == []
    with pytest.raises(ConfigError, match="no kind 'name'"):
        find_personal(text, kinds=["name"])


def test_masks_name_the_kind():
    text = "手机 13800138000，邮箱 a@pku.edu.cn。"
    assert mask_personal(text, find_personal(text)) == "手机 [手机]，邮箱 [邮箱]。"


@given(st.text("0123456789 -+().@aA京微信号QQ：:\n", max_size=120))
@settings(max_examples=examples(300), deadline=None)
def test_spans_are_in_order_and_masks_final(text):
    spans = find_personal(text)
    assert list(spans) == sorted(spans)
    assert all(isinstance(span, PersonalSpan) and span.start < span.end for span in spans)
    assert all(one.end <= other.start for one, other in zip(spans, spans[1:], strict=False))
    find_personal(mask_personal(text, spans))


@pytest.mark.full
@pytest.mark.parametrize(
    "unit",
    ["1", "@", "-", "1 ", "1-", "a.", "a@", "a@a.", "京A", "微信:", "QQ", "1.", "a:", "电话 ", "0(",
     "13800138000", "1380013800 ", "护照 ", "(at)", "6222 "],
)  # fmt: skip
def test_hostile_texts_cost_no_more_than_their_length(unit):
    def cost_s(n):
        text = unit * (n // len(unit))
        started = time.process_time()
        find_personal(text)
        return time.process_time() - started

    small = min(cost_s(50_000) for _ in range(3))
    assert cost_s(400_000) < 24 * small + 0.2
