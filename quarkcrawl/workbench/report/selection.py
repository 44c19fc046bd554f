"""The report of a seed selection: what each step dropped, the plots, the proposed families.

The counts are listed in the form of the CWT200g thesis (3.2, 3.3): hosts dropped and hosts left
after each step. One HTML file that loads nothing; the plots are in it as SVG, with the PNG files
behind them.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
from quarkcrawl.workbench.report.plots import size_plot
from quarkcrawl.workbench.theme import Words, render, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.select import SelectionWork


_MOST_FAMILIES: Final = 200


def write_selection_report(work: SelectionWork, out: Path | None = None, lang: str = "en") -> Path:
    """Write the report of a work folder, and its plots as PNG and SVG files into ``plots/``.

    Args:
        work: after the step filter.
        out: the HTML file; None is ``report.html`` in the folder.
        lang: one of `quarkcrawl.workbench.theme.LANGUAGES`.

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
    filtered = work.summary()
    page = render(
        "report/seeds.html",
        lang,
        counted=read_json(work.path("count.json")),
        filtered=filtered,
        steps=selection_funnel(filtered, words(lang)),
        plots={
            name: {form: base64.b64encode(data).decode() for form, data in forms.items()}
            for name, forms in plots.items()
        },
        decisions=read_decisions(work.path("proposals.tsv")),
        undecided=UNDECIDED,
        most_families=_MOST_FAMILIES,
    )
    write_text(target, page)
    return target


def selection_funnel(filtered: Mapping[str, Any], t: Words) -> list[tuple[str, int, str]]:
    """Each step, the hosts that it left, and why the others were dropped.

    Args:
        filtered: summary of the step filter.
        t: words of a language.
    """
    rows = [(t("funnel.hosts"), filtered["hosts"], "")]
    for step in filtered["steps"]:
        why = t.or_(f"seeds.step.{step['name']}", "")
        dropped = f"{why}: {listed(step['reasons'])}" if step["reasons"] else why
        if step["name"] == "aliases" and filtered.get("elections"):
            dropped += "; " + t("funnel.elections", by=listed(filtered["elections"]))
        if step.get("kept"):
            dropped += "; " + t("funnel.kept_by_hand", n=step["kept"])
        rows.append((t("funnel.after", step=step["name"]), step["left"], dropped))
    return rows


def listed(reasons: Mapping[str, int]) -> str:
    """Reasons with their numbers, in one line."""
    return ", ".join(f"{reason} {n:,}" for reason, n in reasons.items())


def _plots(work: SelectionWork) -> dict[str, dict[str, bytes]]:
    hosts = read_table(work.path("hosts.parquet"), HOST_COLUMNS)
    pages, steps = hosts["pages"].to_pylist(), hosts["step"].to_pylist()
    pairs = list(zip(pages, steps, strict=True))
    late = {None, *STEPS[STEPS.index("outliers") :]}
    sizes_by_plot = {
        "counted": pages,
        "before": [n for n, step in pairs if step in late],
        "after": [n for n, step in pairs if step is None],
    }
    t = words("en")
    return {
        name: size_plot(sizes, title=t(f"plot.{name}"), mark_outliers=name != "counted")
        for name, sizes in sizes_by_plot.items()
    }
