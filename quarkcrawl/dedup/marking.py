"""Near-duplicates while pages come in: each text is compared with the first of every class."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.dedup.codeindex import CodeIndex
from quarkcrawl.dedup.grouping import match_reason
from quarkcrawl.dedup.matchers import MinHashMatcher, SimhashMatcher
from quarkcrawl.dedup.rules import CODE_ONLY, DEFAULT_RULE, FEATURECODE_2004, THREE_CODES
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.dedup.grouping import Matcher


_BY_RULE: Final = {
    "featurecode": DEFAULT_RULE,
    "three-codes": THREE_CODES,
    "featurecode-2004": FEATURECODE_2004,
    "code-only": CODE_ONLY,
}

MARKING_METHODS: Final = ("simhash", "simhash-words", "minhash", *_BY_RULE)
"""Methods by name; ``simhash`` takes four-grams of characters, ``simhash-words`` words."""


class NearMark(NamedTuple):
    """What a text is a near-duplicate of.

    Args:
        url: the first page of its class.
        reason: as in `Grouping`.
    """

    url: str
    reason: str


class NearMarker:
    """The first texts of all classes of a run, in memory.

    Args:
        method: one of `MARKING_METHODS`.
        k: most differing bits, for simhash.

    Raises:
        ConfigError: there is no such method.
    """

    def __init__(self, method: str = "simhash", k: int = 3) -> None:
        self._matcher = _matcher(method, k)()
        self._firsts: dict[int, str] = {}
        self._n_texts = 0

    def mark(self, url: str, text: str) -> NearMark | None:
        """What a text is like, None if it is the first of its class; it is remembered then.

        Args:
            url: URL of the page.
            text: its content.
        """
        found = self._matcher.add(text)
        number, self._n_texts = self._n_texts, self._n_texts + 1
        if found is None:
            self._firsts[number] = url
            return None
        return NearMark(self._firsts[found.first], match_reason(found))


def _matcher(method: str, k: int) -> Callable[[], Matcher]:
    if method == "minhash":
        return MinHashMatcher
    if method in {"simhash", "simhash-words"}:
        return partial(SimhashMatcher, k, words=method == "simhash-words")
    if method in _BY_RULE:
        return partial(CodeIndex, _BY_RULE[method])
    known = ", ".join(MARKING_METHODS)
    raise ConfigError(f"no method {method!r}; there are {known}", where="near_method")
