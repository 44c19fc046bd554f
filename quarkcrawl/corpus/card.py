"""What makes a folder of tables a data set that others can load: front matter, Croissant, sums.

Hugging Face reads the front matter of README.md (which files belong to which split), other tools
``croissant.json`` (the same for machines, format 1.0 of MLCommons).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


CHECKSUMS: Final = "SHA256SUMS"
"""File of the checksums, for ``sha256sum --check --quiet SHA256SUMS``."""

_SIZES: Final = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"),
)  # fmt: skip

_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_MEDIA: Final = {
    "parquet": "application/x-parquet",
    "jsonl": "application/jsonlines",
    "text": "text/plain",
}


@dataclass(frozen=True, slots=True)
class CardConfig:
    """A table of a data set, as loaders see it.

    Args:
        name: its name; ``default`` is loaded where none is named.
        files: pattern of its files by split.
        schema: its columns.
        form: ``parquet``, ``jsonl`` or ``text``.
    """

    name: str
    files: Mapping[str, str]
    schema: pa.Schema
    form: str = "parquet"


def front_matter(
    name: str,
    configs: Sequence[CardConfig],
    *,
    license: str,  # noqa: A002 - the word of the format
    languages: Sequence[str],
    n_documents: int,
) -> str:
    """The YAML at the head of a README.md.

    Args:
        name: what people call the data set.
        configs: its tables.
        license: in the notation of Hugging Face, such as ``cc-by-4.0`` or ``other``.
        languages: codes of the languages, the largest first.
        n_documents: number of documents.
    """
    lines = ["---", f"pretty_name: {json.dumps(name)}", f"license: {json.dumps(license)}"]
    if languages:
        lines += ["language:", *(f"- {json.dumps(code)}" for code in languages)]
    size = next((label for bound, label in _SIZES if n_documents < bound), "n>1B")
    lines += ["size_categories:", f"- {size}", "task_categories:", "- text-generation", "configs:"]
    for config in configs:
        lines.append(f"- config_name: {config.name}")
        if config.name == "default":
            lines.append("  default: true")
        lines.append("  data_files:")
        for split, pattern in config.files.items():
            lines += [f"  - split: {split}", f"    path: {json.dumps(pattern)}"]
    return "\n".join([*lines, "---", ""])


def croissant(
    name: str,
    description: str,
    license: str,  # noqa: A002
    configs: Sequence[CardConfig],
) -> dict[str, Any]:
    """The description of a data set for machines.

    Args:
        name: what people call it.
        description: a sentence.
        license: see `front_matter`.
        configs: its tables.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": description,
        "license": license,
        "distribution": [
            {
                "@type": "cr:FileSet",
                "@id": _set_id(config, split),
                "name": _set_id(config, split),
                "encodingFormat": _MEDIA[config.form],
                "includes": pattern,
            }
            for config in configs
            for split, pattern in config.files.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": _set_id(config, split) + "-records",
                "name": _set_id(config, split) + "-records",
                "field": [
                    _field(config, split, field)
                    for field in config.schema
                    if not pa.types.is_nested(field.type)  # readers of the format fail on them
                ],
            }
            for config in configs
            for split in config.files
        ],
    }


def _set_id(config: CardConfig, split: str) -> str:
    return f"{config.name}-{split}"


def _field(config: CardConfig, split: str, field: pa.Field) -> dict[str, Any]:
    files = _set_id(config, split)
    return {
        "@type": "cr:Field",
        "@id": f"{files}-records/{field.name}",
        "name": f"{files}-records/{field.name}",
        "dataType": _data_type(field.type),
        "source": {"fileSet": {"@id": files}, "extract": {"column": field.name}},
    }


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"


def write_checksums(folder: Path) -> None:
    """Write the SHA-256 of every file of a folder, by name.

    Args:
        folder: all files in it and below it.
    """
    paths = [path for path in folder.rglob("*") if path.is_file()]
    names = sorted(path.relative_to(folder).as_posix() for path in paths)
    with (folder / CHECKSUMS).open("w", encoding="utf-8") as file:
        file.writelines(f"{_sha256(folder / name)}  {name}\n" for name in names)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
