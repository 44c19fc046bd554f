"""The compiled loops of spam only propose: with all proposed, and uncompiled, the labels are the same."""

import importlib.util
import inspect
import random
from pathlib import Path

import pytest

from quarkcrawl.content import extract
from quarkcrawl.page import Page
from quarkcrawl.refine.spam import Lexicon, hidden, judge, lexicon, loops, repetition, scripts
from tests.page.samples import real_pages

MODULES = (hidden, judge, lexicon, repetition, scripts)
PIECES = [
    "赌场",
    "百家乐",
    "百.家.乐",
    "百",
    "家",
    "乐",
    "六合彩",
    "娱樂城",
    "老虎機",
    "ｖ信",
    "微信:ab123",
    "贷款",
    "借款",
    "网贷",
    "不看征信",
    "立即注册",
    "彩\u200b金",
    "娱",
    "乐",
    "viagra",
    "v1agra",
    "c.i.a.l.i.s",
    "V.i.a.g.r.a",
    "cialis$",
    "a@b",
    "b..c",
    "x-y_z",
    "online",
    "casino",
    "buy·viagra",
    "no",
    "prescription",
    "1xbet",
    "call-us",
    "click",
    "here",
    "的",
    "了",
    "公园里的游人不多，湖面还没有结冰。",
    "孩子们在岸边玩耍！",
    "The",
    "park",
    "is",
    "open,",
    "and",
    "it",
    "is",
    "free.",
    "{关键词}",
    "{好|棒|妙}",
    "Σ",
    "İ",
    "ﬁ",
    "１２３",
    "😀",
    "𝐜𝐚𝐬𝐢𝐧𝐨",
    ",",
    ".",
    "!",
    "?",
    "。",
]
CODE = [
    "document.referrer",
    "navigator.userAgent",
    "baidu",
    "google",
    'location.href="http://b.cn/"',
    "location=",
    "location.replace('//c.cn')",
    "LOCATION.href='http://d.cn/'",
    "document.write('<script",
    'src="//e.cn">\')',
    'locatıon.href="//f.cn"',
    "eval(atob(",
    'unescape("%61%62%63%64%65%66%67%68%69%6a%6b%6c%6d")',
    "\\x61\\x62\\x63\\x64\\x65\\x66\\x67\\x68\\x69\\x6a\\x6b\\x6c\\x6d",
    "&#97;&#98;&#99;&#100;&#101;&#102;&#103;&#104;&#105;",
    "var",
    "a=b;",
    "current",
    "ferry",
    "的",
    '["referrer"]',
    "(l(",
]
LINKS = [
    "/a",
    "b.html",
    "http://www.good.example/1",
    "https://www.good.example/2",
    "http://WWW.good.example/3",
    "//x.cn/",
    "HTTP://y.cn\nhttp://y.cn:80/",
    "http://bbs.good.example/",
    "\u3000http://z.cn/",
    "javascript:void(0)",
    "mailto://a",
    "http:////b",
    "https://x.cn#a",
    "#//",
]


