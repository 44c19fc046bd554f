"""Registered domains by the Public Suffix List that tldextract carries; nothing is fetched.

Private suffixes (github.io, blogspot.com) count as registries, since below each of them sites
belong to different people.
"""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract


@lru_cache(1 << 14)
def registered_domain(host: str) -> str:
    """The domain that somebody registered, or the host itself where there is none.

    >>> registered_domain("bbs.news.sina.com.cn"), registered_domain("a.b.github.io:8080")
    ('sina.com.cn', 'b.github.io')

    Args:
        host: host key, canonical.
    """
    name = host if host.startswith("[") else host.partition(":")[0]
    return _list(private=True).extract_str(name).top_domain_under_public_suffix or name


@cache
def public_suffix_digest() -> str:
    """Eight hexadecimal digits that say by which list `registered_domain` goes."""
    suffixes = "\n".join(sorted(_list(private=True).tlds))
    return hashlib.blake2b(suffixes.encode(), digest_size=4).hexdigest()


@cache
def public_suffixes() -> frozenset[str]:
    """All suffixes of the ICANN section, without wildcards."""
    return frozenset(s for s in _list(private=False).tlds if "*" not in s and "!" not in s)


@cache
def top_level_domains() -> frozenset[str]:
    """The last labels of all suffixes, as they stand in host names (A-labels)."""
    labels = {suffix.rpartition(".")[2] for suffix in public_suffixes()}
    return frozenset(
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in labels
    )


@cache
def _list(*, private: bool) -> TLDExtract:
    from tldextract import TLDExtract  # noqa: PLC0415 - slow to load

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=private)
