"""Nothing leaves the browser: sockets listen while it draws pages that try to send something."""

import json
import subprocess
import sys

import pytest

from tests.crawl.harness import environment
from tests.render.leaks import WEBRTC, own_network

pytestmark = pytest.mark.full


def _listen(mode):
    """What was heard, by page; whether the browser had a network of its own, with names asked."""
    before = own_network()
    words = [*before, sys.executable, "-m", "tests.render.leaks", mode]
    done = subprocess.run(
        [*words, "alone"] if before else words,
        env=environment(), capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    heard = json.loads(done.stdout)["heard"]
    drawn = {name: kinds.pop("drawn") for name, kinds in heard.items() if name != "later"}
    assert set(drawn.values()) == {1}
    return heard, bool(before)


def test_nothing_is_heard_from_pages_that_try_to_send(browser_path):
    heard, _ = _listen("guarded")
    assert len(heard) == 13
    assert {name: kinds for name, kinds in heard.items() if kinds} == {}


def test_webrtc_reaches_nobody_where_pages_have_it(browser_path):
    """The switches alone; the machine may say on its network that it listens for local names."""
    heard, _ = _listen("switches")
    assert set(heard) == {*WEBRTC, "later"}
    assert {name: set(kinds) - {"packet"} for name, kinds in heard.items()} == {
        name: set() for name in heard
    }


def test_the_listeners_hear_a_browser_that_is_let(browser_path):
    heard, has_names = _listen("unguarded")
    kinds = {kind for page in heard.values() for kind in page}
    assert {"udp", "tcp"} <= kinds
    if has_names:
        assert {"dns", "packet"} <= kinds
