"""A corpus as one HTML file: totals, sizes, charsets, drops, largest hosts, a sample of pages.

The static version of the overview of the workbench, for those who do not want a server. Plots are
inline SVG; nothing is loaded and nothing runs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.report.shell import FONTS, policy
from quarkcrawl.report.zipfplot import zipf_plot
from quarkcrawl.segment.show import escape, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["corpus_page"]

_MOST_ROWS: Final = 12
_MOST_HOSTS: Final = 50
_MOST_PAGES: Final = 40
_TITLE_CHARS: Final = 80
_SHEET: Final = f"""
:root{{color-scheme:light dark;--ink:#1d1c1a;--soft:#5d5a55;--line:#dedad2;--paper:#faf9f6;
 --sheet:#fff;--press:#1f5fa8;--wash:#eef2f8;--seal:#b3322a}}
@media (prefers-color-scheme:dark){{:root{{--ink:#e9e7e2;--soft:#a9a59d;--line:#363940;
 --paper:#16171a;--sheet:#1e2024;--press:#8ab8f0;--wash:#24303f;--seal:#c8453b}}}}
*{{box-sizing:border-box}}
body{{margin:0 auto;max-width:1200px;padding:24px 20px 48px;font:15px/1.6 {FONTS};color:var(--ink);
 background:var(--paper)}}
h1{{font-size:24px;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere}}
h2{{font-size:16px;margin:0 0 8px}} p{{margin:0 0 10px}}
.soft{{color:var(--soft);font-size:13px;overflow-wrap:anywhere}}
.figures{{display:grid;gap:1px;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));
 background:var(--line);border:1px solid var(--line);border-radius:8px;overflow:hidden;
 margin:16px 0}}
.figures div{{background:var(--sheet);padding:10px 14px}}
.figures dt{{font-size:13px;color:var(--soft)}}
.figures dd{{margin:0;font-size:21px;font-weight:600;font-variant-numeric:tabular-nums}}
@media (max-width:420px){{.figures{{grid-template-columns:1fr 1fr}}
 .figures div:last-child:nth-child(odd){{grid-column:1/-1}}}}
.parts{{columns:330px;column-gap:16px;margin-bottom:16px}}
section{{background:var(--sheet);border:1px solid var(--line);border-radius:8px;padding:14px 16px;
 margin:0 0 16px;break-inside:avoid}}
ul{{list-style:none;margin:0;padding:0;display:grid;gap:5px 10px;align-items:center;
 grid-template-columns:minmax(0,1.7fr) minmax(40px,1fr) auto auto}}
li{{display:contents}} li>:first-child{{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}}
b,i{{font-weight:400;font-style:normal;text-align:right;font-variant-numeric:tabular-nums}}
i{{color:var(--soft);font-size:13px;min-width:3.6em}}
.bar{{width:100%;height:8px;background:var(--wash);border-radius:2px}}
.bar rect{{fill:var(--press)}}
.plot{{display:block;width:100%;height:auto}} .plot .axis{{stroke:var(--line)}}
.plot .tick,.plot .label{{fill:var(--soft);font-size:11px}} .plot .dot{{fill:var(--press)}}
.plot .fit{{stroke:var(--seal);stroke-width:1.5}}
.wide{{overflow-x:auto}} table{{border-collapse:collapse;width:100%;font-size:14px}}
th,td{{text-align:left;padding:6px 12px 6px 0;border-bottom:1px solid var(--line);
 vertical-align:top;overflow-wrap:anywhere}}
th{{font-weight:500;color:var(--soft);font-size:13px}}
.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
"""


def corpus_page(root: Path, reasons: Mapping[str, str] | None = None) -> str:
    """Write the page.

    Args:
        root: a corpus, or a folder of shards.
        reasons: meaning of each reason code.

    Returns:
        A self-contained HTML document.

    Raises:
        StoreError: the folder is no corpus, or its tables cannot be read.
    """
    from quarkcrawl.store.info import collect_info  # noqa: PLC0415 - needs Arrow

    info = collect_info(root)
    hosts, sample = _hosts_and_sample(root)
    known = reasons or {}
    parts = [
        _plot(list(hosts.values())),
        _bars("Charsets", info.by_charset),
        _bars("Domains", _domains(hosts)),
        _bars("Media types", info.by_mime),
        _bars("Levels", info.by_level, "The home page is level 1."),
        _bars("HTTP status", info.by_status),
        _bars("Why URLs were not stored", info.drops, words=known),
    ]
    title = f"Corpus {escape(root.resolve().name)}"
    return (
        f'<!DOCTYPE html><html lang="en"><head>{policy(offline=True)}<title>{title}</title>'
        f"<style>{_SHEET}</style></head><body><h1>{title}</h1>"
        f'<p class="soft">{escape(str(root.resolve()))}</p>{_figures(info)}'
        f'<div class="parts">{"".join(parts)}</div>{_hosts(hosts)}{_sample(sample)}</body></html>\n'
    )


def _hosts_and_sample(root: Path) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Pages of each host, and some pages, at most one of each host in turn."""
    from quarkcrawl.store.shards import shard_roots  # noqa: PLC0415
    from quarkcrawl.store.stream import iter_batches  # noqa: PLC0415

    hosts: Counter[str] = Counter()
    sample: list[dict[str, Any]] = []
    for shard in shard_roots(root):
        for batch in iter_batches(shard, "page", ["host", "url", "title", "level"]):
            for row in batch.to_pylist():
                hosts[row["host"]] += 1
                if len(sample) < _MOST_PAGES and hosts[row["host"]] in {2, 12, 42}:
                    sample.append(row)
    return hosts, sample


def _figures(info: Any) -> str:
    values = {
        "Pages": f"{info.pages:,}",
        "Hosts": f"{info.hosts:,}",
        "Bodies": f"{info.body_bytes / (1 << 20):,.1f} MiB",
        "On disk": f"{info.stored_bytes / (1 << 20):,.1f} MiB",
        "Duplicates": f"{info.duplicates:,}",
        "Redirects": f"{info.redirects:,}",
        "Not stored": f"{sum(info.drops.values()):,}",
    }
    cells = "".join(f"<div><dt>{k}</dt><dd>{v}</dd></div>" for k, v in values.items())
    return f'<dl class="figures">{cells}</dl>'


def _plot(sizes: Sequence[int]) -> str:
    drawn = zipf_plot(sizes)
    hint = "Each dot: a size, and how many sites have it. Log axes; the line is the best fit."
    return f'<section><h2>Sizes of sites</h2><p class="soft">{hint}</p>{drawn}</section>'


def _domains(hosts: Mapping[str, int]) -> dict[str, int]:
    """Pages by the last label, or the last two under ``.cn``."""
    found: Counter[str] = Counter()
    for host, n in hosts.items():
        labels = host.partition(":")[0].split(".")
        n_labels = 2 if labels[-1] == "cn" and labels[-2:-1] and labels[-2] in _UNDER_CN else 1
        is_address = labels[-1].isdigit()
        found["IP address" if is_address else "." + ".".join(labels[-n_labels:])] += n
    return dict(found.most_common())


_UNDER_CN: Final = frozenset(("com", "edu", "gov", "org", "net", "ac"))


def _bars(
    title: str, counts: Mapping[Any, int], hint: str = "", words: Mapping[str, str] | None = None
) -> str:
    rows, known = list(counts.items()), words or {}
    most, total = max((n for _, n in rows), default=1) or 1, sum(counts.values()) or 1
    items = "".join(
        f'<li><span title="{escape(known.get(str(name), str(name)))}">{escape(str(name))}</span>'
        f'<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{100 * n / most:.2f}" height="8"/></svg><b>{n:,}</b>'
        f"<i>{n / total:.1%}</i></li>"
        for name, n in rows[:_MOST_ROWS]
    )
    n_more = len(rows) - _MOST_ROWS
    more = f'<p class="soft">and {n_more:,} more</p>' if n_more > 0 else ""
    note = f'<p class="soft">{hint}</p>' if hint else ""
    return f"<section><h2>{title}</h2>{note}<ul>{items or '<li>nothing</li>'}</ul>{more}</section>"


def _hosts(hosts: Counter[str]) -> str:
    rows = "".join(
        f'<tr><td>{escape(host)}</td><td class="n">{n:,}</td></tr>'
        for host, n in hosts.most_common(_MOST_HOSTS)
    )
    more = f" The {_MOST_HOSTS} largest of {len(hosts):,}." if len(hosts) > _MOST_HOSTS else ""
    return (
        f'<section><h2>Hosts</h2><p class="soft">Stored pages of each host.{more}</p>'
        '<div class="wide"><table><thead><tr><th scope="col">Host</th><th scope="col" class="n">'
        f"Pages</th></tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def _sample(rows: Sequence[dict[str, Any]]) -> str:
    body = "".join(
        f'<tr><td lang="zh">{escape(shortened(row["title"] or "", _TITLE_CHARS))}</td>'
        f'<td class="soft">{escape(row["url"])}</td><td class="n">{row["level"]}</td></tr>'
        for row in rows
    )
    return (
        '<section><h2>Some pages</h2><div class="wide"><table><thead><tr><th scope="col">Title</th>'
        '<th scope="col">URL</th><th scope="col" class="n">Level</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div></section>"
    )
