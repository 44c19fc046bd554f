"""With which options the rows of a folder were made: a file beside them."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import ConfigError, StoreError
from quarkcrawl.store import storage_errors, sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_NAME: Final = "_options.json"  # engines pass over names that begin so


class OptionsNote:
    """The note of a folder of results; a writer must hold the lock.

    Args:
        folder: where the rows are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _NAME

    def read(self) -> dict[str, Any] | None:
        """With what the rows were made; None if there are none.

        Raises:
            StoreError: the note cannot be read.
        """
        try:
            noted: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read ({error})", where=self._path) from error
        return noted

    def check(self, options: Mapping[str, Any]) -> None:
        """See that rows that are there were made with these options.

        Args:
            options: what the run that wants to add rows was given.

        Raises:
            ConfigError: they were made with others.
            StoreError: the note cannot be read.
        """
        noted = self.read()
        if noted is None:
            return
        for name, value in options.items():
            if noted.get(name) != value:
                other = f"with {name} = {_shown(noted.get(name))}, not {_shown(value)}"
                other = "from another corpus" if name == "corpus" else other
                message = f"the rows there were made {other}; --restart makes them all anew"
                raise ConfigError(message, where=self._folder)

    def prepare(self, options: Mapping[str, Any], *, restart: bool) -> None:
        """Make the folder ready for rows that are made with these options.

        Args:
            options: JSON values by name.
            restart: whether the rows that are there are to go.

        Raises:
            ConfigError: they were made with others, and stay.
            StoreError: the folder cannot be written.
        """
        if not restart:
            self.check(options)
        with storage_errors(self._folder):
            if restart and self._folder.exists():
                shutil.rmtree(self._folder)
            self._folder.mkdir(parents=True, exist_ok=True)
            for leftover in self._folder.glob(".*.tmp"):  # of a run that was killed
                if leftover.is_file():
                    leftover.unlink()
        self.write(options)

    def write(self, options: Mapping[str, Any]) -> None:
        """Note the options; the folder is there.

        Args:
            options: JSON values by name.

        Raises:
            StoreError: it cannot be written.
        """
        with storage_errors(self._path):
            with write_whole(self._path) as file:
                file.write(json.dumps(dict(options), ensure_ascii=False).encode() + b"\n")
            sync_folder(self._folder)


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
