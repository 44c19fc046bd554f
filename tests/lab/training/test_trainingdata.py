"""Sets of marked pages as the training of the extractor reads them."""

import base64
import gzip
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from quarkcrawl.cli import main
from quarkcrawl.content.importance.model import read_importance
from quarkcrawl.errors import InputError
from quarkcrawl.lab.training.data import (
    MarkedPage,
    prepare_page,
    read_marked_pages,
    without_names,
)
from quarkcrawl.lab.training.fit import fit_model, gather_lines, line_weights
from quarkcrawl.lab.training.importance import gather_blocks
from quarkcrawl.lab.training.lines_cv import (
    FitOptions,
    cross_validate,
    fold_models,
    fold_parts,
    train,
)

ROW = {"id": "1", "url": "http://news.sina.com.cn/a", "gold_text": "天网 搜索引擎"}
HTML = "<p>天网搜索引擎"


def written(folder, *rows):
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "news.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return list(read_marked_pages(folder))


def test_bytes_and_text_are_read_alike(tmp_path):
    body = base64.b64encode(HTML.encode()).decode()
    first, second = written(tmp_path, {**ROW, "body_b64": body}, {**ROW, "html": HTML})
    assert first == second
    assert (first.body, first.site) == (HTML.encode(), "sina")


@pytest.mark.parametrize("missing", ["id", "url", "gold_text", "html"])
def test_a_line_without_what_is_needed_is_named(tmp_path, missing):
    row = {key: value for key, value in {**ROW, "html": HTML}.items() if key != missing}
    with pytest.raises(InputError, match=r"news\.jsonl\.gz:2: .* (are|is) needed"):
        written(tmp_path, {**ROW, "html": HTML}, row)


def test_a_page_without_names_is_the_same_whatever_its_names_are(tmp_path):
    html = "<div class={}><p id={} itemprop=articleBody>天网搜索引擎，<a class={} href=/>北大</a></div>"
    rows = [html.format(*names) for names in (("sidebar", "comment", "nav"), ("qz", "vk", "jw"))]
    pages = [
        prepare_page(page) for page in written(tmp_path, *({**ROW, "html": row} for row in rows))
    ]
    assert (pages[0].features.matrix != pages[1].features.matrix).any()
    assert pages[0].names != pages[1].names
    first, second = map(without_names, pages)
    assert (first.features.matrix == second.features.matrix).all()
    assert (first.features.matrix != first.blind).any()
    assert first.names == second.names != {}


@pytest.mark.full
def test_a_second_model_is_trained_that_knows_no_names(tmp_path):
    text = "这一段文字讲述的是页面的主要内容，足够长，带有标点。"
    html = f"<ul class=nav><li><a href=/>首页</a></ul><div class=content><p>{text}</div>"
    rows = [{**ROW, "url": f"http://s{n}.cn/", "html": html, "gold_text": text} for n in range(8)]
    pages = [prepare_page(page) for page in written(tmp_path, *rows)]
    options = FitOptions(n_trees=2, n_leaves=2, min_leaf_lines=1, n_folds=2)
    model = train(pages, options)
    assert model.nameless
    assert model.scorer.names.weights.any()
    assert not model.nameless.scorer.names.weights.any()
    assert model.nameless.scorer.names.reads == "declared"
    assert train(pages, replace(options, has_nameless=False)).nameless is None


PIECES = {
    "html": "<h1>天网 搜索</h1><ul><li>首页<li>登录 Twitter</ul><div><p>天网搜索引擎，由北大开发。"
    "<p>我们在 Twitter 上转发了很长的一段文字。<p>摘要：天网是什么<p>还有别的</div><p>摘要：天网是什么",
    "gold_text": "",
    "must": ["由北大", "天网是什么", "查无此文"],
    "must_not": ["首页", "天网 搜索", "Twitter"],
}


def test_of_a_page_whose_pieces_are_known_no_other_lines_are_learned(tmp_path):
    row = {**ROW, **PIECES}
    marked, without_key = written(tmp_path, row, {k: row[k] for k in row if k != "gold_text"})
    page = prepare_page(marked)
    assert marked.has_pieces_only
    assert marked == without_key
    labels = zip(page.texts, page.label.tolist(), page.used.tolist(), strict=True)
    learned = {text: is_content for text, is_content, is_used in labels if is_used}
    assert learned == {"天网搜索引擎,由北大开发。": True, "首页": False, "登录Twitter": False}
    weights = line_weights(page, FitOptions(set_weights={"news": 0.6}))
    assert sorted(set(weights.round(3).tolist())) == [0, 0.2]


def _site_page(number, **more):
    fields = {"dataset": "a", "site": f"s{number}", "body": b"<p>x", "gold": "x", "url": ""}
    return MarkedPage(name=str(number), **{**fields, **more})


