"""Lists of equal structure told apart by kind, articles left whole."""

import gzip
import json
import pickle
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.page import Page
from quarkcrawl.template.clustering.classquestion import class_question
from quarkcrawl.template.clustering.cluster import cluster
from quarkcrawl.template.clustering.groups import groups_of
from quarkcrawl.template.clustering.kinds import divide_by_kind
from quarkcrawl.template.clustering.questions import Kind, KindOptions, Question, title_segments
from quarkcrawl.template.clustering.scores import adjusted_rand_index, purity
from quarkcrawl.template.clustering.titlequestion import title_question
from quarkcrawl.template.model.templatefile import read_templates, write_templates
from quarkcrawl.template.structure.mask import prose_nodes
from quarkcrawl.template.structure.sequence import SequenceOptions, sequence_of_page
from quarkcrawl.template.structure.signs import NO_SIGNS, Signs, signs_of
from quarkcrawl.template.train import TrainOptions, train
from quarkcrawl.template.unknown import UnknownBuffer
from tests.template.blogpages import WORDS, post
from tests.template.samples import letters, relaxed, sequences

SITES = Path(__file__).resolve().parents[4] / "shared" / "data" / "sites"
NAMES = "Java Python 网络 算法 笔记 生活 Linux 数据库 读书 前端 容器 编译原理".split()  # noqa: SIM905


def listing(title, kind="", number=0):
    """A list; all have the same elements."""
    rows = "".join(f"<h2><a href='/p/{number}{k}'>旧文{number}{k}</a></h2>" for k in range(5))
    html = f"""<html><head><title>{title}</title></head><body><nav><a href="/">首页</a></nav>
    <main class="list {kind}" id="n{number}">{rows}</main></body></html>"""
    return Page.from_html(html, f"http://a.cn/{number}.html")


def lists(tag, category, archive, kinds=("", "", "")):
    """Twelve lists of each of two kinds, eight archives; what each is."""
    named = [(tag.format(name), kinds[0], "tag") for name in NAMES]
    named += [(category.format(name), kinds[1], "category") for name in NAMES]
    named += [(archive.format(2010 + k), kinds[2], "archive") for k in range(8)]
    pages = [listing(title, kind, number) for number, (title, kind, _) in enumerate(named)]
    return pages, [label for _, _, label in named]


def divided(pages, options=None):
    made = [sequence_of_page(page).sequence for page in pages]
    return divide_by_kind(cluster(made), made, options)


def partition(labels):
    return {frozenset(np.flatnonzero(np.array(labels) == one).tolist()) for one in set(labels)}


TITLES = [
    ("标签: {} | 我的站", "分类: {} | 我的站", "归档 | 我的站"),
    ("标签 - {} - 我的站", "分类 - {} - 我的站", "归档 - 我的站"),
    ("标签：{}", "分类：{}", "{}年归档"),
    ("{} - 标签 - 我的站", "{} - 分类 - 我的站", "归档 - 我的站"),
    ("标签 {} 下的文章 - 我的站", "分类 {} 下的文章 - 我的站", "{} 年的文章 - 我的站"),
    ("Tag: {} | My site", "Category: {} | My site", "Archives: {}/05 | My site"),
    ("Posts tagged {} – My site", "Category {} – My site", "Archive {} – My site"),
    ("{} Tag – My site", "{} Archives – My site", "{} – My site"),
]


@pytest.mark.parametrize("titles", TITLES, ids=lambda titles: titles[0])
def test_titles_of_many_programs_tell_lists_apart(titles):
    pages, truth = lists(*titles)
    found = divided(pages)
    assert partition(found.labels.tolist()) == partition(truth)
    assert all(kind is not None for kind in found.kinds)


def test_without_kinds_they_are_one_cluster():
    pages, _ = lists(*TITLES[0])
    made = [sequence_of_page(page).sequence for page in pages]
    assert len(cluster(made)) == 1
    assert len(divide_by_kind(cluster(made), made, KindOptions(ask=()))) == 1


