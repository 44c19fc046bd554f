"""Bytes to text: the charset of a page, classes of characters, where a byte of the source lies."""

from quarkcrawl.page.text.chars import (
    PUNCTUATION,
    SPACE,
    STOP,
    RunChars,
    char_class,
    char_classes,
    n_inked,
    without_surrogates,
)
from quarkcrawl.page.text.charset import Charset, decide
from quarkcrawl.page.text.labels import python_codecs
from quarkcrawl.page.text.mediatype import content_type_of, essence_of
from quarkcrawl.page.text.mojibake import encoded_once, may_be_encoded_twice
from quarkcrawl.page.text.offsets import byte_offsets

__all__ = [
    "PUNCTUATION",
    "SPACE",
    "STOP",
    "Charset",
    "RunChars",
    "byte_offsets",
    "char_class",
    "char_classes",
    "content_type_of",
    "decide",
    "encoded_once",
    "essence_of",
    "may_be_encoded_twice",
    "n_inked",
    "python_codecs",
    "without_surrogates",
]
