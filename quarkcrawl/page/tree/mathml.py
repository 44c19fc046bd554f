"""TeX as pages state it, and MathML as TeX: its annotation, or else what the elements mean."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote, unquote_plus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from quarkcrawl.page.tree.parse import Attributes


class ParsedText(NamedTuple):
    """A parsed page, as far as formulas are sought in it.

    Args:
        tags: name of each element.
        attrs: attributes of each element.
        runs: text runs.
        end: one past the last node of each node's subtree.
        run_start: first run of each node.
        run_end: one past its last run.
    """

    tags: list[str]
    attrs: list[Attributes]
    runs: list[str]
    end: NDArray[np.int32]
    run_start: NDArray[np.int32]
    run_end: NDArray[np.int32]

    def attr(self, node: int, name: str) -> str:
        """An attribute, "" if it is absent."""
        return next((value or "" for key, value in self.attrs[node] if key == name), "")

    def text(self, node: int) -> str:
        """All text of an element."""
        return "".join(self.runs[self.run_start[node] : self.run_end[node]])

    def children(self, node: int) -> Iterator[int]:
        """Child elements."""
        child, end = node + 1, int(self.end[node])
        while child < end:
            yield child
            child = int(self.end[child])


MAX_DEPTH: Final = 60
_MAX_NODES: Final = 5_000
MAX_TEX_CHARS: Final = 20_000
MAX_PICTURE_CHARS: Final = 4_000
_SERVICE: Final = re.compile(
    r"(?:equation|latex)(?:\.\w{1,10})?\?(?:tex|latex)=(?P<field>[^&#]+)"
    r"|codecogs\.com/[\w.]{1,20}\?(?:latex=)?(?P<query>.+)",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN_WORDS: Final = re.compile(r"[a-zA-Z ]{4,}")
"""What is no TeX: a picture of latex gloves has such an address, too."""

_SERVICE_STYLE: Final = re.compile(
    r"(?:\\(?:inline|dpi\s?\{\d{1,4}\}|(?:bg|fn)_[a-z]{1,20}|[lL]arge|[hH]uge|small|tiny)(?![a-zA-Z])\s*)+"
)
_WRAPPER: Final = re.compile(r"\{\\(?:display|text)style\s(.*)\}", re.DOTALL)
_CDATA: Final = re.compile(r"%[ \t]{0,9}(?:<!\[CDATA\[|\]\]>)")
_COMMENT: Final = re.compile(r"\\.|%.*")
_DELIMITED: Final = (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$", "$"))
_NAMED: Final = """
    α=alpha β=beta γ=gamma δ=delta ε=varepsilon ϵ=epsilon ζ=zeta η=eta θ=theta ϑ=vartheta ι=iota
    κ=kappa λ=lambda μ=mu ν=nu ξ=xi π=pi ρ=rho σ=sigma ς=varsigma τ=tau υ=upsilon φ=varphi ϕ=phi
    χ=chi ψ=psi ω=omega Γ=Gamma Δ=Delta Θ=Theta Λ=Lambda Ξ=Xi Π=Pi Σ=Sigma Υ=Upsilon Φ=Phi Ψ=Psi
    Ω=Omega ∑=sum ∏=prod ∐=coprod ∫=int ∬=iint ∭=iiint ∮=oint ∂=partial ∇=nabla ∞=infty ±=pm ∓=mp
    ×=times ÷=div ⋅=cdot ·=cdot ∗=ast ∘=circ ∙=bullet ≤=le ⩽=leqslant ≥=ge ⩾=geqslant ≠=ne ≈=approx
    ≡=equiv ∼=sim ≃=simeq ≅=cong ∝=propto ≪=ll ≫=gg ≺=prec ≻=succ ∈=in ∉=notin ∋=ni ⊂=subset
    ⊃=supset ⊆=subseteq ⊇=supseteq ∪=cup ∩=cap ∖=setminus ∅=emptyset ∀=forall ∃=exists ∄=nexists
    ¬=neg ∧=land ∨=lor ⊕=oplus ⊗=otimes ⊙=odot ⊥=perp ∥=parallel ∣=mid ∠=angle →=to ←=leftarrow
    ↔=leftrightarrow ⇒=Rightarrow ⇐=Leftarrow ⇔=Leftrightarrow ⟶=longrightarrow ⟹=Longrightarrow
    ⟺=Longleftrightarrow ↦=mapsto ↑=uparrow ↓=downarrow …=ldots ⋯=cdots ⋮=vdots ⋱=ddots ⟨=langle
    ⟩=rangle ⌊=lfloor ⌋=rfloor ⌈=lceil ⌉=rceil ‖=Vert ℏ=hbar ℓ=ell ℜ=Re ℑ=Im ℵ=aleph ′=prime
    °=circ √=surd △=triangle □=square ⊢=vdash ⊨=models ≜=triangleq †=dagger ★=star ⋆=star
