"""The pool: whatever a page does, each input has one outcome, in order, and others are unharmed."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarkcrawl.analysis import Outcome, map_pages
from quarkcrawl.analysis.handle import WorkerHandle
from tests.corpus import toys
from tests.crawl.harness import ROOT, environment

FAILURES = {
    "segfault": "crash: SIGSEGV",
    "abort": "crash: SIGABRT",
    "exit": "crash: exit code 7",
    "sys_exit": "error: SystemExit: not here",
    "raise": "error: ValueError: 坏",
    "no_memory": "error: MemoryError",
    "recursion": "error: RecursionError: maximum recursion depth exceeded",
    "silent": "error: SilentError",
}


def outcomes(inputs, **options):
    return list(map_pages(toys.behave, inputs, **{"workers": 2, "timeout_s": 20, **options}))


def check(inputs, found):
    assert [o.input for o in found] == list(inputs)
    for outcome in found:
        if isinstance(outcome.input, str):
            assert outcome.value is None
            assert outcome.failure is not None
            assert outcome.failure.startswith(FAILURES[outcome.input])
        else:
            assert outcome == Outcome(outcome.input, 2 * outcome.input)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("chunk_pages", [1, 3, 100])
def test_order_and_values_without_failures(workers, chunk_pages):
    inputs = range(50)
    check(inputs, outcomes(inputs, workers=workers, chunk_pages=chunk_pages))


def test_no_input_starts_no_process():
    assert outcomes([]) == []


@pytest.mark.parametrize("bad", FAILURES)
@pytest.mark.parametrize("workers", [1, 2])
def test_one_bad_page_among_good_ones(bad, workers):
    inputs = [*range(10), bad, *range(10, 20)]
    check(inputs, outcomes(inputs, workers=workers, chunk_pages=7))


@settings(max_examples=8)
@given(st.lists(st.integers() | st.sampled_from(sorted(FAILURES)), max_size=14), st.integers(1, 6))
def test_any_mixture(inputs, chunk_pages):
    check(inputs, outcomes(inputs, chunk_pages=chunk_pages))


@pytest.mark.full
def test_many_quick_crashes():
    rng = random.Random(2006)
    inputs = [rng.choice(["exit", n]) for n in range(60)]
    check(inputs, outcomes(inputs))


@pytest.mark.parametrize("bad", [pytest.param("loop", marks=pytest.mark.full), "loop_in_c"])
def test_a_page_that_does_not_end(bad):
    inputs = [1, bad, 2, 3]
    found = outcomes(inputs, timeout_s=3)
    assert [o.failure for o in found] == [None, "timeout", None, None]
    assert [o.value for o in found] == [2, None, 4, 6]
    assert found[1].reason == "timeout"


@pytest.mark.full
def test_a_page_that_switches_the_alarm_off(monkeypatch):
    monkeypatch.setattr("quarkcrawl.analysis.handle._GRACE_S", 0.5)
    found = outcomes([1, "block_the_alarm", 2], timeout_s=3)
    assert [o.failure for o in found] == [None, "timeout", None]


@pytest.mark.full
def test_a_slow_page_is_not_punished_for_its_neighbors():
    inputs = [(n, 0.5) for n in range(8)]
    found = list(map_pages(toys.slow, inputs, workers=1, timeout_s=3, chunk_pages=8))
    assert [o.failure for o in found] == [None] * 8


@pytest.mark.parametrize("bad", ["unpicklable", "unreadable"])
def test_a_result_that_cannot_travel(bad):
    found = outcomes([1, bad, 2])
    assert [o.value for o in found] == [2, None, 4]
    assert found[1].reason == "error"


def test_the_memory_of_a_worker_can_be_bounded():
    found = outcomes([1, "take_memory", 2], memory_bytes=1 << 30)
    assert [o.value for o in found] == [2, None, 4]
    assert found[1].failure == "error: MemoryError"


def test_a_page_that_did_not_cause_the_crash_is_kept(tmp_path):
    """Killed from outside (out of memory, say): the second try counts."""
    found = list(map_pages(toys.crash_once, [str(tmp_path / n) for n in "abc"], workers=1))
    assert [o.value for o in found] == ["second try"] * 3


def test_large_inputs_and_results_do_not_block_each_other():
    found = list(map_pages(toys.big, [3_000_000] * 12, workers=2, chunk_pages=4))
    assert [len(o.value or b"") for o in found] == [3_000_000] * 12
    echoed = list(map_pages(toys.double, [bytes(3_000_000)] * 6, workers=2, chunk_pages=3))
    assert [len(o.value or b"") for o in echoed] == [6_000_000] * 6


def test_inputs_are_taken_as_needed_and_a_slow_page_holds_the_others_back():
    taken = []

    def inputs():
        for n in range(10_000):
            taken.append(n)
            yield (n, 0.4 if n == 0 else 0)

    stream = map_pages(toys.slow, inputs(), workers=2, chunk_pages=5)
    assert next(stream).value == 0
    assert len(taken) <= 4 * 2 * 5 + 5
    stream.close()


def test_the_work_is_not_done_here():
    pids = {o.value for o in map_pages(toys.my_pid, range(100), workers=1)}
    assert len(pids) == 1
    assert pids != {os.getpid()}


def test_closing_early_ends_the_processes():
    stream = map_pages(toys.my_pid, range(1000), workers=1, chunk_pages=1)
    pid = next(stream).value
    stream.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_error_of_the_inputs_comes_through():
    def inputs():
        yield from range(5)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(map_pages(toys.double, inputs(), workers=1, chunk_pages=2))


@pytest.mark.full
def test_a_script_without_a_main_part_gets_a_clear_error(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(
        "from quarkcrawl.analysis import map_pages\nfrom tests.corpus import toys\n"
        "list(map_pages(toys.double, range(5), workers=1))\n"
    )
    done = subprocess.run([sys.executable, script], cwd=ROOT, env=environment(), text=True,
                          capture_output=True, timeout=300, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "worker processes do not start" in done.stderr
    assert "__main__" in done.stderr.splitlines()[-1]


@pytest.mark.full
def test_processes_that_cannot_be_started_are_a_clear_error(tmp_path):
    code = (
        "import multiprocessing, tests.corpus.toys as toys\n"
        "from quarkcrawl.analysis import map_pages\n"
        "multiprocessing.set_executable('/bin/false')\n"
        "list(map_pages(toys.double, range(5), workers=1))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), text=True,
                          capture_output=True, timeout=300, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "QuarkError: a worker process cannot be started" in done.stderr


BOUNDED = """
import resource
from quarkcrawl.analysis import map_pages
from tests.corpus import toys
if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))
    found = map_pages(toys.behave, [1, "take_memory"], workers=1, memory_bytes=3 << 30)
    print([outcome.value or outcome.failure for outcome in found])
