"""Several extractors on the same pages: quality, failures, speed, worth of differences."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from quarkcrawl.analysis import map_pages
from quarkcrawl.errors import InputError
from quarkcrawl.lab.evaluate.extractors.bootstrap import Difference, paired_bootstrap
from quarkcrawl.lab.evaluate.extractors.extractors import extractor
from quarkcrawl.lab.evaluate.extractors.measure import Job, Measurement, measure
from quarkcrawl.lab.gold import (
    Score,
    groups_of,
    includes_title,
    load_gold,
    macro,
    marked_text,
    set_name,
)
from quarkcrawl.page import host_key
from quarkcrawl.page.urls import split_host

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Summary:
    """An extractor on a set of pages.

    Args:
        n_pages: pages.
        score: macro precision, recall and F1.
        empty_share: share of the pages for which it found no text.
        failures: pages on which it failed, by kind (``timeout``, ``crash``, ``error``).
        mean_pages_per_s: pages over CPU seconds, failed pages left out.
        median_pages_per_s: one over the median CPU time of a page.
    """

    n_pages: int
    score: Score
    empty_share: float
    failures: dict[str, int]
    mean_pages_per_s: float
    median_pages_per_s: float

    @classmethod
    def of(cls, measured: Sequence[Measurement]) -> Summary:
        """Summarise measurements, of which there must be one at least."""
        times = [page.cpu_s for page in measured if page.failure is None]
        total_s, median_s = sum(times), statistics.median(times or [0.0])
        kinds = Counter((page.failure or "").partition(":")[0] for page in measured)
        return cls(
            n_pages=len(measured),
            score=macro([page.score for page in measured]),
            empty_share=sum(page.is_empty for page in measured) / len(measured),
            failures={kind: n for kind, n in kinds.items() if kind},
            mean_pages_per_s=len(times) / total_s if total_s else 0.0,
            median_pages_per_s=1 / median_s if median_s else 0.0,
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Extractors measured on the same pages.

    Args:
        jobs: the pages.
        measured: a measurement for each page, by extractor.
        absent: extractors that are not installed, with what pip installs them from.
        versions: release of the package of each peer; "" if it is unknown.
    """

    jobs: tuple[Job, ...]
    measured: dict[str, tuple[Measurement, ...]]
    absent: dict[str, str]
    versions: dict[str, str]

    def groups(self) -> dict[str, list[int]]:
        """Page numbers of each set, then of each group of sets."""
        sets: dict[str, list[int]] = {}
        groups: dict[str, list[int]] = {}
        for number, job in enumerate(self.jobs):
            sets.setdefault(job.set_name, []).append(number)
            for group in groups_of(job.set_name, job.page.lang):
                groups.setdefault(group, []).append(number)
        first = ("articles_zh", "all_zh")
        order = sorted(groups, key=lambda name: (name not in first, name))
        return sets | {name: groups[name] for name in order}

    def summaries(self, name: str) -> dict[str, Summary]:
        """One extractor on each set and group.

        Args:
            name: name of the extractor.
        """
        pages = self.measured[name]
        return {
            group: Summary.of([pages[number] for number in numbers])
            for group, numbers in self.groups().items()
        }

    def difference(
        self, first: str, second: str, group: str, *, by_host: bool = True
    ) -> Difference:
        """Difference of two extractors' macro F1 with its interval.

        Args:
            first: an extractor.
            second: another.
            group: set or group of sets.
            by_host: draw whole hosts (a page without URL is a host of its own), not pages.
        """
        numbers = self.groups()[group]
        values = [
            [self.measured[name][number].score.f1 for number in numbers] for name in (first, second)
        ]
        hosts = [_host(self.jobs[number]) for number in numbers] if by_host else None
        return paired_bootstrap(values[0], values[1], groups=hosts)


def _host(job: Job) -> str:
    host, _ = split_host(host_key(job.page.url))
    return host or f"{job.set_name} {job.page.number}"


def load_jobs(
    paths: Iterable[Path],
    *,
    sets: Collection[str] = (),
    title_in: Collection[str] = (),
    limit: int | None = None,
) -> list[Job]:
    """Read sets of pages with gold text.

    Args:
        paths: files of JSON lines, folders of such files, or folders of hand-marked pages. Pages of
            whose content only pieces are known are passed over.
        sets: names of the sets wanted; none means all.
        title_in: sets whose gold text includes the headline, besides those known.
        limit: most pages of a set.

    Raises:
        InputError: for a file that cannot be used, a page without gold text, an unknown set, two
            sets of one name, no page at all.
    """
    files = _sets(paths)
    for name in sets:
        if name not in files:
            raise InputError(f"no set {name!r}; there are {', '.join(files)}")
    jobs: list[Job] = []
    for name, path in files.items():
        if not sets or name in sets:
            whole = [page for page in load_gold(path) if not page.has_pieces_only]
            for page in whole[:limit]:
                page_with_text = page if path.is_file() else marked_text(page)
                if not isinstance(page_with_text.gold_text, str):
                    raise InputError("no gold_text", where=page.where)
                jobs.append(Job(name, page_with_text, includes_title(page, name, title_in)))
    if not jobs:
        raise InputError(f"no page with a gold text in {', '.join(files)}")
    return jobs


def _sets(paths: Iterable[Path]) -> dict[str, Path]:
    """File or folder of each set, by its name."""
    files: dict[str, Path] = {}
    for path in (path for given in paths for path in _set_files(given)):
        if files.setdefault(set_name(path), path) is not path:
            raise InputError(f"a second set called {set_name(path)!r}", where=path)
    return files


def _set_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.gz")]) or [path]


def compare(
    names: Sequence[str],
    jobs: Sequence[Job],
    *,
    workers: int = 0,
    timeout_s: float = 30.0,
    tick: Callable[[], None] = lambda: None,
) -> Comparison:
    """Measure extractors, one after the other, each in a fresh pool of processes.

    A page on which one raises, dies or takes too long scores 0 and is counted.

    Args:
        names: extractors as `extractor` knows them; one that is not installed counts as absent.
        jobs: the pages.
        workers: number of processes; 0: one per core.
        timeout_s: longest time for a page.
        tick: called after each page.

    Raises:
        InputError: if there is no extractor of a name.
    """
    extractors = {name: extractor(name) for name in names}
    measured = {
        name: tuple(_measured(name, jobs, workers, timeout_s, tick))
        for name, entry in extractors.items()
        if entry.is_installed
    }
    return Comparison(
        jobs=tuple(jobs),
        measured=measured,
        absent={name: entry.package for name, entry in extractors.items() if name not in measured},
        versions={name: extractors[name].version for name in measured if extractors[name].package},
    )


def _measured(
    name: str, jobs: Sequence[Job], workers: int, timeout_s: float, tick: Callable[[], None]
) -> Iterable[Measurement]:
    for outcome in map_pages(partial(measure, name), jobs, workers=workers, timeout_s=timeout_s):
        tick()
        yield outcome.value or Measurement(failure=outcome.failure)
