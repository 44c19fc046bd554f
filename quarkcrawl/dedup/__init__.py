"""Near-duplicate texts: the same article under different chrome, found by what it says.

`group_texts` puts the contents of pages into classes. The default method takes lines that reposting
adds away (`reposting`), reads the codes at the first full stops and the length (`featurecode`,
`codekeys`), and compares by a rule (`rules`, `codesketch`, `codeindex`); the rule of the HIT paper
of 2004 stands beside it as ``featurecode-2004``. `simhash` and `minhash` are
other ways to the same end: each method has an `Index` of first members, and a `Matcher` puts a text
into its class by any of them (`matching`). `marking` compares pages as they come in, and
`fingerprint` gives all marks of one text at once.
"""

from quarkcrawl.dedup.codeindex import CodeIndex
from quarkcrawl.dedup.codekeys import KEYS_PER_CODE, code_keys
from quarkcrawl.dedup.codesketch import (
    CodeSketch,
    exact_key,
    is_stopped,
    length_step,
    sketches_of_codes,
)
from quarkcrawl.dedup.featurecode import CodedText, code_strings, code_text
from quarkcrawl.dedup.fingerprint import Fingerprint, fingerprint, text_md5
from quarkcrawl.dedup.grouping import METHODS, Grouping, group_by_codes, group_texts
from quarkcrawl.dedup.loops import flatten, unite
from quarkcrawl.dedup.marking import MARKING_METHODS, NearMark, NearMarker
from quarkcrawl.dedup.matching import Index, Match, Matcher, MinHashIndex, SimhashClasses
from quarkcrawl.dedup.minhash import N_BANDS, N_BINS, band_keys, minhash
from quarkcrawl.dedup.reposting import without_reposting_lines
from quarkcrawl.dedup.rules import (
    CODE_ONLY,
    DEFAULT_RULE,
    FEATURECODE_2004,
    RULES,
    THREE_CODES,
    CodeRule,
)
from quarkcrawl.dedup.simhash import (
    N_BITS,
    SimhashIndex,
    SimhashMatch,
    as_simhash,
    band_masks,
    hamming,
    masked_keys,
    near_links,
    simhash,
    simhash_of_features,
    simhash_of_words,
    value_of_simhash,
)

__all__ = [
    "CODE_ONLY",
    "DEFAULT_RULE",
    "FEATURECODE_2004",
    "KEYS_PER_CODE",
    "MARKING_METHODS",
    "METHODS",
    "N_BANDS",
    "N_BINS",
    "N_BITS",
    "RULES",
    "THREE_CODES",
    "CodeIndex",
    "CodeRule",
    "CodeSketch",
    "CodedText",
    "Fingerprint",
    "Grouping",
    "Index",
    "Match",
    "Matcher",
    "MinHashIndex",
    "NearMark",
    "NearMarker",
    "SimhashClasses",
    "SimhashIndex",
    "SimhashMatch",
    "as_simhash",
    "band_keys",
    "band_masks",
    "code_keys",
    "code_strings",
    "code_text",
    "exact_key",
    "fingerprint",
    "flatten",
    "group_by_codes",
    "group_texts",
    "hamming",
    "is_stopped",
    "length_step",
    "masked_keys",
    "minhash",
    "near_links",
    "simhash",
    "simhash_of_features",
    "simhash_of_words",
    "sketches_of_codes",
    "text_md5",
    "unite",
    "value_of_simhash",
    "without_reposting_lines",
]
