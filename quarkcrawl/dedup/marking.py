"""Near-duplicates while pages come in: each text is compared with the first of every class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.dedup.grouping import code_matcher, minhash_matcher, simhash_matcher
from quarkcrawl.dedup.rules import RULES
from quarkcrawl.errors import ConfigError

if TYPE_CHECKING:
    from quarkcrawl.dedup.matching import Matcher


_BY_RULE: Final = {
    "featurecode" if name == "default" else name: rule for name, rule in RULES.items()
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
        length_ratio: for feature codes, see `CodeRule`; 0: that of the method.
        slack: likewise.

    Raises:
        ConfigError: there is no such method, or a bound is out of its range.
    """

    def __init__(
        self, method: str = "simhash", k: int = 3, *, length_ratio: float = 0.0, slack: int = 1
    ) -> None:
        self._matcher = _matcher(method, k, length_ratio, slack)
        self._urls: list[str] = []

    def mark(self, url: str, text: str) -> NearMark | None:
        """What a text is like, None if it is the first of its class; it is remembered then.

        Args:
            url: URL of the page.
            text: its content.
        """
        match = self._matcher.match(text, len(self._urls))
        if match is None:
            self._urls.append(url)
            return None
        return NearMark(self._urls[match.first], self._matcher.index.reason(match.why))


def _matcher(method: str, k: int, length_ratio: float, slack: int) -> Matcher:
    if method == "minhash":
        return minhash_matcher()
    if method in {"simhash", "simhash-words"}:
        return simhash_matcher(k, words=method == "simhash-words")
    if method in _BY_RULE:
        rule = replace(_BY_RULE[method], slack=slack)
        return code_matcher(replace(rule, length_ratio=length_ratio) if length_ratio else rule)
    names = ", ".join(MARKING_METHODS)
    raise ConfigError(f"no method {method!r}; there are {names}", where="near_method")
