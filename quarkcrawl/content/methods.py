"""`extract`: from a page to its content, by a named method."""

from __future__ import annotations

import difflib
import html
from functools import partial
from typing import TYPE_CHECKING, Final

from quarkcrawl.content.content import Content
from quarkcrawl.content.declared import Declared
from quarkcrawl.content.embedded import declared_description, embedded_body, text_of
from quarkcrawl.content.extraction import Extraction
from quarkcrawl.content.headline import Headline, without_headline
from quarkcrawl.content.items import region_extraction
from quarkcrawl.content.lines import default_extraction
from quarkcrawl.content.metadata import language_of
from quarkcrawl.content.methodfile import (
    METHOD_FILE_SUFFIX,
    Method,
    load_method,
    usual_method,
)
from quarkcrawl.content.quark import quark_extraction
from quarkcrawl.errors import InputError
from quarkcrawl.page import Page, PageTree, PdfPage
from quarkcrawl.segment import as_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.segment import PageLike


_FEW_CHARS: Final = 200
_FEW_VISIBLE_CHARS: Final = 400
"""Where less is found on a page that shows less, its data is read."""

_MORE_VISIBLE_CHARS: Final = 1200
_LITTLE_SHARE: Final = 0.25
"""The same of a page that shows up to that much, if less than that share of it is found."""

_SAMPLE_CHARS: Final = 1500
"""Of a PDF file, by which its language is told."""

_NEARLY_NOTHING: Final = 60
"""Where not even that much is found, a page's description is better than nothing."""

METHODS: Final[dict[str, Callable[[Page], Extraction]]] = {
    "default": default_extraction,
    "quark": quark_extraction,
    "ibdom": partial(region_extraction, method="ibdom"),
    "rules": partial(region_extraction, method="rules"),
}
"""Extraction methods by name; each is given a page and may raise, `extract` does not."""


def extract(page_or_html: PageLike, url: str = "", method: str = "default") -> Content:
    """Find the content of a page; no input makes it raise.

    Args:
        page_or_html: the page, its source, or the bytes as received.
        url: address of the page; links are resolved against it.
        method: name of a method, see `METHODS`, or the path of a file of options (``.toml``).

    Returns:
        What was found; if the method failed on this page, empty and with ``failure`` set.

    Raises:
        InputError: if there is no such method.
        ConfigError: something is wrong in the file.

    >>> content = extract("<title>天网_北大</title><h1>天网</h1><p>它收集网页，一九九七年上线。")
    >>> content.title, content.text
    ('天网', '它收集网页，一九九七年上线。')
    """
    chosen_method = method_named(method)
    page = as_page(page_or_html, url)
    if isinstance(page, PdfPage):
        return pdf_content(page)
    try:
        return Content(_with_body(chosen_method.run(page)), chosen_method.topic_models)
    except Exception as error:  # noqa: BLE001  (a page must not end a run; the reason is kept)
        failure = f"{type(error).__name__}: {error}"
        return Content(Extraction(page, chosen_method.name, failure=failure))


def method_named(name: str) -> Method:
    """The method of a name or of a file.

    Args:
        name: one of `METHODS`, or the path of a file that ends with ``.toml``.

    Raises:
        InputError: if there is no such method.
        ConfigError: something is wrong in the file.
    """
    if run := METHODS.get(name):
        return usual_method(name, run)
    if name.endswith(METHOD_FILE_SUFFIX):
        return load_method(name)
    near = difflib.get_close_matches(name, METHODS, 1)
    names = f"{', '.join(METHODS)} and files of methods (.toml)"
    hint = f"; did you mean {near[0]!r}?" if near else f"; there are {names}"
    raise InputError(f"no extraction method {name!r}{hint}")


def _with_body(extraction: Extraction) -> Extraction:
    """What was found; on a page that shows nearly nothing, the body that it carries as data."""
    tree, n_chars = extraction.page.tree, len(extraction.text)
    if n_chars >= _FEW_CHARS:
        return extraction
    is_empty = int(tree.text_chars[0]) < _FEW_VISIBLE_CHARS
    if not (is_empty or _is_little(extraction)):
        return extraction
    declared = extraction.declared or Declared(tree)
    body = embedded_body(tree)
    if body is None and n_chars < _NEARLY_NOTHING and is_empty:
        body = declared_description(declared)
    if body is None or body.text_chars[0] < 2 * n_chars:
        return extraction
    text, headline = without_headline(text_of(body), tree, declared)
    if len(text) <= n_chars:
        return extraction
    return Extraction(
        extraction.page,
        extraction.method,
        text=text,
        headline=headline,
        declared=declared,
        embedded=body,
    )


def _is_little(extraction: Extraction) -> bool:
    """Whether a page shows not much, and most of that is not what was found or its repetition."""
    tree = extraction.page.tree
    n_visible = int(tree.text_chars[0])
    if n_visible >= _MORE_VISIBLE_CHARS:
        return False
    chars = tree.run_chars.tolist()
    n_found: int = sum(
        n for n, run in zip(chars, tree.runs, strict=True) if n and run.strip() in extraction.text
    )
    return n_found < _LITTLE_SHARE * n_visible


def plain_content(page: Page) -> Content:
    """All of a plain text, which has no markup to find the content by.

    Blocks are elements of a tree, and their roots are stored as its nodes; a text without tags has
    neither, so none are made up. Nor is it called a topic page: the decision was fitted on what
    markup says, and logs, licenses and lists of words are plain text as well as articles. Who
    wants such pages finds them by ``content_method = 'plain'``.

    Args:
        page: a page that was sent as text/plain; of a PDF file comes `pdf_content`.
    """
    if isinstance(page, PdfPage):
        return pdf_content(page)
    lines = [line.rstrip() for line in page.html.splitlines()]
    empty = Page.from_html("", page.url)  # what looks like a tag is none
    return Content(Extraction(empty, "plain", text="\n".join(lines).strip("\n")))


def pdf_content(page: PdfPage) -> Content:
    """The text of a PDF file, with what the file says of itself.

    Its paragraphs are a document of their own, as a body that a page carries as data: Markdown
    shows them, but blocks, items and spans are those of a page's markup, and there is none.

    Args:
        page: the file. One without text has its reason code as the ``failure``.
    """
    document = page.document
    language = language_of("", document.text[:_SAMPLE_CHARS]) if document.text else ""
    metas = {"author": document.author, "dcterms.created": document.created}
    head = "".join(
        f'<meta name="{name}" content="{html.escape(value)}">'
        for name, value in metas.items()
        if value
    )
    about = Page.from_html(f'<html lang="{language}"><head>{head}</head>', page.url)
    if not document.text:
        return Content(Extraction(about, "pdf", failure=document.reason, page_type="document"))
    first, _, rest = document.text.partition("\n")
    text = rest.strip("\n") if first == document.title and rest.strip() else document.text
    body = "".join(f"<p>{html.escape(line)}</p>" for line in text.splitlines() if line)
    return Content(
        Extraction(
            about,
            "pdf",
            text=text,
            headline=Headline(document.title, "title"),
            page_type="document",
            embedded=PageTree.parse(body),
        )
    )
