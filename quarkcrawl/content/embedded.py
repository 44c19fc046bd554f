"""The body of a page that shows none: sought in the data that its scripts would have shown.

Pages that are drawn by scripts mostly carry their text with them: as JSON-LD (``articleBody``), as
JSON in a script (Next.js, Nuxt) or in an attribute (Discourse, Inertia), as a value given to a
variable. Every text of it stands under a path of keys, such as ``posts[].cooked``; the path with
most text, of those that end in a key that names a body, has the body. What stands under a key of
comments or of other pages is not read, unless comments are the posts of a thread.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

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
_ASSIGNED: Final = re.compile(
    r"[=(]\s{0,9}(?=[{\[])|(?:JSON\.parse|decodeURIComponent)\(\s{0,9}(?=[\"'])"
)
_MAX_ASSIGNED: Final = 1000
_MAX_TOKENS: Final = 400_000
_TOKEN: Final = re.compile(
    r"""\s*+(?:(?P<string>"(?>(?:[^"\\]|\\.)*)"|'(?>(?:[^'\\]|\\.)*)')|(?P<sign>[\[\]{}:,])"""
    r"""|(?P<number>-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<call>![01]|void 0|new Date\([^()]{0,99}\)|Array\(\d{1,9}\)|Object\.create\(null\))"""
    r"""|(?P<name>[A-Za-z_$][\w$]*))""",
    re.DOTALL,
)
"""A token of a literal of JavaScript."""

_NO_JSON_VALUE: Final = re.compile(
    r"\s*+(?:undefined\b|'|![01]|void 0|NaN|\\(?:x[0-9a-fA-F]{2}|'))"
)
"""What JSON has not, and literals without names and keys without quotes have."""

_DEPTHS: Final = {"[": 1, "{": 1, "]": -1, "}": -1}
_POINT: Final = re.compile(r"^(-?)\.")
_CALLS: Final = {"!0": "true", "!1": "false"}
_CONSTANTS: Final = {
    **{name: name for name in ("true", "false", "null")},
    **dict.fromkeys(("undefined", "NaN", "Infinity"), "null"),
}
_NO_JSON: Final = re.compile(r"\\(?![\"\\/bfnrt]|u[0-9a-fA-F]{4})")
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,5})\}|(\r\n|.))", re.DOTALL
)
_ESCAPED: Final = {
    **dict(zip("nrtbfv0", "\n\r\t\b\f\v\0", strict=True)),
    **dict.fromkeys(("\n", "\r\n"), ""),
}
_NUXT: Final = re.compile(
    r"__NUXT__\s{0,9}=\s{0,9}(?:\(?\s{0,9}function\s{0,9}\(([\w$,\s]*+)\)\s{0,9}\{|(?=\{))"
)
_RETURN: Final = re.compile(r"\breturn\s{0,9}(?=\{)")
_CALLED: Final = re.compile(r"[\s;]{0,9}\}\s{0,9}\)?\s{0,9}\(")
_ENCODED: Final = ("%7B", "%5B")
"""Signs with which JSON begins, percent-encoded."""

_NUXT_DATA: Final = "__NUXT_DATA__"
_STREAM: Final = "__next_f"
_ROW: Final = re.compile(rb"\n*+([0-9a-f]{1,8}):(?:T([0-9a-f]{1,8}),|(?=[{\[]))?")
_UNSEEN: Final = (["link"], ["meta"], ["script"], ["style"])
_MARKUP: Final = re.compile(r"</?[a-zA-Z][^<>]{0,1000}>")
_ESCAPED_MARKUP: Final = re.compile(r"&lt;/?[a-zA-Z]")
_NO_KEY: Final = re.compile(r"[^a-z]")
_NO_CODE: Final = re.compile(
    r"\s*+(?:[!;(]{0,3}function\b|var |const |let |\(\(\w{0,20}\)\s{0,3}=>|window\.|/\*"
    r"|[.#@:]?[\w-]{1,99}\s{0,9}\{\s{0,9}[\w-]{1,40}\s{0,9}:)"
)

_COMMENTS: Final = re.compile(
    r"[a-z]{0,20}(?:comments?|replies)(?:list|data|items|tree)?|replylist"
)
"""Keys of what other people wrote below a text."""

_OTHERS: Final = re.compile(
    r"suggestions|sidebar[a-z]*|(?:[a-z]{0,20}(?:related|recommend)|similar|trending|popular)[a-z]*"
    r"|(?:more|next|prev|previous|other|latest|hot|top|recent)"
    r"(?:posts?|articles?|news|stor(?:y|ies)|topics?|threads?|list|reads?|items?)"
)
"""Keys of other texts."""

_ONE: Final = re.compile(r"(?:latest|hot|top|recent)(?:post|article|story|topic|thread|item)")
"""One of these may be the text itself."""

