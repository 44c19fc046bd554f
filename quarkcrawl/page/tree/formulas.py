"""Formulas of a page, each as one text run of TeX between dollar signs.

Pages show a formula several times: for eyes, for screen readers, as a picture, as the source that a
script reads. All of it is taken out of the text, and ``$TeX$`` (``$$TeX$$`` for a formula on a line
of its own) put in its place. The elements stay what they are.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quarkcrawl.page.loops import formula_hints, formula_names, has_formula_name
from quarkcrawl.page.tree.mathml import (
    MAX_PICTURE_CHARS,
    ParsedText,
    cleaned,
    last_part,
    tex_of_address,
    tex_of_math,
)
from quarkcrawl.page.tree.tags import HIDDEN_TAGS, VOID_TAGS

if TYPE_CHECKING:
    from quarkcrawl.page.tree.parse import Attributes

IntArray = NDArray[np.int32]
Places = NDArray[np.intp]

_PROGRAM: Final = re.compile(r"mathjax|katex|\btex-(?:mml-)?(?:chtml|svg)", re.IGNORECASE)
_SET_UP: Final = re.compile(r"MathJax\s*+=(?!=)|MathJax\.Hub\.Config|renderMathInElement")
_ATTRS: Final = frozenset(("alt", "class", "src"))
_ALT_STARTS: Final = ("$", "\\(", "\\[")
_IMAGE_CLASS: Final = re.compile(
    r"(?:^|\s)(?:tex|latex|latex[-_]?\w*|\w*[-_]latex|mwe-math-fallback-image-\w+|ql-img-\w+-formula|"
    r"math|mathimg|math-?image|formula|equation|eqn?|teximage)(?=\s|$)",
    re.IGNORECASE,
)
_SERVICE_SIGN: Final = "?tex="
_SOURCES: Final = frozenset(("data-tex", "data-latex"))
_MARKED_CLASSES: Final = frozenset(("math", "arithmatex"))
_PREFIX: Final = "mml:"
_MARKED: Final = re.compile(r"\$(?P<single>[^$]{1,4000})\$")
_NOTHING: Final = frozenset(("\\begingroup", "\\endgroup"))
_TEX_SIGN: Final = re.compile(r"[\\^_{}=+<>/]|^[A-Za-z0-9]$")
_WORDS: Final = re.compile(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}")
_SURE_SIGN: Final = re.compile(r"[_^={}&+<>\\]")
"""What prose about delimiters, or a text with two of them, does not have."""

_DELIMITED: Final = re.compile(r"\s*(?:\$.+\$|\\\(.+\\\)|\\\[.+\\\])\s*", re.DOTALL)
_FRAME_TAGS: Final = frozenset(("span", "div", "p"))
_FORMULA_CLASSES: Final = frozenset(("katex", "mwe-math-element"))
_FRAMES: Final = re.compile(
    r"(?:^|\s)(MathJax(?:_\w+)?|mjx-chtml|MJXc-display|MathJax_Preview)(?=\s|$)"
)
_RAW: Final = re.compile(
    r"\\\((?P<round>.{1,2000}?)\\\)|\\\[(?P<square>.{1,4000}?)\\\]|\$\$(?P<double>[^$]{1,4000})\$\$"
    r"|(?<![\\$\w])\$(?![\s$])(?P<single>[^$\n]{1,400}?)(?<![\s\\])\$(?![\w$])"
    r"|(?P<environment>\\begin\{(?P<name>(?:equation|eqnarray|(?:fl)?align|gather|multline)\*?)\}"
    r"(?:[^\\]|\\(?!(?:begin|end)\{(?P=name)\})){0,4000}\\end\{(?P=name)\})",
    re.DOTALL,
)
_RAW_SIGN: Final = ("\\(", "\\[", "$", "\\begin{")
_NO_TEX: Final = frozenset(
    ("pre", "code", "kbd", "samp", "tt", "textarea", "script", "style", "title", "xmp", "option")
)
_MAX_FORMULAS: Final = 20_000
_NEAR: Final = 4
"""So many elements of a formula are asked for its source."""


class FormulaText(NamedTuple):
    """The text of a page with its formulas as TeX.

    Args:
        runs: text runs.
        marks: as `quarkcrawl.page.tree.parse.Events.marks`, for these runs.
        is_formula: which runs are formulas.
        parsed_run: number of each run among those the parser found, -1 for those it did not.
    """

    runs: list[str]
    marks: IntArray
    is_formula: NDArray[np.bool_]
    parsed_run: IntArray


class _Formula(NamedTuple):
    node: int
    tex: str
    is_display: bool


class FormulaSigns(NamedTuple):
    """What of a page tells that it may have formulas; its text and classes may tell more.

    Args:
        has_elements: whether there are formulas as elements, scripts or pictures.
        has_program: whether a script is loaded that sets formulas in the text.
        has_marked: whether elements mark their text as TeX.
        scripts: scripts whose text may tell that they set formulas.
    """

    has_elements: bool
    has_program: bool
    has_marked: bool
    scripts: list[int]


def formula_signs(
    attrs: list[Attributes],
    scripts: Places,
    pictures: Places,
    *,
    has_math: bool,
    has_marked: bool = False,
) -> FormulaSigns:
    """Whether a page may have formulas; costs little.

    Args:
        attrs: attributes of each element.
        scripts: the ``script`` elements.
        pictures: the ``img`` elements.
        has_math: whether there are ``math`` elements or those of MathJax 3.
        has_marked: whether there are elements whose name says that their text is TeX.
    """
    programs, shown, inline = formula_hints(attrs, scripts, pictures)
    has_elements, has_program = has_math, False
    for node in programs:
        for name, value in attrs[node]:
            if name == "type" and value and value[:8].lower() == "math/tex":
                has_elements = True
            elif name == "src" and value:
                has_program = has_program or _PROGRAM.search(value) is not None
    has_elements = has_elements or any(
        value and (_SERVICE_SIGN in value or (name in _ATTRS and _is_sign(name, value)))
        for node in shown
        for name, value in attrs[node]
    )
    return FormulaSigns(has_elements, has_program, has_marked, inline)


def _is_sign(name: str, value: str) -> bool:
    """Whether an attribute of a picture may tell that it shows a formula."""
    if name == "class":
        return has_formula_name(value) and _IMAGE_CLASS.search(value) is not None
    if name == "alt":
        return value[0] in "$\\" and value.startswith(_ALT_STARTS)
    return "latex" in value or "LaTeX" in value


def text_with_formulas(
    page: ParsedText,
    marks: IntArray,
    run_node: IntArray,
    run_raw: NDArray[np.bool_],
    signs: FormulaSigns,
) -> FormulaText | None:
    """The text of a page with its formulas as TeX; None if it has none.

    Args:
        page: the parsed page.
        marks: one number per start and end of an element.
        run_node: the node that holds each run.
        run_raw: runs that are not shown.
        signs: what told that it may have some.
    """
    signs = _all_told(page, run_raw, signs)
    if not (signs.has_elements or signs.has_program or signs.has_marked):
        return None
    if signs.has_elements and f"{_PREFIX}math" in page.tags:
        page = page._replace(tags=[name.removeprefix(_PREFIX) for name in page.tags])
    finder = _Finder(page, run_raw)
    if signs.has_elements:
        finder.find()
    pieces: dict[int, list[tuple[str, bool]]] = {run: [] for run in finder.dropped}
    if signs.has_program or signs.has_marked:
        reader = _Delimited(page, run_node, run_raw, finder.dropped, in_all=signs.has_program)
        pieces |= reader.pieces()
    if not finder.formulas and not pieces:
        return None
    return _rewritten(page, marks, finder.formulas, pieces)


def _all_told(page: ParsedText, run_raw: NDArray[np.bool_], signs: FormulaSigns) -> FormulaSigns:
    """The signs with those of its scripts, its text and its classes."""
    has_elements, has_program, has_marked, scripts = signs
    for node in () if has_program else scripts:
        text = page.text(node)
        if ("MathJax" in text or "renderMathInElement" in text) and _SET_UP.search(text):
            has_program = True
            break
    shown = "".join(itertools.compress(page.runs, np.logical_not(run_raw).tobytes()))
    if "_" in shown or "$" in shown or "\\" in shown or "^" in shown:
        has_stated, may_mark = formula_names(page.attrs)
        has_elements = has_elements or has_stated
        has_marked = has_marked or may_mark
    return FormulaSigns(has_elements, has_program, has_marked, [])


class _Finder:
    """Finds the formulas, and the runs that they take the place of."""

    def __init__(self, page: ParsedText, run_raw: NDArray[np.bool_]) -> None:
        self._page, self._raw = page, run_raw
        self.formulas: list[_Formula] = []
        self.dropped: set[int] = set()
        self._frames: list[tuple[int, str, bool]] = []
        self._math = [node for node, name in enumerate(page.tags) if name == "math"]
        self._pictures = [node for node, name in enumerate(page.tags) if name == "img"]

    def find(self) -> None:
        """Look at each node once; what stands in a formula is not looked at."""
        page, node = self._page, 0
        while node < len(page.tags) and len(self.formulas) < _MAX_FORMULAS:
            node = int(page.end[node]) if self._take(node) else node + 1
        self._end_frames()

    def _take(self, node: int) -> bool:
        """Take a node if it is a formula, or part of one."""
        page, name = self._page, self._page.tags[node]
        if name == "script":
            return self._take_script(node)
        if name == "img":
            return self._take_picture(node)
        if name == "math":
            return self._add(node, tex_of_math(page, node), is_display=self._is_block(node))
        if name == "mjx-container":
            is_display = page.attr(node, "display") == "true"
            return self._add(node, self._inner(node), is_display=is_display)
        return name in _FRAME_TAGS and self._take_frame(node)

    def _take_frame(self, node: int) -> bool:
        """Take an element whose class says that it shows a formula."""
        kind = self._page.attr(node, "class")
        if self._page.tags[node] == "span" and (tex := self._stated(node)):
            is_told = "math" in kind or _TEX_SIGN.search(tex) is not None
            if is_told and self._add(node, tex, is_display="display" in kind):
                return True
        if "katex" in kind or "mwe-" in kind:
            if _FORMULA_CLASSES.isdisjoint(kind.split()):
                return False
            return self._add(node, self._inner(node), is_display=self._is_block(node))
        if "M" not in kind or not _FRAMES.search(kind):
            return False
        self._frames.append((node, self._inner(node), "isplay" in kind))
        return True

    def _take_script(self, node: int) -> bool:
        kind = self._page.attr(node, "type").lower()
        if not kind.startswith("math/tex"):
            return False
        while self._frames and not self._has_ink(
            int(self._page.run_end[self._frames[-1][0]]), node
        ):
            frame = self._frames.pop()[0]
            self._drop(frame)
        return self._add(node, cleaned(self._page.text(node)), is_display="display" in kind)

    def _take_picture(self, node: int) -> bool:
        page = self._page
        alt, kind = page.attr(node, "alt"), page.attr(node, "class")
        if len(alt) > MAX_PICTURE_CHARS:
            return False
        is_told = _DELIMITED.fullmatch(alt) is not None
        has_sign = _TEX_SIGN.search(alt.strip(" $")) is not None
        address_tex = tex_of_address(page.attrs[node])
        is_named = _IMAGE_CLASS.search(kind) is not None
        is_made = "latex" in page.attr(node, "src").lower() and "\\" in alt
        is_tex = is_made or (is_named and is_told)
        is_tex = is_tex or (has_sign and (is_told or is_named or bool(address_tex)))
        tex = cleaned(alt) if is_tex else address_tex
        return self._add(node, tex, is_display="display" in kind)

    def _inner(self, node: int) -> str:
        """TeX of the formula that an element around it shows, "" if none is told."""
        page = self._page
        math = self._first(self._math, node)
        if math >= 0 and (tex := tex_of_math(page, math)):
            return tex
        for inner in range(node, min(node + _NEAR, int(page.end[node]))):
            if tex := self._stated(inner):
                return tex
            if "katex-mathml" in page.attr(inner, "class"):
                return last_part(page.text(inner))
        picture = self._first(self._pictures, node) if page.tags[node] == "span" else -1
        return cleaned(page.attr(picture, "alt")) if picture >= 0 else ""

    def _stated(self, node: int) -> str:
        """TeX that the attributes of an element state."""
        return next(
            (
                cleaned(value)
                for name, value in self._page.attrs[node]
                if value and name in _SOURCES
            ),
            "",
        )

    def _first(self, nodes: list[int], node: int) -> int:
        """The first of some nodes that a node is or holds, -1 if there is none."""
        place = bisect_left(nodes, node)
        is_inside = place < len(nodes) and nodes[place] < self._page.end[node]
        return nodes[place] if is_inside else -1

    def _is_block(self, node: int) -> bool:
        """Whether a formula stands on a line of its own."""
        page = self._page
        math = self._first(self._math, node)
        if math >= 0 and page.attr(math, "display") == "block":
            return True
        around = node - 1 if node and page.end[node - 1] >= page.end[node] else node
        kind = page.attr(around, "class")
        return "katex-display" in kind or "katex--display" in kind

    def _add(self, node: int, tex: str, *, is_display: bool) -> bool:
        """Put a formula in the place of a node; one without TeX stays as it is."""
        if not tex:
            return False
        self._end_frames()
        last = self.formulas[-1] if self.formulas else None
        self._drop(node)
        if (
            last is not None
            and _bare(last.tex) == _bare(tex)
            and self._page.tags[last.node] != self._page.tags[node]
            and not self._has_ink(int(self._page.run_end[last.node]), node)
        ):
            return True  # the same formula for other eyes
        self.formulas.append(_Formula(node, tex, is_display))
        return True

    def _end_frames(self) -> None:
        """Formulas that MathJax has set, and of which no script tells the source."""
        frames, self._frames = self._frames, []
        for node, tex, is_display in frames:
            if tex:
                self._add(node, tex, is_display=is_display)

    def _drop(self, node: int) -> None:
        page = self._page
        self.dropped.update(range(int(page.run_start[node]), int(page.run_end[node])))

    def _has_ink(self, start: int, node: int) -> bool:
        page = self._page
        runs = range(start, min(int(page.run_start[node]), start + 50))
        return any(
            page.runs[run].strip() and not self._raw[run] and run not in self.dropped
            for run in runs
        )


def _bare(tex: str) -> str:
    return re.sub(r"[\s{}]", "", tex)


class _Delimited:
    """Cuts runs at the TeX between delimiters that a script would set in them.

    Args:
        page: the parsed page.
        run_node: the node that holds each run.
        run_raw: runs that are not shown.
        dropped: runs that are part of a formula.
        in_all: whether all elements have such TeX, not only those marked.
    """

    def __init__(
        self,
        page: ParsedText,
        run_node: IntArray,
        run_raw: NDArray[np.bool_],
        dropped: set[int],
        *,
        in_all: bool,
    ) -> None:
        self._page, self._node, self._in_all = page, run_node, in_all
        self._has_none = run_raw.copy()
        self._has_none[list(dropped)] = True
        node = 0
        while node < len(page.tags):
            is_outside = page.tags[node] not in _NO_TEX
            if not is_outside:
                self._has_none[page.run_start[node] : page.run_end[node]] = True
            node = node + 1 if is_outside else int(page.end[node])

    def pieces(self) -> dict[int, list[tuple[str, bool]]]:
        """Pieces of the runs that have formulas, and whether they are one."""
        pieces: dict[int, list[tuple[str, bool]]] = {}
        runs = self._page.runs
        run = 0
        while run < len(runs):
            first, run = run, run + 1
            if self._has_none[first] or not any(sign in runs[first] for sign in _RAW_SIGN):
                continue
            node = int(self._node[first])
            is_marked = self._is_marked(node)
            if not (self._in_all or is_marked):
                continue
            while run < len(runs) and self._is_broken_line(run, node):
                run += 1
            pieces |= _pieces_of_lines(first, runs[first:run], is_marked=is_marked)
        return pieces

    def _is_marked(self, node: int) -> bool:
        page = self._page
        if page.tags[node] not in _FRAME_TAGS:
            return page.tags[node] == "math-renderer"
        return not _MARKED_CLASSES.isdisjoint(page.attr(node, "class").split())

    def _is_broken_line(self, run: int, node: int) -> bool:
        """Whether only line breaks part a run from the one before it."""
        if self._node[run] != node:
            return False
        starts = self._page.run_start
        between = range(*np.searchsorted(starts, (run, run + 1)).tolist())
        return bool(between) and all(self._page.tags[inner] == "br" for inner in between)


def _pieces_of_lines(
    first: int, lines: list[str], *, is_marked: bool
) -> dict[int, list[tuple[str, bool]]]:
    """Pieces of runs parted by line breaks; a formula stands where it starts."""
    text = "\n".join(lines)
    formulas = _marked_formula(text) if is_marked else []
    formulas = formulas or _delimited_formulas(text)
    if not formulas:
        return {}
    pieces: dict[int, list[tuple[str, bool]]] = {}
    start = done = number = 0
    for run, line in enumerate(lines, first):
        parts: list[tuple[str, bool]] = []
        end = start + len(line)
        while number < len(formulas) and formulas[number][0] < end:
            begin, behind, tex = formulas[number]
            parts += ((text[max(done, start) : begin], False), (tex, True))
            done = behind
            number += 1
        parts.append((text[max(done, start) : end], False))
        pieces[run] = [(piece, is_formula) for piece, is_formula in parts if piece]
        start = end + 1
    return pieces


def _marked_formula(text: str) -> list[tuple[int, int, str]]:
    """All text of an element that marks it as TeX, if it is between dollar signs."""
    match = _MARKED.fullmatch(text.strip())
    tex = cleaned(match["single"]) if match else ""
    return [(0, len(text), f"${tex}$")] if tex else []


def _delimited_formulas(text: str) -> list[tuple[int, int, str]]:
    """Where formulas between delimiters start and end, and their TeX."""
    formulas: list[tuple[int, int, str]] = []
    for match in itertools.islice(_RAW.finditer(text), _MAX_FORMULAS):
        kind = match.lastgroup or ""
        tex = cleaned(match[kind])
        if not tex or (kind == "single" and not _TEX_SIGN.search(tex)):
            continue
        body = tex.partition("}")[2].rpartition("\\end")[0] if kind == "environment" else tex
        is_long = body is not tex or "\n" in match[0]
        if is_long and _WORDS.search(body) and not _SURE_SIGN.search(body):
            continue
        sign = "$" if kind in ("round", "single") else "$$"
        formulas.append((*match.span(), "" if tex in _NOTHING else f"{sign}{tex}{sign}"))
    return formulas


def _rewritten(
    page: ParsedText,
    marks: IntArray,
    formulas: list[_Formula],
    pieces: dict[int, list[tuple[str, bool]]],
) -> FormulaText:
    """Text and marks with other runs; formulas stand in their nodes, or before hidden ones."""
    starts = (marks >= 0).nonzero()[0]
    at_mark = np.zeros(len(marks) + 1, np.int64)
    inserted: dict[int, list[str]] = {}
    for formula in formulas:
        name = page.tags[formula.node]
        is_outside = name in HIDDEN_TAGS or name in VOID_TAGS
        at_mark[starts[formula.node] + (0 if is_outside else 1)] += 1
        sign = "$$" if formula.is_display else "$"
        texts = inserted.setdefault(int(page.run_start[formula.node]), [])
        texts.append(f"{sign}{formula.tex}{sign}")
    runs: list[str] = []
    kinds: list[bool] = []
    numbers: list[int] = []
    before = np.zeros(len(page.runs) + 1, np.int64)
    n_kept = 0
    for run in range(len(page.runs) + 1):
        for text in inserted.get(run, ()):
            runs.append(text)
            kinds.append(True)
            numbers.append(-1)
        before[run] = n_kept
        if run == len(page.runs):
            break
        parts = pieces.get(run)
        if parts is None:
            runs.append(page.runs[run])
            kinds.append(False)
            numbers.append(run)
            n_kept += 1
            continue
        for text, is_formula in parts:
            runs.append(text)
            kinds.append(is_formula)
            numbers.append(-1)
        n_kept += len(parts)
    old = np.where(marks >= 0, marks, ~marks)
    new = before[old] + np.cumsum(at_mark[:-1])
    written = np.where(marks >= 0, new, ~new).astype(np.int32)
    return FormulaText(runs, written, np.array(kinds, np.bool_), np.array(numbers, np.int32))
