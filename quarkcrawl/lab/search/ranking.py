"""BM25 with and without ranks, measured by the place of the one right page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import bm25s
import numpy as np

from quarkcrawl.content.quark import words
from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate import Difference, paired_bootstrap
from quarkcrawl.lab.search.items import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from quarkcrawl.lab.search.items import KnownItem, SearchPage, SearchText

    FloatArray = NDArray[np.float64]

_WEIGHTS: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Of the logarithm of a rank beside BM25; which one, the queries of other sites say."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How one way of searching did.

    Args:
        text: what of the pages was searched.
        rank: name of the rank that was added, "" for none.
        weights: how often each weight was chosen, by sites.
        reciprocal: 1 / place of the right page for each query, 0 if it was not found.
        mrr: mean reciprocal rank with its interval.
        at_weights: difference of MRR to the same text without a rank, with one weight for all
            sites; empty without a rank.
        against_plain: the same with the weights that were chosen; None without a rank.
        against_whole: difference of MRR to whole pages with the same rank; None for these.
    """

    text: SearchText
    rank: str
    weights: dict[float, int]
    reciprocal: FloatArray
    mrr: Difference
    at_weights: dict[float, Difference]
    against_plain: Difference | None
    against_whole: Difference | None


@dataclass(frozen=True, slots=True)
class SearchScores:
    """All ways of searching over the same queries.

    Args:
        items: the queries.
        n_pages: pages searched.
        n_hosts: sites of the pages that are asked for.
        results: one a text and rank.
    """

    items: list[KnownItem]
    n_pages: int
    n_hosts: int
    results: list[SearchResult]

    def mrr(self, result: SearchResult, kind: str = "") -> float:
        """Mean reciprocal rank of a result.

        Args:
            result: one of `results`.
            kind: queries of one kind only.
        """
        is_of_kind = [not kind or item.kind == kind for item in self.items]
        return float(result.reciprocal[is_of_kind].mean()) if any(is_of_kind) else 0.0

    def n_queries(self, kind: str) -> int:
        """Number of queries of a kind.

        Args:
            kind: title or anchor.
        """
        return sum(item.kind == kind for item in self.items)

    def success(self, result: SearchResult, n: int) -> float:
        """Share of the queries whose page is among the first.

        Args:
            result: one of `results`.
            n: how many places count.
        """
        return float((result.reciprocal >= 1 / n).mean())


def score_search(
    pages: Sequence[SearchPage],
    items: Sequence[KnownItem],
    ranks: Mapping[str, Mapping[str, float]],
) -> SearchScores:
    """Search for every query in whole pages and in their content, with each rank and without.

    A rank is added to BM25 as weight × log(rank); the weight for the queries of a site is the one
    that is best for the queries of all other sites. Intervals draw whole sites.

    Args:
        pages: what is searched.
        items: the queries.
        ranks: rank of each URL, by the name of the rank.

    Raises:
        InputError: there are no queries, or a rank has none of the pages.
    """
    if not items:
        raise InputError("no headline and no text of links names one page only", where="corpus")
    hosts = [pages[item.page].host for item in items]
    results: list[SearchResult] = []
    plain: dict[SearchText, FloatArray] = {}
    by_rank: dict[str, FloatArray] = {}
    logs = {name: _logs(pages, values, name) for name, values in ranks.items()}
    for text in TEXTS:
        places = _places(pages, items, text, logs)
        plain[text] = 1 / places["", 0.0]
        for name in ("", *logs):
            by_weight = {weight: 1 / places[name, weight] for weight in _WEIGHTS if name}
            values, weights = _chosen(by_weight, hosts) if name else (plain[text], {})
            whole = by_rank.setdefault(name, values)
            against_plain = _compared(values, plain[text], hosts) if name else None
            against_whole = _compared(values, whole, hosts) if text != "whole" else None
            at_weights = {
                weight: _compared(one, plain[text], hosts)
                for weight, one in by_weight.items()
                if weight
            }
            mrr = _compared(values, np.zeros(len(values)), hosts)
            results.append(
                SearchResult(
                    text, name, weights, values, mrr, at_weights, against_plain, against_whole
                )
            )
    return SearchScores(list(items), len(pages), len(set(hosts)), results)


def _compared(first: FloatArray, second: FloatArray, hosts: Sequence[str]) -> Difference:
    return paired_bootstrap(first.tolist(), second.tolist(), groups=hosts)


def _logs(pages: Sequence[SearchPage], ranks: Mapping[str, float], name: str) -> FloatArray:
    """Logarithm of each page's rank; of those without one the least."""
    values = np.array([ranks.get(page.url, 0.0) for page in pages])
    if not values.any():
        raise InputError("has none of the pages", where=name)
    return np.log(np.where(values > 0, values, values[values > 0].min()))


def _places(
    pages: Sequence[SearchPage],
    items: Sequence[KnownItem],
    text: SearchText,
    logs: Mapping[str, FloatArray],
) -> dict[tuple[str, float], FloatArray]:
    """Place of the right page for each query, by rank and weight; infinite if it has no word."""
    index = bm25s.BM25(method="lucene")
    index.index([words(getattr(page, text)) for page in pages], show_progress=False)
    ways = [("", 0.0), *((name, weight) for name in logs for weight in _WEIGHTS)]
    places = {way: np.full(len(items), np.inf) for way in ways}
    for number, item in enumerate(items):
        scores = index.get_scores(words(item.text)).astype(np.float64)
        if scores[item.page] <= 0:
            continue
        matched = scores > 0
        position = int(matched[: item.page].sum())
        for name, weight in ways:
            with_rank = scores + weight * logs[name] if weight else scores
            places[name, weight][number] = place_of(with_rank[matched], position)
    return places


def place_of(scores: FloatArray, position: int) -> float:
    """Place of one page among those found, from 1; pages with equal scores share theirs.

    Args:
        scores: a score for each page with a word of the query.
        position: where the page stands among these.
    """
    above = int((scores > scores[position]).sum())
    return above + (1 + int((scores == scores[position]).sum())) / 2


def _chosen(
    by_weight: Mapping[float, FloatArray], hosts: Sequence[str]
) -> tuple[FloatArray, dict[float, int]]:
    """Reciprocal places with the weight that is best elsewhere, and which weights these were."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, host in enumerate(hosts):
        numbers[host].append(number)
    totals = {weight: values.sum() for weight, values in by_weight.items()}
    reciprocal, weights = np.zeros(len(hosts)), dict[float, int]()
    for own in numbers.values():
        best = max(by_weight, key=lambda w: (totals[w] - by_weight[w][own].sum(), -w))
        reciprocal[own] = by_weight[best][own]
        weights[best] = weights.get(best, 0) + 1
    return reciprocal, weights
