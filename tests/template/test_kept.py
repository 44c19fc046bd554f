"""What is kept of templates: their file, and the buffer of unknown pages."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.page import Page
from quarkcrawl.template.matcher import TemplateMatcher
from quarkcrawl.template.model.fields import extract_fields
from quarkcrawl.template.model.induce import induce
from quarkcrawl.template.model.model import sequence_of_nodes
from quarkcrawl.template.model.templatefile import (
    read_templates,
    templates_to_json,
    write_templates,
)
from quarkcrawl.template.model.templateset import TemplateSet
from quarkcrawl.template.structure.sequence import sequence_of_page
from quarkcrawl.template.unknown import BufferOptions, UnknownBuffer
from tests.template.blogpages import listing, post, prepared
from tests.template.samples import letters, relaxed, sequences

# Files


def test_templates_survive_their_file(labeled, tmp_path):
    path = tmp_path / "templates.json"
    write_templates(labeled, path)
    read = read_templates(path)
    assert read == labeled
    assert json.loads(path.read_text())["templates"][0]["labels"]["title"]
    assert [p.name for p in tmp_path.iterdir()] == ["templates.json"]
    page = post(9, comments=2)
    assert extract_fields(page, read) == extract_fields(page, labeled)


@relaxed
@given(made=st.lists(sequences, min_size=1, max_size=5))
def test_any_template_survives_its_file(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("any") / "t.json"
    before = TemplateSet((induce(made),))
    write_templates(before, path)
    assert read_templates(path) == before


def test_odd_names_survive():
    page = sequence_of_page(Page.from_html("<h1>a</h1><x-1 y><o:p>b</o:p><a\u3000b>c<d\xa01>"))
    template = induce([page.sequence])
    data = json.loads(json.dumps(templates_to_json(TemplateSet((template,)))))
    from quarkcrawl.template.model.templatefile import templates_from_json

    assert templates_from_json(data).templates[0] == template
    assert sequence_of_nodes(template.center).tokens.tolist() == page.sequence.tokens.tolist()


def broken(data, change):
    change(data)
    return data


DAMAGE = [
    ("", "no template file"),
    ("[]", "this is no template file"),
    ("[" * 200_000, "no template file"),
    (lambda d: d.update(version=2), "templates of version 2; this reads 1"),
    (lambda d: d.update(format="x"), "this is no template file"),
    (lambda d: d.pop("options"), "options: lacks 'options'"),
    (lambda d: d["options"].update(repeats="x"), "no way to find repeats"),
    (lambda d: d["options"]["cluster"].update(weight="x"), "no weight function"),
    (lambda d: d.update(templates=3), "templates is no list"),
    (lambda d: d["templates"][1].update(centre="div"), "template 1: 'div' is no element"),
    (lambda d: d["templates"][0].update(centre="div/9999"), "template 0"),
    (lambda d: d["templates"][0]["parts"].append(d["templates"][0]["parts"][-1]), "take turns"),
    (lambda d: d["templates"][0]["labels"].update(x="9.9"), "no position 9"),
    (lambda d: d["templates"][0].update(texts=[]), "template 0"),
    (lambda d: d["templates"].append(d["templates"][0]), "two templates have the id"),
    (lambda d: d["templates"][0]["parts"][1]["optional"][0].update(p=2), "more than 1"),
]


@pytest.mark.parametrize(("change", "message"), DAMAGE)
def test_damage_is_named(labeled, tmp_path, change, message):
    path = tmp_path / "t.json"
    data = templates_to_json(labeled)
    path.write_text(change if isinstance(change, str) else json.dumps(broken(data, change)))
    with pytest.raises(InputError, match=message) as raised:
        read_templates(path)
    assert raised.value.where == str(path)


def test_missing_files_and_ids(tmp_path, labeled):
    with pytest.raises(InputError, match="no template file"):
        read_templates(tmp_path / "none.json")
    with pytest.raises(InputError, match="no template with an id"):
        labeled["zzz"]
    with pytest.raises(InputError, match="2 templates with an id"):
        labeled[""]
    with pytest.raises(ConfigError, match="two templates"):
        replace(labeled, templates=labeled.templates * 2)


# Unknown pages


def small():
    return BufferOptions(size_pages=8, least_pages=5, max_rounds=2)


def test_unknown_pages_become_a_template(labeled, tmp_path):
    path = tmp_path / "unknown.jsonl"
    known = replace(labeled, templates=labeled.templates[:1])
    buffer = UnknownBuffer(path, small())
    for number in range(6):
        buffer.add(listing(number).url, prepared(listing(number), known))
    odd = Page.from_html("<h5>x</h5><x-y>z", "http://a.example.cn/odd")
    for page in (odd, odd):
        assert not buffer.is_full
        buffer.add(page.url, prepared(page, known))
    assert UnknownBuffer(path, small()).is_full
    found = UnknownBuffer(path, small()).retrain(known)
    assert (found.n_new, found.n_explained, found.n_dropped, found.n_waiting) == (1, 6, 0, 2)
    assert found.templates.templates[0] == known.templates[0]
    assert extract_fields(listing(40), found.templates).template == found.templates.templates[1].id
    again = UnknownBuffer(path, small()).retrain(found.templates)
    assert (again.n_new, again.n_dropped, again.n_waiting) == (0, 2, 0)
    assert path.read_text() == ""


def test_a_matcher_learns_from_what_it_does_not_know(tmp_path):
    path, waiting = tmp_path / "t.json", tmp_path / "u.jsonl"
    matcher = TemplateMatcher(path, waiting, options=small())
    for number in range(8):
        assert matcher.match(listing(number)).template == ""
    assert len(matcher.templates) == 1
    assert read_templates(path) == matcher.templates
    assert waiting.read_text() == ""
    known = matcher.match(listing(50)).template
    assert known == matcher.templates.templates[0].id
    assert read_templates(path).templates[0].buffer_pages == 8
    later = TemplateMatcher(path, waiting, by_host=True)
    assert later.match(listing(51)).template == known
    assert later.match(listing(51, host="b.cn")).template == ""
    with pytest.raises(InputError, match="no template file"):
        TemplateMatcher(tmp_path / "none.json")


def test_pages_leave_the_buffer_only_when_their_templates_are_saved(tmp_path):
    waiting = tmp_path / "u.jsonl"
    matcher = TemplateMatcher(tmp_path / "gone" / "t.json", waiting, options=small())
    for number in range(7):
        matcher.match(listing(number))
    with pytest.raises(OSError, match="gone"):
        matcher.match(listing(7))
    assert len(waiting.read_text().splitlines()) == 8
    (tmp_path / "gone").mkdir()
    matcher.match(listing(8))
    assert len(matcher.templates) == 1
    assert waiting.read_text() == ""


def test_a_cut_line_is_forgotten_and_a_damaged_one_named(tmp_path):
    path = tmp_path / "unknown.jsonl"
    buffer = UnknownBuffer(path)
    buffer.add("http://a.cn/", letters("abc"))
    buffer.add("http://a.cn/2", letters("abc"))
    text = path.read_text()
    path.write_text(text[:-9])
    assert len(UnknownBuffer(path)) == 1
    path.write_text("{}\n" + text)
    with pytest.raises(InputError, match=r"unknown\.jsonl:1: damaged"):
        UnknownBuffer(path)


def test_pages_that_come_after_a_cut_line_are_kept(tmp_path):
    path = tmp_path / "unknown.jsonl"
    buffer = UnknownBuffer(path)
    buffer.add("http://a.cn/", letters("abc"))
    buffer.add("http://a.cn/2", letters("abc"))
    path.write_text(path.read_text()[:-9])
    UnknownBuffer(path).add("http://a.cn/3", letters("abd"))
    assert len(UnknownBuffer(path)) == 2


@pytest.mark.parametrize("value", ["1e999", "-Infinity", '"1"', "null", "[" * 100_000])
def test_any_value_in_the_buffer_is_an_error_that_names_its_line(tmp_path, value):
    path = tmp_path / "unknown.jsonl"
    path.write_text(f'{{"url": "http://a.cn/", "nodes": "div/1", "rounds": {value}}}\n')
    with pytest.raises(InputError, match=r"unknown\.jsonl:1: damaged"):
        UnknownBuffer(path)


def test_a_round_waits_for_new_pages(tmp_path):
    """Pages that fit nowhere would else have all their rounds beside the same pages."""
    buffer = UnknownBuffer(tmp_path / "u.jsonl", BufferOptions(size_pages=4, max_rounds=3))
    templates = TemplateSet()
    for number in range(12):
        assert not buffer.is_full
        buffer.add(f"http://h{number}.cn/", letters("abc" + chr(ord("d") + number)))
        if buffer.is_full:
            found = buffer.retrain(templates)
            assert found.n_waiting + found.n_dropped == number + 1
    assert (found.n_waiting, found.n_dropped) == (8, 4)


def test_templates_that_cannot_be_written_leave_nothing(labeled, tmp_path):
    (tmp_path / "t.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_templates(labeled, tmp_path / "t.json")
    assert [path.name for path in tmp_path.iterdir()] == ["t.json"]
