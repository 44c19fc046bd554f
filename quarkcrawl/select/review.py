"""What a selection did, to be looked at: hosts of a step, the evidence for one, elections.

Everything is read from the work folder as the step ``filter`` left it; tables are kept in memory
until their files change.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from quarkcrawl.errors import InputError
from quarkcrawl.page.urls import registered_domain
from quarkcrawl.select.decisions import UNDECIDED, read_decisions
from quarkcrawl.select.keeplist import read_keep_list
from quarkcrawl.select.probes import read_probe
from quarkcrawl.select.selection import HOST_COLUMNS, STEPS
from quarkcrawl.select.work import KEEP_FILE, PROPOSALS_FILE, SelectionWork
from quarkcrawl.select.worktables import read_table

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

HostState = Literal["dropped", "left", "any"]
"""Whether hosts are listed that a step dropped, or those that it left."""

ALIAS_COLUMNS: Final = ("host", "kept", "evidence", "chosen_by")
_SAMPLES: Final = 5


def selection_of(root: Path) -> SelectionWork | None:
    """The selection that a corpus came from: beside it or in its campaign, if there is one.

    Args:
        root: the corpus.
    """
    beside = root.resolve().parent
    for folder in (beside / "seeds", root / "campaign" / "seeds", beside / "seeds-work"):
        if (folder / "hosts.parquet").is_file():
            return SelectionWork(folder)
    return None


@dataclass(frozen=True, slots=True)
class HostEvidence:
    """All that a selection knows of a host.

    Args:
        row: its row of the hosts: url, pages, step, reason, detail, overruled.
        steps: each step that was done, and what it said: ``passed``, ``dropped``, ``overruled`` or
            ``not_reached``.
        probe: what its home page answered; None: it was not asked.
        names: its alias group: each name with its pages, the kept one first; empty if it has none.
        chosen_by: the rule that elected the kept name.
        domain: its registered domain.
        n_domain: hosts of this domain in the lists.
        proposal: the family that its domain is proposed as; None: it is not.
        decision: what a person said of this family.
        note: what a person noted who keeps it; None: nobody does.
    """

    row: dict[str, Any]
    steps: tuple[tuple[str, str], ...]
    probe: dict[str, Any] | None
    names: tuple[dict[str, Any], ...]
    chosen_by: str
    domain: str
    n_domain: int
    proposal: dict[str, Any] | None
    decision: str
    note: str | None


@dataclass(slots=True)
class SelectionReview:
    """A selection to be looked at.

    Args:
        work: its folder, after the step filter.
    """

    work: SelectionWork
    _tables: dict[str, tuple[int, pa.Table]] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """The numbers of the step filter.

        Raises:
            InputError: it was not run.
        """
        return self.work.summary()

    def kept(self) -> dict[str, str]:
        """Host that a person keeps → note."""
        return read_keep_list(self.work.path(KEEP_FILE))

    def seeds_among(self, names: Collection[str]) -> set[str]:
        """Those of some hosts that no step dropped.

        Args:
            names: host keys, as in the tables.

        Raises:
            InputError: there is no table of hosts, or it is damaged.
        """
        table = self._table("hosts.parquet", HOST_COLUMNS)
        named = pc.is_in(table["host"], value_set=pa.array(list(names), pa.string()))
        seeds = table.filter(pc.and_(named, pc.is_null(table["step"])))
        return set(seeds["host"].to_pylist())

    def decisions(self) -> dict[str, str]:
        """Domain → what a person decided."""
        return read_decisions(self.work.path(PROPOSALS_FILE))

    def hosts(
        self, step: str, state: HostState, reason: str, query: str, *, by_name: bool = False
    ) -> pa.Table:
        """Hosts with step, reason and detail; those with most pages first.

        Args:
            step: one of `STEPS`; "": all hosts, with the state ``left`` the seeds.
            state: those that the step dropped, or those that it left.
            reason: only hosts dropped for this; "": any.
            query: part of the name.
            by_name: order by name instead.

        Raises:
            InputError: there is no table of hosts, or it is damaged.
        """
        table = self._table("hosts.parquet", HOST_COLUMNS)
        condition = pc.match_substring(table["host"], query.lower()) if query else None
        if state == "dropped":
            own = pc.equal(table["step"], step) if step else pc.is_valid(table["step"])
            condition = _both(condition, pc.fill_null(own, fill_value=False))
        elif state == "left":
            later = pa.array(STEPS[STEPS.index(step) + 1 :] if step else (), pa.string())
            left = pc.or_(pc.is_null(table["step"]), pc.is_in(table["step"], value_set=later))
            condition = _both(condition, left)
        if reason:
            own = pc.fill_null(pc.equal(table["reason"], reason), fill_value=False)
            condition = _both(condition, own)
        rows = table if condition is None else table.filter(condition)
        order = [("host", "ascending")]
        return rows.sort_by(order if by_name else [("pages", "descending"), *order])

    def host(self, host: str) -> HostEvidence | None:
        """All that is known of a host; None if it is in no list.

        Args:
            host: host key.

        Raises:
            InputError: a table is missing or damaged.
        """
        hosts = self._table("hosts.parquet", HOST_COLUMNS)
        rows = hosts.filter(pc.equal(hosts["host"], host)).to_pylist()
        if not rows:
            return None
        row = rows[0] | {"overruled": rows[0].get("overruled")}
        probe = read_probe(self.work.path("probes.jsonl"), host)
        names, chosen_by = self._names(host)
        domain = registered_domain(host)
        in_domain = pc.or_(
            pc.equal(hosts["host"], domain), pc.ends_with(hosts["host"], f".{domain}")
        )
        proposals = {one["domain"]: one for one in self.summary()["proposals"]}
        return HostEvidence(
            row,
            tuple(self._passed(row)),
            None if probe is None else asdict(probe),
            names,
            chosen_by,
            domain,
            pc.sum(in_domain).as_py() or 0,
            proposals.get(domain),
            self.decisions().get(domain, UNDECIDED),
            self.kept().get(host),
        )

    def _passed(self, row: dict[str, Any]) -> list[tuple[str, str]]:
        overruled = (row["overruled"] or "").partition(":")[0]
        said, stations = "passed", []
        for step in (one["name"] for one in self.summary()["steps"]):
            if step == row["step"]:
                stations.append((step, "dropped"))
                said = "not_reached"
            else:
                stations.append((step, "overruled" if step == overruled else said))
        return stations

    def _names(self, host: str) -> tuple[tuple[dict[str, Any], ...], str]:
        """The names of a host's site with their pages, the kept one first, and the rule."""
        aliases = self._table("aliases.parquet", ALIAS_COLUMNS)
        mine = pc.or_(pc.equal(aliases["host"], host), pc.equal(aliases["kept"], host))
        groups = aliases.filter(mine).slice(0, 1).to_pylist()
        if not groups:
            return (), ""
        group = self.elections(kept_name=groups[0]["kept"])[0]
        return tuple(group["names"]), group["chosen_by"]

    def elections(
        self, rule: str = "", query: str = "", kept_name: str = ""
    ) -> list[dict[str, Any]]:
        """Alias groups, the largest first: the kept name, the rule, all names with their pages.

        Args:
            rule: only those that this rule decided; "": any.
            query: part of one of the names.
            kept_name: only the group of this name.

        Raises:
            InputError: a table is missing or damaged.
        """
        aliases = self._table("aliases.parquet", ALIAS_COLUMNS)
        if rule:
            aliases = aliases.filter(pc.equal(aliases["chosen_by"], rule))
        if kept_name:
            aliases = aliases.filter(pc.equal(aliases["kept"], kept_name))
        groups: dict[str, dict[str, Any]] = {}
        for row in aliases.to_pylist():
            group = groups.setdefault(
                row["kept"], {"kept": row["kept"], "chosen_by": row["chosen_by"], "names": []}
            )
            group["names"].append({"host": row["host"], "evidence": row["evidence"]})
        elected = [one for one in groups.values() if not query or _names_match(one, query.lower())]
        elected.sort(key=lambda one: (-len(one["names"]), one["kept"]))
        pages = self._pages([name for one in elected for name in _all_names(one)])
        for one in elected:
            named = [{"host": one["kept"], "evidence": ""}, *one["names"]]
            one["names"] = [name | {"pages": pages.get(name["host"], 0)} for name in named]
        return elected

    def _pages(self, names: list[str]) -> dict[str, int]:
        hosts = self._table("hosts.parquet", HOST_COLUMNS)
        counted = hosts.filter(pc.is_in(hosts["host"], value_set=pa.array(names, pa.string())))
        return dict(zip(counted["host"].to_pylist(), counted["pages"].to_pylist(), strict=True))

    def patterns(self) -> list[dict[str, Any]]:
        """What matched hosts of the spam list, most hosts first: pattern, hosts, pages, five hosts.

        Raises:
            InputError: the table is missing or damaged.
        """
        table = self.hosts("spam", "dropped", "", "")
        by_pattern: dict[str, dict[str, Any]] = {}
        for row in table.select(["host", "pages", "detail"]).to_pylist():
            pattern = (row["detail"] or "").partition(" (")[0]
            one = by_pattern.setdefault(
                pattern, {"pattern": pattern, "hosts": 0, "pages": 0, "samples": []}
            )
            one["hosts"] += 1
            one["pages"] += row["pages"]
            if len(one["samples"]) < _SAMPLES:
                one["samples"].append(row["host"])
        return sorted(by_pattern.values(), key=lambda one: (-one["hosts"], one["pattern"]))

    def _table(self, name: str, columns: tuple[str, ...]) -> pa.Table:
        """A table of the folder, read when it has changed."""
        path = self.work.path(name)
        try:
            version = path.stat().st_mtime_ns
        except OSError as error:
            raise InputError("is not there; run the step before", where=path) from error
        cached = self._tables.get(name)
        if cached is None or cached[0] != version:
            cached = version, read_table(path, columns)
            self._tables[name] = cached
        return cached[1]


def _both(one: Any, other: Any) -> Any:
    return other if one is None else pc.and_(one, other)


def _all_names(group: dict[str, Any]) -> list[str]:
    return [group["kept"], *(name["host"] for name in group["names"])]


def _names_match(group: dict[str, Any], query: str) -> bool:
    return any(query in name for name in _all_names(group))
