"""The document that shows two texts beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.lab.evaluate import Score
from quarkcrawl.segment import escape
from quarkcrawl.workbench.report.pagecopy import FONTS, language, policy

if TYPE_CHECKING:
    from collections.abc import Sequence


Column = list[tuple[str, str]]
"""A text as stretches: a name (common, scattered, missing, extra) and the characters."""

_ELEMENTS: Final = {"missing": "del", "extra": "ins", "scattered": "i"}
_SHEET: Final = f"""
:root{{color-scheme:light dark;--ink:#111;--paper:#fff;--line:#767676;--missing:#ffc4bd;
 --extra:#bcdcff;--scattered:#5a5a5a}}
@media (prefers-color-scheme:dark){{:root{{--ink:#eee;--paper:#1b1b1f;--line:#9a9a9a;
 --missing:#7a1f16;--extra:#123f73;--scattered:#b4b4b4}}}}
*{{box-sizing:border-box}}
body{{margin:0 auto;max-width:110em;padding:0 16px 32px;font:16px/1.7 {FONTS};color:var(--ink);
 background:var(--paper)}}
h1{{font-size:22px;overflow-wrap:anywhere}} h2{{font-size:18px;margin:0 0 8px}}
table{{border-collapse:collapse}}
th,td{{padding:2px 12px;border:1px solid var(--line);text-align:right}} th{{text-align:left}}
.wide{{overflow-x:auto}}
.legend{{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;padding:0}}
.columns{{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px}}
@media (max-width:45em){{.columns{{grid-template-columns:minmax(0,1fr)}}}}
section{{border:1px solid var(--line);padding:12px 16px}}
.text{{white-space:pre-wrap;overflow-wrap:anywhere}}
del{{background:var(--missing);text-decoration:underline wavy}}
ins{{background:var(--extra);text-decoration:underline double}}
i{{color:var(--scattered);font-style:normal;text-decoration:underline dotted}}
"""
_LEGEND: Final = (
    '<ul class="legend" aria-label="Legend"><li>common: plain</li>'
    "<li><del>missing</del>: marked, not extracted</li>"
    "<li><ins>extra</ins>: extracted, not marked</li>"
    "<li><i>scattered</i>: common, but only one or two characters between differences</li></ul>"
)


def written(
    marked: Column,
    extracted: Column,
    counts: tuple[int, int, int],
    *,
    title: str,
    notes: Sequence[str],
) -> str:
    """Write the document.

    Args:
        marked: the text that people marked.
        extracted: the text that was found.
        counts: characters marked, extracted, and common to both.
        title: heading, as text.
        notes: what a reader should know, as text.
    """
    heading = escape(title or "Untitled page")
    hints = "".join(f"<p>{escape(note)}</p>" for note in notes)
    columns = _section("Marked", counts[0], marked) + _section("Extracted", counts[1], extracted)
    return (
        f'<!DOCTYPE html><html lang="en"><head>{policy(offline=True)}'
        f"<title>Marked and extracted: {heading}</title><style>{_SHEET}</style></head>"
        f"<body><header><h1>Marked and extracted: {heading}</h1></header>"
        f'<main><div class="wide">{_table(counts)}</div>{_LEGEND}{hints}'
        f'<div class="columns">{columns}</div></main></body></html>'
    )


def _table(counts: tuple[int, int, int]) -> str:
    """Counts and the score."""
    n_marked, n_extracted, n_common = counts
    score = Score.of(n_common, n_extracted, n_marked)
    cells = {
        "Marked": f"{n_marked:,}",
        "Extracted": f"{n_extracted:,}",
        "Common": f"{n_common:,}",
        "Missing": f"{n_marked - n_common:,}",
        "Extra": f"{n_extracted - n_common:,}",
        "Precision": f"{score.precision:.3f}",
        "Recall": f"{score.recall:.3f}",
        "F1": f"{score.f1:.3f}",
    }
    head = "".join(f'<th scope="col">{name}</th>' for name in cells)
    body = "".join(f"<td>{value}</td>" for value in cells.values())
    return (
        "<table><caption>Characters and score</caption>"
        f"<thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>"
    )


def _section(name: str, n_chars: int, column: Column) -> str:
    text = "".join(_stretch(*stretch) for stretch in column)
    lang = language("".join(chars for _, chars in column[:50]))
    heading = f"{name}: {n_chars:,} characters"
    return (
        f'<section aria-label="{name} text"><h2>{heading}</h2>'
        f'<div class="text" lang="{lang}">{text or "(nothing)"}</div></section>'
    )


def _stretch(name: str, chars: str) -> str:
    element = _ELEMENTS.get(name)
    text = escape(chars)
    return f"<{element}>{text}</{element}>" if element else text
