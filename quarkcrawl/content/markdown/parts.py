"""The selected text of a page as a tree of parts: headings, paragraphs, lists, tables and so on.

Built in one walk over the elements that hold selected text, without recursion. Links and code
stay with the pieces of text they belong to, so that a link around several paragraphs is a link in
each of them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import unquote

import numpy as np

from quarkcrawl.content.markdown.model import BREAK, Kind, Part, Piece
from quarkcrawl.content.markdown.tables import cell_columns, data_tables
from quarkcrawl.page import base_url
from quarkcrawl.page.tree import BLOCK_LEVEL_TAGS
from quarkcrawl.page.urls import LinkResolver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from quarkcrawl.page.tree import PageTree


_MAX_NESTING: Final = 12
_STRAY: Final = -1
"""Stands for the element of a list that has none."""
_BLOCKS: Final = BLOCK_LEVEL_TAGS - {"br"}
_PRE: Final = ("pre", "listing", "xmp", "plaintext")
_LISTS: Final = ("ul", "ol", "menu", "dir")
_CODE: Final = ("code", "kbd", "samp", "tt")
_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:(?:mw-highlight-)?lang-|language-|lang:|highlight-source-|brush:\s?|src-"
    r"|highlight-(?!source-|text-)"
    r"|(?:highlight|sourceCode|hljs)\s+(?!language-|lang-|source))([a-z][a-z0-9+#-]{0,19})(?=[\s;]|$)",
    re.IGNORECASE,
)
_LANGUAGE_ATTRIBUTES: Final = ("data-lang", "data-language", "data-enlighter-language", "language")
_LANGUAGE_CLASSES: Final = ("class", "data-syntaxhighlighter-params")
_LANGUAGE_NAMES: Final = """
    abap ada apache applescript arduino asm assembly awk bash c c# c++ clojure cmake cobol
    coffeescript cpp crystal csharp css dart delphi diff docker dockerfile elixir elm erlang fish
    fortran fsharp gherkin glsl go golang gradle graphql groovy haskell haxe hcl html ini java
    javascript js json json5 jsonc jsx julia kotlin kt latex lisp lua makefile matlab mermaid mysql
    nasm nginx nim nix objc objectivec ocaml pascal perl pgsql php plsql powershell prolog protobuf
    ps1 py pycon python python3 r rb ruby rust sas scala scheme scss sh shell smalltalk solidity sql
    stylus svelte swift tcl terraform tex toml ts tsx typescript vb vbnet verilog vhdl vim vue wasm
    xml yaml yml zig zsh
"""
LANGUAGES: Final = frozenset(_LANGUAGE_NAMES.split())
"""What languages of listings are called, in classes and beside them."""

_MAX_STATING: Final = 10
"""So many elements around a listing, itself included, may state its language."""

_WORD: Final = re.compile(r"[a-z0-9+#.-]+")
_NO_LANGUAGES: Final = frozenset(
    (
        "zh",
        "en",
        "zh-cn",
        "plain",
        "none",
        "plaintext",
        "text",
        "default",
        "notranslate",
        "copyable",
    )
)
_LINE_KINDS: Final[dict[str, tuple[Kind, int]]] = {
    "figcaption": ("caption", 0),
    **{f"h{rank}": ("heading", rank) for rank in range(1, 7)},
}
"""What the lines of an element are, and the rank of headings."""

_PAGE: Final = ("html", "body", "article", "main")
_BREAKS: Final = re.compile(r"[\x00-\x1f]+")
_RELATIVE: Final = re.compile(r"[^:/?#]*(?:[/?#]|$)")
"""An address without a scheme; browsers pass over control characters."""

_SOURCES: Final = ("data-original", "data-src", "data-actualsrc", "src")


def parts_of(tree: PageTree, run_mask: NDArray[np.bool_], url: str = "") -> list[Part]:
    """Cut selected text into parts.

    Args:
        tree: the page.
        run_mask: which runs are selected, one entry a run.
        url: address of the page; links are resolved against it.
    """
    builder = _Builder(tree, run_mask, url)
    for event, number in _events(tree, run_mask):
        if event == "run":
            builder.add_run(number)
        elif event == "open":
            builder.open(number)
        else:
            builder.close(number)
    return builder.finished()


def _events(
    tree: PageTree, run_mask: NDArray[np.bool_]
) -> Iterator[tuple[Literal["run", "open", "close"], int]]:
    """Selected runs, and starts and ends of the nodes that matter, in document order."""
    runs = np.flatnonzero(_with_blanks(tree, run_mask)).tolist()
    nodes = _nodes(tree, run_mask)
    edges = (tree.end[nodes].tolist(), tree.run_start[nodes].tolist(), tree.run_end[nodes].tolist())
    stack: list[tuple[int, int, int]] = []
    done = 0
    for node, end, run_start, run_end in zip(nodes.tolist(), *edges, strict=True):
        while stack and stack[-1][1] <= node:
            last, _, last_run = stack.pop()
            while done < len(runs) and runs[done] < last_run:
                yield "run", runs[done]
                done += 1
            yield "close", last
        while done < len(runs) and runs[done] < run_start:
            yield "run", runs[done]
            done += 1
        yield "open", node
        stack.append((node, end, run_end))
    for last, _, last_run in reversed(stack):
        while done < len(runs) and runs[done] < last_run:
            yield "run", runs[done]
            done += 1
        yield "close", last


def _with_blanks(tree: PageTree, run_mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The selection with the white space between two of its texts, as between two elements."""
    shown = np.flatnonzero(_is_shown(tree))
    blanks = np.flatnonzero((tree.run_chars == 0) & ~tree.run_raw & ~run_mask)
    selection = run_mask.copy()
    selection[blanks] = _are_between(shown, run_mask, blanks, blanks)
    return selection


