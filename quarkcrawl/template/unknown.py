"""Pages without a template, kept until there are enough to find new ones (thesis, section 5.3).

The buffer is a file of JSON lines, in order of arrival. When enough pages have come since the last
round, all that wait are clustered; clusters that are large enough become templates, the other pages
wait for further rounds and are then dropped and counted. Templates that exist are never changed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import InputError
from quarkcrawl.store import write_whole
from quarkcrawl.template.model import (
    check_shape,
    node_words,
    nodes_of,
    nodes_of_words,
    sequence_of_nodes,
)
from quarkcrawl.template.structure import Signs
from quarkcrawl.template.train import TrainOptions, train_sequences

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from quarkcrawl.template.model import TemplateSet
    from quarkcrawl.template.structure import TagSequence


_SHAPE: Final = {
    "url": str,
    "nodes": str,
    "rounds": int,
    "title?": str,
    "marks?": [str],
    "has_prose?": bool,
}
"""One waiting page."""


@dataclass(frozen=True, slots=True)
class BufferOptions:
    """When new templates are looked for; the thesis names no numbers.

    Args:
        size_pages: pages that have to come before the next round; at most ``max_rounds`` times as
            many wait.
        least_pages: pages of a cluster that make a template.
        max_rounds: rounds after which a page that fits nowhere is dropped.
    """

    size_pages: int = 500
    least_pages: int = 5
    max_rounds: int = 3


@dataclass(frozen=True, slots=True)
class Round:
    """What a search for new templates gave.

    Args:
        templates: all templates, the new ones last.
        n_new: how many are new.
        n_explained: pages that have a template now.
        n_dropped: pages that waited too long.
        n_waiting: pages still in the buffer.
    """

    templates: TemplateSet
    n_new: int
    n_explained: int
    n_dropped: int
    n_waiting: int


@dataclass(slots=True)
class _Waiting:
    url: str
    sequence: TagSequence
    rounds: int


class UnknownBuffer:
    """Unknown pages in a file.

    Args:
        path: file of the waiting pages; made when the first page comes.
        options: when to look for templates; None for the defaults.

    Raises:
        InputError: the file is damaged.
    """

    def __init__(self, path: str | PathLike[str], options: BufferOptions | None = None) -> None:
        self.path = Path(path)
        self.options = options or BufferOptions()
        self._waiting: list[_Waiting] = []
        if self.path.exists():
            text = self.path.read_text(encoding="utf-8", errors="replace")
            self._waiting = _parsed(text, self.path)
            if text and not text.endswith("\n"):  # what is appended must not follow a cut line
                self._write()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether it is time to look for templates.

        Pages that have been in a round do not count: where few of them find a template, they would
        fill the buffer and have their other rounds at once, beside the same pages.
        """
        return sum(not entry.rounds for entry in self._waiting) >= self.options.size_pages

    def add(self, url: str, sequence: TagSequence) -> None:
        """Append a page; it is in the file when this returns.

        Args:
            url: URL of the page.
            sequence: its structure.
        """
        entry = _Waiting(url, sequence, 0)
        with self.path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(_line(entry))
        self._waiting.append(entry)

    def retrain(
        self,
        templates: TemplateSet,
        options: TrainOptions | None = None,
        save: Callable[[TemplateSet], None] | None = None,
    ) -> Round:
        """Look for templates among the waiting pages.

        Args:
            templates: those that exist; how they were made holds for the new ones.
            options: grouping of hosts and support; None for the defaults.
            save: called with all templates before the buffer lets go of their pages.
        """
        base = options or TrainOptions()
        how = replace(
            base,
            sequence=templates.sequence,
            # A page is put beside templates by the common subsequence, whatever measure made them.
            cluster=replace(templates.cluster, measure=""),
            least_pages=self.options.least_pages,
        )
        sequences = [entry.sequence for entry in self._waiting]
        training = train_sequences(sequences, [entry.url for entry in self._waiting], how)
        known_ids = {template.id for template in templates.templates}
        new = [
            template for template in training.templates.templates if template.id not in known_ids
        ]
        for template in new:
            noted = replace(template, buffer_pages=self.options.size_pages)
            templates = templates.with_template(noted)
        left = [
            _Waiting(entry.url, entry.sequence, entry.rounds + 1)
            for entry, name in zip(self._waiting, training.template_of, strict=True)
            if not name
        ]
        if save is not None:
            save(templates)
        n_explained = len(self._waiting) - len(left)
        self._waiting = [entry for entry in left if entry.rounds < self.options.max_rounds]
        self._write()
        n_dropped = len(left) - len(self)
        return Round(templates, len(new), n_explained, n_dropped, len(self))

    def _write(self) -> None:
        with write_whole(self.path) as file:
            file.writelines(_line(entry).encode("utf-8", "replace") for entry in self._waiting)


def _line(entry: _Waiting) -> str:
    nodes = node_words(nodes_of(entry.sequence))
    record = {"url": entry.url, "nodes": nodes, "rounds": entry.rounds}
    record |= asdict(entry.sequence.signs)
    return json.dumps(record, ensure_ascii=False) + "\n"


def _signs(record: dict[str, Any]) -> Signs:
    """The signs of a waiting page; none in files from before there were any."""
    marks = tuple(record.get("marks", ()))
    return Signs(record.get("title", ""), marks, record.get("has_prose", False))


def _parsed(text: str, path: Path) -> list[_Waiting]:
    """All whole lines; a last line that a crash has cut is no error."""
    entries = []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            record = json.loads(line)
            check_shape(record, _SHAPE)
            nodes = sequence_of_nodes(nodes_of_words(record["nodes"]))
            sequence = replace(nodes, signs=_signs(record))
            entries.append(_Waiting(record["url"], sequence, record["rounds"]))
        except (ValueError, RecursionError, InputError) as error:
            raise InputError(f"damaged: {error}", where=f"{path}:{number}") from error
    return entries
