"""A salvage under way, and what it kept and what it lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quarkcrawl.store.repair.cuts import new_salvage_folder

if TYPE_CHECKING:
    from pathlib import Path

    from quarkcrawl.store.tianwang import Damage


@dataclass(slots=True)
class SalvageReport:
    """What was kept and what was lost.

    Args:
        hosts: hosts with records.
        records_kept: whole records.
        records_lost: spans of bytes that hold no whole record any more.
        bytes_lost: how much that is.
        repeated: further records of URLs already kept.
        rows_kept, rows_rebuilt, rows_dropped: page rows.
        files_rewritten: page.dat files that had to change.
        parts_lost: Parquet files that could not be read.
        backup: folder with everything taken out; None if nothing was.
        damages: what was found, by file.
    """

    hosts: int = 0
    records_kept: int = 0
    records_lost: int = 0
    bytes_lost: int = 0
    repeated: int = 0
    rows_kept: int = 0
    rows_rebuilt: int = 0
    rows_dropped: int = 0
    files_rewritten: int = 0
    parts_lost: list[Path] = field(default_factory=list)
    backup: Path | None = None
    damages: list[tuple[Path, Damage]] = field(default_factory=list)


@dataclass(slots=True)
class SalvageJob:
    """A salvage under way; ``target`` equals ``root`` when working in place."""

    root: Path
    target: Path
    report: SalvageReport = field(default_factory=SalvageReport)
    versions: Counter[tuple[str, bytes]] = field(default_factory=Counter)
    """How many records of a URL with an MD5 the rows of its versions call for."""

    @property
    def in_place(self) -> bool:
        """Whether the corpus itself is mended."""
        return self.target == self.root

    def backup(self) -> Path:
        """Folder for what is taken out, made when first needed."""
        if self.report.backup is None:
            self.report.backup = new_salvage_folder(self.target, "damaged")
        return self.report.backup
