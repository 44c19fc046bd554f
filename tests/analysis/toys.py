"""Stages that do to a worker what pages could do; the word is the last part of the URL."""

import ctypes
import os
import signal
import time

from quarkcrawl.analysis import AnalysisPlan, StagePlan, analyze
from quarkcrawl.page import Page

PLAN = AnalysisPlan((StagePlan("toy", "tests.analysis.toys:behave"),))


def behave(page, _columns):
    word = page.url.rpartition("/")[2]
    if word == "raise":
        raise ValueError("坏")
    if word == "segfault":
        ctypes.string_at(0)
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "spin":  # a loop in C that holds the interpreter
        sum(range(10**12))
    if word == "hang":
        signal.pthread_sigmask(signal.SIG_BLOCK, [])
        time.sleep(1000)
    if word == "deaf":  # nothing but SIGKILL ends it
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
        time.sleep(1000)
    if word == "memory":
        raise AssertionError(len(b"x" * (1 << 34)))
    if word == "wide":
        return {"text": "x" * (40 << 20)}
    return {"text": page.tree.text(0).strip()}


def unparsable(source, plan):
    """In place of the analysis: what a bad page does, it does to the parser."""
    behave(Page.from_bytes(source.body, source.url), {})
    return analyze(source, plan)
