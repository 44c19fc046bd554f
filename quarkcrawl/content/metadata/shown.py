"""What is known of a page, and the text runs in which readers see it: headline, date, byline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from quarkcrawl.content.page_lines import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quarkcrawl.content.headline import Headline
    from quarkcrawl.content.metadata.dates import Dated
    from quarkcrawl.content.page_lines import PageLines
    from quarkcrawl.page import Page


_LINES_ABOVE: Final = 6
_LINES_BELOW: Final = 10
_MAX_BYLINE_CHARS: Final = 120
"""Longer lines are text that names somebody, not bylines."""

_LABELS: Final = (
    *("来源", "來源", "作者", "记者", "記者", "编辑", "編輯", "责编", "責編"),
    *("文/", "author", "by "),
    *("采写", "採寫", "撰文", "文 |", "文|", "文｜", "文丨"),
)
_MIN_NAME_CHARS: Final = 2


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says about itself; "" where it says nothing.

    Args:
        title: headline.
        published: date and time as ISO 8601, as precise as the page is.
        source: agency or medium named as the origin.
        author: author or reporter.
        editor: editor in charge.
        language: code of the language, such as ``zh``.
        site_name: name of the site.
        title_from: where the headline came from: ``h1``, ``h2``, ``h3``, ``line`` (a line that is
            part of a declared title), or the declaration itself where the page shows no headline.
        published_from: ``jsonld``, ``meta``, ``time`` (a time element), ``text``, ``url``
            or ``script`` (WeChat).
        source_from: ``text``, ``meta``, ``jsonld`` or, as last resort, ``site_name``.
        author_from: ``jsonld``, ``text``, ``meta`` or ``title``.
    """

    title: str = ""
    published: str = ""
    source: str = ""
    author: str = ""
    editor: str = ""
    language: str = ""
    site_name: str = ""
    title_from: str = ""
    published_from: str = ""
    source_from: str = ""
    author_from: str = ""


class ReadMetadata(NamedTuple):
    """What a page says about itself (``metadata``), and what that was read from."""

    metadata: Metadata
    page: Page
    lines: PageLines
    headline: Headline
    dated: Dated | None


def shown_runs(
    metadata: Metadata, page: Page, lines: PageLines, headline: Headline, dated: Dated | None
) -> dict[int, str]:
    """Which runs show the headline, the date and the names around them, see `metadata_runs`."""
    titled = list(_lines_of_title(lines, headline))
    roles = dict.fromkeys((run for line in titled for run in _runs(page, lines, line)), "headline")
    dateline = dated.line if dated and 0 <= dated.line < len(lines) else -1
    first = titled[0] if titled else dateline
    for line in range(max(0, first - _LINES_ABOVE), min(len(lines), first + _LINES_BELOW + 1)):
        if first >= 0 and line not in titled and _is_byline(lines.lines[line], metadata):
            roles |= dict.fromkeys(_runs(page, lines, line), "byline")
    if dated and dateline >= 0 and dateline not in titled:
        roles |= dict.fromkeys(_runs_of_date(page, lines, dated, roles), "date")
    return roles


def _lines_of_title(lines: PageLines, headline: Headline) -> Iterator[int]:
    """Lines of the headline; one that is cut by line breaks has several."""
    rest = headline.text
    line = lines.line_of_run(headline.run) if headline.run >= 0 else lines.line_with(rest)
    is_whole = headline.run >= 0 or (line >= 0 and lines.lines[line] == rest)
    while is_whole and 0 <= line < len(lines):
        text = lines.lines[line]
        yield line
        rest = rest.partition(text)[2].strip() if text else rest
        line += 1
        is_whole = bool(text) and line < len(lines) and bool(lines.lines[line])
        is_whole = is_whole and rest.startswith(lines.lines[line])


def _runs(page: Page, lines: PageLines, line: int) -> list[int]:
    """Visible runs of a line."""
    start, end = lines.runs_between(line, line)
    chars, raw = page.tree.run_chars, page.tree.run_raw
    return [run for run in range(start, end) if chars[run] and not raw[run]]


def _is_byline(line: str, metadata: Metadata) -> bool:
    """Whether a line is short and names who wrote the page, and little else."""
    if len(line) > _MAX_BYLINE_CHARS:
        return False
    people = [*metadata.author.split(", "), metadata.editor, metadata.source]
    names = [name for name in people if len(name) >= _MIN_NAME_CHARS and name in line]
    is_labelled = any(label in line.lower() for label in _LABELS)
    return bool(names) and (is_labelled or 2 * sum(map(len, names)) >= len(line))


def _runs_of_date(
    page: Page, lines: PageLines, dated: Dated, roles: dict[int, str]
) -> Iterator[int]:
    """Runs of the date's line that show it; a run that says more is that of a byline, if it is."""
    line = lines.lines[dated.line]
    date = line[dated.start : dated.end]
    for run in _runs(page, lines, dated.line):
        text = fold(page.tree.runs[run])
        if not date:  # a time element says it
            is_date = len(line) <= _MAX_BYLINE_CHARS // 2
        else:
            is_date = text in date or (date in text and 3 * len(date) >= 2 * len(text))
            is_date = is_date or (date in text and run not in roles)
        if is_date and text:
            yield run
