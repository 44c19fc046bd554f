"""The pages that can be looked at: stored ones, and those that somebody pasted or fetched.

What was pasted, uploaded or fetched is kept in a temporary folder, the oldest go first. Both kinds
are known by 16 hexadecimal digits; those of pasted pages begin behind an ``x``.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.store import page_dat_path, storage_errors
from quarkcrawl.template.site import RULES_FILE
from quarkcrawl.workbench.web.http import END, ApiError

if TYPE_CHECKING:
    from quarkcrawl.workbench.web.index import CorpusIndex


MAX_BYTES: Final = 16 << 20
"""Largest page that may be pasted."""

LARGE_BYTES: Final = 1 << 20
"""Pages from this size on are read in steps."""

PAGE_ID: Final = f"^x?[0-9a-f]{{16}}{END}"
_MOST_PAGES: Final = 100
_MOST_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """Where the bytes of a page are; small and picklable.

    Args:
        url: address, "" if unknown.
        path: file with the bytes: the body, or the page.dat of the host.
        offset: first byte of the record in the page.dat; -1 for a body.
        length: bytes of the record; 0 for a body.
        content_type: header of the reply, of a body.
        n_bytes: size of the body.
        is_markup: False for plain text, which has no tree.
        rendered_in: corpus whose table of pages has it as a browser drew it; "" if none did.
        rules_in: file of what people taught about the sites of its corpus; "": it has no corpus.
    """

    id: str
    url: str
    path: str
    offset: int = -1
    length: int = 0
    content_type: str = ""
    n_bytes: int = 0
    is_markup: bool = True
    rendered_in: str = ""
    rules_in: str = ""

    @property
    def is_stored(self) -> bool:
        """Whether it is a page of the corpus."""
        return self.offset >= 0

    @property
    def is_read_in_steps(self) -> bool:
        """Whether it is a large page, see `quarkcrawl.workbench.web.worker.reading`."""
        return self.n_bytes >= LARGE_BYTES


class Documents:
    """All pages that can be looked at.

    Args:
        index: where pages of the corpus are found; None without a corpus.
        rules_file: what people taught about its sites.
    """

    def __init__(self, index: CorpusIndex | None, rules_file: Path = Path(RULES_FILE)) -> None:
        self._index = index
        self._rules_file = rules_file
        self._folder = Path(tempfile.mkdtemp(prefix="quarkcrawl-pages-"))
        self._kept: OrderedDict[str, tuple[DocumentSource, int]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, body: bytes, url: str = "", content_type: str = "") -> DocumentSource:
        """Keep a page that is not in the corpus.

        Args:
            body: its bytes.
            url: its address.
            content_type: header that it came with.

        Raises:
            StoreError: the temporary folder cannot be written.
        """
        mark = blake2b(digest_size=8)
        for part in (url.encode("utf-8", "replace"), content_type.encode("utf-8", "replace"), body):
            mark.update(len(part).to_bytes(8) + part)
        name = "x" + mark.hexdigest()
        path = self._folder / name
        document = DocumentSource(
            name, url, str(path), content_type=content_type, n_bytes=len(body)
        )
        with self._lock:
            with storage_errors(path):
                path.write_bytes(body)
            self._kept[name] = document, len(body)
            self._kept.move_to_end(name)
            self._drop_old()
        return document

    def _drop_old(self) -> None:
        while len(self._kept) > _MOST_PAGES or sum(n for _, n in self._kept.values()) > _MOST_BYTES:
            name, _ = self._kept.popitem(last=False)
            (self._folder / name).unlink(missing_ok=True)

    def __getitem__(self, name: str) -> DocumentSource:
        """The page with an id.

        Raises:
            ApiError: there is none.
        """
        if name.startswith("x"):
            with self._lock:
                if name in self._kept:
                    self._kept.move_to_end(name)
                    return self._kept[name][0]
        elif self._index is not None:
            row = self._index.row("SELECT * FROM pages WHERE id = ?", [name])
            if row:
                return self.of_row(row)
        raise ApiError(404, "no such page; pasted pages are kept for a while only")

    def of_row(self, row: dict[str, Any]) -> DocumentSource:
        """The page of a row of the index."""
        path = page_dat_path(Path(str(row["shard"])), str(row["host"]))
        offset, length, n_bytes = (int(row[name]) for name in ("offset", "length", "body_bytes"))
        is_markup = row["mime"] != "text/plain"
        return DocumentSource(
            row["id"], row["url"], str(path), offset, length, n_bytes=n_bytes, is_markup=is_markup,
            rendered_in="" if row["render_reason"] is None else str(row["shard"]),
            rules_in=str(self._rules_file),
        )  # fmt: skip

    def close(self) -> None:
        """Remove what was pasted."""
        shutil.rmtree(self._folder, ignore_errors=True)
