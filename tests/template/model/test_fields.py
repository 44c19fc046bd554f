"""From pages to fields: matching, labels, output, unknown pages, files."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.content import extract
from quarkcrawl.errors import ConfigError
from quarkcrawl.page import Page
from quarkcrawl.template.clustering.groups import groups_of
from quarkcrawl.template.clustering.lcs import similarity
from quarkcrawl.template.model.alignment import align_page
from quarkcrawl.template.model.evidence import boilerplate_runs, site_content
from quarkcrawl.template.model.fields import TemplateFields, extract_fields
from quarkcrawl.template.model.induce import induce
from quarkcrawl.template.model.labels import propose, spread, variables
from quarkcrawl.template.model.model import Position, sequence_of_nodes
from quarkcrawl.template.model.output import (
    FIELDS_FORMS,
    field_names,
    json_lines,
    write_fields,
    xml_lines,
)
from quarkcrawl.template.model.templateset import TemplateSet
from quarkcrawl.template.structure.filters import THESIS_BLOG, FilterOptions, reason_to_leave_out
from quarkcrawl.template.structure.sequence import sequence_of_page
from quarkcrawl.template.train import TrainOptions, train
from tests.template.blogpages import WORDS, at, listing, post, prepared
from tests.template.samples import relaxed, sequences


def test_training_finds_the_two_templates(trained):
    assert [template.n_pages for template in trained.templates.templates] == [12, 6]
    assert len(set(trained.template_of[:12])) == len(set(trained.template_of[12:])) == 1
    post_template = trained.templates.templates[0]
    assert at(post_template, "dl").alternative >= 0
    assert at(post_template, "address").alternative >= 0
    assert at(post_template, "h1").alternative == -1


def test_fields_of_new_pages(labeled):
    for number in (100, 201):
        got = extract_fields(post(number, comments=3), labeled)
        assert got.fields["title"] == (f"文章{number}",)
        assert got.fields["date"] == (f"2013-06-{10 + number % 18}",)
        assert got.fields["editor"] == (f"编辑{number}",)
        assert [said.split("\n")[-1] for said in got.fields["comment"]] == [
            f"评论{number}-{k}" for k in range(3)
        ]
        assert got.first("body").count(WORDS) == 3 + number % 4
        assert got.template == labeled.templates[0].id
        assert got.similarity > 0.9


def test_what_a_page_lacks_is_missing(labeled):
    got = extract_fields(post(7, editor=False), labeled)
    assert set(got.missing) == {"editor", "comment"}
    assert got.first("editor") == ""


def test_a_page_of_another_kind_is_unknown(labeled):
    got = extract_fields(Page.from_html("<h1>x</h1><table><tr><td><i>y"), labeled)
    assert (got.template, got.fields, got.similarity) == ("", {}, 0)
    assert extract_fields(post(3), labeled, "b.example.cn").template == ""
    assert extract_fields(post(3), labeled, "a.example.cn").template
    assert extract_fields(post(3), TemplateSet()).template == ""


def test_the_dynamic_part_is_what_no_template_explains(labeled):
    page = post(50)
    page = Page.from_html(page.html.replace("</article>", "</article><h4>新栏目</h4>"), page.url)
    got = extract_fields(page, labeled)
    assert [part.text for part in got.dynamic] == ["新栏目"]
    gap = got.dynamic[0].gap
    named = labeled.templates[0].with_label("extra", Position(-1, -1, gap))
    got = extract_fields(page, labeled.with_template(named))
    assert got.fields["extra"] == ("新栏目",)


def test_every_page_is_matched_by_its_own_template(pages, trained):
    for page, name in zip(pages, trained.template_of, strict=True):
        got = extract_fields(page, trained.templates)
        assert got.template == name
        assert not got.dynamic


@relaxed
@given(st.lists(sequences, min_size=1, max_size=6))
def test_members_have_all_essential_nodes_of_their_template(made):
    template = induce(made)
    essential = {position for position, _ in template.essential}
    for member in made:
        alignment = align_page(template, member)
        assert essential <= alignment.places.keys()
        assert len(alignment.positions) == len(member)
        runs = [place for run in alignment.dynamic for place in run.places]
        assert runs == [k for k, where in enumerate(alignment.positions) if where is None]
        tags = dict(template.positions())
        for place, where in enumerate(alignment.positions):
            assert where is None or tags[where].tag == member.tags[place]


@relaxed
@given(st.lists(sequences, min_size=1, max_size=8), sequences)
def test_the_nearest_template_is_the_nearest_of_all(centers, page):
    made = [replace(induce([center]), id=str(k)) for k, center in enumerate(centers)]
    found = TemplateSet(tuple(made)).nearest(page, min_similarity=0.3)
    truth = [similarity(page, center) for center in centers]
    if max(truth) < 0.3:
        assert found is None
    else:
        assert found.similarity == max(truth)
        assert found.template.id == str(truth.index(max(truth)))


def test_variables_are_what_a_person_may_name(trained):
    template = trained.templates.templates[0]
    found = {entry.node.rstrip("+0123456789") or entry.node: entry for entry in variables(template)}
    assert found["time"].samples[0] == "2013-06-10"
    assert found["address"].probability == pytest.approx(8 / 12)
    assert "footer" not in found
    assert template.texts[at(template, "footer")].constant == "版权所有 我的博客"


def test_proposals_point_to_what_the_extractor_sees(pages, trained):
    template = trained.templates.templates[0]
    found = propose(template, pages[:6], trained.templates)
    assert found["title"] == at(template, "h1")
    assert found["date"] == at(template, "time")
    assert found["body"] in {at(template, "section"), at(template, "article")}
    lists = trained.templates.templates[1]
    items = propose(lists, pages[12:], trained.templates)
    assert items["item"] in {at(lists, "h2"), at(lists, "a")}


def test_labels_spread_to_variants_of_a_template(labeled):
    source = labeled.templates[0]
    variant = induce(
        [sequence_of_page(Page.from_html(
            post(1).html.replace("<footer>", "<div><form><button>x</button></form></div><footer>")
        )).sequence], host=source.host, section="other",
    )  # fmt: skip
    stranger = replace(variant, id="other", host="b.example.cn")
    made = spread(replace(labeled, templates=(source, variant, stranger)), source.id)
    assert at(variant, "h1") == made[variant.id].labels["title"]
    assert made[variant.id].labels["body"] == at(variant, "section")
    assert "comment" not in made[variant.id].labels
    assert not made["other"].labels


def test_boilerplate_is_what_all_pages_say_at_one_place(trained):
    page = post(77)
    marked = boilerplate_runs(page, trained.templates)
    texts = {run.strip() for run, is_in in zip(page.tree.runs, marked, strict=True) if is_in}
    assert {"首页", "关于", "版权所有 我的博客"} <= texts
    assert not any("77" in text or WORDS in text for text in texts)
    assert not boilerplate_runs(Page.from_html("<b>x"), trained.templates).any()


def test_the_site_model_takes_boilerplate_out_of_what_the_page_model_found():
    notice = "本文由我的博客原创，未经许可，不得转载，转载时请注明出处，谢谢大家的支持，欢迎常来。"

    def with_notice(number):
        page = post(number)
        html = page.html.replace("</section>", f"<i>{notice}</i></section>")
        return Page.from_html(html, page.url)

    templates = train([with_notice(k) for k in range(8)]).templates
    page = with_notice(50)
    alone, together = extract(page, method="quark"), site_content(page, templates, "quark")
    assert notice in alone.text
    assert WORDS in alone.text
    assert notice not in together.text
    assert together.text.count(WORDS) == alone.text.count(WORDS)
    assert site_content(page, TemplateSet(), "quark").text == alone.text


def test_two_pages_show_no_boilerplate():
    few = train([post(1), post(1)])
    assert all(text.constant is None for text in few.templates.templates[0].texts.values())


def test_xml_and_json_say_the_same(labeled):
    pages = [post(5, comments=2), Page.from_html("<b>x", 'http://x/?a=1&b=<\x01"')]
    done = [extract_fields(page, labeled) for page in pages]
    done[0].fields["title"] = ("a<b & \x00c\ud800",)
    root = ET.fromstring("\n".join(xml_lines(done)))
    rows = [json.loads(line) for line in json_lines(done)]
    assert root.tag == "documents"
    assert [one.get("id") for one in root] == ["1", "2"]
    assert root[0].find("title").text == "a<b & c"
    assert [one.text.split() for one in root[0].findall("comment")] == [
        value.split() for value in rows[0]["fields"]["comment"]
    ]
    assert root[1].get("url") == 'http://x/?a=1&b=<"'
    assert (rows[1]["template"], rows[1]["fields"]) == (None, {})


@relaxed
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=9), min_size=1, max_size=4))
def test_csv_is_read_as_it_was(values):
    pages = [
        TemplateFields(value, "t", 0.5, {"a": (value,), "b,c": tuple(values)}) for value in values
    ]
    out = io.BytesIO()
    write_fields(out, "csv", pages, ["a", "b,c"])
    rows = list(csv.reader(io.StringIO(out.getvalue().decode(), newline="")))
    assert rows[0] == ["url", "template", "similarity", "a", "b,c"]
    assert rows[1:] == [[value, "t", "0.5000", value, " | ".join(values)] for value in values]


def test_parquet_has_a_list_for_each_field_and_all_forms_are_written_without_pages(labeled):
    done = [extract_fields(page, labeled) for page in (post(5, comments=2), Page.from_html("<b>x"))]
    names = field_names(labeled.templates)
    for form in FIELDS_FORMS:
        write_fields(io.BytesIO(), form, [], names)
    out = io.BytesIO()
    write_fields(out, "parquet", done, names)
    rows = pq.ParquetFile(pa.BufferReader(out.getvalue())).read().to_pylist()
    assert list(rows[0]) == ["url", "template", "similarity", *names]
    assert rows[0]["comment"] == list(done[0].fields["comment"])
    assert rows[1]["template"] is None
    assert rows[1]["comment"] == []


# Bad input


def test_no_pages_one_page_and_pages_of_one_cluster():
    assert len(train([]).templates) == 0
    assert len(train([post(1)]).templates) == 0
    assert len(train([post(1)], TrainOptions(least_pages=1)).templates) == 1
    assert len(train([post(k) for k in range(5)]).templates) == 1
    empty = train([Page.from_html("")] * 3)
    assert [template.n_pages for template in empty.templates.templates] == [3]


def test_groups():
    urls = [f"http://A.cn/tags/{k}/" for k in range(5)] + ["http://a.cn/2013/06/x.html"] * 9
    urls += ["http://a.cn/slug/", "http://a.cn/x", "nonsense", "http://[x/a/b"]
    assert set(groups_of(urls, "all")) == {""}
    assert groups_of(urls) == ["a.cn"] * 16 + ["", ""]
    assert groups_of(urls, "section") == ["a.cn/tags"] * 5 + ["a.cn"] * 11 + ["", ""]
    same = train([post(k) for k in range(5)] + [post(k, host="b.cn") for k in range(5)])
    assert [template.host for template in same.templates.templates] == ["a.example.cn", "b.cn"]
    together = train(
        [post(k) for k in range(5)] + [post(k, host="b.cn") for k in range(5)],
        TrainOptions(group_by="all"),
    )
    assert [template.n_pages for template in together.templates.templates] == [10]


def test_sections_have_templates_of_their_own():
    def at_section(name, number):
        return Page.from_html(listing(number).html, f"http://a.cn/{name}/{number}/index.html")

    pages = [at_section(name, k) for name in ("tags", "archives") for k in range(6)]
    assert len(train(pages).templates) == 1
    made = train(pages, TrainOptions(group_by="section")).templates
    assert [template.section for template in made.templates] == ["a.cn/tags", "a.cn/archives"]
    for template, name in zip(made.templates, ("tags", "archives"), strict=True):
        assert extract_fields(at_section(name, 30), made).template == template.id
    assert extract_fields(at_section("elsewhere", 30), made).template == made.templates[0].id
    mixed = Page.from_html(post(1).html, "http://a.cn/tags/9/index.html")
    assert extract_fields(mixed, made).template == ""


# Filters


def test_filters_say_why():
    assert reason_to_leave_out(post(1)) is None
    assert reason_to_leave_out(post(1), status=404) == "error_page"
    assert reason_to_leave_out(Page.from_html("<title>404 Not Found</title>")) == "error_page"
    assert reason_to_leave_out(Page.from_html("<p>x</p>")) == "short_page"
    assert reason_to_leave_out(post(1), THESIS_BLOG) == "short_page"
    rule = FilterOptions(detail_url=r"/post/\d+\.html$")
    assert reason_to_leave_out(post(1), rule) is None
    assert reason_to_leave_out(listing(1), rule) == "directory_url"
    items = "".join(f"<li><a href=x>{WORDS}{k}</a></li>" for k in range(9))
    assert reason_to_leave_out(Page.from_html(f"<ul>{items}</ul>")) == "directory_links"
    assert reason_to_leave_out(Page.from_html(f"{WORDS * 20}<ul>{items}</ul>")) is None
    long = Page.from_html(f"{WORDS * 999}Server Error")
    assert reason_to_leave_out(long) is None
    assert reason_to_leave_out(Page.from_html("")) == "short_page"


def test_a_pattern_that_is_none_is_named():
    with pytest.raises(ConfigError, match=r"detail_url 'a\(' is no regular expression"):
        FilterOptions(detail_url="a(")


def test_the_least_similarity_can_be_asked_for(labeled):
    page = Page.from_html(post(3, comments=2).html.replace("<footer>", "<hr><footer>"))
    made = sequence_of_page(page, labeled.sequence).sequence
    assert labeled.nearest(made)
    assert labeled.nearest(made, min_similarity=1.0) is None
    center = sequence_of_nodes(labeled.templates[0].center)
    assert labeled.nearest(center, min_similarity=1.0).similarity == 1


def test_a_template_reaches_as_far_as_its_pages(pages, trained):
    template = trained.templates.templates[0]
    center = sequence_of_nodes(template.center)
    values = [similarity(prepared(page, trained.templates), center) for page in pages[:12]]
    assert template.reach == min(values) < 0.9
