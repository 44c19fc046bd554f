"""Standard output in an encoding that lacks characters of pages."""

from __future__ import annotations

import contextlib
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quarkcrawl.cli import main
from quarkcrawl.template.model import TemplateFields, write_fields

TEXT = "图书馆新到了一批书，借的人很多😀。请大家看完以后按时归还。"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(f"<meta charset=utf-8><p>{TEXT}</p>", encoding="utf-8")
    return str(path)


def in_gbk(*words: str) -> str:
    """What a command writes to a terminal in GBK."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="gbk")
    with contextlib.redirect_stdout(stream):
        assert main(words) == 0
    stream.flush()
    return stream.buffer.getvalue().decode("gbk")


def test_emoji_do_not_end_a_command(page):
    assert in_gbk("extract", page).strip() == TEXT.replace("😀", r"\ud83d\ude00")


def test_json_loses_nothing(page):
    assert json.loads(in_gbk("extract", page, "--format", "json"))["text"] == TEXT


def test_half_a_surrogate_pair_is_written_too(capsys, tmp_path):
    path = tmp_path / "page.jsonl"
    path.write_text(json.dumps({"url": "http://a.cn/\ud800", "html": "<p>x"}))
    words = ["template", "apply", str(tmp_path / "t.json"), str(path)]
    assert main([*words, "--unknown", str(tmp_path / "u.jsonl")]) == 0
    assert json.loads(capsys.readouterr().out)["url"] == "http://a.cn/\ud800"


@pytest.mark.parametrize("form", ["csv", "xml", "parquet"])
def test_half_a_surrogate_pair_ends_no_table(form, tmp_path):
    found = TemplateFields("http://a.cn/\ud800", "t", 1.0, {"title": ("半\ud800", "字")})
    out = io.BytesIO()
    write_fields(out, form, [found, found], ["title"])
    if form == "parquet":
        rows = pq.read_table(pa.BufferReader(out.getvalue())).to_pylist()
        assert [row["title"] for row in rows] == [["半?", "字"]] * 2
    else:
        assert out.getvalue().decode().count("字") == 2
