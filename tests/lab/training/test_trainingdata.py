"""Sets of marked pages as the training of the extractor reads them."""

import base64
import gzip
import json
import sys
from dataclasses import replace

import pytest

from quarkcrawl.cli import main
from quarkcrawl.content.importance.model import read_importance
from quarkcrawl.errors import InputError
from quarkcrawl.lab.training.data import prepare_page, read_marked_pages, without_names
from quarkcrawl.lab.training.lines_cv import FitOptions, fold_models, train

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
def test_a_second_model_is_trained_for_pages_whose_names_tell_nothing(tmp_path):
    text = "这一段文字讲述的是页面的主要内容，足够长，带有标点。"
    html = f"<ul class=nav><li><a href=/>首页</a></ul><div class=content><p>{text}</div>"
    rows = [{**ROW, "url": f"http://s{n}.cn/", "html": html, "gold_text": text} for n in range(8)]
    pages = [prepare_page(page) for page in written(tmp_path, *rows)]
    options = FitOptions(n_trees=2, n_leaves=2, min_leaf_lines=1, n_folds=2)
    model = train(pages, options)
    assert model.nameless
    assert model.scorer.names.weights.any()
    assert not model.nameless.scorer.names.weights.any()
    assert train(pages, replace(options, has_nameless=False)).nameless is None


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
