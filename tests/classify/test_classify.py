"""Training and applying page classifiers, beside scikit-learn and by hand."""

import contextlib
import dataclasses
import gzip
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarkcrawl.classify import (
    WHOLE_PAGE,
    Classifier,
    Examples,
    Guess,
    TrainingOptions,
    left_out_predictions,
    macro_f1,
    page_text,
    read_examples,
    text_words,
    train,
)
from quarkcrawl.classify.vocabulary import count_words
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.lab.evaluate import macro_difference
from quarkcrawl.page import Page
from tests import profiles

from .toys import FRAMES, TOPICS, page, records


@pytest.fixture(scope="module")
def labeled(tmp_path_factory):
    path = tmp_path_factory.mktemp("classify") / "pages.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records())
        file.write(json.dumps({"url": "http://x.cn/", "html": "<p>没有类别"}) + "\n")
    return path


@pytest.fixture(scope="module")
def examples(labeled):
    return read_examples([labeled])


@pytest.fixture(scope="module")
def model(examples):
    return train(examples)


def test_content_blocks_alone_are_read():
    source = page("sports", "a.cn", 1)
    whole, content = (page_text(Page.from_html(source), m) for m in (WHOLE_PAGE, "quark"))
    assert "登录" in whole
    assert "登录" not in content
    assert "版权所有" not in content
    assert content.startswith("文章1\n")
    assert text_words("在2024年，买了3只股票 ABC") == ["买", "股票", "abc"]


def test_hidden_text_is_no_text():
    found = page_text(Page.from_html("<p>有<script>var 无 = 1</script><style>b{}</style>"), "page")
    assert "无" not in found
    assert "有" in found


def test_sites_that_it_has_not_seen(examples):
    assert len(examples) == 48
    assert set(examples.sites) == set(FRAMES)
    found = left_out_predictions(examples, n_parts=4)
    assert macro_f1(examples.labels, found) == 1.0


def test_the_same_as_scikit_learn_says(examples, model):
    from sklearn.linear_model import LogisticRegression

    matrix = model.vocabulary.matrix(examples.words)
    oracle = LogisticRegression(C=1.0, max_iter=2000, class_weight="balanced")
    expected = oracle.fit(matrix, examples.labels).predict_proba(matrix)
    found = np.array([model.probabilities(words) for words in examples.words])
    assert found == pytest.approx(expected, abs=1e-5)
    assert list(model.classes) == list(oracle.classes_)


def test_three_classes_as_scikit_learn_says():
    from sklearn.linear_model import LogisticRegression

    texts = [[a, b] for a in "甲乙丙" for b in "一二三四五"]
    some = Examples([words[0] for words in texts], ["s"] * len(texts), texts)
    made = train(some, TrainingOptions(penalty_inverse=3.0))
    matrix = made.vocabulary.matrix(texts)
    oracle = LogisticRegression(C=3.0, max_iter=2000, class_weight="balanced")
    expected = oracle.fit(matrix, some.labels).predict_proba(matrix)
    found = np.array([made.probabilities(words) for words in texts])
    assert found == pytest.approx(expected, abs=1e-5)
    assert {made.classify_words([name]).name for name in "甲乙丙"} == set("甲乙丙")


def test_weights_of_words_by_hand():
    known = count_words([["甲", "甲", "乙"], ["甲", "丙"], ["甲"]], min_texts=1)
    assert known.words == ("丙", "乙", "甲")
    idf = {word: math.log(4 / (1 + n)) + 1 for word, n in zip("丙乙甲", (1, 1, 3), strict=True)}
    assert known.idf == pytest.approx([idf[word] for word in "丙乙甲"])
    columns, values = known.vector(["甲", "甲", "乙", "丁"])
    raw = {2: (1 + math.log(2)) * idf["甲"], 1: idf["乙"]}
    length = math.hypot(*raw.values())
    assert dict(zip(columns.tolist(), values.tolist(), strict=True)) == pytest.approx(
        {column: value / length for column, value in raw.items()}
    )
    assert count_words([["甲", "乙"], ["甲", "丙"]], min_texts=1, max_words=1).words == ("甲",)


@given(st.lists(st.lists(st.sampled_from("甲乙丙丁戊"), max_size=12), min_size=1, max_size=6))
@settings(max_examples=profiles.examples(40))
def test_vectors_have_length_one_and_rows_are_vectors(texts):
    known = count_words(texts, min_texts=1)
    rows = known.matrix(texts).toarray() if known.words else np.zeros((len(texts), 0))
    for words, row in zip(texts, rows, strict=True):
        columns, values = known.vector(words)
        assert row[columns] == pytest.approx(values)
        assert np.count_nonzero(row) == len(columns) == len(set(words))
        assert not words or np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


def test_a_model_is_a_file_of_plain_arrays(model, examples, tmp_path):
    path = tmp_path / "topics"  # no suffix is added
    model.save(path)
    again = Classifier.load(path)
    assert [*tmp_path.iterdir()] == [path]
    assert (again.classes, again.method, again.about) == (model.classes, "quark", model.about)
    assert again.vocabulary.words == model.vocabulary.words
    for words in examples.words[:5]:
        assert again.probabilities(words).tolist() == model.probabilities(words).tolist()
    assert again.classify(page("sports", "d.cn", 99)).name == "sports"
    assert set(again.telling_words(3)["finance"]) <= set(TOPICS["finance"])


def test_words_that_nobody_knows(model):
    assert model.classify("") == Guess("", 0.0)
    assert model.classify_text("魑魅魍魉") == Guess("", 0.0)


