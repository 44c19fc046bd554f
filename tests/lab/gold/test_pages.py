"""Gold pages: folders, JSON lines, and what is wrong with them."""

import base64
import gzip
import json

import pytest

from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.extractors.sidebyside import load_jobs
from quarkcrawl.lab.evaluate.sewm2008.topic import topic_gold
from quarkcrawl.lab.gold.pages import UNKNOWN_ORIGIN, GoldPage, load_gold, set_name
from quarkcrawl.lab.gold.sets import includes_title

HTML = "<p quark=content>天网搜索引擎，北京大学网络实验室。</p>"


def jsonl(folder, *rows, name="set.jsonl"):
    path = folder / name
    data = "".join(
        (row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows
    ).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def test_a_folder_of_marked_pages(tmp_path):
    (tmp_path / "CWT-2.html").write_bytes(HTML.encode("gb18030"))
    (tmp_path / "CWT-1.HTM.gz").write_bytes(gzip.compress(HTML.encode()))
    (tmp_path / "notes.txt").write_text("not a page")
    (tmp_path / "sub.html").mkdir()
    pages = load_gold(tmp_path)
    assert [page.number for page in pages] == ["CWT-1", "CWT-2"]
    assert pages[0].text == pages[1].text == HTML
    assert topic_gold(pages) == {"CWT-1": True, "CWT-2": True}


def test_marks_of_the_workbench_say_what_they_began_from(tmp_path):
    for name in "abcd":
        (tmp_path / f"{name}.html").write_text(HTML)
    entries = {"a": {"origin": "default"}, "b": {"origin": "blank"}, "c": {"kinds": []}}
    (tmp_path / "marks.json").write_text(json.dumps(entries))
    assert [page.origin for page in load_gold(tmp_path)] == ["default", "blank", UNKNOWN_ORIGIN, ""]
    path = jsonl(tmp_path, {"id": 1, "html": HTML, "origin": "quark"}, {"id": 2, "html": HTML})
    assert [page.origin for page in load_gold(path)] == ["quark", ""]
    for broken in ("[1", "[1]", '{"a": 1}', "\xff"):
        (tmp_path / "marks.json").write_text(broken, "latin-1")
        with pytest.raises(InputError, match="marks of the workbench"):
            load_gold(tmp_path)


@pytest.mark.parametrize("name", ["my.set.jsonl", "my.set.jsonl.gz"])
def test_json_lines_of_all_forms(tmp_path, name):
    (tmp_path / "page.html").write_bytes(HTML.encode("gb18030"))
    path = jsonl(
        tmp_path,
        {"id": 1, "html": HTML, "url": "http://a.cn/", "lang": "zh", "is_topic": False},
        {"id": "2", "html_file": "page.html", "encoding": "gb2312/replace", "gold_text": "天网", "gold_includes": ["title"]},
        {"id": "3", "body_b64": base64.b64encode("<p>天文臺".encode("big5")).decode(), "encoding": "big5", "gold_includes": []},
        name=name,
    )  # fmt: skip
    one, two, three = load_gold(path)
    assert set_name(path) == "my.set"
    assert (one.number, one.url, one.lang, one.text, one.is_topic) == (
        "1",
        "http://a.cn/",
        "zh",
        HTML,
        False,
    )
    assert (two.text, two.gold_text, two.includes_title) == (HTML, "天网", True)
    assert (three.text, three.gold_text, three.includes_title) == ("<p>天文臺", None, False)
    assert topic_gold([one, two]) == {"1": False, "2": True}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{broken", "no JSON: "),
        ({"id": "x", "html": "", "gold_includes": 5}, "gold_includes must be a list"),
        ({"id": "x", "html": "", "must": "天网"}, "must must be a list of texts"),
        ({"id": "x", "html": "", "must_not": ["天网", 5]}, "must_not must be a list of texts"),
        ({"id": "x", "body_b64": "eA==", "encoding": 5}, "unknown encoding '5'"),
        ({"id": "x", "body_b64": "eA==", "encoding": "hex"}, "unknown encoding 'hex'"),
        ("[1]", "no JSON object"),
        ({"html": "x"}, "a JSON object with an id"),
        ({"id": "x"}, "html, html_file or body_b64 is needed"),
        ({"id": "x", "html": 5}, "the page cannot be read"),
        ({"id": "x", "body_b64": "?"}, "the page cannot be read"),
        ({"id": "x", "body_b64": "", "encoding": "klingon"}, "unknown encoding 'klingon'"),
        ({"id": "ok", "html": "x"}, "document number 'ok' twice"),
    ],
)
def test_a_bad_line_is_named(tmp_path, row, message):
    path = jsonl(tmp_path, {"id": "ok", "html": "x"}, row)
    with pytest.raises(InputError, match=rf"set\.jsonl:2: {message}"):
        load_gold(path)


