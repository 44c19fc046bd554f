"""Options of the papers by their commands, each on pages on which it changes the result."""

import json

import pyarrow.dataset as ds
import pytest

from quarkcrawl.content import extract
from quarkcrawl.content.quark import Idf
from quarkcrawl.corpus.near import near_groups
from quarkcrawl.store import CorpusWriter
from tests.cli.test_extract import call
from tests.content.test_methodfile import LONG, NEAR, PAGE
from tests.store.samples import make_item

__all__ = ["call"]  # a fixture

DEEP = "<div>" * 8 + "<h1>{}</h1>" + "</div>" * 8
SHELL = (
    "<h1>a</h1><h2>b</h2><h3>c</h3><h4>d</h4><h5>e</h5><h6>f</h6><main>g</main><nav>h</nav>"
    "<aside>i</aside><footer>j</footer><header>k</header><section>l</section><article>m</article>"
)
RECORD = "<div><h1>a</h1><h2>b</h2></div>"
PAIRS = {
    "--tags=thesis": (
        "<h1>a</h1><noscript><div>b</div><div><h2>c</h2></div></noscript>",
        "<h1>a</h1>",
    ),
    "--records=suffix-tree": (
        f"{RECORD}<h3>x</h3>{RECORD}<h4>y</h4>",
        f"{RECORD}<h3>x</h3><h4>y</h4>",
    ),
    "--weight=constant": (
        SHELL + DEEP.format("a"),
        SHELL + DEEP.format("a</h1><h2>b</h2><h3>c</h3><h4>d</h4><h1>"),
    ),
}
"""Two pages that are one kind without the option and two with it: elements that are dropped here
and counted in the thesis, a record that occurs twice, elements that are deep."""


@pytest.mark.parametrize("option", PAIRS)
def test_an_option_of_the_thesis_tells_two_pages_apart(option, call, tmp_path):
    rows = [{"url": f"http://a.cn/{n}", "html": f"<body>{html}", "template_label": str(n)}
            for n, html in enumerate(PAIRS[option])]  # fmt: skip
    (tmp_path / "pair.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    clusters = [
        json.loads(call("template", "evaluate", "pair.jsonl", "--no-kinds", *words).stdout)
        ["clusters"] for words in ((), option.split("="))
    ]  # fmt: skip
    assert clusters == [1, 2]


FIRST = "北京大学网络实验室今天宣布新一代搜索引擎。正式上线运行的系统收集网页。"
TAIL = "读者可以在校内访问它并且提出意见供研究者参考。"


def corpus_of(root, texts, same_body=False):
    with CorpusWriter(root) as writer:
        for number, text in enumerate(texts):
            body = text.encode() if same_body else f"{number}{text}".encode()
            item = make_item(number, url=f"http://h{number}.cn/{'x' * (9 - number)}",
                             host=f"h{number}.cn", body=body, analysis={"content_text": text})  # fmt: skip
            writer.append_page(item)
    return root


def joined(root, method="featurecode-2004"):
    return sum(len(group) - 1 for group in near_groups(root, method))


@pytest.mark.full
@pytest.mark.parametrize(
    ("texts", "option", "before", "after"),
    [
        # a fifth longer: 1.10 tells them apart, 1.30 does not
        ([FIRST + TAIL * 3, FIRST + TAIL * 4], ("--length-ratio", "1.3"), 0, 1),
        ([FIRST + TAIL * 4, FIRST + TAIL * 4 + "完"], ("--length-ratio", "1.0"), 1, 0),
        # two characters of the code differ: nine in common are asked, or eight
        ([FIRST + TAIL * 3, FIRST.replace("索引擎。正式", "索引击。发式") + TAIL * 3],
         ("--slack", "2"), 0, 1),
        ([FIRST + TAIL * 3, FIRST.replace("索引擎。正式", "索引击。正式") + TAIL * 3],
         ("--slack", "0"), 1, 0),
    ],
)  # fmt: skip
def test_a_and_slack_of_the_feature_code(texts, option, before, after, call, tmp_path):
    root = corpus_of(tmp_path / "corpus", texts)
    words = ("corpus", "near", str(root), "--method", "featurecode-2004")
    for more, expected in (((), before), (option, after)):
        done = call(*words, *more)
        assert done.returncode == 0, done.stderr
        assert joined(root) == expected


