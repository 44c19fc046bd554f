"""Extraction straight from an archive in Common Crawl's layout, beside fastwarc and extraction.

The archive is generated (tests/corpus/archive/commoncrawl.py). Every step runs in a process of its
own, ours with one worker besides; the CPU time of both counts, without that of the same step on an
archive of one page. "fastwarc" reads the same records with the library alone, by range or by scan,
extracts, and writes nothing. Prints JSON.

    python benchmarks/archive.py --files 4 --pages 500 --rounds 3
    python benchmarks/archive.py --whole --archive /tmp/cc --files 50 --pages 4000

With --whole, every record is read by the index, pages (those in --languages) are extracted, and
what was found is compared with what the generator knows; the archive is made if it is not there.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

METHOD = "default"
TYPES = {"text/html", "application/xhtml+xml", "text/plain"}


def ours(
    place: Path, archive: Path, source: Path, workers: int = 1, languages: tuple[str, ...] = ()
) -> dict:
    from quarkcrawl.analysis import PoolOptions
    from quarkcrawl.corpus import ExtractionOptions
    from quarkcrawl.corpus.archive import RecordFilter, extract_archive

    is_index = "cc-index" in str(source)
    by_index = RecordFilter(statuses=(200,), languages=languages)
    report = extract_archive(
        [str(source)], place / "made", ExtractionOptions(METHOD, site_pages=0), base=str(archive),
        record_filter=by_index if is_index else RecordFilter(),
        pool=PoolOptions(workers=workers),
    )  # fmt: skip
    return {"pages": report.counts.pages, "damages": report.counts.damages}


def by_index(place: Path, archive: Path) -> dict:
    return ours(place, archive, archive / "cc-index")


def by_scan(place: Path, archive: Path) -> dict:
    return ours(place, archive, next(archive.rglob("warc.paths.gz")))


def _extracted(record, plan) -> int:
    """What any reader has to do with a record of fastwarc: choose, read, extract."""
    from quarkcrawl.analysis import PageInput
    from quarkcrawl.corpus.extraction import extraction_row

    if record.http_headers.status_code != 200:
        return 0
    content_type = record.http_headers.get("Content-Type")
    mime = content_type.partition(";")[0]
    if mime not in TYPES:
        return 0
    url, body = record.headers["WARC-Target-URI"], record.reader.read()
    page = PageInput(url, body, content_type, is_markup=mime != "text/plain")
    return "failure" not in extraction_row(page, plan)


def fastwarc_index(place: Path, archive: Path) -> dict:
    import pyarrow.compute as pc
    import pyarrow.dataset as ds
    from fastwarc.warc import ArchiveIterator

    from quarkcrawl.corpus import ExtractionOptions

    plan = ExtractionOptions(METHOD).plan
    columns = ["warc_filename", "warc_record_offset", "warc_record_length"]
    wanted = pc.field("fetch_status") == 200
    table = ds.dataset(archive / "cc-index", partitioning=None).to_table(columns, filter=wanted)
    rows = sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))
    pages = damaged = 0
    name = file = None
    for path, offset, length in rows:
        if path != name:
            name, file = path, (archive / path).open("rb")
        file.seek(offset)
        try:
            for record in ArchiveIterator(io.BytesIO(file.read(length))):
                pages += _extracted(record, plan)
        except (OSError, ValueError, AttributeError):
            damaged += 1
    return {"pages": pages, "damages": damaged}


def fastwarc_scan(place: Path, archive: Path) -> dict:
    """It ends at the first damaged byte of a file: only for archives without damage."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    from quarkcrawl.corpus import ExtractionOptions

    plan, pages = ExtractionOptions(METHOD).plan, 0
    for path in sorted(archive.rglob("*.warc.gz")):
        for record in ArchiveIterator(str(path), record_types=WarcRecordType.response):
            pages += _extracted(record, plan)
    return {"pages": pages}


STEPS = {
    "index": by_index, "fastwarc index": fastwarc_index, "scan": by_scan,
    "fastwarc scan": fastwarc_scan,
}  # fmt: skip


def cpu_s() -> float:
    """CPU time of this process and of the workers that have ended."""
    from multiprocessing import forkserver

    spent = time.process_time()
    server = forkserver._forkserver._forkserver_pid  # noqa: SLF001
    if server is not None:
        time.sleep(0.5)  # it has to see that they ended
        ticks = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[11:15]
        spent += sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return spent


