"""What a data set is made of and how it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from quarkcrawl.dataset.conditions import LEAST_CHARS
from quarkcrawl.errors import ConfigError
from quarkcrawl.refine import DOCUMENT_COLUMNS, LABEL_COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

Form = Literal["parquet", "jsonl", "text"]
"""How the documents are written."""

FORMS: Final = ("parquet", "jsonl", "text")
PERSONAL: Final = ("mask", "keep", "drop")
REPEATS: Final = ("remove", "keep")
SPLITS: Final = ("train", "validation", "test")

DEFAULT_FIELDS: Final = (
    "id", "url", "host", "title", "text", "language", "script", "page_type", "published", "author",
    "fetched_at", "n_chars",
)  # fmt: skip
"""Fields of a data set that names none."""

_NOT_OFFERED: Final = frozenset({"offset", "length", "text_md5", "duplicate_of", "near_of"})
FIELDS: Final = (
    "id",
    *(name for name in DOCUMENT_COLUMNS if name not in _NOT_OFFERED),
    *(name for name in LABEL_COLUMNS if name != "personal"),
    "n_tokens",
)
"""Fields that a data set may have."""

_NAME: Final = re.compile(r"[\w.-]+$")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What is exported.

    Args:
        name: what the data set is called.
        method: extraction method whose texts are taken.
        where: further conditions in SQL over documents and labels.
        without: reasons of `RULES` for which nothing is left out.
        fields: fields of a document, ``text`` among them.
        form: ``parquet``, ``jsonl`` (JSON lines with zstd, as datatrove writes them) or ``text``.
        personal: ``mask`` personal data, ``keep`` it, or ``drop`` texts that have some.
        repeats: ``remove`` passages that stand in an earlier text, or ``keep`` them.
        validation, test: shares of the hosts whose documents make these splits, 0 to 1.
        seed: another one draws other splits and another order.
        shuffle: put the documents into an order by chance; else by host and URL.
        part_bytes: about how many bytes of text a file has.
        tokenizer: file of a tokenizer (``tokenizer.json`` of Hugging Face) that counts tokens.
        contact: where the owner of a page may ask that it be taken out.
        license: license of the collection for the card, such as ``cc-by-4.0``.
    """

    name: str = "dataset"
    method: str = "default"
    where: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    fields: tuple[str, ...] = DEFAULT_FIELDS
    form: Form = "parquet"
    personal: Literal["mask", "keep", "drop"] = "mask"
    repeats: Literal["remove", "keep"] = "remove"
    validation: float = 0.0
    test: float = 0.0
    seed: int = 1
    shuffle: bool = True
    part_bytes: int = 256 << 20
    tokenizer: Path | None = None
    contact: str = ""
    license: str = "other"

    def check(self) -> None:
        """See that the options go together.

        Raises:
            ConfigError: they do not.
        """
        if not _NAME.match(self.name):
            raise ConfigError(f"no name of a data set: {self.name!r}", where="--name")
        for value, choices, option in (
            (self.form, FORMS, "--format"),
            (self.personal, PERSONAL, "--personal"),
            (self.repeats, REPEATS, "--repeats"),
        ):
            if value not in choices:
                raise ConfigError(f"{value!r} is none of {', '.join(choices)}", where=option)
        if min(self.validation, self.test) < 0 or self.validation + self.test >= 1:
            message = "the shares of validation and test have to be below 1 together"
            raise ConfigError(message, where="--validation")
        if self.part_bytes < 1:
            raise ConfigError("a part has at least a byte", where="--max-file-size")
        for name in self.fields:
            if name not in FIELDS:
                message = f"no field {name!r}; there are {', '.join(FIELDS)}"
                raise ConfigError(message, where="--fields")
        if "text" not in self.fields or len(set(self.fields)) < len(self.fields):
            message = "the fields need text among them and none of them twice"
            raise ConfigError(message, where="--fields")
        if "n_tokens" in self.fields and self.tokenizer is None:
            raise ConfigError("n_tokens needs --tokenizer", where="--fields")

    @property
    def all_fields(self) -> tuple[str, ...]:
        """The fields, the number of tokens among them where it is counted."""
        counts = self.tokenizer is not None and "n_tokens" not in self.fields
        return (*self.fields, "n_tokens") if counts else self.fields

    @property
    def least_chars(self) -> int:
        """What is left of a text without repeated passages has at least so many characters."""
        return 1 if "short" in self.without else LEAST_CHARS
