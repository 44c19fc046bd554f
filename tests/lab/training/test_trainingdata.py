"""Sets of marked pages as the training of the extractor reads them."""

import base64
import gzip
import json

import pytest

from quarkcrawl.errors import InputError
from quarkcrawl.lab.training.data import read_marked_pages
from quarkcrawl.lab.training.lines_cv import FitOptions, fold_models

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


def test_too_few_sites_for_a_cross_validation():
    with pytest.raises(InputError, match="0 sites cannot be cut into 5 parts"):
        next(fold_models([], FitOptions()))


def test_folders_without_sets_and_damaged_sets_are_named(tmp_path):
    with pytest.raises(InputError, match=r"no NAME\.jsonl\.gz here"):
        list(read_marked_pages(tmp_path))
    path = tmp_path / "news.jsonl.gz"
    data = bytearray(gzip.compress(json.dumps({**ROW, "html": HTML}).encode()))
    for damage in (data[:-9], b"no archive", data[:20] + b"\xff" + data[21:]):
        path.write_bytes(damage)
        with pytest.raises(InputError, match=r"news\.jsonl\.gz: cannot be read"):
            list(read_marked_pages(tmp_path))
