"""``quarkcrawl template`` as a user runs it: train, look, label, extract, evaluate, preview."""

import gzip
import io
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from quarkcrawl.analysis import Outcome
from quarkcrawl.cli.template.pages import Pages, prepared
from quarkcrawl.page import PageTree
from quarkcrawl.template.model.templatefile import read_templates
from quarkcrawl.template.stored import StoredPages
from quarkcrawl.template.structure.policy import DEFAULT_POLICY, THESIS_POLICY
from quarkcrawl.template.structure.sequence import SequenceOptions, TagSequence
from tests.cli.test_extract import call, run
from tests.corpus.corpora import add_pages
from tests.template.blogpages import listing, post

__all__ = ["call"]  # a fixture


@pytest.fixture(autouse=True)
def site(tmp_path):
    """Posts and lists of one site."""
    made = [(post(k, comments=k % 3), "post") for k in range(10)]
    made += [(listing(k), "list") for k in range(5)]
    lines = [
        json.dumps({"url": page.url, "html": page.html, "template_label": kind})
        for page, kind in made
    ]
    (tmp_path / "site.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "new.html").write_text(post(99, comments=2).html, encoding="utf-8")


def trained(call, *words):
    done = call("template", "train", "site.jsonl", "--out", "t.json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), read_templates("t.json")


def place(template, tag):
    return next(str(where) for where, node in template.positions() if node.tag == tag)


@pytest.mark.full
def test_from_pages_to_fields(call):
    summary, found = trained(call)
    assert (summary["pages"], summary["templates"], summary["without_template"]) == (15, 2, 0)
    template = found.templates[0]
    rows = [json.loads(line) for line in call("template", "show", "t.json").stdout.splitlines()]
    assert [row["pages"] for row in rows] == [10, 5]
    shown = call("template", "show", "t.json", template.id[:6]).stdout
    assert f"{place(template, 'time')} time4: 2013-06-10 | 2013-06-11 | 2013-06-12" in shown
    named = [f"title={place(template, 'h1')}", f"said={place(template, 'dl')}"]
    done = call("template", "label", "t.json", template.id, *named)
    assert set(json.loads(done.stdout)[template.id]) == {"title", "said"}
    done = call("template", "apply", "t.json", "new.html", "site.jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0]["fields"]["title"] == ["文章99"]
    assert len(rows[0]["fields"]["said"]) == 2
    assert [row["id"] for row in rows] == list(range(1, 17))
    done = call("template", "apply", "t.json", "new.html", "--format", "xml")
    assert ET.fromstring(done.stdout)[0].find("title").text == "文章99"


@pytest.mark.full
def test_labels_are_typed_or_proposed(call, monkeypatch):
    template = trained(call)[1].templates[0]
    words = f"title = {place(template, 'h1')}\n\nrest={place(template, 'dl')}\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(words))
    done = call("template", "label", "t.json", template.id)
    assert "2013-06-10" in done.stdout
    assert list(read_templates("t.json").templates[0].labels) == ["title"]
    done = call("template", "label", "t.json", template.id, "--propose", "site.jsonl", "--spread")
    assert done.returncode == 0, done.stderr
    labels = read_templates("t.json")[template.id].labels
    assert str(labels["date"]) == place(template, "time")
    assert {"title", "date", "body"} <= labels.keys()


def test_clusters_are_compared_with_classes(call):
    done = call("template", "evaluate", "site.jsonl")
    scores = json.loads(done.stdout)
    assert (scores["adjusted_rand_index"], scores["purity"], scores["clusters"]) == (1, 1, 2)
    done = call("template", "evaluate", "new.html")
    assert done.returncode == 2
    assert "no page has a class" in done.stderr


def lists(tmp_path):
    """Lists of two kinds that only their titles tell apart."""
    made = [(listing(k), ("标签", "分类")[k % 2]) for k in range(12)]
    lines = [
        json.dumps({
            "url": page.url, "template_label": kind,
            "html": page.html.replace("<title>第", f"<title>{kind}: 第")
        })
        for page, kind in made
    ]  # fmt: skip
    (tmp_path / "lists.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.full
def test_lists_of_equal_structure_are_told_apart_by_kind(call, tmp_path):
    lists(tmp_path)
    scores = json.loads(call("template", "evaluate", "lists.jsonl").stdout)
    assert (scores["clusters"], scores["purity"]) == (2, 1)
    scores = json.loads(call("template", "evaluate", "lists.jsonl", "--no-kinds").stdout)
    assert (scores["clusters"], scores["options"]["kinds"]) == (1, None)
    assert call("template", "train", "lists.jsonl", "--out", "l.json").returncode == 0
    rows = [json.loads(line) for line in call("template", "show", "l.json").stdout.splitlines()]
    assert {row["kind"] for row in rows} == {"title-start '标签'", "title-start '分类'"}
    shown = call("template", "show", "l.json", rows[0]["id"]).stdout
    assert f"kind: {rows[0]['kind']}" in shown
    one = call("template", "apply", "l.json", "lists.jsonl").stdout.splitlines()
    assert len({json.loads(line)["template"] for line in one}) == 2
    done = call("template", "train", "lists.jsonl", "--out", "l.json", "--no-kinds", "--content")
    assert json.loads(done.stdout)["templates"] == 1


def test_pages_that_are_no_detail_pages_are_left_out_with_reasons(call):
    summary, _ = trained(call, "--details-only", "--detail-url", "/post/")
    assert summary["left_out"] == {"directory_url": 5}
    assert (summary["pages"], summary["templates"]) == (15, 1)


def test_the_curve_shows_what_the_similarity_does(call):
    summary, _ = trained(call, "--curve", "--group-by", "all")
    numbers = [point["n_clusters"] for point in summary["curve"]]
    assert numbers == sorted(numbers)
    assert summary["curve"][-1]["min_similarity"] == 1


@pytest.mark.full
def test_the_view_colors_what_the_template_says(call):
    _, found = trained(call)
    call(
        "template",
        "label",
        "t.json",
        found.templates[0].id,
        f"title={place(found.templates[0], 'h1')}",
    )
    done = call("template", "preview", "t.json", "new.html")
    tree = PageTree.parse(done.stdout)
    fills = {tree.text(node): tree.attr(node, "data-qk-fill") for node in tree.nodes("qk-run")}
    assert fills["文章99"] == "essential"
    assert fills["评论99-1"] == "repeated"
    assert any("title " in (tree.attr(n, "data-qk-label") or "") for n in tree.nodes("qk-run"))
    assert found.templates[0].id in done.stdout
    odd = run("template", "preview", "t.json", "-", cwd=".", stdin=b"<h5>x</h5><b onclick=y>z")
    assert "no template is near enough" in odd.stdout.decode()
    assert b"onclick" not in odd.stdout


def test_unknown_pages_wait_in_a_file(call, tmp_path):
    done = call("template", "apply", "none.json", "site.jsonl", "--unknown", "u.jsonl")
    assert done.returncode == 0, done.stderr
    assert all(json.loads(line)["template"] is None for line in done.stdout.splitlines())
    assert len((tmp_path / "u.jsonl").read_text().splitlines()) == 15


@pytest.mark.full
def test_a_corpus(call, tmp_path):
    add_pages(tmp_path / "corpus", range(12))
    done = call("template", "train", "corpus", "--out", "c.json", "--workers", "2")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["pages"], summary["left_out"]) == (12, {})
    done = call("template", "apply", "c.json", "corpus", "--by-host")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == summary["pages"]
    assert sum(row["template"] is None for row in rows) == summary["without_template"]


@pytest.mark.full
def test_a_damaged_record_costs_no_other_page(call, tmp_path):
    root = tmp_path / "corpus"
    add_pages(root, range(12))
    assert call("template", "train", "corpus", "--out", "c.json").returncode == 0
    victim = min(root.glob("data_*/*/page.dat"))
    victim.write_bytes(victim.read_bytes()[:-200])
    done = call("template", "apply", "c.json", "corpus", "--format", "xml")
    assert done.returncode == 1
    assert done.stderr.startswith(f"quarkcrawl: {victim.relative_to(tmp_path)}@")
    assert len(ET.fromstring(done.stdout)) == 11


def test_a_sequence_without_elements_is_one(monkeypatch):
    nothing = TagSequence(np.zeros(0, np.int32), np.zeros(0, np.bool_))
    monkeypatch.setattr(
        "quarkcrawl.analysis.map_pages", lambda *_, **__: [Outcome("page", nothing)]
    )
    pages = Pages(object.__new__(StoredPages), [""])
    pages.pages.root, pages.pages.places = "corpus", []
    assert prepared(pages, SequenceOptions()) == [nothing]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["show", "none.json"], 2, "none.json: no template file"),
        (["show", "new.html"], 2, "new.html: no template file"),
        (["show", "t.json", "zzz"], 2, "no template with an id"),
        (["label", "t.json", "", "a=0.0"], 2, "2 templates with an id"),
        (["apply", "t.json", "missing.html"], 2, "missing.html: cannot be read"),
        (["apply", "t.json", "bad.jsonl"], 2, "bad.jsonl:1: no JSON object"),
        (["apply", "t.json", "bare.jsonl"], 2, "bare.jsonl:2: no object with html"),
        (["apply", "t.json", "torn.jsonl"], 2, "torn.jsonl:2: no JSON"),
        (["apply", "t.json", "cut.jsonl.gz"], 2, "cut.jsonl.gz: cannot be read"),
        (["apply", "t.json", "deep.jsonl"], 2, "deep.jsonl:1: no JSON"),
        (["train", "none.jsonl", "--out", "no/t.json"], 1, "no/t.json: cannot be written"),
        (
            ["train", "none.jsonl", "--out", "x.json", "--details-only", "--detail-url", "("],
            2,
            "no regular expression",
        ),
        (["train", "site.jsonl", "--out", "x.json", "--workers", "-1"], 2, "--workers"),
        (["apply", "none.json", "new.html"], 2, "no template file"),
        (
            ["train", "site.jsonl", "--out", "x.json", "--min-similarity", "2"],
            2,
            "--min-similarity",
        ),
        (["train", "site.jsonl"], 2, "--out"),
    ],
)
def test_mistakes(call, tmp_path, words, code, message):
    trained(call)
    page = json.dumps({"html": "<p>x", "url": "http://a.cn/"})
    (tmp_path / "bad.jsonl").write_text("[1]\n")
    (tmp_path / "bare.jsonl").write_text(f'{page}\n{{"html": null}}\n')
    (tmp_path / "torn.jsonl").write_text(f"{page}\n{page[:9]}\n")
    (tmp_path / "deep.jsonl").write_text("[" * 100_000 + "\n")
    packed = bytearray(gzip.compress(page.encode() * 999))
    packed[20:30] = bytes(10)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed)
    done = call("template", *words)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.full
