"""The page of a campaign: the funnel from hosts to documents, the plots, the statistics."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from quarkcrawl.select import write_text
from quarkcrawl.workbench.report.selection import listed, selection_funnel
from quarkcrawl.workbench.theme import Words, render, words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Row = tuple[str, int, str]
    """A step, what it left, and why the rest is gone."""


def write_campaign_page(name: str, out: Path, lang: str = "en") -> Path:
    """Write ``campaign.html`` from what the steps have left; steps that were not run are left out.

    Args:
        name: what the headline calls the campaign.
        out: folder of the campaign; the page is written there.
        lang: one of `quarkcrawl.workbench.theme.LANGUAGES`.

    Returns:
        Path of the page.

    Raises:
        StoreError: the page cannot be written; an older one stays.
    """
    notes = [json.loads(path.read_text("utf-8")) for path in (out / "steps").glob("*.json")]
    notes.sort(key=lambda note: note["started"])
    reports = {note["step"]: note["report"] or {} for note in notes}
    statistics = out / "statistics" / "statistics.json"
    path = out / "campaign.html"
    page = render(
        "report/campaign.html",
        lang,
        name=name,
        sites=_sites(reports, words(lang)),
        pages=_pages(reports, words(lang)),
        plots=_plots(out / "seeds" / "plots"),
        tables=json.loads(statistics.read_text("utf-8"))["tables"] if statistics.is_file() else {},
        notes=notes,
    )
    write_text(path, page)
    return path


def _sites(reports: Mapping[str, Any], t: Words) -> list[Row]:
    """What is left after each step of the selection, then what was crawled and drawn."""
    rows: list[Row] = []
    if selection := reports.get("filter"):
        rows += selection_funnel(selection, t)
    crawl = reports.get("crawl", {})
    if "hosts" in crawl:
        stored = sum(1 for reasons in crawl["hosts"].values() if reasons.get("stored"))
        rows.append((t("funnel.crawled"), stored, ""))
    if sample := reports.get("sample"):
        sizes = t("funnel.drawn.sizes", n=sample["drawn_sizes"])
        rows.append((t("funnel.drawn"), sample["drawn_hosts"], sizes))
    return rows


def _pages(reports: Mapping[str, Any], t: Words) -> list[Row]:
    rows: list[Row] = []
    if ended := reports.get("crawl", {}).get("reasons"):
        others = {reason: n for reason, n in ended.items() if reason != "stored"}
        others = dict(sorted(others.items(), key=lambda pair: -pair[1]))
        rows.append((t("funnel.ended"), sum(ended.values()), listed(others)))
        rows.append((t("funnel.stored"), ended.get("stored", 0), ""))
    if extract := reports.get("extract"):
        done = extract["extracted"] + extract["done_before"] - sum(extract["failures"].values())
        rows.append((t("funnel.extracted"), done, f"{t('page.method')} {extract['method']}"))
    if dedup := reports.get("dedup"):
        left = dedup["stored"] - dedup["stored_duplicates"]
        rows.append((t("funnel.unique"), left, t("funnel.unique.rows", n=dedup["duplicates"])))
    if sample := reports.get("sample"):
        rows.append((t("funnel.documents"), sample["documents"], ""))
    if exported := reports.get("export"):
        n_texts = sum(exported["documents"].values())
        rows.append((t("funnel.texts"), n_texts, listed(exported["left_out"])))
    return rows


def _plots(folder: Path) -> dict[str, str]:
    """The plots of the selection that are there, in Base64."""
    paths = {name: folder / f"{name}.svg" for name in ("counted", "after")}
    return {
        name: base64.b64encode(path.read_bytes()).decode()
        for name, path in paths.items()
        if path.is_file()
    }
