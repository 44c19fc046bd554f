r"""What hosts said in robots.txt, and when: lines of JSON beside the tables of a corpus.

    {"host": "www.example.cn", "at": 1795609273.2, "text": "User-agent: *\nDisallow: /private/"}

Rules may change; whoever uses a corpus later needs those that held when its pages were fetched.
The last line of a host counts. An empty text allows everything.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


logger = logging.getLogger(__name__)

ROBOTS_LOG: Final = "robots.jsonl"


@dataclass(frozen=True, slots=True)
class RobotsText:
    """The robots.txt of a host.

    Args:
        host: whose pages it is about.
        at: when it was fetched, in seconds since 1970.
        text: what it says.
    """

    host: str
    at: float
    text: str


def log_robots(root: Path, robots: RobotsText) -> None:
    """Note what a host says; a note that cannot be written is logged and stops nothing.

    Args:
        root: the corpus.
        robots: what was fetched.
    """
    line = json.dumps(asdict(robots), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    try:
        with (root / ROBOTS_LOG).open("ab") as file:
            file.write(line)
    except OSError as error:
        logger.warning("%s: robots.txt was not noted (%s)", robots.host, error.strerror)


def logged_robots(root: Path) -> Iterator[RobotsText]:
    """What hosts have said, in the order in which it was fetched; lines that are broken are passed.

    Args:
        root: the corpus.
    """
    try:
        file = (root / ROBOTS_LOG).open("rb")
    except FileNotFoundError:
        return
    with file:
        for line in file:
            try:
                yield RobotsText(**json.loads(line))
            except (ValueError, TypeError):  # cut off by a kill
                continue
