"""Fields of pages by rules of CSS or XPath."""

import json

import pytest

from quarkcrawl.content import FieldRules, read_field_rules
from quarkcrawl.errors import ConfigError
from quarkcrawl.page import Page
from tests.cli.test_extract import call

__all__ = ["call"]  # a fixture

HTML = """<title>天网</title><meta name=price content=12><h1>天网 <b>历史</b></h1>
<span class=date> 1997-10-29 </span><ul><li>甲<li>乙</ul><a href=/x>丙</a>"""
RULES = """[fields]
title = "h1"
published = "//span[@class='date']/text()"
price = ["b.price", "//meta[@name='price']/@content"]
items = "li::text"
link = "a::attr(href)"
missing = "h6"
"""
FOUND = {
    "title": ["天网 历史"],
    "published": ["1997-10-29"],
    "price": ["12"],
    "items": ["甲", "乙"],
    "link": ["/x"],
}


def test_each_rule_reads_its_field(tmp_path):
    path = tmp_path / "fields.toml"
    path.write_text(RULES, encoding="utf-8")
    assert read_field_rules(path).read(Page.from_html(HTML)) == FOUND
    assert read_field_rules(path).read(Page.from_html("<p>天网")) == {}
    assert FieldRules({"date": ("span::text",)}).read(Page.from_html(HTML)) == {
        "date": ["1997-10-29"]
    }


def test_the_command_prints_them_and_refuses_where_nothing_would_be(call, tmp_path):
    (tmp_path / "fields.toml").write_text(RULES, encoding="utf-8")
    (tmp_path / "page.html").write_text(f"<meta charset=utf-8>{HTML}", encoding="utf-8")
    words = ("extract", "page.html", "--field-rules", "fields.toml")
    done = call(*words, "--format", "json")
    assert json.loads(done.stdout)["fields"] == FOUND, done.stderr
    done = call(*words)
    assert done.returncode == 2
    assert "--format json" in done.stderr
    assert "fields" not in json.loads(call("extract", "page.html", "--format", "json").stdout)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "table"),
        ("[fields]\n", "table"),
        ("[field]\na = 'b'", "did you mean 'fields'"),
        ("[fields]\na = 1", "a: a CSS selector"),
        ("[fields]\na = ['']", "a: a CSS selector"),
        ("[fields]\na = 'h1['", "a: 'h1\\['"),
        ("[fields]\na = '//h1['", "a: '//h1\\['"),
        ("[fields]\na = '//x:h1'", "a: '//x:h1'"),
        ("fields", "TOML"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text, wrong, tmp_path):
    path = tmp_path / "fields.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=wrong) as caught:
        read_field_rules(path)
    assert "fields.toml" in str(caught.value)
    assert "\n" not in str(caught.value)
