"""The page of a campaign: the funnel from hosts to documents, the plots, the statistics."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.corpus.stats import StatisticsTable
from quarkcrawl.segment import escape
from quarkcrawl.select import write_text
from quarkcrawl.workbench.report.pagecopy import policy
from quarkcrawl.workbench.report.statistics import TABLE_SHEET, html_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_PLOTS: Final = {"counted": "All hosts of the lists", "after": "The seed sites"}
_SHEET: Final = """
.bar{display:block;height:.6rem;min-width:1px;background:#1f5fa8;border-radius:2px}
td.bars{width:16rem;vertical-align:middle}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1rem}
figure{margin:0} figure img{width:100%;height:auto;background:#fff}
code{overflow-wrap:anywhere} .wide{overflow-x:auto}
td.text{text-align:left}
.wide td:first-child{white-space:nowrap}
"""


def write_campaign_page(name: str, out: Path) -> Path:
    """Write ``campaign.html`` from what the steps have left; steps that were not run are left out.

    Args:
        name: what the headline calls the campaign.
        out: folder of the campaign; the page is written there.

    Returns:
        Path of the page.

    Raises:
        StoreError: the page cannot be written; an older one stays.
    """
    notes = _notes(out)
    title = f"Campaign {escape(name)}"
    parts = [
        f"<h1>{title}</h1>",
        _funnel("Sites", _sites(notes)),
        _funnel("Pages", _pages(notes)),
        _plots(out / "seeds" / "plots"),
        *_statistics(out / "statistics" / "statistics.json"),
        _steps(notes),
    ]
    path = out / "campaign.html"
    write_text(
        path,
        f'<!DOCTYPE html><html lang="en"><head>{policy(offline=True)}<title>{title}</title>'
        f"<style>{TABLE_SHEET}{_SHEET}</style></head><body>\n{chr(10).join(parts)}\n"
        "</body></html>\n",
    )
    return path


def _notes(out: Path) -> list[dict[str, Any]]:
    """Notes of the steps, in the order in which they ran."""
    notes = [json.loads(path.read_text("utf-8")) for path in (out / "steps").glob("*.json")]
    return sorted(notes, key=lambda note: note["started"])


def _report(notes: Sequence[dict[str, Any]], step: str) -> dict[str, Any]:
    found = next((note["report"] for note in notes if note["step"] == step), None)
    return found or {}


def _sites(notes: Sequence[dict[str, Any]]) -> list[tuple[str, int, str]]:
    """What is left after each step of the selection, then what was crawled and drawn."""
    rows = []
    chosen = _report(notes, "filter")
    if chosen:
        rows.append(("hosts of the URL lists", chosen["hosts"], ""))
        for step in chosen["steps"]:
            reasons = ", ".join(f"{reason} {n:,}" for reason, n in step["reasons"].items())
            rows.append((f"after {step['name']}", step["left"], reasons))
    crawl, sample = _report(notes, "crawl"), _report(notes, "sample")
    if "hosts" in crawl:
        stored = sum(1 for reasons in crawl["hosts"].values() if reasons.get("stored"))
        rows.append(("with stored pages", stored, ""))
    if sample:
        rows.append(("drawn", sample["drawn_hosts"], f"site sizes {sample['drawn_sizes']:,}"))
    return rows


def _pages(notes: Sequence[dict[str, Any]]) -> list[tuple[str, int, str]]:
    rows = []
    crawl, dedup = _report(notes, "crawl"), _report(notes, "dedup")
    extract, sample = _report(notes, "extract"), _report(notes, "sample")
    ended = crawl.get("reasons", {})
    if ended:
        others = {k: n for k, n in ended.items() if k != "stored"}
        shown = ", ".join(f"{k} {n:,}" for k, n in sorted(others.items(), key=lambda x: -x[1]))
        rows.append(("URLs that ended", sum(ended.values()), shown))
        rows.append(("stored", ended.get("stored", 0), ""))
    if extract:
        failed = sum(extract["failures"].values())
        done = extract["extracted"] + extract["done_before"]
        rows.append(("with extracted content", done - failed, f"method {extract['method']}"))
    if dedup:
        left = dedup["stored"] - dedup["stored_duplicates"]
        rows.append(
            ("after global dedup", left, f"{dedup['duplicates']:,} in the URL == URL table")
        )
    if sample:
        rows.append(("documents of the collection", sample["documents"], ""))
    return rows


def _funnel(title: str, rows: Sequence[tuple[str, int, str]]) -> str:
    if not rows:
        return ""
    most = max(n for _, n, _ in rows) or 1
    body = "".join(
        f"<tr><td>{escape(label)}</td><td>{n:,}</td><td class='bars'><span class='bar' "
        f"style='width:{100 * n / most:.1f}%'></span></td>"
        f"<td class='text note'>{escape(words)}</td></tr>"
        for label, n, words in rows
    )
    return f"<h2>{title}</h2><div class='wide'><table><tbody>{body}</tbody></table></div>"


def _plots(folder: Path) -> str:
    figures = []
    for name, title in _PLOTS.items():
        path = folder / f"{name}.svg"
        if path.is_file():
            data = base64.b64encode(path.read_bytes()).decode()
            figures.append(
                f'<figure><img alt="{title}: number of sites against size, log axes" '
                f'src="data:image/svg+xml;base64,{data}"><figcaption class="note">{title}'
                "</figcaption></figure>"
            )
    if not figures:
        return ""
    return f'<h2>Sites by size</h2><div class="plots">{"".join(figures)}</div>'


def _statistics(path: Path) -> list[str]:
    if not path.is_file():
        return []
    tables = json.loads(path.read_text("utf-8"))["tables"]
    return [
        html_table(
            StatisticsTable(
                name,
                table["title"],
                tuple(table["columns"]),
                tuple(map(tuple, table["rows"])),
                table["note"],
            )
        )
        for name, table in tables.items()
    ]


def _steps(notes: Sequence[dict[str, Any]]) -> str:
    body = "".join(
        f"<tr><td>{escape(note['step'])}</td><td>{note['elapsed_s']:,.1f} s</td>"
        f"<td class='text'><code>quarkcrawl {escape(' '.join(note['words']))}</code></td></tr>"
        for note in notes
    )
    return f"<h2>Steps</h2><div class='wide'><table><tbody>{body}</tbody></table></div>"
