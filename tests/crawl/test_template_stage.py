"""The template stage in a real crawl: columns for known pages, new templates from unknown ones."""

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.template.model.output import json_lines
from quarkcrawl.template.model.templatefile import read_templates, write_templates
from quarkcrawl.template.train import train
from tests.template.blogpages import post

from .harness import crawl

HOST = "www.blog.example"
HOME = f"http://{HOST}/"


def site():
    pages = {page.url: page.html for page in (post(k, k % 3, HOST) for k in range(8))}
    links = "".join(f"<a href='{url}'>x</a>" for url in pages)
    text = {"html": "纯文本", "content_type": "text/plain; charset=utf-8"}
    return {HOME: f"<title>首页</title><b>{links}<a href=/t>t</a></b>", **pages, f"{HOME}t": text}


@pytest.fixture
def templates(tmp_path):
    made = train([post(k, k % 3, HOST) for k in range(20, 30)]).templates
    first = made.templates[0]
    where = next(place for place, node in first.positions() if node.tag == "h1")
    path = tmp_path / "t.json"
    write_templates(made.with_template(first.with_label("title", where)), path)
    return path


@pytest.mark.full
def test_known_pages_get_their_columns(tmp_path, templates):
    with ServerProcess.for_pages(site()) as server:
        run = crawl(tmp_path, server, [HOST], template_file=str(templates),
                    template_unknown=str(tmp_path / "u.jsonl"))  # fmt: skip
    run.assert_settled()
    rows = run.pages()
    name = read_templates(templates).templates[0].id
    for number in range(8):
        found = rows[post(number, host=HOST).url].analysis
        assert found["template"] == name
        assert found["template_similarity"] > 0.8
        assert found["template_fields"] == [{"name": "title", "value": f"文章{number}"}]
    for url in (HOME, f"{HOME}t"):
        assert rows[url].analysis.get("template") is None
    waiting = (tmp_path / "u.jsonl").read_text().splitlines()
    assert len(waiting) == 1
    assert HOME in waiting[0]
    assert list(json_lines([])) == []


@pytest.mark.full
def test_without_a_file_there_is_no_stage(tmp_path):
    with ServerProcess.for_pages(site()) as server:
        run = crawl(tmp_path, server, [HOST])
    assert all("template" not in row.analysis or row.analysis["template"] is None
               for row in run.pages().values())  # fmt: skip
