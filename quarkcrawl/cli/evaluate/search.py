"""``quarkcrawl evaluate search``: known-item search with content blocks and ranks, and without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from quarkcrawl.cli.evaluate.base import JsonOut, show_tables
from quarkcrawl.cli.options import (
    AsJson,
    ContentMethod,
    CorpusFolder,
    Processes,
    check_output,
    complain,
    listed,
    progress_shown,
)
from quarkcrawl.progress import CountedStep

if TYPE_CHECKING:
    from rich.table import Table

    from quarkcrawl.lab.evaluate import Difference
    from quarkcrawl.lab.search import SearchScores


def search(
    root: CorpusFolder,
    method: ContentMethod = "default",
    ranks: Annotated[
        str | None,
        Option(
            metavar="NAMES",
            help="Names of ranks of the corpus, comma between.",
            show_default="all that it has",
        ),
    ] = None,
    trec: Annotated[
        Path | None,
        Option("--out", metavar="FOLDER", help="Write documents, topics and qrels of TREC here."),
    ] = None,
    workers: Processes = 0,
    as_json: AsJson = False,
    json_out: JsonOut = None,
) -> int:
    """Search for pages by their headlines and by the texts of links to them.

    A headline that only one page has, and a text of links that leads to one page only, are queries
    with one right answer. They are searched by BM25 in whole pages and in their content, with each
    rank of the corpus (quarkcrawl rank) and without. MRR is the mean of 1 / place of the right
    page; the weight of a rank for one site is chosen by the queries of all others, and a second
    table has one weight for all sites. Intervals draw whole sites. Needs bm25s: pip install
    'quarkcrawl[search]'. Exit code 1 if pages could not be read; the others are searched.

    \b
    Examples:
      quarkcrawl evaluate search corpus
      quarkcrawl evaluate search corpus --ranks pagerank,blpr --json-out search.json
    """
    from quarkcrawl.errors import InputError  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.lab.search import known_items, search_pages, write_trec  # noqa: PLC0415
    from quarkcrawl.rank import rank_names, read_ranks  # noqa: PLC0415
    from quarkcrawl.store import Corpus  # noqa: PLC0415

    check_output(json_out)
    if trec is not None and trec.exists():
        raise InputError("exists already; name a new folder", where=trec)
    names = listed(ranks) if ranks is not None else rank_names(root)
    tables = {name: read_ranks(root, name)[0].select(["url", "rank"]) for name in names}
    with progress_shown() as show:
        tick = CountedStep("pages", show, Corpus.open(root).info().pages).add
        pages, failures = search_pages(root, method, workers=workers, tick=tick)
    for url, reason in failures.items():
        complain(f"{reason}; left out", where=url)
    items = known_items(root, pages)
    if trec is not None:
        write_trec(trec, pages, items)
    by_url = {
        name: dict(zip(*table.to_pydict().values(), strict=True)) for name, table in tables.items()
    }
    from quarkcrawl.lab.search import score_search  # noqa: PLC0415 - the one that needs bm25s

    scores = score_search(pages, items, by_url)
    tables_shown = [_table(scores), *([_weights_table(scores)] if names else [])]
    show_tables(tables_shown, _as_json(scores), json_out, as_json=as_json)
    return 1 if failures else 0


def _as_json(scores: SearchScores) -> dict[str, Any]:
    return {
        "pages": scores.n_pages,
        "sites": scores.n_hosts,
        "queries": {kind: scores.n_queries(kind) for kind in ("title", "anchor")},
        "results": [
            {
                "text": result.text,
                "rank": result.rank,
                "mrr": round(scores.mrr(result), 4),
                "mrr_interval": _interval(result.mrr),
                "mrr_title": round(scores.mrr(result, "title"), 4),
                "mrr_anchor": round(scores.mrr(result, "anchor"), 4),
                "success_1": round(scores.success(result, 1), 4),
                "success_10": round(scores.success(result, 10), 4),
                "weights": {str(weight): n for weight, n in sorted(result.weights.items())},
                "against_no_rank_at_weights": {
                    str(weight): _interval(one) for weight, one in result.at_weights.items()
                },
                "against_no_rank": _interval(result.against_plain),
                "against_whole": _interval(result.against_whole),
            }
            for result in scores.results
        ],
    }


def _interval(difference: Difference | None) -> list[float] | None:
    if difference is None:
        return None
    return [round(value, 4) for value in (difference.mean, difference.low, difference.high)]


def _table(scores: SearchScores) -> Table:
    from rich.table import Table  # noqa: PLC0415 - help needs no rich

    title = (
        f"{scores.n_queries('title'):,} headlines and {scores.n_queries('anchor'):,} texts of"
        f" links, {scores.n_pages:,} pages of {scores.n_hosts:,} sites"
    )
    table = Table(title=title, box=None)
    for name in ("searched", "rank", "MRR"):
        table.add_column(name)
    for name in ("headlines", "links", "first", "first 10"):
        table.add_column(name, justify="right")
    table.add_column("against no rank")
    table.add_column("against whole pages")
    for result in scores.results:
        ratios = [scores.mrr(result, "title"), scores.mrr(result, "anchor"),
                  scores.success(result, 1), scores.success(result, 10)]  # fmt: skip
        mrr = f"{result.mrr.mean:.3f} [{result.mrr.low:.3f}, {result.mrr.high:.3f}]"
        table.add_row(
            result.text, result.rank or "none", mrr, *(f"{ratio:.3f}" for ratio in ratios),
            _shown(result.against_plain), _shown(result.against_whole),
        )  # fmt: skip
    return table


def _weights_table(scores: SearchScores) -> Table:
    """What each rank adds to MRR where all sites have one weight, chosen by nothing."""
    from rich.table import Table  # noqa: PLC0415 - help needs no rich

    with_rank = [result for result in scores.results if result.rank]
    table = Table(title="against no rank, by the weight of the rank", box=None)
    for name in ("searched", "rank", *map(str, with_rank[0].at_weights)):
        table.add_column(name)
    for result in with_rank:
        table.add_row(result.text, result.rank, *map(_shown, result.at_weights.values()))
    return table


def _shown(difference: Difference | None) -> str:
    if difference is None:
        return ""
    return f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"
