"""The page of a campaign, from the notes that its steps leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarkcrawl.errors import StoreError
from quarkcrawl.workbench.report.campaign import write_campaign_page
from quarkcrawl.workbench.theme import LANGUAGES


def noted(out: Path, **reports: dict) -> None:
    (out / "steps").mkdir(parents=True, exist_ok=True)
    for started, (step, report) in enumerate(reports.items()):
        note = {
            "step": step,
            "started": started,
            "elapsed_s": 1.5,
            "words": [step],
            "report": report,
        }
        (out / "steps" / f"{step}.json").write_text(json.dumps(note))


def test_a_crawl_that_stored_nothing(tmp_path: Path) -> None:
    noted(tmp_path, crawl={"reasons": {"timeout": 3}, "hosts": {"a.cn": {"timeout": 3}}})
    page = write_campaign_page("CWT", tmp_path).read_text(encoding="utf-8")
    assert '<td>stored</td><td class="n">0</td>' in page
    assert '<td>with stored pages</td><td class="n">0</td>' in page
    assert "timeout 3" in page


def test_what_the_funnel_tells(tmp_path: Path) -> None:
    noted(
        tmp_path,
        filter={"hosts": 9, "steps": [{"name": "names", "left": 7, "reasons": {"bad_name": 2}}]},
        crawl={"reasons": {"stored": 5, "<b>": 1}, "hosts": {"a.cn": {"stored": 5}}},
        sample={"drawn_hosts": 1, "drawn_sizes": 1, "documents": 4},
        export={"documents": {"train": 2, "test": 1}, "left_out": {"short": 2}},
    )
    page = write_campaign_page("<CWT>", tmp_path).read_text(encoding="utf-8")
    assert "<h1>Campaign &lt;CWT&gt;</h1>" in page
    for row in (("after names", 7), ("URLs that ended", 6), ("stored", 5), ("drawn", 1),
                ("documents of the collection", 4), ("texts of the data set", 3)):  # fmt: skip
        assert '{}</td><td class="n">{}<'.format(*row) in page
    assert "short 2" in page
    assert "<b>" not in page


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    noted(tmp_path)
    (tmp_path / "campaign.html").mkdir()
    with pytest.raises(StoreError, match=r"campaign\.html: cannot write"):
        write_campaign_page("CWT", tmp_path)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_speaks_the_language_that_is_asked_for(tmp_path: Path, lang: str) -> None:
    noted(tmp_path, crawl={"reasons": {"stored": 5}, "hosts": {"a.cn": {"stored": 5}}})
    (tmp_path / "statistics").mkdir()
    table = {"title": "Totals", "columns": ["", "count"], "rows": [["pages", 1234]], "note": ""}
    text = json.dumps({"corpus": "c", "tables": {"totals": table}})
    (tmp_path / "statistics" / "statistics.json").write_text(text)
    page = write_campaign_page("CWT", tmp_path, lang).read_text(encoding="utf-8")
    told = {"en": ("Totals", "pages", "with stored pages"), "zh": ("总计", "网页", "存有网页")}
    assert all(f">{word}<" in page for word in told.pop(lang))
    (others,) = told.values()
    assert not any(f">{word}<" in page for word in others)
    assert '<td class="n">1,234</td>' in page
