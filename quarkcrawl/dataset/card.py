"""What lies beside the documents: README.md, croissant.json, dataset.json, checksums."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from quarkcrawl import __version__
from quarkcrawl.corpus import CardConfig, croissant, front_matter, write_checksums
from quarkcrawl.corpus.merge import Shards
from quarkcrawl.dataset.writers import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarkcrawl.dataset.conditions import DatasetRule
    from quarkcrawl.dataset.options import ExportOptions
    from quarkcrawl.dataset.statistics import Statistics
    from quarkcrawl.store.tables import RowKind


_README: Final = """\
# {name}

{documents:,} texts of {hosts:,} hosts, {chars:,} characters{tokens}: pages of the web, crawled,
extracted and filtered by quarkcrawl {version}.

    import datasets
    texts = datasets.load_dataset({path!r})

## Where the texts come from

The corpus has {pages:,} stored pages, fetched between {first} and {last}. What became of all
addresses that the crawl has asked or refused:

| | addresses |
|---|---:|
{crawl}

The text of a page was found by the method `{method}`.

## What was left out, and why

Each document that is not in the data set has one reason, that of the first rule that does not
hold. `left_out/` lists them (configuration `left_out`).

| rule | left out | left |
|---|---:|---:|
{funnel}

| reason | meaning |
|---|---|
{meanings}

{treatment}

## Numbers

| | |
|---|---:|
{numbers}

{counts}
## Fields

{fields}

## Known limits

- Texts come from automatic extraction: some hold pieces of menus or lack a paragraph.
- Labels are judgments of rules and small models; each has its errors, and none was checked by
  hand for this data set.
- {personal_limit}
- Near-duplicates are found among texts of the same corpus only.

## Whose texts these are

