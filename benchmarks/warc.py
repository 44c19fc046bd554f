"""WARC in and out: export and import beside plain copies by FastWARC and warcio, in one run.

Pages are generated (no network, no shared data); every step runs in a process that does nothing
else, by turns, and its CPU time counts. Prints JSON.

    python benchmarks/warc.py --pages 2000 --rounds 3
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.store.samples import make_item


def build(root: Path, n_pages: int, n_words: int) -> None:
    """A corpus of ordinary pages."""
    from quarkcrawl.store import CorpusWriter
    from tests.store.samples import make_body

    with CorpusWriter(root) as writer:
        for number in range(n_pages):
            body = make_body(number, n_words=n_words)
            writer.append_page(make_item(number, host=f"h{number % 50}.cn", body=body))


def export(place: Path) -> None:
    from quarkcrawl.corpus import export_warc

    assert not export_warc(place / "corpus", place / "made").problems


def import_(place: Path) -> None:
    from quarkcrawl.corpus import import_warc

    assert not import_warc([place / "warcs"], place / "made").damages


def scan(place: Path) -> None:
    """Our reader: CRC, length and block digest of every record."""
    from quarkcrawl.store.warc.reader import WarcFound, read_warc

    for path in (place / "warcs").iterdir():
        assert all(isinstance(item, WarcFound) for item in read_warc(path))


def read_fastwarc(place: Path) -> None:
    """FastWARC's reader with block digests."""
    from fastwarc.warc import ArchiveIterator

    for path in (place / "warcs").iterdir():
        for record in ArchiveIterator(str(path), parse_http=False):
            assert record.verify_block_digest()


def copy_fastwarc(place: Path, level: int) -> None:
    """Records read, written with new digests, a gzip member each."""
    from fastwarc.stream_io import GzipWriter
    from fastwarc.warc import ArchiveIterator

    (place / "made").mkdir()
    for path in (place / "warcs").iterdir():
        with (place / "made" / path.name).open("wb") as file:
            writer = GzipWriter(file, compression_level=level)
            for record in ArchiveIterator(str(path), parse_http=False):
                record.write(writer, checksum_data=True)
                writer.finish()
            writer.close()


def copy_warcio(place: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator
    from warcio.warcwriter import WARCWriter

    (place / "made").mkdir()
    for path in (place / "warcs").iterdir():
        with path.open("rb") as source, (place / "made" / path.name).open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for record in ArchiveIterator(source):
                writer.write_record(record)


STEPS = {
    "export": export,
    "import": import_,
    "scan": scan,
    "fastwarc read": read_fastwarc,
    "fastwarc copy, gzip 1": lambda place: copy_fastwarc(place, 1),
    "fastwarc copy, gzip 6": lambda place: copy_fastwarc(place, 6),
    "warcio copy": copy_warcio,
    "nothing": lambda place: None,  # start of Python and the imports above
}


def measure(step: str, place: Path) -> tuple[float, int]:
    """CPU seconds of a process that does one step, and the bytes it made."""
    before = os.times()
    command = [sys.executable, __file__, "--step", step, "--place", str(place)]
    subprocess.run(command, check=True)
    after = os.times()
    made = place / "made"
    size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file())
    shutil.rmtree(made, ignore_errors=True)
    spent = after.children_user + after.children_system
    return spent - before.children_user - before.children_system, size


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--words", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--step")
    parser.add_argument("--place", type=Path)
    options = parser.parse_args()
    if options.step:
        STEPS[options.step](options.place)
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        build(place / "corpus", options.pages, options.words)
        export(place)
        (place / "made").rename(place / "warcs")
        cpu = {step: [] for step in STEPS}
        size = {}
        for _ in range(options.rounds):
            for step in STEPS:
                spent, size[step] = measure(step, place)
                cpu[step].append(spent)
        report(options, place, cpu, size)


def report(options, place: Path, cpu: dict[str, list[float]], size: dict[str, int]) -> None:
    start = statistics.median(cpu.pop("nothing"))
    net = {step: statistics.median(values) - start for step, values in cpu.items()}
    print(json.dumps({
        "pages": options.pages,
        "body_bytes": options.words * 6,
        "warc_bytes": sum(path.stat().st_size for path in (place / "warcs").iterdir()),
        "load": os.getloadavg()[0],
        "start_cpu_s": round(start, 3),
        "cpu_ms_a_page": {step: round(1000 * s / options.pages, 4) for step, s in net.items()},
        "ratio_to_fastwarc_copy_gzip_6": {
            step: round(s / net["fastwarc copy, gzip 6"], 3) for step, s in net.items()
        },
        "made_bytes": size,
        "cpu_s_of_each_round": {s: [round(v, 3) for v in values] for s, values in cpu.items()},
    }, indent=1))  # fmt: skip


if __name__ == "__main__":
    main()
