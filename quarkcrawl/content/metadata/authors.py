"""Which of the names that a page gives for its author is the one to believe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.content.headline import bare
from quarkcrawl.content.metadata.bylines import is_full_name, line_names, names_in
from quarkcrawl.content.metadata.marked import marked_authors
from quarkcrawl.content.metadata.people import is_person

if TYPE_CHECKING:
    from quarkcrawl.content.declared import Declared
    from quarkcrawl.content.metadata.dates import Dated
    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page import Page


_AUTHORS: Final = (
    *("author", "article:author", "article:author_name", "dc.creator", "dc:creator", "byl"),
    *("dcterms.creator", "sailthru.author", "parsely-author", "cxenseparse:author", "og:author"),
    *("citation_author", "authors", "shareaholic:article_author_name", "dc.contributor"),
)
_FAMILY_FIRST: Final = ("citation_author", "dc.creator", "dcterms.creator", "dc.contributor")
"""Meta elements that libraries fill: one person each, mostly the family name first."""

_MAX_AUTHORS: Final = 12
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_LINES_ABOVE: Final = 6
_LINES_BELOW: Final = 40
_CHARS_BELOW: Final = 20_000
_LABELS_BELOW: Final = (
    *(
        "\nWritten by ",
        "\nPosted by ",
        "\nAuthor: ",
        "\nAutor: ",
        "\nAutorin: ",
        "\nText: ",
        "\nVon ",
    ),
    *("\nGeschrieben von ", "\nBy ", "\nPar "),
)
_MAX_DATELINE_CHARS: Final = 90
_AGAIN: Final = (
    ("", " is "),
    ("", " ist "),
    ("", " has "),
    ("About ", ""),
    ("by ", ""),
    ("Über ", ""),
)
_LABEL_NAMES: Final = ("twitter:label1", "twitter:label2")
_WRITTEN: Final = re.compile(
    r"written|geschrieben|verfasst|écrit|escrito|scritto|geschreven|napisane|skrevet|skriven|author|作者|撰写"
    r"|автор|написано",
    re.IGNORECASE,
)
_IN_TITLE: Final = re.compile(
    r"(?:\s[-–—|]\s|^)by ([A-Z][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,3})(?=\s[-–—|]|$)"
)
_COMPANY: Final = re.compile(
    r"\b(?:e\.\s?v|gmbh|inc|ltd|llc|ag|corp|magazin[e]?|verlag|stiftung|verband|institut|zeitung|media|online"
    r"|foundation|company|agency|university|association|press|group|network|tv|radio|designed)\b\.?",
    re.IGNORECASE,
)


class Surroundings(NamedTuple):
    """Where a byline may be read.

    Args:
        page: what is read, with its source.
        lines: what readers see of it.
        place: number of the line of the headline.
        dated: its date of publication.
    """

    page: Page
    lines: PageLines
    place: int
    dated: Dated | None


def author_of(
    declared: Declared, printed: str, host: str, shown: Surroundings | None
) -> tuple[str, str]:
    """The author of a page and where that was found; twice "" if nothing tells.

    Args:
        declared: what the page declares.
        printed: the author that its lines name by a label or byline.
        host: host of the page, "" if unknown.
        shown: where bylines are read, None if they are not to be read.
    """
    sites = _site_names(declared, host)
    people = [
        name
        for entry in declared.people("author", "creator")
        if not entry.is_organization
        for name in names_in(entry.name, is_shown=False)
        if is_person(name) and (bare(name) not in sites or (entry.is_person and " " in name))
    ]
    is_full = all(" " in name or not name.isascii() for name in people)
    if people and is_full and bare(people[0]) not in sites:
        return _joined(people), "jsonld"
    is_han = _HAN.search(printed) is not None and is_person(printed)
    if is_han and not (people and is_full):
        return printed, "text"
    marked, weight = list[str](), 0
    if shown:
        marked, weight = marked_authors(shown.page.tree, shown.lines, shown.page.html, shown.place)
        marked = [name for name in marked if _may_be_shown(name, sites)]
    if people and not (is_full and marked and weight > 1):
        return _joined(_fuller(people, [*marked, *_of_metas(declared, sites)])), "jsonld"
    return _shown_or_declared(declared, printed, sites, marked, weight, shown)


def _shown_or_declared(
    declared: Declared,
    printed: str,
    sites: frozenset[str],
    marked: list[str],
    weight: int,
    shown: Surroundings | None,
) -> tuple[str, str]:
    """The author of a page whose JSON-LD names none."""
    if shown and not _HAN.search(printed):
        printed = _joined(names_in(printed) or _of_lines(shown.lines, shown.place))
    if is_person(printed) and (weight < 2 or not marked):
        return printed, "text"
    metas = _of_metas(declared, sites)
    if marked and weight > 1:
        return _joined(_fuller(marked, metas)), "text"
    if metas:
        return _joined(_fuller(metas, marked)), "meta"
    if marked:
        return _joined(marked), "text"
    beside = _beside_date(shown.lines, shown.dated, sites) if shown else ""
    if beside:
        return beside, "text"
    titled = _IN_TITLE.search(declared.title)
    return (titled[1], "title") if titled else ("", "")


def _may_be_shown(name: str, sites: frozenset[str]) -> bool:
    """Whether a name that is marked as the author's may be one."""
    return (bare(name) not in sites or " " in name) and (not _HAN.search(name) or is_person(name))


