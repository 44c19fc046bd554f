"""A corpus as one HTML file: totals, funnels, distributions, ranks, pages to be searched and seen.

For those who do not want a server, or to be sent: the file loads nothing, and only our script runs
in it. Pages stand in a sandbox without scripts (`quarkcrawl.workbench.report.pagesample`).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.dataset import refinement
from quarkcrawl.engines import DuckEngine
from quarkcrawl.errors import QuarkError
from quarkcrawl.progress import no_progress
from quarkcrawl.rank import compare_ranks, rank_names, read_ranks, shared_ranks, top_pages
from quarkcrawl.refine import label_table
from quarkcrawl.select import selection_of
from quarkcrawl.store import collect_info, shard_roots
from quarkcrawl.store.tables import iter_batches
from quarkcrawl.workbench.report.pagesample import SHEETS, ReportSample, sampled_pages
from quarkcrawl.workbench.report.plots import rank_pair_plot, zipf_plot
from quarkcrawl.workbench.report.selection import listed, selection_funnel
from quarkcrawl.workbench.theme import Words, render, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.progress import Progress
    from quarkcrawl.store import CorpusInfo


_MOST_HOSTS: Final = 50
_TOP_PAGES: Final = 20
_MEMORY_BYTES: Final = 1 << 30
_UNDER_CN: Final = frozenset(("com", "edu", "gov", "org", "net", "ac"))


def corpus_page(
    root: Path,
    lang: str = "en",
    sample: ReportSample | None = None,
    *,
    on_progress: Progress = no_progress,
) -> str:
    """Write the page.

    Args:
        root: a corpus, or a folder of shards.
        lang: one of `quarkcrawl.workbench.theme.LANGUAGES`.
        sample: how many pages are in it, and how large; None: none, and no script.
        on_progress: is told of each page of the sample, and of the steps before and after.

    Returns:
        A self-contained HTML document.

    Raises:
        StoreError: the folder is no corpus, or its tables cannot be read.
    """
    on_progress("counting", 0, None)
    info = collect_info(root)
    hosts = _hosts(root)
    t = words(lang)
    counts: dict[str, Mapping[Any, int]] = {
        "charset": info.by_charset,
        "domain": _domains(hosts, t("domain.address")),
        "mime": info.by_mime,
        "level": info.by_level,
        "status": info.by_status,
        "reasons": info.drops,
    }
    on_progress("drawing a sample", 0, None)
    pages = sampled_pages(root, hosts, lang, sample, on_progress) if sample and sample.pages else []
    on_progress("labels and ranks", 0, None)
    return render(
        "report/corpus.html",
        lang,
        name=root.resolve().name,
        folder=root.resolve(),
        info=info,
        plot=zipf_plot(list(hosts.values())),
        found={
            name: [{"name": str(value), "n": n} for value, n in counted.items()]
            for name, counted in counts.items()
        },
        hosts=hosts.most_common(_MOST_HOSTS),
        pages=pages,
        sample={"pages": pages, "sheets": SHEETS, "words": _said(t)} if pages else None,
        funnels=_funnels(root, info, t),
        **_ranks(root, {page["url"]: number for number, page in enumerate(pages)}),
    )


def _hosts(root: Path) -> Counter[str]:
    """Pages of each host."""
    hosts: Counter[str] = Counter()
    for shard in shard_roots(root):
        for batch in iter_batches(shard, "page", ["host"]):
            hosts.update(batch.column(0).to_pylist())
    return hosts


def _said(t: Words) -> dict[str, str]:
    """The words that the script of the page says."""
    return {
        key.removeprefix("report.js."): text
        for key, text in t.texts.items()
        if key.startswith("report.js.")
    }


def _funnels(root: Path, info: CorpusInfo, t: Words) -> list[tuple[str, list[Any], str]]:
    """Titles, rows of the macro ``funnel``, and what of it cannot be read."""
    funnels: list[tuple[str, list[Any], str]] = []
    if (work := selection_of(root)) is not None:
        try:
            funnels.append((t("seeds.title"), selection_funnel(work.summary(), t), ""))
        except QuarkError as error:
            funnels.append((t("seeds.title"), [], str(error)))
    left = info.pages + info.duplicates + info.redirects + sum(info.drops.values())
    rows: list[Any] = [(t("funnel.ended"), left, "")]
    for name, n, note in (
        ("drops", sum(info.drops.values()), listed(info.drops)),
        ("redirects", info.redirects, ""),
        ("copies", info.duplicates, ""),
    ):
        left -= n
        rows.append((t(f"funnel.without.{name}"), left, note))
    funnels.append((t("report.crawl"), rows, ""))
    if label_table(root).options() is not None:
        funnels.append(_label_funnel(root, t))
    return funnels


def _label_funnel(root: Path, t: Words) -> tuple[str, list[Any], str]:
    try:
        with (
            tempfile.TemporaryDirectory(prefix="quarkcrawl-") as folder,
            DuckEngine(memory_bytes=_MEMORY_BYTES) as engine,
        ):
            funnel = refinement(engine, root, Path(folder))
    except QuarkError as error:
        return t("labels.funnel"), [], str(error)
    rows: list[Any] = [(t("labels.documents"), funnel.documents, t("labels.documents.hint"))]
    rows += [
        (step.reason, step.left, t.or_(f"left_out.{step.reason}", step.meaning))
        for step in funnel.steps
    ]
    return t("labels.funnel"), rows, ""


def _ranks(root: Path, numbers: Mapping[str, int]) -> dict[str, Any]:
    """The first pages of each ranking, and the first two rankings beside each other."""
    tops, failures, tables = [], [], {}
    for name in rank_names(root):
        try:
            table, _ = read_ranks(root, name)
            rows = top_pages(table, _TOP_PAGES)
        except QuarkError as error:
            failures.append(str(error))
            continue
        tables[name] = table
        tops.append((name, [row | {"number": numbers.get(row["url"])} for row in rows]))
    pair: dict[str, Any] = {}
    if len(tables) > 1:
        (first, one), (second, two) = list(tables.items())[:2]
        try:
            comparison = compare_ranks(one, two)
        except QuarkError as error:
            failures.append(str(error))
        else:
            shares = shared_ranks([one, two])
            plot = rank_pair_plot(shares[0], shares[1], comparison.gained, comparison.lost)
            pair = {"first": first, "second": second, "found": comparison, "plot": plot}
    return {"tops": tops, "pair": pair, "rank_failures": failures}


def _domains(hosts: Mapping[str, int], address: str) -> dict[str, int]:
    """Pages by the last label, or the last two under ``.cn``; addresses under a name of theirs."""
    counts: Counter[str] = Counter()
    for host, n in hosts.items():
        labels = host.partition(":")[0].split(".")
        n_labels = 2 if labels[-1] == "cn" and labels[-2:-1] and labels[-2] in _UNDER_CN else 1
        is_address = labels[-1].isdigit() or host.startswith("[")
        counts[address if is_address else "." + ".".join(labels[-n_labels:])] += n
    return dict(counts.most_common())
