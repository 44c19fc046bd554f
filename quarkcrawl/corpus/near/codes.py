"""Texts compared by feature codes and length."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from quarkcrawl.corpus.near.protocol import KeyRows
from quarkcrawl.dedup import (
    KEYS_PER_CODE,
    CodeIndex,
    CodeSketch,
    code_strings,
    code_text,
    exact_key,
    sketches_of_codes,
    without_reposting_lines,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from quarkcrawl.dedup import CodeRule


@dataclass(frozen=True, slots=True)
class ByCodes:
    """Feature codes and length, by a rule."""

    name: str
    rule: CodeRule

    @property
    def columns(self) -> pa.Schema:
        """Length, codes as strings that any engine can count, and the key of texts without."""
        strings = pa.list_(pa.string())
        fields = [("n_chars", pa.int32()), ("head", strings), ("tail", strings)]
        return pa.schema([*fields, ("exact", pa.uint64())])

    @property
    def member_bytes(self) -> int:
        """Measured: some 100 bytes a key in dictionaries and lists of Python."""
        n_codes = self.rule.n_codes + self.rule.n_tail_codes
        return 500 + 110 * n_codes * KEYS_PER_CODE[self.rule.slack]

    def sketching(self) -> dict[str, Any]:
        """What is taken of a text."""
        rule = self.rule
        heads = rule.n_codes * (2 if rule.stops else 1)  # others in place of those that stop
        return {"head": heads, "tail": rule.n_tail_codes, "strips_lines": rule.strips_lines}

    def grouping(self) -> dict[str, Any]:
        """The rule."""
        return asdict(self.rule)

    def sketch(self, text: str) -> dict[str, Any]:
        """What is kept of a text."""
        taken = self.sketching()
        read = without_reposting_lines(text) if taken["strips_lines"] else text
        coded = code_text(read, n_head=taken["head"], n_tail=taken["tail"])
        return {
            "n_chars": coded.n_chars,
            "head": code_strings(coded.head),
            "tail": code_strings(coded.tail),
            "exact": 0 if len(coded.head) and not self.rule.stops else exact_key(read),
        }

    def sketches(self, batch: pa.RecordBatch, stopped: Collection[str]) -> list[CodeSketch]:
        """Rows as sketches, without the codes that say nothing."""
        heads, tails, n_chars, exacts = (
            batch.column(name).to_pylist() for name in ("head", "tail", "n_chars", "exact")
        )
        if self.rule.stops:
            n_codes = self.rule.n_codes
            heads = [[code for code in row if code not in stopped][:n_codes] for row in heads]
            exacts = [0 if row else exact for row, exact in zip(heads, exacts, strict=True)]
        return sketches_of_codes(heads, tails, n_chars, exacts, self.rule)

    def keys_per_text(self, n_texts: int) -> int:  # noqa: ARG002
        """Those of the codes at the beginning."""
        return self.rule.n_codes * KEYS_PER_CODE[self.rule.slack]

    def keys(self, sketches: Sequence[CodeSketch], n_texts: int) -> KeyRows:  # noqa: ARG002
        """The keys of the codes at the beginning, or the one of the letters."""
        keys: list[int] = []
        counts = []
        for sketch in sketches:
            before = len(keys)
            if sketch.exact:
                keys.append(sketch.exact)
            for row in sketch.head:
                keys += row
            counts.append(len(keys) - before)
        return KeyRows(np.array(keys, np.uint64), np.repeat(np.arange(len(counts)), counts))

    def index(self) -> CodeIndex:
        """No first members yet."""
        return CodeIndex(self.rule)
