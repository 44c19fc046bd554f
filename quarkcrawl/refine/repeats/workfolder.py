"""The folder that a search for repeats works in: what was done, and files that only grow.

    state.json        options, the stage, how far it came, how long each growing file is
    ids.bytes         ids of the documents, as JSON, one behind the other
    id_ends.bytes     where each ends

What ``state.json`` does not know of is of an attempt that was cut off: growing files are cut back
to the length that it says, runs of rows are written anew.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from quarkcrawl.errors import InputError, StoreError
from quarkcrawl.store import storage_errors, sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

    from quarkcrawl.refine.repeats.documents import SourceText, Texts


class WorkFolder:
    """A folder with a state.

    Args:
        path: the folder; made if it is missing.
        made_of: what the results depend on beside the texts.

    Raises:
        InputError: the folder is of a search with other options.
        StoreError: its state cannot be read.
    """

    def __init__(self, path: Path, made_of: Mapping[str, Any]) -> None:
        self.path = path
        self._state_path = path / "state.json"
        with storage_errors(path):
            path.mkdir(parents=True, exist_ok=True)
        sources = dict(made_of)
        try:
            state = json.loads(self._state_path.read_text("utf-8"))
        except FileNotFoundError:
            state = {
                "made_of": sources,
                "stage": "scan",
                "n_documents": 0,
                "bytes": {},
                "counts": {},
            }
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read ({error})", where=self._state_path) from error
        if state["made_of"] != sources:
            message = f"of another search ({state['made_of']}, not {sources}); take another folder"
            raise InputError(message, where=path)
        self._state = state
        self._waiting: dict[str, list[bytes]] = {}

    @property
    def stage(self) -> str:
        """The stage that is to be done, or goes on."""
        return str(self._state["stage"])

    @property
    def n_documents(self) -> int:
        """Documents that were taken in for good."""
        return int(self._state["n_documents"])

    def count(self, name: str) -> int:
        """A number that was kept, 0 at first."""
        return int(self._state["counts"].get(name, 0))

    def append(self, name: str, data: bytes) -> None:
        """Put something behind a growing file when the state is kept the next time."""
        self._waiting.setdefault(name, []).append(data)

    def keep(
        self, *, stage: str | None = None, n_documents: int | None = None, **counts: int
    ) -> None:
        """Make all that was done last, whatever happens to the process."""
        for name, parts in self._waiting.items():
            length = self._state["bytes"].get(name, 0)
            path = self._file(name)
            with storage_errors(path), path.open("r+b" if path.exists() else "wb") as file:
                file.truncate(length)
                file.seek(length)
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
                self._state["bytes"][name] = file.tell()
        self._waiting = {}
        self._state["counts"].update(counts)
        if stage is not None:
            self._state["stage"] = stage
        if n_documents is not None:
            self._state["n_documents"] = n_documents
        with storage_errors(self._state_path):
            with write_whole(self._state_path) as file:
                file.write(json.dumps(self._state).encode())
            sync_folder(self.path)

    def mapped(self, name: str, dtype: DTypeLike) -> NDArray[Any]:
        """A growing file as an array; its memory is the system's to take back."""
        n = self._state["bytes"].get(name, 0) // np.dtype(dtype).itemsize
        if not n:
            return np.empty(0, dtype)
        try:
            return np.asarray(np.memmap(self._file(name), dtype, "r", shape=(n,)))
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read ({error})", where=self._file(name)) from error

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.bytes"

    # Documents

    def remaining(self, texts: Texts) -> Iterator[tuple[int, SourceText]]:
        """The documents that were not taken in yet, with their numbers.

        Raises:
            InputError: those before are not the ones that were taken in.
        """
        ids, n_known = Ids(self), self.n_documents
        number = -1
        for number, document in enumerate(texts()):
            if number >= n_known:
                yield number, document
            elif ids[number] != document[0]:
                message = f"document {number} was {ids[number]!r} and is {document[0]!r} now"
                raise InputError(f"{message}; another corpus needs another folder", where=self.path)
        if number + 1 < n_known:
            message = f"{n_known} documents were taken in, {number + 1} are there now"
            raise InputError(f"{message}; another corpus needs another folder", where=self.path)

    def append_ids(self, ids: Iterable[int | str], first_end: int) -> int:
        """Ids of the next documents; where the last one ends."""
        ends, parts, end = [], [], first_end
        for one in ids:
            part = json.dumps(one).encode()
            end += len(part)
            parts.append(part)
            ends.append(end)
        self.append("ids", b"".join(parts))
        self.append("id_ends", np.array(ends, np.int64).tobytes())
        return end


class Ids:
    """Ids of documents by number, read from disk.

    Args:
        folder: where they are.
    """

    def __init__(self, folder: WorkFolder) -> None:
        self._bytes = folder.mapped("ids", np.uint8)
        self._ends = folder.mapped("id_ends", np.int64)

    def __getitem__(self, number: int) -> int | str:
        start = int(self._ends[number - 1]) if number else 0
        one: int | str = json.loads(self._bytes[start : int(self._ends[number])].tobytes())
        return one
