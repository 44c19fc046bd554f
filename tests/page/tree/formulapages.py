"""Pages of our own with formulas, in the notations that pages have."""

from __future__ import annotations

import html
from typing import Final, NamedTuple

from quarkcrawl.page import PageTree


class FormulaPage(NamedTuple):
    """A page and the formula that it shows."""

    name: str
    html: str
    tex: str


_X2: Final = "<msup><mi>x</mi><mn>2</mn></msup>"
FORMULAS: Final = {
    "square": (_X2, "x^2", "x<sup>2</sup>"),
    "root": (
        f"<msqrt><mrow>{_X2}<mo>+</mo><mn>1</mn></mrow></msqrt>",
        r"\sqrt{x^2+1}",
        "√x2+1",
    ),
    "fraction": ("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>−</mo><mn>1</mn></mrow></mfrac>", r"\frac{a}{b-1}", "a b−1"),
    "sum": (
        "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>a</mi><mi>i</mi></msub>",
        r"\sum_{i=1}^na_i",
        "∑i=1nai",
    ),
    "less": ("<mi>a</mi><mo>&lt;</mo><mi>b</mi><mo>≤</mo><mi>π</mi>", r"a<b\le\pi", "a&lt;b≤π"),
    "set": (
        "<mo>{</mo><mi>x</mi><mo>∈</mo><mi>ℝ</mi><mo>}</mo>",
        r"\{x\in\mathbb{R}\}",
        "{x∈R}",
    ),
}  # fmt: skip


def _annotated(inner: str, tex: str, attrs: str = "") -> str:
    return (
        f"<math xmlns='http://www.w3.org/1998/Math/MathML'{attrs}><semantics><mrow>{inner}</mrow>"
        f"<annotation encoding='application/x-tex'>{html.escape(tex)}</annotation></semantics></math>"
    )


def _katex(inner: str, tex: str, drawn: str) -> str:
    return (
        f"<span class='katex'><span class='katex-mathml'>{_annotated(inner, tex)}</span>"
        f"<span class='katex-html' aria-hidden='true'><span class='base'>{drawn}</span></span></span>"
    )


def _frame(inner: str, drawn: str) -> str:
    return (
        "<span class='MathJax_Preview'>preview</span><span class='MathJax' id='MathJax-Element-1-Frame' "
        f"role='presentation'><nobr aria-hidden='true'><span class='math'>{drawn}</span></nobr>"
        f"<span class='MJX_Assistive_MathML' role='presentation'><math>{inner}</math></span></span>"
    )


def _container(inner: str, drawn: str, attrs: str = "") -> str:
    return (
        f"<mjx-container class='MathJax' jax='CHTML'{attrs}><mjx-math aria-hidden='true'><mjx-mi>{drawn}</mjx-mi>"
        "</mjx-math><mjx-assistive-mml unselectable='on' display='inline'>"
        f"<math xmlns='http://www.w3.org/1998/Math/MathML'>{inner}</math></mjx-assistive-mml></mjx-container>"
    )


def _notations(inner: str, tex: str, drawn: str) -> dict[str, str]:
    text = html.escape(tex)
    return {
        "annotation": _annotated(inner, tex),
        "block": _annotated(inner, tex, " display='block'"),
        "katex": _katex(inner, tex, drawn),
        "katex-display": f"<span class='katex-display'>{_katex(inner, tex, drawn)}</span>",
        "script": f"<script type='math/tex'>{tex}</script>",
        "mathjax2": f"{_frame(inner, drawn)}<script type='math/tex' id='MathJax-Element-1'>{tex}</script>",
        "mathjax2-display": f"<span class='MathJax_Display'>{_frame(inner, drawn)}</span>"
        f"<script type='math/tex; mode=display'>{tex}</script>",
        "mathjax3": _container(inner, drawn),
        "mathjax3-display": _container(inner, drawn, " display='true'"),
        "wiki": "<span class='mwe-math-element'><span class='mwe-math-mathml-inline' style='display: none;'>"
        + _annotated(inner, r"{\displaystyle " + tex + "}")
        + f"</span><img src='a.svg' class='mwe-math-fallback-image-inline' alt='{{\\displaystyle {text}}}'></span>",
        "picture": f"<img class='tex' src='a.png' alt='{text}'>",
        "picture-latex": f"<img class='latex' src='a.png' alt='${text}$'>",
        "source": f"<script src='MathJax.js'></script>\\({text}\\)",
    }


