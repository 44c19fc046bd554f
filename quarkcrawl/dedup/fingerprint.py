"""All fingerprints of a text in one record."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from quarkcrawl.dedup.featurecode import code_strings, code_text
from quarkcrawl.dedup.rules import DEFAULT_RULE
from quarkcrawl.dedup.simhash import simhash


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a text is compared by.

    Args:
        md5: MD5 of its UTF-8, hexadecimal.
        simhash: 64-bit simhash of its four-grams (`quarkcrawl.dedup.simhash`).
        feature_codes: the codes of its first three full stops, ten Han characters each; fewer
            if there are no more.
        n_chars: number of Han characters, the length that feature code rules compare.
    """

    md5: str
    simhash: int
    feature_codes: tuple[str, ...]
    n_chars: int


def text_md5(text: str) -> str:
    """MD5 of a text, hexadecimal; a lone surrogate is hashed as it is.

    Args:
        text: any text.
    """
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def fingerprint(text: str) -> Fingerprint:
    """Fingerprints of a text, usually the content of a page. No string makes it raise.

    >>> fingerprint("北京大学天网实验室。它收集中文网页！").feature_codes
    ('天网实验室它收集中文',)

    Args:
        text: the text; HTML is not taken apart.
    """
    coded = code_text(text, n_head=DEFAULT_RULE.n_codes)
    return Fingerprint(text_md5(text), simhash(text), code_strings(coded.head), coded.n_chars)
