"""A simulated Chinese web on loopback, for tests, the demo and benchmarks.

A `Web` says what each host answers; there are four kinds. `Replay` serves stored pages (JSON
lines, WARC, a corpus) under their original host names. `MiniWeb` makes up a Chinese web from a
seed, with the hostility of the real one, and knows the truth about it; `SelectionWeb` is wide and
shallow, with planted truth for the choice of seed sites; `ListedWeb` adds hosts whose pages stand
in sitemaps and feeds only. One server process answers for all hosts, http on one port and https
on another; `ServerProcess` starts it, reads its request log and is sure to end it. A crawler
reaches it by resolving every name in `ServerInfo.hosts` to `ServerInfo.address` and mapping ports
80 and 443.
"""

from quarkcrawl.lab.mockweb.dice import Dice
from quarkcrawl.lab.mockweb.listed import ListedWeb
from quarkcrawl.lab.mockweb.selection import SelectionWeb, SimHost, plan_selection
from quarkcrawl.lab.mockweb.server import LogEntry, Replay, ServerInfo, ServerProcess, serve
from quarkcrawl.lab.mockweb.site import (
    COLUMNS,
    SPAM_KINDS,
    HostTruth,
    MiniWeb,
    PageTruth,
    Truth,
    page_truth,
    paragraph,
    truth,
)
from quarkcrawl.lab.mockweb.web import Ask, Coding, Fault, MockReply, Web

__all__ = [
    "COLUMNS",
    "SPAM_KINDS",
    "Ask",
    "Coding",
    "Dice",
    "Fault",
    "HostTruth",
    "ListedWeb",
    "LogEntry",
    "MiniWeb",
    "MockReply",
    "PageTruth",
    "Replay",
    "SelectionWeb",
    "ServerInfo",
    "ServerProcess",
    "SimHost",
    "Truth",
    "Web",
    "page_truth",
    "paragraph",
    "plan_selection",
    "serve",
    "truth",
]
