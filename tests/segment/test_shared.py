"""A page is cut once for all who hold its blocks, and kept alive by nobody."""

import gc
import weakref

from quarkcrawl.content import extract
from quarkcrawl.page import Page
from quarkcrawl.segment import QuarkRecognizer, segmentation_of

HTML = "<h1>天网</h1><div><p>" + "北京大学的同学们在湖边读书。" * 20 + "</p></div>"


def test_the_same_object_while_somebody_holds_it():
    page = Page.from_html(HTML)
    first = segmentation_of(page)
    assert segmentation_of(page) is first
    assert segmentation_of(Page.from_html(HTML)) is not first


def test_nothing_is_kept_alive_and_no_cycle_is_made():
    gc.disable()
    try:
        page = Page.from_html(HTML)
        blocks = segmentation_of(page)
        content = extract(page, method="quark")
        assert content.segmentation.page is page
        gone = [weakref.ref(page), weakref.ref(blocks)]
        del page, blocks, content
        assert [r() for r in gone] == [None, None]
    finally:
        gc.enable()


def test_extraction_uses_the_blocks_that_are_there(monkeypatch):
    page = Page.from_html(HTML)
    blocks = segmentation_of(page)
    monkeypatch.setattr(QuarkRecognizer, "recognize", None)  # a second call would fail
    content = extract(page, method="quark")
    assert content.failure is None
    assert content.segmentation.root is blocks.root