def test_pages_in_pieces_share_the_part_of_their_site_and_change_no_other():
    whole = [_site_page(number, site=f"s{number % 20}") for number in range(60)]
    pieces = [
        _site_page(number, site=f"s{number}", gold="", must=("x",), dataset="b")
        for number in range(10, 40)
    ]
    parts = fold_parts(whole, 3)
    both = fold_parts([*pieces[:15], *whole, *pieces[15:]], 3)
    assert both[15:75] == parts
    assert set(parts) == set(both[75:]) == {0, 1, 2}
    of_site = dict(zip([page.site for page in whole], parts, strict=True))
    assert both[:10] == [of_site[page.site] for page in pieces[:10]]


@pytest.mark.full
def test_pages_in_pieces_are_learned_but_not_scored(tmp_path):
    text = "这一段文字讲述的是页面的主要内容，足够长，带有标点。"
    html = f"<ul class=nav><li><a href=/>首页</a></ul><div class=content><p>{text}</div>"
    row = {**ROW, "html": html}
    rows = [{**row, "url": f"http://s{n}.cn/", "gold_text": text} for n in range(8)]
    known = {"gold_text": "", "must": [text[:9]], "must_not": ["首页"]}
    rows[4:4] = [{**row, **known, "url": f"http://p{n}.cn/", "id": "p"} for n in range(4)]
    marked = written(tmp_path, *rows)
    pages = [prepare_page(page) for page in marked]
    options = FitOptions(n_trees=2, n_leaves=2, min_leaf_lines=1, n_folds=2, has_nameless=False)
    scores = cross_validate(pages, options, 2)
    assert [score.name for score in scores] == ["1"] * 8
    data = train(pages, options).about["data"]["news"]
    assert data["pages"] == 12
    moved = {"must": (), "must_not": (*marked[4].must, *marked[4].must_not)}
    other = [replace(page, page=replace(page.page, **moved)) for page in pages]
    assert data["sha256"] != train(other, options).about["data"]["news"]["sha256"]
    wrong = [replace(page, label=~page.label) for page in pages if page.page.has_pieces_only]
    right = gather_lines([page for page in pages if page.page.has_pieces_only], options)
    for lines, best in ((right, 1), (gather_lines(wrong, options), 0)):
        model = fit_model(lines, np.ones(len(lines.label), np.bool_), options)
        assert model.trees.scores(pages[4].features.matrix).argmax() == best
    noise = [replace(page, label=np.zeros_like(page.label)) for page in pages]
    with pytest.raises(InputError, match="all are content, or none is"):
        train(noise, options)
    assert len(gather_blocks(marked).sites) == 8


def test_too_few_sites_for_a_cross_validation():
    with pytest.raises(InputError, match="0 sites cannot be cut into 5 parts"):
        next(fold_models([], FitOptions()))


def test_folders_without_sets_and_damaged_sets_are_named(tmp_path):
    with pytest.raises(InputError, match=r"no NAME\.jsonl\.gz and no marked"):
        list(read_marked_pages(tmp_path))
    path = tmp_path / "news.jsonl.gz"
    data = bytearray(gzip.compress(json.dumps({**ROW, "html": HTML}).encode()))
    for damage in (data[:-9], b"no archive", data[:20] + b"\xff" + data[21:]):
        path.write_bytes(damage)
        with pytest.raises(InputError, match=r"news\.jsonl\.gz: cannot be read"):
            list(read_marked_pages(tmp_path))


@pytest.mark.parametrize("verb", ["lines", "importance"])
def test_commands_name_the_folder_and_what_is_not_installed(tmp_path, monkeypatch, capsys, verb):
    command = ["train", verb, str(tmp_path), "--out", str(tmp_path / "model.npz")]
    assert main(command) == 2
    assert "no NAME.jsonl.gz and no marked NAME.html here" in capsys.readouterr().err
    assert main([*command[:-1], str(tmp_path / "no" / "model.npz")]) == 1
    assert "cannot be written" in capsys.readouterr().err
    module = {"lines": "lines_cv", "importance": "importance"}[verb]
    monkeypatch.setitem(sys.modules, f"quarkcrawl.lab.training.{module}", None)
    assert main(command) == 2
    assert "quarkcrawl[train]" in capsys.readouterr().err


@pytest.mark.full
def test_importance_is_measured_and_trained(tmp_path, capsys):
    text = "这一段文字讲述的是页面的主要内容，足够长，带有标点，没有链接。" * 12
    links = "".join(f"<li><a href='/{k}'>栏目{k}</a></li>" for k in range(8))
    html = f"<html><body><ul>{links}</ul><div><p>{text}</p></div></body></html>"
    rows = [
        {"id": str(n), "url": f"http://s{n}.cn/a", "html": html, "gold_text": text}
        for n in range(100)
    ]
    written(tmp_path, *rows)
    model = tmp_path / "model.npz"
    assert main(["train", "importance", str(tmp_path), "--folds", "2", "--out", str(model)]) == 0
    assert json.loads(capsys.readouterr().out)["content_f1"] == 1
    assert read_importance(model).about["sites"] == 100
