"""A reader of page.dat written from the format description alone.

It shares no code with quarkcrawl.store and knows nothing of damage: it is what a colleague with
the description of the format in hand would write.
"""

from __future__ import annotations

import calendar
import time
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def spec_records(path: Path) -> list[dict[str, object]]:
    data = path.read_bytes()
    at = 0
    found = []
    while at < len(data):
        start = at
        names = []
        properties: dict[str, str] = {}
        while True:
            line_end = data.index(b"\n", at)
            line = data[at:line_end]
            at = line_end + 1
            if line == b"":
                break
            assert not line.endswith(b"\r")
            name, value = line.split(b": ", 1)
            names.append(name.decode())
            properties[name.decode()] = value.decode()
        assert names[0] == "version", names
        assert names[-1] == "length", names
        assert properties["version"] == "1.0"
        if "unzip-length" in properties:
            assert names[-2] == "unzip-length"
        block = data[at : at + int(properties["length"])]
        assert len(block) == int(properties["length"])
        at += len(block)
        assert data[at : at + 1] == b"\n"
        at += 1
        if "unzip-length" in properties:
            block = zlib.decompress(block)
            assert len(block) == int(properties["unzip-length"])
        when = time.strptime(properties["date"], "%a, %d %b %Y %H:%M:%S GMT")
        head, _, body = block.partition(b"\r\n\r\n")
        found.append(
            {
                "names": names,
                "offset": start,
                "length": at - start,
                "date": calendar.timegm(when),
                "head": head,
                "body": body,
                **{key: properties.get(key) for key in ("url", "ip", "origin", "id")},
            }
        )
    return found


def spec_bucket(host: str) -> int:
    """The hash of the description, in the words of the SGI header: h = 5 h + c."""
    h = 0
    for c in host.lower().encode():
        h = 5 * h + c
    return h % 2**64 % 256
