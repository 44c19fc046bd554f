"""The page of a campaign, from the notes that its steps leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarkcrawl.errors import StoreError
from quarkcrawl.workbench.report.campaign import write_campaign_page


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
    assert "<td>stored</td><td>0</td>" in page
    assert "<td>with stored pages</td><td>0</td>" in page
    assert "timeout 3" in page


def test_what_the_funnel_tells(tmp_path: Path) -> None:
    noted(
        tmp_path,
        filter={"hosts": 9, "steps": [{"name": "names", "left": 7, "reasons": {"bad_name": 2}}]},
        crawl={"reasons": {"stored": 5, "<b>": 1}, "hosts": {"a.cn": {"stored": 5}}},
        sample={"drawn_hosts": 1, "drawn_sizes": 1, "documents": 4},
    )
    page = write_campaign_page("<CWT>", tmp_path).read_text(encoding="utf-8")
    assert "<h1>Campaign &lt;CWT&gt;</h1>" in page
    for row in ("after names</td><td>7", "URLs that ended</td><td>6", "stored</td><td>5",
                "drawn</td><td>1", "documents of the collection</td><td>4"):  # fmt: skip
        assert row in page
    assert "<b>" not in page


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    noted(tmp_path)
    (tmp_path / "campaign.html").mkdir()
    with pytest.raises(StoreError, match=r"campaign\.html: cannot write"):
        write_campaign_page("CWT", tmp_path)
