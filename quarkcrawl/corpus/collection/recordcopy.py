"""Records of one page.dat into another, with document numbers, their streams untouched."""

from __future__ import annotations

import re
from typing import BinaryIO, Final

from quarkcrawl.errors import DamagedRecordError
from quarkcrawl.store.tianwang import decode_record, url_text

_ID_LINE: Final = re.compile(rb"\nid:[^\n]*(?=\n)")


def read_record(file: BinaryIO, offset: int, length: int) -> bytes:
    """The bytes of a record.

    Raises:
        DamagedRecordError: the file ends before.
    """
    file.seek(offset)
    data = file.read(length)
    if len(data) < length:
        raise DamagedRecordError(f"the file ends {length - len(data)} bytes too early")
    return data


def numbered_record(data: bytes, docno: str, url: str) -> bytes:
    """The record with a document number in its header (property ``id``).

    The compressed reply is taken over as it is; it is inflated once to see that it is whole.

    Args:
        data: a whole record.
        docno: the document number; one that is there is replaced.
        url: the URL it has to have.

    Raises:
        DamagedRecordError: the bytes are no whole record, or that of another page.
    """
    record_url = url_text(decode_record(data).url)
    if record_url != url:
        raise DamagedRecordError(f"the record is that of {record_url}")
    first, _, rest = data.partition(b"\n")
    header, blank, body = rest.partition(b"\n\n")
    header = _ID_LINE.sub(b"", b"\n" + header)
    end = b"" if body.endswith(b"\n") else b"\n"
    return b"".join((first, f"\nid: {docno}".encode(), header, blank, body, end))
