"""The labels of a corpus and what the rules of a data set make of them.

To decide on all documents reads all their texts, so it is done once for many questions.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.dataset import LABEL_VALUES, Refinement, refinement
from quarkcrawl.engines import parquet_files
from quarkcrawl.refine import label_table
from quarkcrawl.store import shard_roots
from quarkcrawl.store.tables import snapshot
from quarkcrawl.workbench.web.derived import Derived
from quarkcrawl.workbench.web.index import Rows, queries

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import DuckEngine
    from quarkcrawl.workbench.web.index import CorpusIndex


_FOLDERS: Final = ("labels/texts", "dedup", "near", "extractions", "cleaned")
_COLUMNS: Final = f"""
    url, "offset", host, n_chars, language, script, reason, heuristics, heuristics_noted, spam,
    spam_score, spam_evidence, contaminated, opted_out, license, quality_class, duplicate_of,
    near_of, {LABEL_VALUES["personal"]} AS personal
"""
KEPT: Final = "kept"
"""As a value of ``reason``: what no rule leaves out."""


@dataclass(frozen=True, slots=True)
class Decided:
    """All documents with labels and reasons.

    Args:
        funnel: the numbers.
        path: the documents, as Parquet, in the order in which they are shown.
        as_of: epoch seconds at which reading began.
    """

    funnel: Refinement
    path: Path
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
        funnel = refinement(engine, self._index.root, folder)
        (path,) = parquet_files(folder / "decided")
        return Decided(funnel, path, as_of)

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
        conditions, values = list[str](), list[Any]()
        if label:
            conditions.append(f"list_contains({LABEL_VALUES[label]}, ?)")
            values.append(value)
        if reason == KEPT:
            conditions.append("reason IS NULL")
        elif reason:
            conditions.append("reason = ?")
            values.append(reason)
        index = self._index
        documents = queries.stored_rows(index, decided.path, _COLUMNS, conditions, values, page)
        records = queries.page_records(index, [row["url"] for row in documents.rows])
        by_place = {(row["url"], row["offset"]): row for row in records}
        for row in documents.rows:
            record = by_place.get((row["url"], row.pop("offset")), {})
            row |= {name: record.get(name) for name in ("id", "title")}
        return decided, documents

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
