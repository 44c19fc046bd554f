"""All pages of a template, read behind the answers: how full its fields are, and what they hold.

Which pages a template has is known only when every page of its host has been laid on the templates
of the host. That takes ten milliseconds a page, so it is done in the worker process in short turns,
as long as somebody asks; who asks is told how far it is. When only names have changed, the pages
are known already and nothing but their fields is read again.
"""

from __future__ import annotations

import re
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.workbench.web.http import PendingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from quarkcrawl.template import TemplateFields
    from quarkcrawl.workbench.web.documents import Documents, DocumentSource
    from quarkcrawl.workbench.web.index import CorpusIndex
    from quarkcrawl.workbench.web.templatestore import TemplateStore
    from quarkcrawl.workbench.web.worker import PageWorker


_TURN_PAGES: Final = 32
_TURN_S: Final = 0.3
_PATIENCE_S: Final = 10.0
"""How long pages are read on after somebody asked."""

_MOST_READINGS: Final = 8
_ENDING: Final = re.compile(r"\.[A-Za-z]{2,5}$")
_NUMBERS: Final = re.compile(r"[0-9a-f]*[0-9][0-9a-f]{11,}|[0-9]+")
_LEAST_NAMES: Final = 3
_NAME_SHARE: Final = 0.5
"""Of the pages whose addresses differ in one place only: other names there, if any may stand there;
sections have fewer."""

_LEAST_FILLED: Final = 5
"""Values of a field from which its usual length is known."""

_FAR: Final = 4
"""A value is long, or short, that has so many times the usual length, or so small a part of it."""


def url_pattern(url: str) -> str:
    """An address without scheme, numbers and values of the query.

    >>> url_pattern("http://www.pku.edu.cn/news/2003/12.html?id=7&from=a")
    'www.pku.edu.cn/news/#/#.html?id=…&from=…'

    Args:
        url: the address.
    """
    address, question, query = url.partition("://")[2].partition("#")[0].partition("?")
    host, slash, path = address.partition("/")
    names = "&".join(f"{part.partition('=')[0]}=…" for part in query.split("&")) if query else ""
    return host + slash + _NUMBERS.sub("#", path) + question + names


def common_patterns(patterns: Mapping[str, int]) -> dict[str, str]:
    """For each pattern of addresses, one with ``…`` for names that are another on nearly each page.

    >>> blog = {"a.cn/b/one.html": 1, "a.cn/b/two.html": 1, "a.cn/b/three.html": 1, "a.cn/c": 9}
    >>> sorted(set(common_patterns(blog).values()))
    ['a.cn/b/….html', 'a.cn/c']

    Args:
        patterns: how many pages have which pattern, see `url_pattern`.
    """
    common = {pattern: pattern for pattern in patterns}
    most_parts = max((pattern.count("/") for pattern in common), default=0)
    for place in range(most_parts, 0, -1):  # the last name differs most
        names: dict[str, set[str]] = {}
        n_pages: Counter[str] = Counter()
        opened = {old: _with_any_name(pattern, place) for old, pattern in common.items()}
        for old, pattern in opened.items():
            names.setdefault(pattern, set()).add(common[old])
            n_pages[pattern] += patterns[old]
        common |= {
            old: pattern
            for old, pattern in opened.items()
            if len(names[pattern]) >= max(_LEAST_NAMES, _NAME_SHARE * n_pages[pattern])
        }
    return common


def _with_any_name(pattern: str, place: int) -> str:
    """The same for any name at a place of its path, but for the ending; itself if none is there."""
    address, question, query = pattern.partition("?")
    parts = address.split("/")
    if place >= len(parts) or not parts[place]:
        return pattern
    ending = _ENDING.search(parts[place]) if place == len(parts) - 1 else None
    parts[place] = f"…{ending[0] if ending else ''}"
    return "/".join(parts) + question + query


class ClusterPendingError(PendingError):
    """The pages of a cluster are being read.

    Args:
        n_done: pages of the host that were read.
        n_pages: all of them.
    """

    def __init__(self, n_done: int, n_pages: int) -> None:
        super().__init__(f"the cluster is being read ({n_done} of {n_pages} pages)")


