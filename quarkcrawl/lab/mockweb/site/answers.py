"""What every URL of a host is: ordinary pages, quirks, robots.txt, second spellings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb.site.layout import HOME
from quarkcrawl.lab.mockweb.site.model import Resource, nowhere
from quarkcrawl.lab.mockweb.site.pages import document as document_at
from quarkcrawl.lab.mockweb.site.quirks import quirks_of
from quarkcrawl.lab.mockweb.site.spam import spoiled
from quarkcrawl.lab.mockweb.site.spelling import misspell

if TYPE_CHECKING:
    from quarkcrawl.lab.mockweb.site.layout import Address
    from quarkcrawl.lab.mockweb.site.model import Document
    from quarkcrawl.lab.mockweb.site.site import Site


_IDLE = ("from=", "sid=")
_DEFAULT_PAGES = frozenset({"/index.html", "/default.htm"})
_ROBOTS_RULES = """# robots.txt
User-agent: EvilBot
Disallow: /

User-agent: *
Disallow: /private/
Allow: /private/open/
Disallow: /*?print=
Crawl-delay: 0.1
"""


class Answers:
    """The model of one host: target in, resource out.

    Args:
        site: the host's ordinary pages.
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self._quirks = quirks_of(site.plan)
        self._habits = site.plan.quirks

    def look(self, target: str) -> Resource:
        """What a path with query is; unknown ones are 404."""
        if target == "/robots.txt":
            return self._robots()
        for quirk in self._quirks:
            if quirk.prefix and target.startswith(quirk.prefix):
                resource = quirk.look(self.site, target)
                if resource is not None:
                    return self._named(resource)
        return self._ordinary(target) or nowhere()

    def _named(self, resource: Resource) -> Resource:
        document = resource.document
        if document is None or resource.twin:
            return resource
        return replace(resource, twin=self._twin(document.url))

    def _twin(self, url: str) -> str:
        """Key of a body: the same for all names of the host."""
        return f"{self.site.plan.index}:{url[len(self.site.origin) :]}"

    def _ordinary(self, target: str) -> Resource | None:
        if "defaults" in self._habits and target in _DEFAULT_PAGES:
            target = "/"
        if "idle" in self._habits:
            target = _without_idle(target)
        address = self.site.read(target)
        if address is None:
            return None
        document = self._document(address)
        return Resource(document=document, twin=self._twin(document.url))

    def _document(self, address: Address) -> Document:
        document = document_at(self.site, address)
        if document.kind == "topic":
            return self._maybe_spoiled(document, address)
        if address == HOME:
            entries = [entry for quirk in self._quirks for entry in quirk.entries(self.site)]
            document = replace(document, services=tuple(entries))
        return self._misspelt(document) if self._habits else document

    def _maybe_spoiled(self, document: Document, address: Address) -> Document:
        """A topic page, or the spam that stands in its place."""
        dice = self.site.dice("spam", address.number)
        if not dice.chance(self.site.web.spam_share):
            return document
        return spoiled(dice, document, self.site.topic_words(address.column))

    def _misspelt(self, document: Document) -> Document:
        """Home and list pages of hostile hosts write some links in odd ways."""
        site = self.site
        dice = site.dice("spelling", document.url[len(site.origin) :])
        with_host = not site.plan.alias
        entries = tuple(
            misspell(entry, document.url, dice, with_host=with_host) for entry in document.entries
        )
        return replace(document, entries=entries)

    def _robots(self) -> Resource:
        kind = self.site.plan.robots
        text = _ROBOTS_RULES if kind == "rules" else "User-agent: *\nDisallow:\n"
        file = Resource("robots_txt", plain=text, content_type="text/plain")
        failure = Resource("robots_txt", status=500)
        if kind == "missing":
            return Resource("robots_txt", status=404)
        if kind == "html":
            page = "<html><body><h1>欢迎光临</h1></body></html>".encode("gb18030")
            return Resource("robots_txt", body=page, content_type="text/html")
        if kind == "down":
            return replace(failure, status=503)
        return file.after(failure) if kind == "once500" else file


def _without_idle(target: str) -> str:
    """The target without the parameters that change nothing."""
    path, mark, query = target.partition("?")
    if not mark:
        return target
    parts = [part for part in query.split("&") if not part.startswith(_IDLE)]
    return f"{path}?{'&'.join(parts)}" if parts else path
