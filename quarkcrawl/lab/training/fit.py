"""Fitting the models of the default extractor; needs scikit-learn (extra ``train``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
)
from sklearn.linear_model import LogisticRegression

from quarkcrawl.content.lines import (
    CLASS_BITS,
    COLUMN_SHIFT,
    LEAF,
    TEXT_BITS,
    BlockModel,
    LineScorer,
    NameReader,
    Trees,
    fill_word_scores,
)
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.lab.training.data import TrainingPage

    Matrix = NDArray[np.float32]
    FloatArray = NDArray[np.float64]
    BoolArray = NDArray[np.bool_]


GIVE_UP: Final = -2.5
"""Lines that score less after half of the trees are given up: of 6,428 content lines 3 would have
been saved by the other half, and 80 % of all lines need no further trees."""


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Settings of the training.

    Args:
        n_trees: number of boosted trees.
        n_leaves: leaves of each.
        learning_rate: shrinkage of each.
        min_leaf_lines: lines in a leaf at least.
        l2: penalty on leaf values.
        n_columns: so many columns are used, those with the most gain in a first training.
        columns_share: share of them among which a split chooses.
        word_c: inverse penalty of the linear models.
        n_folds: parts in which the linear models' scores of training lines are computed.
        n_lines: about so many lines are kept for training, drawn by weight.
        chars_share: how much of a line's weight is its share of the page's text; the rest is
            the same for all lines of a page.
        max_page_weight: bound on the lines' text on a page, in units of its content.
        seed: start of all random choices.
        set_weights: weight of a page by the set it is from, 1 for those not named.
        blind_share: share of the pages that are learned a second time, as if all their names were
            unknown: what a page looks like without them has to be known, too.
        min_name_sites: words of names that fewer sites use are unknown.
        has_nameless: whether a second model is trained, which knows no names.
    """

    n_trees: int = 350
    n_leaves: int = 32
    learning_rate: float = 0.06
    min_leaf_lines: int = 40
    l2: float = 5.0
    n_columns: int = 170
    columns_share: float = 0.3
    word_c: float = 3.0
    n_folds: int = 4
    n_lines: int = 300_000
    chars_share: float = 0.7
    max_page_weight: float = 3.0
    seed: int = 0
    set_weights: dict[str, float] = field(default_factory=dict)
    blind_share: float = 0.66
    min_name_sites: int = 3
    has_nameless: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class TrainingLines:
    """All lines of some pages, one behind the other.

    Args:
        matrix: features, word scores still empty.
        starts: first line of each page, and the end.
        label: whether each line is content.
        weight: weight in training.
        site: number of each line's site.
        page: number of each line's page.
        text_bags: normalized counts of hashed words, one row a line.
        name_bags: the same of names around the lines.
    """

    matrix: Matrix
    starts: NDArray[np.int64]
    label: BoolArray
    weight: FloatArray
    site: NDArray[np.int64]
    page: NDArray[np.int64]
    text_bags: Any
    name_bags: Any


def gather_lines(pages: Sequence[TrainingPage], options: FitOptions) -> TrainingLines:
    """Put the lines of pages together, those that are learned blindly a second time behind."""
    _, sites = np.unique([page.page.site for page in pages], return_inverse=True)
    is_known = _known_words(pages, sites, options)
    drawn = np.random.default_rng(options.seed).random(len(pages)) < options.blind_share
    again = np.flatnonzero(drawn).tolist()
    numbers = np.append(np.arange(len(pages)), np.array(again, np.int64))
    twice = [*pages, *(pages[number] for number in again)]
    starts = np.append(0, np.cumsum([len(page.texts) for page in twice]))
    no_names = np.zeros(0, np.int32)
    name_tokens = [page.name_tokens(is_known) for page in pages]
    name_tokens += [
        (np.zeros(len(pages[number].texts) + 1, np.int32), no_names) for number in again
    ]
    return TrainingLines(
        np.concatenate(
            [page.features.matrix for page in pages] + [pages[number].blind for number in again]
        ),
        starts,
        np.concatenate([page.label for page in twice]),
        np.concatenate([line_weights(page, options) for page in twice]),
        np.repeat(sites[numbers], np.diff(starts)),
        np.repeat(numbers, np.diff(starts)),
        _bags([page.text_tokens for page in twice], 1 << TEXT_BITS),
        _bags(name_tokens, 2 << CLASS_BITS),
    )