def _is_shown(tree: PageTree) -> NDArray[np.bool_]:
    return (tree.run_chars > 0) & ~tree.run_raw


def _are_between(
    shown: NDArray[np.intp],
    run_mask: NDArray[np.bool_],
    starts: NDArray[np.integer],
    ends: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Whether the shown runs next before some places and next behind them are both selected."""
    is_selected = np.concatenate(([False], run_mask[shown], [False]))
    before, behind = np.searchsorted(shown, starts), np.searchsorted(shown, ends) + 1
    return is_selected[before] & is_selected[behind]


def _nodes(tree: PageTree, run_mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Nodes that hold selected runs, and the breaks and pictures between selected runs."""
    keeps = tree.over_runs(run_mask.astype(np.int64)) > 0
    keeps[0] = True
    shown = np.flatnonzero(_is_shown(tree))
    breaks, pictures = tree.places("br"), tree.places("img")
    starts = tree.run_start[breaks]
    keeps[breaks] |= _are_between(shown, run_mask, starts, starts)
    selected = shown[run_mask[shown]]
    if len(selected):
        # Where a line between two breaks is left out, its neighbors are still two lines.
        is_inside = (starts > selected[0]) & (starts <= selected[-1])
        keeps[breaks[is_inside & ~_covered(tree, breaks, _PRE)]] = True
    frames = _frames(tree, pictures)
    keeps[pictures] |= _are_between(shown, run_mask, tree.run_start[frames], tree.run_end[frames])
    return np.flatnonzero(keeps)


def _covered(tree: PageTree, nodes: NDArray[np.intp], names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which nodes stand in an element of one of these names."""
    around = tree.places(*names)
    ends = np.concatenate(([0], np.maximum.accumulate(tree.end[around])))
    is_covered: NDArray[np.bool_] = ends[np.searchsorted(around, nodes)] > nodes
    return is_covered


def _frames(tree: PageTree, pictures: NDArray[np.intp]) -> NDArray[np.intp]:
    """The figure that each picture stands in, whose caption may be left out; else the picture."""
    figures = tree.places("figure")
    if not len(figures):
        return pictures
    nearest = figures[np.maximum(np.searchsorted(figures, pictures) - 1, 0)]
    return np.where((nearest < pictures) & (tree.end[nearest] > pictures), nearest, pictures)


class _Builder:
    """Takes the events and builds the parts."""

    def __init__(self, tree: PageTree, run_mask: NDArray[np.bool_], url: str) -> None:
        self._tree = tree
        base = base_url(tree, url)
        self._resolve = LinkResolver(base).resolve
        self._has_address = bool(base)
        self._tables = data_tables(tree, run_mask)
        self._top: list[Part] = []
        self._open: list[tuple[int, Part]] = []
        self._line: list[Piece] = []
        self._line_kind: tuple[Kind, int] = ("paragraph", 0)
        self._links: list[str] = []
        self._n_code = 0
        self._raw: list[str] | None = None
        self._table: Part | None = None
        self._columns: dict[int, int] = {}

    def finished(self) -> list[Part]:
        """All parts."""
        self._flush()
        return self._top

    def add_run(self, run: int) -> None:
        """Take a selected run."""
        text = self._tree.spaced_runs[run]
        if self._raw is not None:
            self._raw.append(text)
        else:
            link = self._links[-1] if self._links else ""
            formulas = self._tree.run_formula
            is_formula = formulas is not None and bool(formulas[run])
            self._line.append(
                Piece(text, link, self._n_code > 0 and not is_formula, is_formula=is_formula)
            )

    def open(self, node: int) -> None:
        """Take the start of an element."""
        name = self._tree.tags[node]
        if name == "a":
            href = (self._tree.attr(node, "href") or "").strip()
            is_link = href and not href.startswith("#")  # addresses have no places within a page
            self._links.append(self._target(href) or "" if is_link else "")
        elif name in _CODE:
            self._n_code += 1
            if self._raw and self._follows_code(node):
                self._end_raw_line()
        elif name == "br":
            self._add_break()
        elif name == "img":
            self._add_picture(node)
        elif self._table is not None:
            self._open_in_table(name)
        elif self._raw is None:
            self._open_block(node, name)
        elif name in _BLOCKS:
            self._end_raw_line()

    def close(self, node: int) -> None:
        """Take the end of an element."""
        name = self._tree.tags[node]
        if name == "a":
            self._links.pop()
        elif name in _CODE:
            self._n_code -= 1
        elif self._table is not None:
            self._close_in_table(node, name)
        elif self._raw is not None:
            if name in _PRE:
                self._end_code(node)
            elif name in _BLOCKS:
                self._end_raw_line()
        elif name in _BLOCKS or name in ("td", "th"):
            self._flush()
            self._line_kind = ("paragraph", 0)
        self._end_part(node)

    def _end_part(self, node: int) -> None:
        """End the part that an element has opened, if any, with stray lists that stand in it."""
        depth = len(self._open)
        while depth and self._open[depth - 1][0] == _STRAY:
            depth -= 1
        if depth and self._open[depth - 1][0] == node:
            del self._open[depth - 1 :]

    def _open_block(self, node: int, name: str) -> None:
        if name not in _BLOCKS and name not in ("td", "th"):
            return
        self._flush()
        if node in self._tables:
            self._table, self._columns = Part("table"), self._columns_of(node)
            self._add(self._table)
        elif name in _PRE:
            self._raw = []
        elif name == "blockquote":
            self._push(node, Part("quote"))
        elif name in _LISTS:
            self._push(node, Part("list", start=self._start(node) if name == "ol" else None))
        elif name == "li":
            if not self._open or self._open[-1][1].kind != "list":
                self._open_stray_list()
            self._push(node, Part("item"))
        else:
            self._line_kind = _LINE_KINDS.get(name, self._line_kind)

    @cached_property
    def _rows_and_cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return self._tree.places("tr"), self._tree.places("td", "th")

    def _columns_of(self, table: int) -> dict[int, int]:
        edges = [table, int(self._tree.end[table])]
        rows, cells = self._rows_and_cells
        first_row, last_row = rows.searchsorted(edges).tolist()
        first, last = cells.searchsorted(edges).tolist()
        own_cells = cells[first:last].tolist()
        columns = cell_columns(self._tree, rows[first_row:last_row].tolist(), own_cells)
        return dict(zip(own_cells, columns, strict=True))

    def _start(self, node: int) -> int:
        text = self._tree.attr(node, "start") or ""
        return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 1

    def _open_stray_list(self) -> None:
        """A list for an item without one; items that follow each other share it."""
        parts = self._open[-1][1].parts if self._open else self._top
        if parts and parts[-1].kind == "list" and len(self._open) < _MAX_NESTING:
            self._open.append((_STRAY, parts[-1]))
        elif len(self._open) < _MAX_NESTING:
            self._push(_STRAY, Part("list"))

    def _push(self, node: int, part: Part) -> None:
        """Add a part that is to contain others; where nesting is too deep they stay outside."""
        if len(self._open) < _MAX_NESTING:
            self._add(part)
            self._open.append((node, part))

    def _add(self, part: Part) -> None:
        while self._open and self._open[-1][0] == _STRAY and part.kind != "item":
            self._open.pop()
        if self._open and self._open[-1][1].kind == "list" and part.kind != "item":
            self._open[-1][1].parts.append(Part("item", parts=[part]))
            return
        (self._open[-1][1].parts if self._open else self._top).append(part)

    def _flush(self) -> None:
        """End the line that is being collected."""
        if not all(piece.is_blank for piece in self._line):
            kind, level = self._line_kind
            self._add(Part(kind, pieces=self._line, level=level))
        self._line = []

    def _add_break(self) -> None:
        if self._raw is not None:
            self._raw.append("\n")
        else:
            self._line.append(Piece(BREAK))

    def _end_raw_line(self) -> None:
        if self._raw and not self._raw[-1].endswith("\n"):
            self._raw.append("\n")

    def _follows_code(self, node: int) -> bool:
        """Whether right before an element another listing in the same one ends: each is a line."""
        tree, last = self._tree, node - 1
        above = int(tree.parent[node])
        while last > above and int(tree.parent[last]) != above:
            last = int(tree.parent[last])
        is_code = last > above and tree.tags[last] == "code" == tree.tags[node]
        is_right_before = int(tree.run_end[last]) == int(tree.run_start[node])
        return is_code and is_right_before and tree.tags[above] in _PRE

    def _is_formula(self, picture: int) -> bool:
        """Whether a picture is a formula that stands beside it as TeX."""
        tree, above = self._tree, int(self._tree.parent[picture])
        if tree.run_formula is None:
            return False
        run = int(tree.run_start[picture]) - 1
        if run >= 0 and tree.run_formula[run]:
            tex = _without_spaces(tree.runs[run].strip("$"))
            stated = (value or "" for _, value in tree.raw_attrs(picture))
            if any(tex in _without_spaces(unquote(value)) for value in stated):
                return True
        inside = slice(int(tree.run_start[above]), int(tree.run_end[above]))
        is_inked = tree.run_chars[inside] > 0
        is_alone = int(is_inked.sum()) == 1 and bool(tree.run_formula[inside][is_inked][0])
        return is_alone and tree.tags[above] not in _BLOCKS

    def _target(self, href: str) -> str | None:
        """Where a link leads; as it is written if it is relative and the page has no address."""
        target = self._resolve(href)
        if target or self._has_address:
            return target
        href = _BREAKS.sub("", href).strip()
        return href if _RELATIVE.match(href) else None

    def _add_picture(self, node: int) -> None:
        if self._is_formula(node):
            return
        attrs = self._tree.attrs(node)
        sources = (self._target(attrs[name]) for name in _SOURCES if attrs.get(name))
        url = next((source for source in sources if source), None)
        if url and self._table is None and self._raw is None:
            text = " ".join((attrs.get("alt") or attrs.get("title") or "").split())[:500]
            self._flush()
            self._add(Part("picture", pieces=[Piece(text)], url=url))

    def _open_in_table(self, name: str) -> None:
        assert self._table is not None
        if name in ("tr", "td", "th", "caption"):
            self._end_cell("td")
        if name == "tr":
            self._table.rows.append([])
        elif name in _BLOCKS:
            self._line.append(Piece(BREAK))

    def _close_in_table(self, node: int, name: str) -> None:
        if node in self._tables:
            self._end_cell("td")
            self._table = None
        elif name in ("td", "th", "caption"):
            self._end_cell(name, self._columns.get(node, 0))
        elif name in _BLOCKS:
            self._line.append(Piece(BREAK))

    def _end_cell(self, name: str, column: int | None = None) -> None:
        """Store the text that was collected; outside cells only if there is any."""
        assert self._table is not None
        if column is not None or not all(piece.is_blank for piece in self._line):
            if name == "caption":
                self._table.pieces = self._line
            else:
                self._table.rows = self._table.rows or [[]]
                row = self._table.rows[-1]
                row += [[] for _ in range((column or 0) - len(row))]
                row.append(self._line)
        self._line = []

    def _end_code(self, node: int) -> None:
        text = "".join(self._raw or []).strip("\r\n")
        self._raw = None
        if text.strip():
            self._add(Part("code", pieces=[Piece(text)], language=self._language(node)))

    def _language(self, node: int) -> str:
        """Language that an element, the code in it or one of its next ancestors states."""
        tree = self._tree
        ancestors = [node]
        while len(ancestors) < _MAX_STATING and tree.tags[tree.parent[ancestors[-1]]] not in _PAGE:
            ancestors.append(int(tree.parent[ancestors[-1]]))
        code = tree.places("code")
        first = int(np.searchsorted(code, node))
        inside = code[first : first + 1][code[first : first + 1] < tree.end[node]].tolist()
        child = [node + 1] if node + 1 < int(tree.end[node]) else []
        for place in dict.fromkeys((*inside, *child, *ancestors)):
            if name := _stated_language(tree.attrs(place), is_code=place in (*inside, node)):
                return name
        return ""


def _without_spaces(tex: str) -> str:
    """TeX without what may stand for a space, also in an address."""
    return "".join(tex.replace("&space;", " ").replace("+", " ").split())


def _stated_language(attrs: Mapping[str, str], *, is_code: bool) -> str:
    """Language that the attributes of an element state; "" for none."""
    match = _LANGUAGE.search(" ".join([attrs.get(name, "") for name in _LANGUAGE_CLASSES]))
    stated = [attrs.get(name, "") for name in _LANGUAGE_ATTRIBUTES] + [match[1] if match else ""]
    for name in (one.lower()[:20] for one in stated):
        if name and name not in _NO_LANGUAGES and _WORD.fullmatch(name):
            return name
    bare = (*attrs.get("class", "").lower().split(), attrs.get("lang", "").lower())
    return next((name for name in bare if name in LANGUAGES), "") if is_code else ""
