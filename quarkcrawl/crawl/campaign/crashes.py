"""Pages that kill the process: noticed at the next start, and then stored unparsed.

The parser is native code; a page that crashes it would crash every run that tries it again. Two
small files in the corpus tell a crash from a kill: ``parsing.url``, a mapped page of memory that
holds the URL being parsed, and ``crash.log``, into which faulthandler writes when the process
dies of its own fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), but not when it is killed from
outside. If both are filled at the next start, the URL goes to ``crashed.txt`` and its page is
from then on stored without being parsed, with the flag ``failed:parse``.
"""

from __future__ import annotations

import faulthandler
import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


_SIZE = 4096


class CrashGuard:
    """Remembers which URL is being parsed, and which ones crashed an earlier run.

    Args:
        root: folder of the corpus.
    """

    def __init__(self, root: Path) -> None:
        self._list = root / "crashed.txt"
        self._log = root / "crash.log"
        url_file = root / "parsing.url"
        self.crashed = self._read(url_file)
        url_file.write_bytes(b"\0" * _SIZE)
        with url_file.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _SIZE)
        self._stream = self._log.open("wb")
        faulthandler.enable(self._stream, all_threads=False)

    def _read(self, url_file: Path) -> set[str]:
        known = self._list.read_text(encoding="utf-8").splitlines() if self._list.exists() else []
        crashed = set(known)
        if self._log.exists() and self._log.stat().st_size and url_file.exists():
            url = url_file.read_bytes().partition(b"\0")[0].decode("utf-8", "replace")
            if url and url not in crashed:
                crashed.add(url)
                with self._list.open("a", encoding="utf-8") as file:
                    file.write(url + "\n")
        return crashed

    def begin(self, url: str) -> None:
        """The page of this URL is about to be parsed."""
        raw = url.encode("utf-8", "replace")[: _SIZE - 1]
        self._map[: len(raw) + 1] = raw + b"\0"

    def end(self) -> None:
        """The page was parsed."""
        self._map[:1] = b"\0"

    def close(self) -> None:
        """Nothing crashed: leave nothing behind."""
        faulthandler.disable()
        self._stream.close()
        self._map.close()
        self._log.unlink(missing_ok=True)
        self._log.with_name("parsing.url").unlink(missing_ok=True)
