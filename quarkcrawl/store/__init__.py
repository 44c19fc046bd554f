"""The corpus on disk: records in page.dat files, rows in analysis tables.

A reply is stored as a Tianwang record (``tianwang``, ``reply``) in the page.dat of its host, in
one of 256 folders (``layout``). What is known of each URL is a row (``rows``, ``columns``): first
in a synced journal (``journal``), later in Parquet (``compaction``, ``tables``). `CorpusWriter`
does both in groups: a group is durable before its leases are acknowledged (``group``), and after
a crash ``recovery`` goes back to the last moment at which pages and rows agreed. `Corpus` reads,
`verify` checks, `salvage` rebuilds what can be saved, trusting page.dat more than anything. WARC
records are written by ``warcrecord`` and ``warcwriter`` and read by ``warcscan``.
"""

from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.group import Group
from quarkcrawl.store.info import CorpusInfo
from quarkcrawl.store.layout import bucket, page_dat_path
from quarkcrawl.store.lock import CorpusLock
from quarkcrawl.store.repair.recovery import Recovery
from quarkcrawl.store.repair.salvage.salvage import SalvageReport, salvage
from quarkcrawl.store.repair.verify import Problem, verify
from quarkcrawl.store.tables.analysis_columns import BLOCK_COLUMNS, CONTENT_COLUMNS
from quarkcrawl.store.tables.columns import register_column, schema_of
from quarkcrawl.store.tables.journal import replay
from quarkcrawl.store.tables.rows import (
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    Row,
    StoredLink,
)
from quarkcrawl.store.tables.tables import open_table, read_table
from quarkcrawl.store.tianwang.reader import Damage, Found, read_at, read_records
from quarkcrawl.store.tianwang.record import TianwangRecord, decode_record, encode_record
from quarkcrawl.store.tianwang.reply import Reply, build_reply, split_reply
from quarkcrawl.store.writer import ROTATE_BYTES, CorpusWriter

__all__ = [
    "BLOCK_COLUMNS",
    "CONTENT_COLUMNS",
    "ROTATE_BYTES",
    "Corpus",
    "CorpusInfo",
    "CorpusLock",
    "CorpusWriter",
    "Damage",
    "DropRow",
    "DuplicateRow",
    "Found",
    "Group",
    "PageRow",
    "Problem",
    "Recovery",
    "RedirectRow",
    "Reply",
    "Row",
    "SalvageReport",
    "StoredLink",
    "TianwangRecord",
    "bucket",
    "build_reply",
    "decode_record",
    "encode_record",
    "open_table",
    "page_dat_path",
    "read_at",
    "read_records",
    "read_table",
    "register_column",
    "replay",
    "salvage",
    "schema_of",
    "split_reply",
    "verify",
]
