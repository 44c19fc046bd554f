"""What makes digits a number of some kind: check digits, areas, dates, ranges of issuers."""

from __future__ import annotations

from datetime import UTC, date, datetime
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

_ID_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS: Final = "10X98765432"
_PROVINCES: Final = frozenset(
    [
        "11",
        "12",
        "13",
        "14",
        "15",
        "21",
        "22",
        "23",
        "31",
        "32",
        "33",
        "34",
        "35",
        "36",
        "37",
        "41",
        "42",
        "43",
        "44",
        "45",
        "46",
        "50",
        "51",
        "52",
        "53",
        "54",
        "61",
        "62",
        "63",
        "64",
        "65",
        "71",
        "81",
        "82",
        "83",
        "91",
    ]
)
_FIRST_YEAR: Final = 1880
_TAIWAN_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


def is_mainland_id(text: str) -> bool:
    """Whether 18 signs are a resident's number: area, date of birth and check digit are right.

    >>> is_mainland_id("11010519491231002X"), is_mainland_id("110105194912310021")
    (True, False)
    """
    if text[:2] not in _PROVINCES or not _is_birthday(text[6:14]):
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, text, strict=False))
    return _ID_CHECKS[total % 11] == text[17].upper()


def is_old_mainland_id(text: str) -> bool:
    """Whether 15 digits may be a number of before 1999, which has no check digit."""
    return text[:2] in _PROVINCES and _is_birthday("19" + text[6:12])


def _is_birthday(digits: str) -> bool:
    try:
        born = date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    except ValueError:
        return False
    return born.year >= _FIRST_YEAR and born <= datetime.now(UTC).date()


def is_hong_kong_id(letters: str, digits: str, check: str) -> bool:
    """Whether the check digit of a Hong Kong number is right.

    >>> is_hong_kong_id("A", "123456", "3"), is_hong_kong_id("A", "123456", "4")
    (True, False)
    """
    codes = [36] if len(letters) == 1 else []
    codes += [ord(letter) - 55 for letter in letters]
    codes += [int(digit) for digit in digits]
    codes.append(10 if check == "A" else int(check))
    return sum(code * weight for code, weight in zip(codes, range(9, 0, -1), strict=True)) % 11 == 0


def is_taiwan_id(text: str) -> bool:
    """Whether letter and nine digits are a number of Taiwan: sex and check digit are right.

    >>> is_taiwan_id("A123456789"), is_taiwan_id("A123456788")
    (True, False)
    """
    if text[1] not in "1289":
        return False
    code = _TAIWAN_LETTERS.index(text[0]) + 10
    digits = [code // 10, code % 10, *map(int, text[1:])]
    weights = (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=True)) % 10 == 0


def is_bank_card(digits: str) -> bool:
    """Whether digits are the number of a bank card: issuer, length and Luhn's check digit.

    >>> is_bank_card("4111111111111111"), is_bank_card("4111111111111112")
    (True, False)
    """
    return _is_issued(digits) and _luhn(digits) and len(set(digits)) > 1


def _is_issued(digits: str) -> bool:
    n, head = len(digits), int(digits[:4])
    if digits.startswith("62"):
        return 16 <= n <= 19
    if digits.startswith("4"):
        return n in {13, 16, 19}
    if 5100 <= head <= 5599 or 2221 <= head <= 2720:
        return n == 16
    if digits[:2] in {"34", "37"}:
        return n == 15
    return 3528 <= head <= 3589 and n == 16


def _luhn(digits: str) -> bool:
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    total = sum(value - 9 if value > 9 else value for value in doubled)
    return (total + sum(map(int, digits[-1::-2]))) % 10 == 0


def is_public_ipv4(text: str) -> bool:
    """Whether it is an address that machines of people have.

    >>> [is_public_ipv4(text) for text in ("8.8.4.4", "192.168.1.1", "1.2.3.400")]
    [True, False, False]
    """
    try:
        address = IPv4Address(text)
    except AddressValueError:
        return False
    return address.is_global and not address.is_multicast


def is_public_ipv6(text: str) -> bool:
    """Whether it is an address that machines of people have."""
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return False
    return address.is_global and not address.is_multicast
