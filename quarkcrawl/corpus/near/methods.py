"""The ways to compare the texts of a corpus, by name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from quarkcrawl.corpus.near.codes import ByCodes
from quarkcrawl.corpus.near.minhash import ByMinHash
from quarkcrawl.corpus.near.simhash import DEFAULT_K, BySimhash
from quarkcrawl.dedup import RULES
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from quarkcrawl.corpus.near.protocol import NearMethod


NEAR_METHODS: Final = (*RULES, "simhash", "simhash-words", "minhash")
"""Methods by name; ``simhash-6`` and the like are simhash with another k than 3."""

_SIMHASH: Final = re.compile(r"(simhash(?:-words)?)(?:-(\d+))?")


def near_method(
    name: str,
    *,
    k: int | None = None,
    stop_lengths: int = 0,
    stop_hosts: int = 0,
    length_ratio: float | None = None,
    slack: int | None = None,
) -> NearMethod:
    """A method by name.

    Args:
        name: one of `NEAR_METHODS`, or simhash with its k behind a hyphen.
        k: most differing bits, for simhash; 3 if it is not said.
        stop_lengths: for feature codes, see `CodeRule`.
        stop_hosts: likewise.
        length_ratio: likewise, ``a`` of the paper; None: that of the method.
        slack: likewise, characters in which two codes may differ; None: that of the method.

    Raises:
        InputError: there is no such method, or it has no such setting.
        ConfigError: a setting out of its range.
    """
    parts = _SIMHASH.fullmatch(name)
    if parts is None and k is not None:
        raise InputError(f"k is for simhash, not for {name!r}", where="near")
    if name not in RULES and (stop_lengths or stop_hosts):
        raise InputError(f"a stop list is for feature codes, not for {name!r}", where="near")
    if name not in RULES and (length_ratio is not None or slack is not None):
        message = f"length ratio and slack are for feature codes, not for {name!r}"
        raise InputError(message, where="near")
    if name in RULES:
        usual = RULES[name]
        rule = replace(
            usual,
            stop_lengths=stop_lengths,
            stop_hosts=stop_hosts,
            length_ratio=usual.length_ratio if length_ratio is None else length_ratio,
            slack=usual.slack if slack is None else slack,
        )
        return ByCodes(name, rule)
    if name == "minhash":
        return ByMinHash()
    if parts is None:
        names = ", ".join(NEAR_METHODS)
        raise InputError(f"no method {name!r}; there are {names}", where="near")
    if k is not None and parts[2] is not None and int(parts[2]) != k:
        raise InputError(f"the method is {name!r}, but k is {k}", where="near")
    named = int(parts[2]) if parts[2] is not None else DEFAULT_K
    return BySimhash(named if k is None else k, words=parts[1] == "simhash-words")
