"""The labels of one document, found from its text and its stored page."""

from __future__ import annotations

import hashlib
import heapq
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from quarkcrawl.classify import Classifier
from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.page import Page, UnparsedPage
from quarkcrawl.refine.contamination import Contamination
from quarkcrawl.refine.heuristics import heuristics_of
from quarkcrawl.refine.language import language_of
from quarkcrawl.refine.perplexity import CharacterModel
from quarkcrawl.refine.personal import find_personal
from quarkcrawl.refine.rights import rights_of
from quarkcrawl.refine.spam import Lexicon, spam_of
from quarkcrawl.store import logged_robots, read_at, record_file, split_reply
from quarkcrawl.store.tables import columns_of

if TYPE_CHECKING:
    from quarkcrawl.analysis import Outcome
    from quarkcrawl.store import StoredReply


SPANS: Final = pa.list_(
    pa.struct([("start", pa.int32()), ("end", pa.int32()), ("kind", pa.string())])
)
"""Pieces of a text by characters, and of what kind they are."""

_CODES: Final = pa.list_(pa.string())  # NULL where there is none, so that IS NULL asks for it
_KEY: Final = [*columns_of("url", "host", "offset"), pa.field("text_md5", pa.string())]
_FAILURE: Final = [pa.field("failure", pa.string()), pa.field("detail", pa.string())]

LABELS: Final[dict[str, tuple[pa.DataType, str]]] = {
    "n_chars": (pa.int32(), "characters of the text"),
    "language": (pa.string(), "language of the text: zh, en, ja …; und: too short to tell"),
    "language_probability": (pa.float32(), "how likely that is, 0 to 1"),
    "script": (pa.string(), "of Chinese: Hans, Hant, mixed"),
    "is_cantonese": (pa.bool_(), "whether a Chinese text is written Cantonese"),
    "han_share": (pa.float32(), "Chinese characters of all that are no white space, 0 to 1"),
    "digit_share": (pa.float32(), "digits, likewise"),
    "symbol_share": (pa.float32(), "punctuation and other signs, likewise"),
    "n_sentences": (pa.int32(), "sentences"),
    "line_end_share": (pa.float32(), "lines that end as sentences do, 0 to 1"),
    "duplicate_ngram_share": (pa.float32(), "the text in repeated sequences, 0 to 1"),
    "heuristics": (_CODES, "rules of quality that fail; NULL: none"),
    "heuristics_noted": (_CODES, "rules that fail and are noted only; NULL: none"),
    "perplexity_bits": (pa.float32(), "bits a character by the language model, if one was given"),
    "quality_class": (pa.string(), "class by the quality model, if one was given"),
    "quality": (pa.float32(), "how likely that class is, 0 to 1"),
    "spam": (_CODES, "kinds of spam that the page is; NULL: none"),
    "spam_score": (pa.float32(), "how much speaks for it, 0 to 1; from .5 on it is spam"),
    "spam_evidence": (_CODES, "what speaks for it"),
    "personal": (SPANS, "personal data in the text; NULL: none"),
    "contaminated": (_CODES, "benchmarks of which the text has a passage; NULL: none"),
    "contaminated_share": (pa.float32(), "how much of the text that is, 0 to 1"),
    "license": (pa.string(), "licence that the page declares"),
    "noindex": (pa.bool_(), "whether the page asks not to be indexed"),
    "opted_out": (_CODES, "how page or host opt out of training; NULL: not at all"),
}
"""Labels of a text by itself: type and meaning."""

LABEL_SCHEMA: Final = pa.schema(
    [*_KEY, *_FAILURE, *((name, kind) for name, (kind, _) in LABELS.items())]
)
"""Columns of the table of labels."""

LABEL_COLUMNS: Final = tuple(LABELS)


class StoredDocument(NamedTuple):
    """A document whose labels are wanted.

    Args:
        url: its address.
        host: the host that stored it, which page.dat is named after.
        shard: which of the corpora holds it.
        offset: where its record is in page.dat.
        length: how long it is there.
        mime: media type.
        title: headline.
        text: what is labeled.
        text_md5: hexadecimal MD5 of the text.
    """

    url: str
    host: str
    shard: int
    offset: int
    length: int
    mime: str
    title: str | None
    text: str
    text_md5: str


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """With what texts are labeled.

    Args:
        lexicon: words of spam instead of ours.
        benchmarks: files whose passages no text may have.
        perplexity: a model of characters.
        quality: a model of page classes.
    """

    lexicon: Path | None = None
    benchmarks: tuple[Path, ...] = ()
    perplexity: Path | None = None
    quality: Path | None = None

    def check(self) -> None:
        """Read all files, so that a broken one is refused before anything is written.

        Raises:
            InputError: one cannot be read.
        """
        _tools(self)

    def note(self) -> dict[str, Any]:
        """What tells labels by these options from others: names and checksums of the files."""
        return {
            "lexicon": _sum(self.lexicon),
            "benchmarks": {path.name: _sum(path) for path in self.benchmarks},
            "perplexity": _sum(self.perplexity),
            "quality": _sum(self.quality),
        }


