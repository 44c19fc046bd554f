"""``quarkcrawl demo``: a whole campaign on the bundled mini-web, and what came of it."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from quarkcrawl.cli.campaign import run_campaign
from quarkcrawl.cli.campaign_file import load_campaign
from quarkcrawl.cli.options import human_bytes
from quarkcrawl.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from quarkcrawl.cli.campaign_file import CampaignFile
    from quarkcrawl.store import Corpus


MARKER = "demo.txt"
_SHOWN_REASONS = 4
_CAMPAIGN = """\
# The campaign of the demo. Its web is gone, but what follows the crawl can be run again:
#   quarkcrawl campaign demo.toml --from sample
[campaign]
name = "DEMO"
out = "."
corpus = ".."

[count]
lists = ["urls.txt"]

[check]
{settings}

[filter]
min_pages = 10

[crawl]
{settings}

[extract]
method = "quark"
workers = 1

[sample]
seed = 1

[refine]
extraction = "default"
workers = 1

[export]
seed = 1
"""
_GARBAGE = ("not a url", "http://", "ftp://files.example/x")


def demo(
    out: Annotated[
        Path, Option(metavar="FOLDER", help="Folder of the demo corpus; made anew each time.")
    ] = Path("demo-out"),
) -> int:
    """Run a whole campaign on the bundled Chinese mini-web and show what happened.

    A server on loopback plays some thirty hosts: news, forums, blogs and shops in GB18030, Big5,
    HZ and UTF-8, with aliases, duplicates, link farms, traps, errors and robots rules. From a list
    of their URLs the seed sites are chosen, crawled, deduplicated; a collection is drawn, and a
    data set of texts exported.

    \b
    Example:
      quarkcrawl demo --out demo-out
    """
    from quarkcrawl.lab.mockweb import MiniWeb, ServerProcess  # noqa: PLC0415
    from quarkcrawl.store import Corpus  # noqa: PLC0415

    _fresh(out)
    corpus = Corpus.create(out)
    (out / MARKER).write_text("Made by quarkcrawl demo, which may replace it.\n")
    web = MiniWeb.demo()
    with ServerProcess.for_web(web) as server:
        campaign = _campaign(out, web, server.info.crawl_settings() | {"progress": False})
        code = run_campaign(campaign, quiet=True)
    if code:
        return code
    _show(campaign, corpus)
    return 0


def _campaign(out: Path, web: Any, settings: dict[str, Any]) -> CampaignFile:
    """The campaign of the demo, beside a list of the URLs of its hosts."""
    folder = out / "campaign"
    folder.mkdir()
    (folder / "urls.txt").write_text("\n".join([*_urls(web), *_GARBAGE, ""]), encoding="utf-8")
    path = folder / "demo.toml"
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
    path.write_text(_CAMPAIGN.format(settings=lines), encoding="utf-8")
    return load_campaign(path)


def _urls(web: Any) -> list[str]:
    """URLs as an earlier crawl would have left them."""
    from quarkcrawl.crawl import project_folder  # noqa: PLC0415
    from quarkcrawl.lab.mockweb import truth  # noqa: PLC0415

    text = (project_folder() / "seeds" / "demo_hosts.txt").read_text(encoding="utf-8")
    hosts = [line.partition("#")[0].strip() for line in text.splitlines()]
    web_truth = truth(web, [host for host in hosts if host])
    urls_of_hosts = [[*host.levels, *host.endings] for host in web_truth.hosts.values()]
    return [url for urls in urls_of_hosts for url in urls]


def _fresh(out: Path) -> None:
    """Remove an earlier demo; refuse to touch anything else."""
    if not out.exists():
        return
    if (out / MARKER).is_file():
        shutil.rmtree(out)
    elif not out.is_dir() or any(out.iterdir()):
        raise InputError("is there already and not a demo corpus; choose another --out", where=out)


def _show(campaign: CampaignFile, corpus: Corpus) -> None:
    notes = {
        name: json.loads((campaign.out / "steps" / f"{name}.json").read_text("utf-8"))["report"]
        for name in ("filter", "crawl", "sample", "export")
    }
    from rich.console import Console  # noqa: PLC0415 - help needs no rich

    console = Console(file=sys.stdout, width=110, markup=False)
    console.print(_selection_table(notes["filter"]))
    console.print()
    console.print(_host_table(notes["crawl"], corpus))
    _results(console, notes["crawl"], corpus)
    drawn = notes["sample"]
    console.print(
        f"collection     {campaign.collection}: {drawn['documents']} documents of "
        f"{drawn['drawn_hosts']} sites, {drawn['duplicates']} duplicates, with README and checksums"
    )
    console.print(f"statistics     {campaign.out}/statistics")
    _dataset(console, notes["export"])
    missing = "" if find_spec("matplotlib") else "; with plots: pip install 'quarkcrawl[plot]'"
    console.print(f"campaign page  {campaign.out / 'campaign.html'}{missing}")
    console.print(f"run summary    {notes['crawl']['summary']}")


def _dataset(console: Console, exported: dict[str, Any]) -> None:
    """What the data set holds, what is not in it, and the line that loads it."""
    reasons = ", ".join(f"{reason} {n}" for reason, n in exported["left_out"].items())
    out = Path(exported["out"]).resolve()
    console.print(
        f"data set       {exported['out']}: {sum(exported['documents'].values())} texts, "
        f"{exported['chars']} characters; left out: {reasons}"
    )
    console.print(f"load it        datasets.load_dataset({str(out)!r})", soft_wrap=True)


def _selection_table(selection: dict[str, Any]) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, title="How sites were chosen", title_justify="left")
    for name in ("step", "dropped", "left", "reasons"):
        table.add_column(name, justify="right" if name in {"dropped", "left"} else "left")
    table.add_row("hosts of the list", "", str(selection["hosts"]), "")
    for step in selection["steps"]:
        reasons = ", ".join(f"{reason} {n}" for reason, n in step["reasons"].items())
        table.add_row(step["name"], str(step["dropped"]), str(step["left"]), reasons)
    return table


def _host_table(summary: dict[str, Any], corpus: Corpus) -> Table:
    charsets: dict[str, Counter[str]] = {}
    for row in corpus.pages():
        charsets.setdefault(row.host, Counter())[row.charset] += 1
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, title="What became of each host", title_justify="left")
    table.add_column("host", no_wrap=True)
    table.add_column("stored", justify="right")
    table.add_column("charsets", no_wrap=True)
    table.add_column("ended otherwise")
    for host, reasons in sorted(summary["hosts"].items(), key=lambda x: -x[1].get("stored", 0)):
        others = [f"{reason} {n}" for reason, n in reasons.items() if reason != "stored"]
        if len(others) > _SHOWN_REASONS:
            others[_SHOWN_REASONS:] = [f"and {len(others) - _SHOWN_REASONS} more reasons"]
        seen = ", ".join(name for name, _ in charsets.get(host, Counter()).most_common(2))
        table.add_row(host, str(reasons.get("stored", 0)), seen, ", ".join(others))
    return table


def _results(console: Console, summary: dict[str, Any], corpus: Corpus) -> None:
    info = corpus.info()
    root = summary["corpus"]
    page = next((row for row in corpus.pages() if row.level == summary["config"]["levels"]), None)
    console.print()
    console.print(
        f"{info.pages} pages of {info.hosts} hosts in {summary['elapsed_s']:.1f} s: "
        f"{human_bytes(info.body_bytes)} of bodies in {human_bytes(info.stored_bytes)} on disk; "
        f"{info.duplicates} duplicates, {info.redirects} redirects, "
        f"{sum(info.drops.values())} drops"
    )
    if page is not None:
        console.print(f"a page         {root}/data_{page.bucket}/{page.host}/page.dat "
                      f"@{page.offset}: {page.title}")  # fmt: skip
    console.print(f"analysis       {root}/analysis (Parquet: pages, duplicates, redirects, drops)")
    console.print(f"frontier       {root}/frontier.sqlite")
