"""The labels of a corpus as views of an engine, beside its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.engines import sql_columns
from quarkcrawl.refine.labels import LABEL_COLUMNS, LABEL_SCHEMA
from quarkcrawl.refine.repeated import REPEAT_SCHEMA, repeat_table
from quarkcrawl.refine.table import LabelTable

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.engines import Engine


_LABELED: Final = f"""
SELECT d.*, l.url IS NOT NULL AS is_labelled, l.failure AS label_failure,
       {", ".join(f"l.{name}" for name in LABEL_COLUMNS)},
       r.repeats, coalesce(r.repeated_chars, 0) AS repeated_chars
FROM documents AS d
LEFT JOIN text_labels AS l
  ON d.url = l.url AND d."offset" = l."offset" AND d.text_md5 = l.text_md5
LEFT JOIN repeat_labels AS r
  ON d.url = r.url AND d."offset" = r."offset" AND d.text_md5 = r.text_md5
"""  # noqa: S608 - our own words


def label_table(root: Path) -> LabelTable:
    """The labels of single texts."""
    return LabelTable(root / "analysis" / "labels" / "texts", LABEL_SCHEMA)


def view_labels(engine: Engine, root: Path) -> None:
    """Let an engine that knows ``documents`` know ``labelled``, documents with all their labels.

    Args:
        engine: DuckDB or Spark.
        root: the corpus.

    Raises:
        StoreError: a part cannot be read.
    """
    texts, repeats = label_table(root).files(), repeat_table(root).files()
    engine.table("text_labels", texts, sql_columns(LABEL_SCHEMA), lenient=True)
    engine.table("repeat_labels", repeats, sql_columns(REPEAT_SCHEMA), lenient=True)
    engine.view("labelled", _LABELED)
