"""Labeled pages: JSON lines, and the words that a classifier is trained on."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from quarkcrawl.classify.pagewords import check_method, page_text, text_words
from quarkcrawl.errors import InputError
from quarkcrawl.inputs import read_all
from quarkcrawl.page import Page
from quarkcrawl.progress import no_progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from quarkcrawl.progress import Progress


@dataclass(frozen=True, slots=True)
class LabeledPage:
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
    """Words of labeled pages.

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
        rows = list(numbers)
        return Examples(
            [self.labels[n] for n in rows],
            [self.sites[n] for n in rows],
            [self.words[n] for n in rows],
            self.method,
        )


def read_examples(
    paths: Sequence[Path],
    method: str = "quark",
    *,
    label: str = "label",
    on_progress: Progress = no_progress,
) -> Examples:
    """Read labeled pages and cut them into words.

    Args:
        paths: JSON lines, also compressed (``.gz``), with the class (a word, a
            whole number, true or false), ``url`` and one of ``html``,
            ``body_b64`` (the bytes as received) and ``text`` (the content itself).
        method: extraction method, or `WHOLE_PAGE`.
        label: key of the class; pages without one are passed over.
        on_progress: is told of each page.

    Raises:
        InputError: a file cannot be read, names a line; or no page has a class.
    """
    check_method(method)
    examples = examples_of(_labeled(read_all(paths, "pages", on_progress), label), method)
    if not len(examples):
        raise InputError(f"no page has a class ({label!r})", where=", ".join(map(str, paths)))
    return examples


def examples_of(pages: Iterable[LabeledPage], method: str = "quark") -> Examples:
    """The words of labeled pages.

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


def _labeled(records: Iterable[tuple[str, dict[str, Any]]], label: str) -> Iterator[LabeledPage]:
    for where, record in records:
        name = record.get(label)
        if name is None or name == "":
            continue
        if isinstance(name, bool | int):
            name = json.dumps(name)  # true, false, 3
        if not isinstance(name, str):
            raise InputError(f"this cannot be a class: {name!r}", where=where)
        try:
            host = urlsplit(str(record.get("url") or "")).hostname
        except ValueError as error:
            raise InputError(f"no labeled page ({error})", where=where) from error
        site = host or str(record.get("id", ""))
        if "text" in record and not {"html", "body_b64"} & record.keys():
            yield LabeledPage(name, site, text=str(record["text"]))
        else:
            yield LabeledPage(name, site, record_page(record, where))


def record_page(record: dict[str, Any], where: str) -> Page:
    """The page of a JSON object.

    Args:
        record: with ``html``, or ``body_b64`` (the bytes as received), and perhaps ``url``.
        where: file and line, for messages.

    Raises:
        InputError: there is no page in it.
    """
    url = str(record.get("url") or "")
    try:
        if "html" in record:
            return Page.from_html(record["html"], url)
        return Page.from_bytes(base64.b64decode(record["body_b64"], validate=True), url)
    except KeyError as error:
        raise InputError("neither html nor body_b64 nor text", where=where) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"no labeled page ({error})", where=where) from error
