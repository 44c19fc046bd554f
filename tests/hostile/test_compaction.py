"""A crawl whose compaction fails: it says so, loses nothing, and the next run makes it up."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quarkcrawl.lab.mockweb import ServerProcess
from quarkcrawl.store import Corpus
from tests.crawl.harness import ROOT, environment, host_map, write_hosts

HOST = "www.good.cn"
PAGES = {f"http://{HOST}/{n}.html": f"<p>{n} " + "天网" * 99 for n in range(5)}
PAGES |= {f"http://{HOST}/": "".join(f"<a href=/{n}.html>{n}</a>" for n in range(5))}


def crawl(folder, server, **extra):
    command = [sys.executable, "-m", "quarkcrawl", "crawl", write_hosts(folder, [HOST])]
    command += ["--out", folder / "corpus", "--quiet", "--delay-s", "0", "--in-process"]
    command += ["--set", f"host_map={host_map(server)}", "--set", "robots=no"]
    return subprocess.run(command, env=environment(**extra), cwd=folder, timeout=120,
                          capture_output=True, text=True, check=False)  # fmt: skip


def journals(folder):
    return [path.stat().st_size for path in (folder / "corpus").rglob("journal/*")]


@pytest.mark.full
@pytest.mark.parametrize(
    ("fault", "words"), [("disk", "No space left on device"), ("memory", "realloc of size")]
)
def test_a_compaction_that_fails_is_a_failure_and_made_up(tmp_path, fault, words):
    path = os.pathsep.join([str(Path(__file__).with_name("nocompaction")), str(ROOT)])
    with ServerProcess.for_pages(PAGES) as server:
        failed = crawl(tmp_path, server, NO_COMPACTION=fault, PYTHONPATH=path)
        assert failed.returncode == 1
        assert len(failed.stderr.splitlines()) == 1
        assert "compaction failed, the next run makes it up" in failed.stderr
        assert words in failed.stderr
        assert json.loads(failed.stdout)["finish_reason"] == "storage_failed"
        assert any(journals(tmp_path))
        assert sorted(row.url for row in Corpus.open(tmp_path / "corpus").pages()) == sorted(PAGES)
        again = crawl(tmp_path, server)
    assert (again.returncode, again.stderr) == (0, "")
    assert json.loads(again.stdout)["pages"] == 0
    assert not any(journals(tmp_path))
    corpus = Corpus.open(tmp_path / "corpus")
    assert sorted(corpus.table("page").to_table()["url"].to_pylist()) == sorted(PAGES)
    assert sorted(row.url for row in corpus.pages()) == sorted(PAGES)
