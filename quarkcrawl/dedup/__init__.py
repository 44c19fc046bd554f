"""Near-duplicate texts: the same article under different chrome, found by what it says.

`group_texts` puts the contents of pages into classes. The default method takes lines that reposting
adds away (`reposting`), reads the codes at the first full stops and the length (`featurecode`,
`codekeys`), and compares by a rule (`rules`, `codesketch`, `codeindex`); the rule of the HIT paper
of 2004 stands beside it as ``featurecode-2004``. `simhash` (`shortmd5`, `simhashindex`) and
`minhash` are other ways to the same end, `keyindex` looks codes up among millions of texts in a
compact file, `marking` compares pages as they come in, and `fingerprint` gives all marks of one
text at once.
"""

from quarkcrawl.dedup.codeindex import CodeIndex, CodeMatch
from quarkcrawl.dedup.codekeys import code_keys
from quarkcrawl.dedup.featurecode import CodedText, code_text
from quarkcrawl.dedup.fingerprint import Fingerprint, fingerprint
from quarkcrawl.dedup.grouping import METHODS, Grouping, group_by_codes, group_texts
from quarkcrawl.dedup.marking import MARKING_METHODS, NearMark, NearMarker
from quarkcrawl.dedup.reposting import without_reposting_lines
from quarkcrawl.dedup.rules import CODE_ONLY, DEFAULT_RULE, FEATURECODE_2004, THREE_CODES, CodeRule
from quarkcrawl.dedup.simhash import hamming, simhash, simhash_of_features, simhash_of_words
from quarkcrawl.dedup.simhashindex import SimhashIndex, SimhashMatch

__all__ = [
    "CODE_ONLY",
    "DEFAULT_RULE",
    "FEATURECODE_2004",
    "MARKING_METHODS",
    "METHODS",
    "THREE_CODES",
    "CodeIndex",
    "CodeMatch",
    "CodeRule",
    "CodedText",
    "Fingerprint",
    "Grouping",
    "NearMark",
    "NearMarker",
    "SimhashIndex",
    "SimhashMatch",
    "code_keys",
    "code_text",
    "fingerprint",
    "group_by_codes",
    "group_texts",
    "hamming",
    "simhash",
    "simhash_of_features",
    "simhash_of_words",
    "without_reposting_lines",
]
