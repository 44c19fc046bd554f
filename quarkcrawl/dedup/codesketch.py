"""What a rule needs to know of a text, and which codes say nothing."""

from __future__ import annotations

import math
from collections import defaultdict
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from quarkcrawl.dedup.codekeys import code_keys
from quarkcrawl.dedup.featurecode import CODE_CHARS, code_text, letters_of, text_units
from quarkcrawl.dedup.reposting import without_reposting_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from quarkcrawl.dedup.rules import CodeRule


_Keys = list[list[int]]


class CodeSketch(NamedTuple):
    """A text as a rule sees it.

    Args:
        n_chars: length in Han characters.
        head: search keys of each code from the beginning.
        tail: search keys of each code from the end.
        codes: the codes of the beginning as bytes, for the stop list.
        exact: key of the whole text if it has no code, else 0.
    """

    n_chars: int
    head: _Keys
    tail: _Keys
    codes: tuple[bytes, ...]
    exact: int


def code_sketch(text: str, rule: CodeRule, stopped: Collection[bytes] = ()) -> CodeSketch:
    """Read a text for a rule; the next codes are taken in place of those that are ``stopped``."""
    if rule.strips_lines:
        text = without_reposting_lines(text)
    spare = min(len(stopped), rule.n_codes)
    coded = code_text(text, n_head=rule.n_codes + spare, n_tail=rule.n_tail_codes)
    head, tail = coded.head, coded.tail
    if spare:
        not_stopped = [at for at, code in enumerate(head) if code.tobytes() not in stopped]
        head = head[not_stopped[: rule.n_codes]]
    exact = 0 if len(head) else exact_key(text)
    joined = head.tobytes()
    width = 4 * CODE_CHARS
    codes = tuple(joined[at : at + width] for at in range(0, len(joined), width))
    tail_keys: _Keys = code_keys(tail, rule.slack).tolist() if len(tail) else []
    return CodeSketch(coded.n_chars, code_keys(head, rule.slack).tolist(), tail_keys, codes, exact)


def sketches_of_codes(
    heads: Sequence[Sequence[str]],
    tails: Sequence[Sequence[str]],
    n_chars: Sequence[int],
    exacts: Sequence[int],
    rule: CodeRule,
) -> list[CodeSketch]:
    """Sketches of many texts from codes that were kept as strings, without their bytes.

    Args:
        heads: codes of the first half of each text.
        tails: codes of the second half.
        n_chars: lengths in letters and digits.
        exacts: keys that `exact_key` gave.
        rule: how many codes may differ.
    """
    head = _grouped_keys(heads, rule.slack)
    tail = _grouped_keys(tails, rule.slack)
    return [
        CodeSketch(n, one, other, (), exact)
        for n, one, other, exact in zip(n_chars, head, tail, exacts, strict=True)
    ]


def _grouped_keys(codes: Sequence[Sequence[str]], slack: int) -> list[_Keys]:
    """Keys of the codes of each text, computed at once."""
    joined = "".join(code for row in codes for code in row)
    keys: _Keys = code_keys(text_units(joined).reshape(-1, CODE_CHARS), slack).tolist()
    places = [0, *accumulate(map(len, codes))]
    return [keys[start:stop] for start, stop in pairwise(places)]


def exact_key(text: str) -> int:
    """Hash of the letters and digits of a text; texts without any are equal to each other.

    Args:
        text: any text.
    """
    digest = blake2b(letters_of(text).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1


def stop_codes(
    coded: Iterable[tuple[Iterable[bytes], int, str]], rule: CodeRule
) -> frozenset[bytes]:
    """Codes that stand in texts of many different lengths, or of many hosts: boilerplate.

    An article that is reposted keeps its length; a caption, a disclaimer or a sentence that every
    page of a site begins with does not.

    Args:
        coded: the codes of each text, its length in Han characters, and its host.
        rule: from how many different lengths or hosts on a code is stopped, and what different is.
    """
    if not rule.stops:
        return frozenset()
    lengths: dict[bytes, set[int]] = defaultdict(set)
    hosts: dict[bytes, set[str]] = defaultdict(set)
    for codes, n_chars, host in coded:
        place = length_place(n_chars, rule)
        for code in codes:
            lengths[code].add(place)
            if rule.stop_hosts:
                hosts[code].add(host)
    return frozenset(
        code for code, places in lengths.items() if is_stopped(places, len(hosts[code]), rule)
    )


def length_place(n_chars: int, rule: CodeRule) -> int:
    """The step in which a length falls; lengths more than one step apart are different."""
    return int(math.log(max(n_chars, 1)) / length_step(rule))


def length_step(rule: CodeRule) -> float:
    """Width of a step of lengths, as a logarithm.

    Args:
        rule: how far lengths of equal texts may differ.
    """
    return math.log(rule.length_ratio or 1.0) or 1e-9


def is_stopped(places: Iterable[int], n_hosts: int, rule: CodeRule) -> bool:
    """Whether a code with texts of these lengths on so many hosts says nothing.

    Args:
        places: lengths of the texts that have the code, in steps.
        n_hosts: how many hosts they come from.
        rule: from how many lengths or hosts on a code is ignored.
    """
    if rule.stop_hosts and n_hosts >= rule.stop_hosts:
        return True
    return bool(rule.stop_lengths) and _n_apart(places) >= rule.stop_lengths


def _n_apart(places: Iterable[int]) -> int:
    """How many of the steps are pairwise more than one apart."""
    n_codes, last = 0, -2
    for place in sorted(places):
        if place > last + 1:
            n_codes, last = n_codes + 1, place
    return n_codes