def _of_lines(lines: PageLines, place: int) -> list[str]:
    """Names of the first line by or below the headline that begins as bylines do."""
    first, last = max(place - _LINES_ABOVE, 0), place + _LINES_BELOW
    for line in lines.lines[first:last]:
        names = line_names(line)
        if names:
            return names
    text, start = lines.text, lines.start_of(min(last, len(lines.lines)))
    for label in _LABELS_BELOW:
        hit = text.find(label, max(start - 1, 0), start + _CHARS_BELOW)
        names = line_names(text[hit + 1 :].partition("\n")[0]) if hit >= 0 else []
        if names:
            return names
    return []


def _beside_date(lines: PageLines, dated: Dated | None, sites: frozenset[str]) -> str:
    """The name on the line of the date, or on the next ones if the page names it once more."""
    if dated is None or not 0 <= dated.line < len(lines.lines):
        return ""
    line = lines.lines[dated.line]
    if dated.end > dated.start and len(line) < _MAX_DATELINE_CHARS:
        for side in (line[: dated.start], line[dated.end :]):
            names = names_in(side.strip(" -–—|·•,"))
            if names and is_full_name(names[0]) and bare(names[0]) not in sites:
                return _joined(names)
    near = lines.lines[max(dated.line - 2, 0) : dated.line + 3]
    people = (name for name in near if is_full_name(name) and names_in(name) == [name])
    return next(
        (name for name in people if bare(name) not in sites and _is_told_of(name, lines)), ""
    )


def _is_told_of(name: str, lines: PageLines) -> bool:
    """Whether the page names somebody once more, as it does with an author."""
    return any(f"{before}{name}{behind}" in lines.text for before, behind in _AGAIN)


def _of_metas(declared: Declared, sites: frozenset[str]) -> list[str]:
    """Names in meta elements, none of them that of the site or of a company."""
    groups = [_values(declared, name) for name in _AUTHORS]
    for label in _LABEL_NAMES:
        if _WRITTEN.search(declared.meta.get(label, "")):
            groups.insert(0, [declared.meta.get(label.replace("label", "data"), "")])
    for values in groups:
        names = [
            name
            for value in values[:_MAX_AUTHORS]
            for name in names_in(value, is_shown=False)
            if is_person(name) and not _COMPANY.search(name) and not _is_of_site(name, sites)
        ]
        if names:
            return names
    return []


def _values(declared: Declared, name: str) -> list[str]:
    """What the meta elements of a name say, family names of authors put behind the first ones."""
    values = declared.metas.get(name, [])
    if name not in _FAMILY_FIRST:
        return values
    people = [person for value in values for person in value.split(";")]
    return [_first_name_first(person, is_only=len(people) == 1) for person in people]


def _first_name_first(person: str, *, is_only: bool) -> str:
    """``Jane Doe`` for ``Doe, Jane``; ``Jane Doe, John Roe`` are two people."""
    family, comma, first = (part.strip() for part in person.partition(","))
    is_pair = is_only and " " in family and " " in first
    is_reversed = comma and family and first and "," not in first and not is_pair
    is_reversed = is_reversed and not person.isupper() and person.upper() != person.lower()
    return f"{first} {family}" if is_reversed else person


def _is_of_site(name: str, sites: frozenset[str]) -> bool:
    """Whether a declared author is the site itself: its name, its host, or initials of that."""
    core, initials = bare(name), "".join(word[0] for word in name.split()).lower()
    if core in sites or (len(initials) > 1 and initials in sites):
        return True
    return any(len(site) > 5 and (site in core or core in site) for site in sites)


def _fuller(names: list[str], others: list[str]) -> list[str]:
    """Names, each as others give it where they give more of it: Jane Doe for Jane."""
    return [
        next((other for other in others if name != other and name in other.split()), name)
        for name in names
    ]


def _site_names(declared: Declared, host: str) -> frozenset[str]:
    """What the site may be called, letters and digits only."""
    metas = ("og:site_name", "application-name", "publisher", "copyright")
    names = {host, host.rpartition(".")[0], host.split(".", maxsplit=1)[0]}
    names |= {declared.meta.get(name, "") for name in metas}
    return frozenset(map(bare, names)) - {""}


def _joined(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names))