def test_a_missing_html_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"gone\.html: cannot be read"):
        load_gold(jsonl(tmp_path, {"id": "x", "html_file": "gone.html"}))


def test_nothing_is_no_gold(tmp_path):
    with pytest.raises(InputError, match="no gold pages here"):
        load_gold(tmp_path)
    with pytest.raises(InputError, match=r"no\.jsonl: cannot be read"):
        load_gold(tmp_path / "no.jsonl")


def test_marked_pages_can_be_compared_as_text(tmp_path):
    (tmp_path / "a.html").write_bytes(b"<p>nav</p><div quark=content><h1>T</h1><p>one<p>two</div>")
    (job,) = load_jobs([tmp_path])
    assert job.page.body == b"<p>nav</p><div><h1>T</h1><p>one<p>two</div>"
    assert job.page.gold_text == "T\none\ntwo"


def test_is_topic_must_be_true_or_false(tmp_path):
    with pytest.raises(InputError, match=r"set\.jsonl:1: is_topic must be true or false"):
        topic_gold(load_gold(jsonl(tmp_path, {"id": "x", "html": "x", "is_topic": "yes"})))


@pytest.mark.parametrize(("says", "name", "option", "expected"), [
    (None, "daniel_zh", [], True), (None, "cwced", [], False), (None, "cwced", ["cwced"], True),
    (False, "daniel_zh", [], False), (True, "cwced", [], True),
])  # fmt: skip
def test_what_the_gold_includes(says, name, option, expected):
    page = GoldPage("x", b"", "x", includes_title=says)
    assert includes_title(page, name, option) is expected


def test_pages_of_which_only_pieces_are_known_are_not_compared(tmp_path):
    row = {"html": HTML, "must": ["天网", " "], "must_not": ["首页"]}
    rows = [
        {**row, "id": number, "gold_text": text}
        for number, text in {"a": "", "b": " ", "c": None, "d": "天网", "e": "天网"}.items()
    ]
    *pieces, whole, _ = load_gold(jsonl(tmp_path, *rows))
    for page in pieces:
        assert (page.must, page.must_not, page.has_pieces_only) == (("天网",), ("首页",), True)
    assert not whole.has_pieces_only
    assert [job.page.number for job in load_jobs([tmp_path], limit=1)] == ["d"]
    with pytest.raises(InputError, match="no page with a gold text in pieces"):
        load_jobs([jsonl(tmp_path, *rows[:2], name="pieces.jsonl")])
    blank = {"id": "x", "html": HTML, "gold_text": "", "must": ["", " "]}
    assert not load_gold(jsonl(tmp_path, blank, name="blank.jsonl"))[0].has_pieces_only


def test_pages_to_compare_need_gold_text_and_known_sets(tmp_path):
    row = {"id": "x", "html": HTML, "gold_text": "天网"}
    jsonl(tmp_path, row, {**row, "id": "y"}, {**row, "id": "z"})
    assert [job.page.number for job in load_jobs([tmp_path], limit=2)] == ["x", "y"]
    assert [job.with_title for job in load_jobs([tmp_path], title_in=["set"])] == [True] * 3
    with pytest.raises(InputError, match="no set 'sett'; there are set"):
        load_jobs([tmp_path], sets=["sett"])
    with pytest.raises(InputError, match=r"no\.jsonl:1: no gold_text"):
        load_jobs([jsonl(tmp_path, {"id": "x", "html": HTML}, name="no.jsonl")])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no gold pages here"):
        load_jobs([tmp_path / "empty"])


def test_a_damaged_archive_is_named(tmp_path):
    data = bytearray(gzip.compress(HTML.encode() * 99))
    data[20] ^= 0xFF
    (tmp_path / "a.html.gz").write_bytes(data)
    with pytest.raises(InputError, match=r"a\.html\.gz: cannot be read"):
        load_gold(tmp_path)


def test_no_set_hides_another_of_its_name(tmp_path):
    row = {"id": "x", "html": HTML, "gold_text": "天网"}
    (tmp_path / "more").mkdir()
    one, two = jsonl(tmp_path, row), jsonl(tmp_path / "more", row, name="set.jsonl.gz")
    with pytest.raises(InputError, match=r"more/set\.jsonl\.gz: a second set called 'set'"):
        load_jobs([one, two])
    assert len(load_jobs([one, two.rename(tmp_path / "other.jsonl.gz")])) == 2
