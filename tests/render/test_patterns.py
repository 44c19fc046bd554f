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


@pytest.mark.full
def test_a_page_that_goes_elsewhere_in_a_frame_is_taken(screen):
    """It does when its clock runs out, while we wait for its frames; now and then too late."""
    script = "setTimeout(()=>requestAnimationFrame(()=>{location='about:blank'}),4990)"
    for _ in range(6):
        result = screen.show(f"<p>天网</p><script>{script}</script>")
        assert result.reason == RENDERED
        assert result.page
