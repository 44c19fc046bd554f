"""The default extractor on every page at hand and on a thousand damaged ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import quarkcrawl as qc
from benchmarks.extractor import every_page, mutated_pages, peak_mib, robustness
from tests.page.samples import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [
    pytest.mark.slow,
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/data"),
]


@pytest.mark.parametrize("pages", [every_page, lambda: mutated_pages(1000)])
def test_no_failure_no_empty_result_bounded_time(pages: Callable[[], Iterator[bytes]]) -> None:
    qc.extract("<p>compile")
    found = robustness(pages())
    assert found["pages"] >= 1000
    assert found["failures"] == []
    assert found["empty_although_text"] == 0
    assert found["slowest_in_medians"] <= 50


def test_memory_over_a_thousand_pages() -> None:
    assert peak_mib(1000) <= 300
