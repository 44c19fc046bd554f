"""Where marks are kept: a folder for each marker, ready for ``quarkcrawl evaluate``.

    gold/sample.json                the pages that are to be marked, in order
    gold/anna/0123456789abcdef.html the marked page: its bytes with quark= attributes
    gold/anna/marks.json            of each page the kinds and characters of its blocks, passages
                                    marked inside of them, and what the marks began from: nothing,
                                    or the proposal of a method
    gold/anna/notes.json            pages that were skipped or flagged, with what was noted
    gold/disagreement.json          how far the methods differ on pages of the sample

The folder of a marker is a gold set as it is.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl import __version__
from quarkcrawl.lab.gold import MARKED_AS, MARKS_FILE, UNKNOWN_ORIGIN
from quarkcrawl.store import storage_errors
from quarkcrawl.workbench.web.http import END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.workbench.web.documents import DocumentSource


MARKER: Final = rf"^[\w-]{{1,40}}{END}"
NO_NOTE: Final[dict[str, Any]] = {"is_skipped": False, "is_flagged": False, "note": ""}
_SAMPLE: Final = "sample.json"
_NOTES: Final = "notes.json"
_DISAGREEMENT: Final = "disagreement.json"


class GoldFolder:
    """Marks of several people.

    Args:
        root: the folder; made when something is saved.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        self._lock = threading.Lock()

    def markers(self) -> list[str]:
        """Who has marked anything."""
        return sorted(path.parent.name for path in self.root.glob(f"*/{MARKS_FILE}"))

    def marks(self, marker: str) -> dict[str, Any]:
        """Marks of a person by page."""
        return _read(self.root / marker / MARKS_FILE)

    def origins(self, marker: str) -> Counter[str]:
        """How many of a person's pages began from what."""
        return Counter(map(origin_of, self.marks(marker).values()))

    def page_path(self, marker: str, name: str) -> Path:
        """The marked page."""
        return self.root / marker / f"{name}.html"

    def save(
        self,
        marker: str,
        document: DocumentSource,
        said: dict[str, Any],
        marked_page: dict[str, Any],
    ) -> None:
        """Keep a marked page; whoever marks a page does not skip it any more.

        Args:
            marker: who marked it.
            document: the page.
            said: kinds of its blocks, origin of the marks, the order in which the page came.
            marked_page: what `quarkcrawl.workbench.web.worker.gold.mark` gave.

        Raises:
            StoreError: the folder cannot be written.
        """
        names = ("chars", "n_marks", "passages", "pieces")
        entry = {
            "url": document.url,
            "at": round(time.time(), 3),
            **said,
            **{name: marked_page[name] for name in names},
        }
        with self._lock:
            _write(self.page_path(marker, document.id), marked_page["body"])
            marks = self.marks(marker)
            marks[document.id] = entry
            _write(self.root / marker / MARKS_FILE, _as_bytes(marks))
            notes = self.notes(marker)
            if notes.get(document.id, NO_NOTE)["is_skipped"]:
                self._note(marker, document.id, {**notes[document.id], "is_skipped": False})

    def notes(self, marker: str) -> dict[str, Any]:
        """What a person noted of pages that were skipped or flagged, see `NO_NOTE`."""
        notes = _read(self.root / marker / _NOTES)
        return {name: {**NO_NOTE, **of} for name, of in notes.items() if isinstance(of, dict)}

    def save_note(self, marker: str, name: str, note: dict[str, Any]) -> None:
        """Keep what a person notes of a page; a note that says nothing is taken away.

        Raises:
            StoreError: the folder cannot be written.
        """
        with self._lock:
            self._note(marker, name, note)

    def _note(self, marker: str, name: str, note: dict[str, Any]) -> None:
        notes = self.notes(marker)
        if note == NO_NOTE:
            notes.pop(name, None)
        else:
            notes[name] = note
        _write(self.root / marker / _NOTES, _as_bytes(notes))

    def disagreements(self, peers: str = "") -> dict[str, float]:
        """How far the methods of this version differ on pages, as far as it is known.

        Args:
            peers: names and versions of other projects' extractors that took part.
        """
        pages = self._compared().get(peers, {})
        return pages if isinstance(pages, dict) else {}

    def add_disagreements(self, more: dict[str, float], peers: str = "") -> None:
        """Keep how far the methods differ on some pages.

        Args:
            more: what was found out, by page.
            peers: names and versions of other projects' extractors that took part.

        Raises:
            StoreError: the folder cannot be written.
        """
        with self._lock:
            compared = self._compared()
            compared[peers] = {**self.disagreements(peers), **more}
            record = {"version": __version__, "pages": compared.pop("", {}), "with_peers": compared}
            _write(self.root / _DISAGREEMENT, _as_bytes(record))

    def _compared(self) -> dict[str, Any]:
        """What this version found out, by the peers that took part."""
        record = _read(self.root / _DISAGREEMENT)
        if record.get("version") != __version__:
            return {}
        with_peers = record.get("with_peers", {})
        others = with_peers if isinstance(with_peers, dict) else {}
        return {**others, "": record.get("pages", {})}

    def remove(self, marker: str, name: str) -> bool:
        """Take a page's marks back; whether there were any."""
        with self._lock:
            marks = self.marks(marker)
            if marks.pop(name, None) is None:
                return False
            _write(self.root / marker / MARKS_FILE, _as_bytes(marks))
            self.page_path(marker, name).unlink(missing_ok=True)
            return True

    def sample(self) -> dict[str, Any]:
        """The pages that are to be marked; empty if none were drawn."""
        return _read(self.root / _SAMPLE)

    def save_sample(self, sample: dict[str, Any]) -> None:
        """Keep a sample.

        Raises:
            StoreError: the folder cannot be written.
        """
        with self._lock:
            _write(self.root / _SAMPLE, _as_bytes(sample))


