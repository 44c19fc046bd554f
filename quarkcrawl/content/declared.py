"""What a page declares about itself: meta elements and JSON-LD (schema.org), read within bounds."""

from __future__ import annotations

import html
import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.content.page_lines import PageLines, fold
from quarkcrawl.page.text import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.page.tree import PageTree


MAX_CHARS: Final = 300_000
"""Longer scripts are not read."""

_MAX_METAS: Final = 300
_MAX_CONTENT_CHARS: Final = 1_000
_MAX_SCRIPTS: Final = 20
_MAX_RECORDS: Final = 200
_MAX_DEPTH: Final = 6
_MAX_SITE_CHARS: Final = 60
_MAX_NAMES: Final = 5
_MAX_PEOPLE: Final = 12
_OPENING: Final = re.compile(r"\s*(?:(?://|/\*)?\s*<!\[CDATA\[\s*(?:\*/)?|<!--)")
_CLOSING: Final = re.compile(r"(?:(?://|/\*)?\s*\]\]>\s*(?:\*/)?|(?://)?\s*-->)\s*;?\s*$")
_CLOSING_CHARS: Final = 100
_BLEMISHES: Final = re.compile(
    r'("(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z))|,\s*([\]}])|/\*.*?(?:\*/|\Z)|(?<![:\w"])//[^\n"]*',
    re.DOTALL,
)
"""Strings (kept), commas before a closing bracket, comments. What is never closed goes to the end:
no quotation mark in it is looked at twice."""

_LONE: Final = re.compile(
    r"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F])"
)
"""Half of a character, as escapes write those beyond the first 65,536; or what looks so."""

_ARTICLE: Final = re.compile(
    r"(?:Article|Posting|WebPage|Report|Question|QAPage|Event|Product|Recipe|Review|VideoObject|CreativeWork)$"
)
_MOST_TELLING: Final = re.compile(r"(?:Article|Posting|Report)$")

TITLES: Final = ("og:title", "twitter:title", "dc.title", "title", "headline")

Record = dict[str, object]


class Named(NamedTuple):
    """Somebody that JSON-LD names.

    Args:
        name: as written there.
        is_organisation: whether it is said to be an organization.
        is_person: whether it is said to be a person.
    """

    name: str
    is_organization: bool = False
    is_person: bool = False


class Declared:
    """Title element, meta elements and JSON-LD of a page.

    Args:
        tree: the page.
        without: origins that are not read: ``jsonld``, ``meta``, ``title``.

    Attributes:
        title: text of the title element.
        metas: contents of the meta elements by name or property.
        meta: of each the first.
        site: name of the site, if the page states it.
    """

    def __init__(self, tree: PageTree, without: frozenset[str] = frozenset()) -> None:
        self._tree, self._without = tree, without
        self.title = "" if "title" in without else tree.title
        self.metas = {} if "meta" in without else _metas(tree)
        self.meta = {name: contents[0] for name, contents in self.metas.items()}
        site = fold(self.meta.get("og:site_name", ""))
        self.site = site if len(site) <= _MAX_SITE_CHARS else ""

    @cached_property
    def lines(self) -> PageLines:
        """The lines that the page shows beside what it declares."""
        return PageLines(self._tree)

    @cached_property
    def objects(self) -> list[Record]:
        """All that JSON-LD describes: the page, its site, people."""
        return [] if "jsonld" in self._without else described(self._tree)

    @cached_property
    def records(self) -> list[Record]:
        """Descriptions of the page itself in JSON-LD, articles first."""
        return of_page(self.objects)

    def people(self, *keys: str) -> list[Named]:
        """Whom the first record names that has one of these keys, references followed.

        Args:
            keys: such as ``author``.
        """
        by_id = {
            number: record
            for record in self.objects
            if isinstance(number := record.get("@id"), str)
        }
        for record in self.records:
            for key in keys:
                people = list(_named(record.get(key), by_id))[:_MAX_PEOPLE]
                if people:
                    return people
        return []

    def site_records(self) -> Iterator[Record]:
        """What JSON-LD says of the site and of who publishes the page."""
        yield from (record for record in self.objects if record.get("@type") == "WebSite")
        for record in self.records:
            publisher = record.get("publisher")
            if isinstance(publisher, dict):
                yield publisher

    def titles(self) -> dict[str, str]:
        """Declared titles by origin, the most telling first; "" where there is none."""
        return {
            "jsonld": first_text(self.records, "headline"),
            "meta": self.first(TITLES),
            "title": self.title,
        }

    def first(self, names: tuple[str, ...]) -> str:
        """The first of some meta elements that the page has."""
        return next((self.meta[name] for name in names if self.meta.get(name)), "")


