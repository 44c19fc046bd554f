"""What lies beside the pages of a collection: numbers, manifest, checksums, README."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from quarkcrawl import __version__
from quarkcrawl.corpus.card import CardConfig, croissant, front_matter, write_checksums
from quarkcrawl.corpus.collection.draw import DRAW, GROUP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from quarkcrawl.corpus.collection.draw import DrawnSize


_README: Final = """\
# {name}

A test collection of Chinese web pages, drawn from a crawled corpus by quarkcrawl {version}.

| | |
|---|---:|
| documents | {documents:,} |
| sites | {drawn_hosts:,} |
| duplicate table (URL == URL) | {duplicates:,} |
| redirect table (URL -> URL) | {redirects:,} |

## How it was drawn

The corpus had {pages:,} pages of {hosts:,} sites{dedup}. {sizes:,} site sizes occur; {rule}
{drawn_sizes:,} were drawn with the seed {seed}, and all pages of all sites of these sizes are
documents. `sizes.csv` lists the sizes, their groups and which were drawn; `manifest.json` has all
options. {damaged:,} pages were left out because their records were damaged (table `drops`).

## Files

- `data_N/HOST/page.dat`: the documents of a site, one Tianwang record each: header lines, a blank
  line, one zlib stream of the HTTP reply. `id` in the header is the document number.
- `docnos.tsv`: document number, URL.
- `croissant.json` describes the tables for machines; `datasets.load_dataset` reads them, too.
- `analysis/pages/`: a row a document (Parquet): docno, url, host, offset, length, MD5, charset …
- `analysis/duplicates/`: `url` has the same content as `duplicate_of`, which is a document.
- `analysis/redirects/`: `url` leads to `target`, which is a document.
- `SHA256SUMS`: `sha256sum --check --quiet SHA256SUMS`.

N is the low byte of the SGI STL string hash of the site's name. Any program reads the tables:

    SELECT docno, url FROM read_parquet('analysis/pages/*/*.parquet') LIMIT 10

The pages belong to their authors; they are for research on retrieval and language.
"""


def write_collection_files(
    out: Path, manifest: Mapping[str, Any], drawn: Sequence[DrawnSize], sizes: pa.Table
) -> None:
    """Write sizes.csv, manifest.json, README.md and, last, the checksums.

    Args:
        out: the collection.
        manifest: options and counts; nothing that changes from run to run.
        drawn: all site sizes.
        sizes: host and pages of every host drawn from.
    """
    _sizes(out, drawn, sizes)
    noted = {"version": __version__, **manifest}
    text = json.dumps(noted, ensure_ascii=False, indent=1) + "\n"
    (out / "manifest.json").write_text(text, encoding="utf-8")
    configs = _configs(out)
    license_id, name = "other", str(manifest["name"])
    head = front_matter(
        name, configs, license=license_id, languages=["zh"], n_documents=manifest["documents"]
    )
    (out / "README.md").write_text(head + _readme(manifest), encoding="utf-8")
    about = "A test collection of web pages, drawn from a crawled corpus by quarkcrawl."
    described = croissant(name, about, license_id, configs)
    text = json.dumps(described, ensure_ascii=False, indent=1) + "\n"
    (out / "croissant.json").write_text(text, encoding="utf-8")
    write_checksums(out)


def _configs(out: Path) -> list[CardConfig]:
    """The tables of the collection as loaders see them; the pages come first."""
    tables = {"default": "pages", "duplicates": "duplicates", "redirects": "redirects"}
    configs = []
    for config, table in tables.items():
        files = sorted((out / "analysis" / table).rglob("*.parquet"))
        if files:
            below = "*/" if config == "default" else ""
            pattern = f"analysis/{table}/{below}*.parquet"
            configs.append(CardConfig(config, {"train": pattern}, pq.read_schema(files[0])))
    return configs


def _sizes(out: Path, drawn: Sequence[DrawnSize], sizes: pa.Table) -> None:
    counted = sizes["pages"].value_counts().to_pylist()
    hosts = {row["values"]: row["counts"] for row in counted}
    lines = ["pages,hosts,group,drawn"]
    lines += [f"{s.pages},{hosts[s.pages]},{s.group},{int(s.is_drawn)}" for s in drawn]
    (out / "sizes.csv").write_text("\n".join(lines) + "\n", encoding="ascii")


def _readme(manifest: Mapping[str, Any]) -> str:
    options = manifest["options"]
    if options["pages"] or options["body_bytes"]:
        unit = "pages" if options["pages"] else "bytes"
        target = options["pages"] or options["body_bytes"]
        rule = f"of groups of {options['group']} sizes, in turn, until about {target:,} {unit},"
    else:
        rule = f"of each {options['group']} neighboring sizes {options['draw']},"
        if (options["group"], options["draw"]) == (GROUP, DRAW):
            rule += " as for CWT200g,"
    return _README.format(
        **{key: value for key, value in manifest.items() if isinstance(value, (int, str))},
        version=__version__,
        rule=rule,
        seed=options["seed"],
        dedup=", exact duplicates left out" if options["dedup"] else "",
    )
