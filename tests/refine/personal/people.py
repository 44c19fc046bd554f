"""Personal data of nobody: made from a seed, with right check digits, in sentences and tables."""

from __future__ import annotations

import random
from datetime import date, timedelta

_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_AREAS = ("010", "021", "022", "0755", "0571", "0451", "0931", "0898", "0991", "0311")
_PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_PLATE = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"


def _digits(chance: random.Random, n: int) -> str:
    return "".join(chance.choice("0123456789") for _ in range(n))


def _mobile(chance: random.Random) -> str:
    kind = chance.randrange(6)
    if kind == 0:
        return chance.choice(["0912345678", "0912-345-678"])[:4] + chance.choice(
            [_digits(chance, 6), f"-{_digits(chance, 3)}-{_digits(chance, 3)}"]
        )
    if kind == 1:
        head = chance.choice(["+852", "+853", "00852"])
        sign = chance.choice([" ", "-", ""])
        return f"{head}{sign}{chance.choice('569')}{_digits(chance, 3)}{sign}{_digits(chance, 4)}"
    number = f"1{chance.choice('3456789')}{_digits(chance, 9)}"
    sign = chance.choice(["", "-", " "])
    number = f"{number[:3]}{sign}{number[3:7]}{sign}{number[7:]}"
    return chance.choice(["", "", "+86 ", "+86-", "0086", "+86"]) + number


def _phone(chance: random.Random) -> str:
    kind = chance.randrange(4)
    if kind == 0:
        head, tail = chance.choice(["02", "04", "07"]), f"{_digits(chance, 3)}-{_digits(chance, 4)}"
        return chance.choice([f"({head})2{tail}", f"{head}-2{tail}", f"+886-{head[1]}-2{tail}"])
    if kind == 1:
        return f"+852 {chance.choice('23')}{_digits(chance, 3)} {_digits(chance, 4)}"
    area, number = chance.choice(_AREAS), f"{chance.choice('23568')}{_digits(chance, 7)}"
    form = chance.choice(["{}-{}", "({}){}", "{} {}", "+86-{}-{}"])
    area = area[1:] if form.startswith("+") else area
    more = chance.choice(["", "", "转801", "-8012", " ext 12", "轉5"])
    return form.format(area, number) + more


def _identity(chance: random.Random) -> str:
    kind = chance.randrange(5)
    if kind == 0:
        letter, sex = chance.choice("ABCDEFGHJKLMNPQRSTUVXYWZIO"), chance.choice("12")
        code = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(letter) + 10
        digits = sex + _digits(chance, 7)
        total = code // 10 + code % 10 * 9
        total += sum(int(d) * w for d, w in zip(digits, (8, 7, 6, 5, 4, 3, 2, 1), strict=True))
        return f"{letter}{digits}{-total % 10}"
    if kind == 1:
        letter, digits = chance.choice("ABCDGHKPRVYZ"), _digits(chance, 6)
        codes = [36, ord(letter) - 55, *map(int, digits)]
        rest = -sum(c * w for c, w in zip(codes, range(9, 1, -1), strict=True)) % 11
        return f"{letter}{digits}({'A' if rest == 10 else rest})"
    born = date(1940, 1, 1) + timedelta(days=chance.randrange(25_000))
    area = chance.choice(["110105", "310104", "440305", "330106", "510107", "650102"])
    body = f"{area}{born:%Y%m%d}{_digits(chance, 3)}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(d) * w for d, w in zip(body, weights, strict=True))
    return body + "10X98765432"[total % 11]


def _card(chance: random.Random) -> str:
    head, n = chance.choice([("62", 16), ("62", 19), ("4", 16), ("52", 16), ("37", 15)])
    body = head + _digits(chance, n - len(head) - 1)
    total = 0
    for place, digit in enumerate(reversed(body)):
        value = int(digit) * (2 - place % 2)
        total += value - 9 if value > 9 else value
    number = body + str(-total % 10)
    sign = chance.choice(["", " ", "-"])
    if n == 15:
        return sign.join([number[:4], number[4:10], number[10:]])
    return sign.join(number[k : k + 4] for k in range(0, n, 4))


def _plate(chance: random.Random) -> str:
    head = chance.choice(_PROVINCES) + chance.choice("ABCDEFG")
    sign = chance.choice(["", "·", " "])
    if chance.random() < 0.3:
        return f"{head}{sign}{chance.choice('DF')}{chance.choice(_PLATE)}{_digits(chance, 4)}"
    return f"{head}{sign}{_digits(chance, 1)}{''.join(chance.choice(_PLATE) for _ in range(4))}"


def _email(chance: random.Random) -> str:
    name = "".join(chance.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(7))
    name = chance.choice([name, f"{name[:3]}.{name[3:]}", f"{name[:3]}_{name[3:]}", f"{name}+x"])
    return f"{name}@{chance.choice(['pku.edu.cn', 'qq.com', '163.com', 'lab.example.org'])}"


def _ip(chance: random.Random) -> str:
    if chance.random() < 0.3:
        parts = (f"{chance.randrange(1, 65536):x}" for _ in range(6))
        return "2001:da8:" + ":".join(parts)
    return f"{chance.choice([58, 61, 121, 162, 202, 218])}.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(1, 255)}"


_MAKERS = {
    "mobile": _mobile, "phone": _phone, "id": _identity, "bank_card": _card, "plate": _plate,
    "email": _email, "ip": _ip,
    "qq": lambda chance: chance.choice("123456789") + _digits(chance, chance.randrange(5, 10)),
    "wechat": lambda chance: chance.choice("abcwxyz") + f"{_digits(chance, 3)}_{_digits(chance, 4)}",
    "passport": lambda chance: chance.choice("EG") + _digits(chance, 8),
}  # fmt: skip
_WORDS = {
    "qq": ("QQ：{}", "QQ {}", "QQ群:{}", "加扣扣{}", "qq号码是{}"),
    "wechat": ("微信：{}", "微信号：{}", "VX: {}", "加微 {}", "WeChat ID: {}", "微信号是{}"),
    "passport": ("护照号码：{}", "护照{}", "passport no. {}", "護照號碼 {}"),
}
_FORMS = (
    "请联系王先生，{}，谢谢。", "{}", "联系方式\t{}\t备注", "| 张三 | {} | 男 |", "详情见（{}）。",
    "Please contact us: {} for more.", "办公室 {}\n第二行", "tel / mail: {}; thanks", "姓名：李四 {} 地址：北京",
    "“{}”是他的。",
)  # fmt: skip


def personal_text(seed: int) -> tuple[str, str, str]:
    """A text, the piece of personal data in it, and its kind."""
    chance = random.Random(seed)
    kind = chance.choice(list(_MAKERS))
    piece = _MAKERS[kind](chance)
    if chance.random() < 0.2 and "·" not in piece:
        piece = piece.translate(_WIDE)
    told = chance.choice(_WORDS.get(kind, ("{}",))).format(piece)
    return chance.choice(_FORMS).format(told), piece, kind
