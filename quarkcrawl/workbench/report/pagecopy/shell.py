"""The document around a copy: policy, our style, and a legend that the page cannot reach.

The legend stands in a declarative shadow tree of ``body``, which style sheets of the page do not
see, and the page in its slot, in a layer of its own. What we say about text runs is in an unnamed
cascade layer in front of all other style sheets and important, and so wins over everything the page
says, however important (CSS Cascade 5, section 6.4.4: the order of layers is reversed for important
declarations).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from quarkcrawl.page import PageTree
from quarkcrawl.segment import INK, escape
from quarkcrawl.workbench.report.pagecopy.copy import RUN, PageCopy
from quarkcrawl.workbench.report.pagecopy.elements import FALLBACK_SHEET
from quarkcrawl.workbench.theme import policy

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.workbench.report.pagecopy.copy import ElementAttributes


FONTS: Final = (
    'system-ui,"Noto Sans CJK SC","Source Han Sans SC","PingFang SC","Microsoft YaHei",'
    '"WenQuanYi Zen Hei",sans-serif'
)
"""Fonts of the legend; each system has one with Chinese characters among them."""

_HAN: Final = re.compile("[\u3400-\u9fff]")
_LOOKED_AT: Final = 20_000
_BAR_PX: Final = 48

_PAGE_SHEET: Final = f"""
html,body{{display:block!important;visibility:visible!important;opacity:1!important;
 overflow:visible!important;height:auto!important;max-height:none!important;
 transform:none!important;filter:none!important;backdrop-filter:none!important;
 perspective:none!important;contain:none!important;clip:auto!important;clip-path:none!important;
 position:static!important;float:none!important;zoom:1!important;content-visibility:visible!important}}
html{{padding-top:{_BAR_PX}px!important;scroll-padding-top:{_BAR_PX + 24}px!important}}
{RUN}{{display:inline!important;position:static!important;visibility:visible!important;
 opacity:1!important;float:none!important;color:{INK}!important;text-shadow:none!important;
 -webkit-text-fill-color:currentcolor!important;background-clip:border-box!important}}
{RUN}::after{{content:none!important}}
{RUN}[data-qk-label]::before{{content:attr(data-qk-label)!important;display:inline-block!important;
 font:700 10px/14px sans-serif!important;color:#fff!important;background:{INK}!important;
 text-transform:none!important;letter-spacing:0!important;text-indent:0!important;
 padding:0 3px!important;margin:0 2px 0 0!important;border-radius:3px!important;
 vertical-align:middle!important;position:static!important;width:auto!important;height:auto!important;
 opacity:1!important;visibility:visible!important;transform:none!important}}
{RUN}[tabindex]:is(:focus,:target){{outline:3px solid {INK}!important}}
{RUN}[tabindex]:focus::before{{content:attr(data-qk-info)!important;max-width:100%!important;
 font:13px/1.4 {FONTS}!important;padding:4px 8px!important;white-space:normal!important;
 overflow-wrap:anywhere!important;text-align:left!important}}
