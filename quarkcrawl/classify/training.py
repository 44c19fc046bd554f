"""Fitting a classifier, and how well it does on sites that it has not seen.

Needs scikit-learn, the extra ``train``.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from quarkcrawl.classify.model import Classifier
from quarkcrawl.classify.vocabulary import count_words
from quarkcrawl.errors import ConfigError, InputError
from quarkcrawl.progress import no_progress, reported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.classify.examples import Examples
    from quarkcrawl.progress import Progress


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
    regression = _sklearn("linear_model").LogisticRegression
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


def _sklearn(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ImportError as error:
        message = "training needs scikit-learn: pip install 'quarkcrawl[train]'"
        raise ConfigError(message) from error


def _by_class(fitted: Any) -> tuple[Any, Any]:
    """Weights and bias with a column a class; of two, scikit-learn keeps the second alone."""
    weights, bias = fitted.coef_.T, fitted.intercept_
    if weights.shape[1] == 1:
        weights = np.hstack([np.zeros_like(weights), weights])
        bias = np.array([0.0, bias[0]])
    return np.ascontiguousarray(weights, np.float32), bias.astype(np.float32)


def left_out_predictions(
    examples: Examples,
    options: TrainingOptions | None = None,
    *,
    n_parts: int = 10,
    on_progress: Progress = no_progress,
) -> list[str]:
    """Class of each page by a model that knows nothing of its site.

    The sites are dealt into parts; the pages of each part are classified by a model that was
    trained on the sites of the others. Pages of one site resemble one another in their frame, so a
    model that was tested on sites it knows would be praised for knowing the frame.

    Args:
        examples: pages of several sites; each class in several of them, or it cannot be learned.
        options: settings of the training.
        n_parts: parts of the sites, at most as many as sites.
        on_progress: is told of each part.

    Raises:
        ConfigError: scikit-learn is missing.
        InputError: all pages are of one site, or without some sites nothing can be learned.
    """
    n_parts = min(n_parts, len(set(examples.sites)))
    if n_parts < 2:
        raise InputError("pages of two sites at least are needed", where="classify train")
    predictions = [""] * len(examples)
    folds = _sklearn("model_selection").GroupKFold(n_parts)
    parts = folds.split(predictions, groups=examples.sites)
    for trained, tested in reported(parts, "sites left out", on_progress, total=n_parts):
        model = train(examples.only(trained.tolist()), options)
        pages: dict[str, int] = model.about["pages"]
        most_usual = max(pages, key=pages.__getitem__)  # for a page without words
        for page in tested.tolist():
            predictions[page] = model.classify_words(examples.words[page]).name or most_usual
    return predictions


def macro_f1(truth: Sequence[str], predictions: Sequence[str]) -> float:
    """Mean of the F1 of the classes that the truth has.

    Args:
        truth: class of each page.
        predictions: what it was taken for.
    """
    classes = sorted(set(truth))
    f1_score = _sklearn("metrics").f1_score
    return float(f1_score(truth, predictions, labels=classes, average="macro", zero_division=0))
