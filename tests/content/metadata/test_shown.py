"""In which text runs readers see headline, date and byline."""

from __future__ import annotations

import pytest
from hypothesis import given

from quarkcrawl.content import extract
from quarkcrawl.content.metadata import metadata, metadata_runs
from quarkcrawl.page import Page
from tests.page.samples import markup

TEXT = "北京大学网络实验室今天介绍了新的搜索引擎，它可以找到两亿个网页。" * 12
TITLE = "天网搜索引擎今日发布新版本"


def page_of(head: str, text: str = TEXT) -> Page:
    return Page.from_html(f"<title>{TITLE}_新闻网</title><body>{head}<p>{text}</p><p>{text}</p>")


def shown(page: Page) -> dict[str, str]:
    found: dict[str, str] = {}
    for run, role in sorted(metadata_runs(page).items()):
        found[role] = found.get(role, "") + page.tree.runs[run].strip()
    return found


@pytest.mark.parametrize(
    ("head", "date", "byline"),
    [
        (f"<h1>{TITLE}</h1><p><span>2003-02-03 08:18</span> <span>来源：新城日报</span> <b>作者：高思远</b></p>",
         "2003-02-03 08:18", "来源：新城日报作者：高思远"),
        (f"<h1>{TITLE}</h1><div>2003年2月3日 08:18</div><div>记者：高思远</div>", "2003年2月3日 08:18", "记者：高思远"),
        (f"<h1>{TITLE}</h1><div>2003-02-03</div><div>文 | 高思远</div>", "2003-02-03", "文 | 高思远"),
        ("<h1>天网搜索引擎<i>今日</i>发布新版本</h1><div>2003-02-03 09:00</div>", "2003-02-03 09:00", ""),
        (f"<h1>{TITLE}</h1>", "", ""),
    ],
)  # fmt: skip
def test_each_stands_in_its_runs(head, date, byline):
    found = shown(page_of(head))
    assert found["headline"] == TITLE
    assert (found.get("date", ""), found.get("byline", "")) == (date, byline)


def test_one_run_that_says_all_is_a_byline():
    found = shown(page_of(f"<h1>{TITLE}</h1><p>2003-02-03 08:18 来源：新城日报 作者：高思远</p>"))
    assert found == {"headline": TITLE, "byline": "2003-02-03 08:18 来源：新城日报 作者：高思远"}


def test_text_that_names_the_author_and_a_day_is_text():
    page = page_of(f"<h1>{TITLE}</h1><p>作者：高思远</p>", f"{TEXT}高思远说，2003年2月3日{TEXT}")
    assert metadata(page).author == "高思远"
    runs = metadata_runs(page)
    assert max(len(page.tree.runs[run]) for run in runs) < 60


def test_a_date_in_the_content_stays_content_and_a_headline_is_one_anyhow():
    page = page_of(f"<h1>{TITLE}</h1><p>2003-02-03 08:18</p>")
    content = extract(page, method="quark")
    is_content = content.runs
    for run, role in content.metadata_runs.items():
        assert role == "headline" or not is_content[run]
    assert "headline" in content.metadata_runs.values()


@given(markup)
def test_any_page_has_roles_for_visible_runs_only(html):
    page = Page.from_html(html)
    for run, role in metadata_runs(page).items():
        assert role in {"headline", "date", "byline"}
        assert page.tree.run_chars[run] > 0
        assert not page.tree.run_raw[run]