def test_labels_that_do_not_fit(call):
    _, found = trained(call)
    name = found.templates[0].id
    before = read_templates("t.json")
    for word, message in {"title": "is not NAME=POSITION", "title=9.9": "no position 9.9",
                          "title=x": "is no position", "1=0.0": "a name in XML"}.items():  # fmt: skip
        done = call("template", "label", "t.json", name, word)
        assert done.returncode in {1, 2}
        assert message in done.stderr
    assert read_templates("t.json") == before


def test_options_of_the_thesis_change_what_is_compared(call):
    """Its tags, its search for repeated records, and the plain common subsequence."""
    table = {
        word: trained(call, *words)[1].sequence
        for word, words in {
            "ours": (),
            "tags": ("--tags", "thesis"),
            "tree": ("--records", "suffix-tree"),
        }.items()
    }
    assert table["ours"].policy == DEFAULT_POLICY
    assert table["tags"].policy == THESIS_POLICY
    assert table["tree"].repeats == "suffix-tree"
    unmerged, _ = trained(call, "--records", "none", "--min-similarity", "0.99", "--no-mask")
    merged, _ = trained(call, "--records", "all", "--min-similarity", "0.99", "--no-mask")
    assert unmerged["distinct"] > merged["distinct"]
    assert trained(call, "--weight", "constant")[1].cluster.weight == "constant"
    words = ("--tags", "thesis", "--records", "suffix-tree", "--weight", "constant")
    done = call("template", "evaluate", "site.jsonl", *words)
    assert json.loads(done.stdout)["options"]["weight"] == "constant"


