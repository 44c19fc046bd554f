"""The engine: whatever a page does, each comes back once, and others are unharmed."""

import asyncio
import os
import random
import signal
import time
from dataclasses import replace

import pytest
import uvloop

from quarkcrawl.analysis import (
    AnalysisEngine,
    AnalysisPlan,
    EngineOptions,
    PageInput,
    StagePlan,
    analyze,
)
from tests.analysis import toys
from tests.analysis.toys import PLAN

OPTIONS = EngineOptions(workers=2, cpu_s=0.5, timeout_s=1.5, memory_bytes=600 << 20)


def source(word, text="天网", size=0):
    html = f"<a href=/next>{text}</a>" + " " * size
    return PageInput(f"http://a.cn/{word}", html.encode(), "text/html; charset=utf-8")


LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


def run(sources, plan=PLAN, options=OPTIONS, meanwhile=None, loop="asyncio"):
    async def all_of_them():
        engine = AnalysisEngine(plan, options)
        engine.start()
        try:
            tasks = [asyncio.ensure_future(engine.analyze(each)) for each in sources]
            if meanwhile is not None:
                await meanwhile(engine)
            return await asyncio.wait_for(asyncio.gather(*tasks), 60)
        finally:
            engine.close()

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        return runner.run(all_of_them())


@pytest.mark.full
@pytest.mark.parametrize(
    ("word", "flags"),
    [
        ("segfault", ("failed:crash",)),
        ("kill", ("failed:crash",)),
        ("spin", ("failed:timeout",)),
        ("hang", ("failed:timeout",)),
    ],
)
def test_a_page_that_ends_its_worker_keeps_its_links_and_harms_no_other(word, flags):
    words = [f"good{n}" for n in range(12)]
    bad, *good = run([source(word), *map(source, words)])
    assert bad.flags == flags
    assert bad.columns == {}
    assert bad.links.url == ["http://a.cn/next"]
    assert [found.columns for found in good] == [{"toy": {"text": "天网"}}] * 12
    assert all(not found.flags for found in good)


def test_an_exception_and_want_of_memory_harm_the_stage_alone():
    raised, starved = run([source("raise"), source("memory")])
    assert raised.failures == {"toy": "ValueError: 坏"}
    assert starved.failures == {"toy": "MemoryError: "}
    assert raised.links.url == starved.links.url == ["http://a.cn/next"]


def test_columns_beyond_the_bound_are_left_out():
    plan = replace(PLAN, stages=(*PLAN.stages, StagePlan("more", "tests.analysis.toys:behave")))
    (found,) = run([source("wide")], plan)
    assert (found.columns, found.flags, found.failures) == ({}, ("columns_cut",), {})


def test_title_and_canonical_are_bounded():
    long = f"<base href=/{'b' * 3000}/><title>{'天' * 99}</title><link rel=canonical href=x><p>天<a href=y>"
    page = PageInput("http://a.cn/", long.encode(), "text/html; charset=utf-8")
    found = analyze(page, replace(PLAN, max_column_bytes=20))
    assert (found.title, found.canonical) == ("天" * 20, None)
    assert (found.flags, found.columns) == (("columns_cut", "long_links"), {})
    short = replace(page, body=page.body.replace(b"b" * 3000, b"b"))
    assert analyze(short, PLAN).canonical == "http://a.cn/b/x"
    assert (analyze(short, PLAN).title, analyze(short, PLAN).flags) == ("天" * 99, ())


@pytest.mark.full
def test_a_worker_that_hears_no_signal_is_killed(monkeypatch):
    monkeypatch.setattr("quarkcrawl.analysis.handle._GRACE_S", 0.5)
    bad, good = run([source("deaf"), source("good")])
    assert bad.flags == ("failed:timeout",)
    assert good.flags == ()


def test_workers_killed_from_outside_cost_no_page():
    async def kill(engine):
        for _ in range(6):
            await asyncio.sleep(0.05)
            worker = random.choice(engine._workers)
            os.kill(worker._process.pid, signal.SIGKILL)

    found = run([source(f"good{n}") for n in range(300)], meanwhile=kill)
    by_hit = {True: [], False: []}
    for each in found:
        by_hit[each.columns != {"toy": {"text": "天网"}}].append(each)
    assert all(each.links.url == ["http://a.cn/next"] for each in by_hit[False])
    assert all(each.links.url in ([], ["http://a.cn/next"]) for each in by_hit[True])
    assert all(each.flags == ("failed:crash",) for each in by_hit[True])  # hit twice by chance
    assert len(by_hit[True]) <= 2


