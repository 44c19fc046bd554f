"""Which page of the sample somebody marks next.

The blind order is that of the draw, which tells nothing of hosts or methods. In the order of
disagreement those pages come first on which the methods differ most: there a mark tells most about
which one is better, and its scores are below those of a random sample, so the order is kept with
the marks. How far methods differ takes a tenth of a second a page; it is found out as long as
somebody asks. Other projects' extractors may take part; which did, and in which version, is kept.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.lab.evaluate import extractor
from quarkcrawl.workbench.web.gold import NO_NOTE
from quarkcrawl.workbench.web.http import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.workbench.web.documents import Documents, DocumentSource
    from quarkcrawl.workbench.web.gold import GoldFolder
    from quarkcrawl.workbench.web.worker import PageWorker


ORDERS: Final = ("blind", "disagreement")
_TURN_PAGES: Final = 16
_TURN_S: Final = 0.3


class MarkingQueue:
    """The pages of the sample in the order in which they are to be marked.

    Args:
        worker: reads pages.
        gold: sample, marks and notes.
        documents: the pages.
        methods: names of the methods that are compared, besides peers that are asked for.
    """

    def __init__(
        self, worker: PageWorker, gold: GoldFolder, documents: Documents, methods: Sequence[str]
    ) -> None:
        self._worker = worker
        self._gold = gold
        self._documents = documents
        self._methods = tuple(methods)

    def order(self, order: str, peers: Sequence[str] = ()) -> tuple[list[str], dict[str, float]]:
        """The sample in an order, and how far the methods differ on its pages.

        Args:
            order: one of `ORDERS`; pages of which it is not known come last by disagreement.
            peers: other projects' extractors that take part; they must be installed.
        """
        ids: list[str] = list(self._gold.sample().get("ids", ()))
        disagreements = self._gold.disagreements(_versions(peers))
        values = {name: disagreements[name] for name in ids if name in disagreements}
        if order == "disagreement":
            ids.sort(key=lambda name: -values.get(name, -1.0))
        return ids, values

    def read_on(self, peers: Sequence[str] = ()) -> None:
        """Compare the methods, and peers, on some more pages of the sample."""
        disagreements = self._gold.disagreements(_versions(peers))
        left = (name for name in self._gold.sample().get("ids", ()) if name not in disagreements)
        more: dict[str, float] = {}
        documents: list[DocumentSource] = []
        for name in islice(left, _TURN_PAGES):
            document = self._document(name)
            if document is None or document.is_read_in_steps:
                more[name] = 0.0  # gone, or too large to be compared in a turn
            else:
                documents.append(document)
        if documents:
            values = self._compared(documents, (*self._methods, *peers))
            more |= {one.id: value for one, value in zip(documents, values, strict=False)}
        if more:
            self._gold.add_disagreements(more, _versions(peers))

    def _compared(self, documents: Sequence[DocumentSource], methods: Sequence[str]) -> list[float]:
        try:
            disagreements: list[float] = self._worker.ask(
                "disagreements", documents=documents, methods=methods, limit_s=_TURN_S
            )
        except ApiError:
            # One page crashes the process or takes too long: each by itself, the next time.
            if len(documents) == 1:
                return [0.0]
            return self._compared(documents[:1], methods)
        return disagreements

    def _document(self, name: str) -> DocumentSource | None:
        try:
            return self._documents[name]
        except ApiError:
            return None

    def of_marker(
        self, marker: str, order: str, after: str = "", peers: Sequence[str] = ()
    ) -> dict[str, Any]:
        """What one person has left to mark.

        Args:
            marker: who marks.
            order: one of `ORDERS`.
            after: page from which one goes on; "" begins.
            peers: other projects' extractors that take part; they must be installed.

        Returns:
            ``next`` is the page to be marked next: one that is not marked; then one of those that
            were skipped; "" if nothing is left.
        """
        ids, values = self.order(order, peers)
        marked = self._gold.marks(marker)
        notes = self._gold.notes(marker)
        is_skipped = {name for name in ids if notes.get(name, NO_NOTE)["is_skipped"]}
        left = [name for name in ids if name not in marked]
        first = [name for name in left if name not in is_skipped]
        place = ids.index(after) + 1 if after in ids else 0
        turned = [*ids[place:], *ids[:place]]
        following = [
            name
            for some in (set(first), set(left))
            for name in turned
            if name in some and name != after
        ]
        return {
            "order": order,
            "next": following[0] if following else "",
            "n_pages": len(ids),
            "n_left": len(left),
            "n_skipped": len(is_skipped.intersection(left)),
            "n_compared": len(values),
        }


def _versions(peers: Sequence[str]) -> str:
    """Names and versions of peers: what another version found is found out anew."""
    return " ".join(f"{name}-{extractor(name).version}" for name in sorted(peers))