_THREADS: Final = frozenset(("discussion", "question", "thread", "topic"))
_THREAD_TYPES: Final = ("DiscussionForumPosting", "Question")
"""Where comments are posts."""

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
    streamed: list[str] = []
    for node in tree.nodes("script")[:_MAX_SCRIPTS]:
        text = "".join(tree.runs[tree.run_start[node] : tree.run_end[node]])
        n_chars += len(text)
        if n_chars > _MAX_CHARS:
            continue
        if _STREAM in text:
            streamed += _pushed(text)
        elif len(text) >= _MIN_DATA_CHARS:
            yield from _of_script(tree, node, text)
    yield from _rows("".join(streamed))
    for attrs in tree.all_attrs:
        for _, value in attrs:
            if value and len(value) >= _MIN_DATA_CHARS and value.lstrip()[:1] in ("{", "["):
                n_chars += len(value)
                if n_chars <= _MAX_CHARS:
                    yield _loaded(value)


def _of_script(tree: PageTree, node: int, text: str) -> Iterator[object]:
    """The values of one script."""
    kind = (tree.attr(node, "type") or "").lower()
    if "json" in kind or text.lstrip()[:1] in ("{", "["):
        value = _loaded(text)
        if value is None:
            value = parse(text)
        if tree.attr(node, "id") == _NUXT_DATA:
            value = _unflattened(value)
        yield {_LD: value} if "ld+json" in kind else value
    elif "template" not in kind and "html" not in kind:
        nuxt = _NUXT.search(text)
        if nuxt:
            yield _nuxt_state(text, nuxt)
        yield from _assigned(text)


def _assigned(text: str) -> Iterator[object]:
    """Values that a script gives to variables or functions."""
    decoder, place, n_tokens = json.JSONDecoder(strict=False), 0, 0
    for _ in range(_MAX_ASSIGNED):
        match = _ASSIGNED.search(text, place)
        if match is None:
            return
        place = match.end()
        try:
            value, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            if not _NO_JSON_VALUE.match(text, error.pos):
                continue
            literal = _Literal(text, place, _MAX_TOKENS - n_tokens)
            n_tokens += len(literal.pieces)
            value = None if literal.names or literal.has_bare_keys else literal.value({})
            place = literal.end if value is not None else place
        except (ValueError, RecursionError):  # a number of thousands of digits
            continue
        yield value


class _Literal:
    """A literal of JavaScript as pieces of JSON, read up to its end or what is no literal.

    Args:
        text: the script.
        place: where the literal begins.
        most: so many tokens are read.
        is_call: whether the place is behind the bracket of a call, whose values are read as a list.
    """

    def __init__(self, text: str, place: int, most: int, *, is_call: bool = False) -> None:
        self.pieces, self.names, self.end = ["["] * is_call, dict[int, str](), place
        self.has_bare_keys = False
        depth = int(is_call)
        while len(self.pieces) < most and (token := _TOKEN.match(text, self.end)):
            self.end = token.end()
            depth += self._add(token.lastgroup or "", token[token.lastgroup or 0])
            if depth <= 0:
                break
        if is_call:
            self.pieces.append("]")

    def _add(self, kind: str, piece: str) -> int:
        """Add a token; by how much it makes the depth greater."""
        depth = 0
        if kind == "sign":
            depth = _DEPTHS.get(piece, 0)
            if piece == ":":
                self._make_key()
        elif kind == "string":
            piece = _json_string(piece)
        elif kind == "number":
            piece = _POINT.sub(r"\g<1>0.", piece)
        elif kind == "call":
            piece = _CALLS.get(piece, "null")
        elif piece in _CONSTANTS:
            piece = _CONSTANTS[piece]
        else:
            self.names[len(self.pieces)] = piece
        self.pieces.append(piece)
        return depth

    def _make_key(self) -> None:
        """Read the last piece as a key."""
        if self.pieces and self.pieces[-1][0] not in '"{[':
            self.has_bare_keys = True
            self.names.pop(len(self.pieces) - 1, None)
            self.pieces[-1] = json.dumps(self.pieces[-1])

    def value(self, values: dict[str, str]) -> object:
        """What the literal says, None if it is none.

        Args:
            values: JSON of the values of names; as often as they are too long, null is read.
        """
        pieces, n_chars = self.pieces.copy(), 0
        for number, name in self.names.items():
            pieces[number] = values.get(name, "null")
            n_chars += len(pieces[number])
            if n_chars > _MAX_CHARS:
                pieces[number] = "null"
        return _loaded("".join(pieces))


def _json_string(token: str) -> str:
    """A string of JavaScript as JSON."""
    if token[0] == '"' and not _NO_JSON.search(token):
        return token
    return json.dumps(_ESCAPE.sub(_unescaped, token[1:-1]))


