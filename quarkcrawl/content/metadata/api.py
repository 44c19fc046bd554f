"""What a page says about itself: headline, date of publication, source, author, editor.

The page's own declarations (JSON-LD, meta elements) are read first; what they leave open is read
off the lines around the headline. Every answer says where it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quarkcrawl.content.declared import Declared, first_text, names
from quarkcrawl.content.headline import find_headline
from quarkcrawl.content.metadata.authors import Surroundings, author_of
from quarkcrawl.content.metadata.credits import agency_in, author_in, person_beside, source_beside
from quarkcrawl.content.metadata.dates import DateSeeker
from quarkcrawl.content.metadata.language import declared_language, language_of
from quarkcrawl.content.metadata.marks import find_mark
from quarkcrawl.content.metadata.people import CHARS_NEAR, People, people_of
from quarkcrawl.content.metadata.shown import Metadata, ReadMetadata, shown_runs
from quarkcrawl.content.metadata.site import host_of, site_name_of
from quarkcrawl.content.page_lines import fold

if TYPE_CHECKING:
    from datetime import datetime

    from quarkcrawl.content.headline import Headline
    from quarkcrawl.content.metadata.dates import Dated
    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page import Page


_MAX_NAME_CHARS: Final = 60
_CHARS_BEFORE: Final = 600
_CHARS_AFTER: Final = 1_500
_CHARS_BELOW: Final = 20_000
_CHARS_OF_LABEL: Final = 40
_CHARS_OF_TEXT: Final = 6_000
_PUBLISHED: Final = (
    *("article:published_time", "article:published", "og:published_time", "og:pubdate"),
    *("og:article:published_time", "datepublished", "publishdate", "publish_date"),
    *("publish-date", "pubdate", "pub_date", "pub-date", "publishtime", "publish_time"),
    *("published", "published_time", "originalpublicationdate", "dc.date.issued"),
    *("dcterms.issued", "dcterms.created", "dc.date.created", "dc.date.published", "dc.date"),
    *("dcterms.date", "sailthru.date", "parsely-pub-date", "bt:pubdate"),
    *("article_date_original", "weibo:article:create_at", "datecreated", "date_published"),
    *("cxenseparse:recs:publishtime", "citation_publication_date", "date"),
)
_SOURCES: Final = ("source", "mediaid", "contentsource", "article:source", "dc.source")
_LABELS_BELOW: Final = ("来源", "來源", "责任编辑", "責任編輯", "责编", "作者")


def metadata(
    page: Page,
    headline: Headline | None = None,
    declared: Declared | None = None,
    *,
    fetched: datetime | None = None,
    without: frozenset[str] = frozenset(),
) -> Metadata:
    """Read what a page says about itself.

    Args:
        page: any page; its URL may tell the date.
        headline: its headline where that has been found.
        declared: what it declares where that has been read; not used where some is left out.
        fetched: when it was fetched; needed for dates such as 3小时前, and nothing can have been
            published later. The present if unknown.
        without: origins not to be used, to measure the others: ``jsonld``, ``meta``, ``title``,
            ``time``, ``text``, ``url``.

    Returns:
        What was found and where.
    """
    return _read(page, headline, declared, fetched, without).metadata


def metadata_runs(
    page: Page, headline: Headline | None = None, declared: Declared | None = None
) -> dict[int, str]:
    """Which text runs of a page show its headline, its date of publication, and who wrote it.

    Args:
        page: any page.
        headline: its headline where that has been found.
        declared: what it declares where that has been read.

    Returns:
        ``headline``, ``date`` or ``byline`` by number of the run.
    """
    return shown_runs(*_read(page, headline, declared, None, frozenset()))


def _read(
    page: Page,
    headline: Headline | None,
    declared: Declared | None,
    fetched: datetime | None,
    without: frozenset[str],
) -> ReadMetadata:
    tree = page.tree
    if without or declared is None:
        declared = Declared(tree, without)
    lines = declared.lines
    headline = headline or find_headline(tree, declared)
    is_shown = headline.run >= 0
    place = lines.line_of_run(headline.run) if is_shown else lines.line_with(headline.text)
    place = place if place >= 0 else _first_long(lines)
    start = lines.start_of(min(place, len(lines.lines) - 1)) if lines.lines else 0
    sample = lines.text[start : start + _CHARS_AFTER] or lines.text[:_CHARS_AFTER]
    language = language_of(declared_language(tree, declared), sample)
    seeker = DateSeeker(tree, lines, page.url, place, fetched, language)
    dated = seeker.published(_dates(declared), without)
    people = People() if "text" in without else _people(lines, place, dated)
    source, source_from = _source(declared, people.source)
    byline = Surroundings(page, lines, place, dated) if "text" not in without else None
    author, author_from = author_of(declared, people.author, host_of(page.url), byline)
    metadata = Metadata(
        title=headline.text,
        published=str(dated.stamp) if dated else "",
        source=source,
        author=author,
        editor=people.editor,
        language=language,
        site_name=site_name_of(declared, headline.text, host_of(page.url)),
        title_from=headline.origin,
        published_from=dated.origin if dated else "",
        source_from=source_from,
        author_from=author_from,
    )
    return ReadMetadata(metadata, page, lines, headline, dated)


def _dates(declared: Declared) -> dict[str, list[str]]:
    published = first_text(declared.records, "datePublished")
    later = first_text(declared.records, "dateCreated", "uploadDate")
    metas = [declared.meta[name] for name in _PUBLISHED if name in declared.meta]
    return {"jsonld": [published, later], "meta": metas}


def _first_long(lines: PageLines) -> int:
    """Number of the first line that reads like a paragraph."""
    return next((number for number, line in enumerate(lines.lines) if len(line) >= 80), 0)


def _people(lines: PageLines, place: int, dated: Dated | None) -> People:
    """What the lines near the headline name; the editor may stand below the text."""
    if not lines.lines:
        return People()
    text, start = lines.text, lines.start_of(min(place, len(lines.lines) - 1))
    people = people_of(text, max(start - _CHARS_BEFORE, 0), start + _CHARS_AFTER, start)
    if dated and 0 <= dated.line < len(lines.lines):
        dateline, *edges = lines.lines[dated.line][:CHARS_NEAR], dated.start, dated.end
        _fill(people, People(source_beside(dateline, *edges), person_beside(dateline, *edges)))
    for label in _LABELS_BELOW:
        hit = find_mark(text, label, start + _CHARS_AFTER, start + _CHARS_BELOW)
        if hit >= 0 and not (people.source and people.author and people.editor):
            _fill(people, people_of(text, hit, hit + _CHARS_OF_LABEL))
    author = people.author or author_in(text, start, start + _CHARS_OF_TEXT)
    _fill(people, People(agency_in(text, start, start + _CHARS_AFTER), author))
    return people


def _fill(people: People, others: People) -> None:
    """Take from others what is not known yet."""
    people.source = people.source or others.source
    people.author = people.author or others.author
    people.editor = people.editor or others.editor


def _source(declared: Declared, printed: str) -> tuple[str, str]:
    if printed:
        return printed, "text"
    name = fold(declared.first(_SOURCES))
    if 2 <= len(name) <= _MAX_NAME_CHARS and not name.startswith("http"):
        return name, "meta"
    for record in declared.records:
        for name in names(record.get("publisher")):
            if len(name) <= _MAX_NAME_CHARS and not name.startswith("http"):
                return fold(name), "jsonld"
    return declared.site[:_MAX_NAME_CHARS], "site_name" if declared.site else ""