def _known_words(
    pages: Sequence[TrainingPage], sites: NDArray[np.int64], options: FitOptions
) -> BoolArray:
    """Which hashes of words in names are met on enough sites."""
    used_by = np.unique(
        [
            (code, site)
            for page, site in zip(pages, sites.tolist(), strict=True)
            for code in {code for hashes in page.names.values() for code in hashes}
        ],
        axis=0,
    )
    n_sites = np.bincount(used_by[:, 0] if len(used_by) else [], minlength=1 << CLASS_BITS)
    is_known: BoolArray = n_sites >= options.min_name_sites
    return is_known


def _bags(tokens: list[tuple[NDArray[np.int32], NDArray[np.int32]]], n_columns: int) -> Any:
    """Rows of token counts over the root of their number, as the scoring kernels count."""
    lengths = np.concatenate([np.diff(starts) for starts, _ in tokens])
    codes = np.concatenate([codes for _, codes in tokens])
    starts = np.append(0, np.cumsum(lengths))
    values = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths).astype(np.float32)
    bags = scipy.sparse.csr_matrix((values, codes, starts), shape=(len(lengths), n_columns))
    bags.sum_duplicates()
    return bags


def line_weights(page: TrainingPage, options: FitOptions) -> FloatArray:
    """Weights of a page's lines.

    A wrong line costs F1 in proportion to its share of the gold text, and a page can cost no
    more than 1, however long it is; so no page dominates. Where only pieces of the text are known,
    their lines weigh the same.
    """
    n_chars = np.array([len(text) for text in page.texts], np.float64)
    if page.page.has_pieces_only:
        weight = np.full(len(n_chars), 1 / max(int(page.used.sum()), 1))
    else:
        share = np.minimum(n_chars / max(len(page.page.gold), 100), 1)
        share *= min(1, options.max_page_weight / max(share.sum(), 1e-9))
        weight = options.chars_share * share + (1 - options.chars_share) / len(n_chars)
    result: FloatArray = weight * page.used * options.set_weights.get(page.page.dataset, 1.0)
    return result


def fit_model(lines: TrainingLines, is_used: BoolArray, options: FitOptions) -> BlockModel:
    """Train all models.

    Args:
        lines: lines of all pages.
        is_used: which of them to train on.
        options: settings.

    Raises:
        InputError: all of them are content, or none is.
    """
    if not _has_both(lines.label[is_used & (lines.weight > 0)]):
        raise InputError("lines of which all are content, or none is, teach nothing")
    weight = _thinned(np.where(is_used, lines.weight, 0.0), options)
    used = weight > 0
    matrix, models = lines.matrix.copy(), []
    scores = []
    for bags in (lines.text_bags, lines.name_bags):
        models.append(_fit_words(bags, lines.label, weight, options))
        scores.append(_held_out(bags, lines, weight, options))
    fill_word_scores(matrix, lines.starts, *scores)
    trees = _fit_trees(matrix[used], lines.label[used], weight[used], options)
    scorer = LineScorer(models[0], NameReader(models[1]))
    return BlockModel(scorer, trees, {})


def _has_both(label: BoolArray) -> bool:
    return bool(label.any() and not label.all())


def _thinned(weight: FloatArray, options: FitOptions) -> FloatArray:
    """Draw lines with a chance in proportion to their weight; the drawn ones weigh 1 on average."""
    low, high = 0.0, float(weight.max())
    for _ in range(50):
        middle = (low + high) / 2
        many = np.minimum(1, weight / middle).sum() > options.n_lines
        low, high = (middle, high) if many else (low, middle)
    chance = np.minimum(1, weight / high)
    drawn = np.random.default_rng(options.seed).random(len(weight)) < chance
    result: FloatArray = np.where(drawn, weight / np.maximum(chance, 1e-12), 0.0)
    result *= drawn.sum() / result.sum()
    return result


