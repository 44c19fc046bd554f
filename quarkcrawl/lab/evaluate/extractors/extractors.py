"""All extractors that can be measured side by side, under one name each.

``default``, ``quark`` and further methods of `quarkcrawl.content` are ours, ``sdu``, ``scu``,
``scut1``, ``dlut`` the baselines of SEWM2008, the others peers. Ours are given bytes, since the
charset decision is part of their job; peers get correctly decoded text. A peer that finds headlines
is asked for one by ``NAME+title``; it is compared only where the gold includes the headline.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quarkcrawl.content import METHOD_FILE_SUFFIX, METHODS, Content, extract, method_named
from quarkcrawl.content.topic import TOPIC_METHODS
from quarkcrawl.errors import InputError, QuarkError
from quarkcrawl.lab.baselines import BASELINES, SITE_BASELINES
from quarkcrawl.lab.evaluate.extractors.peers import PEERS
from quarkcrawl.lab.evaluate.extractors.source import Source
from quarkcrawl.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from quarkcrawl.lab.evaluate.extractors.source import Extract


_PLUS_TITLE: Final = "+title"
_LIKELY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Extractor:
    """An extractor that can be measured.

    Args:
        name: its name here.
        make: imports it; called in the process that runs it.
        gives_title: whether it is asked for the headline.
        module: the module it needs, "" for ours.
        package: what pip installs that from.
    """

    name: str
    make: Callable[[], Extract]
    gives_title: bool
    module: str = ""
    package: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether it can run here."""
        return not self.module or importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """Version of the package, "" if it is ours or unknown."""
        try:
            return importlib.metadata.version(self.package) if self.package else ""
        except importlib.metadata.PackageNotFoundError:
            return ""


def content_method(name: str) -> Callable[[Page], Content]:
    """A method of ours or a baseline, as a function from page to content that does not raise.

    Args:
        name: name of the method or baseline, or the file of a method (``.toml``).

    Raises:
        InputError: if there is no such method.
        ConfigError: something is wrong in the file.
    """
    if name in BASELINES:
        return lambda page: Content(BASELINES[name](page))
    if name in SITE_BASELINES:
        raise InputError(f"{name} needs several pages of a site: evaluate content --method {name}")
    if name not in METHODS and not name.endswith(METHOD_FILE_SUFFIX):
        names = ", ".join([*METHODS, *BASELINES])
        raise InputError(f"no method {name!r}; there are {names} and files of methods (.toml)")
    method_named(name)
    return lambda page: extract(page, method=name)


def topic_method(name: str) -> Callable[[Page], bool]:
    """A way to decide whether a page is a topic page, see `quarkcrawl.content.topic.api`.

    It looks at the content that the method ``quark`` finds.

    Raises:
        InputError: if there is none of this name.
    """
    probability = TOPIC_METHODS.get(name)
    if probability is None:
        raise InputError(f"no topic method {name!r}; there are {', '.join(TOPIC_METHODS)}")

    def is_topic(page: Page) -> bool:
        content = extract(page, method="quark")
        return probability(content.segmentation, content.text) > _LIKELY

    return is_topic


def extractor(name: str) -> Extractor:
    """Look an extractor up.

    Args:
        name: a method, a baseline or a peer, this one also with ``+title`` behind it for its
            headline.

    Raises:
        InputError: if there is none of this name.
    """
    base = name.removesuffix(_PLUS_TITLE)
    if base in PEERS:
        peer = PEERS[base]
        return Extractor(name, peer.make, name != base, peer.module, peer.package)
    if name in METHODS or name in BASELINES or name.endswith(METHOD_FILE_SUFFIX):
        return Extractor(name, lambda: _own(name), gives_title=True)
    names = ", ".join([*METHODS, *BASELINES, *PEERS])
    raise InputError(f"no extractor {name!r}; there are {names}")


def peer_text(name: str, page: Page, language: str = "") -> str:
    """What another project's extractor takes for the text of a page.

    Args:
        name: one of `PEERS`, which must be installed.
        page: a page; the peer gets its text as we decode it.
        language: code of its language, "" if unknown.

    Raises:
        QuarkError: it raised something; what, is said.
    """
    source = Source(page.body, page.html, page.url, language)
    try:
        return PEERS[name].make()(source)[1]
    except Exception as error:  # a peer may raise anything
        raise QuarkError(f"{name}: {type(error).__name__}: {error}") from error


def _own(name: str) -> Extract:
    find = content_method(name)

    def run(source: Source) -> tuple[str, str]:
        content = find(Page.from_bytes(source.body, source.url))
        if content.failure:
            raise QuarkError(content.failure)
        return content.title, content.text

    return run


DEFAULT_EXTRACTORS: Final = (*METHODS, *BASELINES, *PEERS, "readability+title")
"""What is measured when nobody asks for less."""
