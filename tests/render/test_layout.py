"""Boxes and styles lie at the right node and run, whatever scripts have built."""

import numpy as np
import pytest

from quarkcrawl.page import Page
from quarkcrawl.page.tree.layout import union_boxes
from quarkcrawl.segment import block_boxes, segment
from quarkcrawl.segment.quark.recognizer import QuarkRecognizer

PLACED = """<!DOCTYPE html><html><head><style>
body {{ margin: 0; font: 16px/20px sans-serif }} div {{ position: absolute }}
</style></head><body>{}</body></html>"""


def node_with(page: Page, name: str) -> int:
    return next(n for n in range(len(page.tree)) if page.tree.attr(n, "id") == name)


@pytest.mark.full
def test_boxes_fonts_and_colors(screen):
    result = screen.show(PLACED.format(
        "<div id=a style='left:10px;top:20px;width:300px;height:40px;background:#ff8000'>"
        "<b id=b style='font-size:30px;color:rgb(1,2,3)'>粗</b></div>"
        "<div id=c style='left:500px;top:900px;width:100px;height:50px;visibility:hidden'>x</div>"
        "<div id=d style='display:none'>y</div>"
        "<div id=e style='left:0;top:3000px;width:1280px;height:10px;"
        "background:rgba(0,0,255,.5)'></div>"
    ))  # fmt: skip
    page, layout = result.page, result.layout
    a, b, c, d, e = (node_with(page, name) for name in "abcde")
    assert layout.boxes[a].tolist() == [10, 20, 300, 40]
    assert layout.boxes[e].tolist() == [0, 3000, 1280, 10]
    assert layout.background[a] == 0xFF8000FF
    assert layout.background[e] == 0x0000FF80
    assert layout.background[b] == 0
    assert (layout.font_px[b], layout.font_weight[b], layout.color[b]) == (30, 700, 0x010203FF)
    assert (layout.font_px[a], layout.font_weight[a]) == (16, 400)
    assert not layout.visible[c]
    assert not layout.shown[c]
    assert np.isnan(layout.boxes[d]).all()
    assert not layout.shown[d]
    assert layout.area[a] == 12000
    assert layout.area[d] == 0
    assert (layout.width_px, layout.height_px) == (1280, 3010)


@pytest.mark.full
def test_each_run_has_its_own_box(screen):
    """Text on both sides of an element, and lines of one run."""
    result = screen.show(
        PLACED.format("<div id=a style='width:200px'>甲<i>乙</i>丙<br>丁<p>戊</p>己</div>")
    )
    tree, boxes = result.page.tree, result.layout.run_boxes
    places = {run: boxes[k].tolist() for k, run in enumerate(tree.runs) if run in {*"甲乙丙丁戊己"}}
    middles = {run: top + height / 2 for run, (_, top, _, height) in places.items()}
    assert [middles[run] // 20 for run in "甲乙丙丁"] == [0, 0, 0, 1]
    assert places["甲"][0] < places["乙"][0] < places["丙"][0]
    assert middles["丁"] < middles["戊"] < middles["己"]


@pytest.mark.full
@pytest.mark.parametrize(
    "script",
    [
        "p=document.createElement('p');p.append(mk('A'));p.append(mk('B'));document.body.append(p)",
        "t=document.createElement('table');t.append(mk('A'),mk('B'));document.body.append(t)",
        (
            "a=document.createElement('a');b=document.createElement('a');b.append(mk('A'));"
            "a.append(b,mk('B'));document.body.append(a)"
        ),
        (
            "let e=document.body;for(let k=0;k<9;k++){const b=document.createElement('b');e.append(b);"
            "e=b};e.append(mk('A'));document.body.append(mk('B'))"
        ),
    ],
    ids=["div in p", "div in table", "a in a", "nine b"],
)
def test_boxes_stay_right_where_a_parser_would_build_another_tree(screen, script):
    make = (
        "const mk=t=>{const d=document.createElement('div');d.id=t;d.textContent='字'+t;"
        "const n=t=='A'?100:400;d.style.cssText=`position:absolute;left:${n}px;top:${n}px;"
        "width:50px;height:20px`;return d};"
    )
    result = screen.show(PLACED.format(f"<script>{make}{script}</script>"))
    tree, layout = result.page.tree, result.layout
    for name, place in (("A", 100), ("B", 400)):
        node = node_with(result.page, name)
        assert layout.boxes[node].tolist() == [place, place, 50, 20]
        run = tree.runs.index("字" + name)
        left, top, _, height = layout.run_boxes[run].tolist()
        assert left == place
        assert place < top + height / 2 < place + 20  # how high letters are is the font's affair


def test_frames_stand_where_they_are_drawn(screen):
    inner = "<body style='margin:0'><div id=x style='height:30px;width:70px'>字</div>"
    result = screen.show(
        PLACED.format(
            f'<div style="left:100px;top:200px"><iframe style="border:0" srcdoc="{inner}"></iframe>'
            "</div>"
        )
    )
    box = result.layout.boxes[node_with(result.page, "x")]
    assert box.tolist() == [100, 200, 70, 30]


def test_boxes_of_blocks(screen):
    result = screen.show(
        PLACED.format(
            "<div style='left:0;top:0;width:400px'><p>" + "左" * 60 + "</p></div>"
            "<div style='left:800px;top:0;width:400px'><p>" + "右" * 60 + "</p></div>"
        )
    )
    blocks = QuarkRecognizer().recognize(result.page)
    boxes = block_boxes(blocks)
    assert len(blocks) == 2
    assert boxes[0, 0] == 0
    assert boxes[1, 0] == 800
    assert (boxes[:, 2] <= 400).all()
    assert block_boxes(segment("<p>字")[0].segmentation) is None


def test_union_of_boxes():
    boxes = np.array([[0, 0, 2, 2], [5, 1, 1, 1], [9, 9, 1, 1], [np.nan] * 4], np.float32)
    united = union_boxes(boxes, np.array([1, 1, -1, 0]), 3)
    assert united[1].tolist() == [0, 0, 6, 2]
    assert np.isnan(united[[0, 2]]).all()
