"""A corpus as one HTML file: totals, sizes, charsets, drops, largest hosts, a sample of pages.

The static version of the overview of the workbench, for those who do not want a server. Plots are
inline SVG; nothing is loaded and nothing runs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.segment import escape, shortened
from quarkcrawl.store import collect_info, shard_roots
from quarkcrawl.store.tables import iter_batches
from quarkcrawl.workbench.report.pagecopy import FONTS, policy
from quarkcrawl.workbench.report.plots import zipf_plot
from quarkcrawl.workbench.theme import words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from quarkcrawl.workbench.theme import Words


_MOST_ROWS: Final = 12
_MOST_HOSTS: Final = 50
_MOST_PAGES: Final = 40
_TITLE_CHARS: Final = 80
_UNDER_CN: Final = frozenset(("com", "edu", "gov", "org", "net", "ac"))
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
.figures{{display:flex;flex-wrap:wrap;gap:1px;background:var(--line);
 border:1px solid var(--line);border-radius:8px;overflow:hidden;margin:16px 0}}
.figures div{{flex:1 1 130px;background:var(--sheet);padding:10px 14px}}
.figures dt{{font-size:13px;color:var(--soft)}}
.figures dd{{margin:0;font-size:21px;font-weight:600;font-variant-numeric:tabular-nums}}
.parts{{columns:330px;column-gap:16px;margin-bottom:16px}}
section{{background:var(--sheet);border:1px solid var(--line);border-radius:8px;padding:14px 16px;
 margin:0 0 16px;break-inside:avoid}}
ul{{list-style:none;margin:0;padding:0;display:grid;gap:5px 10px;align-items:center;
 grid-template-columns:minmax(0,1.7fr) minmax(40px,1fr) auto auto}}
li{{display:contents}} li>:first-child{{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}}
b,i{{font-weight:400;font-style:normal;text-align:right;font-variant-numeric:tabular-nums}}
i{{color:var(--soft);font-size:13px;min-width:3.6em}}
small{{grid-column:1/-1;margin:-5px 0 3px;color:var(--soft);font-size:13px;overflow-wrap:anywhere}}
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


def corpus_page(root: Path, lang: str = "en") -> str:
    """Write the page.

    Args:
        root: a corpus, or a folder of shards.
        lang: one of `quarkcrawl.workbench.theme.LANGUAGES`.

    Returns:
        A self-contained HTML document.

    Raises:
        StoreError: the folder is no corpus, or its tables cannot be read.
    """
    t = words(lang)
    info = collect_info(root)
    hosts, sample = _hosts_and_sample(root)
    parts = [
        _plot(t, list(hosts.values())),
        _bars(t, "charset", info.by_charset),
        _bars(t, "domain", _domains(hosts, t("domain.address"))),
        _bars(t, "mime", info.by_mime),
        _bars(t, "level", info.by_level, t("bars.level.hint")),
        _bars(t, "status", info.by_status),
        _bars(t, "reasons", info.drops, t("drops.lead"), t.reason),
    ]
    title = escape(t("report.title", name=root.resolve().name))
    code = "zh-CN" if lang == "zh" else lang
    return (
        f'<!DOCTYPE html><html lang="{code}"><head>{policy(offline=True)}<title>{title}</title>'
        f"<style>{_SHEET}</style></head><body><h1>{title}</h1>"
        f'<p class="soft">{escape(str(root.resolve()))}</p>{_figures(t, info)}'
        f'<div class="parts">{"".join(parts)}</div>{_hosts(t, hosts)}{_sample(t, sample)}'
        "</body></html>\n"
    )


def _hosts_and_sample(root: Path) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Pages of each host, and a sample: of each host the second page, the 12th and the 42nd.

    The first is its home page, and the home pages of all hosts would be the whole sample.
    """
    hosts: Counter[str] = Counter()
    sample: list[dict[str, Any]] = []
    for shard in shard_roots(root):
        for batch in iter_batches(shard, "page", ["host", "url", "title", "level"]):
            for row in batch.to_pylist():
                hosts[row["host"]] += 1
                if len(sample) < _MOST_PAGES and hosts[row["host"]] in {2, 12, 42}:
                    sample.append(row)
    return hosts, sample


