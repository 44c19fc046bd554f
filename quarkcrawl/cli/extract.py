"""``quarkcrawl extract``: content of single pages, or of a whole corpus."""

from __future__ import annotations

import dataclasses
import json
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import (
    CorpusProcesses,
    EngineName,
    InProcess,
    PageUrl,
    SparkMaster,
    corpus_of,
    opened_engine,
    print_each,
)
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quarkcrawl.analysis import PoolOptions
    from quarkcrawl.content import Content
    from quarkcrawl.corpus import ExtractionReport


Form = Literal["text", "json", "markdown", "html"]
"""How the content of a page is printed."""


def extract(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    sources: Annotated[
        list[str], Argument(metavar="FILE|URL|-|CORPUS", help="Pages, or one corpus.")
    ],
    method: Annotated[str, Option(help="Extraction method. [default]")] = "default",
    form: Annotated[Form, Option("--format", help="Of the content of pages.")] = "text",
    title: Annotated[bool, Option("--title", help="Print the headline above the text.")] = False,
    url: PageUrl = "",
    blocks: Annotated[
        bool, Option("--blocks", help="Also the block table (JSON, corpus).")
    ] = False,
    spans: Annotated[
        bool, Option("--spans", help="Also where it stands in the bytes (JSON, corpus).")
    ] = False,
    items: Annotated[
        bool, Option("--items", help="Also paragraphs, tables, pictures (JSON, corpus).")
    ] = False,
    out: Annotated[Path | None, Option(metavar="FOLDER", help="Rows of a corpus go here.")] = None,
    workers: CorpusProcesses = 0,
    in_process: InProcess = False,
    timeout_s: Annotated[float, Option(min=0, help="Longest time for a page of a corpus.")] = 60.0,
    memory_mib: Annotated[int, Option(min=0, help="Most memory of a process; 0: no limit.")] = 2048,
    restart: Annotated[bool, Option("--restart", help="Do all pages of a corpus anew.")] = False,
    retry_failed: Annotated[
        bool, Option("--retry-failed", help="Do the failed pages of a corpus again.")
    ] = False,
    only_flagged: Annotated[
        bool, Option("--only-flagged", help="Do no pages but those that failed in the crawl.")
    ] = False,
    engine: EngineName = "duckdb",
    spark_master: SparkMaster = "",
    failures: Annotated[
        bool, Option("--failures", help="Only list the failed pages of a corpus.")
    ] = False,
) -> int:
    """Find the content of pages, or of every page of a corpus.

    \b
    Examples:
      quarkcrawl extract page.html
      quarkcrawl extract https://www.pku.edu.cn/ --format json
      cat page.html | quarkcrawl extract - --url http://www.pku.edu.cn/a.htm --title
      quarkcrawl extract page.html --format html > view.html
      quarkcrawl extract corpus --method quark --workers 2
      quarkcrawl extract corpus --method quark --failures
      quarkcrawl extract corpus --only-flagged --timeout-s 600 --memory-mib 8192

    A page comes from a file, a URL (one request) or "-", standard input. Markdown keeps
    headings, lists, tables, links and pictures; html is the page itself with its content
    coloured, related links and noise too. A corpus is worked through in processes of their own;
    its rows go to CORPUS/analysis/extractions/METHOD as Parquet, and a JSON summary to standard
    output. A run that was stopped goes on when the same command is given again, and pages
    crawled since are added. With --only-flagged, only pages get rows whose analysis failed in
    the crawl (flags failed:...).
    """
    corpus = corpus_of(sources)
    if corpus is None:
        return _pages(sources, method, form, _Shown(title, blocks, spans, items), url)
    if failures:
        return _failures(corpus, method, out)
    from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415
    from quarkcrawl.corpus import ExtractionOptions, extract_corpus  # noqa: PLC0415

    pool = PoolOptions(workers, timeout_s, memory_mib << 20, in_process)
    for root, rows in _shards(corpus, out):
        with _progress() as on_progress, _cluster(engine, spark_master, root, pool) as run_pages:
            report = extract_corpus(
                root,
                ExtractionOptions(method, blocks=blocks, spans=spans, items=items),
                out=rows,
                pool=pool,
                run_pages=run_pages,
                restart=restart,
                retry_failed=retry_failed,
                only_flagged=only_flagged,
                on_progress=on_progress,
            )
        typer.echo(json.dumps(dataclasses.asdict(report), ensure_ascii=False))
    return 0