@pytest.mark.full
def test_applying_needs_no_scikit_learn(model, tmp_path):
    path = tmp_path / "m.npz"
    model.save(path)
    program = f"""
import sys
sys.modules["sklearn"] = None
from pathlib import Path
from quarkcrawl.classify import Classifier, Examples, train
print(Classifier.load(Path({str(path)!r})).classify_text("足球比赛进球").name)
try:
    train(Examples(["a", "b"], ["s", "s"], [["x"], ["y"]]))
except Exception as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "sports", "training needs scikit-learn: pip install 'quarkcrawl[train]'",
    ]  # fmt: skip


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 no", "whole", "pickle", "shapes", "format"])
def test_broken_models_are_refused(model, tmp_path, damage):
    path = tmp_path / "m.npz"
    model.save(path)
    if isinstance(damage, bytes):
        path.write_bytes(damage)
    elif damage == "whole":
        path.write_bytes(path.read_bytes()[:-40])
    else:
        with np.load(path) as arrays:
            changed = dict(arrays)
        if damage == "pickle":
            changed["bias"] = np.array([{"a": 1}, None], object)
        elif damage == "shapes":
            changed["weights"] = changed["weights"][1:]
        else:
            note = json.loads(changed["note"].tobytes()) | {"format": 99}
            changed["note"] = np.frombuffer(json.dumps(note).encode(), np.uint8)
        np.savez(path, **changed)
    with pytest.raises(InputError, match="no model of page classes"):
        Classifier.load(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "no JSON"), ("[1]", "no JSON object"), ('{"label": [], "html": "x"}', "cannot be a class"),
     ('{"label": "a"}', "neither html"), ('{"label": "a", "body_b64": "***"}', "no labeled page"),
     ('{"other": "a", "html": "x"}', "no page has a class")],
)  # fmt: skip
def test_bad_lines_are_named(tmp_path, line, message):
    path = tmp_path / "bad.jsonl"
    path.write_text("\n" + line + "\n")
    with pytest.raises(InputError, match=message) as error:
        read_examples([path])
    assert str(path) in str(error.value)


def test_classes_may_be_numbers_and_truths(tmp_path):
    path = tmp_path / "pages.jsonl"
    rows = [{"label": label, "id": f"p{label}", "text": "甲"} for label in (True, False, 3, "a")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_examples([path])
    assert found.labels == ["true", "false", "3", "a"]
    assert found.sites == ["pTrue", "pFalse", "p3", "pa"]


def test_what_cannot_be_trained():
    with pytest.raises(InputError, match="two classes"):
        train(Examples(["a", "a"], ["s", "t"], [["x"], ["x"]]))
    with pytest.raises(InputError, match="no word is in 2 pages"):
        train(Examples(["a", "b"], ["s", "t"], [["x"], ["y"]]))
    with pytest.raises(ConfigError):
        TrainingOptions(penalty_inverse=math.nan)
    with pytest.raises(ConfigError):
        TrainingOptions(min_pages=0)
    with pytest.raises(InputError, match="no extraction method"):
        read_examples([], "nothing")


def naive_macro_f1(truth, found):
    scores = []
    for name in set(truth):
        both = sum(a == b == name for a, b in zip(truth, found, strict=True))
        scores.append(2 * both / (truth.count(name) + found.count(name)))
    return sum(scores) / len(scores)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd"), st.sampled_from("abcd")),
                min_size=1, max_size=30))  # fmt: skip
@settings(max_examples=profiles.examples(60))
def test_macro_f1_as_counted_one_by_one(rows):
    truth, first, second = map(list, zip(*rows, strict=True))
    assert macro_f1(truth, first) == pytest.approx(naive_macro_f1(truth, first))
    found = macro_difference(truth, first, second, n_draws=50)
    assert found.mean == pytest.approx(naive_macro_f1(truth, first) - naive_macro_f1(truth, second))
    assert found.low <= found.high


def test_the_interval_of_a_difference():
    truth = list("ab" * 50)
    worse = ["a" if k % 5 == 0 else name for k, name in enumerate(truth)]
    found = macro_difference(truth, truth, worse)
    assert 0 < found.low < found.mean < found.high < 0.3
    groups = [str(k // 10) for k in range(100)]
    assert macro_difference(truth, truth, worse, groups=groups).mean == found.mean
    alike = macro_difference(truth, worse, worse)
    assert (alike.mean, alike.low, alike.high) == (0, 0, 0)


def test_words_that_tell_of_either_of_two_classes():
    texts = [["丙", "丁"], ["丙", "戊"], ["一", "二"], ["一", "三"]]
    made = train(Examples(list("aabb"), list("stuv"), texts), TrainingOptions(min_pages=1))
    assert {name: words[0] for name, words in made.telling_words(1).items()} == {
        "a": "丙",
        "b": "一",
    }
    assert set(made.telling_words(3)["a"]) == {"丙", "丁", "戊"}
    assert set(made.telling_words(3)["b"]) == {"一", "二", "三"}


@given(st.integers(0, 1 << 30), st.integers(1, 255))
@settings(
    max_examples=profiles.examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_damage_of_a_model_is_more_than_an_input_error(model, tmp_path, place, flip):
    path = tmp_path / "m.npz"
    model.save(path)
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= flip
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        assert Classifier.load(path).classes


def test_a_model_of_an_unknown_method_is_named(model, tmp_path):
    path = tmp_path / "m.npz"
    dataclasses.replace(model, method="oracle").save(path)
    with pytest.raises(InputError, match=r"m\.npz: no extraction method 'oracle'"):
        Classifier.load(path)


def test_pages_of_one_site_tell_nothing_of_others():
    with pytest.raises(InputError, match="two sites at least"):
        left_out_predictions(Examples(list("abab"), ["s"] * 4, [["甲"], ["乙"]] * 2))
