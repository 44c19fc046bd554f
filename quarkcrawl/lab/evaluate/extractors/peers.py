"""Content extractors of other projects, each asked for its best on Chinese pages.

All are optional. Settings differ from a peer's defaults only where the default cannot work on
Chinese, and the docstring says so. Peers that return HTML have it read as text by lxml. Each
factory imports its peer, so that an absent one raises ImportError, and returns a function of the
page.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from turbohtml import parse

from quarkcrawl.page.tree import without_foreign_templates

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.lab.evaluate.extractors.source import Extract, Source


_MAGIC_WHEEL: Final = (
    "https://github.com/opendatalab/magic-html/releases/download/magic_html-0.1.2-released/"
    "magic_html-0.1.2-py3-none-any.whl"
)

Found = tuple[str, str]
"""Title and text."""


def _text_of(html: str) -> str:
    lxml = import_module("lxml.html")  # a dependency of the peers that need it
    return str(lxml.fromstring(html).text_content()) if html.strip() else ""


def trafilatura() -> Extract:
    """trafilatura.extract with its defaults (comments and tables included, no metadata)."""
    extract = import_module("trafilatura").extract
    return lambda page: ("", extract(page.text) or "")


def readability() -> Extract:
    """The summary of readability-lxml; its short title where a headline is asked for."""
    document_of = import_module("readability").Document

    def run(page: Source) -> Found:
        document = document_of(page.text)
        title = document.short_title() if page.wants_title else ""
        return title, _text_of(document.summary(html_partial=True))

    return run


def resiliparse() -> Extract:
    """The main content as resiliparse sees it, without texts of pictures."""
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda page: ("", extract(page.text, main_content=True, alt_texts=False))


CHINESE_LENGTHS: Final = {"length_low": 25, "length_high": 70}
"""Limits of justext for paragraphs of Chinese, whose words are a third as long in characters."""


def justext() -> Extract:
    """Justext: with its English stop list on English pages, else independent of the language.

    Its stop-word density counts words between spaces, of which Chinese has none; its authors'
    language-independent mode sets both limits of the density to 0.
    """
    package = import_module("justext")
    english = package.get_stoplist("English")
    others: dict[str, Any] = {"stopwords_low": 0.0, "stopwords_high": 0.0, **CHINESE_LENGTHS}

    def run(page: Source) -> Found:
        settings = {} if page.lang == "en" else others
        stop_words = english if page.lang == "en" else frozenset()
        paragraphs = package.justext(page.text, stop_words, **settings)
        return "", "\n".join(p.text for p in paragraphs if not p.is_boilerplate)

    return run


def boilerpy3() -> Extract:
    """The article extractor of boilerpy3 (its features count words between spaces)."""
    extractor = import_module("boilerpy3.extractors").ArticleExtractor
    return lambda page: ("", extractor(raise_on_failure=False).get_content(page.text))


def newspaper4k() -> Extract:
    """newspaper4k, told the language; nothing is fetched."""
    newspaper = import_module("newspaper")

    def run(page: Source) -> Found:
        config = newspaper.Config()
        config.fetch_images = False
        config.language = page.lang or "zh"
        article = newspaper.Article(page.url or "http://localhost/", config=config)
        article.download(input_html=page.text)
        article.parse()
        return article.title or "", article.text or ""

    return run


def gne() -> Extract:
    """GeneralNewsExtractor, made for Chinese news."""
    extractor = import_module("gne").GeneralNewsExtractor

    def run(page: Source) -> Found:
        result = extractor().extract(page.text)
        return result["title"] or "", result["content"] or ""

    return run


def turbohtml() -> Extract:
    """The main text of turbohtml, the parser that quarkcrawl itself builds on."""
    return lambda page: (
        "",
        parse(without_foreign_templates(page.text), positions=False).main_text(),
    )


def magic_html() -> Extract:
    """magic-html of OpenDataLab, not told what kind of page it is."""
    extractor = import_module("magic_html").GeneralExtractor()

    def run(page: Source) -> Found:
        result = extractor.extract(page.text, base_url=page.url)
        return result.get("title") or "", _text_of(result.get("html") or "")

    return run


@dataclass(frozen=True, slots=True)
class Peer:
    """Another project's extractor.

    Args:
        make: imports it and returns a function of the page.
        module: what it imports.
        package: what pip installs that from.
    """

    make: Callable[[], Extract]
    module: str
    package: str


PEERS: Final[dict[str, Peer]] = {
    "trafilatura": Peer(trafilatura, "trafilatura", "trafilatura"),
    "readability": Peer(readability, "readability", "readability-lxml"),
    "resiliparse": Peer(resiliparse, "resiliparse", "resiliparse"),
    "justext": Peer(justext, "justext", "justext"),
    "boilerpy3": Peer(boilerpy3, "boilerpy3", "boilerpy3"),
    "newspaper4k": Peer(newspaper4k, "newspaper", "newspaper4k"),
    "gne": Peer(gne, "gne", "gne"),
    "turbohtml": Peer(turbohtml, "turbohtml", "turbohtml"),
    "magic-html": Peer(magic_html, "magic_html", _MAGIC_WHEEL),
}
"""Peers by name."""