def _figures(t: Words, info: Any) -> str:
    values = {
        "pages": f"{info.pages:,}",
        "hosts": f"{info.hosts:,}",
        "bytes": _size(info.body_bytes),
        "disk": _size(info.stored_bytes),
        "copies": f"{info.duplicates:,}",
        "redirects": f"{info.redirects:,}",
        "drops": f"{sum(info.drops.values()):,}",
    }
    cells = "".join(
        f"<div><dt>{t(f'figure.{name}')}</dt><dd>{value}</dd></div>"
        for name, value in values.items()
    )
    return f'<dl class="figures">{cells}</dl>'


def _size(n_bytes: int) -> str:
    return f"{n_bytes / (1 << 20):,.1f} MiB"


def _plot(t: Words, sizes: Sequence[int]) -> str:
    return _section(t("sizes.title"), t("sizes.hint"), zipf_plot(sizes, t))


def _section(title: str, note: str, body: str) -> str:
    said = f'<p class="soft">{note}</p>' if note else ""
    return f"<section><h2>{title}</h2>{said}{body}</section>"


def _domains(hosts: Mapping[str, int], address: str) -> dict[str, int]:
    """Pages by the last label, or the last two under ``.cn``; addresses under a name of theirs."""
    found: Counter[str] = Counter()
    for host, n in hosts.items():
        labels = host.partition(":")[0].split(".")
        n_labels = 2 if labels[-1] == "cn" and labels[-2:-1] and labels[-2] in _UNDER_CN else 1
        is_address = labels[-1].isdigit() or host.startswith("[")
        found[address if is_address else "." + ".".join(labels[-n_labels:])] += n
    return dict(found.most_common())


def _bars(
    t: Words,
    name: str,
    counts: Mapping[Any, int],
    hint: str = "",
    meaning: Callable[[str], str] | None = None,
) -> str:
    """One distribution; ``meaning`` says what a code stands for, below its bar."""
    rows = list(counts.items())
    most, total = max((n for _, n in rows), default=1) or 1, sum(counts.values()) or 1
    items = "".join(
        f"<li><span>{escape(str(value))}</span>"
        f'<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{100 * n / most:.2f}" height="8"/></svg><b>{n:,}</b>'
        f"<i>{n / total:.1%}</i>"
        f"{f'<small>{escape(meaning(str(value)))}</small>' if meaning else ''}</li>"
        for value, n in rows[:_MOST_ROWS]
    )
    n_more = len(rows) - _MOST_ROWS
    more = f'<p class="soft">{t("report.more", n=n_more)}</p>' if n_more > 0 else ""
    empty = f"<li>{t('nothing')}</li>"
    return _section(t(f"bars.{name}"), hint, f"<ul>{items or empty}</ul>{more}")


def _hosts(t: Words, hosts: Counter[str]) -> str:
    rows = "".join(
        f'<tr><td>{escape(host)}</td><td class="n">{n:,}</td></tr>'
        for host, n in hosts.most_common(_MOST_HOSTS)
    )
    note = t("report.hosts")
    if len(hosts) > _MOST_HOSTS:
        note += " " + t("report.largest", n=len(hosts), shown=_MOST_HOSTS)
    return _section(t("tab.hosts"), note, _table(_head(t, "host", "pages"), rows))


def _sample(t: Words, rows: Sequence[dict[str, Any]]) -> str:
    body = "".join(
        f'<tr><td lang="zh">{escape(shortened(row["title"] or "", _TITLE_CHARS))}</td>'
        f'<td class="soft">{escape(row["url"])}</td><td class="n">{row["level"]}</td></tr>'
        for row in rows
    )
    table = _table(_head(t, "title", "url", "level"), body)
    return _section(t("report.sample"), t("report.sample.hint"), table)


def _head(t: Words, *names: str) -> str:
    """Heads of columns; the last one has numbers."""
    *words_, number = (t(f"column.{name}") for name in names)
    return (
        "".join(f'<th scope="col">{word}</th>' for word in words_)
        + f'<th scope="col" class="n">{number}</th>'
    )


def _table(head: str, rows: str) -> str:
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'
