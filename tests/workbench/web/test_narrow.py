"""What must fit: long addresses, a telephone's width, and a line through the sizes of sites.

On db60640 a campaign's report stood one letter a line at 390 pixels, an address of 2,000 characters
filled the screen, and a line was drawn through the sizes of twelve sites, and past the head of a
thousand.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from quarkcrawl.store import CorpusWriter, DropRow
from quarkcrawl.workbench.report import write_campaign_page
from tests.store.samples import make_item
from tests.workbench.web.conftest import running, watching

pytestmark = pytest.mark.full

LONG = "/search?" + "&".join(f"key{number}=%E5%A4%A9%E7%BD%91" for number in range(80))
BODY = "<title>天网</title><p>北京大学网络实验室，搜索引擎。".encode()
SCREENS = [(1280, "light", "en-US"), (390, "dark", "zh-CN")]


def written(root, sizes, path="/"):
    """A corpus whose sites have these numbers of pages."""
    number = 0
    with CorpusWriter(root) as writer:
        for site, size in enumerate(sizes):
            host = f"h{site}.cn"
            for _ in range(size):
                number += 1
                url = f"http://{host}{path}{number}"
                writer.append_page(make_item(number, host=host, url=url, body=BODY))
        for reason in ("http_404", "too_many_redirects"):
            url = f"http://h0.cn{path}{reason}"
            writer.append_row(DropRow(url, "h0.cn", reason, url, 2, 5.0))
    return root


def overflow(page) -> int:
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


@pytest.fixture(scope="module")
def twelve(tmp_path_factory):
    root = tmp_path_factory.mktemp("twelve") / "corpus"
    written(root, [1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 6, 9], LONG)
    with running(str(root)) as base:
        yield base


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_a_long_address_takes_some_lines_and_is_copied_whole(
    browser, twelve, width, scheme, locale
):
    size = {"width": width, "height": 844}
    options = {"viewport": size, "color_scheme": scheme, "locale": locale}
    with watching(browser, twelve, **options) as watched:
        page = watched.page
        watched.open("/pages?host=h11.cn")
        first = page.locator(".results li .url .long").first
        whole = first.get_attribute("title")
        assert len(whole) > 1000
        assert first.evaluate("one => (getSelection().selectAllChildren(one),"
                              " getSelection().toString())") == whole  # fmt: skip
        made = page.evaluate(
            "text => import('/static/app.js').then((app) => app.long(text).outerHTML)", whole
        )
        assert made == first.evaluate("one => one.outerHTML")
        page.locator(".results a.page").first.click()
        expect(page.locator("#facts")).not_to_contain_text("…")
        for path in (page.url.removeprefix(twelve), "/pages", "/drops", "/copies", "/marking"):
            watched.open(path)
            assert overflow(page) <= 0, path
            for place in page.locator(".long").all():
                lines = place.evaluate("one => one.getBoundingClientRect().height / 21")
                assert lines < 6, (path, lines)
        watched.assert_quiet()


def test_no_line_is_drawn_through_the_sizes_of_twelve_sites(browser, twelve):
    with watching(browser, twelve) as watched:
        watched.open("/")
        expect(watched.page.locator(".plot .dot")).to_have_count(6)
        expect(watched.page.locator(".plot .fit")).to_have_count(0)
        expect(watched.page.locator(".card", has=watched.page.locator(".plot"))).to_contain_text(
            "No line: it takes a hundred sites"
        )
        watched.assert_quiet()


def test_a_line_is_drawn_where_it_fits_and_says_so(browser, tmp_path):
    """600 sites of 1 to 3 pages, as many each, and 300 larger ones by a power law."""
    draw = np.random.default_rng(5)
    tail = draw.zipf(2.2, 20_000)
    tail = tail[(tail >= 4) & (tail <= 60)][:300]
    root = written(tmp_path / "corpus", [*draw.integers(1, 4, 600).tolist(), *tail.tolist()])
    with running(str(root)) as base, watching(browser, base) as watched:
        page = watched.page
        watched.open("/")
        card = page.locator(".card", has=page.locator(".plot"))
        expect(card).to_contain_text(re.compile(r"power law \(Zipf\) for sites of [34] to"))
        least = int(re.search(r"for sites of (\d+) to", card.inner_text())[1])
        line = page.locator(".plot .fit")
        head, *_, first = page.locator(".plot .dot").all()[:least]  # of 1 page, of ``least`` pages
        begin = float(line.get_attribute("x1"))
        assert float(head.get_attribute("cx")) < begin  # not through the head
        assert float(first.get_attribute("cx")) == pytest.approx(begin, abs=0.1)
        below = float(line.get_attribute("y1")) - float(first.get_attribute("cy"))
        assert abs(below) < 23, below  # a tenth of the plot's height
        watched.assert_quiet()


@pytest.mark.parametrize(("width", "scheme", "locale"), SCREENS)
def test_the_report_of_a_campaign_is_read_in_words(browser, tmp_path, width, scheme, locale):
    steps = [{"name": "names", "left": 110_000, "reasons": {"bad_name": 2000, "not_cn": 8345}},
             {"name": "addresses", "left": 9000, "reasons": {"shared_by_too_many_names": 101_000}}]  # fmt: skip
    reports = {
        "filter": {"hosts": 120_345, "steps": steps},
        "crawl": {"reasons": {"stored": 54_321, "timeout": 400, "http_404": 3000}, "hosts": {}},
        "export": {"documents": {"train": 2000}, "left_out": {"language_is_not_chinese": 44}},
    }
    (tmp_path / "steps").mkdir()
    words = ["crawl", "/data/campaigns/cwt/hosts.txt", "--out", "/data/campaigns/cwt/corpus"]
    for place, (step, report) in enumerate(reports.items()):
        note = {"step": step, "started": place, "elapsed_s": 9.5, "words": words, "report": report}
        (tmp_path / "steps" / f"{step}.json").write_text(json.dumps(note))
    path = write_campaign_page("CWT", tmp_path, locale[:2])
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, locale=locale
    )
    page = context.new_page()
    page.goto(path.as_uri())
    assert overflow(page) <= 0
    cells = page.locator("td").all()
    for cell in cells:
        if not (text := cell.inner_text().strip()):
            continue
        box = cell.bounding_box()
        assert box["width"] > 40 or len(text) < 5, (text, box)
        assert box["height"] < 200, (text, box)
        assert box["x"] + box["width"] <= width, (text, box)  # to be read without scrolling
    assert len(cells) > 20
    context.close()