def _fit_words(
    bags: Any,
    label: BoolArray,
    weight: FloatArray,
    options: FitOptions,
) -> NDArray[np.float32]:
    """Weights of hashed words, rounded as they are stored; all 0 where one class is missing."""
    used = weight > 0
    if not _has_both(label[used]):
        return np.zeros(bags.shape[1], np.float32)
    model = LogisticRegression(C=options.word_c, max_iter=60, tol=1e-3)
    model.fit(bags[used], label[used], sample_weight=weight[used])
    return model.coef_[0].astype(np.float16).astype(np.float32)  # type: ignore[no-any-return]


def _held_out(
    bags: Any,
    lines: TrainingLines,
    weight: FloatArray,
    options: FitOptions,
) -> FloatArray:
    """Score of each line by a model that was trained on other sites."""
    part = lines.site * 7919 % options.n_folds
    scores = np.zeros(len(lines.label))
    for held_out in range(options.n_folds):
        here = part == held_out
        scores[here] = bags[here] @ _fit_words(bags, lines.label, weight * ~here, options)
    return scores


def _fit_trees(matrix: Matrix, label: BoolArray, weight: FloatArray, options: FitOptions) -> Trees:
    """Choose columns by a first, shorter training, then train on these."""
    first = _booster(options, n_trees=max(options.n_trees // 3, 1))
    first.fit(matrix, label, sample_weight=weight)
    gains = _gains(first, matrix.shape[1])
    columns = np.sort(np.argsort(-gains, kind="stable")[: options.n_columns])
    model = _booster(options, options.n_trees)
    model.fit(matrix[:, columns], label, sample_weight=weight)
    return flat_trees(model, columns)


def _booster(options: FitOptions, n_trees: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=n_trees,
        learning_rate=options.learning_rate,
        max_leaf_nodes=options.n_leaves,
        min_samples_leaf=options.min_leaf_lines,
        l2_regularization=options.l2,
        max_features=options.columns_share,
        max_bins=63,
        early_stopping=False,
        random_state=options.seed,
    )


def _gains(model: HistGradientBoostingClassifier, n_columns: int) -> FloatArray:
    """How much each column's splits gained."""
    gains = np.zeros(n_columns)
    for (tree,) in model._predictors:  # noqa: SLF001  (there is no public access to the trees)
        inner = tree.nodes[tree.nodes["is_leaf"] == 0]
        np.add.at(gains, inner["feature_idx"], inner["gain"])
    return gains


def flat_trees(model: HistGradientBoostingClassifier, columns: NDArray[np.intp]) -> Trees:
    """The trees of a fitted model as arrays.

    A threshold is rounded down to 32 bits, which decides no 32-bit value otherwise.

    Args:
        model: the fitted model.
        columns: column of the features for each column that the model knows.

    Raises:
        InputError: the trees have more nodes than a place has bits for.
    """
    roots, packed, value = [0], [], []
    for (tree,) in model._predictors:  # noqa: SLF001  (there is no public access to the trees)
        base = roots[-1]
        new_place, order = _children_together(tree.nodes)
        for old in order:
            node = tree.nodes[old]
            if node["is_leaf"]:
                packed.append(LEAF)
                value.append(np.float32(node["value"]))
            else:
                left = base + new_place[int(node["left"])]
                packed.append(int(columns[node["feature_idx"]]) << COLUMN_SHIFT | left)
                value.append(_rounded_down(node["num_threshold"]))
        roots.append(base + len(order))
    if roots[-1] >> COLUMN_SHIFT:
        raise InputError(f"{roots[-1]} nodes are too many for {COLUMN_SHIFT} bits: fewer trees")
    return Trees(
        np.array(roots[:-1], np.int32),
        np.array(packed, np.int32),
        np.array(value, np.float32),
        float(model._baseline_prediction[0, 0]),  # noqa: SLF001
        n_first=len(model._predictors) // 2,  # noqa: SLF001
        give_up=GIVE_UP,
    )


def _children_together(nodes: NDArray[Any]) -> tuple[dict[int, int], list[int]]:
    """Order of nodes in which a right child follows the left one."""
    order = [0]
    for old in order:
        if not nodes[old]["is_leaf"]:
            order += (int(nodes[old]["left"]), int(nodes[old]["right"]))
    return {old: place for place, old in enumerate(order)}, order


def _rounded_down(threshold: float) -> np.float32:
    rounded = np.float32(threshold)
    return rounded if rounded <= threshold else np.nextafter(rounded, np.float32(-np.inf))
