"""The report of a seed selection: what each step dropped, the plots, the proposed families.

The counts are listed in the form of the CWT200g thesis (3.2, 3.3): hosts dropped and hosts left
after each step. One HTML file that loads nothing; the plots are in it as SVG, with the PNG files
behind them.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.segment import escape
from quarkcrawl.select import (
    HOST_COLUMNS,
    STEPS,
    UNDECIDED,
    read_decisions,
    read_json,
    read_table,
    write_bytes,
    write_text,
)
from quarkcrawl.workbench.report.pagecopy import FONTS, policy
from quarkcrawl.workbench.report.plots import size_plot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quarkcrawl.select import SelectionWork


_STEP_TEXTS: Final = {
    "names": "malformed host names",
    "check": "no home page (20 s, two tries)",
    "aliases": "second names of a site",
    "services": "other ports, IP addresses",
    "spam": "spam-domain list",
    "outliers": "accepted spam families",
    "digits": "names that begin with a digit",
    "pages": "too few pages",
}
_PLOTS: Final = {
    "counted": "All hosts of the lists",
    "before": "Before spam families are dropped",
    "after": "The seed sites",
}
_MANY: Final = 200

_SHEET: Final = f"""
:root{{color-scheme:light dark;--line:#ccc;--soft:#666;--bar:#1f5fa8;--ground:#fff;--ink:#111}}
@media (prefers-color-scheme:dark){{
 :root{{--line:#444;--soft:#aaa;--bar:#6ea8e6;--ground:#1b1b1f;--ink:#eee}} a{{color:#9ecbff}}}}
body{{font:15px/1.5 {FONTS};max-width:1080px;margin:0 auto;padding:16px;
 color:var(--ink);background:var(--ground)}}
h1{{font-size:24px}} h2{{font-size:18px;margin-top:32px}}
table{{border-collapse:collapse;width:100%}} .wide{{overflow-x:auto}}
th,td{{text-align:left;padding:4px 10px;border-bottom:1px solid var(--line);vertical-align:top}}
td.n,th.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.bar{{display:block;height:8px;min-width:1px;background:var(--bar);border-radius:2px}}
td.bars{{width:26%;min-width:90px;vertical-align:middle}}
.soft{{color:var(--soft);font-size:13px}}
.plots{{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:16px}}
figure{{margin:0}} figure img{{width:100%;height:auto;background:#fff;border:1px solid var(--line)}}
code{{overflow-wrap:anywhere}}
"""


def write_selection_report(work: SelectionWork, out: Path | None = None) -> Path:
    """Write the report of a work folder, and its plots as PNG and SVG files into ``plots/``.

    Args:
        work: after the step filter.
        out: the HTML file; None is ``report.html`` in the folder.

    Returns:
        Path of the HTML file.

    Raises:
        InputError: a step before is missing.
        ConfigError: matplotlib is not installed.
        StoreError: a file cannot be written.
    """
    target = work.path("report.html") if out is None else Path(out)
    plots = _plots(work)
    for name, forms in plots.items():
        for form, data in forms.items():
            write_bytes(work.path("plots") / f"{name}.{form}", data)
    write_text(target, selection_report(work, plots))
    return target


def selection_report(work: SelectionWork, plots: Mapping[str, Mapping[str, bytes]]) -> str:
    """The HTML of the report.

    Args:
        work: after the step filter.
        plots: name (``counted``, ``before``, ``after``) → form (``svg``, ``png``) → data.

    Raises:
        InputError: a step before is missing.
    """
    counted, filtered = read_json(work.path("count.json")), work.summary()
    decisions = read_decisions(work.path("proposals.tsv"))
    parts = [
        f"<h1>Seed sites: {filtered['seeds']:,} of {filtered['hosts']:,} hosts</h1>",
        _lists(counted),
        "<h2>Step by step</h2>",
        _funnel(filtered),
        "<h2>Sites by size</h2>",
        '<div class="plots">' + "".join(_figure(n, p) for n, p in plots.items()) + "</div>",
        "<h2>Proposed spam families</h2>",
        _proposals(filtered["proposals"], decisions),
    ]
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html><html lang="en"><head>{policy(offline=True)}<title>Seed sites</title>'
        f"<style>{_SHEET}</style></head><body>\n{body}\n</body></html>\n"
    )


def _plots(work: SelectionWork) -> dict[str, dict[str, bytes]]:
    hosts = read_table(work.path("hosts.parquet"), HOST_COLUMNS)
    pages, steps = hosts["pages"].to_pylist(), hosts["step"].to_pylist()
    pairs = list(zip(pages, steps, strict=True))
    late = {None, *STEPS[STEPS.index("outliers") :]}
    chosen = {
        "counted": pages,
        "before": [n for n, step in pairs if step in late],
        "after": [n for n, step in pairs if step is None],
    }
    return {
        name: size_plot(chosen[name], title=title, mark_outliers=name != "counted")
        for name, title in _PLOTS.items()
    }


def _lists(counted: Mapping[str, Any]) -> str:
    rows = [
        (
            f"<code>{escape(one['path'])}</code>"
            + (f'<div class="soft">{escape(one["damage"])}</div>' if one["damage"] else ""),
            escape(one["form"]),
            *(f"{one[key]:,}" for key in ("urls", "hosts", "bad")),
        )
        for one in counted["lists"]
    ]
    rows.append(("all", "", *(f"{counted[key]:,}" for key in ("urls", "hosts", "bad"))))
    table = _table(("list", "form", "URLs", "hosts", "bad lines"), rows, numbers=(2, 3, 4))
    bad = "".join(
        f"<li><code>{escape(line['path'])}:{line['line']}</code> {escape(line['text'])}</li>"
        for line in counted["bad_lines"]
    )
    return table + (
        f"<details><summary>First bad lines</summary><ul>{bad}</ul></details>" * bool(bad)
    )


def _funnel(filtered: Mapping[str, Any]) -> str:
    total = filtered["hosts"]
    rows = [("", "hosts of the lists", "", f"{total:,}", _bar(total, total), "")]
    rows += [
        (
            str(number),
            _STEP_TEXTS[step["name"]],
            f"−{step['dropped']:,}" if step["dropped"] else "0",
            f"{step['left']:,}",
            _bar(step["left"], total),
            '<span class="soft">' + _reasons(step["reasons"]) + "</span>",
        )
        for number, step in enumerate(filtered["steps"], 1)
    ]
    heads = ("", "step", "dropped", "left", "", "reasons")
    return _table(heads, rows, numbers=(0, 2, 3), bars=4)


def _reasons(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{escape(reason)} {n:,}" for reason, n in reasons.items())


def _bar(value: int, total: int) -> str:
    share = 100 * value / total if total else 0.0
    return f'<span class="bar" style="width:{share:.1f}%"></span>'


def _figure(name: str, forms: Mapping[str, bytes]) -> str:
    svg, png = (base64.b64encode(forms[form]).decode() for form in ("svg", "png"))
    title = _PLOTS.get(name, name)
    return (
        f'<figure><img alt="{escape(title)}: number of sites against size, log axes" '
        f'src="data:image/svg+xml;base64,{svg}"><figcaption class="soft">{escape(title)} · '
        f'<a download="{name}.png" href="data:image/png;base64,{png}">PNG</a> · '
        f'<a download="{name}.svg" href="data:image/svg+xml;base64,{svg}">SVG</a>'
        "</figcaption></figure>"
    )


def _proposals(proposals: Sequence[Mapping[str, Any]], decisions: Mapping[str, str]) -> str:
    if not proposals:
        return "<p>None.</p>"
    rows = [
        (
            escape(decisions.get(one["domain"], UNDECIDED)),
            f"<code>{escape(one['domain'])}</code>",
            f"{one['hosts']:,}",
            f"{one['alike']:,}",
            _range(one["low_pages"], one["high_pages"]),
            escape(one["evidence"]),
            " ".join(f"<code>{escape(site)}</code>" for site in one["samples"]),
        )
        for one in proposals[:_MANY]
    ]
    heads = ("decision", "domain", "hosts", "alike", "pages", "evidence", "five sites")
    more = len(proposals) - len(rows)
    note = f'<p class="soft">and {more:,} more in proposals.tsv</p>' if more else ""
    hint = (
        "<p>Look at the five sites, write accept or reject in place of the question mark in "
        "<code>proposals.tsv</code> and run <code>quarkcrawl select filter</code> again.</p>"
    )
    return hint + _table(heads, rows, numbers=(2, 3, 4)) + note


def _range(low: int, high: int) -> str:
    return f"{low}–{high}" if high > low else str(low)


def _table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[int],
    bars: int | None = None,
) -> str:
    """A table of HTML cells; columns of numbers are set to the right."""
    kinds = dict.fromkeys(numbers, ' class="n"')
    if bars is not None:
        kinds[bars] = ' class="bars"'
    head = "".join(f"<th{kinds.get(i, '')}>{escape(text)}</th>" for i, text in enumerate(heads))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kinds.get(i, '')}>{cell}</td>" for i, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'
