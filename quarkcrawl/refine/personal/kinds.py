"""The kinds of personal data: pattern, and what a match has to fulfil."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.refine.personal.numbers import (
    is_bank_card,
    is_hong_kong_id,
    is_mainland_id,
    is_old_mainland_id,
    is_public_ipv4,
    is_public_ipv6,
    is_taiwan_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable


KINDS: Final = {
    "email": "an address of e-mail",
    "mobile": "a mobile phone of the mainland, Hong Kong, Macau or Taiwan",
    "phone": "a fixed phone of the mainland, Hong Kong, Macau or Taiwan",
    "id": "an identity card of the mainland, Hong Kong or Taiwan",
    "bank_card": "a bank card",
    "plate": "a car's license plate",
    "passport": "a passport or a permit to travel",
    "qq": "a QQ number",
    "wechat": "a WeChat id",
    "ip": "a public address of the internet, IPv4 or IPv6",
}
"""Kinds of personal data and what they are."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """How one form of a kind is recognized.

    Args:
        kind: one of `KINDS`.
        regex: its group ``x`` is what is personal (all of the match, if there is no such group).
        is_right: asked of the match; None: every match is right.
        hint: a text without this cannot have it; the cheapest test comes first.
    """

    kind: str
    regex: re.Pattern[str]
    is_right: Callable[[re.Match[str]], bool] | None = None
    hint: re.Pattern[str] | None = None


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdigit())


# Digits never stand amid others or letters: order numbers and addresses of pages would match.
_L = r"(?<![0-9A-Za-z_.@/=&%#\-])(?<![0-9][ ,])"
_R = r"(?![0-9A-Za-z_@])(?!\.[0-9])(?!-[0-9])"
_S = "[- ]?"
_CALL = (
    r"(?:电话|電話|手机|手機|热线|熱線|传真|傳真|座机|致电|致電|联系|聯絡|聯繫|联络|查询|"
    r"查詢|咨询|諮詢|垂询|Tel|TEL|tel|Fax|FAX|fax|Phone|PHONE|phone|Mobile|WhatsApp|"
    r"Whatsapp|Call|call|(?<![A-Za-z])[TF](?=[:：]))"
)
_NEAR = r"[^0-9\n]{0,12}?"
_ID_WORDS = r"(?:身份证|身分證|身份證|证件|證件|ID)"

_DOMAIN = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,40}[A-Za-z0-9])?\.){1,5}[A-Za-z]{2,12}"
_NO_MAIL = frozenset(
    {"png", "jpg", "jpeg", "gif", "webp", "svg", "css", "js", "html", "htm", "php"}
)


def _is_mail(match: re.Match[str]) -> bool:
    return match["x"].rsplit(".", 1)[-1].lower() not in _NO_MAIL


def _is_spelled_mail(match: re.Match[str]) -> bool:
    return "at" in match["x"].lower() and match["x"].rsplit(".", 1)[-1].lower() not in _NO_MAIL


def _is_card(match: re.Match[str]) -> bool:
    return is_bank_card(_digits(match["x"]))


def _is_chinese_id(match: re.Match[str]) -> bool:
    return is_mainland_id(match["x"].replace(" ", ""))


def _is_phone(match: re.Match[str]) -> bool:
    """A local number of seven or eight digits does not begin with 0 or 1."""
    number = match["n"]
    return len(set(_digits(number))) > 1


_BEFORE: Final = 20
_VERSION: Final = re.compile(
    r"(?i)(?:(?:版本|version|kernel|release|build)[^\n]*|(?:版|ver\.?|v|update|"
    r"chrome/|firefox/|jdk|php"
    r"|mysql|第|§|rfc)[ :：]?)$"
)
_ADDRESS: Final = re.compile(r"(?i)(?:ip|地址|address|dns|host|服务器)[^\n]{0,8}$")
_PASSPORT_WORDS: Final = re.compile(r"(?i)护照|護照|passport|证件|證件|出入境|签证|簽證")


def _is_no_version(match: re.Match[str]) -> bool:
    """Numbers of versions and chapters look like addresses; their parts are small."""
    before = match.string[max(match.start() - _BEFORE, 0) : match.start()]
    if _VERSION.search(before):
        return False
    says_so = bool(_ADDRESS.search(before))
    return says_so or any(int(part) > 20 for part in match["x"].split("."))


def _says_passport(match: re.Match[str]) -> bool:
    before = match.string[max(match.start() - 40, 0) : match.start()]
    return bool(_PASSPORT_WORDS.search(before))


_EXTENSION = r"(?:[ ]?(?:转|轉|分机|分機|ext\.?|x)[ ]?[0-9]{1,5}|-[0-9]{1,4}(?![0-9-]))?"
_AREA = (
    r"(?:10|2[0-57-9]|3[1-9][0-9]|4[3-7][0-9]|48[23]|5[1-9][0-9]|6[3-9][0-9]|7[0-9]{2}|8[1-9][0-9]"
    r"|9[0-9]{2})"
)
_HINT_DIGITS = re.compile(r"[0-9][0-9 ()-]{5}")

PATTERNS: Final = (
    Pattern(
        "email",
        re.compile(
            r"(?<![A-Za-z0-9._%+/=-])(?P<x>[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@" + _DOMAIN + r")"
            r"(?![A-Za-z0-9])"
        ),
        _is_mail,
        re.compile("@"),
    ),
    Pattern(
        "email",
        re.compile(
            r"(?<![A-Za-z0-9._%+-])(?P<x>[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}"
            r"[ ]?(?:\(at\)|\[at\]|\{at\}|（at）|【at】|#at#|\(AT\)|\[AT\])[ ]?" + _DOMAIN + r")"
            r"(?![A-Za-z0-9])"
        ),
        _is_spelled_mail,
        re.compile("(?i)at[]）】)#}]"),
    ),
    Pattern(
        "id",
        re.compile(
            _L + r"(?P<x>[1-9][0-9]{5}[ ]?(?:18|19|20)[0-9]{2}[01][0-9][0-3][0-9][ ]?[0-9]{3}"
            r"[0-9Xx])" + _R
        ),
        _is_chinese_id,
        re.compile("[0-9]{6}"),
    ),
    Pattern(
        "id",
        re.compile(_ID_WORDS + r"[^0-9\n]{0,8}(?P<x>[1-9][0-9]{14})" + _R),
        lambda match: is_old_mainland_id(match["x"]),
        re.compile("[0-9]{15}"),
    ),
    Pattern(
        "id",
        re.compile(r"(?<![A-Za-z0-9])(?P<x>(?P<l>[A-Z]{1,2})(?P<d>[0-9]{6})[ ]?\((?P<c>[0-9A])\))"),
        lambda match: is_hong_kong_id(match["l"], match["d"], match["c"]),
        re.compile(r"[0-9]{6} ?\([0-9A]\)"),
    ),
    Pattern(
        "id",
        re.compile(
            r"(?:身份證|身分證|身份证|ID|証號|證號)[^0-9A-Za-z\n]{0,8}(?P<x>(?P<l>[A-Z]{1,2})"
            r"(?P<d>[0-9]{6})(?P<c>[0-9A]))(?![0-9A-Za-z])"
        ),
        lambda match: is_hong_kong_id(match["l"], match["d"], match["c"]),
        re.compile("[A-Z][0-9]{6}"),
    ),
    Pattern(
        "id",
        re.compile(r"(?<![A-Za-z0-9-])(?P<x>[A-Z][1289][0-9]{8})(?![0-9A-Za-z-])"),
        lambda match: is_taiwan_id(match["x"]),
        re.compile("[A-Z][1289][0-9]{8}"),
    ),
    Pattern(
        "bank_card",
        re.compile(
            _L + r"(?P<x>[2-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}(?:[ -][0-9]{3})?)" + _R
        ),
        _is_card,
        re.compile("[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}"),
    ),
    Pattern(
        "bank_card",
        re.compile(_L + r"(?P<x>3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})" + _R),
        _is_card,
        re.compile("3[47][0-9]{2}[ -]?[0-9]{6}"),
    ),
    Pattern(
        "qq",
        re.compile(
            r"(?<![A-Za-z])(?:[Qq][Qq]|扣扣|企鹅|企鵝|[Qq]号)(?:群|号码|號碼|号|號|"
            r"邮箱|聊天|在线|客服|咨询|联系)?"
            r"[群号码號碼]{0,2}[ ]{0,2}(?:[:：=是为為]|[(（\[【|\t]"
            r")?[ :：]{0,2}(?P<x>[1-9][0-9]{4,10})"
            r"(?![0-9A-Za-z.])"
        ),
        None,
        re.compile("[Qq][Qq]|扣扣|企[鹅鵝]|[Qq]号"),
    ),
    Pattern(
        "wechat",
        re.compile(
            r"(?:微信(?:公众|公眾)?(?:号码|号|號碼|號|ID|id|Id)?|(?<![A-Za-z])"
            r"(?:WeChat|Wechat|wechat|WECHAT|VX|vx|Vx|wx|WX|Wx|V信|v信|薇信|威信)"
            r"(?:[ ]?(?:ID|id|号))?|加微|加V|加v)"
            r"(?:[ ]{0,2}(?:[:：=是为為]|[(（\[【|\t])[ :：]{0,2}|(?<=加[微Vv])"
            r"[ ]{0,2}|(?<=信号)[ ]{1,2})(?P<x>[A-Za-z][A-Za-z0-9_-]{5,19}|1[3-9]"
            r"[0-9]{9})"
            r"(?![A-Za-z0-9_@-])(?!\.[A-Za-z])"
        ),
        lambda match: (
            any(sign.isdigit() or sign in "_-" for sign in match["x"]) or match["x"].islower()
        ),
        re.compile("微信|(?i:wechat|vx|wx)|[Vv薇威]信|加[微Vv]"),
    ),
    Pattern(
        "mobile",
        re.compile(
            r"(?<![0-9A-Za-z_.@/=&%#+-])(?<![0-9],)(?P<x>(?:(?:\+|00)?86[- ]?|"
            r"\((?:\+|00)?86\)[ ]?)?"
            r"1[3-9][0-9](?:[0-9]{8}|[- ][0-9]{4}[- ][0-9]{4}|[0-9][- ][0-9]{3}[- ][0-9]{4}"
            r"|[- ][0-9]{8}))" + _R + "(?! ?(?:bytes|字节|字節|元|KB|MB))"
        ),
        None,
        re.compile("1[3-9][0-9]"),
    ),
    Pattern(
        "mobile",
        re.compile(
            _L + r"(?P<x>(?:(?:\+|00)886[- ]?9[0-9]{2}|09[0-9]{2})[- ]?[0-9]{3}[- ]?[0-9]{3})" + _R
        ),
        None,
        re.compile("(?:09|886)"),
    ),
    Pattern(
        "mobile",
        re.compile(
            r"(?<![0-9A-Za-z])(?P<x>(?:\+|00|\(\+?)85[23]\)?[- ]?[5-9][0-9]{3}[- ]?[0-9]{4})" + _R
        ),
        None,
        re.compile("85[23]"),
    ),
    Pattern(
        "phone",
        re.compile(
            r"(?<![0-9A-Za-z])(?P<x>(?:\+|00|\(\+?)85[23]\)?[- ]?[23][0-9]{3}[- ]?[0-9]{4})" + _R
        ),
        None,
        re.compile("85[23]"),
    ),
    Pattern(
        "phone",
        re.compile(
            r"(?<![0-9A-Za-z_.@/=&%#-])(?<![0-9][ ,])(?P<x>(?:(?:\+|00)86[- ]?\(?0?|\(?0)"
            + _AREA
            + r"(?:\)[- ]?|[- ]{1,3})(?P<n>[2-9][0-9]{2,3}[- ]?[0-9]{4})"
            + _EXTENSION
            + r")"
            r"(?![0-9A-Za-z_@])(?!\.[0-9])"
        ),
        _is_phone,
        _HINT_DIGITS,
    ),
    Pattern(
        "phone",
        re.compile(
            _CALL + _NEAR + r"(?P<x>0" + _AREA + r"(?P<n>[2-9][0-9]{6,7})" + _EXTENSION + r")"
            r"(?![0-9A-Za-z_@])(?!\.[0-9])"
        ),
        _is_phone,
        re.compile("0[1-9][0-9]{8}"),
    ),
    Pattern(
        "phone",
        re.compile(
            _L + r"(?P<x>(?P<n>[48]00[- ][0-9]{3}[- ]?[0-9]{4}|[48]00[- ][0-9]{4}[- ]?[0-9]{3})"
            r")" + _R
        ),
        _is_phone,
        re.compile("[48]00[- ]"),
    ),
    Pattern(
        "phone",
        re.compile(
            r"(?<![0-9A-Za-z_.@/=&%#-])(?<![0-9][ ,])(?P<x>(?:(?:\+|00)886[- ]?\(?0?|\(?0)"
            r"(?:2|3|37|4|49|5|6|7|8|82|89|826|836)(?:\)[- ]?|[- ]{1,3})"
            r"(?P<n>[2-8][0-9]{2,3}[- ]?[0-9]{3,4})(?:[ ]?(?:轉|分機|#|ext\.?)[ ]?[0-9]{1,5})?)"
            r"(?![0-9A-Za-z_@])(?!\.[0-9])(?!-[0-9])"
        ),
        _is_phone,
        _HINT_DIGITS,
    ),
    Pattern(
        "phone",
        re.compile(
            _CALL + r"[^0-9\n]{0,12}?(?<![0-9A-Za-z.-])(?P<x>(?P<n>[2-9][0-9]{3}[- ]?[0-9]{4}))"
            r"(?![0-9A-Za-z_@-])(?!\.[0-9])"
        ),
        _is_phone,
        re.compile("[2-9][0-9]{3}[- ]?[0-9]{4}"),
    ),
    Pattern(
        "plate",
        re.compile(
            r"(?P<x>[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z]"
            r"[ ·•.-]?(?:[A-HJ-NP-Z0-9]{4}[A-HJ-NP-Z0-9挂学警港澳]|[DFABCEGHJK]"
            r"[A-HJ-NP-Z0-9][0-9]{4}"
            r"|[0-9]{5}[DFABCEGHJK]))(?![0-9A-Za-z])"
        ),
        lambda match: any(sign.isdigit() for sign in match["x"]),
        re.compile("[\u4e00-\u9fff][A-Z]"),
    ),
    Pattern(
        "plate",
        re.compile(r"(?:车牌|車牌)[^A-Za-z0-9\n]{0,8}(?P<x>[A-Z]{2}[ ]?[0-9]{3,4})(?![0-9A-Za-z])"),
        None,
        re.compile("[车車]牌"),
    ),
    Pattern(
        "passport",
        re.compile(
            r"(?<![A-Za-z0-9-])(?P<x>(?:[EG][0-9]{8}|E[A-HJ-NP-Z][0-9]{7}))(?![0-9A-Za-z-]"
            r")"
        ),
        _says_passport,
        re.compile("[EG][A-Z0-9][0-9]{7}"),
    ),
    Pattern(
        "passport",
        re.compile(
            r"(?:护照|護照|[Pp]assport|PASSPORT|通行证|通行證|回乡证|回鄉證|台胞证|臺胞證|台胞證)"
            r"[^A-Za-z0-9\n]{0,12}(?:(?:[Nn]umber|[Nn]o)"
            r"[.:： ]{0,3})?(?P<x>[A-Z]{0,2}[0-9]{7,10})(?![0-9A-Za-z])"
        ),
        None,
        re.compile("护照|護照|(?i:passport)|通行|回[乡鄉][证證]|[台臺]胞"),
    ),
    Pattern(
        "ip",
        re.compile(
            r"(?<![0-9A-Za-z.\-])(?<![Vv]ersion )(?P<x>(?:[0-9]{1,3}\.){3}[0-9]{1,3})"
            r"(?![0-9A-Za-z])"
            r"(?!\.[0-9])(?!-[0-9a-z])"
        ),
        lambda match: is_public_ipv4(match["x"]) and _is_no_version(match),
        re.compile(r"[0-9]\.[0-9]{1,3}\.[0-9]"),
    ),
    Pattern(
        "ip",
        re.compile(
            r"(?<![0-9A-Za-z:.])(?P<x>(?:[0-9A-Fa-f]{1,4}:){2,7}(?::?[0-9A-Fa-f]{1,4}){0,6})"
            r"(?![0-9A-Za-z:])"
        ),
        lambda match: match["x"].count(":") > 2 and is_public_ipv6(match["x"]),
        re.compile("[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:"),
    ),
)
"""All patterns; where two claim the same signs, the earlier one has them."""
