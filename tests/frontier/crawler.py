"""A process that crawls a made-up web and writes down what it is about to commit.

    python -m tests.frontier.crawler FRONTIER DIARY SEED

The diary has two lines a commit, one just before and one just after. Each is written with one
`os.write`, so it is whole when the process is killed.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from quarkcrawl.frontier import Candidate, Ending, FrontierOptions, SqliteFrontier

HOSTS = 12
OPTIONS = FrontierOptions(delay_s=1.0, concurrency=4, robots=False, max_tries=3)


@dataclass
class Changes:
    """What happened since the last commit."""

    pushed: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    tries: dict[str, int] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)


class Crawler:
    def __init__(self, path: Path, diary: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.frontier = SqliteFrontier(path, OPTIONS)
        self.diary = os.open(diary, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.now = 1e6 * seed
        self.changes = Changes()
        self.numbers = count(seed * 1_000_000)

    def note(self, word: str) -> None:
        line = json.dumps([word, vars(self.changes)]) + "\n"
        os.write(self.diary, line.encode())

    def commit(self, checkpoint: bool) -> None:
        self.note("about")
        if checkpoint:
            self.frontier.checkpoint()
        else:
            self.frontier.commit()
        self.note("done")
        self.changes = Changes()

    def push(self) -> None:
        host = f"h{self.random.randrange(HOSTS)}.cn"
        links = [
            Candidate(f"http://{host}/{next(self.numbers)}", host, self.random.randint(1, 3))
            for _ in range(self.random.randrange(40))
        ]
        new = self.frontier.push(links)
        self.changes.pushed += [link.url for link, is_new in zip(links, new, strict=True) if is_new]

    def fetch(self) -> None:
        self.now += 1
        for lease in self.frontier.lease(20, now=self.now):
            self.changes.tokens.append(lease.token)
            fate = self.random.random()
            if fate < 0.1:
                continue  # still out when the process dies
            if fate < 0.3 and lease.tries < OPTIONS.max_tries:
                self.frontier.retry(lease.token, reason="dns", not_before=0)
                self.changes.tries[lease.url] = lease.tries
            else:
                self.frontier.settle((lease.token,))
                self.frontier.claim("md5", lease.url.encode(), lease.url)
                self.changes.claims.append(lease.url)
                self.frontier.acknowledge([Ending(lease.token, "stored")])
                self.changes.ended.append(lease.url)

    def run(self) -> None:
        while True:
            for _ in range(self.random.randrange(6)):
                self.push()
                self.fetch()
            self.commit(checkpoint=self.random.random() < 0.2)


if __name__ == "__main__":
    Crawler(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])).run()
