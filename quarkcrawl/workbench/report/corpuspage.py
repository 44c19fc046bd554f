"""A corpus as one HTML file: totals, sizes, charsets, drops, largest hosts, a sample of pages.

The static version of the overview of the workbench, for those who do not want a server.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.segment import shortened
from quarkcrawl.store import collect_info, shard_roots
from quarkcrawl.store.tables import iter_batches
from quarkcrawl.workbench.report.plots import zipf_plot
from quarkcrawl.workbench.theme import render, words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_MOST_HOSTS: Final = 50
_MOST_PAGES: Final = 40
_TITLE_CHARS: Final = 80
_UNDER_CN: Final = frozenset(("com", "edu", "gov", "org", "net", "ac"))


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
    info = collect_info(root)
    hosts, sample = _hosts_and_sample(root)
    counts: dict[str, Mapping[Any, int]] = {
        "charset": info.by_charset,
        "domain": _domains(hosts, words(lang)("domain.address")),
        "mime": info.by_mime,
        "level": info.by_level,
        "status": info.by_status,
        "reasons": info.drops,
    }
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
        sample=sample,
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
                    title = shortened(row["title"] or "", _TITLE_CHARS)
                    sample.append({**row, "title": title})
    return hosts, sample


def _domains(hosts: Mapping[str, int], address: str) -> dict[str, int]:
    """Pages by the last label, or the last two under ``.cn``; addresses under a name of theirs."""
    found: Counter[str] = Counter()
    for host, n in hosts.items():
        labels = host.partition(":")[0].split(".")
        n_labels = 2 if labels[-1] == "cn" and labels[-2:-1] and labels[-2] in _UNDER_CN else 1
        is_address = labels[-1].isdigit() or host.startswith("[")
        found[address if is_address else "." + ".".join(labels[-n_labels:])] += n
    return dict(found.most_common())