def test_class_names_tell_lists_apart_when_titles_do_not():
    pages, truth = lists("一页", "一页", "一页", ("by-tag", "by-category", "by-date"))
    found = divided(pages)
    assert partition(found.labels.tolist()) == partition(truth)
    assert {str(kind) for kind in found.kinds} == {
        "class 'main/2.by-tag'", "class 'main/2.by-category'", "class 'main/2.by-date'"
    }  # fmt: skip


def test_a_class_that_only_some_lists_have_is_no_kind():
    pages, _ = lists("一页", "一页", "一页", ("", "first", "has-more"))
    assert len(divided(pages)) == 1


def test_names_before_their_kind_are_no_kinds_though_they_are_few():
    titles = [f"{name} - {kind} - 我的站" for name in NAMES[:5] for kind in ("标签", "分类")]
    found = divided([listing(title, number=k) for k, title in enumerate(titles * 2)])
    assert partition(found.labels.tolist()) == partition([0, 1] * 10)


def test_names_alone_are_no_kinds():
    pages = [listing(f"{NAMES[k % 6]} | 我的站", number=k) for k in range(30)]
    assert len(divided(pages)) == 1
    many = [listing(f"{NAMES[k % 12]}{k} | 我的站", number=k) for k in range(30)]
    assert len(divided(many)) == 1


def series(number):
    """An article of one of three series."""
    page = post(number)
    title = f"{('算法', '网络', '读书')[number % 3]}: 第{number}篇 | 我的站"
    html = page.html.replace(f"文章{number} - 我的博客", title)
    return Page.from_html(html.replace("<section>", f"<section>{WORDS * 8}"), page.url)


def test_articles_stay_whole_whatever_begins_their_titles():
    pages = [series(number) for number in range(3, 33)]
    assert len(divided(pages)) == 1
    assert len(divided(pages, KindOptions(max_prose=1.0))) == 3  # the rule is what keeps them


def test_pages_that_answer_nothing_are_together():
    pages, truth = lists(*TITLES[0])
    pages += [listing("友情链接 | 我的站", number=77)]
    found = divided(pages)
    assert partition(found.labels.tolist()) == partition([*truth, "none"])
    assert found.kinds[-1].answer is None


def test_words_of_a_title():
    assert title_segments("标签：Java 17 · 我的站") == ("标签", "Java 0", "我的站")
    assert title_segments("well-known a/b") == ("well-known a/b",)
    assert title_segments("") == title_segments(" | - ") == ()


HTML = """<html><head><title>归档 | 站</title></head><body class="page by-date"><div id="main">
<i class="dot"></i><i class="dot"></i><article id="a"><p class="deep">{}</p></article></div>"""


def test_golden_page():
    tree = Page.from_html(HTML.format("春风又绿江南岸。" * 50)).tree
    found = signs_of(tree, prose_nodes(tree))
    marks = ("body/1.page", "body/1.by-date", "div/2#main", "article/3#a", "p/4.deep")
    assert found == Signs("归档 | 站", marks, has_prose=True)
    short = Page.from_html(HTML.format("短")).tree
    assert signs_of(short, prose_nodes(short)) == Signs("归档 | 站", marks, has_prose=False)


def test_what_is_inside_the_prose_is_no_sign():
    inner = "<b class='in'>早春呈水部张十八员外。</b>" + "天街小雨润如酥。" * 40
    tree = Page.from_html(HTML.format(inner)).tree
    assert "b/5.in" not in signs_of(tree, prose_nodes(tree)).marks


def test_an_endless_page_keeps_some_marks():
    tree = Page.from_html("".join(f"<i id=a{k}>" for k in range(3000))).tree
    assert len(signs_of(tree, prose_nodes(tree)).marks) == 1000


def test_signs_may_be_left_out():
    page = listing("标签: a | 站", "by-tag")
    assert sequence_of_page(page, SequenceOptions(signs=False)).sequence.signs == NO_SIGNS


# Properties

