"""Pages that end the whole process: noticed at the next start.

A page that kills its worker is dealt with by the engine. What ends the crawl itself (the analysis
goes on in its process, or the OOM killer chose it) would end every run that tries the same page
again. So ``parsing.url``, a mapped file in the corpus that outlives any kill, holds the URLs that
are being analyzed. What stands there at the next start was at work when the run before died: it
goes to ``crashed.txt``, is then analyzed alone, and after some deaths no more.

A process that dies of its own fault (SIGSEGV and the like) says so in ``crash.log``. If one page
only was at work, it is known to be guilty and not tried again.
"""

from __future__ import annotations

import faulthandler
import mmap
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path


CERTAIN: Final = 1000
"""Deaths noted for a page that is known to be guilty."""

_SLOT_BYTES: Final = 4096
_SLOTS: Final = 64


class CrashGuard:
    """Remembers which URLs are being analyzed, and which ones were when earlier runs died.

    Args:
        root: folder of the corpus.

    Attributes:
        deaths: how many runs died while a URL was being analyzed.
    """

    def __init__(self, root: Path) -> None:
        self._list = root / "crashed.txt"
        self._log = root / "crash.log"
        self._urls = root / "parsing.url"
        self._note_death()
        self.deaths = self._read()
        self._urls.write_bytes(b"\0" * _SLOT_BYTES * _SLOTS)
        with self._urls.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _SLOT_BYTES * _SLOTS)
        self._free = list(range(0, len(self._map), _SLOT_BYTES))
        self._stream = self._log.open("wb")
        faulthandler.enable(self._stream, all_threads=False)

    def _note_death(self) -> None:
        """What the run before was at, if it did not end by itself."""
        if not self._urls.exists():
            return
        raw = self._urls.read_bytes()
        slots = [raw[at : at + _SLOT_BYTES] for at in range(0, len(raw), _SLOT_BYTES)]
        texts = [slot.partition(b"\0")[0].decode("utf-8", "replace") for slot in slots]
        urls = [text for text in texts if text]
        is_fault = self._log.exists() and self._log.stat().st_size > 0
        deaths = CERTAIN if is_fault and len(urls) == 1 else 1
        if urls:
            with self._list.open("a", encoding="utf-8") as file:
                file.writelines(f"{url}\t{deaths}\n" for url in urls)

    def _read(self) -> Counter[str]:
        """Deaths by URL; a line without a number was written when one was enough."""
        deaths: Counter[str] = Counter()
        if self._list.exists():
            for line in self._list.read_text(encoding="utf-8").splitlines():
                url, _, number = line.partition("\t")
                deaths[url] += int(number) if number.isdigit() else CERTAIN
        return deaths

    def begin(self, url: str) -> int | None:
        """The page of this URL is about to be analyzed; returns its slot, if one was free."""
        if not self._free:
            return None
        at = self._free.pop()
        raw = url.encode("utf-8", "replace")[: _SLOT_BYTES - 1]
        self._map[at : at + len(raw) + 1] = raw + b"\0"
        return at

    def end(self, slot: int | None) -> None:
        """The page was analyzed."""
        if slot is not None:
            self._map[slot] = 0
            self._free.append(slot)

    def close(self) -> None:
        """Nothing crashed: leave nothing behind."""
        faulthandler.disable()
        self._stream.close()
        self._map.close()
        self._log.unlink(missing_ok=True)
        self._urls.unlink(missing_ok=True)
