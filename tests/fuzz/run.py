"""``python -m tests.fuzz.run TARGET --seconds 300 [--corpus FOLDER]``: a target under atheris.

Needs atheris, which has no place among the project's dependencies: an environment of its own will
do (docs/warc.md says how). Compiled loops cannot be instrumented.
A finding is written to ``crash-…`` in the working folder; its bytes go to ``findings/TARGET/``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import atheris


def main() -> None:
    """Run until the time is over or something breaks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--corpus", type=Path, default=Path("fuzz-corpus"))
    options = parser.parse_args()
    with atheris.instrument_imports(include=["quarkcrawl"]):
        from tests.fuzz.seeds import seeds
        from tests.fuzz.targets import TARGETS

    folder = options.corpus / options.target
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(options.target)):
        (folder / f"seed-{number:02}").write_bytes(seed)
    limits = [f"-max_total_time={options.seconds}", "-timeout=20", "-rss_limit_mb=3000"]
    prefix = f"-artifact_prefix={options.corpus}/crash-{options.target}-"
    atheris.Setup(
        [sys.argv[0], str(folder), prefix, "-max_len=8192", *limits], TARGETS[options.target]
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
