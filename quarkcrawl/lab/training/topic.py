"""Fit the topic classifier on labelled pages, and say how it does on hosts it has not seen.

Examples are JSON lines, gzipped or not. A page is ``html`` (text) or ``body_b64`` (bytes) with
its ``url``; what it is, ``is_topic`` says, or a ``template_label`` of the class of its URL, or
that somebody marked its content (``gold_text``): who marks content takes the page for a topic
page.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import numpy as np

from quarkcrawl.content import extract
from quarkcrawl.content.topic import MODEL_FEATURES, URL_FEATURES, fit, page_features, url_features
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from quarkcrawl.content.topic import LogisticModel

    BoolArray = NDArray[np.bool_]
    FloatArray = NDArray[np.float64]


_TOPIC_LABELS: Final = frozenset(("post",))
_OTHER_LABELS: Final = frozenset(
    ("home", "archive", "tag", "category", "cat_index", "tag_index", "list")
)
_ONE_SIDED_WEIGHT: Final = 8.0
"""Weight of all hosts together that show pages of one kind only; any other host weighs 2."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Labelled pages as features.

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


@dataclass(frozen=True, slots=True)
class Scores:
    """How well topic pages are found.

    Args:
        precision: share of topic pages among those found.
        recall: share of those found among the topic pages.
        f1: harmonic mean of both.
    """

    precision: float
    recall: float
    f1: float


def score(is_topic: BoolArray, found: BoolArray) -> Scores:
    """Compare a decision with the truth.

    Args:
        is_topic: what the pages are.
        found: what they are taken for.
    """
    right = int(np.count_nonzero(is_topic & found))
    precision = right / max(int(np.count_nonzero(found)), 1)
    recall = right / max(int(np.count_nonzero(is_topic)), 1)
    both = precision + recall
    return Scores(precision, recall, 2 * precision * recall / both if both else 0.0)


def read_lines(paths: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Records of JSON-lines files, each with the place it came from.

    Args:
        paths: the files; a name that ends in ``.gz`` is gunzipped.

    Raises:
        InputError: if a file cannot be read or a line is no JSON object.
    """
    for path in paths:
        opened = gzip.open if path.suffix == ".gz" else open
        try:
            with opened(path, "rt", encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    where = f"{path}:{number}"
                    yield where, _record(line, where)
        except (OSError, EOFError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", where=path) from error


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise InputError(f"no JSON: {error}", where=where) from error
    if not isinstance(record, dict):
        raise InputError("no JSON object", where=where)
    return record


def page_of(record: dict[str, Any], where: str) -> Page:
    """The page of a record.

    Args:
        record: with ``html`` or ``body_b64``, and ``url``.
        where: place of the record, for the error.

    Raises:
        InputError: if there is no page in it.
    """
    url = str(record.get("url") or "")
    try:
        if "body_b64" in record:
            return Page.from_bytes(base64.b64decode(record["body_b64"]), url)
        return Page.from_html(record["html"], url)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"no page: {error!r}", where=where) from error


def _label(record: dict[str, Any]) -> bool | None:
    if record.get("is_topic") is not None:
        return bool(record["is_topic"])
    label = record.get("template_label")
    if label in _TOPIC_LABELS | _OTHER_LABELS:
        return label in _TOPIC_LABELS
    return True if record.get("gold_text") else None


def read_examples(paths: Iterable[Path], method: str = "default") -> TrainingSet:
    """Read labelled pages; those without a label are left out.

    Args:
        paths: files of JSON lines.
        method: how their content is found.

    Raises:
        InputError: if a file is no such file, or its pages are not of both kinds.
    """
    hosts, labels, rows, has_url = [], [], [], []
    for where, record in read_lines(paths):
        label = _label(record)
        if label is None:
            continue
        page = page_of(record, where)
        address = urlsplit(page.url)
        hosts.append(address.netloc.lower() or where)
        labels.append(label)
        has_url.append(len(address.path) > 1)
        content = extract(page, method=method)
        found = page_features(content.segmentation, content.text)
        rows.append(np.concatenate((url_features(page.url), found)))
    if not rows:
        raise InputError("no labelled page")
    if len(set(labels)) < 2:
        n_topics = sum(labels)
        others = len(labels) - n_topics
        raise InputError(f"{n_topics} topic pages and {others} others: both are needed")
    return TrainingSet(tuple(hosts), np.array(labels), np.array(rows), np.array(has_url))


def train_topic(examples: TrainingSet, wanted: BoolArray | None = None) -> dict[str, LogisticModel]:
    """Fit both models of the classifier.

    Args:
        examples: the labelled pages.
        wanted: which of them to learn from; all if None.

    Raises:
        InputError: if a model has no page to learn from.
    """
    wanted = np.ones(len(examples.hosts), np.bool_) if wanted is None else wanted
    both = wanted & examples.has_url
    return {
        "page": _fit(examples, wanted, "page", examples.features[:, len(URL_FEATURES) :]),
        "page_and_url": _fit(examples, both, "page_and_url", examples.features),
    }


def _fit(examples: TrainingSet, wanted: BoolArray, name: str, columns: FloatArray) -> LogisticModel:
    if not wanted.any():
        message = f"nothing to fit {name!r} on: pages of several hosts, with addresses, are needed"
        raise InputError(message)
    weights = _weights(examples, wanted)
    return fit(MODEL_FEATURES[name], columns[wanted], examples.is_topic[wanted], weights)


def _weights(examples: TrainingSet, wanted: BoolArray) -> FloatArray:
    """A host counts as much as any other, and its pages of both kinds alike."""
    places = np.flatnonzero(wanted).tolist()
    keys = [(examples.hosts[place], bool(examples.is_topic[place])) for place in places]
    sizes = Counter(keys)
    one_sided = [(host, not label) not in sizes for host, label in keys]
    n_one_sided = max(sum(one_sided), 1)
    pairs = zip(keys, one_sided, strict=True)
    return np.array(
        [_ONE_SIDED_WEIGHT / n_one_sided if alone else 1 / sizes[key] for key, alone in pairs]
    )


def held_out(examples: TrainingSet, n_folds: int = 10) -> dict[str, FloatArray]:
    """Probabilities of each page by models that have not seen its host.

    Hosts with pages of both kinds are left out one by one, the others in folds.

    Args:
        examples: the labelled pages.
        n_folds: number of folds.

    Returns:
        For each model the probabilities; for pages without a telling address, those of
        ``page_and_url`` are those of ``page``.

    Raises:
        InputError: if a model has no page to learn from without a host.
    """
    n_pages = len(examples.hosts)
    found = {name: np.zeros(n_pages) for name in MODEL_FEATURES}
    for left_out in _folds(examples, n_folds):
        models = train_topic(examples, ~left_out)
        page = examples.features[left_out][:, len(URL_FEATURES) :]
        found["page"][left_out] = alone = models["page"].probability(page)
        both = models["page_and_url"].probability(examples.features[left_out])
        found["page_and_url"][left_out] = np.where(examples.has_url[left_out], both, alone)
    return found


def _folds(examples: TrainingSet, n_folds: int) -> list[BoolArray]:
    kinds: defaultdict[str, set[bool]] = defaultdict(set)
    for host, label in zip(examples.hosts, examples.is_topic.tolist(), strict=True):
        kinds[host].add(label)
    one_sided = sorted(host for host in kinds if len(kinds[host]) == 1)
    groups = [{host} for host in sorted(kinds) if len(kinds[host]) == 2]
    groups += [set(one_sided[start::n_folds]) for start in range(min(n_folds, len(one_sided)))]
    return [np.array([host in group for host in examples.hosts]) for group in groups]
