"""Generated pages for the segment tests."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.page.samples import markup

_BLOCKS = "div td table form fieldset center section article body p ul li dl dt dd blockquote"
_INLINE = "a b span font h1 h2 h3 em q label sup o:p tt object svg template button select option"
_WORDS = "春天来了，校园里的樱花开得正好。 | 2008年6月1日 | a b | 　 | \n | &nbsp; | 顶"
VOID = ("<br>", "<hr>", "<img src=x>", "<input>", "<script>甲。</script>", "<style>b{}</style>")

_leaf = st.one_of(
    st.sampled_from(VOID),
    st.lists(st.sampled_from(_WORDS.split("|")), min_size=1, max_size=6).map("".join),
)


def _wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    name = st.sampled_from([*_BLOCKS.split(), *_BLOCKS.split(), *_INLINE.split()])
    return st.tuples(name, st.lists(inner, max_size=5)).map(
        lambda made: f"<{made[0]} class=c>{''.join(made[1])}</{made[0]}>"
    )


nested = st.recursive(_leaf, _wrapped, max_leaves=20)
"""Well-formed nested elements."""

table_page = st.lists(st.lists(nested, min_size=1, max_size=3), min_size=1, max_size=4).map(
    lambda rows: (
        "<table>"
        + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        + "</table>"
    )
)
"""Layout of the time."""

damaged = st.tuples(table_page, st.integers(0, 400), st.integers(0, 40), markup).map(
    lambda made: made[0][: made[1]] + made[3] + made[0][made[1] + made[2] :]
)
"""A page with a piece torn out and tag soup in its place."""

pages = st.one_of(nested, table_page, damaged, markup)
