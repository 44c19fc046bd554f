"""A real browser: what a page does in it, and what it looks like."""

from __future__ import annotations

import struct
import subprocess
import threading
import zlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import numpy as np

from tests.browsers import browser_or_skip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray


def dumped(document: Path) -> str:
    """The document as it is after its scripts, if any ran, and its loads."""
    return _chromium(document, "--dump-dom", "--virtual-time-budget=3000").stdout.decode()


def pixels(document: Path, width: int = 700, height: int = 260, *options: str) -> NDArray[np.uint8]:
    """What the document looks like: height × width × (red, green, blue)."""
    picture = document.with_suffix(".png")
    size = f"--window-size={width},{height}"
    _chromium(document, f"--screenshot={picture}", size, "--hide-scrollbars", *options)
    return read_png(picture.read_bytes())


def _chromium(document: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    profile = document.with_suffix(".profile")
    command = [browser_or_skip(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += [f"--user-data-dir={profile}", *options, document.as_uri()]
    return subprocess.run(command, check=True, capture_output=True, timeout=300)


@contextmanager
def recorder() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback: its address, and the paths it is asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            kind = "text/css" if self.path.endswith(".css") else "image/svg+xml"
            self.send_header("Content-Type", kind)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def read_png(data: bytes) -> NDArray[np.uint8]:
    """An eight-bit RGB or RGBA picture (PNG specification, filters 0–4)."""
    place, packed, size = 8, b"", (0, 0)
    n_channels = 3
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        chunk = data[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8
            n_channels = {2: 3, 6: 4}[color]
            size = (height, width)
        elif kind == b"IDAT":
            packed += chunk
        place += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(size[0], -1)
    return _unfiltered(rows, n_channels).reshape(*size, n_channels)[:, :, :3]


def _unfiltered(rows: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    above = [0] * (rows.shape[1] - 1 + step)  # a pixel of zeros stands on the left
    picture = []
    for kind, *values in rows.tolist():
        above = _row(kind, values, above, step)
        picture.append(above[step:])
    return np.array(picture, np.uint8)


def _row(kind: int, values: list[int], above: list[int], step: int) -> list[int]:
    here = [0] * step
    for place, value in enumerate(values):
        left, up, corner = here[place], above[place + step], above[place]
        if kind == 4:
            guess = left + up - corner
            predicted = min((left, up, corner), key=lambda near: abs(guess - near))
        else:
            predicted = (0, left, up, (left + up) // 2)[kind]
        here.append((value + predicted) & 255)
    return here
