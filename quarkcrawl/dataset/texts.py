"""The text that a data set holds: without repeated passages, personal data masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from quarkcrawl.refine.personal import replacement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from quarkcrawl.dataset.options import ExportOptions


class FinalText(NamedTuple):
    """What becomes of a text.

    Args:
        text: the text as it is written.
        reason: why the document is left out; None if it is not.
        n_masked: pieces of personal data that were masked.
        removed_chars: characters of repeated passages that were taken out.
    """

    text: str
    reason: str | None = None
    n_masked: int = 0
    removed_chars: int = 0


def final_text(
    row: Mapping[str, Any], options: ExportOptions, is_exported: Callable[[str], bool]
) -> FinalText:
    """Make the text of a document.

    Args:
        row: ``text`` and the spans in it: ``repeats`` and ``personal``, lists of ``start``,
            ``end`` and ``kind``.
        options: what is done with them.
        is_exported: whether the document of a URL is in the data set: a passage whose first place
            is not there stays, for else it would be lost.
    """
    text: str = row["text"]
    personal = row["personal"] or ()
    if personal and options.personal == "drop":
        return FinalText(text, "personal")
    repeats = [
        (span["start"], span["end"])
        for span in row["repeats"] or ()
        if span["kind"] == "host_paragraph" or is_exported(span["first_url"])
    ]
    removed = _merged(repeats) if options.repeats == "remove" else []
    masked = personal if options.personal == "mask" else ()
    edits = [(start, end, "") for start, end in removed]
    n_masked = 0
    for span in masked:
        start, end = span["start"], span["end"]
        if not any(first < end and start < last for first, last in removed):
            edits.append((start, end, replacement(span["kind"])))
            n_masked += 1
    pieces, at = [], 0
    for start, end, instead in sorted(edits):
        pieces += [text[at:start], instead]
        at = end
    final = "".join([*pieces, text[at:]])
    removed_chars = sum(end - start for start, end in removed)
    if removed_chars:
        lines = (line.strip() for line in final.splitlines())
        final = "\n".join(line for line in lines if line)
        if len(final) < options.least_chars:
            return FinalText(final, "only_repeats")
    return FinalText(final, None, n_masked, removed_chars)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, such as touch or overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
