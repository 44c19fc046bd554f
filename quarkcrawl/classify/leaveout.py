"""How well a classifier does on sites that it has not seen.

The sites are dealt into parts; the pages of each part are classified by a model that was trained
on the sites of the others. Pages of one site resemble one another in their frame, and so a model
that was tested on sites it knows would be praised for knowing the frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quarkcrawl.classify.training import train
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from quarkcrawl.classify.examples import Examples
    from quarkcrawl.classify.training import TrainingOptions

    IntArray = NDArray[np.intp]


def site_parts(sites: Sequence[str], n_parts: int, seed: int = 2008) -> IntArray:
    """Part of each page; a site is in one part, and parts are about as large as one another.

    Args:
        sites: site of each page.
        n_parts: how many; as many as sites leaves out one at a time.
        seed: for sites of the same size.
    """
    names, number, n_pages = np.unique(list(sites), return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-n_pages[order], kind="stable")]
    part, filled = np.zeros(len(names), np.intp), np.zeros(n_parts, np.intp)
    for site in order.tolist():
        part[site] = filled.argmin()
        filled[part[site]] += n_pages[site]
    return part[number]


def left_out_predictions(
    examples: Examples,
    options: TrainingOptions | None = None,
    *,
    n_parts: int = 10,
    seed: int = 2008,
) -> list[str]:
    """Class of each page by a model that knows nothing of its site.

    Args:
        examples: pages of several sites; each class in several of them, or it cannot be learned.
        options: settings of the training.
        n_parts: parts of the sites, at most as many as sites.
        seed: see `site_parts`.

    Raises:
        ConfigError: scikit-learn is missing.
        InputError: all pages are of one site, or without some sites nothing can be learned.
    """
    n_parts = min(n_parts, len(set(examples.sites)))
    if n_parts < 2:
        raise InputError("pages of two sites at least are needed", where="classify train")
    part = site_parts(examples.sites, n_parts, seed)
    found = [""] * len(examples)
    for number in range(n_parts):
        model = train(examples.only(np.flatnonzero(part != number).tolist()), options)
        for page in np.flatnonzero(part == number).tolist():
            guess = model.classify_words(examples.words[page]).name
            found[page] = guess or _most_usual(model.about["pages"])
    return found


def _most_usual(pages: dict[str, int]) -> str:
    """The class for a page without words."""
    return max(pages, key=lambda name: pages[name])


def macro_f1(truth: Sequence[str], found: Sequence[str]) -> float:
    """Mean of the F1 of the classes that the truth has.

    Args:
        truth: class of each page.
        found: what it was taken for.
    """
    classes, of_truth, of_found = _numbers(truth, found)
    pairs = np.ones((1, len(of_truth)), np.float64)
    return float(_macro(pairs, of_truth, of_found, classes)[0])


def _numbers(truth: Sequence[str], found: Sequence[str]) -> tuple[int, IntArray, IntArray]:
    """Number of true classes, and pages as numbers of classes; one more is for any other."""
    classes = {name: number for number, name in enumerate(sorted(set(truth)))}
    of_truth = np.array([classes[name] for name in truth], np.intp)
    of_found = np.array([classes.get(name, len(classes)) for name in found], np.intp)
    return len(classes), of_truth, of_found


def _macro(
    times: NDArray[np.float64], truth: IntArray, found: IntArray, n_classes: int
) -> NDArray[np.float64]:
    """Macro F1 of each row of ``times``: how often each page was drawn."""
    # Which pages a class is the truth of, was found for, and both: three sums of columns.
    numbers = np.arange(n_classes)
    is_truth = truth[:, None] == numbers
    is_found = found[:, None] == numbers
    both = times @ (is_truth & is_found)
    sizes = times @ is_truth
    total = sizes + times @ is_found
    f1 = np.where(total > 0, 2 * both / np.maximum(total, 1e-9), 0)
    there = sizes > 0  # a class of which no page was drawn has no F1
    result: NDArray[np.float64] = (f1 * there).sum(1) / np.maximum(there.sum(1), 1)
    return result


def macro_difference(
    truth: Sequence[str],
    first: Sequence[str],
    second: Sequence[str],
    *,
    groups: Sequence[str] | None = None,
    n_draws: int = 2000,
    seed: int = 2008,
) -> tuple[float, float, float]:
    """Macro F1 of the first minus that of the second, with a paired bootstrap interval of 95 %.

    Macro F1 is no mean over pages, so the pages are drawn and it is computed anew each time.

    Args:
        truth: class of each page.
        first: classes that one model gave to the same pages.
        second: classes that the other model gave to them.
        groups: site of each page, to draw whole sites; None draws pages.
        n_draws: bootstrap samples.
        seed: start of the random draws; the same seed gives the same interval.

    Returns:
        Difference, lower and upper end of the interval.
    """
    classes, of_truth, of_first = _numbers(truth, first)
    of_second = _numbers(truth, second)[2]
    names = list(groups) if groups is not None else list(map(str, range(len(truth))))
    _, number = np.unique(names, return_inverse=True)
    n_groups = int(number.max()) + 1
    drawn = np.random.default_rng(seed).integers(0, n_groups, (n_draws, n_groups))
    rows = np.arange(n_draws)[:, None] * n_groups + drawn
    counts = np.bincount(rows.ravel(), minlength=n_draws * n_groups).reshape(n_draws, n_groups)
    times = counts[:, number].astype(np.float64)
    draws = _macro(times, of_truth, of_first, classes) - _macro(times, of_truth, of_second, classes)
    low, high = np.quantile(draws, [0.025, 0.975]).tolist()
    return macro_f1(truth, first) - macro_f1(truth, second), low, high
