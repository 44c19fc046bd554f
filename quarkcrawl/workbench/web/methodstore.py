"""Methods by which a page is read: ours, those of files, and any of them with other options.

Options that an address gives are written as a file of a method into a folder of our own, whose path
goes to the process that reads pages: there, a method is a name or the path of such a file.
"""

from __future__ import annotations

import tempfile
import threading
import tomllib
from collections import OrderedDict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.content import METHODS, method_named, method_toml
from quarkcrawl.errors import ConfigError, QuarkError
from quarkcrawl.workbench.web.http import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


FILE_KEYS: Final = ("priors", "idf", "dictionary")
"""Options whose value is a file; an address may not name one that no file of a method names."""

_MOST_FILES: Final = 64


class MethodStore:
    """The methods of a workbench.

    Args:
        files: files of methods (``.toml``) beside ours.

    Raises:
        ConfigError: something is wrong in one, or two have one name.
    """

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._files: dict[str, Path] = {}
        for path in files:
            name = method_named(str(path)).name
            if name in self._files:
                raise ConfigError("there is another method of this name", where=path)
            self._files[name] = path.resolve()
        self._lock = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._made: OrderedDict[str, None] = OrderedDict()

    @property
    def names(self) -> tuple[str, ...]:
        """All methods, ours first."""
        return *METHODS, *self._files

    def listed(self) -> list[dict[str, str]]:
        """Each method with its settings in force, as text of a file of a method.

        Raises:
            ConfigError: a file has been changed, and something is wrong in it now.
        """
        return [{"name": name, "options": self._text(name)} for name in self.names]

    def _text(self, name: str) -> str:
        settings = dict(method_named(self._of(name)).settings)
        settings.pop("method", None)
        return method_toml(settings) if settings else ""

    def _of(self, name: str) -> str:
        return str(self._files.get(name, name))

    def of(self, name: str, options: str = "") -> str:
        """What the process that reads pages is told: a name, or the path of a file.

        Args:
            name: one of `names`.
            options: some settings, as tables of a file of a method; the others stay as they are.

        Raises:
            ApiError: there is no such method, or something is wrong in the options.
        """
        if name not in self.names:
            raise ApiError(404, f"method: {name!r} is none of {', '.join(self.names)}")
        if not options.strip():
            return self._of(name)
        try:
            return self._written(name, options)
        except tomllib.TOMLDecodeError as error:
            raise ApiError(409, f"options: this is not TOML: {error}") from error
        except QuarkError as error:
            raise ApiError(409, f"options: {error.message}") from error
        except (ArithmeticError, RecursionError, TypeError, ValueError) as error:
            raise ApiError(409, f"options: {error}") from error  # values that nothing takes

    def _written(self, name: str, options: str) -> str:
        own = method_named(self._of(name)).settings
        if not own:
            raise ConfigError(f"the method {name} has none")
        table: dict[str, Any] = tomllib.loads(options)
        if "method" in table:
            raise ConfigError("the method is chosen beside them")
        table = _merged({"method": name, **own}, table)
        self._check_files(name, table, own)
        text = method_toml(table)
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="quarkcrawl-methods-")
            digest = blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()
            path = Path(self._folder.name) / f"{name}+{digest}.toml"
            if path.name not in self._made:
                path.write_text(text, encoding="utf-8", errors="replace")
            self._made[path.name] = None
            self._made.move_to_end(path.name)
            while len(self._made) > _MOST_FILES:
                (path.parent / self._made.popitem(last=False)[0]).unlink(missing_ok=True)
        method_named(str(path))  # what is wrong is said here, not by the process that reads
        return str(path)

    def _check_files(self, name: str, table: dict[str, Any], own: Mapping[str, Any]) -> None:
        """Files are those of the file of the method, by the same words; they become whole paths."""
        places = [(table, own, "topic")]
        options = table.get("options")
        if isinstance(options, dict):
            places += [(options, own.get("options", {}), key) for key in FILE_KEYS]
        for given, own_settings, key in places:
            if key not in given:
                continue
            if given[key] != own_settings.get(key):
                raise ConfigError(
                    f"{key}: files are named in a file of a method only (serve --method FILE)"
                )
            given[key] = str(self._files[name].parent / given[key])

    def close(self) -> None:
        """Remove the files that were made."""
        if self._folder is not None:
            self._folder.cleanup()


def _merged(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with others in place of some of them."""
    both = dict(own)
    for key, value in given.items():
        own_value = both.get(key)
        if isinstance(value, dict) and isinstance(own_value, dict):
            both[key] = {**own_value, **value}
        else:
            both[key] = value
    return both
