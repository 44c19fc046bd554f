"""Texts without the personal data in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quarkcrawl.refine.personal.find import PersonalSpan


_WORDS: Final = {
    "email": "[邮箱]",
    "mobile": "[手机]",
    "phone": "[电话]",
    "id": "[证件]",
    "bank_card": "[银行卡]",
    "plate": "[车牌]",
    "passport": "[护照]",
    "qq": "[QQ]",
    "wechat": "[微信]",
    "ip": "[IP]",
}


def replacement(kind: str) -> str:
    """What stands in a masked text instead of a piece of personal data.

    Args:
        kind: one of `KINDS`.
    """
    return _WORDS[kind]


def mask_personal(text: str, spans: Iterable[PersonalSpan]) -> str:
    """The text with a word in brackets for each piece of personal data.

    Args:
        text: the text in which they were found.
        spans: in order and without overlaps, as they are found.
    """
    pieces, at = [], 0
    for start, end, kind in spans:
        pieces += [text[at:start], replacement(kind)]
        at = end
    return "".join([*pieces, text[at:]])
