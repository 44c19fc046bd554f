"""Simhash: the fingerprint of a text, an index of fingerprints, and masks to find near pairs."""

from quarkcrawl.dedup.simhash.bands import band_masks, masked_keys, near_links
from quarkcrawl.dedup.simhash.index import N_BITS, SimhashIndex, SimhashMatch, check_k
from quarkcrawl.dedup.simhash.value import (
    as_simhash,
    hamming,
    simhash,
    simhash_of_features,
    simhash_of_words,
    value_of_simhash,
)

__all__ = [
    "N_BITS",
    "SimhashIndex",
    "SimhashMatch",
    "as_simhash",
    "band_masks",
    "check_k",
    "hamming",
    "masked_keys",
    "near_links",
    "simhash",
    "simhash_of_features",
    "simhash_of_words",
    "value_of_simhash",
]
