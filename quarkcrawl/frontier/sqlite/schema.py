"""Tables of the frontier file, and the check that a file is one.

``seen`` holds the 64-bit key of every URL ever met and nothing else, so an ended URL costs about
15 bytes. ``waiting`` holds the text of URLs that wait or are out on lease, in the order of the
walk; a row goes when its URL ends. A lease itself is never written: it belongs to the one
process that has the file open, and when that process dies, what it had out simply still waits.
The host table keeps how many were out at the last commit, so that the counts can be put right
at the next opening.

Texts are stored as UTF-8 blobs (``surrogatepass``): a URL with a lone surrogate is a poor URL,
but not an error.
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x51_43_46_52  # "QCFR"
SCHEMA_VERSION: Final = 1

TABLES: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    "CREATE TABLE seen (key INTEGER PRIMARY KEY)",
    """CREATE TABLE waiting (
        host INTEGER NOT NULL, level INTEGER NOT NULL, not_before NOT NULL, seq INTEGER NOT NULL,
        key INTEGER NOT NULL, url BLOB NOT NULL, origin BLOB, hops INTEGER NOT NULL,
        tries INTEGER NOT NULL, PRIMARY KEY (host, level, not_before, seq)) WITHOUT ROWID""",
    "CREATE UNIQUE INDEX waiting_key ON waiting (key)",
    """CREATE TABLE host (
        id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, delay_s REAL, concurrency INTEGER,
        next_time REAL NOT NULL, pending INTEGER NOT NULL, leased INTEGER NOT NULL,
        stored INTEGER NOT NULL, failures INTEGER NOT NULL, max_level INTEGER NOT NULL,
        robots_time REAL, robots_tries INTEGER NOT NULL, closed TEXT,
        undrained INTEGER NOT NULL)""",
    "CREATE INDEX host_undrained ON host (id) WHERE undrained > 0",
    "CREATE TABLE robots (host INTEGER PRIMARY KEY, text BLOB NOT NULL)",
    """CREATE TABLE claim (namespace TEXT NOT NULL, digest BLOB NOT NULL, owner BLOB NOT NULL,
        PRIMARY KEY (namespace, digest)) WITHOUT ROWID""",
)


def pack(text: str) -> bytes:
    """Encode a text for storage; never fails. `Database.text` decodes."""
    return text.encode("utf-8", "surrogatepass")
