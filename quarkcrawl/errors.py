"""The error tree: every failure a user can meet says where it happened.

    QuarkError
    ├── InputError      a file or value the user gave (names file and line; exit code 2)
    ├── ConfigError     a setting, option or configuration file (exit code 2)
    ├── StoreError      the corpus on disk
    │   ├── NotStoredError      what was named is not there (exit code 2)
    │   ├── CorpusLockedError   another run holds the corpus open
    │   ├── DamagedRecordError  bytes that are not what the format promises
    │   ├── StorageFullError    no space, or the file may not grow
    │   └── StorageUnreachableError  the server of an object store stays away
    ├── FrontierError   the URL frontier (file or server)
    │   └── EmptyFrontierError  a crawl is just making the file, or never did
    ├── EngineError     DuckDB or Spark cannot start or gave up
    └── FetchError      a page that could not be fetched; carries a reason code

Errors are picklable, so that they survive process pools, and each class carries the exit
code that the command line ends with.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

__all__ = [
    "ConfigError",
    "CorpusLockedError",
    "DamagedRecordError",
    "EmptyFrontierError",
    "EngineError",
    "FetchError",
    "FrontierError",
    "InputError",
    "NotStoredError",
    "QuarkError",
    "StorageFullError",
    "StorageUnreachableError",
    "StoreError",
    "read_failure",
    "without_credentials",
]

_LOGIN: Final = re.compile(r"(?<=:/)(/?)[^\s/]*@")
_OBJECTS: Final = r"(?i:\b(?:s3|gs|gcs|hdfs|viewfs|abfss?)://?)"
_OFFSET: Final = r"[^\s?:@]*/[^\s?:@]*@\d+(?:[:;,.)\s]|$)"  # a file and a place in it
_OBJECT_LOGIN: Final = re.compile(rf"({_OBJECTS})(?!{_OFFSET})[^\s?]*@")
_OBJECT_OPTIONS: Final = re.compile(rf"({_OBJECTS}[^\s?]*)\?\S*?(?=[:;,.'\")]*(?:\s|$))")


def without_credentials(text: str) -> str:
    """A text in which URIs name nobody's key or password, and object stores no options.

    A secret of an object store may hold a slash; and a URI that was taken for a path has but one
    before its host.

    Args:
        text: a message, a path or a command line.
    """
    if ":/" not in text:
        return text
    masked = _LOGIN.sub(r"\1***@", _OBJECT_LOGIN.sub(r"\1***@", text))
    return _OBJECT_OPTIONS.sub(r"\1", masked)


class QuarkError(Exception):
    """Root of all errors that quarkcrawl raises on purpose.

    Neither prints credentials of a URI.

    Args:
        message: what happened, in words a user understands.
        where: place of the fault: a path, ``path:line``, ``path@offset`` or a host.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, where: object = None) -> None:
        self.message = without_credentials(message)
        self.where = None if where is None else without_credentials(str(where))
        super().__init__(self.message if self.where is None else f"{self.where}: {self.message}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.__dict__.copy())


def _rebuild(cls: type[QuarkError], message: str, state: dict[str, Any]) -> QuarkError:
    error = cls.__new__(cls)
    QuarkError.__init__(error, message, where=state.get("where"))
    error.__dict__.update(state)
    return error


class InputError(QuarkError):
    """A file or value given by the user cannot be used."""

    exit_code: ClassVar[int] = 2


class ConfigError(QuarkError):
    """A setting is unknown, has the wrong type or contradicts another."""

    exit_code: ClassVar[int] = 2


class StoreError(QuarkError):
    """The corpus on disk cannot be read or written; ``reason`` is the code for a page of it."""

    reason = "unreadable"


class NotStoredError(StoreError):
    """A corpus, a table or a set of results was named that is not there."""

    exit_code: ClassVar[int] = 2


class CorpusLockedError(StoreError):
    """Another process holds the corpus open; ``where`` names the lock file."""


class DamagedRecordError(StoreError):
    """Stored bytes are not a whole record; ``where`` names file and offset."""

    reason = "damaged"


class StorageFullError(StoreError):
    """The device is full or a quota is reached; nothing acknowledged is lost."""


class StorageUnreachableError(StoreError):
    """A server of files did not answer within the time it is waited for; try again later."""

    reason = "unreachable"


class FrontierError(QuarkError):
    """The frontier cannot be opened, is of another version, or is damaged."""


class EmptyFrontierError(FrontierError):
    """The file of the frontier has no tables: a crawl is just making it, or never did."""


class EngineError(QuarkError):
    """The engine of a corpus job cannot start, cannot be reached, or gave up."""


class FetchError(QuarkError):
    """A page could not be fetched.

    Args:
        reason: the code (see ``docs/reasons.md``) that is counted for the page, or for the request
            of a page in the browser.
    """

    def __init__(self, message: str, *, reason: str, where: object = None) -> None:
        self.reason = reason
        super().__init__(message, where=where)


def read_failure(error: OSError | UnicodeDecodeError) -> str:
    """Why a file cannot be read, without its path, which stands before it already.

    Args:
        error: what its reading ended with.

    >>> read_failure(FileNotFoundError(2, "No such file or directory", "hosts.txt"))
    'No such file or directory'
    """
    return (isinstance(error, OSError) and error.strerror) or str(error)
