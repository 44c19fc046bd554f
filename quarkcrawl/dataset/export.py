"""From a labeled corpus to a data set: a query over labels, and files that load anywhere.

    DATASET/README.md          card, with the configuration that Hugging Face reads
    DATASET/croissant.json     the same for machines
    DATASET/dataset.json       options and counts
    DATASET/data/…             the documents, see `writers`
    DATASET/left_out/…parquet  URL, host and reason of each document that is not in it
    DATASET/SHA256SUMS

The same corpus, options and versions give the same bytes, whichever engine does it.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from array import array
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quarkcrawl.dataset.card import write_card
from quarkcrawl.dataset.conditions import (
    AFTERWARDS,
    check_rules,
    chosen_copies,
    chosen_rules,
    decided_sql,
)
from quarkcrawl.dataset.options import SPLITS, ExportOptions
from quarkcrawl.dataset.statistics import Statistics
from quarkcrawl.dataset.texts import final_text
from quarkcrawl.dataset.tokens import token_counter
from quarkcrawl.dataset.writers import SplitWriter
from quarkcrawl.engines import parquet_files, replaced_folder
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.progress import CountedStep, no_progress
from quarkcrawl.refine import (
    DOCUMENT_COLUMNS,
    LABEL_COLUMNS,
    LABEL_SCHEMA,
    analyzed,
    label_table,
    view_documents,
    view_labels,
)
from quarkcrawl.store import (
    CorpusLock,
    results_folder,
    schema_of,
    shard_roots,
    storage_errors,
    working_copy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.engines import Engine
    from quarkcrawl.progress import Progress


MANIFEST: Final = "dataset.json"
"""What tells a data set from other folders."""

_BATCH_ROWS: Final = 256
_LEFT_OUT: Final = pa.schema([("url", pa.string()), ("host", pa.string()), ("reason", pa.string())])
_OWN: Final = {
    "id": pa.string(),
    "text": pa.string(),
    "title": pa.string(),
    "fetched_at": pa.string(),
    "n_chars": pa.int64(),
    "n_tokens": pa.int64(),
    "declared_language": pa.string(),
    "md5": pa.string(),
}


@dataclass(slots=True)
class ExportReport:
    """What was exported.

    Args:
        corpus: where the documents are from.
        out: folder of the data set.
        engine: what ran the query.
        pages: documents of the corpus.
        left_out: how many of them are not in the data set, by reason.
        documents: documents of the data set, by split.
        chars: characters of their texts.
        masked: pieces of personal data that were masked.
        removed_chars: characters of repeated passages that were taken out.
        tokens: tokens of the texts; None if they were not counted.
        elapsed_s: length of the run.
    """

    corpus: str
    out: str
    engine: str
    pages: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)
    chars: int = 0
    masked: int = 0
    removed_chars: int = 0
    tokens: int | None = None
    elapsed_s: float = 0.0


def export_dataset(
    engine: Engine,
    root: Path | str,
    out: Path | str,
    options: ExportOptions | None = None,
    *,
    replace: bool = False,
    on_progress: Progress = no_progress,
) -> ExportReport:
    """Write the documents for which all rules hold as a data set.

    Args:
        engine: DuckDB or Spark, see `quarkcrawl.engines.open_engine`.
        root: the corpus, also in an object store; it has labels (`refine_corpus`).
        out: folder of the data set, or a URI: there it is whole once its manifest is.
        options: what is exported.
        replace: a data set that is there already gives way once the new one is whole.
        on_progress: is told of the documents, some hundred at a time.

    Raises:
        ConfigError: options that do not go together, or an unknown field or rule.
        InputError: the folder is there, or a condition or a tokenizer cannot be understood.
        CorpusLockedError: labels are being made.
        StoreError: the folder is no corpus, has no labels, or no room.
        EngineError: the engine gave up.
    """
    started = time.monotonic()
    options = options or ExportOptions()
    options.check()
    with (
        working_copy(root, analyzed(options.method)) as job,
        results_folder(out, replaced=True) as target,
    ):
        report = _export(
            engine, job.path, target.path, options, replace=replace, on_progress=on_progress
        )
    report.corpus, report.out = job.named(report.corpus), target.named(report.out)
    report.elapsed_s = round(time.monotonic() - started, 3)
    return report


def _export(
    engine: Engine,
    root: Path,
    out: Path,
    options: ExportOptions,
    *,
    replace: bool,
    on_progress: Progress,
) -> ExportReport:
    """See `export_dataset`; all folders are here."""
    shard_roots(root)
    _check_target(out, replace=replace)
    count_tokens = token_counter(options.tokenizer)
    table = label_table(root)
    if table.options() is None:
        raise StoreError("has no labels: quarkcrawl refine", where=root)
    rules = chosen_rules(options.where, options.without)
    copies = chosen_copies(options.without)
    report = ExportReport(str(root), str(out), engine.name)
    work = table.path.parent / ".export"
    with CorpusLock(table.path.parent), storage_errors(out):
        shutil.rmtree(work, ignore_errors=True)
        try:
            view_documents(engine, root, options.method, work)
            view_labels(engine, root)
            check_rules(engine, rules, (*DOCUMENT_COLUMNS, *LABEL_COLUMNS))
            decided = _ordered(options, decided_sql(rules, copies))
            on_progress("which documents stay", 0, None)
            n_documents = engine.write(decided, work / "decided")
            with replaced_folder(out) as draft:
                run = _Export(options, report, count_tokens)
                run.write(
                    work / "decided", draft, CountedStep("documents", on_progress, n_documents)
                )
                on_progress("card", 0, None)
                all_rules = (*rules, *copies, *AFTERWARDS)
                write_card(draft, root, options, all_rules, asdict(report), run.statistics)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return report


def is_dataset(folder: Path) -> bool:
    """Whether a folder holds a data set of ours."""
    return (folder / MANIFEST).is_file()


def _check_target(out: Path, *, replace: bool) -> None:
    if not out.exists():
        return
    if not is_dataset(out):
        raise InputError("is there and no data set", where=out)
    if not replace:
        raise InputError("is there; --replace writes it anew", where=out)


def _ordered(options: ExportOptions, decided: str) -> str:
    """All documents in the order of the data set, with split and reason."""
    order = f"md5(concat('{options.seed} ', url)), url" if options.shuffle else "host, url"
    names = dict.fromkeys(("url", "host", "text", "fetched_at", "personal", "repeats"))
    names |= dict.fromkeys(name for name in options.fields if name in _stored_fields())
    columns = ", ".join(f'"{name}"' for name in names)
    return f"""
