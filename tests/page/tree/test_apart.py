"""Words of two elements between which nothing stands."""

from __future__ import annotations

import pytest
from hypothesis import given

import quarkcrawl as qc
from quarkcrawl.page import PageTree
from tests.page.samples import markup


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<span class=brand>Petzl</span><span class=name>Tikkina</span>", "Petzl Tikkina"),
        ("<a href=/a>LinkedIn</a><strong class=by>Patrick</strong>", "LinkedIn Patrick"),
        ("<div><b><span>Ada</span></b><span><i>Head</i> of</span></div>", "Ada Head of"),
        ("<span>31</span><time>Jul</time>", "31 Jul"),
        ("<b>Cords (2)</b><i class=icon></i><span>Java</span>", "Cords (2) Java"),
        ("<a class=tag href=/a>北京</a><a class=tag href=/b>大学</a>", "北京 大学"),
        ("<button>PHP</button><button>Ruby</button>", "PHP Ruby"),
        ("<code>00DF</code><code>0x1E</code>", "00DF 0x1E"),
        # one word, or nothing that says otherwise
        ("<a href=/a>大学</a><a href=/b>图书馆</a>", "大学图书馆"),
        ("H<sub>2</sub><span>O</span>", "H2O"),
        ("<b>Mac</b><i>Donald</i>", "MacDonald"),
        ("<span>L</span><span>ONDON</span>", "LONDON"),
        ("<span>周六</span><span>下午</span>", "周六下午"),
        ("<span>Petzl</span>Tikkina", "PetzlTikkina"),
        ("<span>$</span><span>19</span><span>.99</span>", "$19.99"),
        ("<code><span>get</span><span>Node</span></code>", "getNode"),
        ("<pre><a class=n href=#a>get</a><a class=n href=#b>Node</a></pre>", "getNode"),
        ("<span>Petzl</span> <span>Tikkina</span>", "Petzl Tikkina"),
        ("<p>Petzl</p><p>Tikkina</p>", "PetzlTikkina"),
        ("<span>Petzl</span><style>p{}</style><span>Tikkina</span>", "PetzlTikkina"),
    ],
)
def test_words_of_two_elements_that_readers_see_apart(html: str, shown: str) -> None:
    tree = PageTree.parse(html)
    visible = [run for run in range(len(tree.runs)) if not tree.run_raw[run]]
    assert "".join([tree.spaced_runs[run] for run in visible]) == shown
    assert "".join(shown.split()) == "".join(tree.text().split())


@given(markup)
def test_only_spaces_are_added(html: str) -> None:
    tree = PageTree.parse(html)
    for run, spaced in zip(tree.runs, tree.spaced_runs, strict=True):
        assert spaced in (run, f"{run} ")


def test_text_and_markdown_part_them() -> None:
    words = "the light has three levels and lasts for forty hours on one battery"
    card = "<p><span class=brand>Petzl</span><span class=name>Tikkina</span>: {}.</p>"
    cards = "".join(card.format(f"{words}, version {n}") for n in range(5))
    content = qc.extract(f"<title>Lamps</title><h1>Lamps</h1>{cards}")
    assert "Petzl Tikkina: the light" in content.text
    assert "Petzl Tikkina: the light" in content.markdown
    assert "PetzlTikkina" not in content.text + content.markdown
