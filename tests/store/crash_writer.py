"""A writer to be killed: says on stdout what is durable.

    python -m tests.store.crash_writer ROOT SEED

Lines: ``synced N`` after the group that ends with page N; pages not stored yet are appended, like
a crawl that goes on after its restart.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from quarkcrawl.store.tables.rows import DropRow
from quarkcrawl.store.tables.stream import iter_rows
from quarkcrawl.store.writer import CorpusWriter
from tests.store.samples import make_item


def main(root: Path, seed: int) -> None:
    rng = random.Random(seed)
    writer = CorpusWriter(root, rotate_bytes=20_000, max_open_files=3)
    stored = {row.url for row in iter_rows(root, "page")}
    number = 0
    while True:
        for _ in range(rng.randrange(1, 12)):
            item = make_item(number, host=f"h{number % 5}.cn")
            if item.url not in stored:
                writer.append_page(item)
            writer.append_row(DropRow(f"http://x.cn/{number}", "x.cn", "r", "", 2, 0.0))
            number += 1
        group = writer.cut()
        group.sync()
        sys.stdout.write(f"synced {number}\n")
        sys.stdout.flush()
        group.acknowledged()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
