"""A simulated Chinese web on loopback, for tests, the demo and benchmarks.

A `Web` says what each host answers; there are three kinds. `Replay` serves stored pages (JSON
lines, WARC, a corpus) under their original host names. `MiniWeb` makes up a Chinese web from a
seed, with the hostility of the real one, and knows the truth about it; `SelectionWeb` is wide and
shallow, with planted truth for the choice of seed sites. One server process
answers for all hosts, http on one port and https on another; `ServerProcess` starts it, reads
its request log and is sure to end it. A crawler reaches it by resolving every name in
`ServerInfo.hosts` to `ServerInfo.address` and mapping ports 80 and 443.
"""

from quarkcrawl.lab.mockweb.selection.plan import SimHost, plan_selection
from quarkcrawl.lab.mockweb.selection.web import SelectionWeb
from quarkcrawl.lab.mockweb.server.process import LogEntry, ServerProcess
from quarkcrawl.lab.mockweb.server.replay import Replay
from quarkcrawl.lab.mockweb.server.server import ServerInfo, serve
from quarkcrawl.lab.mockweb.site.generate import MiniWeb
from quarkcrawl.lab.mockweb.site.truth import HostTruth, PageTruth, Truth, page_truth, truth
from quarkcrawl.lab.mockweb.web import Ask, Coding, Fault, Reply, Web

__all__ = [
    "Ask",
    "Coding",
    "Fault",
    "HostTruth",
    "LogEntry",
    "MiniWeb",
    "PageTruth",
    "Replay",
    "Reply",
    "SelectionWeb",
    "ServerInfo",
    "ServerProcess",
    "SimHost",
    "Truth",
    "Web",
    "page_truth",
    "plan_selection",
    "serve",
    "truth",
]
