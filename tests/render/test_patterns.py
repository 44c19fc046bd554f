"""What scripts build is there after rendering, and was not before."""

import pytest

import quarkcrawl as qc
from quarkcrawl.render import RENDERED
from tests.render.patterns import PATTERNS


def share(pattern, text: str) -> float:
    """Share of the known text that stands, paragraph by paragraph, in a text."""
    folded = "".join(text.split())
    found = sum(len(part) for part in pattern.paragraphs if part in folded)
    return found / len(pattern.text)


@pytest.mark.full
@pytest.mark.parametrize("name", PATTERNS)
def test_text_is_there_after_rendering_only(screen, name):
    pattern = PATTERNS[name]
    assert share(pattern, qc.extract(pattern.html).text) < 0.2
    result = screen.fetch(name)
    assert result.reason == RENDERED
    assert share(pattern, qc.extract(result.page).text) >= 0.95
    # Each paragraph once: nothing is shown twice by a slot, a frame or a template.
    assert all(result.page.tree.text().count(part) == 1 for part in pattern.paragraphs)
    assert len(result.layout.boxes) == len(result.page.tree)
    assert len(result.layout.run_boxes) == len(result.page.tree.runs)


def test_there_are_many_patterns():
    assert len(PATTERNS) >= 12
    assert len({pattern.text for pattern in PATTERNS.values()}) == len(PATTERNS)