The pages belong to their authors. {contact}
"""


_COMPANIONS: Final[tuple[RowKind, ...]] = ("duplicate", "redirect")


def write_card(
    folder: Path,
    root: Path,
    options: ExportOptions,
    rules: Sequence[DatasetRule],
    report: Mapping[str, Any],
    statistics: Statistics,
) -> None:
    """Write what lies beside the documents; the checksums last.

    Args:
        folder: the data set, with its documents.
        root: the corpus.
        options: what was exported.
        rules: in their order.
        report: what was counted.
        statistics: numbers of the documents.
    """
    numbers = statistics.as_dict()
    schema = _schema(folder, options)
    files = {split: f"data/{split}-*.{ENDINGS[options.form]}" for split in report["documents"]}
    left_out = CardConfig(
        "left_out",
        {"train": "left_out/*.parquet"},
        pq.read_schema(folder / "left_out" / "documents.parquet"),
    )
    configs = [CardConfig("default", files, schema, options.form), left_out]
    facts = {name: value for name, value in report.items() if name not in _NOT_TOLD}
    crawl = _crawl(root)
    manifest = {
        "version": __version__,
        "options": _plain(asdict(options)),
        "rules": [asdict(rule) for rule in rules],
        **facts,
        "crawl": crawl,
        "statistics": numbers,
    }
    _write_json(folder / "dataset.json", manifest)
    languages = [code for code in numbers.get("language", {}) if code not in {"none", "und"}]
    head = front_matter(
        options.name,
        configs,
        license=options.license,
        languages=languages,
        n_documents=numbers["documents"],
    )
    text = head + _text(options, rules, report, numbers, crawl, schema)
    (folder / "README.md").write_text(text, encoding="utf-8")
    about = f"Texts of {numbers['hosts']} hosts of the web, crawled and filtered by quarkcrawl."
    _write_json(folder / "croissant.json", croissant(options.name, about, options.license, configs))
    write_checksums(folder)


_NOT_TOLD: Final = frozenset({"corpus", "out", "engine", "elapsed_s"})  # they differ by machine


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """Options as JSON values; of a file its name, for its place differs by machine."""
    tokenizer = options["tokenizer"]
    return options | {"tokenizer": tokenizer.name if tokenizer else None}


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8")


def _schema(folder: Path, options: ExportOptions) -> pa.Schema:
    files = sorted((folder / "data").glob("*.parquet"))
    if files:
        return pq.read_schema(files[0])
    if options.form == "text":
        return pa.schema([("text", pa.string())])
    return pa.schema([("text", pa.string()), ("id", pa.string())])


def _crawl(root: Path) -> dict[str, Any]:
    """What became of the addresses of the crawl."""
    first = last = None
    n_pages = 0
    with (
        tempfile.TemporaryDirectory(prefix="quarkcrawl-") as work,
        Shards(root, Path(work) / "merge") as shards,
    ):
        for rows in shards.rows("page", ["fetched_at"]):
            n_pages += rows.num_rows
            bounds = pc.min_max(rows["fetched_at"]).as_py()
            if bounds["min"] is not None:
                first = min(bounds["min"], first or bounds["min"])
                last = max(bounds["max"], last or 0.0)
        n_duplicates, n_redirects = (
            sum(rows.num_rows for rows in shards.rows(kind, ["url"])) for kind in _COMPANIONS
        )
        drops: Counter[str] = Counter()
        for rows in shards.rows("drop", ["reason"]):
            drops.update(rows["reason"].to_pylist())
    return {
        "stored": n_pages,
        "duplicates": n_duplicates,
        "redirects": n_redirects,
        "drops": dict(sorted(drops.items())),
        "first": _day(first),
        "last": _day(last),
    }


def _day(seconds: float | None) -> str:
    return "?" if seconds is None else datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _text(
    options: ExportOptions,
    rules: Sequence[DatasetRule],
    report: Mapping[str, Any],
    numbers: Mapping[str, Any],
    crawl: Mapping[str, Any],
    schema: pa.Schema,
) -> str:
    tokens = "" if report["tokens"] is None else f", {report['tokens']:,} tokens"
    ended = {"stored": crawl["stored"], "duplicate": crawl["duplicates"],
             "redirect": crawl["redirects"], **crawl["drops"]}  # fmt: skip
    meanings = {rule.reason: rule.meaning for rule in rules}
    masked = f"{report['masked']:,} pieces of personal data are masked, as `[电话]`."
    treatment = [masked] if options.personal == "mask" else []
    if options.repeats == "remove":
        treatment.append(
            f"{report['removed_chars']:,} characters of passages that stand in an earlier text "
            "are taken out."
        )
    sums = {
        "documents": report["documents"].get("train", 0),
        **{
            f"documents, {split}": n for split, n in report["documents"].items() if split != "train"
        },
        "characters": report["chars"],
        "hosts": numbers["hosts"],
        **{f"characters of a text, {share}": n for share, n in numbers["n_chars"].items()},
    }
    limits = {
        "mask": "Personal data was looked for by rules; names of people are not masked.",
        "keep": "Personal data was not looked for to be masked: it is in the texts.",
        "drop": "Texts with personal data were left out as far as rules find it.",
    }
    ask = (
        f"Whoever wants a page taken out writes to {options.contact}."
        if options.contact
        else (
            "Whoever publishes this data set should name here an address for those who want a page "
            "taken out (`--contact`)."
        )
    )
    return _README.format(
        name=options.name,
        documents=numbers["documents"],
        hosts=numbers["hosts"],
        chars=report["chars"],
        tokens=tokens,
        version=__version__,
        path=options.name,
        pages=report["pages"],
        first=crawl["first"],
        last=crawl["last"],
        crawl=_table(ended),
        method=options.method,
        funnel=_funnel(rules, report),
        meanings="\n".join(
            f"| `{_cell(reason)}` | {_cell(meanings.get(reason, ''))} |"
            for reason in report["left_out"]
        ),
        treatment="\n".join(treatment),
        numbers=_table(sums),
        counts="".join(_section(name, numbers) for name in ("language", "script", "page_type")),
        fields=", ".join(f"`{name}`" for name in schema.names),
        personal_limit=limits[options.personal],
        contact=ask,
    )


def _funnel(rules: Sequence[DatasetRule], report: Mapping[str, Any]) -> str:
    left = report["pages"]
    lines = [f"| documents of the corpus | | {left:,} |"]
    for rule in rules:
        n = report["left_out"].get(rule.reason, 0)
        left -= n
        lines.append(f"| `{_cell(rule.reason)}` | {n:,} | {left:,} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _table(values: Mapping[str, int]) -> str:
    return "\n".join(f"| {_cell(str(name))} | {value:,} |" for name, value in values.items())


def _section(name: str, numbers: Mapping[str, Any]) -> str:
    if name not in numbers:
        return ""
    rows = _table(numbers[name])
    return f"| {name} | documents |\n|---|---:|\n{rows}\n\n"