def _unescaped(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    return chr(int(digits, 16)) if digits else _ESCAPED.get(match[4], match[4])


def _nuxt_state(text: str, match: re.Match[str]) -> object:
    """The state of a page of Nuxt 2: a literal, or what a function returns for its values."""
    start = match
    if match[1] is not None:
        returned = _RETURN.search(text, match.end())
        if returned is None:
            return None
        start = returned
    literal = _Literal(text, start.end(), _MAX_TOKENS)
    called = _CALLED.match(text, literal.end)
    if match[1] is None or called is None:
        return literal.value({})
    given = _Literal(text, called.end(), _MAX_TOKENS, is_call=True).value({})
    names = [name.strip() for name in match[1].split(",")]
    jsons = map(json.dumps, given if isinstance(given, list) else [])
    return literal.value(dict(zip(names, jsons, strict=False)))


def _unflattened(values: object) -> object:
    """The state of a page of Nuxt 3: a list in which numbers inside of values are places of others.

    Of places of the same list or object the first one has it, so that there are no circles.
    """
    if not isinstance(values, list):
        return values
    nested = [
        {} if isinstance(value, dict) else [] if isinstance(value, list) else value
        for value in values
    ]
    placed = {0}

    def at(place: object) -> object:
        if type(place) is not int or not 0 <= place < len(nested) or place in placed:
            return None
        if isinstance(nested[place], dict | list):
            placed.add(place)
        return nested[place]

    for value, inner in zip(values, nested, strict=True):
        if isinstance(inner, dict):
            inner.update((key, at(place)) for key, place in value.items())
        elif isinstance(inner, list):
            inner += [at(place) for place in value if type(place) is int]
    return nested[0] if nested else None


def _pushed(text: str) -> Iterator[str]:
    """Pieces of a stream that a script of Next.js pushes."""
    for value in _assigned(text):
        if isinstance(value, list) and value[:1] == [1]:
            yield from (piece for piece in value[1:] if isinstance(piece, str))


def _rows(stream: str) -> Iterator[object]:
    """JSON of the rows that Next.js streams; a text stands where the number of its row does."""
    data, place = stream.encode("utf-8", "surrogatepass"), 0
    texts, rows = dict[str, str](), list[str]()
    while 0 <= place < len(data):
        row = _ROW.match(data, place)
        if row and row[2]:
            place = row.end() + int(row[2], 16)
            texts[f"${row[1].decode()}"] = data[row.end() : place].decode("utf-8", "replace")
            continue
        end = data.find(b"\n", row.end() if row else place)
        if row:
            rows.append(data[row.end() : end if end >= 0 else None].decode("utf-8", "replace"))
        place = end + 1 if end >= 0 else -1
    decoder = json.JSONDecoder(
        strict=False,
        object_hook=lambda pairs: {
            key: texts.get(value, value) if isinstance(value, str) else value
            for key, value in pairs.items()
        },
    )
    for text in rows:
        yield _loaded(text, decoder)


def _loaded(text: str, decoder: json.JSONDecoder | None = None) -> object:
    """A value of JSON, percent-encoded or not; None if it is none."""
    text = text.strip()
    if text[:3].upper() in _ENCODED:
        text = unquote(text)
    try:
        value: object = (decoder or json.JSONDecoder(strict=False)).raw_decode(text)[0]
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
            entries = _own(path, value)
            stack += [((*path, key), inner, n_nested) for key, inner in reversed(entries)]
        elif isinstance(value, list) and len(path) < _MAX_DEPTH and not _is_unseen(value):
            stack += [((*path, "[]"), inner, n_nested) for inner in reversed(value[:_MAX_VALUES])]
        elif isinstance(value, str):
            is_data = value.lstrip()[:1] in ("{", "[") or value[:3].upper() in _ENCODED
            if is_data and len(value) >= _MIN_DATA_CHARS and n_nested < _MAX_NESTED:
                nested = _loaded(value)
                if isinstance(nested, dict | list):
                    stack.append((path, nested, n_nested + 1))
                    continue
            key = next((key for key in reversed(path) if key != "[]"), "")
            if key in _KEYS and not _NO_CODE.match(value):
                by_path.setdefault(path, []).append(value)


def _own(path: tuple[str, ...], value: dict[str, object]) -> list[tuple[str, object]]:
    """Entries of an object, without those of comments, where these are no posts, and of others."""
    entries = [(_key(key), inner) for key, inner in value.items()]
    is_thread = value.get("@type") in _THREAD_TYPES or not (
        _THREADS.isdisjoint(path) and _THREADS.isdisjoint(key for key, _ in entries)
    )
    return [
        (key, inner)
        for key, inner in entries
        if (not _OTHERS.fullmatch(key) or (isinstance(inner, dict) and _ONE.fullmatch(key)))
        and (is_thread or not _COMMENTS.fullmatch(key))
    ]


def _is_unseen(value: list[object]) -> bool:
    """Whether a list is an element of React that browsers show nothing of."""
    return value[:1] == ["$"] and value[1:2] in _UNSEEN


def _key(key: str) -> str:
    """A key without signs, and without the arguments that GraphQL writes behind it."""
    return _NO_KEY.sub("", key[:60].partition("(")[0].lower()) or "[]"


def _as_html(text: str) -> str:
    """A text as a block of HTML, whatever it was; halves of characters do not survive."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if _MARKUP.search(text) is None and _ESCAPED_MARKUP.search(text):
        text = html.unescape(text)
    if _MARKUP.search(text):
        return f"<div>{text}</div>"
    lines = [line.strip() for line in html.unescape(text).splitlines()]
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines if line)