"""


@pytest.mark.full
def test_workers_start_where_a_user_may_take_less_memory(tmp_path):
    script = tmp_path / "bounded.py"
    script.write_text(BOUNDED)
    done = subprocess.run([sys.executable, script], cwd=ROOT, env=environment(), text=True,
                          capture_output=True, timeout=300, check=False)  # fmt: skip
    assert done.stdout == "[2, 'error: MemoryError']\n"


@pytest.mark.parametrize("wrong", [{"workers": -1}, {"chunk_pages": 0}, {"timeout_s": -1}])
def test_numbers_out_of_range(wrong):
    with pytest.raises(ValueError, match="≥"):
        map_pages(toys.double, [1], **wrong)


PARENT = """
import sys, time
from quarkcrawl.analysis import map_pages
from tests.corpus import toys
if __name__ == "__main__":
    for outcome in map_pages(toys.my_pid, iter(int, 1), workers=1, chunk_pages=1):
        print(outcome.value, flush=True)
        time.sleep(0.05)
"""


@pytest.mark.full
def test_workers_end_with_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, script], cwd=ROOT, env=environment(),
                          stdout=subprocess.PIPE, text=True) as parent:  # fmt: skip
        assert parent.stdout
        worker = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the worker outlived its parent")


def test_large_inputs_are_given_out_and_held_by_bytes(monkeypatch):
    """A worker gets as many at once as have so many bytes; a slow page stops the taking."""
    monkeypatch.setattr("quarkcrawl.analysis.pool._CHUNK_BYTES", 100)
    given, taken = [], []
    give = WorkerHandle._send

    def noted(self, tasks):
        given.append([task.input for task in tasks])
        give(self, tasks)

    def inputs():
        for n in range(200):
            taken.append(n)
            yield (n, 0.3 if n == 0 else 0)

    monkeypatch.setattr(WorkerHandle, "_send", noted)
    stream = map_pages(toys.slow, inputs(), workers=1, input_bytes=lambda pair: 40)
    assert next(stream).value == 0
    assert len(taken) <= 4 * 3
    assert [outcome.value for outcome in stream] == list(range(1, 200))
    assert max(map(len, given)) == 3


def test_one_input_larger_than_the_bound_still_goes(monkeypatch):
    monkeypatch.setattr("quarkcrawl.analysis.pool._CHUNK_BYTES", 10)
    found = map_pages(toys.double, range(9), workers=2, input_bytes=lambda _: 1000)
    assert [outcome.value for outcome in found] == [2 * n for n in range(9)]


def test_what_went_wrong_can_be_written_to_any_file():
    (outcome,) = outcomes(["surrogate"], workers=1)
    assert outcome.failure == "error: ValueError: bad ?"
    assert outcome.failure.encode()


def test_in_process_the_same_outcomes_without_processes(monkeypatch):
    monkeypatch.setattr(WorkerHandle, "__init__", None)
    inputs = [1, "raise", 2, "silent", "surrogate", "sys_exit", 3]
    found = outcomes(inputs, in_process=True)
    monkeypatch.undo()
    assert found == outcomes(inputs)
    assert {o.value for o in map_pages(toys.my_pid, range(3), in_process=True)} == {os.getpid()}
