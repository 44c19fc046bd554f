"""Host names and addresses as the URL Standard reads them: lower-case A-labels, dotted IPv4."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_to_bytes

import idna

MAX_HOST_CHARS: Final = 253
_MAX_LABEL_CHARS: Final = 63
_MAX_WRITTEN_CHARS: Final = 4 * 9 * MAX_HOST_CHARS
"""Nine characters write one in percent-encoded UTF-8; what is longer is not worth a place in the
cache, let alone thousands of them."""

_ASCII_HOST: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER: Final = re.compile(r"\d+|0x[0-9a-f]*")


def canonical_host(host: str) -> str | None:
    """Bring a host into its one canonical spelling.

    Follows the host parser of the URL Standard (UTS 46 mapping, numeric addresses in decimal,
    octal, hexadecimal and shortened form), and drops a trailing dot.

    Args:
        host: as written in the URL, without user and port.

    Returns:
        Lower-case host, ``[…]`` around IPv6; None if it cannot be a host.
    """
    return _canonical(host) if len(host) <= _MAX_WRITTEN_CHARS else None


@lru_cache(maxsize=4096)
def _canonical(host: str) -> str | None:
    """`canonical_host` of what is not too long to be one."""
    if host.startswith("["):
        return _ipv6(host)
    if "%" in host:
        host = unquote_to_bytes(host).decode("utf-8", "replace")
    ascii_host = host.lower() if host.isascii() else _to_ascii(host)
    if ascii_host is None:
        return None
    ascii_host = ascii_host.removesuffix(".")
    if len(ascii_host) > MAX_HOST_CHARS or not _ASCII_HOST.fullmatch(ascii_host):
        return None
    if "xn--" in ascii_host and not all(map(_is_valid_label, ascii_host.split("."))):
        return None
    if _NUMBER.fullmatch(ascii_host.rpartition(".")[2]):
        return _ipv4(ascii_host)
    return ascii_host


def _to_ascii(host: str) -> str | None:
    try:
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
        return ".".join(map(_a_label, mapped.split(".")))
    except (idna.IDNAError, UnicodeError):
        return None


def _a_label(label: str) -> str:
    """Punycode of a mapped label; like browsers, lenient on what IDNA 2008 forbids (emoji)."""
    if label.isascii():
        return label.lower()
    # Punycode is no shorter than what it stands for, and takes the square of the time.
    if label.startswith("xn--") or len(label) > _MAX_LABEL_CHARS:
        raise UnicodeError(label)
    return "xn--" + label.encode("punycode").decode("ascii")


def _is_valid_label(label: str) -> bool:
    """Whether a label that claims to be an A-label stands for anything."""
    if not label.startswith("xn--"):
        return True
    try:
        return not label[4:].encode("ascii").decode("punycode").isascii()
    except UnicodeError:
        return False


def _ipv6(host: str) -> str | None:
    if not host.endswith("]") or "%" in host:
        return None
    try:
        return f"[{ipaddress.IPv6Address(host[1:-1]).compressed}]"
    except ValueError:
        return None


def _ipv4(host: str) -> str | None:
    """Address from one to four numbers; the last fills all bytes that are left."""
    parts = host.split(".")
    if len(parts) > 4:
        return None
    numbers = [_number(part) for part in parts]
    if None in numbers:
        return None
    *high, last = [number for number in numbers if number is not None]
    if any(number > 255 for number in high) or last >= 256 ** (5 - len(parts)):
        return None
    value = last + sum(number << 8 * (3 - place) for place, number in enumerate(high))
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int | None:
    if not _NUMBER.fullmatch(part):
        return None
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    if len(part) > 1 and part.startswith("0"):
        return int(part, 8) if not set(part) & {"8", "9"} else None
    return int(part)
