"""Orders by file: what is left in the inbox arrives once and whole."""

import subprocess
import sys
import threading

import pytest

from quarkcrawl.config import CrawlConfig
from quarkcrawl.crawl.campaign.campaign import Campaign
from quarkcrawl.crawl.campaign.control import Control, add_hosts
from quarkcrawl.errors import StoreError
from tests.crawl.harness import environment


def test_lines_that_are_no_hosts_do_not_hide_later_ones(tmp_path):
    root = tmp_path / "corpus"
    campaign = Campaign(CrawlConfig(out=str(root), robots=False), root)
    (root / "frontier.inbox").write_text("no host at all\n")
    campaign._take_inbox()
    add_hosts(root, ["http://a.cn/"])
    campaign._take_inbox()
    assert campaign.frontier.counts().pending == 1
    assert not list(root.glob("frontier.inbox*"))
    campaign.abandon()


ADDS = """
import sys
from pathlib import Path
from quarkcrawl.crawl.campaign.control import add_hosts
for number in range(100):
    add_hosts(Path(sys.argv[1]), [f"http://h{number}.of{sys.argv[2]}.cn/"])
"""


@pytest.mark.full
def test_hosts_that_are_added_while_the_inbox_is_taken_are_not_lost(tmp_path):
    words = [sys.executable, "-c", ADDS, str(tmp_path)]
    adders = [subprocess.Popen([*words, str(n)], env=environment()) for n in range(2)]
    control, found = Control(tmp_path), []
    ended = threading.Event()
    threading.Thread(target=lambda: [a.wait() for a in adders] and ended.set()).start()
    while True:
        last = ended.is_set()
        found += control.take_inbox().seeds
        control.inbox_done()
        if last:
            break
    assert [adder.returncode for adder in adders] == [0, 0]
    assert len(found) == len(set(found)) == 200


def test_an_inbox_that_cannot_be_emptied_is_an_error_of_the_store(tmp_path, monkeypatch):
    (tmp_path / "frontier.inbox.taken").mkdir()
    with pytest.raises(StoreError, match="inbox"):
        Control(tmp_path).inbox_done()
