"""Fitting a classifier; needs scikit-learn, the extra ``train``."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quarkcrawl.classify.model import Classifier
from quarkcrawl.classify.vocabulary import count_words
from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from quarkcrawl.classify.examples import Examples


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a classifier is fitted.

    Args:
        penalty_inverse: scikit-learn's C; larger fits the examples more closely.
        min_pages: words of fewer pages are left out.
        max_words: most words.

    Raises:
        ConfigError: a number is out of range.
    """

    penalty_inverse: float = 1.0
    min_pages: int = 2
    max_words: int = 50_000

    def __post_init__(self) -> None:
        if not (math.isfinite(self.penalty_inverse) and self.penalty_inverse > 0):
            raise ConfigError("the inverse penalty must be above 0", where="TrainingOptions")
        if self.min_pages < 1 or self.max_words < 1:
            raise ConfigError("min_pages and max_words count from 1", where="TrainingOptions")


def train(examples: Examples, options: TrainingOptions | None = None) -> Classifier:
    """Fit a classifier; classes count alike, however many pages they have.

    Args:
        examples: pages of at least two classes.
        options: settings.

    Raises:
        ConfigError: scikit-learn is missing.
        InputError: too few classes, or no word is in enough pages.
    """
    options = options or TrainingOptions()
    regression = _regression()
    counts = Counter(examples.labels)
    if len(counts) < 2:
        raise InputError(f"two classes at least, not {list(counts)}", where="classify train")
    texts = examples.words
    vocabulary = count_words(texts, min_texts=options.min_pages, max_words=options.max_words)
    if not vocabulary.words:
        message = f"no word is in {options.min_pages} pages"
        raise InputError(message, where="classify train")
    fitted = regression(C=options.penalty_inverse, max_iter=2000, class_weight="balanced")
    fitted.fit(vocabulary.matrix(texts), np.array(examples.labels))
    weights, bias = _by_class(fitted)
    about = {
        "pages": dict(sorted(counts.items())),
        "sites": len(set(examples.sites)),
        "options": asdict(options),
    }
    classes = tuple(map(str, fitted.classes_))
    return Classifier(classes, vocabulary, weights, bias, examples.method, about)


def _regression() -> Any:
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - an extra
    except ImportError as error:
        message = "training needs scikit-learn: pip install 'quarkcrawl[train]'"
        raise ConfigError(message) from error
    return LogisticRegression


def _by_class(fitted: Any) -> tuple[Any, Any]:
    """Weights and bias with a column a class; of two, scikit-learn keeps the second alone."""
    weights, bias = fitted.coef_.T, fitted.intercept_
    if weights.shape[1] == 1:
        weights = np.hstack([np.zeros_like(weights), weights])
        bias = np.array([0.0, bias[0]])
    return np.ascontiguousarray(weights, np.float32), bias.astype(np.float32)
