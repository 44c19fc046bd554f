"""Lists of questions and answers are taken whole."""

from __future__ import annotations

import numpy as np
import pytest

import quarkcrawl as qc
from quarkcrawl.content.lines.compose import line_texts
from quarkcrawl.content.lines.matrix import line_features
from quarkcrawl.content.lines.questions import with_answers, with_summaries
from quarkcrawl.lab.training.data import blank_scorer
from quarkcrawl.page import Page

LEAD = "<p>甲，这里是文章的正文，讲的是怎样在图书馆借书和还书，还有怎样预约座位，以及别的许多事情。</p>"
FLAT = "<h3>怎样办证？</h3><p>带上学生证。</p><h3>几点关门？</h3><p>晚上十点。</p>"
ITEMS = "<div><b>怎样办证？</b><p>带上学生证。</p></div><div><b>几点关门？</b><p hidden>晚上十点。</p></div>"
ALL = ["怎样办证？", "带上学生证。", "几点关门？", "晚上十点。"]


def added(html: str, score: float) -> list[str]:
    tree = Page.from_html(html).tree
    features = line_features(tree, blank_scorer())
    texts = line_texts(tree, features.cut, np.arange(len(features.cut)))
    before = np.array([text.startswith("甲") for text in texts], np.bool_)
    after = with_answers(tree, features, np.full(len(texts), score), before)
    assert not (before & ~after).any()
    return [text for text, is_new in zip(texts, after & ~before, strict=True) if is_new]


@pytest.mark.parametrize(
    ("html", "score", "lines"),
    [
        (f"{LEAD}<div>{FLAT}</div><p>版权</p>", -0.5, ALL),
        (f"{LEAD}{FLAT}<h4>版权</h4>", -0.5, ALL),
        (f"{LEAD}<section>{ITEMS}</section><p>版权</p>", -0.5, ALL),
        (f"{LEAD}<div>{FLAT}</div>", -1.5, []),  # the trees doubt
        (f"<div>{FLAT}</div>{LEAD}", -0.5, []),
        (f"<div>{FLAT}</div>", -0.5, []),
        (f"<p>甲乙丙。</p><div>{FLAT}</div>", -0.5, []),  # more than the text
        (f"{LEAD}<h3>怎样办证？</h3><p>带上学生证。</p><h3>预约座位</h3><h3>借书</h3>", -0.5, []),
        (f"{LEAD}<ul><li>怎样办证？</li><li>几点关门？</li></ul><p>版权</p>", -0.5, []),
        (f"{LEAD}<h3>怎样办证？</h3><p>带上学生证。</p>", -0.5, []),
        (f"{LEAD}{'<h3>几章？</h3>' + '<p>一</p>' * 12}{'<h3>几节？</h3>' + '<p>一</p>' * 12}", -0.5, []),
        ("", 0.0, []),
    ],
)  # fmt: skip
def test_lists_of_questions_are_taken_whole(html: str, score: float, lines: list[str]) -> None:
    assert added(html, score) == lines


def test_folded_answers_below_a_clear_text_are_content() -> None:
    words = "A heat pump moves heat from outside air, from the ground or from water into a house"
    chapters = "".join(
        f"<h2>{name}</h2><p>{words}, and {name.lower()} says by how much. It works like a "
        "refrigerator turned inside out, and needs one unit of power for three of heat.</p>"
        for name in ("Power", "Noise", "Cost", "Age")
    )
    item = (
        '<div class="accordion-item"><h3><button aria-expanded="false">{}</button></h3>'
        '<div class="collapse" style="display:none"><div>{}</div></div></div>'
    )
    answers = {
        "Do I need floor heating?": "No, large radiators will do.",
        "Can it cool in summer?": "Yes, many models can be reversed.",
    }
    items = "".join(item.format(*pair) for pair in answers.items())
    content = qc.extract(
        f"<title>Heat pumps</title><main><h1>Heat pumps</h1>{chapters}<h2>Frequently asked "
        f'questions</h2><div class="accordion">{items}</div></main><footer><p>Warmhaus GmbH</p>'
    )
    lines = content.text.split("\n")
    assert lines[-4:] == [line for pair in answers.items() for line in pair]


@pytest.mark.parametrize(
    ("html", "is_added"),
    [
        ("<details><summary><b>乙</b></summary><p>甲一</p><p>甲二</p></details>", True),
        ("<details open><summary><h4>乙</h4></summary><p>甲甲甲</p></details>", True),
        ("<details><summary>乙</summary><p>甲</p><p>丙丙丙丙</p></details>", False),
        ("<details><summary>乙</summary></details>甲", False),
        ("<summary>乙</summary><p>甲</p>", False),
    ],
)
def test_what_unfolds_a_text_is_its_heading(html: str, is_added: bool) -> None:
    tree = Page.from_html(html).tree
    features = line_features(tree, blank_scorer())
    texts = line_texts(tree, features.cut, np.arange(len(features.cut)))
    is_content = np.array([text.startswith("甲") for text in texts], np.bool_)
    after = with_summaries(tree, features, is_content)
    assert after[texts.index("乙")] == is_added
    assert not (is_content & ~after).any()
