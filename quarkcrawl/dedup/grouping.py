"""Grouping of texts by any method: which are the same article, and which of them is kept.

Feature codes follow the HIT paper of 2004, MinHash Broder 1997, simhash Charikar 2002.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from quarkcrawl.dedup.codeindex import CodeIndex, CodeMatch
from quarkcrawl.dedup.codesketch import code_sketch, stop_codes
from quarkcrawl.dedup.fingerprint import text_md5
from quarkcrawl.dedup.matchers import MinHashMatch, MinHashMatcher, SimhashMatcher, WithinBits
from quarkcrawl.dedup.rules import CODE_ONLY, DEFAULT_RULE, FEATURECODE_2004, THREE_CODES, CodeRule
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_Match = CodeMatch | WithinBits | MinHashMatch


@dataclass(frozen=True, slots=True)
class Grouping:
    """Texts in classes.

    Args:
        firsts: for each text the number of the first member of its class, which is kept.
        reasons: for each text why it is in that class: ``first``, ``md5``, ``no-code`` (equal
            letters), ``codes:2`` (so many codes match), ``simhash:3`` (so many bits differ),
            ``minhash:0.93`` (estimated similarity).
    """

    firsts: tuple[int, ...]
    reasons: tuple[str, ...]

    @property
    def kept(self) -> list[int]:
        """Numbers of the texts that stay."""
        return [number for number, first in enumerate(self.firsts) if number == first]

    @property
    def groups(self) -> dict[int, list[int]]:
        """Members of the classes that have more than one, by their first."""
        sizes = Counter(self.firsts)
        found: dict[int, list[int]] = {first: [] for first, n in sizes.items() if n > 1}
        for number, first in enumerate(self.firsts):
            if first in found:
                found[first].append(number)
        return found


class Matcher(Protocol):
    """What classes come from, one text at a time."""

    def add(self, text: str) -> _Match | None:
        """Put a text into its class; None if it is the first of a new one."""


def _single_pass(texts: Sequence[str], add: Callable[[int], _Match | None]) -> Grouping:
    """Give each text to the method that has no equal before it; equal ones share its fate."""
    firsts: list[int] = []
    reasons: list[str] = []
    numbers: list[int] = []  # by the method's own count
    by_md5: dict[str, int] = {}
    for number, text in enumerate(texts):
        twin = by_md5.setdefault(text_md5(text), number)
        if twin != number:
            firsts.append(firsts[twin])
            reasons.append("md5")
            continue
        found = add(number)
        numbers.append(number)
        firsts.append(number if found is None else numbers[found.first])
        reasons.append("first" if found is None else match_reason(found))
    return Grouping(tuple(firsts), tuple(reasons))


def match_reason(match: _Match) -> str:
    """Why a text is in its class, in a word (see `Grouping`)."""
    if isinstance(match, CodeMatch):
        return f"codes:{match.n_equal}" if match.n_equal else "no-code"
    if isinstance(match, WithinBits):
        return f"simhash:{match.distance}"
    return f"minhash:{match.jaccard:.2f}"


def group_by_codes(
    texts: Sequence[str], rule: CodeRule = DEFAULT_RULE, hosts: Sequence[str] | None = None
) -> Grouping:
    """Group texts by a feature code rule; codes of the stop list are found in a first pass.

    Args:
        texts: contents of pages, in the order in which they were fetched.
        rule: how many codes are taken of each text, and how many must match.
        hosts: where each text is from, for rules that stop codes of many hosts.

    Raises:
        InputError: the rule needs hosts.
    """
    if not rule.stops:
        index = CodeIndex(rule)
        return _single_pass(texts, lambda number: index.add(texts[number]))
    if rule.stop_hosts and hosts is None:
        raise InputError("stop_hosts needs the hosts of the texts", where="group_by_codes")
    sketches = [code_sketch(text, rule) for text in texts]
    noted = zip(sketches, hosts or [""] * len(texts), strict=True)
    stopped = stop_codes(((sketch.codes, sketch.n_chars, host) for sketch, host in noted), rule)
    index = CodeIndex(rule, stopped)

    def add(number: int) -> CodeMatch | None:
        sketch = sketches[number]
        if not stopped.isdisjoint(sketch.codes):
            sketch = code_sketch(texts[number], rule, stopped)
        return index.add_sketch(sketch)

    return _single_pass(texts, add)


def _by_matcher(make: Callable[[], Matcher]) -> Callable[[Sequence[str]], Grouping]:
    def group(texts: Sequence[str]) -> Grouping:
        matcher = make()
        return _single_pass(texts, lambda number: matcher.add(texts[number]))

    return group


def _group_by_md5(texts: Sequence[str]) -> Grouping:
    return _single_pass(texts, lambda _: None)


METHODS: Final[dict[str, Callable[[Sequence[str]], Grouping]]] = {
    "default": group_by_codes,
    "three-codes": lambda texts: group_by_codes(texts, THREE_CODES),
    "featurecode-2004": lambda texts: group_by_codes(texts, FEATURECODE_2004),
    "code-only": lambda texts: group_by_codes(texts, CODE_ONLY),
    "simhash": _by_matcher(SimhashMatcher),
    "simhash-6": _by_matcher(lambda: SimhashMatcher(6)),
    "simhash-words": _by_matcher(lambda: SimhashMatcher(words=True)),
    "minhash": _by_matcher(MinHashMatcher),
    "md5": _group_by_md5,
}
"""Methods of grouping by name."""


def group_texts(texts: Sequence[str], method: str = "default") -> Grouping:
    """Find texts that are the same article.

    Args:
        texts: contents of pages, in the order in which they were fetched.
        method: one of `METHODS`.

    Raises:
        InputError: there is no such method.

    >>> group_texts(["北京大学天网。", "清华大学主楼。", "北京大学天网。"]).groups
    {0: [0, 2]}
    """
    if method not in METHODS:
        raise InputError(f"no method {method!r}; there are {', '.join(METHODS)}", where="dedup")
    return METHODS[method](texts)
