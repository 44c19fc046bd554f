"""The corpus on disk: records in page.dat files, rows in analysis tables.

A reply is stored as a Tianwang record (``tianwang``, ``reply``) in the page.dat of its host, in
one of 256 folders (``layout``). What is known of each URL is a row (``rows``, ``columns``), first
in a synced journal (``journal``). `CorpusWriter` does both in groups: a group is durable before
its leases are acknowledged.
"""

from quarkcrawl.store.group import Group
from quarkcrawl.store.layout import bucket, page_dat_path
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.reply import Reply, build_reply, split_reply
from quarkcrawl.store.rows import (
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    Row,
    StoredLink,
)
from quarkcrawl.store.tianwang import TianwangRecord, decode_record, encode_record
from quarkcrawl.store.writer import ROTATE_BYTES, CorpusWriter

__all__ = [
    "ROTATE_BYTES",
    "CorpusLock",
    "CorpusWriter",
    "DropRow",
    "DuplicateRow",
    "Group",
    "PageRow",
    "RedirectRow",
    "Reply",
    "Row",
    "StoredLink",
    "TianwangRecord",
    "bucket",
    "build_reply",
    "decode_record",
    "encode_record",
    "page_dat_path",
    "split_reply",
]