# Pages


@dataclasses.dataclass(frozen=True, slots=True)
class _Shown:
    title: bool
    blocks: bool
    spans: bool
    items: bool


def _pages(sources: list[str], method: str, form: Form, shown: _Shown, url: str) -> int:
    from quarkcrawl import extract as extract_page  # noqa: PLC0415 - help needs no NumPy

    extract_page("", method=method)  # an unknown method is no fault of a page

    def text_of(word: str) -> str:
        text = _one(word, method, form, shown, url)
        return f"==> {word} <==\n{text}\n" if len(sources) > 1 and form == "text" else text

    return print_each(sources, text_of)


def _one(word: str, method: str, form: Form, shown: _Shown, url: str) -> str:
    """What is printed of one page."""
    from quarkcrawl import extract as extract_page  # noqa: PLC0415
    from quarkcrawl.cli.options import read_source  # noqa: PLC0415
    from quarkcrawl.content import plain_content  # noqa: PLC0415

    source = read_source(word, url=url)
    try:
        page = source.page
        content = plain_content(page) if source.is_plain else extract_page(page, method=method)
        if content.failure:
            raise QuarkError(content.failure)  # noqa: TRY301 - one message for both
        return _shown_as(word, content, form, shown)
    except Exception as error:  # some of a content is worked out only when it is asked for
        raise QuarkError(f"the method {method!r} failed ({error})", where=word) from error


def _shown_as(word: str, content: Content, form: Form, shown: _Shown) -> str:
    if form == "json":
        return json.dumps(_fields(word, content, shown), ensure_ascii=False)
    if form == "html":
        from quarkcrawl.workbench.report import content_view  # noqa: PLC0415

        return content_view(content)
    text = content.markdown if form == "markdown" else content.text
    mark = "# " if form == "markdown" else ""
    return f"{mark}{content.title}\n\n{text}" if shown.title and content.title else text


def _fields(word: str, content: Content, shown: _Shown) -> dict[str, Any]:
    from quarkcrawl.content import block_columns, content_columns  # noqa: PLC0415

    fields: dict[str, Any] = {"input": word, "url": content.page.url}
    columns = content_columns(content, spans=shown.spans, items=shown.items)
    fields |= {name.removeprefix("content_"): value for name, value in columns.items()}
    if shown.blocks:
        table = block_columns(content.segmentation, spans=shown.spans)["blocks"].tolist()
        fields["blocks"] = table
    return fields


# Corpus


@contextmanager
def _cluster(engine: str, master: str, root: Path, pool: PoolOptions) -> Iterator[Any]:
    """What runs the pages: a cluster, or None, which is this machine."""
    if engine == "duckdb" and not master:
        yield None
        return
    from quarkcrawl.corpus.extraction import run_on_spark  # noqa: PLC0415 - slow to import
    from quarkcrawl.engines import SparkEngine  # noqa: PLC0415

    with opened_engine(engine, master, 0) as opened:
        assert isinstance(opened, SparkEngine)  # DuckDB with a master is refused
        work = root / "analysis" / "extractions" / ".spark"
        yield partial(run_on_spark, engine=opened, work=work, pool=pool)


def _failures(root: str, method: str, out: Path | None) -> int:
    from quarkcrawl.corpus import extraction_failures  # noqa: PLC0415

    for shard, rows in _shards(root, out):
        for row in extraction_failures(shard, method, out=rows):
            typer.echo(json.dumps(row, ensure_ascii=False))
    return 0


def _shards(root: str, out: Path | None) -> list[tuple[Path, Path | None]]:
    """The corpora below a folder, several for a shared crawl, and where the rows of each go."""
    from quarkcrawl.store import is_sharded, shard_roots  # noqa: PLC0415

    shards = shard_roots(root)
    split = out is not None and is_sharded(root)
    return [(shard, out / shard.name if out is not None and split else out) for shard in shards]


@contextmanager
def _progress() -> Iterator[Callable[[ExtractionReport], None]]:
    """A bar on stderr; nothing where that is no terminal."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:  # a disabled bar still writes an empty line
        yield lambda _report: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("pages"), TimeRemainingColumn())
    words = TextColumn("{task.fields[failed]} failed")
    with Progress(*columns, words, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, failed=0)

        def update(report: ExtractionReport) -> None:
            done = report.done_before + report.extracted
            failed = sum(report.failures.values())
            bar.update(task, completed=done, total=report.pages, failed=failed)

        yield update
