"""The labels of a corpus, decided on once and kept in a temporary folder.

To decide on all documents reads all their texts, so a thread does it when somebody asks for the
first time, and again when the tables have changed: at most a sixth of the time, and the old answer
stands until the new one is ready.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.dataset import LABEL_VALUES, Refinement, refinement
from quarkcrawl.engines import DuckEngine, parquet_files, source_path
from quarkcrawl.errors import EngineError
from quarkcrawl.refine import label_table
from quarkcrawl.store import shard_roots
from quarkcrawl.store.tables import snapshot
from quarkcrawl.workbench.web.http import PendingError
from quarkcrawl.workbench.web.index import PAGE_ROWS, Rows

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.index import CorpusIndex


_PATIENCE_S: Final = 0.7
_REST: Final = 5
_MEMORY_BYTES: Final = 1 << 30
_FOLDERS: Final = ("labels/texts", "dedup", "near", "extractions", "cleaned")
KEPT: Final = "kept"
"""As a value of ``reason``: what no rule leaves out."""


@dataclass(frozen=True, slots=True)
class Decided:
    """All documents with labels and reasons.

    Args:
        found: the numbers.
        files: the documents, as Parquet.
        as_of: epoch seconds at which reading began.
    """

    found: Refinement
    files: tuple[Path, ...]
    as_of: float


class CorpusLabels:
    """The labels of a corpus.

    Args:
        index: its tables.
    """

    def __init__(self, index: CorpusIndex) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="quarkcrawl-labels-"))
        self._number = 0
        self._seen: object = None
        self._next_at = 0.0
        self._decided: Decided | None = None
        self._failure: Exception | None = None
        self._thread: threading.Thread | None = None

    @property
    def are_there(self) -> bool:
        """Whether the corpus has labels."""
        return label_table(self._index.root).options() is not None

    def decided(self) -> Decided:
        """All documents with labels and reasons.

        Raises:
            PendingError: they are being decided on.
            StoreError: there are no labels, or a table cannot be read.
            EngineError: they cannot be decided on.
        """
        with self._lock:
            thread = self._look()
        if thread is not None and self._decided is None:
            thread.join(_PATIENCE_S)
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._decided is None:
                raise PendingError("the labels are being read", where=self._index.root)
            return self._decided

    def _look(self) -> threading.Thread | None:
        """Begin to decide anew if something has changed; the thread that does it, if any."""
        if self._thread is not None or time.monotonic() < self._next_at:
            return self._thread
        seen = _state(self._index.root)
        if seen != self._seen:
            self._seen = seen
            self._number += 1
            folder = self._folder / str(self._number)
            self._thread = threading.Thread(target=self._decide, args=(folder,), daemon=True)
            self._thread.start()
        return self._thread

    def _decide(self, folder: Path) -> None:
        start, as_of = time.monotonic(), time.time()
        made: Decided | None = None
        failure: Exception | None = None
        try:
            with DuckEngine(memory_bytes=_MEMORY_BYTES, threads=2) as engine:
                found = refinement(engine, self._index.root, folder)
            made = Decided(found, tuple(parquet_files(folder / "decided")), as_of)
        except Exception as error:  # noqa: BLE001 - told to whoever asks
            failure = error if isinstance(error, EngineError) else EngineError(str(error))
        shutil.rmtree(folder / "work", ignore_errors=True)
        with self._lock:
            self._decided, self._failure = made or self._decided, failure
            self._next_at = time.monotonic() + _REST * (time.monotonic() - start)
            self._thread = None
        if made is not None and self._number > 2:  # the one before may be read at this moment
            shutil.rmtree(self._folder / str(self._number - 2), ignore_errors=True)

    def documents(self, label: str, value: str, reason: str, page: int) -> tuple[Decided, Rows]:
        """Documents of a label's value in an order by chance that stays, one page of the list.

        Args:
            label: one of `LABEL_VALUES`; "": any.
            value: one of its values.
            reason: only those that are left out for this; `KEPT`: that are not; "": any.
            page: of the list, from 1.

        Raises:
            PendingError, StoreError, EngineError: see `decided`.
        """
        decided = self.decided()
        asked, values = ["true"], list[Any]()
        if label:
            asked.append(f"list_contains({LABEL_VALUES[label]}, ?)")
            values.append(value)
        if reason == KEPT:
            asked.append("reason IS NULL")
        elif reason:
            asked.append("reason = ?")
            values.append(reason)
        files = ", ".join(f"'{source_path(path)}'" for path in decided.files)
        source = f"read_parquet([{files}]) d WHERE {' AND '.join(asked)}"
        total = self._index.row(f"SELECT count(*) AS n FROM {source}", values)["n"]  # noqa: S608
        kinds = LABEL_VALUES["personal"]
        rows = self._index.rows(
            f"""
            SELECT d.url, d.host, d.n_chars, d.language, d.script, d.reason, d.heuristics,
                   d.heuristics_noted, d.spam, d.spam_score, d.spam_evidence, d.contaminated,
                   d.opted_out, d.license, d.quality_class, d.duplicate_of, d.near_of,
                   {kinds} AS personal, p.id, p.title
            FROM (SELECT * FROM {source} ORDER BY md5(url), url
                  LIMIT {PAGE_ROWS} OFFSET {PAGE_ROWS * (page - 1)}) d
            LEFT JOIN (SELECT url, "offset", any_value(id) AS id,
                              any_value(coalesce(nullif(content_title, ''), title)) AS title
                       FROM pages GROUP BY ALL) p
                 ON d.url = p.url AND d."offset" = p."offset"
            ORDER BY md5(d.url), d.url
            """,  # noqa: S608 - own names and paths
            values,
        )
        return decided, Rows(rows, total, page)

    def close(self) -> None:
        """Remove the temporary files."""
        if (thread := self._thread) is not None:
            thread.join()
        shutil.rmtree(self._folder, ignore_errors=True)


def _state(root: Path) -> object:
    """What the labels and the rules are made of at this moment."""
    analysis = [shard / "analysis" for shard in {root, *shard_roots(root)}]
    files = [
        (str(path), path.stat().st_mtime_ns)
        for folder in analysis
        for name in _FOLDERS
        for path in sorted((folder / name).rglob("*.parquet"))
    ]
    return files, [[part.path for part in snapshot(one, "page").parts] for one in shard_roots(root)]