_BACKGROUND: Final = "&amp;bg=ffffff&amp;fg=000000"
_KATEX_TEXT: Final = (
    "<span class='katex--{}'><span class='katex'><span class='katex-mathml'>\n x\n 2\n \n {}\n </span>"
    "<span class='katex-html'><span class='base'>x2</span></span></span></span>"
)
_MML: Final = "<mml:math xmlns:mml='http://www.w3.org/1998/Math/MathML'>{}</mml:math>"
OTHER_NOTATIONS: Final = {
    "data-tex": ("<span class='ztext-math' data-eeimg='1' data-tex='x^2'>x^2</span>", "$x^2$"),
    "data-tex-drawn": (
        "<span class='ztext-math' data-tex='x^2'><b>preview</b><script type='math/tex'>x^2</script></span>",
        "$x^2$",
    ),
    "address-alt": (
        r"<img src='https://www.zhihu.com/equation?tex=%5Calpha_1' alt='\alpha_1' eeimg='1'>",
        r"$\alpha_1$",
    ),
    "address": (
        "<img src='https://www.zhihu.com/equation?tex=%5Calpha_1+%2B+b' alt='[公式]' eeimg='1'>",
        r"$\alpha_1 + b$",
    ),
    "address-lazy": (
        "<img src='data:image/gif;base64,R0' data-src='//a.example/equation?tex=a%3Db'>",
        "$a=b$",
    ),
    "address-php": (
        f"<img src='https://s0.wp.com/latex.php?latex=x%5E2+%2B+1{_BACKGROUND}'>",
        "$x^2 + 1$",
    ),
    "codecogs-alt": ("<img src='https://latex.codecogs.com/svg.latex?x%5E2' alt='x^2'>", "$x^2$"),
    "codecogs": (
        r"<img src='https://latex.codecogs.com/gif.latex?\dpi{120}&space;\large&space;\frac{a}{b}&plus;1'>",
        r"$\frac{a}{b}+1$",
    ),
    "katex-text": (_KATEX_TEXT.format("inline", "x^2"), "$x^2$"),
    "katex-text-display": (_KATEX_TEXT.format("display", "x^2"), "$$x^2$$"),
    "katex-text-lines": (_KATEX_TEXT.format("inline", "x\n ^2"), "$x ^2$"),
    "math-renderer": (
        "<math-renderer class='js-inline-math'>$x_1*y*z$</math-renderer>",
        "$x_1*y*z$",
    ),
    "math-renderer-display": ("<math-renderer>$$x_1$$</math-renderer>", "$$x_1$$"),
    "math-renderer-word": ("<math-renderer>$ab$</math-renderer>", "$ab$"),
    "arithmatex": (r"<span class='arithmatex'>\(x_1\)</span>", "$x_1$"),
    "arithmatex-display": (r"<span class='arithmatex'>\[x_1\]</span>", "$$x_1$$"),
    "pandoc": ("<span class='math inline'>\\(x_1\n+ y\\)</span>", "$x_1 + y$"),
    "pandoc-display": (r"<span class='math display'>\[x_1\]</span>", "$$x_1$$"),
    "pandoc-dollars": ("<span class='math inline'>$ab$</span>", "$ab$"),
    "sphinx": (r"<span class='math notranslate nohighlight'>\(x_1\)</span>", "$x_1$"),
    "cdata": ("<script type='math/tex'>% <![CDATA[\na < b %]]></script>", "$a < b$"),
    "cdata-line": ("<script type='math/tex'>% <![CDATA[ a < b %]]></script>", "$a < b$"),
    "comment": (
        "<script type='math/tex'>a % preview\n + 5\\% \\\\% preview\n b</script>",
        r"$a + 5\% \\ b$",
    ),
    "percent": (r"<script type='math/tex'>a = 5%</script>", "$a = 5%$"),
    "prefix": (_MML.format("<mml:mi>x</mml:mi><mml:mo>=</mml:mo><mml:mn>1</mml:mn>"), "$x=1$"),
    "prefix-space": (_MML.format("<mml:mi>x</mml:mi><mml:mspace/><mml:mn>1</mml:mn>"), "$x 1$"),
}
"""Notations, and what each gives."""

PROGRAMS: Final = (
    "<script>window.MathJax = {tex: {inlineMath: [['$', '$']]}};</script>",
    "<script type='text/x-mathjax-config'>MathJax.Hub.Config({});</script>",
    "<script>window.onload = () => renderMathInElement(document.body);</script>",
    "<script src='/js/tex-mml-chtml.js'></script>",
    "<script src='/js/tex-chtml-full.js?v=1'></script>",
    "<script async src='/js/tex-svg.js'></script>",
)
"""Scripts that set the TeX between delimiters."""

DELIMITED: Final = {
    "round": (r"\(x_1*y*z\)", "$x_1*y*z$"),
    "equation": (
        "\\begin{equation}\nx_1\n\\end{equation}",
        r"$$\begin{equation} x_1 \end{equation}$$",
    ),
    "align": (
        r"\begin{align*}a &amp;= b\\ c&amp;=\begin{matrix}1\end{matrix}\end{align*}",
        r"$$\begin{align*}a &= b\\ c&=\begin{matrix}1\end{matrix}\end{align*}$$",
    ),
    "eqnarray": (r"\begin{eqnarray}a\end{eqnarray}", r"$$\begin{eqnarray}a\end{eqnarray}$$"),
    "gather": (r"\begin{gather}a\end{gather}", r"$$\begin{gather}a\end{gather}$$"),
    "multline": (r"\begin{multline}a\end{multline}", r"$$\begin{multline}a\end{multline}$$"),
}
"""TeX between delimiters, and what each gives."""


def around(markup: str, head: str = "") -> str:
    """An article with a formula in it."""
    return (
        f"<title>读书会</title>{head}<article><h1>读书会</h1><p>周六下午我们在湖边读书，请大家自带书和水。</p>"
        f"<p>这里的公式是 {markup} ，下面解释它为什么成立，以及怎样使用它。</p>"
        "<p>如果下雨就改到图书馆三楼，时间不变，请大家互相转告。</p></article>"
    )


def formula_pages() -> list[FormulaPage]:
    """All formulas in all notations, within the text of an article."""
    pages = []
    for formula, (inner, tex, drawn) in FORMULAS.items():
        for notation, markup in _notations(inner, tex, drawn).items():
            pages.append(FormulaPage(f"{formula}-{notation}", around(markup), tex))
    return pages


def formulas_of(tree: PageTree) -> list[str]:
    """The formulas of a page, with their signs."""
    mask = tree.run_formula
    return (
        [] if mask is None else [run for run, is_one in zip(tree.runs, mask, strict=True) if is_one]
    )