def test_the_first_url_stays_by_the_method_of_the_thesis(call, tmp_path):
    """By default it is the shortest URL, which is the last one here."""
    root = corpus_of(tmp_path / "corpus", [FIRST] * 3, same_body=True)
    kept = []
    for words in ((), ("--method", "thesis")):
        assert call("corpus", "dedup", str(root), *words).returncode == 0
        folder = root / "analysis" / "dedup" / "duplicates"
        kept.append(set(ds.dataset(folder).to_table().column("duplicate_of").to_pylist()))
    assert kept == [{"http://h2.cn/xxxxxxx"}, {"http://h0.cn/xxxxxxxxx"}]


def test_weights_of_words_are_counted_by_a_command_and_change_what_is_similar(call, tmp_path):
    """The words that both blocks have are in every text, so that they weigh next to nothing."""
    common = ["研究者使用网页，今天上线。收集"] * 400
    rows = [{"text": text} for text in [*common, NEAR, "另一台机器的东西没有人看过"]]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = call("train", "idf", "texts.jsonl", "--out", "idf.json")
    assert json.loads(done.stdout)["texts"] == 402, done.stderr
    weights = Idf.load(tmp_path / "idf.json")
    assert weights("网页") < 0.01 < weights("机器")
    options = "[options]\nsimilarity_threshold = 0.15\n"
    for name, more in (("plain", ""), ("weighed", 'idf = "idf.json"\n')):
        (tmp_path / f"{name}.toml").write_text(f'method = "quark"\n{options}{more}')
    assert NEAR in extract(PAGE, method=str(tmp_path / "plain.toml")).text
    assert extract(PAGE, method=str(tmp_path / "weighed.toml")).text == LONG
    done = call("train", "idf", "texts.jsonl", "--field", "body", "--out", "idf2.json")
    assert done.returncode == 2
    assert "body" in done.stderr


def test_priors_that_a_command_counted_decide_what_is_content(call, tmp_path):
    """Marked pages of a web whose long texts are noise: no block of the page is content by them."""
    noise = f'<div quark="noise"><p>{LONG}</p></div>' * 9
    marked = f'<meta charset=utf-8><div quark="content">午餐</div>{noise}'
    for number in range(9):
        (tmp_path / f"{number}.html").write_text(marked, encoding="utf-8")
    names = [f"{number}.html" for number in range(9)]
    done = call("train", "priors", *names, "--out", "priors.json")
    assert done.returncode == 0, done.stderr
    (tmp_path / "counted.toml").write_text('method="quark"\n[options]\npriors="priors.json"\n')
    (tmp_path / "page.html").write_text(f"<meta charset=utf-8>{PAGE}", encoding="utf-8")
    found = [call("extract", "page.html", "--method", name) for name in ("quark", "counted.toml")]
    assert LONG in found[0].stdout
    assert found[1].returncode == 0, found[1].stderr
    assert LONG not in found[1].stdout


def test_topic_weights_that_a_command_fitted_decide_the_probability(call, tmp_path):
    """Examples the wrong way round: lists are topic pages, and texts are not."""
    links = '<li><a href="/x">一条新闻的标题</a>' * 30
    rows = [
        {"url": f"http://h{host}.cn/{n}", "html": html, "is_topic": is_topic}
        for host in range(3)
        for n, (html, is_topic) in enumerate([(PAGE, False), (f"<ul>{links}", True)])
    ]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = call("train", "topic", "pages.jsonl", "--method", "quark", "--out", "topic.json")
    assert done.returncode == 0, done.stderr
    (tmp_path / "fitted.toml").write_text('method="quark"\ntopic="topic.json"\n')
    usual = extract(PAGE, method="quark").topic_probability
    fitted = extract(PAGE, method=str(tmp_path / "fitted.toml")).topic_probability
    assert fitted < 0.2 < 0.4 < usual
