"""A selection of seed sites out of a simulated web, as `quarkcrawl select` leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarkcrawl.lab.mockweb import SelectionWeb
from quarkcrawl.select import Probe, SelectionOptions, SelectionWork, SpamList
from quarkcrawl.select.worktables import write_table

if TYPE_CHECKING:
    from pathlib import Path


def selected_work(folder: Path, n_hosts: int, seed: int = 206) -> SelectionWork:
    web = SelectionWeb(seed, n_hosts)
    work = SelectionWork(folder)
    write_table(work.path("counts.parquet"), web.count_table())
    with work.probe_file() as file:
        for row in web.probe_rows():
            file.add(Probe(**row))
    work.filter(SelectionOptions(spam=SpamList.parse(web.spam_patterns())))
    return work
