"""Training of the kinds of pages, and how well they are told on sites never seen.

``quarkcrawl train kinds FOLDER … --out MODEL.npz`` reads pages with their kind; with ``--folds 5``
it first measures with every site left out in turn. Same data, same seed, same model.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold

from quarkcrawl.content.kind import (
    KINDS,
    N_RANGES,
    WORD_BITS,
    KindModel,
    page_facts,
    rounded,
    write_kind_model,
)
from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_all
from quarkcrawl.lab.gold import gold_page, set_name
from quarkcrawl.lab.training.data import site_of
from quarkcrawl.page import Page
from quarkcrawl.progress import no_progress, reported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.content.kind import PageFacts
    from quarkcrawl.progress import Progress

    FloatArray = NDArray[np.float64]


SET_KINDS: Final = {
    **dict.fromkeys(("cwced", "daniel_zh", "daniel_en", "daniel_other"), "article"),
    **dict.fromkeys(("magic_article_zh", "magic_article_en", "scrapinghub_en"), "article"),
    **dict.fromkeys(("magic_forum_zh", "magic_forum_en"), "forum"),
    "twevents": "other",
}
"""Kind of the pages of sets that do not name it for each page."""

_SAME_KIND: Final = {
    **dict.fromkeys(("blog", "comments", "government"), "article"),
    **dict.fromkeys(("recruitment", "event", "encyclopedia"), "other"),
    "company": "service",
    "home": "listing",
}
_QUESTION: Final = re.compile(r"//[^/]+/(?:.*/)?(?:questions?|q|ans|answers?|faq)/", re.IGNORECASE)
"""Sets call question pages forum pages; the addresses tell them apart."""

_MIN_KNOWN_SITES: Final = 4
_NAMELESS_WEIGHT: Final = 0.02
"""Weight of a page that is learned once more without class names and ids, beside 1 with them: what
a page shows otherwise has to tell its kind where names are made up."""

_C: Final = 10.0
"""Inverse penalty beside weights that are 1 on average, of the pages and their copies together."""

_MAX_STEPS: Final = 500
_TOLERANCE: Final = 1e-4
"""Ten times as much ends the fit early, and macro F1 is .004 lower (mean of eight splits)."""


@dataclass(frozen=True, slots=True, eq=False)
class KindPage:
    """A page with its kind.

    Args:
        dataset: name of its set.
        site: name of its site.
        lang: language, "" if unknown.
        kind: number of its kind.
        facts: what is known of it.
        nameless: the same without its class names and ids.
    """

    dataset: str
    site: str
    lang: str
    kind: int
    facts: PageFacts
    nameless: PageFacts


def read_kind_pages(folders: Iterable[Path], on_progress: Progress = no_progress) -> list[KindPage]:
    """Read all pages whose kind is known.

    Args:
        folders: hold ``NAME.jsonl.gz`` with ``id``, ``url``, and ``body_b64`` or ``html``;
            ``page_type`` is one of `quarkcrawl.content.kind.KINDS`.
        on_progress: is told of each page, folder by folder.

    Raises:
        InputError: a file cannot be used, or there is none.
    """
    pages: list[KindPage] = []
    for folder in folders:
        paths = sorted(folder.glob("*.jsonl.gz"))
        if not paths:
            raise InputError("no NAME.jsonl.gz here", where=folder)
        pages += _pages_of(paths, folder, on_progress)
    return pages


def _pages_of(paths: Sequence[Path], folder: Path, on_progress: Progress) -> Iterator[KindPage]:
    for where, record in read_all(paths, f"pages of {folder.name}", on_progress):
        dataset = set_name(Path(where.rpartition(":")[0]))
        named = record.get("page_type") or SET_KINDS.get(dataset)
        kind = _SAME_KIND.get(str(named), named)
        if kind not in KINDS:
            continue
        gold = gold_page(record, folder, where)
        if kind == "forum" and _QUESTION.search(gold.url):
            kind = "qa"
        site = site_of(gold.url, gold.body) or gold.number
        page = Page.from_bytes(gold.body, gold.url)
        both = page_facts(page), page_facts(page, with_names=False)
        yield KindPage(dataset, site, gold.lang[:2], KINDS.index(kind), *both)


def train_kind_model(pages: Sequence[KindPage]) -> KindModel:
    """Train on all pages, and with little weight on the same without class names and ids.

    Args:
        pages: pages of two kinds at least.

    Raises:
        InputError: they are of one kind.
    """
    labels = np.array([page.kind for page in pages], np.int64)
    if len(set(labels.tolist())) < 2:
        raise InputError("pages of one kind teach nothing")
    codes, bounds = _known_codes(pages), _bounds(pages)
    n_rows = len(codes) + len(bounds) * N_RANGES
    blank = KindModel(
        codes,
        bounds,
        np.zeros((n_rows, len(KINDS)), np.int8),
        np.zeros(len(KINDS)),
        np.zeros(len(KINDS)),
        {},
    )
    described = [page.facts for page in pages] + [page.nameless for page in pages]
    weight = np.outer((1, _NAMELESS_WEIGHT), _weights(pages, labels)).ravel()
    model = LogisticRegression(C=_C, max_iter=_MAX_STEPS, tol=_TOLERANCE)
    model.fit(_rows(described, blank), np.tile(labels, 2), sample_weight=weight / weight.mean())
    weights, start = np.zeros((n_rows, len(KINDS))), np.full(len(KINDS), -30.0)
    if len(model.classes_) == 2:  # then there is one row, for the second of both
        weights[:, model.classes_[1]], start[model.classes_] = model.coef_[0], 0.0
        start[model.classes_[1]] = model.intercept_[0]
    else:
        weights[:, model.classes_], start[model.classes_] = model.coef_.T, model.intercept_
    small, scale = rounded(weights)
    counts = Counter(f"{page.dataset} {KINDS[page.kind]}" for page in pages)
    return KindModel(codes, bounds, small, scale, start, {"pages": dict(sorted(counts.items()))})


def _known_codes(pages: Sequence[KindPage]) -> NDArray[np.int32]:
    """Words that enough sites use, with their families."""
    sites: dict[int, set[str]] = defaultdict(set)
    for page in pages:
        for number, words in enumerate(page.facts.words):
            for code in (words | number << WORD_BITS).tolist():
                sites[code].add(page.site)
    common_codes = (code for code, using in sites.items() if len(using) >= _MIN_KNOWN_SITES)
    return np.array(sorted(common_codes), np.int32)


def _bounds(pages: Sequence[KindPage]) -> NDArray[np.float32]:
    """Where the ranges of the numbers meet: each range has as many of the pages."""
    numbers = np.array([page.facts.numbers for page in pages])
    shares = np.linspace(0, 1, N_RANGES + 1)[1:-1]
    bounds: NDArray[np.float32] = np.quantile(numbers, shares, axis=0).T.astype(np.float32)
    return bounds


def _rows(described: Sequence[PageFacts], model: KindModel) -> Any:
    """One row a description: what a page shows, as `KindModel.probabilities` counts it."""
    places, values, starts = [], [], [0]
    for facts in described:
        families = [rows for rows in model.families(facts) if len(rows)]
        places += families
        values += [np.full(len(rows), 1 / np.sqrt(len(rows))) for rows in families]
        starts.append(starts[-1] + sum(map(len, families)))
    shape = (len(described), len(model.weights))
    data = np.concatenate(values), np.concatenate(places), np.array(starts)
    return scipy.sparse.csr_matrix(data, shape=shape)


def _weights(pages: Sequence[KindPage], labels: NDArray[np.int64]) -> FloatArray:
    """Pages of large sites weigh less, all kinds together the same; 1 on average."""
    n_pages = Counter(page.site for page in pages)
    weight = np.array([1 / np.sqrt(n_pages[page.site]) for page in pages])
    totals = np.maximum(np.bincount(labels, weight, len(KINDS)), 1e-9)
    weight /= totals[labels]
    result: FloatArray = weight / weight.mean()
    return result


def told_apart(
    pages: Sequence[KindPage],
    n_folds: int,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> tuple[FloatArray, FloatArray]:
    """How likely each page is of each kind, by models that know no page of its site.

    Args:
        pages: pages with their kinds.
        n_folds: number of parts.
        seed: start of the draw.
        on_progress: is told of each part.

    Returns:
        One row a page, and the same for the pages without class names and ids.

    Raises:
        InputError: they come from fewer sites than there are parts.
    """
    sites = [page.site for page in pages]
    if len(set(sites)) < n_folds:
        raise InputError(f"pages of {len(set(sites))} sites cannot be cut into {n_folds} parts")
    labels = [page.kind for page in pages]
    likely, nameless = np.zeros((2, len(pages), len(KINDS)))
    folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    parts = folds.split(labels, labels, sites)
    for trained, tested in reported(parts, "sites left out", on_progress, total=n_folds):
        model = train_kind_model([pages[number] for number in trained.tolist()])
        for number in tested.tolist():
            likely[number] = model.probabilities(pages[number].facts)
            nameless[number] = model.probabilities(pages[number].nameless)
    return likely, nameless


def kind_scores(pages: Sequence[KindPage], probabilities: FloatArray) -> dict[str, Any]:
    """Macro F1 over kinds with 20 pages at least, scores of each kind, F1 by language, confusion.

    Args:
        pages: pages with their kinds.
        probabilities: how likely each is of each kind.
    """
    true = np.array([page.kind for page in pages])
    guess = probabilities.argmax(1)
    table = np.zeros((len(KINDS), len(KINDS)), np.int64)
    np.add.at(table, (true, guess), 1)
    langs = np.array([page.lang for page in pages])
    by_lang = {
        lang: {"pages": int((langs == lang).sum()), "right": _share(true, guess, langs == lang)}
        for lang in sorted({page.lang for page in pages if page.lang})
    }
    return {
        "macro_f1": _macro_f1(true, guess),
        "macro_f1_qa_as_forum": _macro_f1(_merged(true), _merged(guess)),
        "kinds": {name: _scores(table, number) for number, name in enumerate(KINDS)},
        "languages": by_lang,
        "confusion": table.tolist(),
    }


def _merged(kinds: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(kinds == KINDS.index("qa"), KINDS.index("forum"), kinds)


def _share(
    true: NDArray[np.int64], guess: NDArray[np.int64], is_counted: NDArray[np.bool_]
) -> float:
    return round(float((true == guess)[is_counted].mean()), 4)


def _macro_f1(true: NDArray[np.int64], guess: NDArray[np.int64], min_pages: int = 20) -> float:
    numbers = [number for number in range(len(KINDS)) if (true == number).sum() >= min_pages]
    table = np.zeros((len(KINDS), len(KINDS)), np.int64)
    np.add.at(table, (true, guess), 1)
    scores = [_scores(table, number)["f1"] for number in numbers]
    return round(float(np.mean(scores)), 4) if scores else 0.0


def _scores(table: NDArray[np.int64], number: int) -> dict[str, float]:
    """Precision, recall, F1 and number of pages of one kind."""
    right, n_true, n_guessed = table[number, number], table[number].sum(), table[:, number].sum()
    return {
        "pages": int(n_true),
        "precision": round(float(right / max(n_guessed, 1)), 4),
        "recall": round(float(right / max(n_true, 1)), 4),
        "f1": round(float(2 * right / max(n_true + n_guessed, 1)), 4),
    }


def train_kinds(
    folders: Iterable[Path],
    out: Path | None = None,
    *,
    n_folds: int = 0,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> dict[str, Any]:
    """Measure on sites left out, train on all pages, write the model.

    Args:
        folders: pages with their kinds, see `read_kind_pages`.
        out: file of the model (.npz); None: it is not trained.
        n_folds: parts of the cross-validation; 0: it is not measured.
        seed: the same gives the same parts.
        on_progress: is told of each page, and of each part of the cross-validation.

    Returns:
        What was measured, empty if nothing was.
    """
    pages = read_kind_pages(folders, on_progress)
    quality: dict[str, Any] = {}
    if n_folds:
        likely, nameless = told_apart(pages, n_folds, seed, on_progress)
        quality = kind_scores(pages, likely)
        quality["macro_f1_nameless"] = kind_scores(pages, nameless)["macro_f1"]
    if out is not None:
        on_progress("fitting", 0, None)
        model = train_kind_model(pages)
        model.about["expected"] = quality
        write_kind_model(out, model)
    return quality