def _sum(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", where=path) from error


@dataclass(frozen=True, slots=True)
class _Tools:
    lexicon: Lexicon | None
    contamination: Contamination | None
    model: CharacterModel | None
    classifier: Classifier | None


@lru_cache(maxsize=1)
def _tools(options: LabelOptions) -> _Tools:
    """The models and lists of a process."""
    return _Tools(
        Lexicon.read(options.lexicon) if options.lexicon else None,
        Contamination.from_files(options.benchmarks) if options.benchmarks else None,
        CharacterModel.load(options.perplexity) if options.perplexity else None,
        Classifier.load(options.quality) if options.quality else None,
    )


@lru_cache(maxsize=1)
def _robots(roots: tuple[str, ...]) -> dict[str, str]:
    """What hosts say in robots.txt that concerns the use of their texts."""
    telling = (
        "content-",
        "gptbot",
        "ccbot",
        "google-extended",
        "claudebot",
        "bytespider",
        "applebot",
    )
    logs = heapq.merge(*(logged_robots(Path(root)) for root in roots), key=attrgetter("at"))
    texts = {robots.host: robots.text for robots in logs}
    return {
        host: text for host, text in texts.items() if any(word in text.lower() for word in telling)
    }


def label_row(outcome: Outcome[StoredDocument, dict[str, Any]]) -> dict[str, Any]:
    """The row of a document, whatever has become of it."""
    row = outcome.value or {"failure": outcome.reason, "detail": outcome.failure}
    document = outcome.input
    about = {name: getattr(document, name) for name in ("url", "host", "offset", "text_md5")}
    return about | row


def label_stored(
    document: StoredDocument, roots: tuple[str, ...], options: LabelOptions
) -> dict[str, Any]:
    """Label one document; runs in the processes of the pool.

    Args:
        document: its place and its text.
        roots: the corpus, or its shards.
        options: with what.

    Returns:
        A row without its key; what keeps the page from being read is in ``failure`` and ``detail``.
    """
    tools = _tools(options)
    try:
        path = record_file(Path(roots[document.shard]), document.host)
        record = read_at(path, document.offset, document.length)
        reply = split_reply(record.data)
    except StoreError as error:
        return {"failure": error.reason, "detail": str(error)}
    text = document.text
    prediction = language_of(text)
    is_spaced = prediction.language not in {"zh", "ja", "ko"}
    rules = heuristics_of(text, is_spaced=is_spaced)
    contaminated = tools.contamination.labels(text) if tools.contamination else None
    spans = [span._asdict() for span in find_personal(text)]
    return {
        "n_chars": len(text),
        "language": prediction.language,
        "language_probability": prediction.probability,
        "script": prediction.script,
        "is_cantonese": prediction.is_cantonese,
        "han_share": prediction.shares.han,
        "digit_share": prediction.shares.digit,
        "symbol_share": prediction.shares.symbol,
        "n_sentences": rules.n_sentences,
        "line_end_share": rules.line_end_share,
        "duplicate_ngram_share": rules.duplicate_ngram_share,
        "heuristics": list(rules.failed) or None,
        "heuristics_noted": list(rules.noted) or None,
        "perplexity_bits": tools.model.bits_per_char(text) if tools.model else None,
        "personal": spans or None,
        "contaminated": list(contaminated.benchmarks) or None if contaminated else None,
        "contaminated_share": contaminated.share if contaminated else None,
        **_of_page(document, reply, _robots(roots).get(document.host), tools),
    }


def _of_page(
    document: StoredDocument, reply: StoredReply, robots: str | None, tools: _Tools
) -> dict[str, Any]:
    """Labels that the page itself decides."""
    page = Page.from_bytes(reply.body, document.url, reply.get("content-type"))
    is_html = document.mime != "text/plain" and not isinstance(page, UnparsedPage)
    spam = spam_of(
        page if is_html else None,
        document.text,
        document.title or "",
        url=document.url,
        lexicon=tools.lexicon,
    )
    headers = [
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in reply.header_lines
    ]
    rights = rights_of(page.tree if is_html else None, document.url, headers, robots)
    quality = tools.classifier.classify(page) if tools.classifier else None
    return {
        "quality_class": (quality.name or None) if quality else None,
        "quality": quality.probability if quality and quality.name else None,
        "spam": list(spam.kinds) or None,
        "spam_score": spam.score,
        "spam_evidence": list(spam.evidence) or None,
        "license": rights.license,
        "noindex": rights.noindex,
        "opted_out": list(rights.opted_out) or None,
    }
