"""Fit the topic classifier on labeled pages, and say how it does on hosts it has not seen.

Examples are JSON lines, gzipped or not. A page is ``html`` (text) or ``body_b64`` (bytes) with
its ``url``; what it is, ``is_topic`` says, or a ``template_label`` of the class of its URL, or
that somebody marked its content (``gold_text``): who marks content takes the page for a topic
page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import numpy as np

from quarkcrawl.classify import record_page
from quarkcrawl.content import extract
from quarkcrawl.content.topic import (
    MODEL_FEATURES,
    URL_FEATURES,
    LogisticModel,
    page_features,
    url_features,
)
from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_all
from quarkcrawl.lab.gold import Score
from quarkcrawl.progress import no_progress, reported

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.progress import Progress

    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]


_TOPIC_LABELS: Final = frozenset(("post",))
_OTHER_LABELS: Final = frozenset(
    ("home", "archive", "tag", "category", "cat_index", "tag_index", "list")
)
_PENALTY: Final = 30.0
"""Strength of the L2 penalty, the examples weighing 1000 together: by leave-site-out F1, .3 and 3
do as well on the sites they know and worse on pages of other kinds."""

_MAX_STEPS: Final = 60
_TOTAL_WEIGHT: Final = 1000.0
_ONE_SIDED_WEIGHT: Final = 8.0
"""Weight of all hosts together that show pages of one kind only; any other host weighs 2."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Labeled pages as features.

    Args:
        hosts: host of each page; a number of its own for a page without.
        is_topic: what each page is.
        features: URL features, then page features.
        has_url: whether the address says more than the host.
    """

    hosts: tuple[str, ...]
    is_topic: BoolArray
    features: FloatArray
    has_url: BoolArray


def score(is_topic: BoolArray, is_predicted: BoolArray) -> Score:
    """Compare a decision with the truth.

    Args:
        is_topic: what the pages are.
        is_predicted: what they are taken for.
    """
    return Score.of(
        *(int(np.count_nonzero(mask)) for mask in (is_topic & is_predicted, is_predicted, is_topic))
    )


def _label(record: dict[str, Any]) -> bool | None:
    if record.get("is_topic") is not None:
        return bool(record["is_topic"])
    label = record.get("template_label")
    if label in _TOPIC_LABELS | _OTHER_LABELS:
        return label in _TOPIC_LABELS
    return True if record.get("gold_text") else None


def read_examples(
    paths: Sequence[Path], method: str = "default", on_progress: Progress = no_progress
) -> TrainingSet:
    """Read labeled pages; those without a label are left out.

    Args:
        paths: files of JSON lines.
        method: how their content is found.
        on_progress: is told of each page.

    Raises:
        InputError: if a file is no such file, or its pages are not of both kinds.
    """
    hosts, labels, rows, has_url = [], [], [], []
    for where, record in read_all(paths, "pages", on_progress):
        label = _label(record)
        if label is None:
            continue
        page = record_page(record, where)
        address = urlsplit(page.url)
        hosts.append(address.netloc.lower() or where)
        labels.append(label)
        has_url.append(len(address.path) > 1)
        content = extract(page, method=method)
        features = page_features(content.segmentation, content.text)
        rows.append(np.concatenate((url_features(page.url), features)))
    if not rows:
        raise InputError("no labeled page")
    if len(set(labels)) < 2:
        n_topics = sum(labels)
        others = len(labels) - n_topics
        raise InputError(f"{n_topics} topic pages and {others} others: both are needed")
    return TrainingSet(tuple(hosts), np.array(labels), np.array(rows), np.array(has_url))


def train_topic(
    examples: TrainingSet, is_used: BoolArray | None = None
) -> dict[str, LogisticModel]:
    """Fit both models of the classifier.

    Args:
        examples: the labeled pages.
        is_used: which of them to learn from; all if None.

    Raises:
        InputError: if a model has no page to learn from.
    """
    is_used = np.ones(len(examples.hosts), np.bool_) if is_used is None else is_used
    both = is_used & examples.has_url
    return {
        "page": _fit(examples, is_used, "page", examples.features[:, len(URL_FEATURES) :]),
        "page_and_url": _fit(examples, both, "page_and_url", examples.features),
    }


def _fit(
    examples: TrainingSet, is_used: BoolArray, name: str, columns: FloatArray
) -> LogisticModel:
    if not is_used.any():
        message = f"nothing to fit {name!r} on: pages of several hosts, with addresses, are needed"
        raise InputError(message)
    weights = _weights(examples, is_used)
    return fit(MODEL_FEATURES[name], columns[is_used], examples.is_topic[is_used], weights)


def fit(
    names: Sequence[str], features: FloatArray, is_topic: BoolArray, weights: FloatArray
) -> LogisticModel:
    """Fit a model on standardized features by Newton's method; one kind of pages is enough.

    Args:
        names: names of the features.
        features: one row an example.
        is_topic: what the examples are.
        weights: how much each example counts.
    """
    weights = weights * (_TOTAL_WEIGHT / weights.sum())
    mean = np.average(features, axis=0, weights=weights)
    scale = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=weights))
    scale[scale < 1e-9] = 1.0
    rows = np.column_stack(((features - mean) / scale, np.ones(len(features))))
    penalty = np.append(np.full(len(names), _PENALTY), 1e-6)
    solution = np.zeros(len(names) + 1)
    for _ in range(_MAX_STEPS):
        likely = 1 / (1 + np.exp(-np.maximum(rows @ solution, -500)))
        gradient = rows.T @ (weights * (likely - is_topic)) + penalty * solution
        curve = (rows * (weights * likely * (1 - likely))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curve, gradient)
        solution = solution - step
        if abs(step).max() < 1e-9:
            break
    return LogisticModel(tuple(names), mean, scale, solution[:-1], float(solution[-1]))


def _weights(examples: TrainingSet, is_used: BoolArray) -> FloatArray:
    """A host counts as much as any other, and its pages of both kinds alike."""
    places = np.flatnonzero(is_used).tolist()
    keys = [(examples.hosts[place], bool(examples.is_topic[place])) for place in places]
    sizes = Counter(keys)
    one_sided = [(host, not label) not in sizes for host, label in keys]
    n_one_sided = max(sum(one_sided), 1)
    pairs = zip(keys, one_sided, strict=True)
    return np.array(
        [_ONE_SIDED_WEIGHT / n_one_sided if alone else 1 / sizes[key] for key, alone in pairs]
    )


def held_out(
    examples: TrainingSet, n_folds: int = 10, on_progress: Progress = no_progress
) -> dict[str, FloatArray]:
    """Probabilities of each page by models that have not seen its host.

    Hosts with pages of both kinds are left out one by one, the others in folds.

    Args:
        examples: the labeled pages.
        n_folds: number of folds.
        on_progress: is told of each host or fold.

    Returns:
        For each model the probabilities; for pages without a telling address, those of
        ``page_and_url`` are those of ``page``.

    Raises:
        InputError: if a model has no page to learn from without a host.
    """
    groups = np.array(_groups(examples, n_folds))
    probabilities = {name: np.zeros(len(groups)) for name in MODEL_FEATURES}
    names = sorted(set(groups.tolist()))
    for name in reported(names, "hosts left out", on_progress, total=len(names)):
        left_out = groups == name
        models = train_topic(examples, ~left_out)
        page = examples.features[left_out][:, len(URL_FEATURES) :]
        probabilities["page"][left_out] = alone = models["page"].probability(page)
        both = models["page_and_url"].probability(examples.features[left_out])
        probabilities["page_and_url"][left_out] = np.where(examples.has_url[left_out], both, alone)
    return probabilities


def _groups(examples: TrainingSet, n_folds: int) -> list[str]:
    """What each page is left out with: its host, or a fold of hosts of one kind."""
    kinds: defaultdict[str, set[bool]] = defaultdict(set)
    for host, label in zip(examples.hosts, examples.is_topic.tolist(), strict=True):
        kinds[host].add(label)
    one_sided = sorted(host for host in kinds if len(kinds[host]) == 1)
    fold = {host: f"fold {number % n_folds}" for number, host in enumerate(one_sided)}
    return [fold.get(host, host) for host in examples.hosts]
