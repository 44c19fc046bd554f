"""Lines and their features against naive computations."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quarkcrawl.content.lines import tree as trees
from quarkcrawl.content.lines.matrix import COLUMNS, LineFeatures, fill_word_scores, line_features
from quarkcrawl.content.lines.names import (
    GROUPS,
    MAX_NAME_CHARS,
    ROWS,
    WHOLE_WORDS,
    NameReader,
    name_hashes,
    node_words,
)
from quarkcrawl.content.lines.scoring import (
    CLASS_BITS,
    TEXT_BITS,
    class_scores,
    text_scores,
    word_hash,
)
from quarkcrawl.lab.training.data import blank_scorer
from quarkcrawl.page import PageTree
from quarkcrawl.page.text.chars import STOP, char_class
from quarkcrawl.segment import LineReader
from tests.page.samples import markup
from tests.profiles import examples

PAGE = """<title>湖边读书会通知</title><body><div id=nav class="top-nav"><a href=/>首页</a>
<a href=/n>新闻</a></div><div class=article><h1>湖边读书会通知</h1>
<p>周六下午三点，我们在湖边读书。请自带书和水。<p>下雨则改在图书馆，时间不变，欢迎各系同学。</p>
<table><tr><td>甲</td><td>乙</td></tr></table></div><ul><li>一<li>二<li>三</ul>
<div style="display:none">看不见</div></body>"""


def described(html: str) -> tuple[PageTree, LineFeatures]:
    tree = PageTree.parse(html)
    return tree, line_features(tree, blank_scorer())


def column(features: LineFeatures, name: str) -> list[float]:
    return features.matrix[:, COLUMNS.index(name)].tolist()


def test_columns_are_distinct() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)


def test_golden_page() -> None:
    _, features = described(PAGE)
    assert column(features, "chars") == [4, 7, 22, 21, 1, 1, 1, 1, 1, 3]
    assert column(features, "link_share") == [1] + [0] * 9
    assert column(features, "n_stop") == [0, 0, 3, 3] + [0] * 6
    assert column(features, "like_title") == [0, 1] + [0] * 8
    assert column(features, "from_title") == [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert column(features, "inside_navigation") == [1] + [0] * 9
    assert column(features, "inside_content") == [0] + [1] * 5 + [0] * 4
    assert column(features, "is_hidden") == [0] * 9 + [1]
    assert column(features, "count_0")[6:9] == [3, 3, 3]
    assert column(features, "index_0")[6:9] == [0, 1, 2]
    assert column(features, "repeat_count")[6:9] == [1, 1, 1]  # together too short to count
    assert column(features, "path_lines")[2:4] == [2, 2]


def test_link_needs_a_target_and_little_text() -> None:
    wrapped = "字" * 400
    _, features = described(f"<a name=x>锚</a><p><a href=/>链</a><p><a href=/y>{wrapped}</a>")
    assert column(features, "link_share") == [0, 1, 0]


@given(markup)
@settings(max_examples=examples(60))
def test_lines_are_those_a_reader_sees(html: str) -> None:
    """Where our lines are finer, they lie within one of the reader's."""
    tree, features = described(html)
    visible = np.flatnonzero(features.cut.run_line >= 0)
    assert visible.tolist() == np.flatnonzero(tree.run_chars > 0).tolist()
    reader = LineReader(tree).lines(np.ones(len(tree.runs), np.bool_))
    starts = [run for run, _ in reader if tree.run_chars[run:].any()]
    firsts = {
        min(run for run in visible.tolist() if run >= start)
        if visible[visible >= start].size
        else -1
        for start in starts
    }
    assert firsts - {-1} <= set(features.cut.first_run.tolist())
    assert (np.diff(features.cut.run_line[visible]) >= 0).all()
    assert np.isfinite(features.matrix).all()


