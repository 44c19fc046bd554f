"""Where marks are kept: a folder for each marker, ready for ``quarkcrawl evaluate``.

    gold/sample.json                the pages that are to be marked, in order
    gold/anna/0123456789abcdef.html the marked page: its bytes with quark= attributes
    gold/anna/marks.json            of each page the kinds and characters of its blocks, and what
                                    the marks began from: nothing, or the proposal of a method

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

from quarkcrawl.lab.gold import MARKS_FILE, UNKNOWN_ORIGIN
from quarkcrawl.store import storage_errors
from quarkcrawl.workbench.web.http import END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.workbench.web.documents import DocumentSource


MARKER: Final = rf"^[\w-]{{1,40}}{END}"
_SAMPLE: Final = "sample.json"


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
        self, marker: str, document: DocumentSource, kinds: Sequence[str], origin: str, made: Any
    ) -> None:
        """Keep a marked page; ``made`` is what `quarkcrawl.workbench.web.worker.gold.mark` gave.

        Raises:
            StoreError: the folder cannot be written.
        """
        entry = {
            "url": document.url,
            "at": round(time.time(), 3),
            "kinds": list(kinds),
            "origin": origin,
            "chars": made["chars"],
            "n_marks": made["n_marks"],
        }
        with self._lock:
            _write(self.page_path(marker, document.id), made["body"])
            marks = self.marks(marker)
            marks[document.id] = entry
            _write(self.root / marker / MARKS_FILE, _as_bytes(marks))

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
        rows = zip(one[name]["kinds"], two[name]["kinds"], one[name]["chars"], strict=True)
        for first, second, chars in rows:
            pairs[first, second] += chars
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
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


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
