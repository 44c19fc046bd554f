"""The body of a page that shows none: sought in the data that its scripts would have shown.

Pages that are drawn by scripts mostly carry their text with them: as JSON-LD (``articleBody``), as
JSON in a script (Next.js, Nuxt) or in an attribute (Discourse, Inertia), as a value given to a
variable. Every text of it stands under a path of keys, such as ``posts[].cooked``; the path with
most text, of those that end in a key that names a body, has the body.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.declared import first_text, parse
from quarkcrawl.page import PageTree
from quarkcrawl.segment import LineReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.content.declared import Declared


MIN_CHARS: Final = 100
"""A shorter text is no body."""

_NAMES: Final = """
    articlebody articletext body bodyhtml bodytext content contenthtml contentrendered cooked html
    message messagehtml postbody postcontent posttext rawhtml rendered reviewbody richtext text
    texthtml value
"""
_KEYS: Final = frozenset(_NAMES.split())
"""Keys of bodies, lower case, without signs."""

_TELLING: Final = frozenset(("articlebody", "articletext", "cooked", "postcontent", "postbody"))
_DESCRIPTIONS: Final = ("og:description", "description", "twitter:description")
_MAX_CHARS: Final = 4_000_000
_MAX_VALUES: Final = 20_000
_MAX_DEPTH: Final = 40
_MAX_NESTED: Final = 3
_MAX_SCRIPTS: Final = 200
_MIN_DATA_CHARS: Final = 200
_WEIGHT: Final = 4
"""So many times as long counts a text under a key that is never called so by accident."""

_LD: Final = "jsonld"
_LD_WEIGHT: Final = 2
"""The same for a text of JSON-LD, which is about the page itself."""

_MIN_PROSE: Final = 0.8
_PROSE: Final = re.compile(r"\S\s+\S|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ASSIGNED: Final = re.compile(r"=\s{0,9}(?=[{\[])|\(\s{0,9}(?=[{\[])|JSON\.parse\(\s{0,9}(?=[\"'])")
_MAX_ASSIGNED: Final = 20
_MARKUP: Final = re.compile(r"</?[a-zA-Z][^<>]{0,1000}>")
_ESCAPED_MARKUP: Final = re.compile(r"&lt;/?[a-zA-Z]")
_NO_KEY: Final = re.compile(r"[^a-z]")
_NO_CODE: Final = re.compile(r"^\s*(?:function\b|var |const |let |\(function|[.#@][\w-]+\s*\{)")

Found = dict[tuple[str, ...], list[str]]


def embedded_body(tree: PageTree) -> PageTree | None:
    """The body that a page carries as data, as a document of its own.

    Args:
        tree: the page.

    Returns:
        None if there is none of `MIN_CHARS` characters.
    """
    by_path: Found = {}
    for value in _data(tree):
        _collect(value, by_path)
    best, most = list[str](), MIN_CHARS - 1
    for path, values in by_path.items():
        texts = list(dict.fromkeys(values))
        n_prose = sum(len(text) for text in texts if _PROSE.search(text))
        n_chars = sum(map(len, texts))
        if n_chars < MIN_CHARS or n_prose < _MIN_PROSE * n_chars:
            continue
        is_telling = _TELLING.intersection(path[-2:])
        weight = n_chars * (_WEIGHT if is_telling else _LD_WEIGHT if path[0] == _LD else 1)
        if weight > most:
            best, most = texts, weight
    body = PageTree.parse("\n".join(map(_as_html, best)))
    return body if body.text_chars[0] >= MIN_CHARS else None


def declared_description(declared: Declared) -> PageTree | None:
    """What a page says of itself, for one that shows nothing and has no body.

    Args:
        declared: what it declares.
    """
    text = declared.first(_DESCRIPTIONS) or first_text(declared.records, "description")
    return PageTree.parse(_as_html(text)) if text.strip() else None


def text_of(tree: PageTree) -> str:
    """Visible text of a document, line by line.

    Args:
        tree: the document.
    """
    return LineReader(tree).text(tree.run_chars > 0)


def _data(tree: PageTree) -> Iterator[object]:
    """All JSON values of a page: scripts, then attributes; those of JSON-LD under a key."""
    n_chars = 0
    for node in tree.nodes("script")[:_MAX_SCRIPTS]:
        text = "".join(tree.runs[tree.run_start[node] : tree.run_end[node]])
        n_chars += len(text)
        if len(text) < _MIN_DATA_CHARS or n_chars > _MAX_CHARS:
            continue
        kind = (tree.attr(node, "type") or "").lower()
        if "json" in kind or text.lstrip()[:1] in ("{", "["):
            value = _loaded(text)
            if value is None:
                value = parse(text)
            yield {_LD: value} if "ld+json" in kind else value
        elif "template" not in kind and "html" not in kind:
            yield from _assigned(text)
    for attrs in tree.all_attrs:
        for _, value in attrs:
            if value and len(value) >= _MIN_DATA_CHARS and value.lstrip()[:1] in ("{", "["):
                n_chars += len(value)
                if n_chars <= _MAX_CHARS:
                    yield _loaded(value)


def _assigned(text: str) -> Iterator[object]:
    """Values that a script gives to variables or functions."""
    decoder, place = json.JSONDecoder(strict=False), 0
    for _ in range(_MAX_ASSIGNED):
        match = _ASSIGNED.search(text, place)
        if match is None:
            return
        place = match.end()
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        yield value


def _loaded(text: str) -> object:
    try:
        value: object = json.JSONDecoder(strict=False).raw_decode(text.strip())[0]
    except (ValueError, RecursionError):
        return None
    return value


def _collect(value: object, by_path: Found) -> None:
    """Add the texts under keys that name a body, by their path."""
    stack: list[tuple[tuple[str, ...], object, int]] = [((), value, 0)]
    n_values = 0
    while stack and n_values < _MAX_VALUES:
        path, value, n_nested = stack.pop()
        n_values += 1
        if isinstance(value, dict) and len(path) < _MAX_DEPTH:
            entries = [((*path, _key(key)), inner, n_nested) for key, inner in value.items()]
            stack += reversed(entries)
        elif isinstance(value, list) and len(path) < _MAX_DEPTH:
            stack += [((*path, "[]"), inner, n_nested) for inner in reversed(value)]
        elif isinstance(value, str):
            start = value.lstrip()[:1]
            if start in ("{", "[") and len(value) >= _MIN_DATA_CHARS and n_nested < _MAX_NESTED:
                nested = _loaded(value)
                if isinstance(nested, dict | list):
                    stack.append((path, nested, n_nested + 1))
                    continue
            key = next((key for key in reversed(path) if key != "[]"), "")
            if key in _KEYS and not _NO_CODE.match(value):
                by_path.setdefault(path, []).append(value)


def _key(key: str) -> str:
    return _NO_KEY.sub("", key.lower()[:60]) or "[]"


def _as_html(text: str) -> str:
    """A text as a block of HTML, whatever it was."""
    if _MARKUP.search(text) is None and _ESCAPED_MARKUP.search(text):
        text = html.unescape(text)
    if _MARKUP.search(text):
        return f"<div>{text}</div>"
    lines = [line.strip() for line in html.unescape(text).splitlines()]
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines if line)
