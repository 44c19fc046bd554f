"""The second view of the thesis (section 3.3): content red, related links green, noise purple."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from quarkcrawl.segment import INK, KIND_COLOURS, KIND_NAMES, escape, shortened
from quarkcrawl.workbench.report.blocklabels import block_labels, block_list, counted
from quarkcrawl.workbench.report.pagecopy import wrapped_copy

if TYPE_CHECKING:
    from quarkcrawl.content import Content
    from quarkcrawl.segment import Segmentation


_TITLE_CHARS: Final = 80
_UNLABELLED: Final = "none"
_LINES: Final = {"content": "solid", "rel_link": "dashed", "noise": "dotted"}
_SHEET: Final = "".join(
    f'[data-qk-fill="{kind or _UNLABELLED}"]{{background:{colour}!important;'
    f"border-bottom:2px {_LINES.get(kind or '', 'none')} {INK}!important}}"
    for kind, colour in KIND_COLOURS.items()
)


def content_view(content: Content, *, origin: str = "page model", offline: bool = True) -> str:
    """Show a page with its content red, related links green and noise purple.

    The kinds also differ in the line under the text, and the name of the kind stands where another
    block begins.

    Args:
        content: what a method found.
        origin: what the kinds were decided from, told in the legend: the page alone (the page
            model of the thesis) or, by callers that have it, other pages of its site.
        offline: load nothing, not even pictures; else pictures, fonts and style sheets come from
            where the page says.

    Returns:
        A self-contained HTML document.
    """
    segmentation = content.segmentation
    kinds = segmentation.kinds
    labels = block_labels(
        segmentation,
        [kind or _UNLABELLED for kind in kinds],
        [f"{KIND_NAMES[kind]} {number}" for number, kind in enumerate(kinds)],
        fill_roots=False,
    )
    return wrapped_copy(
        content.page,
        labels,
        title=f"Content: {_name(content)}",
        legend=_legend(content, origin),
        sheet=_SHEET,
        offline=offline,
    )


def _name(content: Content) -> str:
    return shortened(content.title or content.page.title or content.page.url, _TITLE_CHARS)


def _legend(content: Content, origin: str) -> str:
    segmentation = content.segmentation
    colours = [KIND_COLOURS[kind] for kind in segmentation.kinds]
    failure = f"<span>Failed: {escape(content.failure)}</span>" if content.failure else ""
    return (
        f"<h1>Content</h1><details><summary>{counted(len(segmentation), 'block')}</summary>"
        f'<div class="panel" tabindex="0">{block_list(segmentation, colours)}</div></details>'
        f'<div class="scroll" tabindex="0">{_kinds(segmentation)}{failure}'
        f"<span>Method {escape(content.method)}, {escape(origin)}</span>"
        f"<span>{escape(_name(content))}</span></div>"
    )


def _kinds(segmentation: Segmentation) -> str:
    """The kinds that occur, each as it looks, with its numbers of blocks and characters."""
    n_blocks: Counter[str | None] = Counter(segmentation.kinds)
    n_chars: Counter[str | None] = Counter()
    for kind, n in zip(segmentation.kinds, segmentation.n_chars.tolist(), strict=True):
        n_chars[kind] += n
    items = "".join(
        f'<li><span class="sample" style="background:{colour};border-bottom:2px'
        f' {_LINES.get(kind or "", "none")} {INK}">{KIND_NAMES[kind]}</span>'
        f" {counted(n_blocks[kind], 'block')}, {counted(n_chars[kind], 'character')}</li>"
        for kind, colour in KIND_COLOURS.items()
        if kind is not None or n_blocks[kind]
    )
    return f"<ul>{items}</ul>"