def measure(step: str, place: Path, archive: Path) -> dict:
    """What a step found, and its CPU seconds."""
    command = [sys.executable, __file__, "--step", step, "--place", str(place)]
    command += ["--archive", str(archive)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    shutil.rmtree(place / "made", ignore_errors=True)
    return json.loads(done.stdout)


def compare(place: Path, options) -> None:
    from tests.corpus.archive.commoncrawl import make_archive

    tiny, archive = place / "tiny", options.archive or place / "cc"
    make_archive(tiny, n_files=1, n_pages=1)
    if options.archive is None:
        make_archive(
            archive, n_files=options.files, n_pages=options.pages, n_paragraphs=options.paragraphs
        )
    steps = [name for way in options.ways for name in (way, f"fastwarc {way}")]
    rates, found = {step: [] for step in steps}, {}
    for _ in range(options.rounds):
        for step in steps:
            start = measure(step, place, tiny)
            found[step] = measure(step, place, archive)
            n_pages = found[step]["pages"] - start["pages"]
            rates[step].append(n_pages / (found[step]["cpu_s"] - start["cpu_s"]))
    ratios = {}
    for step in options.ways:
        pairs = zip(rates[step], rates[f"fastwarc {step}"], strict=True)
        ratios[step] = round(statistics.median(a / b for a, b in pairs), 3)
    print(json.dumps({
        "files": options.files, "pages_of_a_file": options.pages, "paragraphs": options.paragraphs,
        "load": os.getloadavg()[0], "found": found,
        "pages_per_cpu_s": {s: [round(v, 1) for v in values] for s, values in rates.items()},
        "ratio_to_fastwarc_and_extraction": ratios,
    }, indent=1))  # fmt: skip


def read_all(archive: Path, made) -> dict:
    """All records of the index, read by range: what is whole, what is damaged."""
    from quarkcrawl.store import StoragePath
    from quarkcrawl.store.warc import WarcFound, read_warc_at

    started = time.process_time()
    whole, damages, name, file = set(), Counter(), "", None
    for row in sorted(made.rows, key=lambda row: (row["warc_filename"], row["warc_record_offset"])):
        if row["warc_filename"] != name:
            name, file = (
                row["warc_filename"],
                StoragePath(str(archive / row["warc_filename"])).open(),
            )
        found = read_warc_at(file, row["warc_record_offset"], row["warc_record_length"])
        if isinstance(found, WarcFound):
            whole.add(found.url)
        else:
            damages[found.kind] += 1
    undamaged = {row["url"] for row in made.rows} - made.damaged.keys()
    return {
        "records": len(made.rows), "damaged": len(made.damaged), "read_whole": len(whole),
        "undamaged_not_read": len(undamaged - whole), "damaged_read": len(whole - undamaged),
        "damages_read": damages, "read_cpu_s": round(time.process_time() - started, 1),
    }  # fmt: skip


def find_all(place: Path, options) -> None:
    """Every undamaged record of the archive has its row, every damaged one is listed."""
    from quarkcrawl.corpus.archive import archive_extractions, archive_failures
    from tests.corpus.archive.commoncrawl import known_archive, make_archive

    archive = options.archive or place / "cc"
    if archive.exists():
        made = known_archive(archive, options.damaged_every)
    else:
        made = make_archive(
            archive, n_files=options.files, n_pages=options.pages,
            damaged_every=options.damaged_every, n_hosts=4000, n_paragraphs=options.paragraphs,
        )  # fmt: skip
    started, before = time.monotonic(), cpu_s()
    languages = tuple(options.languages)
    report = ours(place, archive, archive / "cc-index", options.workers, languages)
    spent, elapsed_s = cpu_s() - before, time.monotonic() - started
    found = archive_extractions(place / "made", METHOD).to_table(columns=["url"])["url"].to_pylist()
    chosen = {
        row["url"]
        for row in made.rows
        if row["fetch_status"] == 200
        and (not languages or set(languages) & set((row["content_languages"] or "").split(",")))
    }
    good = chosen - made.damaged.keys()
    pages = {
        row["url"] for row in made.rows if row["url"] in good and row["content_mime_type"] in TYPES
    }
    listed = {one["url"] for one in archive_failures(place / "made", METHOD) if "kind" in one}
    print(json.dumps({
        **read_all(archive, made), "languages": languages, "chosen": len(chosen), **report,
        "rows": len(found), "missing": len(pages - set(found)),
        "twice": len(found) - len(set(found)),
        "not_expected": len(set(found) - pages),
        "damaged_listed": len(listed & made.damaged.keys()),
        "damaged_chosen": len(chosen & made.damaged.keys()),
        "undamaged_listed": len(listed - made.damaged.keys()),
        "elapsed_s": round(elapsed_s), "cpu_s": round(spent),
        "pages_per_cpu_s": round(len(found) / spent, 1), "load": os.getloadavg()[0],
    }, indent=1))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--paragraphs", type=int, default=8)
    parser.add_argument("--damaged-every", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", nargs="+", default=["index", "scan"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--languages", nargs="*", default=[], help="pages of --whole")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--step")
    parser.add_argument("--place", type=Path)
    parser.add_argument("--archive", type=Path)
    options = parser.parse_args()
    if options.step:
        found = STEPS[options.step](options.place, options.archive)
        print(json.dumps({**found, "cpu_s": round(cpu_s(), 2)}))
        return
    with tempfile.TemporaryDirectory() as folder:
        (find_all if options.whole else compare)(Path(folder), options)


if __name__ == "__main__":
    main()