@given(markup)
@settings(max_examples=examples(40))
def test_counts_equal_a_loop_over_characters(html: str) -> None:
    tree, features = described(html)
    for line in range(len(features.cut)):
        runs = np.flatnonzero(features.cut.run_line == line).tolist()
        text = "".join(tree.runs[run] for run in runs)
        visible = [char for char in text if not char_class(char) & 1]
        counts = features.matrix[line]
        assert counts[COLUMNS.index("chars")] == len(visible)
        assert counts[COLUMNS.index("n_stop")] == sum(bool(char_class(c) & STOP) for c in text)
        assert counts[COLUMNS.index("n_digit")] == sum(char.isdigit() for char in text)


parents = st.lists(st.integers(0, 10_000), max_size=40).map(
    lambda picks: np.array([-1] + [pick % (n + 1) for n, pick in enumerate(picks)], np.int32)
)


def in_preorder(parent: np.ndarray) -> np.ndarray:
    """Renumber a random tree so that subtrees are slices."""
    order: list[int] = []
    stack = [0]
    while stack:
        order.append(stack.pop())
        stack += [child for child in range(len(parent)) if parent[child] == order[-1]][::-1]
    place = {old: new for new, old in enumerate(order)}
    return np.array([place.get(int(parent[old]), -1) for old in order], np.int32)


def ancestors(parent: np.ndarray, node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = int(parent[node])
    return found


def ends(parent: np.ndarray) -> np.ndarray:
    n = len(parent)
    return np.array(
        [1 + max(v for v in range(n) if node in ancestors(parent, v)) for node in range(n)],
        np.int32,
    )


@given(parents, st.data())
@settings(max_examples=examples(80))
def test_tree_loops_equal_naive_climbing(raw: np.ndarray, data: st.DataObject) -> None:
    parent = in_preorder(raw)
    n = len(parent)
    own = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.float64)
    sums = trees.subtree_sums(parent, np.arange(n, dtype=np.int32), own[:, None])[:, 0]
    inside = [[v for v in range(n) if node in ancestors(parent, v)] for node in range(n)]
    assert sums.tolist() == [own[members].sum() for members in inside]
    bits = trees.inherited_bits(parent, own.astype(np.int64))
    naive = [np.bitwise_or.reduce(own.astype(np.int64)[ancestors(parent, v)]) for v in range(n)]
    assert bits.tolist() == naive
    levels = trees.distinct_ancestors(parent, np.arange(n, dtype=np.int32), sums, 3)
    for node in range(n):
        chain = ancestors(parent, node)
        distinct = [v for v in chain if v == 0 or sums[parent[v]] != sums[v]]
        assert levels[node].tolist() == ([*distinct, 0, 0, 0])[:3]
    on_paths, commons = trees.common_ancestors(parent, np.array([n - 1, -1, 0], np.int32))
    assert np.flatnonzero(on_paths[0]).tolist() == sorted(ancestors(parent, n - 1))
    assert np.flatnonzero(on_paths[1:].any(axis=0)).tolist() == [0]
    for node in range(n):
        assert commons[0, node] == max(set(ancestors(parent, node)) & set(ancestors(parent, n - 1)))
    assert not commons[1:].any()
    best = trees.best_repeats(parent, own)
    assert [own[v] or 0 for v in best.tolist()] == [
        max(own[ancestors(parent, v)[:-1] or [0]].max() if v else own[0], own[0]) for v in range(n)
    ]


@given(parents, st.data())
@settings(max_examples=examples(50))
def test_main_path_and_repeats_equal_naive_loops(raw: np.ndarray, data: st.DataObject) -> None:
    parent = in_preorder(raw)
    n, end = len(parent), ends(parent)
    chars = trees.subtree_sums(
        parent,
        np.arange(n, dtype=np.int32),
        np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.float64)[
            :, None
        ],
    )[:, 0].copy()
    tag = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.int16)
    last = trees.main_end(end, chars)
    node, way = 0, [0]
    while True:
        children = [v for v in range(n) if parent[v] == node and chars[v] > 0]
        if not children:
            break
        node = max(children, key=lambda v: (chars[v], -v))
        way.append(node)
    assert last == way[-1]
    count, index, total, largest = trees.repeats(end, tag, np.zeros(n, np.int64), chars)
    for v in range(1, n):
        if chars[v] > 0:
            same = [
                u for u in range(n) if parent[u] == parent[v] and tag[u] == tag[v] and chars[u] > 0
            ]
            assert (count[v], index[v]) == (len(same), same.index(v))
            assert (total[v], largest[v]) == (chars[same].sum(), chars[same].max())


