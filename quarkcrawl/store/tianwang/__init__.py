"""The Tianwang format of page.dat: records, compression, reading at an offset."""

from quarkcrawl.store.tianwang.compress import (
    GZIP_ERRORS,
    MAX_INFLATED_BYTES,
    deflate,
    gzip_member,
    gzip_stream,
)
from quarkcrawl.store.tianwang.httpdate import format_date
from quarkcrawl.store.tianwang.reader import Damage, LocatedRecord, read_at, read_records
from quarkcrawl.store.tianwang.record import TianwangRecord, decode_record, encode_record, url_text
from quarkcrawl.store.tianwang.reply import StoredReply, build_reply, split_reply, status_phrase
from quarkcrawl.store.tianwang.window import Window

__all__ = [
    "GZIP_ERRORS",
    "MAX_INFLATED_BYTES",
    "Damage",
    "LocatedRecord",
    "StoredReply",
    "TianwangRecord",
    "Window",
    "build_reply",
    "decode_record",
    "deflate",
    "encode_record",
    "format_date",
    "gzip_member",
    "gzip_stream",
    "read_at",
    "read_records",
    "split_reply",
    "status_phrase",
    "url_text",
]