def _metas(tree: PageTree) -> dict[str, list[str]]:
    """Contents of the meta elements by their name or property, in document order."""
    contents: dict[str, list[str]] = {}
    for node in tree.nodes("meta")[:_MAX_METAS]:
        attrs = dict(tree.raw_attrs(node))
        name = attrs.get("property") or attrs.get("name") or attrs.get("itemprop")
        name = name or attrs.get("http-equiv")
        content = attrs.get("content")
        if name and content:
            key = name[:60].strip().lower()
            contents.setdefault(key, []).append(content[:_MAX_CONTENT_CHARS].strip())
    return contents


def parse(text: str) -> object:
    """Read one script; comments, CDATA marks and trailing commas do no harm.

    Returns:
        The value, None if it cannot be read.
    """
    if len(text) > MAX_CHARS:
        return None
    text = text.strip().removesuffix(";")
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _loads(_BLEMISHES.sub(_kept, _unwrapped(text)))
    except (ValueError, RecursionError):
        return None


def _unwrapped(text: str) -> str:
    """A script without the marks of a comment or CDATA around it."""
    opening = _OPENING.match(text)
    text = text[opening.end() :] if opening else text
    # Sought at the end only: white space in the middle would cost its square.
    closing = _CLOSING.search(text, max(len(text) - _CLOSING_CHARS, 0))
    return text[: closing.start()] if closing else text


def _loads(text: str) -> object:
    decoder = json.JSONDecoder(strict=False)
    value: object = decoder.raw_decode(text.lstrip())[0]
    if _LONE.search(text):  # what has half a character cannot be written to any file
        value = decoder.decode(without_surrogates(json.dumps(value, ensure_ascii=False)))
    return value


def _kept(match: re.Match[str]) -> str:
    return match[1] or match[2] or ""


def records(value: object, depth: int = 0) -> Iterator[Record]:
    """All objects of a value that stand in lists, ``@graph`` or ``mainEntity``."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for entry in value[:_MAX_RECORDS]:
            yield from records(entry, depth + 1)
    elif isinstance(value, dict):
        yield value
        for key in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from records(value.get(key), depth + 1)


def described(tree: PageTree) -> list[Record]:
    """All objects that the JSON-LD of a page describes.

    Args:
        tree: the page.
    """
    declared_records: list[Record] = []
    scripts = [
        node
        for node in tree.nodes("script")[:1000]
        for name, value in tree.raw_attrs(node)
        if name == "type" and value and "ld+json" in value.lower()
    ]
    for node in scripts[:_MAX_SCRIPTS]:
        text = "".join(tree.runs[tree.run_start[node] : tree.run_end[node]])
        declared_records += records(parse(text))
        if len(declared_records) >= _MAX_RECORDS:
            break
    return declared_records[:_MAX_RECORDS]


def of_page(objects: list[Record]) -> list[Record]:
    """Those that describe the page itself, articles first."""
    described = [record for record in objects if _kind(record)]
    described.sort(key=lambda record: not _MOST_TELLING.search(_kind(record)))
    return described


def _kind(record: Record) -> str:
    """The first type of a record that says it describes a page; "" for other records."""
    kinds = record.get("@type")
    for kind in kinds[:5] if isinstance(kinds, list) else [kinds]:
        if isinstance(kind, str) and _ARTICLE.search(kind):
            return kind
    return ""


def _named(value: object, by_id: dict[str, Record], depth: int = 0) -> Iterator[Named]:
    """People and organizations that a value names, in any of the shapes that pages use."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, str):
        if value.strip():
            yield Named(value.strip())
    elif isinstance(value, list):
        for entry in value[:_MAX_PEOPLE]:
            yield from _named(entry, by_id, depth + 1)
    elif isinstance(value, dict):
        number = value.get("@id")
        referenced = (
            by_id.get(number, {}) if isinstance(number, str) and "name" not in value else {}
        )
        person = {**referenced, **value}
        given, family = person.get("givenName"), person.get("familyName")
        if isinstance(given, str) and isinstance(family, str) and not person.get("name"):
            person["name"] = f"{given} {family}"
        kinds = str(person.get("@type"))[:100]
        for name in _named(person.get("name", person.get("@value")), {}, depth + 1):
            yield Named(name.name, "Person" not in kinds and "Organi" in kinds, "Person" in kinds)


def first_text(declared_records: list[Record], *keys: str) -> str:
    """The first text that one of the records has under one of the keys."""
    for record in declared_records:
        for key in keys:
            value = record.get(key)
            if isinstance(value, list) and value:
                value = value[0]
            if isinstance(value, str) and value.strip():
                return value
    return ""


def names(value: object) -> list[str]:
    """Names of a person or organization, or of a list of them, HTML entities decoded."""
    entries = value if isinstance(value, list) else [value]
    values = [
        entry.get("name") if isinstance(entry, dict) else entry for entry in entries[:_MAX_NAMES]
    ]
    texts = [html.unescape(name).strip() for name in values if isinstance(name, str)]
    return [text for text in texts if text]