def test_signatures_tell_looks_apart() -> None:
    _tree, features = described("<ul><li>a<li>b</ul><ol><li class=x>c<li>d</ol>")
    whole, near = features.look
    assert whole[0] == whole[1]
    assert near[0] == near[1]
    assert len(set(whole.tolist())) == 3


def test_words_of_names() -> None:
    weights = np.zeros(2 << CLASS_BITS, np.float32)
    weights[word_hash("article")] = 2
    weights[word_hash("body") + (1 << CLASS_BITS)] = 3
    tree = PageTree.parse("<div id=articleBody-12 class='a'><p>x</p></div><a href>y</a><a>z</a>")
    words = node_words(tree, NameReader(weights))
    node = tree.nodes("div")[0]
    assert (words.far[node], words.near[node], words.n_words[node]) == (2, 3, 2)
    assert words.groups[node] == 1 << GROUPS.index("content")
    assert words.is_link.sum() == 1
    assert name_hashes("navBar top_x") == [word_hash("nav"), word_hash("bar"), word_hash("top")]


@pytest.mark.parametrize(
    ("html", "share"),
    [
        ("<div class=content><p id=qzxv>天</div>", 0.5),
        ("<div class='qzxv nav-bar'><p class=prtl>天<p class=vbnk>网<p id=story>页", 0.5),
        ("<div class=qzxv role=navigation><p itemprop=articleBody>天", 0.0),
        ("<div role=main><p class>天", 1.0),
    ],
)
def test_share_of_names_that_are_known(html: str, share: float) -> None:
    """Roles and properties count for nothing here: their values cannot be made up."""
    tree = PageTree.parse(html)
    weights = np.zeros(2 << CLASS_BITS, np.float32)
    weights[word_hash("story")] = 1
    for _ in range(2):
        assert node_words(tree, NameReader(weights)).told_share == share


def test_readers_that_take_names_for_unknown() -> None:
    tree = PageTree.parse("<div class=content role=menu><p id=content itemprop=nav>天")
    weights = np.ones(2 << CLASS_BITS, np.float32)
    div, paragraph = tree.nodes("div")[0], tree.nodes("p")[0]
    declared = node_words(tree, NameReader(weights, reads="declared"))
    navigation = 1 << GROUPS.index("navigation")
    assert declared.groups[[div, paragraph]].tolist() == [navigation, navigation]
    assert declared.n_words[[div, paragraph]].tolist() == [1, 1]
    none = node_words(tree, NameReader(weights, reads="none"))
    assert not none.groups.any()
    assert not none.n_words.any()
    assert none.class_id[div] == declared.class_id[div] == 1


def test_name_reader_forgets_before_it_grows_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarkcrawl.content.lines.names._MAX_KNOWN", 5)
    reader = NameReader(np.zeros(2 << CLASS_BITS, np.float32))
    tree = PageTree.parse("".join(f"<div id=nav-{'x' * n}>a</div>" for n in range(4)))
    many = PageTree.parse("".join(f"<div id=nav-{'y' * n}>a</div>" for n in range(9)))
    for _ in range(3):
        assert (node_words(tree, reader).groups > 0).sum() == 4
        assert (node_words(many, reader).groups > 0).sum() == 9
    classes = PageTree.parse("".join(f"<div class=c{n}>a</div>" for n in range(9)))
    for _ in range(2):
        assert set(node_words(classes, reader).class_id.tolist()) == set(range(10))