def test_the_buffer_of_unknown_pages_has_the_size_that_is_asked_for(call, tmp_path):
    apply = ("template", "apply", "new.json", "site.jsonl", "--unknown", "unknown.jsonl")
    done = call(*apply, "--buffer-pages", "10", "--min-pages", "3")
    assert done.returncode == 0, done.stderr
    (found, *_) = read_templates("new.json").templates
    assert (
        "found in a buffer of 10 unknown pages"
        in call("template", "show", "new.json", found.id).stdout
    )
    (tmp_path / "new.json").unlink()
    (tmp_path / "unknown.jsonl").unlink()
    call(*apply)  # 500 pages never come
    assert not (tmp_path / "new.json").exists()
    done = call("template", "apply", "t.json", "site.jsonl", "--buffer-pages", "10")
    assert done.returncode == 2
    assert "are for --unknown" in " ".join(done.stderr.split())


SAME_TAGS = ("<div><h1>a</h1></div><section><h2>b</h2></section>",
             "<section><h1>a</h1></section><div><h2>b</h2></div>")  # fmt: skip
REPEATED = ("<div><i>a</i></div>" * 2, "<div><i>a</i></div>" * 9)
OTHER = ("<div><h1>a</h1></div>", "<ul><li>b<dl><dt>c<dd>d</dl></ul>")
JOINED = {
    "lcs": set(),
    "tag-jaccard": {"tags", "repeated"},
    "tag-vector": {"tags"},
    "weighted-tags": {"tags"},
    "path-set": {"repeated"},
    "path-weighted": set(),
    "path-shingles": {"repeated"},
    "path-shingles-containment": {"repeated"},
    "tree-edit": set(),
    "fourier": {"tags"},
}
"""Which two pages a measure takes for one kind: the same tags at other places, one record more
often; the paths between records that follow each other are in both."""