SELECT {columns}, reason, {_split_sql(options)} AS split
FROM ({decided}) AS d ORDER BY {order}
"""  # noqa: S608 - names of ours; conditions are the user's own business


def _split_sql(options: ExportOptions) -> str:
    """An expression: the split of a document, by a hash of its host."""
    drawn = f"substr(md5(concat('{options.seed} ', host)), 1, 8)"
    held_back = options.validation + options.test
    bounds = {"test": options.test, "validation": held_back}
    cases = " ".join(
        f"WHEN {drawn} < '{min(round(bound * (1 << 32)), (1 << 32) - 1):08x}' THEN '{split}'"
        for split, bound in bounds.items()
        if getattr(options, split)
    )
    return f"CASE {cases} ELSE 'train' END" if cases else "'train'"


def _stored_fields() -> dict[str, pa.DataType]:
    """Types of the fields that the view has."""
    pages = schema_of("page")
    types = {name: pages.field(name).type for name in DOCUMENT_COLUMNS if name in pages.names}
    labels = {name: LABEL_SCHEMA.field(name).type for name in LABEL_COLUMNS}
    return types | labels | {name: _OWN[name] for name in ("text", "title", "declared_language")}


class _Export:
    """The writing of one data set."""

    def __init__(self, options: ExportOptions, report: ExportReport, count_tokens: Any) -> None:
        self._options = options
        self._report = report
        self._count_tokens = count_tokens
        types = _stored_fields() | _OWN
        self._schema = pa.schema([(name, types[name]) for name in options.all_fields])
        self._exported = np.zeros(0, np.uint64)
        self.statistics = Statistics()

    def write(self, decided: Path, draft: Path, step: CountedStep) -> None:
        """Write the documents and the list of those that are left out."""
        (draft / "data").mkdir(parents=True)
        (draft / "left_out").mkdir()
        options = self._options
        writers = {
            split: SplitWriter(
                draft / "data", split, options.form, self._schema, options.part_bytes
            )
            for split in SPLITS
        }
        self._exported = _numbers_of_exported(decided)
        left_out: list[dict[str, str]] = []
        reasons: Counter[str] = Counter()
        with pq.ParquetWriter(draft / "left_out" / "documents.parquet", _LEFT_OUT,
                              compression="zstd") as list_writer:  # fmt: skip
            for row in _rows(decided, step):
                self._report.pages += 1
                reason = row["reason"] or self._take(row, writers[row["split"]])
                if reason:
                    reasons[reason] += 1
                    left_out.append({name: row[name] for name in ("url", "host")})
                    left_out[-1]["reason"] = reason
                if len(left_out) >= _BATCH_ROWS:
                    list_writer.write_table(pa.Table.from_pylist(left_out, _LEFT_OUT))
                    left_out.clear()
            if left_out:
                list_writer.write_table(pa.Table.from_pylist(left_out, _LEFT_OUT))
        for writer in writers.values():
            writer.close()
        self._report.left_out = dict(reasons.most_common())
        self._report.documents = {
            split: writer.n_documents for split, writer in writers.items() if writer.n_documents
        }

    def _take(self, row: dict[str, Any], writer: SplitWriter) -> str | None:
        """Write a document, or say why it is left out after all."""
        options, report = self._options, self._report
        final = final_text(row, options, self._is_exported)
        if final.reason:
            return final.reason
        row["text"], row["n_chars"] = final.text, len(final.text)
        row["id"] = document_id(row["url"])
        row["fetched_at"] = _iso(row["fetched_at"])
        if self._count_tokens is not None:
            row["n_tokens"] = self._count_tokens(final.text)
            report.tokens = (report.tokens or 0) + row["n_tokens"]
        writer.add({name: row[name] for name in self._schema.names})
        self.statistics.add(row)
        report.chars += len(final.text)
        report.masked += final.n_masked
        report.removed_chars += final.removed_chars
        return None

    def _is_exported(self, url: str) -> bool:
        """Whether all rules hold for the document of a URL."""
        number = _number(url)
        place = int(np.searchsorted(self._exported, number))
        return place < len(self._exported) and bool(self._exported[place] == number)


def _numbers_of_exported(decided: Path) -> NDArray[np.uint64]:
    """What stands for the URLs of the documents for which all rules hold, sorted: 8 bytes each."""
    numbers = array("Q")
    for path in parquet_files(decided):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["url", "reason"]):
                urls = batch.filter(pc.is_null(batch.column("reason"))).column("url")
                numbers.extend(map(_number, urls.to_pylist()))
    return np.sort(np.array(numbers, np.uint64))


def _number(url: str) -> int:
    return int(document_id(url)[:16], 16)


def document_id(url: str) -> str:
    """The name of a document: the same in every export.

    Args:
        url: its address.
    """
    return hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()


def _rows(folder: Path, step: CountedStep) -> Iterator[dict[str, Any]]:
    for path in parquet_files(folder):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH_ROWS):
                yield from batch.to_pylist()
                step.add(batch.num_rows)


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