qk-box,img:not([src]){{outline:1px dashed #767676!important;min-width:12px;min-height:12px}}
qk-box{{display:inline-block!important;max-width:100%}}
svg:not([width],[height]){{max-width:3em}}
@media print{{html{{padding-top:0!important}}}}
"""

_NO_BAR: Final = "html{padding-top:0!important;scroll-padding-top:24px!important}"

LEGEND_SHEET: Final = f"""
:host{{position:static!important}}
.bar,.bar *{{box-sizing:border-box}}
.bar{{all:initial;color-scheme:light dark;position:fixed;inset:0 0 auto 0;
 height:{_BAR_PX}px;z-index:2;
 display:flex;align-items:center;gap:12px;padding:0 12px;direction:ltr;
 font:14px/1.4 {FONTS};color:#111;background:#fff;border-bottom:1px solid #767676}}
.bar h1{{font-size:15px;margin:0;white-space:nowrap}}
.scroll{{flex:1;display:flex;gap:12px;align-items:center;overflow-x:auto;white-space:nowrap}}
ul{{display:flex;gap:10px;list-style:none;margin:0;padding:0}}
.sample{{display:inline-block;color:{INK};padding:0 6px;border:1px solid #767676}}
summary{{cursor:pointer;white-space:nowrap;padding:4px}}
.panel{{position:fixed;top:{_BAR_PX}px;left:0;max-width:100vw;max-height:calc(100vh - {_BAR_PX}px);
 overflow:auto;background:#fff;border:1px solid #767676;padding:8px 12px}}
table{{border-collapse:collapse;font:inherit;color:inherit}}
td:nth-child(3){{min-width:12em}} td:last-child{{min-width:14em}}
th,td{{text-align:left;vertical-align:top;padding:2px 8px;border-bottom:1px solid #ccc;
 overflow-wrap:anywhere}}
thead th{{position:sticky;top:-8px;background:#fff;white-space:nowrap}}
a{{color:#0645ad}}
:focus-visible{{outline:3px solid #0645ad;outline-offset:-2px}}
.page{{display:flow-root;flex:1 1 auto;min-width:0;contain:layout;position:relative;z-index:0}}
@media (prefers-color-scheme:dark){{
 .bar,.panel,thead th{{color:#eee;background:#1b1b1f}}
 a{{color:#9ecbff}} :focus-visible{{outline-color:#9ecbff}}}}
@media print{{.bar{{position:static;height:auto}} details{{display:none}}}}
"""


def language(text: str) -> str:
    """``"zh"`` for text with many Chinese characters, else "", which means unknown.

    Args:
        text: any text; its beginning is looked at.
    """
    start = "".join(text[:_LOOKED_AT].split())
    return "zh" if 5 * len(_HAN.findall(start)) > len(start) else ""


def wrapped_copy(
    page: Page,
    labels: ElementAttributes,
    *,
    title: str,
    legend: str | None,
    sheet: str,
    offline: bool,
    head: str | None = None,
) -> str:
    """A whole document: the copy of a page under a legend.

    The document is read again, without the legend, before it is handed out. Where its text is not
    the text of the page, because the parser of HTML would move some of it, the copy is written with
    element names that the parser has no rules for; it then looks plainer.

    Args:
        page: the page to copy; its elements are written anew.
        labels: what the view adds to runs and elements.
        title: plain text for the ``title`` element.
        legend: contents of the bar over the page, as HTML; None: no bar.
        sheet: rules for runs and elements of the copy; they win over the page's.
        offline: load nothing from anywhere.
        head: what the head begins with in place of our `policy`, for a server that sends a policy
            of its own; None: our policy.
    """
    head = policy(offline=offline) if head is None else head
    copy = PageCopy(page, labels, offline=offline)
    bare = _document(page, copy, title=title, legend=None, sheet=sheet, head=head)
    if PageTree.parse(bare).text() == page.tree.text():
        return _document(page, copy, title=title, legend=legend, sheet=sheet, head=head)
    copy = PageCopy(page, labels, offline=offline, is_plain=True)
    sheet = FALLBACK_SHEET + sheet
    return _document(page, copy, title=title, legend=legend, sheet=sheet, head=head)


def _document(
    page: Page, copy: PageCopy, *, title: str, legend: str | None, sheet: str, head: str
) -> str:
    is_told = page.tree.attr(0, "lang") is not None
    lang = "" if is_told else f' lang="{language(page.tree.text())}"'
    rules = _PAGE_SHEET + sheet + (_NO_BAR if legend is None else "")
    return (
        f"{copy.doctype}<html{copy.html_attrs}{lang}><head>{head}"
        f"<title>{escape(title)}</title><style>@layer{{{rules}}}</style>"
        f"{copy.sheets}</head><body{copy.body_attrs}>"
        f"{'' if legend is None else _bar(legend)}{copy.text}</body></html>"
    )


def _bar(legend: str) -> str:
    return (
        f'<template shadowrootmode="open"><style>{LEGEND_SHEET}</style>'
        f'<aside class="bar" lang="en" aria-label="Legend">{legend}</aside>'
        '<div class="page" role="region" aria-label="Copy of the page"><slot></slot></div>'
        "</template>"
    )
