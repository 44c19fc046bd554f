"""What repeats are found in and what they are: documents, spans, and texts without the spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

REASONS: Final = {
    "host_paragraph": "the paragraph stands on many pages of one host",
    "corpus_paragraph": "the paragraph stands at an earlier place of the corpus, too",
    "corpus_substring": "the characters stand at an earlier place of the corpus, too",
}
"""Why a span is reported: the code and what it means."""


class SourceText(NamedTuple):
    """A text of the corpus; a plain tuple of the same values does, too.

    Args:
        id: what the document is called in results.
        text: where repeats are looked for.
        host: whose page it is; only paragraphs that a host repeats ask for it.
    """

    id: int | str
    text: str
    host: str = ""


Texts = Callable[[], Iterable[SourceText]]
"""Gives the documents of a corpus from the first one on, in one order whenever it is called."""


@dataclass(frozen=True, slots=True)
class RepeatedSpan:
    """Characters of a document that stand elsewhere, too.

    Args:
        document: id of the document.
        start: its first character, in the document's text.
        end: the character behind its last one.
        first_document: id of the document that has it first, in the order of the corpus.
        first_start: where it begins there.
        reason: one of `REASONS`.
    """

    document: int | str
    start: int
    end: int
    first_document: int | str
    first_start: int
    reason: str

    @property
    def is_first(self) -> bool:
        """Whether it is itself the first occurrence; so with paragraphs of hosts only."""
        return (self.document, self.start) == (self.first_document, self.first_start)


def without(text: str, spans: Iterable[RepeatedSpan]) -> str:
    """A text without what is repeated; a line that is taken out as a whole leaves no empty line.

    Args:
        text: the text of a document.
        spans: its spans, in any order; they may overlap.
    """
    left: list[str] = []
    done = 0
    for start, end in _merged(spans):
        before = text[done:start]
        if end < len(text):
            # The line break behind it, if nothing else of its line is left.
            is_line = text[end] == "\n" and (text[start - 1] == "\n" if start else True)
            done = end + 1 if is_line else end
        else:
            before, done = before.removesuffix("\n"), end
        left.append(before)
    left.append(text[done:])
    return "".join(left)


def _merged(spans: Iterable[RepeatedSpan]) -> list[tuple[int, int]]:
    """The characters of spans, each once."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((span.start, span.end) for span in spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged
