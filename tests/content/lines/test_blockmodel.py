"""The stored model, its evaluation, and its training."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarkcrawl.content.lines.matrix import COLUMNS, LineScorer
from quarkcrawl.content.lines.model import MODEL_FILE, load_model, read_model, write_model
from quarkcrawl.content.lines.names import NameReader
from quarkcrawl.content.lines.scoring import COLUMN_SHIFT, LEAF, LEFT_MASK, Trees
from quarkcrawl.errors import InputError
from tests.content.lines.arrays import scores_by_arrays
from tests.profiles import examples

PACKAGE = Path(__file__).resolve().parents[3] / "quarkcrawl" / "content" / "lines"
MAX_BYTES = 1_000_000


def random_trees(rng: np.random.Generator, n_trees: int, n_columns: int) -> Trees:
    roots, node, value = [], [], []
    for _ in range(n_trees):
        roots.append(len(node))
        node.append(LEAF)
        value.append(rng.normal())
        for _ in range(int(rng.integers(0, 9))):
            leaves = [place for place in range(roots[-1], len(node)) if node[place] == LEAF]
            split = int(rng.choice(leaves))
            node[split] = int(rng.integers(n_columns)) << COLUMN_SHIFT | len(node)
            value[split] = rng.normal()
            node += [LEAF, LEAF]
            value += rng.normal(size=2).tolist()
    return Trees(
        np.array(roots, np.int32), np.array(node, np.int32), np.array(value, np.float32), 0.5
    )


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 11), st.integers(0, 11), st.sampled_from([-9, 0.5])
)
@settings(max_examples=examples(60))
def test_kernel_equals_arrays_and_a_walk(
    seed: int, n_trees: int, n_first: int, limit: float
) -> None:
    rng = np.random.default_rng(seed)
    plain = random_trees(rng, n_trees, 4)
    trees = Trees(plain.roots, plain.node, plain.value, plain.start, n_first, limit)
    matrix = rng.normal(size=(7, 4)).astype(np.float32)
    found = trees.scores(matrix)
    assert found == pytest.approx(scores_by_arrays(trees, matrix), abs=1e-9)
    for row, score in zip(matrix, found, strict=True):
        total = trees.start
        for number, root in enumerate(trees.roots.tolist()):
            if number == n_first and total < limit:
                break
            place = root
            while trees.node[place] != LEAF:
                asked = row[trees.node[place] >> COLUMN_SHIFT]
                place = (trees.node[place] & 0xFFFF) + int(asked > trees.value[place])
            total += float(trees.value[place])
        assert score == pytest.approx(total, abs=1e-9)


def test_probabilities_are_logistic() -> None:
    trees = random_trees(np.random.default_rng(1), 5, 3)
    matrix = np.zeros((2, 3), np.float32)
    assert trees.probabilities(matrix) == pytest.approx(1 / (1 + np.exp(-trees.scores(matrix))))


def test_shipped_model_is_small_documented_and_made_for_these_features() -> None:
    assert (PACKAGE / MODEL_FILE).stat().st_size <= MAX_BYTES
    model = load_model()
    assert model.about["columns"] == list(COLUMNS)
    assert {"options", "data", "expected_f1"} <= model.about.keys()
    assert json.dumps(model.about)
    assert load_model() is model


def test_models_are_stored_and_read_alike(tmp_path: Path) -> None:
    model = load_model()
    write_model(tmp_path / "m.npz", model)
    again = read_model(tmp_path / "m.npz")
    matrix = np.random.default_rng(0).normal(size=(50, len(COLUMNS))).astype(np.float32)
    assert (again.trees.scores(matrix) == model.trees.scores(matrix)).all()
    assert (again.scorer.text_weights == model.scorer.text_weights).all()
    assert (again.scorer.names.weights == model.scorer.names.weights).all()
    assert again.about == model.about
    assert again.nameless
    assert model.nameless
    scores = [one.trees.scores(matrix) for one in (again.nameless, model.nameless, model)]
    assert (scores[0] == scores[1]).all()
    assert (scores[0] != scores[2]).any()


def test_models_without_a_second_one_are_read(tmp_path: Path) -> None:
    """Those that were trained before there was one."""
    write_model(tmp_path / "m.npz", replace(load_model(), nameless=None))
    assert read_model(tmp_path / "m.npz").nameless is None


def test_files_that_are_no_model(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    with pytest.raises(InputError, match=r"m\.npz: no model of the default extractor"):
        read_model(path)
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(InputError, match="no model of the default extractor"):
        read_model(path)
    np.savez(path, roots=np.zeros(1))
    with pytest.raises(InputError, match="no model of the default extractor"):
        read_model(path)


@given(st.integers(0, 1 << 30), st.integers(1, 255))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_is_more_than_an_input_error(tmp_path: Path, place: int, flip: int) -> None:
    data = bytearray((PACKAGE / MODEL_FILE).read_bytes())
    data[place % len(data)] ^= flip
    path = tmp_path / "m.npz"
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        read_model(path)


@pytest.mark.parametrize(
    "name", ["roots", "node", "value", "text_weights", "nameless_node", "nameless_name_weights"]
)
def test_arrays_that_lead_out_of_themselves_are_refused(tmp_path: Path, name: str) -> None:
    """The loops look at no bounds."""
    path = tmp_path / "m.npz"
    with np.load(PACKAGE / MODEL_FILE) as arrays:
        stored = dict(arrays)
    stored[name] = stored[name][:-9] if name != "roots" else stored[name] + len(stored["node"])
    np.savez(path, **stored)
    with pytest.raises(InputError, match="no model of the default extractor"):
        read_model(path)


def test_trees_in_a_circle_are_refused() -> None:
    trees = random_trees(np.random.default_rng(3), 6, 4)
    trees.check(4)
    inner = int(np.flatnonzero(trees.node != LEAF)[-1])
    with pytest.raises(ValueError, match="lead out"):
        trees.check(int(trees.node[inner]) >> COLUMN_SHIFT)
    trees.node[inner] &= ~LEFT_MASK  # its left child is the first node of all
    with pytest.raises(ValueError, match="lead out"):
        trees.check(4)


def test_trees_may_have_a_leaf_for_each_bit_and_no_more() -> None:
    rng = np.random.default_rng(5)
    for n_leaves in (32, 33):
        inner = [(1 << COLUMN_SHIFT) | 2 * step + 1 for step in range(n_leaves - 1)]
        node = [inner[0], *(part for left in inner[1:] for part in (LEAF, left)), LEAF, LEAF]
        value = np.sort(rng.normal(size=len(node))).astype(np.float32)
        trees = Trees(np.zeros(1, np.int32), np.array(node, np.int32), value, 0.0)
        matrix = np.repeat(np.append(value, 9.0)[:, None], 2, axis=1).astype(np.float32)
        if n_leaves == 32:
            trees.check(2)
            assert trees.scores(matrix) == pytest.approx(scores_by_arrays(trees, matrix))
        else:
            with pytest.raises(ValueError, match="more than 32 leaves"):
                trees.scores(matrix)


def test_model_for_other_features_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, model = tmp_path / "m.npz", load_model()
    monkeypatch.setattr("quarkcrawl.content.lines.model.COLUMNS", COLUMNS[:-1])
    write_model(path, model)
    monkeypatch.undo()
    with np.load(path) as arrays:
        stored = dict(arrays)
    about = json.loads(stored["about"].tobytes())
    about["columns"] = about["columns"][:-1]
    stored["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(path, **stored)
    with pytest.raises(InputError, match="trained for other features"):
        read_model(path)


def test_scorer_is_plain_data() -> None:
    scorer = LineScorer(np.zeros(4, np.float32), NameReader(np.zeros(4, np.float32)))
    assert scorer.text_weights.shape == (4,)
