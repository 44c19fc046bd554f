"""Runs of near-duplicates over sketches that tests write themselves."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from quarkcrawl.corpus.near import run as nearrun
from quarkcrawl.corpus.near import sketches as nearsketches
from quarkcrawl.corpus.near.methods import near_method
from quarkcrawl.corpus.near.protocol import NearMethod
from quarkcrawl.corpus.near.run import LEAST_MEMORY_BYTES, NearRun
from quarkcrawl.corpus.near.sketches import PageText
from quarkcrawl.dedup import Grouping, group_texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = [
    "SMALL",
    "found",
    "made_smaller",
    "make_texts",
    "near_method",
    "rows_of",
    "run",
    "wanted",
    "write_sketches",
]

ALPHABET = [chr(0x4E00 + n) for n in range(40)]


def make_texts(n_texts: int, seed: int = 0) -> list[str]:
    """Texts that share sentences with each other in many ways."""
    random_ = random.Random(seed)
    sentences = ["".join(random_.choices(ALPHABET, k=14)) + "。" for _ in range(n_texts)]
    texts = []
    for _ in range(n_texts):
        kind = random_.random()
        if kind < 0.3 and texts:
            text = random_.choice(texts)
            texts.append(
                text.replace("。", "！", random_.randrange(2)) + "多" * random_.randrange(9)
            )
        elif kind < 0.35:
            texts.append("没有句号" + random_.choice("甲乙丙"))
        else:
            texts.append("".join(random_.choices(sentences, k=random_.randint(2, 9))))
    return texts


SMALL = {"_KEY_BYTES": 12_000, "_MEMBERS_PER_SHARD": 40, "_LEAST_FIRSTS": 7}


def write_sketches(folder: Path, texts: list[str], method: NearMethod) -> None:
    """Sketches as `nearsketches` leaves them, in two buckets."""
    sketches = folder / "sketches"
    sketches.mkdir(parents=True, exist_ok=True)
    rows = [
        PageText(f"http://h{n % 7}/{n}", f"h{n % 7}", n, float(n), f"{n:032x}", text)
        for n, text in enumerate(texts)
    ]
    for bucket in range(2):
        nearsketches._write(iter(rows[bucket::2]), method, sketches / f"bucket-{bucket}.parquet")


def run(
    folder: Path, method: NearMethod, on_stage: Callable[[str], None] = lambda _: None
) -> NearRun:
    job = NearRun(folder, method, "state", LEAST_MEMORY_BYTES, 2, on_stage)
    job.finish()
    return job


def found(folder: Path) -> dict[str, tuple[str, str]]:
    rows = pq.read_table(folder / "groups.parquet").to_pylist()
    return {row["url"]: (row["kept_url"], row["reason"]) for row in rows}


def wanted(texts: list[str], method: str) -> dict[str, tuple[str, str]]:
    return rows_of(group_texts(texts, method))


def rows_of(grouping: Grouping) -> dict[str, tuple[str, str]]:
    """What `found` gives for these groups."""
    return {
        f"http://h{n % 7}/{n}": (
            f"http://h{first % 7}/{first}",
            grouping.reasons[n].replace("md5", "text-md5"),
        )
        for first, numbers in grouping.groups.items()
        for n in numbers
    }


def made_smaller() -> None:
    """For a process of its own: cut a few hundred texts into many parts."""
    for name, value in SMALL.items():
        setattr(nearrun, name, value)
