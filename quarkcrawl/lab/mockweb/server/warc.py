"""Reading the response records of a WARC file for replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from quarkcrawl.errors import InputError
from quarkcrawl.lab.mockweb.server.records import Recorded
from quarkcrawl.lab.mockweb.web import Coding, Headers, MockReply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_TRANSFER_FIELDS = """
    connection content-encoding content-length date keep-alive strict-transport-security trailer
    transfer-encoding upgrade
"""
TRANSFER_FIELDS = frozenset(_TRANSFER_FIELDS.split())
"""Header fields that belonged to the recorded connection, not to the page."""


def read_warc(path: Path) -> Iterator[Recorded]:
    """Read the HTTP responses of a WARC file.

    Args:
        path: the file, compressed or not.

    Yields:
        Each response with content and transfer codings removed.

    Raises:
        InputError: the file is damaged, or ends within a record; naming file and offset.
    """
    end = 0
    try:
        records = ArchiveIterator(path, WarcRecordType.response, parse_http=False)
        for record in records:
            end = record.stream_pos
            if record.is_http:
                yield _recorded(record, f"{path}@{end}")
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"cannot be read further ({error})", where=f"{path}@{end}") from None


def _recorded(record: WarcRecord, where: str) -> Recorded:
    declared = record.content_length
    record.freeze()  # reads the block; from then on content_length is what there was
    if record.content_length != declared:
        # Both Python WARC readers pass over a cut last record in silence.
        raise InputError(f"cut off: {record.content_length} of {declared} bytes", where=where)
    record.parse_http(auto_decode="all")
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
    fields = record.http_headers
    headers: Headers = tuple(
        (name, value) for name, value in fields.items() if name.lower() not in TRANSFER_FIELDS
    )
    is_text = (record.http_content_type or "").startswith("text/")
    reply = MockReply(
        fields.status_code or 200,
        headers,
        record.reader.read(),
        coding=Coding.GZIP if is_text else None,
    )
    return Recorded(url, reply, 1, where)