_NAMED_VALUES = st.one_of(
    st.sampled_from(
        ["nav-item", "postBody42 col", "HTMLAd", "a" * 290 + " navBar", "\u3000ad Ａd", ""]
    ),
    st.text("adnvAHbtnsr-_ 7ß", max_size=12),
    st.none(),
)
_ATTRIBUTES = st.tuples(
    st.sampled_from(["class", "id", "role", "itemprop", "style", "hidden", "href"]),
    st.one_of(_NAMED_VALUES, st.just("display : None")),
)


def naively_read(attrs, weights, reads):
    """Columns 0 to 3 and 5 to 8 of what one node's attributes say, with regular expressions."""
    given = " ".join(value for key, value in attrs if key in {"class", "id"} and value)
    allowed = {"declared": {"role", "itemprop"}, "all": {"role", "itemprop", "class", "id"}}
    names = "".join(f" {value}" for key, value in attrs if value and key in allowed.get(reads, ()))

    def sums(text):
        groups, far, near, n_words = 0, 0.0, 0.0, 0
        for word in re.findall("[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text[:MAX_NAME_CHARS]):
            lower = word.lower()
            for bit, (_, first, more) in enumerate(ROWS):
                if any(
                    one == lower if one in WHOLE_WORDS else one in lower
                    for one in f"{first} {more}".split()
                ):
                    groups |= 1 << bit
            code = word_hash(lower)
            both = (weights[code], weights[code + (1 << CLASS_BITS)]) if len(word) > 1 else (0, 0)
            far, near, n_words = far + both[0], near + both[1], n_words + any(both)
        return groups, far, near, n_words

    hides = any(
        key == "hidden" or (key == "style" and value and "display : None" in value)
        for key, value in attrs
    )
    declares = any(value and key in {"role", "itemprop"} for key, value in attrs)
    of_given = sums(given)
    tells = reads == "all" and bool(of_given[0] or of_given[3])
    return [*sums(names), hides, reads == "all" and bool(given), tells, declares]


@pytest.mark.parametrize("reads", ["all", "declared", "none"])
@given(st.lists(st.lists(_ATTRIBUTES, max_size=4).map(tuple), min_size=1, max_size=8))
def test_reader_of_names_against_one_with_regular_expressions(reads, all_attrs) -> None:
    weights = np.zeros(2 << CLASS_BITS, np.float32)
    for number, word in enumerate(["nav", "ad", "ads", "html", "body", "bar"]):
        weights[word_hash(word)] = 1 << number
        weights[word_hash(word) + (number % 2 << CLASS_BITS)] = 64 << number
    reader = NameReader(weights, reads=reads)
    for _ in range(2):  # the second time from memory
        table, rows = reader.rows(all_attrs)
        read = np.delete(table[rows], 4, axis=1).tolist()
        assert read == [naively_read(attrs, weights.tolist(), reads) for attrs in all_attrs]


def test_names_are_read_where_another_thread_has_filled_the_memory() -> None:
    """The other thread is a page that is read in the middle of this one, at a word not met before."""
    reader = NameReader(np.zeros(2 << CLASS_BITS, np.float32))
    said_by = reader._said_by

    def read_others(word):
        if word == "story":
            reader.rows([(("id", f"nav-{number}"),) for number in range(29_999)])
        return said_by(word)

    reader._said_by = read_others
    table, rows = reader.rows([(("id", "main"),), (("id", "story"),), (("id", "foot"),)])
    bits = [1 << GROUPS.index(name) for name in ("main", "content", "foot")]
    assert table[rows, 0].tolist() == bits


def test_classes_are_numbered_within_a_page() -> None:
    """Whatever pages were read before, looks of different classes are never taken for one."""
    tree = PageTree.parse("<div class=c3><p class=c2>天</div><div class=c34><p class=c1>网</div>")
    before = PageTree.parse("".join(f"<p class=c{number}>天" for number in range(1, 41)))
    weights = np.zeros(2 << CLASS_BITS, np.float32)
    alone = node_words(tree, NameReader(weights)).class_id.tolist()
    reader = NameReader(weights)
    node_words(before, reader)
    assert node_words(tree, reader).class_id.tolist() == alone
    assert sorted(set(alone)) == [0, 1, 2, 3, 4]


@example([(5, 3, 9, 2), (5, 34, 9, 1)])
@given(st.lists(st.tuples(*[st.integers(0, 50)] * 4), min_size=2, max_size=60, unique=True))
def test_looks_are_equal_for_equal_nodes_only(rows: list[tuple[int, int, int, int]]) -> None:
    """One root; below it pairs of an element and its child, each a tag and a class."""
    nodes, parent = [(0, 0)], [-1]
    truth = [((0, 0),)]
    for a, b, c, d in rows:
        parent += [0, len(nodes)]
        nodes += [(a, b), (c, d)]
        truth += [((0, 0), (a, b)), ((0, 0), (a, b), (c, d))]
    tag, number = np.array(nodes).T
    whole, near = trees.signatures(
        np.array(parent, np.int32), tag.astype(np.int16), number.astype(np.int64)
    )
    for looks, paths in ((whole, truth), (near, [path[-2:] for path in truth])):
        n_pairs = len(set(zip(looks.tolist(), paths, strict=True)))
        assert n_pairs == len(set(looks.tolist())) == len(set(paths))


def test_class_score_counts_all_ancestors_and_the_nearest_two_again() -> None:
    parent = np.array([-1, 0, 1, 2, 3], np.int32)
    far = np.array([1.0, 2, 0, 4, 0])
    near = np.array([10.0, 20, 0, 40, 0])
    n_words = np.array([1, 1, 0, 2, 0], np.int32)
    scores = class_scores(parent, far, near, n_words)
    assert scores[0] == pytest.approx((1 + 10) / np.sqrt(2))
    assert scores[4] == pytest.approx((1 + 2 + 4 + 40 + 20) / np.sqrt(4 + 3))


def test_tokens_of_text() -> None:
    _tree, features = described("<p>Hello  hello 2024 12.<p>你好<p>你 好<p>你好吗")
    starts, tokens = features.text.tokens(features.cut)
    lines = [tokens[a:b].tolist() for a, b in zip(starts[:-1], starts[1:], strict=True)]
    assert len(lines[0]) == 2 * 5 + 1  # hello hello 0000 00 . and the pairs around them
    assert lines[0][1] == lines[0][3]  # case does not matter
    assert lines[1] == lines[2]
    assert len(set(lines[1]) & set(lines[3])) == 4  # the start, 你, the pair, 好; not the end
    weights = np.zeros(1 << TEXT_BITS, np.float32)
    weights[lines[1][1]] = 1
    assert text_scores(starts, tokens, weights)[1] == pytest.approx(1 / np.sqrt(5))


def test_long_lines_are_read_at_both_ends() -> None:
    _, features = described("<p>" + "".join(chr(0x4E00 + n) for n in range(500)))
    starts, tokens = features.text.tokens(features.cut)
    assert len(tokens) == 2 * 60 + 1 == starts[1]


def test_word_scores_can_be_filled_in_later() -> None:
    _, features = described(PAGE)
    matrix, scores = features.matrix.copy(), np.arange(10.0)
    fill_word_scores(matrix, np.array([0, 4, 10]), scores, -scores)
    assert matrix[:, COLUMNS.index("text_score")].tolist() == scores.tolist()
    assert matrix[:, COLUMNS.index("class_score+1")].tolist() == [
        *(-1, -2, -3, -1, -5, -6, -7, -8, -9, -1)
    ]
    around = tuple(f"{offset:+d}" for offset in range(-3, 4))  # another page begins at line 4
    others = [
        place
        for place, name in enumerate(COLUMNS)
        if not name.endswith(around) and name not in ("text_score", "class_score")
    ]
    assert (matrix[:, others] == features.matrix[:, others]).all()


@pytest.mark.parametrize("html", ["", " ", "<script>x</script>", "<img src=x>"])
def test_pages_without_text_have_no_lines(html: str) -> None:
    _, features = described(html)
    assert features.matrix.shape == (0, len(COLUMNS))
