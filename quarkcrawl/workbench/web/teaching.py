"""What a rule would change on the pages of its site, tried behind the answers; nothing is kept.

Each page of the site is extracted and corrected by the rules with and without the new one. That
takes some ten milliseconds a page, so it is done in the worker process in short turns, as long as
somebody asks; who asks is told how far it is.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.workbench.web.http import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quarkcrawl.template.site import SiteRule, SiteRules
    from quarkcrawl.workbench.web.documents import Documents, DocumentSource
    from quarkcrawl.workbench.web.index import CorpusIndex
    from quarkcrawl.workbench.web.worker import PageWorker


_TURN_PAGES: Final = 32
_TURN_S: Final = 0.3
_PATIENCE_S: Final = 10.0
"""How long pages are read on after somebody asked."""

_MOST_TRIALS: Final = 8
MOST_SHOWN: Final = 60
"""Pages of the gallery: those that change most."""


@dataclass(slots=True)
class Trial:
    """What is known by now of the effect of a rule.

    Args:
        documents: pages of the site.
        method: extraction method.
        before: rules that hold without it.
        after: rules that hold with it.
        n_done: pages that were tried, or passed over.
        counts: pages by what became of them: ``changed``, ``same``, ``kept``, ``unreadable``,
            ``large``, ``failed``.
        chars: characters of the contents ``before``, ``added`` and ``removed``.
        failure: why it ended before its end, "" if it did not.
    """

    documents: Sequence[DocumentSource]
    method: str
    before: str
    after: str
    n_done: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    chars: Counter[str] = field(default_factory=Counter)
    failure: str = ""
    asked_at: float = 0.0
    thread: threading.Thread | None = None
    _most: list[tuple[int, int, dict[str, Any]]] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether all pages have been tried."""
        return self.n_done >= len(self.documents)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The pages that change most, those first."""
        return [row for *_, row in sorted(self._most, key=lambda one: (-one[0], -one[1]))]

    def add(self, row: dict[str, Any]) -> None:
        """Count a page that was tried."""
        self.counts[row["state"]] += 1
        for name in ("before", "added", "removed"):
            self.chars[name] += row[name]
        if row["state"] == "changed":
            keep = heapq.heappush if len(self._most) < MOST_SHOWN else heapq.heappushpop
            keep(self._most, (row["added"] + row["removed"], -self.n_done, row))
        self.n_done += 1

    def pass_over(self, why: str) -> None:
        """Count a page that is not tried."""
        self.counts[why] += 1
        self.n_done += 1


class Teaching:
    """Tries rules on the pages of their sites.

    Args:
        worker: reads pages.
        documents: makes pages of rows.
    """

    def __init__(self, worker: PageWorker, documents: Documents) -> None:
        self._worker = worker
        self._documents = documents
        self._trials: dict[tuple[str, ...], Trial] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def trial(self, index: CorpusIndex, rule: SiteRule, rules: SiteRules, method: str) -> Trial:
        """What is known by now; what is not is tried as long as somebody asks.

        Args:
            index: the corpus.
            rule: what would be added, or is accepted already.
            rules: those that are accepted.
            method: extraction method.
        """
        before, after = sides_of(rule, rules)
        key = rule.host, method, before, after
        with self._lock:
            trial = self._trials.pop(key, None)
            if trial is None:
                trial = Trial(list(self._of_host(index, rule.host)), method, before, after)
            self._trials[key] = trial
            while len(self._trials) > _MOST_TRIALS:
                self._trials.pop(next(iter(self._trials)))
            trial.asked_at = time.monotonic()
            is_idle = trial.thread is None or not trial.thread.is_alive()
            if is_idle and not trial.is_done and not trial.failure:
                trial.thread = threading.Thread(target=self._try, args=(trial,), daemon=True)
                trial.thread.start()
        return trial

    def _of_host(self, index: CorpusIndex, host: str) -> Iterator[DocumentSource]:
        """The newest version of each page."""
        rows = index.rows(
            "SELECT * FROM pages WHERE host = ? QUALIFY row_number() OVER"
            ' (PARTITION BY url ORDER BY number DESC) = 1 ORDER BY "offset"',
            [host],
        )
        return map(self._documents.of_row, rows)

    def _try(self, trial: Trial) -> None:
        try:
            while not trial.is_done and not self._is_closed:
                if time.monotonic() - trial.asked_at > _PATIENCE_S:
                    return
                self._turn(trial)
        except Exception as error:  # noqa: BLE001 - told to who asks
            trial.failure = str(error)

    def _turn(self, trial: Trial) -> None:
        """Some pages; one that crashes the process or takes too long is counted alone."""
        turn: list[DocumentSource] = []
        for document in trial.documents[trial.n_done : trial.n_done + _TURN_PAGES]:
            if document.is_read_in_steps:
                break
            turn.append(document)
        if not turn:
            trial.pass_over("large")
            return
        try:
            rows = self._changes(trial, turn)
        except ApiError:
            try:
                rows = self._changes(trial, turn[:1])
            except ApiError:
                trial.pass_over("failed")
                return
        for row in rows:
            trial.add(row)

    def _changes(self, trial: Trial, documents: list[DocumentSource]) -> list[dict[str, Any]]:
        changes: list[dict[str, Any]] = self._worker.ask(
            "taught_changes", documents=documents, method=trial.method, before=trial.before,
            after=trial.after, limit_s=_TURN_S,
        )  # fmt: skip
        return changes

    def close(self) -> None:
        """Try no further."""
        self._is_closed = True


def sides_of(rule: SiteRule, rules: SiteRules) -> tuple[str, str]:
    """The rules of a host without a rule and with it.

    Args:
        rule: one that is accepted, or not yet.
        rules: those that are accepted.
    """
    return rules.without(rule.key).of(rule.host), rules.with_rule(rule).of(rule.host)
