"""What happens when standard output takes nothing more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.harness import environment

SHOW = [sys.executable, "-m", "quarkcrawl", "config", "show"]


@pytest.mark.full
def test_a_reader_that_goes_away_is_no_failure():
    with subprocess.Popen(SHOW, env=environment(PYTHONUNBUFFERED="1"), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


@pytest.mark.full
def test_a_full_disk_is_told_in_a_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(SHOW, env=environment(), text=True, stdout=full,
                              stderr=subprocess.PIPE, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (
        1,
        "quarkcrawl: standard output: No space left on device\n",
    )