words = st.sampled_from(["标签", "分类", "归档", "a", "b", "c", "站", "1", "22"])
titles = st.lists(words, max_size=3).map(" | ".join)
marks = st.lists(st.sampled_from(["a/1.x", "a/1.y", "a/1.z", "b/2#x", "b/2.y"]), unique=True)
signs = st.builds(Signs, titles, marks.map(tuple), st.booleans())
signed = st.lists(st.tuples(st.sampled_from("abcd"), signs), max_size=40).map(
    lambda pairs: [replace(letters(text * 4), signs=one) for text, one in pairs]
)
options = st.builds(
    KindOptions, st.sampled_from([("title",), ("class",), ("title", "class")]),
    st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.0, 0.05, 0.2]), st.just(1.0),
)  # fmt: skip


@relaxed
@given(signed, options)
def test_parts_are_parts_of_clusters_and_all_of_one_answer(made, how):
    before = cluster(made)
    after = divide_by_kind(before, made, how)
    assert len(after.kinds) == len(after)
    sizes = np.bincount(after.labels, minlength=len(after)).tolist()
    assert sizes == sorted(sizes, reverse=True)
    for number, kind in enumerate(after.kinds):
        pages = after.members(number).tolist()
        assert int(after.centers[number]) in pages
        assert len({int(before.labels[page]) for page in pages}) == 1
        whole = before.members(int(before.labels[pages[0]])).tolist()
        same = [page for page in whole if kind is None or kind.has(made[page].signs)]
        assert same == pages


@relaxed
@given(signed, options, st.randoms())
def test_the_order_of_pages_does_not_matter(made, how, dice):
    order = list(range(len(made)))
    dice.shuffle(order)
    shuffled = [made[page] for page in order]
    one = divide_by_kind(cluster(made), made, how).labels.tolist()
    other = divide_by_kind(cluster(shuffled), shuffled, how).labels.tolist()
    back = [0] * len(made)
    for place, page in enumerate(order):
        back[page] = other[place]
    assert partition(one) == partition(back)


@relaxed
@given(st.lists(signs, min_size=1, max_size=40), options)
def test_a_question_has_frequent_answers_that_nearly_all_give(said, how):
    for question in (title_question(said, how), class_question(said, how)):
        if question is None:
            continue
        counts = [sum(question.answer(one) == a for one in said) for a in question.answers]
        assert min(counts) >= 1  # two pages, one of which may also have another's class
        if question.witness == "class":
            assert sum(counts) >= how.least_cover * len(said)
            both = [sum(a in one.marks for a in question.answers) > 1 for one in said]
            assert sum(both) <= 0.02 * len(said) * len(question.answers)


@given(signs)
def test_signs_travel(one):
    there = pickle.loads(pickle.dumps(one))
    assert there == one
    twin = pickle.loads(pickle.dumps(one))
    assert all(a is b for a, b in zip(there.marks, twin.marks, strict=True))


@given(sequences, signs)
def test_signs_are_no_part_of_structure(sequence, one):
    assert replace(sequence, signs=one).digest == sequence.digest


# Templates of kinds


@pytest.fixture(scope="module")
def site():
    pages, truth = lists(*TITLES[0])
    return pages, truth, train(pages)


@pytest.mark.full
def test_each_kind_has_a_template_and_new_pages_find_it(site):
    pages, truth, trained = site
    assert len(trained.templates) == len({template.id for template in trained.templates.templates})
    kind_of = dict(zip(trained.template_of, truth, strict=True))
    assert len(kind_of) == 3
    for title, kind in (
        ("标签: 新 | 我的站", "tag"), ("分类: 新 | 我的站", "category"), ("归档 | 我的站", "archive")
    ):  # fmt: skip
        new = sequence_of_page(listing(title, number=99)).sequence
        assert kind_of[trained.templates.nearest(new, "a.cn").template.id] == kind
        assert kind_of[trained.templates.nearest(new).template.id] == kind
    for page, name in zip(pages, trained.template_of, strict=True):
        assert trained.templates.nearest(sequence_of_page(page).sequence).template.id == name


def test_pages_of_no_kind_have_a_template_of_their_structure(site):
    trained = site[2]
    new = sequence_of_page(listing("友情链接 | 我的站", number=99)).sequence
    assert trained.templates.nearest(new) is not None
    bare = replace(new, signs=NO_SIGNS)
    assert trained.templates.nearest(bare) is not None