@pytest.mark.parametrize("measure", JOINED)
def test_the_measure_of_clustering_is_chosen_by_its_name(measure, call, tmp_path):
    joined = set()
    for name, pair in {"tags": SAME_TAGS, "repeated": REPEATED, "other": OTHER}.items():
        rows = [{"url": f"http://a.cn/{n}", "html": f"<body>{one}", "template_label": str(n)}
                for n, one in enumerate(pair)]  # fmt: skip
        (tmp_path / "pair.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        words = ("--measure", measure, "--records", "none", "--no-kinds")
        done = call("template", "evaluate", "pair.jsonl", *words)
        assert done.returncode == 0, done.stderr
        scores = json.loads(done.stdout)
        assert scores["options"]["measure"] == ("" if measure == "lcs" else measure)
        if scores["clusters"] == 1:
            joined.add(name)
    assert joined == JOINED[measure]


def test_a_template_file_says_what_measure_made_it_and_takes_new_pages(call):
    summary, found = trained(call, "--measure", "path-set", "--curve")
    assert found.cluster.measure == "path-set"
    assert summary["curve"][0]["min_similarity"] == 0.5
    done = call("template", "apply", "t.json", "new.html")
    assert json.loads(done.stdout)["template"] == found.templates[0].id
    apply = ("template", "apply", "t.json", "site.jsonl", "--unknown", "unknown.jsonl")
    assert call(*apply, "--buffer-pages", "1").returncode == 0
