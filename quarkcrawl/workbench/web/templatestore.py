"""The template file as the server reads it: plain data for lists and drawings.

Positions are labeled by the worker process, which checks them; training is a command of its own
process, ``quarkcrawl template train``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.errors import InputError
from quarkcrawl.workbench.web.http import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator


_SAMPLES: Final = 5
_TAIL_BYTES: Final = 600


class TemplateStore:
    """Templates of a corpus.

    Args:
        path: the template file; may be missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._changed = -1
        self._entries: list[dict[str, Any]] = []
        self._training: subprocess.Popen[bytes] | None = None
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - what the training says, until `close`

    def entries(self) -> list[dict[str, Any]]:
        """All templates as the file has them.

        Raises:
            InputError: the file cannot be read.
        """
        with self._lock:
            changed = self.path.stat().st_mtime_ns if self.path.exists() else 0
            if changed != self._changed:
                self._entries = self._read() if changed else []
                self._changed = changed
            return self._entries

    @property
    def version(self) -> int:
        """When the file was changed that `entries` gave last."""
        return self._changed

    @property
    def structure(self) -> str:
        """A mark of those templates that their names do not change."""
        bare = [{key: of for key, of in one.items() if key != "labels"} for one in self._entries]
        return blake2b(json.dumps(bare, sort_keys=True).encode(), digest_size=16).hexdigest()

    def _read(self) -> list[dict[str, Any]]:
        try:
            templates: list[dict[str, Any]] = json.loads(self.path.read_text("utf-8"))["templates"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"no template file: {error}", where=self.path) from error
        return templates

    def __getitem__(self, name: str) -> dict[str, Any]:
        """The template with an id.

        Raises:
            ApiError: there is none.
        """
        for entry in self.entries():
            if entry["id"] == name:
                return entry
        raise ApiError(404, f"no template {name}")

    def train(self, corpus: Path) -> None:
        """Start to find the templates of a corpus.

        Raises:
            ApiError: that is being done already.
        """
        with self._lock:
            if self._training is not None and self._training.poll() is None:
                raise ApiError(409, "templates are being found already")
            words = ["template", "train", str(corpus), "--out", str(self.path), "--workers", "1"]
            self._said.seek(0)
            self._said.truncate()
            self._training = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "quarkcrawl", *words],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._said,
            )  # fmt: skip

    def training(self) -> dict[str, Any]:
        """Whether templates are being found, and what went wrong."""
        process = self._training
        if process is None:
            return {"state": "idle", "detail": ""}
        code = process.poll()
        if code is None:
            return {"state": "running", "detail": ""}
        return {"state": "failed" if code else "done", "detail": self._last_words() if code else ""}

    def _last_words(self) -> str:
        """The end of what the command said; in a file, since nobody would empty a pipe."""
        file = self._said.fileno()
        n_bytes = os.fstat(file).st_size
        tail = os.pread(file, _TAIL_BYTES, max(0, n_bytes - _TAIL_BYTES))
        return tail.decode("utf-8", "ignore").strip()

    def close(self) -> None:
        """End a training that is under way."""
        if self._training is not None:
            if self._training.poll() is None:
                self._training.kill()
            self._training.wait()
        self._said.close()


def nodes_of_words(words: str) -> list[tuple[str, int, bool]]:
    """Tag, depth and whether it repeats, of each node that a template file writes."""
    nodes = []
    for word in words.split():
        tag, _, depth = word.partition("/")
        nodes.append((tag, int(depth.rstrip("+")), depth.endswith("+")))
    return nodes


def positions_of(template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All positions of a template with what is known about them, in order.

    Args:
        template: an entry of the file.
    """
    names = {place: name for name, place in template["labels"].items()}
    for number, part in enumerate(template["parts"]):
        ways = [{"p": 1.0, "nodes": part["essential"]}] if "essential" in part else part["optional"]
        for which, way in enumerate(ways):
            for place, (tag, depth, repeated) in enumerate(nodes_of_words(way["nodes"])):
                middle = "" if "essential" in part else f".{which}"
                position = f"{number}{middle}.{place}"
                text = template["texts"].get(position, {"constant": None, "samples": []})
                yield {
                    "position": position,
                    "kind": "essential" if "essential" in part else "optional",
                    "probability": round(float(way["p"]), 4),
                    "tag": tag,
                    "depth": depth,
                    "is_repeated": repeated,
                    "constant": text["constant"],
                    "samples": text["samples"][:_SAMPLES],
                    "label": names.get(position, ""),
                }
