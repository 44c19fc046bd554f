"""The work folder of a selection: what each step reads and leaves there.

| file | left by | holds |
|---|---|---|
| ``counts.parquet``, ``count.json`` | count | hosts and pages; numbers of the lists, bad lines |
| ``probes.jsonl`` | check | what each home page answered |
| ``hosts.parquet`` | filter | every host with step and reason, null for seeds |
| ``aliases.parquet`` | filter | second names, the kept one and why |
| ``keep.txt`` | a person | hosts that are kept whatever a step says |
| ``proposals.tsv`` | filter, and a person | proposed spam domains and decisions |
| ``spam_domains.txt`` | filter | accepted domains, as a spam-domain list for the crawl |
| ``seeds.txt``, ``seeds.parquet`` | filter | the seed sites, as a HOSTS file and as a table |
| ``filter.json`` | filter | hosts dropped and left, step by step |
| ``report.html``, ``plots/`` | report | the funnel and the plots |
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import InputError
from quarkcrawl.progress import no_progress
from quarkcrawl.select.decisions import ACCEPT, read_decisions, write_proposals
from quarkcrawl.select.hostcounts import COUNT_COLUMNS, HostCounts, count_hosts
from quarkcrawl.select.keeplist import read_keep_list
from quarkcrawl.select.probes import ProbeFile, read_probes
from quarkcrawl.select.proposals import Proposal
from quarkcrawl.select.selection import (
    STEPS,
    Selection,
    SelectionOptions,
    StepResult,
    hosts_table,
    select_sites,
)
from quarkcrawl.select.validity import name_reason
from quarkcrawl.select.worktables import (
    one_writer,
    read_json,
    read_table,
    write_json,
    write_table,
    write_text,
)
from quarkcrawl.store import new_folder, sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import pyarrow as pa

    from quarkcrawl.progress import Progress


KEEP_FILE: Final = "keep.txt"
PROPOSALS_FILE: Final = "proposals.tsv"
COUNTS_FILE: Final = "counts.parquet"
PROBES_FILE: Final = "probes.jsonl"
SUMMARY_FILE: Final = "filter.json"
_RESULTS: Final = (
    "hosts.parquet", "aliases.parquet", "spam_domains.txt", "seeds.parquet", "seeds.txt",
    SUMMARY_FILE,
)  # fmt: skip
"""What the step filter writes anew each time; what is read first stands last."""
_DRAFT: Final = ".filter.draft"
_READY: Final = ".filter.ready"
"""Folders of a result: while it is written, and whole but not yet in its place."""


@dataclass(frozen=True, slots=True)
class SelectionWork:
    """A work folder; each method is one step.

    Args:
        root: the folder; made by the first step.
    """

    root: Path

    def path(self, name: str) -> Path:
        """Path of a file in the folder, once a whole result is in its place.

        Args:
            name: name of the file.

        Raises:
            InputError: a line of the proposals is no decision.
            StoreError: a filter was stopped between two files of its result, and the others cannot
                be put beside them.
        """
        if (self.root / _READY).is_dir():
            with one_writer(self.root):
                self._place_result()
        return self.root / name

    def count(
        self,
        lists: Iterable[str | Path],
        *,
        column: str = "url",
        memory_bytes: int = 2 << 30,
        on_progress: Progress = no_progress,
    ) -> HostCounts:
        """Count the pages of each host in URL lists; see `count_hosts`.

        Args:
            lists: files with URLs.
            column: column of Parquet lists.
            memory_bytes: bound on the memory of the count.
            on_progress: is told of each list.

        Raises:
            InputError: a list cannot be read.
            StoreError: the tables cannot be written.
        """
        counts = count_hosts(
            lists, column=column, memory_bytes=memory_bytes, on_progress=on_progress
        )
        write_table(self.path("counts.parquet"), counts.table)
        write_json(self.path("count.json"), counts.summary())
        return counts

    def counts(self) -> pa.Table:
        """The hosts.

        Raises:
            InputError: they are not counted yet, or columns are missing.
        """
        return read_table(self.path("counts.parquet"), COUNT_COLUMNS[:3])

    def to_check(self) -> dict[str, str]:
        """Host → home page, for the hosts with a possible name, by host.

        Raises:
            InputError: there are no counts yet.
        """
        counts = self.counts()
        pairs = zip(counts["host"].to_pylist(), counts["url"].to_pylist(), strict=True)
        return {host: url for host, url in pairs if name_reason(host) is None}

    def probe_file(self) -> ProbeFile:
        """The file of the check, open for appending.

        Raises:
            StoreError: it cannot be written.
        """
        return ProbeFile(self.path("probes.jsonl"))

    def check_summary(self) -> dict[str, Any]:
        """How far the check is: hosts to check, checked, alive, reasons of the others."""
        hosts = self.to_check()
        probes = [p for p in read_probes(self.path("probes.jsonl")) if p.host in hosts]
        reasons = Counter(probe.reason for probe in probes if not probe.is_alive)
        return {
            "hosts": len(hosts),
            "checked": len(probes),
            "alive": len(probes) - reasons.total(),
            "complete": len(probes) == len(hosts),
            "reasons": dict(reasons.most_common()),
        }

    def require_steps_before(self, *, checked: bool) -> None:
        """See that what the step filter reads is there.

        Args:
            checked: whether the check is used.

        Raises:
            InputError: a step before is missing.
        """
        for name in (COUNTS_FILE, PROBES_FILE) if checked else (COUNTS_FILE,):
            if not self.path(name).is_file():
                raise InputError("is not there; run the step before", where=self.path(name))

    def result_version(self) -> str:
        """What tells one result of the step filter from any other; "" if there is none."""
        digest, is_there = hashlib.blake2b(digest_size=12), False
        for name in _RESULTS:
            try:
                file = self.path(name).stat()
            except OSError:
                continue
            is_there = True
            digest.update(f"{name} {file.st_mtime_ns} {file.st_size}\n".encode())
        return digest.hexdigest() if is_there else ""

    def filter(
        self,
        options: SelectionOptions,
        *,
        checked: bool = True,
        on_step: Callable[[StepResult], None] | None = None,
        on_progress: Progress = no_progress,
    ) -> Selection:
        """Do all steps on the tables, keep a person's decisions, write the results.

        Args:
            options: decisions and kept hosts in it are added to those of ``proposals.tsv`` and
                ``keep.txt``.
            checked: use the check; without it the steps ``check`` and ``aliases`` are left out.
            on_step: is given what each step did as soon as it is done.
            on_progress: is told of each step.

        Raises:
            ConfigError: there is no such method or step.
            InputError: a step before is missing, or a table is damaged.
            StoreError: the results cannot be written.
        """
        counts = self.counts()
        probes = read_probes(self.path(PROBES_FILE)) if checked else None
        decisions = {**read_decisions(self.path(PROPOSALS_FILE)), **options.decisions}
        keep = options.keep | read_keep_list(self.path(KEEP_FILE)).keys()
        all_options = replace(options, decisions=decisions, keep=keep)
        selection = select_sites(
            counts, probes, all_options, on_step=on_step, on_progress=on_progress
        )
        on_progress("tables", 0, None)
        numbers = filter_summary(selection, counts.num_rows)
        numbers |= {
            "options": noted_options(options, checked=checked),
            "decisions": dict(options.decisions),
        }
        accepted = {domain for domain, word in decisions.items() if word == ACCEPT}
        with one_writer(self.root):
            self._place_result()
            with new_folder(self.root / _READY, self.root / _DRAFT, _clear):
                _write_result(self.root / _DRAFT, counts, selection, accepted, numbers)
            self._place_result()
        return selection

    def _place_result(self) -> None:
        """Put a whole result in its place: all its files, and what it proposes to a person.

        A stop on the way leaves the folder, and whoever opens a file next goes on; so nobody ever
        works with files of two results. What a person decided meanwhile holds.
        """
        ready = self.root / _READY
        if not ready.is_dir():
            return
        if (ready / SUMMARY_FILE).is_file():
            numbers = read_json(ready / SUMMARY_FILE)
            path = self.root / PROPOSALS_FILE
            decisions = {**read_decisions(path), **numbers["decisions"]}
            write_proposals(path, (Proposal(**one) for one in numbers["proposals"]), decisions)
        for name in _RESULTS:
            with suppress(FileNotFoundError):  # it was placed before the stop
                (ready / name).rename(self.root / name)
        sync_folder(self.root)
        ready.rmdir()

    def summary(self) -> dict[str, Any]:
        """The numbers of the last `filter`.

        Raises:
            InputError: it was not run yet.
        """
        numbers: dict[str, Any] = read_json(self.path(SUMMARY_FILE))
        return numbers


def _write_result(
    folder: Path,
    counts: pa.Table,
    selection: Selection,
    accepted: Iterable[str],
    numbers: dict[str, Any],
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - slow to load

    write_table(folder / "hosts.parquet", hosts_table(counts, selection))
    write_table(folder / "aliases.parquet", _alias_table(selection))
    patterns = "".join(f"{domain}\n" for domain in sorted(accepted))
    write_text(folder / "spam_domains.txt", _SPAM_HEAD + patterns)
    rows = [asdict(seed) | {"aliases": list(seed.aliases)} for seed in selection.seeds]
    write_table(folder / "seeds.parquet", pa.Table.from_pylist(rows, schema=_seed_schema()))
    urls = dict.fromkeys(seed.url for seed in selection.seeds)
    write_text(folder / "seeds.txt", "".join(f"{url}\n" for url in urls))
    write_json(folder / SUMMARY_FILE, numbers)


def _clear(draft: Path) -> None:
    if draft.is_dir():
        shutil.rmtree(draft)


_SPAM_HEAD = "# Domains accepted as spam families in seed selection.\n"


def noted_options(options: SelectionOptions, *, checked: bool) -> dict[str, Any]:
    """Options of the step filter by the names that they have on the command line."""
    return {
        "min_pages": options.least_pages,
        "aliases": options.aliases,
        "outliers": options.outliers,
        "drop_undecided": options.drop_undecided,
        "skip": [step for step in STEPS if step in options.skip],
        "unchecked": not checked,
        "spam_list": list(options.spam.sources),
    }


def filter_summary(selection: Selection, n_hosts: int) -> dict[str, Any]:
    """Steps, reasons, alias groups and proposals as JSON values."""
    return {
        "hosts": n_hosts,
        "steps": [asdict(step) for step in selection.steps],
        "seeds": len(selection.seeds),
        "kept": len(selection.kept),
        "alias_groups": len(selection.groups),
        "elections": dict(Counter(group.reason for group in selection.groups).most_common()),
        "proposals": [asdict(one) for one in selection.proposals],
    }


def _alias_table(selection: Selection) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    rows = [
        {"host": other, "kept": group.name, "evidence": evidence, "chosen_by": group.reason}
        for group in selection.groups
        for other, evidence in zip(group.others, group.evidence, strict=True)
    ]
    names = ("host", "kept", "evidence", "chosen_by")
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in names]))


def _seed_schema() -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415

    text = pa.string()
    fields = [("host", text), ("url", text), ("pages", pa.int64()), ("md5", text)]
    return pa.schema([*fields, ("aliases", pa.list_(text))])
