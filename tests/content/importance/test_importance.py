"""Importance of blocks: features by hand, the model, its file."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.content.importance.features import (
    BOX_FEATURES,
    FEATURES,
    BlockCounts,
    box_features,
    importance_features,
)
from quarkcrawl.content.importance.model import (
    block_importance,
    load_importance,
    read_importance,
    table_importance,
    write_importance,
)
from quarkcrawl.errors import InputError
from quarkcrawl.lab.training.data import MarkedPage
from quarkcrawl.lab.training.importance import (
    gather_blocks,
    left_out_weights,
    scores,
    train_importance,
)
from quarkcrawl.page import Page
from quarkcrawl.segment import segmentation_of
from tests.content.lines.arrays import scores_by_arrays
from tests.profiles import examples

TEXT = "这一段文字讲述的是页面的主要内容，足够长，带有标点，没有链接。" * 12
NAVIGATION = "".join(f"<li><a href='/{k}'>栏目{k}</a></li>" for k in range(8))


def html(text=TEXT, navigation=NAVIGATION):
    return (
        f"<html><body><ul>{navigation}</ul><div><p>{text}</p></div>"
        f"<ul>{navigation}</ul><div>版权所有</div></body></html>"
    )


def counts(*pages):
    ptr = np.cumsum([0, *(len(page) for page in pages)])
    rows = np.array([row for page in pages for row in page], np.int64).reshape(-1, 3)
    return BlockCounts(ptr, rows[:, 0], rows[:, 1], rows[:, 2])


def test_features_by_hand():
    found = importance_features(counts([(10, 10, 5), (80, 0, 1), (10, 5, 2)]))
    column = {name: found[:, k].tolist() for k, name in enumerate(FEATURES)}
    assert column["place"] == pytest.approx([0.05, 0.5, 0.95])
    assert column["order"] == pytest.approx([0, 0.5, 1])
    assert column["centre_distance"] == pytest.approx([0.45, 0, 0.45])
    assert column["share"] == pytest.approx([0.1, 0.8, 0.1])
    assert column["share_of_largest"] == pytest.approx([0.125, 1, 0.125])
    assert column["share_of_plain"] == pytest.approx([0, 80 / 85, 5 / 85])
    assert column["anchor_share"] == pytest.approx([1, 0, 0.5])
    assert column["link_share"] == pytest.approx([5 / 8, 1 / 8, 2 / 8])
    assert column["before_share"] == pytest.approx([0, 0, 80 / 85])
    assert column["after_anchor_share"] == pytest.approx([0, 0.5, 0])
    assert column["near_plain"] == pytest.approx([1, 1, 1])
    assert column["page_anchor_share"] == pytest.approx([0.15] * 3)


ROW = st.tuples(st.integers(0, 500), st.integers(0, 500), st.integers(0, 40))


@given(st.lists(st.lists(ROW, max_size=7), min_size=1, max_size=5))
@settings(max_examples=examples(60))
def test_pages_do_not_look_at_one_another(pages):
    together = importance_features(counts(*pages))
    alone = [importance_features(counts(page)) for page in pages]
    assert np.array_equal(together, np.concatenate(alone))
    assert np.isfinite(together).all()
    weights = table_importance(counts(*pages))
    assert ((weights >= 0.5) & (weights <= 1.5)).all()


def test_box_features_by_hand():
    boxes = np.array([[0, 0, 1000, 100], [200, 100, 600, 1900], [np.nan] * 4])
    found = box_features(np.array([0, 3]), boxes)
    column = {name: found[:, k].tolist() for k, name in enumerate(BOX_FEATURES)}
    assert column["x"] == pytest.approx([0.5, 0.5, -1])
    assert column["y"] == pytest.approx([0.025, 0.525, -1])
    assert column["width"] == pytest.approx([1, 0.6, -1])
    assert column["area"] == pytest.approx([100 / 1240, 1140 / 1240, -1])
    assert column["area_of_largest"] == pytest.approx([100 / 1140, 1, -1])
    assert column["first_screen"] == [1, 1, -1]
    assert column["screens"] == pytest.approx([0, 1 / 9, -1])


@given(st.lists(st.lists(ROW, min_size=1, max_size=5), min_size=1, max_size=4), st.data())
@settings(max_examples=examples(40))
def test_pages_without_boxes_are_judged_by_their_text(pages, data):
    table = counts(*pages)
    boxes = np.full((len(table.n_chars), 4), np.nan)
    drawn = data.draw(st.integers(0, len(pages) - 1))
    inside = slice(int(table.ptr[drawn]), int(table.ptr[drawn + 1]))
    boxes[inside] = [10, 20, 300, 40]
    by_text, by_both = table_importance(table), table_importance(table, boxes)
    others = np.ones(len(boxes), bool)
    others[inside] = False
    assert np.array_equal(by_text[others], by_both[others])
    alone = table_importance(counts(pages[drawn]), boxes[inside])
    assert np.array_equal(by_both[inside], alone)
    assert np.array_equal(by_text, table_importance(table, np.full_like(boxes, np.nan)))


def test_content_matters_more_than_navigation():
    cut = segmentation_of(Page.from_html(html()))
    weights = block_importance(cut)
    best = int(weights.argmax())
    assert TEXT[:10] in cut[best].text
    assert weights[best] > 1.2
    assert all(w < 0.8 for w, block in zip(weights, cut, strict=True) if "栏目" in block.text)
    assert block_importance(segmentation_of(Page.from_html(""))).tolist() == []


def marked(number):
    text = "".join(chr(0x4E00 + (k * 37 + number * 101) % 5000) for k in range(200 + 40 * number))
    return MarkedPage(f"p{number}", "made", f"s{number % 5}", html(text).encode(), text, "")


@pytest.mark.full
def test_training_learns_what_is_marked(tmp_path):
    blocks = gather_blocks(marked(number) for number in range(100))
    assert np.bincount(blocks.level).tolist()[-1] == 100
    weights = left_out_weights(blocks, 2)
    found = scores(blocks, weights)
    assert found["content_f1"] == found["content_f1_chars"] == 1
    assert found["mean_error"] < 0.1
    path = tmp_path / "m"
    write_importance(path, train_importance(blocks))
    again = read_importance(path)
    assert again.weights(blocks.matrix) == pytest.approx(
        train_importance(blocks).weights(blocks.matrix)
    )
    by_numpy = 1 / (1 + np.exp(-scores_by_arrays(again.high, blocks.matrix)))
    assert again.high.probabilities(blocks.matrix) == pytest.approx(by_numpy)


def test_scores_by_hand():
    blocks = gather_blocks([marked(0)])
    always = np.full(len(blocks.level), 1.5, np.float32)
    true = (0.5 + 0.5 * blocks.level).astype(np.float32)
    assert scores(blocks, true)["mean_error"] == 0
    assert scores(blocks, true)["content_f1"] == 1
    n_content, n = int((blocks.level == 2).sum()), len(blocks.level)
    assert scores(blocks, always)["content_f1"] == pytest.approx(2 * n_content / (n_content + n))


@pytest.mark.parametrize("damage", ["bytes", "features", "missing"])
def test_other_files_are_refused(tmp_path, damage):
    path = tmp_path / "m.npz"
    write_importance(path, load_importance())
    if damage == "bytes":
        path.write_bytes(b"no")
    else:
        with np.load(path) as arrays:
            changed = dict(arrays)
        if damage == "missing":
            del changed["high_node"]
        else:
            about = json.loads(changed["about"].tobytes()) | {"features": ["place"]}
            changed["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        np.savez(path, **changed)
    with pytest.raises(InputError):
        read_importance(path)