@dataclass(slots=True)
class ClusterReading:
    """What is known of the pages of a template.

    Args:
        version: when the template file was changed.
        structure: mark of the templates, which names do not change.
        documents: pages that may have the template.
        n_done: those that were read.
        rows: the pages that have it.
        filled: pages with a value, by field.
        values: hashes of the values, by field.
        patterns: how many of the pages have an address of which pattern.
        failure: why reading ended before its end, "" if it did not.
    """

    version: int
    structure: str
    documents: Sequence[DocumentSource]
    n_done: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    filled: Counter[str] = field(default_factory=Counter)
    values: dict[str, set[bytes]] = field(default_factory=dict)
    patterns: Counter[str] = field(default_factory=Counter)
    failure: str = ""
    asked_at: float = 0.0
    thread: threading.Thread | None = None

    @property
    def is_done(self) -> bool:
        """Whether all pages have been read."""
        return self.n_done >= len(self.documents)

    @property
    def members(self) -> list[DocumentSource]:
        """The pages that have the template."""
        ids = {row["id"] for row in self.rows}
        return [document for document in self.documents if document.id in ids]

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Count some pages that have the template; values are kept as hashes only."""
        for row in rows:
            row["chars"] = {name: len(whole) for name, whole in row["whole"].items()}
            self.patterns[url_pattern(row["url"])] += 1
            for name, whole in row.pop("whole").items():
                self.filled[name] += 1
                mark = blake2b(whole.encode("utf-8", "replace"), digest_size=8)
                self.values.setdefault(name, set()).add(mark.digest())
            self.rows.append(row)

    def judged(self, names: Sequence[str], *, outliers_first: bool) -> list[dict[str, Any]]:
        """The pages, each with what is unusual there: fields that are empty, far longer or shorter.

        Args:
            names: the named fields.
            outliers_first: most that is unusual first, then the least similar; else in the order in
                which they were read.
        """
        rows = list(self.rows)
        usual: dict[str, float] = {}
        for name in names:
            lengths = [row["chars"][name] for row in rows if name in row["chars"]]
            if len(lengths) >= _LEAST_FILLED:
                usual[name] = statistics.median(lengths)
        pages = [{**row, "unusual": list(_unusual(row["chars"], names, usual))} for row in rows]
        if outliers_first:
            pages.sort(key=lambda row: (-len(row["unusual"]), row["similarity"]))
        return pages


def _unusual(
    chars: dict[str, int], names: Sequence[str], usual: dict[str, float]
) -> Iterator[dict[str, str]]:
    for name in names:
        if name not in chars:
            yield {"field": name, "what": "empty"}
        elif name in usual and chars[name] > _FAR * usual[name]:
            yield {"field": name, "what": "long"}
        elif name in usual and chars[name] * _FAR < usual[name]:
            yield {"field": name, "what": "short"}


class Clusters:
    """The pages of templates.

    Args:
        worker: reads pages.
        templates: the template file.
        documents: makes pages of rows.
    """

    def __init__(self, worker: PageWorker, templates: TemplateStore, documents: Documents) -> None:
        self._worker = worker
        self._templates = templates
        self._documents = documents
        self._readings: dict[str, ClusterReading] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def reading(self, index: CorpusIndex, name: str) -> ClusterReading:
        """What is known by now; what is not is read as long as somebody asks.

        Args:
            index: the corpus.
            name: id of the template.

        Raises:
            ApiError: there is no such template.
        """
        entry = self._templates[name]
        with self._lock:
            reading = self._readings.pop(name, None)
            version, structure = self._templates.version, self._templates.structure
            if reading is None or reading.version != version:
                previous = (
                    reading
                    if reading and reading.is_done and reading.structure == structure
                    else None
                )
                documents = (
                    previous.members if previous else list(self._of_host(index, entry["host"]))
                )
                reading = ClusterReading(version, structure, documents)
            self._readings[name] = reading
            while len(self._readings) > _MOST_READINGS:
                self._readings.pop(next(iter(self._readings)))
            reading.asked_at = time.monotonic()
            is_idle = reading.thread is None or not reading.thread.is_alive()
            if is_idle and not reading.is_done and not reading.failure:
                reading.thread = threading.Thread(
                    target=self._read, args=(name, reading), daemon=True
                )
                reading.thread.start()
        return reading

    def known_patterns(self, name: str) -> Counter[str]:
        """How many pages of a template have which pattern of address, as far as it was read.

        Args:
            name: id of the template.
        """
        reading = self._readings.get(name)
        return Counter(reading.patterns) if reading is not None else Counter()

    def _of_host(self, index: CorpusIndex, host: str) -> Iterator[DocumentSource]:
        """The newest version of each page, in the order of ``quarkcrawl template apply``."""
        rows = index.rows(
            "SELECT * FROM pages WHERE host = ? OR ? = '' QUALIFY row_number() OVER"
            ' (PARTITION BY url ORDER BY number DESC) = 1 ORDER BY host, "offset"',
            [host, host],
        )
        return map(self._documents.of_row, rows)

    def _read(self, name: str, reading: ClusterReading) -> None:
        try:
            while not reading.is_done and not self._is_closed:
                if time.monotonic() - reading.asked_at > _PATIENCE_S:
                    return
                first = reading.n_done
                n_done, rows = self._worker.ask(
                    "cluster_rows", documents=reading.documents[first : first + _TURN_PAGES],
                    templates=str(self._templates.path), template=name, limit_s=_TURN_S,
                )  # fmt: skip
                reading.add(rows)
                reading.n_done += n_done
        except Exception as error:  # noqa: BLE001 - told to who asks
            reading.failure = str(error)

    def fields(self, index: CorpusIndex, name: str) -> Iterator[TemplateFields]:
        """The fields of all pages of a template, read whole.

        Raises:
            ClusterPendingError: it is not known yet which they are.
            ApiError: there is no such template, or the worker failed.
        """
        reading = self.reading(index, name)
        if not reading.is_done:
            raise ClusterPendingError(reading.n_done, len(reading.documents))
        return self._fields(name, reading.members)

    def _fields(self, name: str, members: Sequence[DocumentSource]) -> Iterator[TemplateFields]:
        first = 0
        while first < len(members) and not self._is_closed:
            n_done, extractions = self._worker.ask(
                "cluster_fields", documents=members[first : first + _TURN_PAGES],
                templates=str(self._templates.path), template=name, limit_s=_TURN_S,
            )  # fmt: skip
            yield from extractions
            first += n_done

    def close(self) -> None:
        """Read on no further."""
        self._is_closed = True
