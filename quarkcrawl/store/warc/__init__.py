"""WARC records: written, and read even where a file is damaged."""

from quarkcrawl.store.warc.reader import WarcDamage, WarcFound, read_warc, read_warc_at
from quarkcrawl.store.warc.record import (
    FACTS_FIELD,
    HTTP_REQUEST,
    HTTP_RESPONSE,
    REVISIT_PROFILE,
    WarcEntry,
    payload_digest,
    record_id,
    warc_date,
)
from quarkcrawl.store.warc.writer import MAX_FILE_BYTES, WarcFolder

__all__ = [
    "FACTS_FIELD",
    "HTTP_REQUEST",
    "HTTP_RESPONSE",
    "MAX_FILE_BYTES",
    "REVISIT_PROFILE",
    "WarcDamage",
    "WarcEntry",
    "WarcFolder",
    "WarcFound",
    "payload_digest",
    "read_warc",
    "read_warc_at",
    "record_id",
    "warc_date",
]