def test_kinds_survive_their_file(site, tmp_path):
    templates = site[2].templates
    write_templates(templates, tmp_path / "t.json")
    again = read_templates(tmp_path / "t.json")
    assert again == templates
    assert {str(one.kind) for one in again.templates} == {
        "title-start '标签'", "title-start '分类'", "title-start '归档'"
    }  # fmt: skip


@pytest.mark.parametrize(("change", "message"), [
    ({"witness": "address"}, "no witness 'address'"), ({"answer": "别的"}, "no answer"),
    ({"answers": None}, "damaged"),
])  # fmt: skip
def test_damaged_kinds_are_named(site, tmp_path, change, message):
    path = tmp_path / "t.json"
    write_templates(site[2].templates, path)
    data = json.loads(path.read_text())
    data["templates"][1]["kind"] |= change
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message) as error:
        read_templates(path)
    assert "template 1" in str(error.value)


def test_files_from_before_there_were_kinds_are_read(site, tmp_path):
    path = tmp_path / "t.json"
    write_templates(site[2].templates, path)
    data = json.loads(path.read_text())
    del data["options"]["signs"]
    for entry in data["templates"]:
        del entry["kind"]
    path.write_text(json.dumps(data))
    old = read_templates(path)
    assert not old.sequence.signs
    page = sequence_of_page(site[0][0], old.sequence).sequence
    assert old.nearest(page).template.kind is None


def test_waiting_pages_keep_their_signs(site, tmp_path):
    buffer = UnknownBuffer(tmp_path / "u.jsonl")
    for page in site[0]:
        buffer.add(page.url, sequence_of_page(page).sequence)
    again = UnknownBuffer(tmp_path / "u.jsonl").retrain(site[2].templates.__class__())
    assert (again.n_new, again.n_waiting) == (3, 0)


def test_training_can_leave_kinds_out(site):
    whole = train(site[0], TrainOptions(kinds=None))
    assert len(whole.templates) == 1
    assert whole.templates.templates[0].kind is None


def test_nothing_one_page_and_few_pages():
    assert len(divided([])) == 0
    assert divided([listing("a")]).kinds == (None,)
    few = [listing(f"标签: {k} | 站", number=k) for k in range(2)] + [listing("归档 | 站")] * 3
    assert len(divided(few)) == 1


@pytest.mark.parametrize("wrong", [{"ask": ("address",)}, {"least_cover": 1.2},
                                   {"least_share": -1}, {"max_prose": 2}])  # fmt: skip
def test_wrong_options_are_errors(wrong):
    with pytest.raises(ConfigError):
        KindOptions(**wrong)


def test_an_unknown_witness_is_an_error():
    with pytest.raises(InputError):
        Question("address", ("a",))
    assert str(Kind(Question("class", ("a/1.b",)), None)) == "class -"


# The real sites


def real(per_site):
    dice = random.Random(5)
    made, urls, classes = [], [], []
    for path in sorted(SITES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = lines.readlines()
        for row in map(json.loads, dice.sample(rows, min(per_site, len(rows)))):
            made.append(sequence_of_page(Page.from_html(row["html"], row["url"])).sequence)
            urls.append(row["url"])
            classes.append(f"{path.name}|{row['template_label']}")
    return made, groups_of(urls), classes


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.skipif(not SITES.exists(), reason="no ../shared/data/sites")
def test_sites_agree_with_their_url_rule():
    made, groups, classes = real(10**9)
    whole = cluster(made, None, groups)
    found = divide_by_kind(whole, made).labels.tolist()
    assert adjusted_rand_index(found, classes) >= 0.96
    assert purity(found, classes) >= 0.98
    assert adjusted_rand_index(whole.labels.tolist(), classes) < 0.8


@pytest.mark.full
@pytest.mark.shared
@pytest.mark.skipif(not SITES.exists(), reason="no ../shared/data/sites")
def test_samples_of_the_sites_agree_with_their_url_rule():
    made, groups, classes = real(40)
    found = divide_by_kind(cluster(made, None, groups), made).labels.tolist()
    assert adjusted_rand_index(found, classes) >= 0.80
    assert purity(found, classes) >= 0.95
