"""A page against its template (thesis, section 6.2): what is fixed, what is optional, what is new.

Essential text is blue, optional text yellow with the share of pages that has it, repeated records
green, and what the template does not explain red.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from quarkcrawl.segment import escape
from quarkcrawl.template.model import Optional, align_page
from quarkcrawl.template.structure import sequence_of_page
from quarkcrawl.workbench.report.legend import (
    Fill,
    Legend,
    char_samples,
    counted,
    fill_sheet,
    labeled_copy,
)
from quarkcrawl.workbench.report.pagecopy import ElementAttributes

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.template.model import (
        Alignment,
        NearestTemplate,
        Position,
        Template,
        TemplateSet,
    )
    from quarkcrawl.template.structure import PageSequence


TEMPLATE_FILLS: Final = {
    "essential": Fill("essential", "#a3dcff", "none"),
    "optional": Fill("optional", "#fff08a", "2px dashed"),
    "repeated": Fill("repeated", "#c3ee9e", "3px double"),
    "unmatched": Fill("unmatched", "#ffb3cc", "2px solid"),
}
"""Fills of what a template says about a text."""


def template_view(page: Page, templates: TemplateSet, *, offline: bool = True) -> str:
    """Show a page with each text in the color of what its template says about it.

    Args:
        page: the page to show; without a template near enough, its texts have no color.
        templates: the set to match with; its nearest template is used, if it is near enough.
        offline: load nothing, not even pictures.

    Returns:
        A self-contained HTML document.
    """
    page_sequence = sequence_of_page(page, templates.sequence)
    nearest = templates.nearest(page_sequence.sequence, url=page.url)
    labels, n_chars = ElementAttributes(), Counter[str]()
    if nearest is not None:
        alignment = align_page(nearest.template, page_sequence.sequence, templates.cluster.weight)
        labels, n_chars = _labels(page_sequence, alignment)
    samples = char_samples(TEMPLATE_FILLS, n_chars)
    legend = Legend("Template", [_about(nearest)], samples)
    return labeled_copy(page, labels, legend, fill_sheet(TEMPLATE_FILLS), offline=offline)


def _labels(
    page_sequence: PageSequence, alignment: Alignment
) -> tuple[ElementAttributes, Counter[str]]:
    tree, template = page_sequence.page.tree, alignment.template
    names = {position: name for name, position in template.labels.items()}
    of_run: dict[int, str] = {}
    n_chars: Counter[str] = Counter()
    last = -1
    for run, place in enumerate(page_sequence.run_position.tolist()):
        if place < 0 or not tree.run_chars[run]:
            continue
        position = alignment.positions[place]
        kind = position_kind(position, is_repeated=len(page_sequence.nodes(place)) > 1)
        n_chars[kind] += int(tree.run_chars[run])
        word = _word(template, position, alignment.gaps[place], names)
        label = f' data-qk-label="{escape(word)}"' if place != last else ""
        fact = f"{kind} · {word} · {page_sequence.sequence.tags[place]}"
        of_run[run] = f' data-qk-fill="{kind}"{label} title="{escape(fact)}"'
        last = place
    return ElementAttributes(of_run), n_chars


def position_kind(position: Position | None, *, is_repeated: bool) -> str:
    """Which of `TEMPLATE_FILLS` a node of a page has.

    Args:
        position: its position in the template; None: it has none.
        is_repeated: it stands for several elements.
    """
    if position is None:
        return "unmatched"
    if is_repeated:
        return "repeated"
    return "optional" if position.alternative >= 0 else "essential"


def _word(
    template: Template, position: Position | None, gap: int, names: dict[Position, str]
) -> str:
    """Position, probability and the label that a person gave."""
    if position is None:
        return f"gap:{gap}"
    word = f"{names[position]} {position}" if position in names else str(position)
    part = template.parts[position.part]
    if isinstance(part, Optional):
        word += f" p={part.alternatives[position.alternative].probability:.2f}"
    return word


def _about(nearest: NearestTemplate | None) -> str:
    if nearest is None:
        return "no template is near enough"
    pages = counted(nearest.template.n_pages, "page")
    return f"{nearest.template.id} ({pages}), similarity {nearest.similarity:.3f}"