def uncompiled():
    spec = importlib.util.spec_from_file_location(
        "plain_loops", Path(loops.__file__).parent / "loops.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_page(rng):
    def words(n, pieces=PIECES):
        return "".join(rng.choice(pieces) + rng.choice(["", "", " ", "\n"]) for _ in range(n))

    some = rng.sample(PIECES, 6)
    head = "".join(
        f'<meta name="{rng.choice(["keywords", "Description", "author"])}" content="{words(3)}">'
        for _ in range(rng.randint(0, 3))
    )
    head += "".join(
        f"<script>{' '.join(rng.choices(CODE, k=rng.randint(0, 6)))}</script>" for _ in range(2)
    )
    links = "".join(
        f'<a class=x href="{rng.choice(LINKS)}">{words(2, some)}<b>{words(1)}</b><script>a</script></a>'
        for _ in range(rng.randint(0, 9))
    )
    box = rng.choice(["<div>", "<div style='display:none'>", "<div style='left:-999px;top:1px'>"])
    text = words(rng.choice([3, 40, 200, 900]), rng.choice([PIECES, some]))
    page = Page.from_html(
        f"<title>{words(3, some)}</title>{head}<body>{box}{links}</div><p>{text}",
        rng.choice(["http://www.good.example/1.html", "http://[::1]/", "HTTPS://U@y.cn:1/a", "?"]),
    )
    return page, text, words(2, some)


PAGES = [random_page(random.Random(seed)) for seed in range(150)]


def results(pages):
    return [judge.spam_of(*page) for page in pages]


def first_runs(runs, nodes, run_start, run_end, most):
    return [int(run_start[node]) for node in nodes if run_start[node] < run_end[node]]


def all_hrefs(all_attrs, links, own):
    hrefs = [(int(node), dict(reversed(all_attrs[node]))["href"]) for node in links]
    return [(node, href) for node, href in hrefs if href and "//" in href[:12]]


EVERYTHING = {
    "holds_any": lambda text, marked: any(
        ord(char) < len(marked) and marked[ord(char)] for char in text
    ),
    "head_places": lambda text, classes, pairs: [
        n for n, char in enumerate(text) if ord(char) < len(classes) and classes[ord(char)] & 1
    ],
    "latin_words": lambda text, read_as, known: lexicon._WORD.findall(text),
    "count_grams": lambda text, n_gram, counts: None,
    "counted": lambda text, start, n_gram, counts: len(text) + 100_000,
    "places_again": lambda text, n_gram, places, counts: list(places),
    "absolute_links": all_hrefs,
    "hinted_scripts": first_runs,
    "link_texts": lambda runs, run_raw, run_start, run_end, links: [
        "".join(runs[n] for n in range(run_start[node], run_end[node]) if not run_raw[n])
        for node in links
    ],
}


def replaced(patch, functions):
    n = 0
    for module in MODULES:
        for name in functions.keys() & vars(module).keys():
            patch.setattr(module, name, functions[name])
            n += 1
    return n


def test_pages_by_chance_are_of_all_kinds():
    found = results(PAGES)
    assert {kind for one in found for kind in one.kinds} >= {"gambling", "hacked", "spun"}
    signs = {sign.partition("=")[0] for one in found for sign in one.evidence}
    assert {"hacked:script", "hacked:hidden"} <= signs
    assert sum(not one.kinds for one in found) > 10


def test_all_places_proposed_give_the_same_labels():
    expected = results(PAGES)
    with pytest.MonkeyPatch.context() as patch:
        assert replaced(patch, EVERYTHING) == len(EVERYTHING)
        assert results(PAGES) == expected


def test_uncompiled_loops_give_the_same_labels():
    expected = results(PAGES)
    functions = {k: v for k, v in vars(uncompiled()).items() if inspect.isfunction(v)}
    with pytest.MonkeyPatch.context() as patch:
        assert replaced(patch, functions) == 10
        assert results(PAGES) == expected


def test_words_of_all_lengths_are_found_where_a_plain_search_finds_them():
    rng = random.Random(3)
    chars = "赌賭场場博彩 .a1@$-·\n"
    words = ["赌场", "赌博", "博彩场", "彩", "a1", "aia", "@a", "1 a", "a 1 a", "a"]
    known = Lexicon.parse(["[gambling]", f"2: {' | '.join(words)}"])
    for _ in range(2000):
        text = "".join(rng.choices(chars, k=rng.randint(0, 30)))
        with pytest.MonkeyPatch.context() as patch:
            replaced(patch, EVERYTHING)
            expected = known.matches(text)
        assert known.matches(text) == expected, text


def test_sentences_are_those_that_the_pattern_finds():
    rng = random.Random(4)
    for _ in range(300):
        text = "".join(rng.choices("公园的湖面结冰了雪下得很大。！?!\n.", k=rng.randint(150, 400)))
        expected = [
            len(
                [
                    one
                    for one in repetition._SENTENCE.findall(line)
                    if repetition._is_sentence(one, True)
                ]
            )
            for line in text.split("\n")
        ]
        found = [len(one) for one in repetition._paragraphs(text, is_chinese=True)]
        assert found == [n for n in expected if n > 1]


@pytest.mark.full
@pytest.mark.shared
def test_real_pages_have_the_same_labels():
    pages = []
    sets = ("daniel_zh", "magic_forum_zh", "twevents", "wcxb_en")
    for name, body, encoding in real_pages(*sets, limit=15):
        page = Page.from_html(body.decode(encoding, "replace"), f"http://{name}.example/")
        content = extract(page)
        pages.append((page, content.text, content.title))
    assert len(pages) == 60
    expected = results(pages)
    with pytest.MonkeyPatch.context() as patch:
        replaced(patch, EVERYTHING)
        assert results(pages) == expected