def origin_of(entry: dict[str, Any]) -> str:
    """What the marks of a page began from: nothing (`BLANK`), or the proposal of a method."""
    return str(entry.get("origin") or UNKNOWN_ORIGIN)


def agreement(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    """How far two people agree, character by character, on the pages that both marked.

    Cohen's kappa takes off what two people who mark at random, each with their own shares of the
    kinds, would agree on (Cohen, A coefficient of agreement for nominal scales, 1960).

    Args:
        one: marks of one of them.
        two: marks of the other.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    pages = [
        name for name in one if name in two and len(one[name]["kinds"]) == len(two[name]["kinds"])
    ]
    for name in pages:
        for block in range(len(one[name]["kinds"])):
            pairs.update(_overlaps(_pieces(one[name], block), _pieces(two[name], block)))
    total = pairs.total()
    same = sum(n for (first, second), n in pairs.items() if first == second)
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for (first, second), n in pairs.items():
        left[first] += n
        right[second] += n
    observed = same / total if total else 0.0
    expected = sum(left[kind] * right[kind] for kind in left) / total**2 if total else 0.0
    kappa = (observed - expected) / (1 - expected) if expected < 1 else 1.0
    return {
        "n_pages": len(pages),
        "n_chars": total,
        "agreement": round(observed, 4),
        "kappa": round(kappa, 4) if total else 0.0,
        "pairs": [{"first": a, "second": b, "chars": n} for (a, b), n in pairs.most_common()],
        "kinds": [
            {
                "kind": kind,
                "first": left[kind],
                "second": right[kind],
                "both": pairs[kind, kind],
                "f1": round(2 * pairs[kind, kind] / (left[kind] + right[kind]), 4),
            }
            for kind in MARKED_AS
            if left[kind] or right[kind]
        ],
    }


def _pieces(entry: dict[str, Any], block: int) -> list[tuple[int, str]]:
    """Characters of a block and their kinds, in order."""
    pieces = entry.get("pieces", {}).get(str(block))
    return pieces or [(entry["chars"][block], entry["kinds"][block])]


def _overlaps(
    one: Sequence[tuple[int, str]], two: Sequence[tuple[int, str]]
) -> Counter[tuple[str, str]]:
    """How many characters two people gave which kinds to; both have the same characters."""
    pairs: Counter[tuple[str, str]] = Counter()
    left, right = list(reversed(one)), list(reversed(two))
    while left and right:
        (n_left, first), (n_right, second) = left.pop(), right.pop()
        n_chars = min(n_left, n_right)
        pairs[first, second] += n_chars
        if n_left > n_chars:
            left.append((n_left - n_chars, first))
        if n_right > n_chars:
            right.append((n_right - n_chars, second))
    return pairs


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _as_bytes(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _write(path: Path, data: bytes) -> None:
    """Replace a file as a whole."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.write_bytes(data)
        draft.replace(path)
