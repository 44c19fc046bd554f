"""What the labels of a corpus leave of it: the funnel of a data set before it is written.

Every document with its labels and the reason for which `export_dataset`, as it is by default,
leaves it out; numbers for each rule in the order in which the rules are asked, and for each value
of each label. Passages that the writing of the texts takes out afterwards are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.dataset.conditions import ALWAYS, COPIES, RULES, decided_sql
from quarkcrawl.engines import parquet_files, source_path
from quarkcrawl.errors import StoreError
from quarkcrawl.refine import label_table, view_documents, view_labels

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import DuckEngine


LABEL_VALUES: Final = {
    "language": "[language]",
    "script": "[script]",
    "is_cantonese": "[CASE WHEN is_cantonese THEN 'yes' END]",
    "spam": "spam",
    "heuristics": "heuristics",
    "heuristics_noted": "heuristics_noted",
    "quality_class": "[quality_class]",
    "contaminated": "contaminated",
    "opted_out": "opted_out",
    "noindex": "[CASE WHEN noindex THEN 'yes' END]",
    "license": "[license]",
    "personal": "list_distinct(list_transform(personal, lambda one: one.kind))",
}
"""Labels that have few values, and the list of a document's values, as DuckDB says it."""

_SHOWN: Final = (
    "url", "host", "offset", "n_chars", "language", "script", "is_cantonese", "heuristics",
    "heuristics_noted", "quality_class", "spam", "spam_score", "spam_evidence", "personal",
    "contaminated", "license", "noindex", "opted_out", "duplicate_of", "near_of", "reason",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """A rule of a data set and what it did.

    Args:
        reason: code of what it leaves out.
        meaning: what that says, in a sentence.
        dropped: documents that it left out, of those that the rules before it had left.
        left: documents after it.
    """

    reason: str
    meaning: str
    dropped: int
    left: int


@dataclass(frozen=True, slots=True)
class Refinement:
    """What the labels of a corpus say.

    Args:
        documents: documents of the corpus.
        steps: the rules in their order.
        labels: label → its values with their numbers of documents, the most frequent first; labels
            that no document has are not there.
    """

    documents: int
    steps: tuple[FunnelStep, ...]
    labels: dict[str, list[tuple[str, int]]]


def refinement(engine: DuckEngine, root: Path, out: Path) -> Refinement:
    """Decide on every document of a labeled corpus; nothing is written into the corpus.

    Args:
        engine: DuckDB.
        root: the corpus.
        out: folder for the documents, with their labels and the reason why each is left out
            (NULL: it is not), in ``decided``, in an order by chance that stays, so that the first
            of any kind are a sample; and for what is needed on the way.

    Raises:
        StoreError: the corpus has no labels, or a table cannot be read.
        EngineError: the engine gave up.
    """
    options = label_table(root).options()
    if options is None:
        raise StoreError("has no labels: quarkcrawl refine", where=root)
    view_documents(engine, root, options["method"], out / "work")
    view_labels(engine, root)
    columns = ", ".join(f'"{name}"' for name in _SHOWN)
    decided = decided_sql((*ALWAYS, *RULES), COPIES)
    by_chance = 'ORDER BY md5(url), url, "offset"'
    engine.write(f"SELECT {columns} FROM ({decided}) AS d {by_chance}", out / "decided")  # noqa: S608 - own names
    files = ", ".join(f"'{source_path(path)}'" for path in parquet_files(out / "decided"))
    engine.view("decided", f"SELECT * FROM read_parquet([{files}])")  # noqa: S608 - quoted above
    counted = _rows(engine, "SELECT reason, count(*) AS n FROM decided GROUP BY ALL")
    dropped = {row["reason"]: row["n"] for row in counted}
    left = documents = sum(dropped.values())
    steps = []
    for rule in (*ALWAYS, *RULES, *COPIES):
        n = dropped.get(rule.reason, 0)
        left -= n
        steps.append(FunnelStep(rule.reason, rule.meaning, n, left))
    return Refinement(documents, tuple(steps), _values(engine))


def _values(engine: DuckEngine) -> dict[str, list[tuple[str, int]]]:
    values_by_label = {}
    for label, values in LABEL_VALUES.items():
        rows = _rows(
            engine,
            f"SELECT value, count(*) AS n FROM (SELECT unnest({values}) AS value FROM decided)"  # noqa: S608
            " WHERE value IS NOT NULL GROUP BY value ORDER BY n DESC, value",
        )
        if rows:
            values_by_label[label] = [(row["value"], row["n"]) for row in rows]
    return values_by_label


def _rows(engine: DuckEngine, sql: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = engine.fetch(sql).to_pylist()
    return rows
