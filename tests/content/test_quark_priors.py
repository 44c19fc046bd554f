"""Priors counted on marked pages, and the commands that train."""

import gzip
import json

import numpy as np
import pytest

import quarkcrawl as qc
from quarkcrawl.cli import main
from quarkcrawl.content.quark.priors import FEATURES, Priors
from quarkcrawl.errors import InputError
from quarkcrawl.lab.training.priors import (
    count_priors,
    labeled_by_marks,
    labeled_by_text,
    read_marked,
)
from quarkcrawl.segment import segmentation_of

LONG = "昨天，北京看到了流星，人们很高兴。" * 20
MARKED = (
    f"<div>版权所有，不得转载，联系我们，广告服务，网站地图，友情链接，网站声明。{'频道' * 20}</div>"
    f'<div quark="content"><div>{LONG}</div><div quark="noise">{LONG}</div></div>'
)


def blocks(html):
    return segmentation_of(qc.Page.from_html(html))


def test_the_nearest_mark_decides():
    assert labeled_by_marks(blocks(MARKED)).tolist() == [False, True, False]
    shouted = blocks(MARKED.replace('"content"', '" Content"'))
    assert labeled_by_marks(shouted).tolist() == [False, True, False]
    with pytest.raises(InputError, match="mark"):
        labeled_by_marks(blocks(f"<div>{LONG}"))


def test_lines_of_the_content_mark_its_blocks():
    cut = blocks(f"<div>第一行，很长的一行文字。<p>{LONG}</div><div>别的{LONG[::-1]}</div>")
    assert labeled_by_text(cut, LONG).tolist() == [True, False]


def test_counting_by_hand():
    cut = blocks(MARKED)
    priors = count_priors([(cut, np.array([False, True, False]))], "x")
    assert priors.p_content == pytest.approx(1 / 3)
    place = FEATURES.index("long_text")
    assert priors.given_content[place] == pytest.approx((1 + 1) / (1 + 2))
    assert priors.given_noise[place] == pytest.approx((1 + 1) / (2 + 2))
    place = FEATURES.index("noise_word")
    assert priors.given_content[place] == pytest.approx((0 + 1) / (1 + 2))
    assert priors.given_noise[place] == pytest.approx((1 + 1) / (2 + 2))
    with pytest.raises(InputError, match="both are needed"):
        count_priors([(cut, np.zeros(3, bool))], "x")
    with pytest.raises(InputError, match="both are needed"):
        count_priors([], "x")


def test_train_priors(tmp_path, capsys):
    page, lines = tmp_path / "a.html", tmp_path / "b.jsonl"
    page.write_text(MARKED, "utf-8")
    lines.write_text(json.dumps({"html": MARKED, "gold_text": LONG}) + "\n", "utf-8")
    out = tmp_path / "priors.json"
    assert main(["train", "priors", str(page), str(lines), "--out", str(out)]) == 0
    priors = Priors.load(out)
    assert json.loads(capsys.readouterr().out)["p_content"] == priors.p_content
    expected = count_priors(list(read_marked([page, lines])), priors.name)
    assert priors == expected
    assert priors.p_content == pytest.approx(3 / 6)  # the text stands in the copy, too


def test_train_priors_names_what_is_wrong(tmp_path, capsys):
    page = tmp_path / "plain.html"
    page.write_text(LONG, "utf-8")
    assert main(["train", "priors", str(page), "--out", str(tmp_path / "o")]) == 2
    assert "plain.html" in capsys.readouterr().err
    assert main(["train", "priors", str(tmp_path / "none.html"), "--out", "o"]) == 2
    assert "none.html" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("verb", ["priors", "topic"])
def test_a_file_that_cannot_be_written_is_told_first(tmp_path, capsys, verb):
    out = tmp_path / "none" / "out.json"
    assert main(["train", verb, str(tmp_path / "pages.jsonl"), "--out", str(out)]) == 1
    assert str(out) in capsys.readouterr().err


def test_train_topic(tmp_path, capsys):
    rows = []
    for host in range(3):
        rows += [{"url": f"http://h{host}.cn/a/1.html", "html": f"<div>{LONG}", "is_topic": True}]
        links = '<li><a href="/x">一条新闻的标题</a>' * 30
        rows += [{"url": f"http://h{host}.cn/", "html": f"<ul>{links}", "is_topic": False}]
    lines, out = tmp_path / "pages.jsonl", tmp_path / "weights.json"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert main(["train", "topic", str(lines), "--out", str(out), "--method", "quark"]) == 0
    scores = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["model"], row["f1"]) for row in scores] == [("page", 1.0), ("page_and_url", 1.0)]
    assert json.loads(out.read_text("utf-8"))["trained_on"] == "3 topic pages, 3 others, 3 hosts"


def test_gzipped_files_are_told_by_what_they_hold(tmp_path):
    page, lines = tmp_path / "page.html.gz", tmp_path / "lines.gz"
    page.write_bytes(gzip.compress(b"<body><p quark=content>" + b"<div>word</div>"))
    record = {"html": "<body><p>word</p>", "gold_text": "word"}
    lines.write_bytes(gzip.compress(json.dumps(record).encode()))
    for path in (page, lines):
        ((segmentation, content),) = read_marked([path])
        assert (len(segmentation), content.tolist()) == (1, [path == lines])
    lines.write_bytes(gzip.compress(b"{}" * 500)[:20])
    with pytest.raises(InputError, match=r"lines\.gz"):
        list(read_marked([lines]))
