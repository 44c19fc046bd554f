"""What a campaign writes into its log."""

from quarkcrawl.crawl.components.logs import QuietLogFormatter
from quarkcrawl.page import Fetched, Page, PageItem


def test_a_page_that_ends_in_an_error_is_named_without_its_body():
    page = Page.from_bytes(b"x" * 5000)
    item = PageItem(Fetched(url="http://a.cn/1"), b"x" * 5000, "token", page)
    line = QuietLogFormatter().item_error(item, ValueError("坏"), None, None)
    text = line["msg"] % line["args"]
    assert "http://a.cn/1" in text
    assert len(text) < 200
    other = QuietLogFormatter().item_error({"of": "another spider"}, ValueError(), None, None)
    assert "another spider" in other["msg"] % other["args"]
