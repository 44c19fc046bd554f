"""Machine code: compiled by one process for all, also where several start at once."""

import pickle
import subprocess
import sys

import numba
import pytest

LOOPS = """
import sys
from quarkcrawl.kernels import compiled

@compiled
def inner(x):
    return x * 2 + 1

@compiled
def outer(n):
    total = 0
    for i in range(n):
        total += inner(i)
    return total

if __name__ == "__main__":
    import loops
    assert loops.outer(1000) == 1000 * 1000
    stats = [loops.outer.dispatcher.stats, loops.inner.dispatcher.stats]
    print(sum(sum(stat.cache_misses.values()) for stat in stats))
"""


def start(folder):
    return subprocess.Popen(
        [sys.executable, "loops.py"], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_of_several_processes_one_compiles(tmp_path):
    (tmp_path / "loops.py").write_text(LOOPS)
    answers = [process.communicate() for process in [start(tmp_path) for _ in range(3)]]
    assert not [error for _, error in answers if error]
    assert sum(int(misses) for misses, _ in answers) == 2, "each function once"
    assert start(tmp_path).communicate() == ("0\n", "")


def test_without_a_lock_the_result_is_the_same(tmp_path):
    (tmp_path / "loops.py").write_text(LOOPS)
    (tmp_path / "__pycache__" / "loops.outer.lock").mkdir(parents=True)
    assert start(tmp_path).communicate() == ("2\n", "")


def test_numba_can_be_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    code = "from quarkcrawl.kernels import compiled; print(compiled(lambda x: x + 1)(1))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "2\n"


@pytest.mark.full
def test_a_cache_of_an_earlier_version_is_replaced(tmp_path):
    (tmp_path / "loops.py").write_text(LOOPS)
    assert start(tmp_path).communicate() == ("2\n", "")
    (index,) = (tmp_path / "__pycache__").glob("loops.outer-*.nbi")
    version = index.read_bytes().partition(pickle.dumps(numba.__version__, protocol=-1))
    gone = b"cquarkcrawl.kernels\nNotThere\n."  # a pickle that asks for a class
    index.write_bytes(b"".join(version[:2]) + gone)
    assert start(tmp_path).communicate() == ("1\n", "")
    assert start(tmp_path).communicate() == ("0\n", "")
