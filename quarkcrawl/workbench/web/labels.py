"""The labels of a corpus and what the rules of a data set make of them.

To decide on all documents reads all their texts, so it is done once for many questions.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.dataset import LABEL_VALUES, Refinement, refinement
from quarkcrawl.engines import parquet_files, source_path
from quarkcrawl.refine import label_table
from quarkcrawl.store import shard_roots
from quarkcrawl.store.tables import snapshot
from quarkcrawl.workbench.web.derived import Derived
from quarkcrawl.workbench.web.index import PAGE_ROWS, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import DuckEngine
    from quarkcrawl.workbench.web.index import CorpusIndex


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
        self._derived = Derived("the table of labels", self._state, self._decide)

    @property
    def are_there(self) -> bool:
        """Whether the corpus has labels."""
        return label_table(self._index.root).options() is not None

    def decided(self) -> Decided:
        """All documents with labels and reasons.

        Raises:
            PendingError: they are being decided on.
            EngineError: there are no labels, or a table cannot be read.
        """
        return self._derived.value()

    def _decide(self, engine: DuckEngine, folder: Path) -> Decided:
        as_of = time.time()
        found = refinement(engine, self._index.root, folder)
        return Decided(found, tuple(parquet_files(folder / "decided")), as_of)

    def documents(self, label: str, value: str, reason: str, page: int) -> tuple[Decided, Rows]:
        """Documents of a label's value in an order by chance that stays, one page of the list.

        Args:
            label: one of `LABEL_VALUES`; "": any.
            value: one of its values.
            reason: only those that are left out for this; `KEPT`: that are not; "": any.
            page: which fifty rows, counted from 1.

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

    def _state(self) -> object:
        """What the labels and the rules are made of at this moment."""
        root = self._index.root
        analysis = [shard / "analysis" for shard in {root, *shard_roots(root)}]
        files = [
            (str(path), path.stat().st_mtime_ns)
            for folder in analysis
            for name in _FOLDERS
            for path in sorted((folder / name).rglob("*.parquet"))
        ]
        parts = [[p.path for p in snapshot(one, "page").parts] for one in shard_roots(root)]
        return files, parts

    def close(self) -> None:
        """Remove the temporary files."""
        self._derived.close()
