"""One segmentation of a page for all who look at its blocks at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ReferenceType, WeakKeyDictionary, ref

from quarkcrawl.segment.quark import QuarkRecognizer

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.segment.segmentation import Segmentation


# Weak on both sides: a segmentation holds its page, and both must go without the collector.
_shared: WeakKeyDictionary[Page, ReferenceType[Segmentation]] = WeakKeyDictionary()


def segmentation_of(page: Page) -> Segmentation:
    """The blocks of a page under the default options.

    The same object for as long as anybody holds it: in a crawl the segmentation stage cuts the
    page and the content stage finds it cut.

    Args:
        page: any page; another object with the same bytes is cut anew.
    """
    reference = _shared.get(page)
    segmentation = None if reference is None else reference()
    if segmentation is None:
        segmentation = QuarkRecognizer().recognize(page)
        _shared[page] = ref(segmentation)
    return segmentation
