"""Rules that say when two texts are the same article, by feature codes and length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from quarkcrawl.dedup.codekeys import MAX_SLACK
from quarkcrawl.errors import ConfigError


@dataclass(frozen=True, slots=True)
class CodeRule:
    """When two texts belong together.

    Args:
        n_codes: how many codes are taken from the beginning of a text.
        n_equal: how many of them must match; all that the shorter list has, if that is fewer.
        n_tail_codes: how many codes are taken from the end.
        n_tail_equal: how many of these must match, likewise.
        slack: two codes match with a common subsequence of at least ``10 - slack`` characters.
        length_ratio: the longer text may have at most this many times the Han characters of the
            shorter one (``a`` of the paper); None for any.
        strips_lines: whether lines that reposting adds are taken away first.
        stop_lengths: a code that stands in texts of so many different lengths (that no two of
            them are within ``length_ratio``) says nothing and is left out; 0 for no such bound.
        stop_hosts: a code that stands in texts of so many hosts is left out, too; 0 for no such
            bound. An article may be on hundreds of hosts: this is for corpora of few hosts, or
            for numbers well above the number of papers that take from each other.

    Raises:
        ConfigError: a number that makes no sense.
    """

    n_codes: int = 3
    n_equal: int = 2
    n_tail_codes: int = 3
    n_tail_equal: int = 1
    slack: int = 1
    length_ratio: float | None = 1.10
    strips_lines: bool = True
    stop_lengths: int = 0
    stop_hosts: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.n_equal <= self.n_codes:
            raise ConfigError("n_equal must be between 1 and n_codes", where="CodeRule")
        if not 0 <= self.n_tail_equal <= self.n_tail_codes:
            raise ConfigError("n_tail_equal must be between 0 and n_tail_codes", where="CodeRule")
        if not 0 <= self.slack <= MAX_SLACK:
            raise ConfigError(f"slack must be between 0 and {MAX_SLACK}", where="CodeRule")
        if self.length_ratio is not None and not self.length_ratio >= 1:
            raise ConfigError("length_ratio must be at least 1", where="CodeRule")
        if min(self.stop_lengths, self.stop_hosts) < 0:
            raise ConfigError("a stop list has no negative bounds", where="CodeRule")

    @property
    def stops(self) -> bool:
        """Whether there is a stop list."""
        return bool(self.stop_lengths or self.stop_hosts)


FEATURECODE_2004: Final = CodeRule(
    n_codes=1, n_equal=1, n_tail_codes=0, n_tail_equal=0, strips_lines=False
)
"""Peng et al. (HIT, 2004): one code, "L - 1", lengths within a = 1.10."""

CODE_ONLY: Final = replace(FEATURECODE_2004, length_ratio=None)
"""The method of 2002 that the paper improves on: the code alone."""

DEFAULT_RULE: Final = CodeRule()
"""Ours: two of the first three codes, one of the last three, lines of reposting left out.

The codes at the end tell an abridged article from a whole one, and a follow-up that begins alike,
where the lengths do not: see docs/dedup.md for what they change.
"""

THREE_CODES: Final = replace(DEFAULT_RULE, n_tail_codes=0, n_tail_equal=0)
"""The default without the codes at the end."""

RULES: Final[dict[str, CodeRule]] = {
    "default": DEFAULT_RULE,
    "three-codes": THREE_CODES,
    "featurecode-2004": FEATURECODE_2004,
    "code-only": CODE_ONLY,
}
"""Rules by name."""