"""
_SYMBOLS: Final = dict(pair.split("=", 1) for pair in _NAMED.split())
_BLACKBOARD: Final = {"ℝ": "R", "ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℂ": "C", "ℙ": "P", "𝔼": "E"}
_SIGNS: Final = {"−": "-", "∕": "/", "\xa0": " ", **dict.fromkeys("\u2061\u2062\u2063\u2064", "")}
_ACCENTS: Final = {
    "^": "hat", "ˆ": "hat", "¯": "bar", "‾": "bar", "―": "overline", "→": "vec", "⃗": "vec",
    "~": "tilde", "˜": "tilde", "˙": "dot", ".": "dot", "¨": "ddot", "⏞": "overbrace",
    "ˇ": "check", "˘": "breve",
}  # fmt: skip
_UNDER: Final = {"⏟": "underbrace", "_": "underline", "¯": "underline", "―": "underline"}
_WORDS: Final = """
    sin cos tan cot sec csc log ln exp lim max min sup inf det dim ker deg gcd arg sinh cosh tanh
    arcsin arccos arctan limsup liminf Pr hom
"""
_FUNCTIONS: Final = frozenset(_WORDS.split())
_FONTS: Final = {
    "double-struck": "mathbb", "bold": "mathbf", "script": "mathcal", "fraktur": "mathfrak",
    "sans-serif": "mathsf", "monospace": "mathtt", "bold-italic": "boldsymbol",
}  # fmt: skip
_SPECIAL: Final = re.compile(r"[{}%#&$_]")
_LETTERS: Final = re.compile(r"[^\W_]+(?:[ '’′*-][^\W_]+)*['’′*]*|\W")
_NUMBER: Final = re.compile(r"[^<>&$\\]+")
_ENDS_NAMED: Final = re.compile(r"\\[a-zA-Z]+$")
_LONE: Final = re.compile(r"\\[a-zA-Z]+|[^\s\\]")


def cleaned(tex: str) -> str:
    """TeX in one line, without delimiters and without what only sets the style of all of it."""
    tex = html.unescape(tex)
    if "%" in tex:
        tex = _without_comments(tex)
    tex = " ".join(tex.split())
    for opening, closing in _DELIMITED:
        if tex.startswith(opening) and tex.endswith(closing) and len(tex) > len(opening + closing):
            tex = tex[len(opening) : -len(closing)].strip()
            break
    wrapped = _WRAPPER.fullmatch(tex)
    if wrapped and _is_balanced(wrapped[1]):
        tex = wrapped[1].strip()
    return tex.strip() if len(tex) <= MAX_TEX_CHARS else ""


def _without_comments(tex: str) -> str:
    """TeX of several lines without comments, which would swallow what is joined to them.

    One line is left as it is: there, a percent sign that is not escaped is mostly meant as one.
    """
    tex = _CDATA.sub("\n", tex).strip()
    if "\n" not in tex:
        return tex
    return _COMMENT.sub(lambda match: match[0] if match[0][0] == "\\" else "", tex)


def _is_balanced(tex: str) -> bool:
    depth = 0
    for match in re.finditer(r"\\.|[{}]", tex):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth < 0:
            return False
    return depth == 0


def tex_of_address(attrs: Attributes) -> str:
    """TeX in the address of a picture that a service draws from it, "" in any other."""
    for name, value in attrs:
        if not value or not name.endswith("src") or len(value) > MAX_PICTURE_CHARS:
            continue
        match = _SERVICE.search(value)
        if match is None:
            continue
        if field := match["field"]:
            tex = cleaned(unquote_plus(field))
            return "" if _PLAIN_WORDS.fullmatch(tex) else tex
        tex = html.unescape(unquote(match["query"])).replace("&space;", " ")
        return cleaned(_SERVICE_STYLE.sub("", tex))
    return ""


def last_part(text: str) -> str:
    """TeX behind the lines of what was MathML; "" for one line, where none is told apart."""
    lines = text.strip().splitlines() if len(text) <= 4 * MAX_TEX_CHARS else []
    if not lines[1:]:
        return ""
    blank = max(
        (number for number, line in enumerate(lines) if not line.strip()), default=len(lines) - 2
    )
    return cleaned("\n".join(lines[blank + 1 :]))


def tex_of_math(page: ParsedText, node: int) -> str:
    """TeX of a ``math`` element, "" if none can be told."""
    for inner in range(node + 1, min(int(page.end[node]), node + _MAX_NODES)):
        if page.tags[inner] == "annotation" and "tex" in page.attr(inner, "encoding").lower():
            return cleaned(page.text(inner))
    for name in ("alttext", "data-latex", "data-tex"):
        if stated := page.attr(node, name):
            return cleaned(stated)
    try:
        return " ".join(_Converter(page).row(node, 0).split())[:MAX_TEX_CHARS]
    except _UnknownError:
        return ""


class _UnknownError(Exception):
    """MathML that is none, or that means nothing we know."""


class _Converter:
    """From elements to TeX, as MathJax and KaTeX write the elements."""

    def __init__(self, page: ParsedText) -> None:
        self._page = page

    def row(self, node: int, depth: int) -> str:
        """TeX of all children, one behind the other."""
        page = self._page
        children = list(page.children(node))
        start = int(page.run_start[node])
        for child in [*children, None]:  # text between elements is no MathML
            stop = int(page.run_end[node] if child is None else page.run_start[child])
            if "".join(page.runs[start:stop]).strip():
                raise _UnknownError
            start = stop if child is None else int(page.run_end[child])
        out = ""
        for child in children:
            out = _joined(out, self._tex(child, depth + 1))
        return out

    def _tex(self, node: int, depth: int) -> str:
        name = self._page.tags[node]
        if depth > MAX_DEPTH:
            raise _UnknownError
        if name in _TOKENS:
            return _TOKENS[name](self._page, node)
        if name in _BLANK:
            return _BLANK[name]
        if name == "semantics":
            first = next(self._page.children(node), None)
            return "" if first is None else self._tex(first, depth + 1)
        if name in _ROWS:
            opening, closing = _ROWS[name]
            return opening + self.row(node, depth) + closing
        return self._laid_out(name, node, depth)

    def _laid_out(self, name: str, node: int, depth: int) -> str:
        if name in ("mtable", "mfenced"):
            return self._table(node, depth) if name == "mtable" else self._fenced(node, depth)
        parts = [self._tex(child, depth + 1).strip() for child in self._page.children(node)]
        if name not in _LAYOUTS or len(parts) != _LAYOUTS[name]:
            raise _UnknownError
        if name == "mfrac":
            is_bare = self._page.attr(node, "linethickness") in ("0", "0px", "0pt")
            return f"\\{'binom' if is_bare else 'frac'}{{{parts[0]}}}{{{parts[1]}}}"
        if name == "mroot":
            return f"\\sqrt[{parts[1]}]{{{parts[0]}}}"
        return self._accented(name, node, parts) or _with_scripts(name, parts)

    def _accented(self, name: str, node: int, parts: list[str]) -> str:
        """A base under or over an accent or brace, "" for anything else."""
        signs = {"mover": _ACCENTS, "munder": _UNDER}.get(name)
        second = [self._page.text(child).strip() for child in self._page.children(node)][1]
        return f"\\{signs[second]}{{{parts[0]}}}" if signs and second in signs else ""

    def _table(self, node: int, depth: int) -> str:
        rows = []
        for row in self._page.children(node):
            if self._page.tags[row] not in ("mtr", "mlabeledtr"):
                raise _UnknownError
            cells = (self._tex(cell, depth + 2).strip() for cell in self._page.children(row))
            rows.append(" & ".join(cells))
        return "\\begin{matrix}" + " \\\\ ".join(rows) + "\\end{matrix}"

    def _fenced(self, node: int, depth: int) -> str:
        opening, closing = (self._page.attr(node, name) for name in ("open", "close"))
        inner = ", ".join(self._tex(child, depth + 1) for child in self._page.children(node))
        return f"\\left{opening or '('}{inner}\\right{closing or ')'}"


def _joined(left: str, right: str) -> str:
    """Two pieces; a command is parted from a letter behind it."""
    if left and right and right[0].isalpha() and _ENDS_NAMED.search(left):
        return f"{left} {right}"
    return left + right


def _with_scripts(name: str, parts: list[str]) -> str:
    base, second = _base(parts[0]), parts[1]
    if name in ("msub", "munder"):
        return f"{base}_{_argument(second)}"
    if name in ("msubsup", "munderover"):
        return f"{base}_{_argument(second)}^{_argument(parts[2])}"
    is_prime = bool(second) and not second.replace("\\prime", "").strip()
    return base + ("'" * second.count("\\prime") if is_prime else f"^{_argument(second)}")


def _base(tex: str) -> str:
    is_one = _LONE.fullmatch(tex) or re.fullmatch(r"\\[a-z]+\{[^{}]*\}|\d+", tex)
    return tex if is_one else f"{{{tex}}}"


def _argument(tex: str) -> str:
    return tex if len(tex) == 1 and tex not in "\\'" else f"{{{tex}}}"


def _char(char: str) -> str:
    if char in _SYMBOLS:
        return "\\" + _SYMBOLS[char]
    if char in _BLACKBOARD:
        return f"\\mathbb{{{_BLACKBOARD[char]}}}"
    return _SIGNS.get(char, char)


def _chars(text: str) -> str:
    out = ""
    for char in text:
        out = _joined(out, _char(char))
    return out


def _identifier(page: ParsedText, node: int) -> str:
    text = page.text(node).strip()
    if text and not _LETTERS.fullmatch(text):
        raise _UnknownError
    if text in _FUNCTIONS:
        return f"\\{text} "
    font = _FONTS.get(page.attr(node, "mathvariant"))
    tex = _chars(text)
    if font:
        return f"\\{font}{{{tex}}}"
    return tex if len(text) <= 1 or tex.startswith("\\") else f"\\mathrm{{{tex}}}"


def _number(page: ParsedText, node: int) -> str:
    text = page.text(node).strip()
    if text and not _NUMBER.fullmatch(text):
        raise _UnknownError
    return _chars(text)


def _operator(page: ParsedText, node: int) -> str:
    text = page.text(node).strip()
    if text in _FUNCTIONS:
        return f"\\{text} "
    if "\\" in text:
        return text.replace("\\", "\\backslash ")
    return _SPECIAL.sub(r"\\\g<0>", _chars(text)) if "\\" not in _chars(text) else _chars(text)


def _words(page: ParsedText, node: int) -> str:
    text = page.text(node).replace("\xa0", " ")
    return (
        f"\\text{{{_SPECIAL.sub(lambda match: chr(92) + match[0], text)}}}" if text.strip() else " "
    )


_TOKENS: Final[dict[str, Callable[[ParsedText, int], str]]] = {
    "mi": _identifier, "mn": _number, "mo": _operator, "mtext": _words, "ms": _words,
}  # fmt: skip
_BLANK: Final = {
    **dict.fromkeys(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"), ""),
}
_ROWS: Final = {
    "msqrt": ("\\sqrt{", "}"),
    "menclose": ("\\boxed{", "}"),
    # With a prefix, HTML does not end it by a slash, and it holds what follows.
    "mspace": (" ", ""),
    **dict.fromkeys(("mrow", "mstyle", "mpadded", "merror", "maction", "mtd", "math"), ("", "")),
}
_LAYOUTS: Final = {
    "mfrac": 2, "mroot": 2, "msup": 2, "msub": 2, "msubsup": 3, "mover": 2, "munder": 2,
    "munderover": 3,
}  # fmt: skip
