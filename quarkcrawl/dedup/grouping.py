"""Grouping of texts by any method: which are the same article, and which of them is kept.

Feature codes follow the HIT paper of 2004, MinHash Broder 1997, simhash Charikar 2002.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from quarkcrawl.dedup.codeindex import CodeIndex
from quarkcrawl.dedup.codesketch import code_sketch, stop_codes
from quarkcrawl.dedup.fingerprint import text_md5
from quarkcrawl.dedup.matching import Matcher, MinHashIndex, SimhashClasses, minhash_sketch
from quarkcrawl.dedup.rules import DEFAULT_RULE, RULES, CodeRule
from quarkcrawl.dedup.simhash import simhash, simhash_of_words
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence


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
        members: dict[int, list[int]] = {first: [] for first, n in sizes.items() if n > 1}
        for number, first in enumerate(self.firsts):
            if first in members:
                members[first].append(number)
        return members


def code_matcher(rule: CodeRule, stopped: Collection[bytes] = ()) -> Matcher:
    """Matcher by a feature code rule, codes that say nothing left out."""
    return Matcher(partial(code_sketch, rule=rule, stopped=stopped), CodeIndex(rule))


def simhash_matcher(k: int = 3, *, words: bool = False) -> Matcher:
    """Matcher by simhash, of words instead of four-grams if asked for."""
    return Matcher(simhash_of_words if words else simhash, SimhashClasses(k))


def minhash_matcher() -> Matcher:
    """Matcher by MinHash."""
    return Matcher(minhash_sketch, MinHashIndex())


def _single_pass(texts: Sequence[str], matcher: Matcher | None) -> Grouping:
    """Give each text to the matcher that has no equal before it; equal ones share its fate."""
    firsts: list[int] = []
    reasons: list[str] = []
    by_md5: dict[str, int] = {}
    for number, text in enumerate(texts):
        twin = by_md5.setdefault(text_md5(text), number)
        if twin != number:
            firsts.append(firsts[twin])
            reasons.append("md5")
            continue
        match = matcher and matcher.match(text, number)
        firsts.append(match.first if match else number)
        reasons.append(matcher.index.reason(match.why) if matcher and match else "first")
    return Grouping(tuple(firsts), tuple(reasons))


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
    stopped: frozenset[bytes] = frozenset()
    if rule.stops:
        if rule.stop_hosts and hosts is None:
            raise InputError("stop_hosts needs the hosts of the texts", where="group_by_codes")
        sketches = (code_sketch(text, rule) for text in texts)
        noted = zip(sketches, hosts or [""] * len(texts), strict=True)
        stopped = stop_codes(((sketch.codes, sketch.n_chars, host) for sketch, host in noted), rule)
    return _single_pass(texts, code_matcher(rule, stopped))


METHODS: Final[dict[str, Callable[[Sequence[str]], Grouping]]] = {
    **{name: partial(group_by_codes, rule=rule) for name, rule in RULES.items()},
    "simhash": lambda texts: _single_pass(texts, simhash_matcher()),
    "simhash-6": lambda texts: _single_pass(texts, simhash_matcher(6)),
    "simhash-words": lambda texts: _single_pass(texts, simhash_matcher(words=True)),
    "minhash": lambda texts: _single_pass(texts, minhash_matcher()),
    "md5": lambda texts: _single_pass(texts, None),
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
