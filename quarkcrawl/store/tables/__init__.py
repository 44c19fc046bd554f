"""Analysis tables: rows, a journal that survives kills, Parquet parts, merges, streams."""

from quarkcrawl.store.tables.analysis_columns import BLOCK_COLUMNS, CONTENT_COLUMNS
from quarkcrawl.store.tables.arrow import conform, rows_table
from quarkcrawl.store.tables.columns import LINKS, TABLES, columns_of, register_column, schema_of
from quarkcrawl.store.tables.compaction import by_bucket, journal_tables, open_part, write_part
from quarkcrawl.store.tables.journal import (
    frame,
    journal_files,
    journal_folder,
    read_lines,
    replay,
    synced_line,
)
from quarkcrawl.store.tables.journal_state import (
    JournalState,
    PageEntry,
    read_state,
    rewrite_journal,
)
from quarkcrawl.store.tables.json import encode_row
from quarkcrawl.store.tables.merge import delete_covered, merge_parts
from quarkcrawl.store.tables.parts import (
    TableFile,
    all_parts,
    folder_parts,
    last_number,
    part_path,
    snapshot,
    table_folder,
)
from quarkcrawl.store.tables.rotation import Rotation
from quarkcrawl.store.tables.rows import (
    DropRow,
    DuplicateRow,
    PageRow,
    RedirectRow,
    Row,
    RowKind,
    VisitRow,
    page_row,
    record_facts,
)
from quarkcrawl.store.tables.stream import iter_batches, iter_rows
from quarkcrawl.store.tables.tables import (
    count_table,
    open_table,
    read_table,
    record_ends,
    total_rows,
)
from quarkcrawl.store.tables.versions import count_unsettled, page_versions, settle_versions

__all__ = [
    "BLOCK_COLUMNS",
    "CONTENT_COLUMNS",
    "LINKS",
    "TABLES",
    "DropRow",
    "DuplicateRow",
    "JournalState",
    "PageEntry",
    "PageRow",
    "RedirectRow",
    "Rotation",
    "Row",
    "RowKind",
    "TableFile",
    "VisitRow",
    "all_parts",
    "by_bucket",
    "columns_of",
    "conform",
    "count_table",
    "count_unsettled",
    "delete_covered",
    "encode_row",
    "folder_parts",
    "frame",
    "iter_batches",
    "iter_rows",
    "journal_files",
    "journal_folder",
    "journal_tables",
    "last_number",
    "merge_parts",
    "open_part",
    "open_table",
    "page_row",
    "page_versions",
    "part_path",
    "read_lines",
    "read_state",
    "read_table",
    "record_ends",
    "record_facts",
    "register_column",
    "replay",
    "rewrite_journal",
    "rows_table",
    "schema_of",
    "settle_versions",
    "snapshot",
    "synced_line",
    "table_folder",
    "total_rows",
    "write_part",
]
