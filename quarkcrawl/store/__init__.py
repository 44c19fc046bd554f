"""The corpus on disk: records in page.dat files, rows in analysis tables.

A reply is stored as a Tianwang record (``tianwang``) in the page.dat of its host, in
one of 256 folders (``layout``). What is known of each URL is a row (``tables``): first
in a synced journal, later in Parquet. `CorpusWriter`
does both in groups: a group is durable before its leases are acknowledged (``group``), and after
a crash ``repair`` goes back to the last moment at which pages and rows agreed. `Corpus` reads,
`verify` checks, `salvage` rebuilds what can be saved, trusting page.dat more than anything. WARC
records are written and read by ``warc``. Archives that are read where they lie, by range, are
opened by `StoragePath`; jobs on corpora and results in object stores get folders by `working_copy`
and `results_folder`.
"""

from quarkcrawl.store.appendfile import (
    AppendFile,
    make_folder,
    new_folder,
    storage_error,
    storage_errors,
    sync_file,
    sync_folder,
    write_whole,
)
from quarkcrawl.store.bulkwriter import BulkWriter
from quarkcrawl.store.corpus import Corpus
from quarkcrawl.store.group import Group
from quarkcrawl.store.info import CorpusInfo, collect_info
from quarkcrawl.store.layout import (
    N_BUCKETS,
    bucket,
    host_folder,
    page_dat_path,
    record_file,
    stored_files,
)
from quarkcrawl.store.lock import CorpusLock, is_locked, waiting_lock
from quarkcrawl.store.marker import FORMAT_VERSION, MARKER
from quarkcrawl.store.patience import patient_iter, patiently
from quarkcrawl.store.repair import Problem, Recovery, SalvageReport, salvage, verify
from quarkcrawl.store.robotslog import RobotsText, log_robots, logged_robots
from quarkcrawl.store.shards import is_sharded, open_shard, shard_roots, worker_of
from quarkcrawl.store.storagepath import RangeFile, StoragePath
from quarkcrawl.store.tables import (
    BLOCK_COLUMNS,
    CONTENT_COLUMNS,
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    Row,
    VisitRow,
    open_table,
    read_table,
    register_column,
    replay,
    schema_of,
)
from quarkcrawl.store.tianwang import (
    Damage,
    LocatedRecord,
    StoredReply,
    TianwangRecord,
    build_reply,
    decode_record,
    encode_record,
    read_at,
    read_records,
    split_reply,
)
from quarkcrawl.store.workingcopy import (
    JobFolder,
    corpus_places,
    folder_here,
    is_stored_corpus,
    read_results,
    results_folder,
    working_copy,
)
from quarkcrawl.store.writer import (
    ROTATE_BYTES,
    CorpusWriter,
    corpus_draft,
    new_corpus,
    settle_corpus,
)

__all__ = [
    "BLOCK_COLUMNS",
    "CONTENT_COLUMNS",
    "FORMAT_VERSION",
    "MARKER",
    "N_BUCKETS",
    "ROTATE_BYTES",
    "AppendFile",
    "BulkWriter",
    "Corpus",
    "CorpusInfo",
    "CorpusLock",
    "CorpusWriter",
    "Damage",
    "DropRow",
    "DuplicateRow",
    "Group",
    "JobFolder",
    "LocatedRecord",
    "PageRow",
    "Problem",
    "RangeFile",
    "Recovery",
    "RedirectRow",
    "RobotsText",
    "Row",
    "SalvageReport",
    "StoragePath",
    "StoredReply",
    "TianwangRecord",
    "VisitRow",
    "bucket",
    "build_reply",
    "collect_info",
    "corpus_draft",
    "corpus_places",
    "decode_record",
    "encode_record",
    "folder_here",
    "host_folder",
    "is_locked",
    "is_sharded",
    "is_stored_corpus",
    "log_robots",
    "logged_robots",
    "make_folder",
    "new_corpus",
    "new_folder",
    "open_shard",
    "open_table",
    "page_dat_path",
    "patient_iter",
    "patiently",
    "read_at",
    "read_records",
    "read_results",
    "read_table",
    "record_file",
    "register_column",
    "replay",
    "results_folder",
    "salvage",
    "schema_of",
    "settle_corpus",
    "shard_roots",
    "split_reply",
    "storage_error",
    "storage_errors",
    "stored_files",
    "sync_file",
    "sync_folder",
    "verify",
    "waiting_lock",
    "worker_of",
    "working_copy",
    "write_whole",
]
