"""One WARC record as bytes: named fields, the block, digests, a gzip member around all of it.

Written are records of WARC 1.1 (ISO 28500:2017), each in a gzip member of its own (annex D), so
that a reader can begin at any of them and damage to one loses no other. FastWARC writes the
fields and the digest of the block. The digest of the payload is added only where every reader
agrees on where the payload begins: behind a head whose lines all end with CR LF.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import InputError
from quarkcrawl.store.tianwang import MAX_INFLATED_BYTES, gzip_member

if TYPE_CHECKING:
    from collections.abc import Sequence


FACTS_FIELD: Final = "X-Quarkcrawl"
"""Named field with what WARC has no field for, as JSON; other readers skip it."""
HTTP_REQUEST: Final = "application/http; msgtype=request"
HTTP_RESPONSE: Final = "application/http; msgtype=response"
REVISIT_PROFILE: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
MAX_FIELDS_BYTES: Final = 24 * 1024
"""Longer named fields are refused: FastWARC and others read no more than 32 KiB."""

_BREAKS = re.compile(r"[\x00-\x1f\x7f]")
_BARE_LF = re.compile(rb"(?<!\r)\n")


@dataclass(frozen=True, slots=True)
class WarcEntry:
    """A record to be written.

    Args:
        kind: WARC-Type, such as ``"response"``.
        record_id: URN without angle brackets, as `record_id` makes it.
        date: seconds since the epoch.
        block: the content.
        content_type: media type of the block; "" if there is no block.
        url: WARC-Target-URI; "" for none.
        fields: further named fields in order.
    """

    kind: str
    record_id: str
    date: int
    block: bytes
    content_type: str
    url: str = ""
    fields: Sequence[tuple[str, str]] = ()


def record_id(*parts: object) -> str:
    """A URN that is the same whenever the same record is exported.

    >>> record_id("response", "http://a.cn/", 0)
    'urn:uuid:6c52efa3-ec39-5d31-9dec-e92ccb448cc1'
    """
    return uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(map(str, parts))).urn


def warc_date(seconds: int) -> str:
    """WARC-Date in UTC.

    >>> warc_date(1076745600)
    '2004-02-14T08:00:00Z'
    """
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def sha1_digest(data: bytes) -> str:
    """Labeled digest as web archives write it: SHA-1 in base 32."""
    digest = hashlib.sha1(data, usedforsecurity=False).digest()
    return "sha1:" + base64.b32encode(digest).decode()


def payload_digest(block: bytes) -> str | None:
    """Digest of the entity of an HTTP message; None where readers cut head and entity differently.

    Args:
        block: the message as stored.
    """
    head, blank, body = block.partition(b"\r\n\r\n")
    if not blank or not head.startswith(b"HTTP/") or _BARE_LF.search(head):
        return None
    return sha1_digest(body)


def encode_entry(entry: WarcEntry, warcinfo_id: str = "") -> bytes:
    """The record as one gzip member.

    Args:
        entry: what to write.
        warcinfo_id: the file's warcinfo record; "" for that record itself.

    Raises:
        InputError: a field cannot be written, or the record would be too large to be read back.
    """
    if len(entry.block) > MAX_INFLATED_BYTES:
        raise InputError(f"block of {len(entry.block)} bytes is too large", where=entry.url)
    fields = list(_fields(entry, warcinfo_id))
    _check(fields, entry.url)
    out = io.BytesIO()
    _fast_record(entry, fields).write(out, checksum_data=True)
    return gzip_member(out.getvalue())


def _fields(entry: WarcEntry, warcinfo_id: str) -> Sequence[tuple[str, str]]:
    fields = [("WARC-Date", warc_date(entry.date))]
    if entry.url:
        fields.append(("WARC-Target-URI", entry.url))
    if warcinfo_id:
        fields.append(("WARC-Warcinfo-ID", f"<{warcinfo_id}>"))
    if entry.content_type:
        fields.append(("Content-Type", entry.content_type))
    return [*fields, *entry.fields]


def _check(fields: Sequence[tuple[str, str]], where: str) -> None:
    size = 0
    for name, value in fields:
        if _BREAKS.search(name) or _BREAKS.search(value):
            raise InputError(f"field {name} would break the record: {value[:80]!r}", where=where)
        try:
            size += len(name) + len(value.encode())
        except UnicodeEncodeError:
            raise InputError(f"field {name} is no text: {value[:80]!r}", where=where) from None
    if size > MAX_FIELDS_BYTES:
        raise InputError(f"{size} bytes of named fields are too many", where=where)


def _fast_record(entry: WarcEntry, fields: Sequence[tuple[str, str]]) -> Any:
    from fastwarc.warc import WarcRecord, WarcRecordType  # noqa: PLC0415 - loaded when used

    record = WarcRecord()
    urn = entry.record_id.removeprefix("urn:").encode()
    record.init_headers(getattr(WarcRecordType, entry.kind), record_urn=urn)
    for name, value in fields:
        record.headers[name] = value
    record.set_bytes_content(entry.block)
    return record
