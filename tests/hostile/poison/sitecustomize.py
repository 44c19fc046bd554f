"""On PYTHONPATH of a crawl: what its pages ask for is done where they ask for it.

A page with PLACE-FAULT in its address and its text suffers that fault in that place of its
analysis: real signals, real memory, calls that keep the interpreter.
"""

import ctypes
import os
import re
import signal

from quarkcrawl import page as page_package
from quarkcrawl.analysis import stages

ORDER = re.compile(r"(parse|links|segmentation|content)-([a-z]+)")


def suffer(text, place):
    order = ORDER.search(text)
    if order is None or order[1] != place:
        return
    if order[2] == "exception":
        raise RuntimeError(f"in {place}")
    if order[2] == "segfault":
        ctypes.string_at(0)
    if order[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if order[2] == "hang":
        ctypes.PyDLL(None).sleep(1000)  # with the interpreter's lock
    if order[2] == "memory":
        kept = []
        while True:
            # Claimed, not written to: what ends it is the bound, not a slow machine's CPU limit.
            kept.append(bytes(64 << 20))


def before(place, function, text_of):
    def suffering(*args, **options):
        suffer(text_of(*args), place)
        return function(*args, **options)

    return suffering


parse = page_package.PageTree.parse
page_package.PageTree.parse = staticmethod(
    before("parse", parse, lambda html: html if html.startswith("<p>parse-") else "")
)
Page = page_package.Page
Page.links_within = before("links", Page.links_within, lambda page, _bounds: page.url)
for stage in ("segmentation", "content"):
    setattr(stages, stage, before(stage, getattr(stages, stage), lambda page, _columns: page.url))
