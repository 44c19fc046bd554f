"""Labelled pages: JSON lines, and the words that a classifier is trained on."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from quarkcrawl.classify.pagewords import check_method, page_text, text_words
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


_SOURCES: Final = ("html", "body_b64", "text")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page whose class is known.

    Args:
        label: the class.
        site: pages of one site are never in training and test at once.
        page: the page; None for a text.
        text: where there is no page: its content.
    """

    label: str
    site: str
    page: Page | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Examples:
    """Words of labelled pages.

    Args:
        labels: class of each page.
        sites: site of each.
        words: words of each.
        method: what they are words of: content by this extraction method, or the whole page.
    """

    labels: Sequence[str]
    sites: Sequence[str]
    words: Sequence[Sequence[str]]
    method: str = "quark"

    def __len__(self) -> int:
        return len(self.labels)

    def only(self, numbers: Iterable[int]) -> Examples:
        """Some of the examples.

        Args:
            numbers: which.
        """
        chosen = list(numbers)
        return Examples(
            [self.labels[n] for n in chosen],
            [self.sites[n] for n in chosen],
            [self.words[n] for n in chosen],
            self.method,
        )


def read_examples(
    paths: Sequence[Path], method: str = "quark", *, label: str = "label"
) -> Examples:
    """Read labelled pages and cut them into words.

    Args:
        paths: JSON lines, also compressed (``.gz``), with the class (a word, a
            whole number, true or false), ``url`` and one of ``html``,
            ``body_b64`` (the bytes as received) and ``text`` (the content itself).
        method: extraction method, or `WHOLE_PAGE`.
        label: key of the class; pages without one are passed over.

    Raises:
        InputError: a file cannot be read, names a line; or no page has a class.
    """
    check_method(method)
    found = examples_of((page for path in paths for page in _labelled(path, label)), method)
    if not len(found):
        raise InputError(f"no page has a class ({label!r})", where=", ".join(map(str, paths)))
    return found


def examples_of(pages: Iterable[LabelledPage], method: str = "quark") -> Examples:
    """The words of labelled pages.

    Args:
        pages: read once; a page is extracted, and where there is only a text, it is taken as it is.
        method: extraction method, or `WHOLE_PAGE`.
    """
    labels: list[str] = []
    sites: list[str] = []
    words: list[list[str]] = []
    for one in pages:
        text = one.text if one.page is None else page_text(one.page, method)
        labels.append(one.label)
        sites.append(one.site)
        words.append(text_words(text))
    return Examples(labels, sites, words, method)


def _labelled(path: Path, label: str) -> Iterator[LabelledPage]:
    for where, record in _records(path):
        name = record.get(label)
        if name is None or name == "":
            continue
        if isinstance(name, bool | int):
            name = json.dumps(name)  # true, false, 3
        if not isinstance(name, str):
            raise InputError(f"this cannot be a class: {name!r}", where=where)
        try:
            yield _page_of(record, name)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"no labelled page ({error})", where=where) from error


def _page_of(record: dict[str, Any], name: str) -> LabelledPage:
    kind = next((key for key in _SOURCES if key in record), None)
    if kind is None:
        raise ValueError("neither html nor body_b64 nor text")
    url = str(record.get("url") or "")
    site = urlsplit(url).hostname or str(record.get("id", ""))
    value = record[kind]
    if kind == "text":
        return LabelledPage(name, site, text=str(value))
    if kind == "html":
        return LabelledPage(name, site, Page.from_html(value, url))
    return LabelledPage(name, site, Page.from_bytes(base64.b64decode(value, validate=True), url))


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    opened = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise InputError("no JSON object", where=f"{path}:{number}")
                yield f"{path}:{number}", record
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"cannot be read ({error})", where=_where(path, number)) from error


def _where(path: Path, number: int) -> str:
    return f"{path}:{number}" if number else str(path)