def test_small_pages_pass_large_ones_by():
    async def order():
        engine = AnalysisEngine(PLAN, replace(OPTIONS, cpu_s=30, timeout_s=30))
        engine.start()
        done = []

        async def one(each, name):
            await engine.analyze(each)
            done.append(name)

        large = [one(source("good", size=3 << 20), "large") for _ in range(6)]
        small = [one(source("good"), "small") for _ in range(20)]
        await asyncio.gather(*large, *small)
        engine.close()
        return done

    done = asyncio.run(order())
    assert done[:20].count("small") >= 15


@pytest.mark.full
@pytest.mark.parametrize("size", [0, 2 << 20])
def test_what_waits_behind_a_page_that_hangs_goes_to_another_worker(size):
    done = {}

    async def all_of_them():
        engine = AnalysisEngine(PLAN, replace(OPTIONS, timeout_s=9))
        engine.start()
        await asyncio.gather(*(engine.analyze(source(f"first{n}")) for n in range(2)))
        started, links = time.monotonic(), []

        async def one(word):
            found = await engine.analyze(source(word, size=size), on_slow=links.append)
            done[word] = time.monotonic() - started
            return found

        found = await asyncio.gather(*map(one, ["hang", *(f"good{n}" for n in range(7))]))
        engine.close()
        return found, links

    (bad, *good), (slow, links) = asyncio.run(all_of_them())
    assert (bad.flags, slow, links.links.url) == (("failed:timeout",), None, ["http://a.cn/next"])
    assert [each.columns for each in good] == [{"toy": {"text": "天网"}}] * 7
    assert done.pop("hang") >= 9
    assert max(done.values()) < 6


@pytest.mark.full
@pytest.mark.parametrize(("word", "flag"), [("segfault", "crash"), ("spin", "timeout")])
def test_a_page_that_cannot_even_be_parsed_is_given_up(monkeypatch, word, flag):
    monkeypatch.setattr("quarkcrawl.analysis.engine.analyze", toys.unparsable)
    bad, good = run([source(word), source("good")])
    assert (bad.flags, len(bad.links), bad.encoding) == ((f"failed:{flag}",), 0, "")
    assert good.links.url == ["http://a.cn/next"]


@pytest.mark.parametrize("loop", LOOPS)
def test_pages_and_answers_larger_than_a_pipe(loop):
    texts = ["天" * n_chars for n_chars in (10, 40_000, 90_000, 800_000, 20)]
    sources = [source(f"good{n}", text, n << 10) for n, text in enumerate(texts * 4)]
    options = replace(OPTIONS, cpu_s=30, timeout_s=30)
    assert run(sources, options=options, loop=loop) == [analyze(each, PLAN) for each in sources]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("loop", LOOPS)
def test_long_headers_behind_a_page_with_a_large_answer(loop):
    """Neither side waits for the other to read: the headers of a page count in no bound."""
    head = (200, "OK", "HTTP/1.1", ((b"Set-Cookie", b"x" * 500_000),))
    small = [replace(source(f"good{n}"), head=head) for n in range(9)]
    large = [source(f"good{n}", "天" * 250_000) for n in range(9)]
    sources = [each for pair in zip(large, small, strict=True) for each in pair]
    options = replace(OPTIONS, workers=1, cpu_s=30, timeout_s=30)
    assert run(sources, options=options, loop=loop) == [analyze(each, PLAN) for each in sources]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_worker_that_dies_over_a_page_larger_than_a_pipe(loop):
    sources = [
        source(word, "天" * 400_000) for word in ("kill", "good", "segfault", "good", "kill")
    ]
    found = run(sources, options=replace(OPTIONS, cpu_s=30, timeout_s=30), loop=loop)
    crashed, fine = ("failed:crash",), ()
    assert [each.flags for each in found] == [crashed, fine, crashed, fine, crashed]
    assert all(each.links.url == ["http://a.cn/next"] for each in found)


def test_plans_of_equal_settings_are_equal():
    assert PLAN.digest == AnalysisPlan(PLAN.stages).digest != AnalysisPlan().digest
    assert PLAN.only() == AnalysisPlan()


def test_the_same_comes_from_a_worker_and_from_a_call():
    sources = [source(f"good{n}", "天网" * n) for n in range(30)]
    assert run(sources) == [analyze(each, PLAN) for each in sources]


def test_closing_ends_all_processes():
    async def left_alone():
        engine = AnalysisEngine(PLAN, OPTIONS)
        engine.start()
        waiting = [asyncio.ensure_future(engine.analyze(source("hang"))) for _ in range(5)]
        await asyncio.sleep(0.3)
        pids = [worker._process.pid for worker in engine._workers]
        engine.close()
        await asyncio.gather(*waiting, return_exceptions=True)
        return pids, [task.cancelled() for task in waiting]

    started = time.monotonic()
    pids, cancelled = asyncio.run(left_alone())
    assert cancelled == [True] * 5
    assert time.monotonic() - started < 60
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
