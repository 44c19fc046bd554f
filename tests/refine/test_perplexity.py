"""The language model of characters against one of dictionaries."""

import math
import random
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.errors import InputError
from quarkcrawl.refine.perplexity import CharacterModel, PerplexityOptions
from tests.profiles import examples
from tests.refine.corpora import sentences

TEXTS = ["\n".join(sentences(number, 4)) for number in range(40)]


class Naive:
    """Interpolation of Witten and Bell over dictionaries."""

    def __init__(self, texts, order):
        self.order = order
        self.counts, self.followers = Counter(), defaultdict(set)
        self.totals = Counter()
        for text in texts:
            for context, sign in self._pairs(text):
                for n in range(order):
                    tail = context[len(context) - n :]
                    self.counts[tail, sign] += 1
                    self.totals[tail] += 1
                    self.followers[tail].add(sign)

    def _pairs(self, text):
        padded = ["<s>"] * (self.order - 1) + list(text) + ["\n"]
        for place in range(self.order - 1, len(padded)):
            yield tuple(padded[place - self.order + 1 : place]), padded[place]

    def probability(self, context, sign):
        likely = 1 / 65536
        for n in range(self.order):
            tail = context[len(context) - n :]
            total, kinds = self.totals[tail], len(self.followers[tail])
            if total:
                likely = (self.counts[tail, sign] + kinds * likely) / (total + kinds)
        return likely

    def probabilities(self, text):
        return [self.probability(context, sign) for context, sign in self._pairs(text)]


@given(
    st.lists(st.text("ab天网\n", max_size=30), min_size=1, max_size=8),
    st.text("ab天网c", max_size=30),
    st.integers(1, 5),
)
@settings(max_examples=examples(150), deadline=None)
def test_it_is_the_model_of_dictionaries(texts, text, order):
    model = CharacterModel.train(texts, PerplexityOptions(order=order))
    naive = Naive(texts, order)
    assert model.probabilities(text) == pytest.approx(naive.probabilities(text))
    bits = -sum(map(math.log2, naive.probabilities(text))) / (len(text) + 1)
    assert model.bits_per_char(text) == pytest.approx(bits)


@pytest.mark.parametrize("most", [0, 500])
def test_probabilities_of_what_may_follow_are_not_more_than_one(most):
    model = CharacterModel.train(TEXTS, PerplexityOptions(most_ngrams=most))
    signs = sorted({*"".join(TEXTS), "\n"})
    for start in ("", "网络的", "实验室的学生", "未知"):
        last = [model.probabilities(start + sign)[len(start)] for sign in signs]
        assert 0.3 < sum(last) <= 1 + 1e-9


def test_order_of_texts_and_batches_do_not_matter(tmp_path, monkeypatch):
    shuffled = random.Random(3).sample(TEXTS, len(TEXTS))
    files = []
    for name, texts, batch in (("a", TEXTS, 4 << 20), ("b", shuffled, 4 << 20), ("c", TEXTS, 500)):
        monkeypatch.setattr("quarkcrawl.refine.perplexity._BATCH_CHARS", batch)
        CharacterModel.train(texts, note="n").save(tmp_path / name)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] == files[2]


def test_what_it_knows_costs_less(tmp_path):
    model = CharacterModel.train(TEXTS)
    model.save(tmp_path / "m.npz")
    model = CharacterModel.load(tmp_path / "m.npz")
    assert model.about == {"note": "", "texts": 40, "chars": sum(map(len, TEXTS)) + 40, "order": 5}
    known = model.bits_per_char("\n".join(sentences(77, 4)))
    strange = model.bits_per_char("首页|登录|注册|购物车|我的订单|客服中心|网站地图|关于我们")
    broken = model.bits_per_char("锟斤拷烫烫烫屯屯屯锟斤拷鍦ㄧ嚎")
    assert known < 5 < strange < broken


def test_fewer_ngrams_make_a_smaller_file(tmp_path):
    sizes = []
    for most in (0, 2000, 300):
        CharacterModel.train(TEXTS, PerplexityOptions(most_ngrams=most)).save(tmp_path / "m")
        sizes.append((tmp_path / "m").stat().st_size)
    assert sizes[0] > sizes[1] > sizes[2]


def test_bad_input(tmp_path):
    with pytest.raises(InputError, match="no text"):
        CharacterModel.train([])
    with pytest.raises(InputError, match="order"):
        CharacterModel.train(["a"], PerplexityOptions(order=9))
    (tmp_path / "m.npz").write_bytes(b"PK nothing")
    with pytest.raises(InputError, match=r"m\.npz: no model of characters"):
        CharacterModel.load(tmp_path / "m.npz")
    with pytest.raises(InputError, match="no model of characters"):
        CharacterModel.load(tmp_path / "absent.npz")
    assert np.isfinite(CharacterModel.train(["天网"]).bits_per_char(""))
