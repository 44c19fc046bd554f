"""``quarkcrawl extract``: content of single pages, or of a whole corpus."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from quarkcrawl.cli.archives import (
    ArchiveBase,
    ArchiveWords,
    WantedDomains,
    WantedHosts,
    WantedLanguages,
    WantedStatuses,
    WantedTypes,
    extract_archives,
    is_archive_given,
    report_of_archive,
)
from quarkcrawl.cli.options import (
    ClusterName,
    ContentMethod,
    FinishTasks,
    InProcess,
    NumberOfTasks,
    OneTask,
    PageEngine,
    PageUrl,
    Processes,
    RayAddress,
    SparkMaster,
    TaughtRules,
    WorkerMemory,
    WorkerTimeout,
    check_no_cluster,
    corpus_of,
    opened_cluster,
    opened_tasks,
    print_each,
    print_report,
    progress_shown,
    task_of,
    wanted_task,
    worker_bytes,
)
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quarkcrawl.cli.options import Shown
    from quarkcrawl.content import Content, FieldRules
    from quarkcrawl.corpus import ExtractionReport
    from quarkcrawl.template.site import SiteRules


Form = Literal["text", "json", "markdown", "html"]
"""How the content of a page is printed."""

_TIMEOUT_S = 60.0
_MEMORY = "2 GiB"


def extract(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    sources: Annotated[
        list[str],
        Argument(metavar="FILE|URL|-|CORPUS|ARCHIVE", help="Pages, one corpus, or an archive."),
    ],
    method: ContentMethod = "default",
    form: Annotated[Form, Option("--format", help="What is printed of pages.")] = "text",
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
    structure: Annotated[
        bool,
        Option("--structure", help="Also headings, lists, tables, code, formulas in order (JSON)."),
    ] = False,
    field_rules: Annotated[
        Path | None,
        Option(metavar="FILE", help="Also fields by rules of CSS or XPath (JSON)."),
    ] = None,
    site_pages: Annotated[
        int | None,
        Option(
            min=0,
            help="Most pages of a host of a corpus that are read first to find what the host "
            "repeats, which is left out; 0: none.",
            show_default="80",
        ),
    ] = None,
    rules: TaughtRules = None,
    out: Annotated[
        str, Option(metavar="FOLDER", help="Rows of a corpus or archive go here, also s3://….")
    ] = "",
    base: ArchiveBase = "",
    host: WantedHosts = None,
    domain: WantedDomains = None,
    lang: WantedLanguages = None,
    status: WantedStatuses = None,
    mime: WantedTypes = None,
    workers: Processes = 0,
    in_process: InProcess = False,
    timeout_s: WorkerTimeout = _TIMEOUT_S,
    worker_memory: WorkerMemory = _MEMORY,
    restart: Annotated[bool, Option("--restart", help="Do all pages of a corpus anew.")] = False,
    retry_failed: Annotated[
        bool, Option("--retry-failed", help="Do the failed pages of a corpus again.")
    ] = False,
    only_flagged: Annotated[
        bool, Option("--only-flagged", help="Do no pages but those that failed in the crawl.")
    ] = False,
    task: OneTask = "",
    learn_sites: Annotated[
        bool, Option("--learn-sites", help="The task finds what hosts repeat, which comes first.")
    ] = False,
    finish: FinishTasks = False,
    engine: PageEngine = "local",
    spark_master: SparkMaster = "",
    ray_address: RayAddress = "",
    tasks: NumberOfTasks = 0,
    failures: Annotated[
        bool, Option("--failures", help="Only list the failed pages of a corpus.")
    ] = False,
) -> int:
    """Find the content of pages, or of every page of a corpus.

    \b
    Examples:
      quarkcrawl extract page.html
      quarkcrawl extract report.pdf --title
      quarkcrawl extract https://www.pku.edu.cn/ --format json
      cat page.html | quarkcrawl extract - --url http://www.pku.edu.cn/a.htm --title
      quarkcrawl extract page.html --format html > view.html
      quarkcrawl extract page.html --format json --field-rules fields.toml
      quarkcrawl extract corpus --method quark --workers 2
      quarkcrawl extract corpus --method quark --failures
      quarkcrawl extract corpus --site-pages 0
      quarkcrawl extract corpus --rules taught.toml --out other
      quarkcrawl extract corpus --only-flagged --timeout-s 600 --worker-memory 8GiB
      quarkcrawl extract corpus --site-pages 0 --task 3/32
      quarkcrawl extract crawl-00000.warc.gz --out rows
      quarkcrawl extract warc.paths.gz --base /cc --out rows --task 3/32
      quarkcrawl extract cc-index-table.paths.gz --base /cc --host www.pku.edu.cn --out rows

    A page comes from a file, a URL (one request) or "-", standard input; it may be a PDF file (with
    quarkcrawl[pdf]). Markdown keeps
    headings, lists, tables, links and pictures; html is the page itself with its content
    colored, related links and noise too. A corpus is worked through in processes of their own;
    its rows go to CORPUS/analysis/extractions/METHOD as Parquet (the text is in content_text), and
    a JSON summary to standard output; quarkcrawl export makes a data set of them. A run that was
    stopped goes on when the same command is given again, and pages crawled since are added. What
    many pages of a host repeat within their contents is left out (column repeated_chars), where the
    host has 16 pages or more. What people taught about a host, in the workbench or by hand, is in
    rules.toml of the corpus (or FILE) and has the last word (column taught_chars); where it has
    changed, the pages of that host are done again. With --only-flagged, only pages
    get rows whose analysis failed in the crawl (flags failed:...).

    With --task K/N only a slice of the pages is done, on whatever machine: all N tasks together
    make the same rows, and a task that was stopped goes on when it is given again. Unless
    --site-pages is 0, tasks with --learn-sites come first.

    An archive is read where it lies: WARC files, lists of their paths (*.paths, *.paths.gz),
    Parquet files of an index with Common Crawl's columns, or folders of these. Of an index, only
    the chosen records are read, by range. Rows go to FOLDER/METHOD, a Parquet file for each WARC
    file; what a host repeats stays in them. Damaged records are counted, and --failures lists them.
    Of an archive, a task does some of its WARC files; a cluster does all (--engine).
    """
    archive = ArchiveWords(sources, base, host, domain, lang, status, mime)
    wanted_tasks = _TaskWords(task, finish, learn_sites, tasks, ray_address, spark_master)
    of_pages = {
        "--title": title, "--url": bool(url), "--structure": structure,
        "--field-rules": field_rules is not None,
    }  # fmt: skip
    if is_archive_given(sources):
        _refuse(of_pages, "is for pages, not for archives")
        folder = _archive_folder(
            out,
            form,
            only_flagged=only_flagged,
            site_pages=site_pages,
            rules=rules,
            tasks=wanted_tasks,
        )
        part = wanted_tasks.one_of_archive(
            engine, restart=restart, retry_failed=retry_failed, failures=failures
        )
        if failures or finish:
            return report_of_archive(folder, method, failures=failures)
        from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415
        from quarkcrawl.corpus import ExtractionOptions  # noqa: PLC0415

        with opened_tasks(part, engine, spark_master, ray_address, tasks) as job_tasks:
            return extract_archives(
                archive,
                folder,
                ExtractionOptions(method, blocks=blocks, spans=spans, items=items, site_pages=0),
                PoolOptions(workers, timeout_s, worker_bytes(worker_memory), in_process),
                restart=restart,
                retry_failed=retry_failed,
                task=job_tasks,
            )
    archive.refuse_for_other_sources()
    corpus = corpus_of(sources)
    if corpus is None or failures:
        wanted_tasks.refuse()
    if corpus is None:
        of_corpora = {
            "--out": bool(out), "--workers": bool(workers), "--in-process": in_process,
            "--restart": restart, "--retry-failed": retry_failed, "--failures": failures,
            "--only-flagged": only_flagged, "--site-pages": site_pages is not None,
            "--engine": engine != "local", "--spark-master": bool(spark_master),
            "--timeout-s": timeout_s != _TIMEOUT_S, "--worker-memory": worker_memory != _MEMORY,
        }  # fmt: skip
        _refuse(of_corpora, "is for a corpus, not for pages")
        of_json = {
            "--blocks": blocks, "--spans": spans, "--items": items,
            "--structure": structure, "--field-rules": field_rules is not None,
        }  # fmt: skip
        _refuse(of_json if form != "json" else {}, "goes with --format json")
        _refuse({"--title": title and form in {"json", "html"}}, "goes with text and markdown")
        _refuse({"--format": form == "html" and len(sources) > 1}, "html shows one page")
        shown = _Shown(
            title, blocks, spans, items, structure, _rules(rules), _field_rules(field_rules)
        )
        return _pages(sources, method, form, shown, url)
    if form != "text":
        message = (
            f"is for pages; rows of a corpus are Parquet, quarkcrawl export {corpus} writes more"
        )
        raise typer.BadParameter(message, param_hint="--format")
    _refuse(of_pages, "is for pages, not for a corpus")
    if failures:
        return _failures(corpus, method, out)
    from quarkcrawl.analysis import PoolOptions  # noqa: PLC0415
    from quarkcrawl.corpus import ExtractionOptions  # noqa: PLC0415
    from quarkcrawl.template.site import RULES_FILE  # noqa: PLC0415

    options = ExtractionOptions(method, blocks=blocks, spans=spans, items=items)
    if site_pages is not None:
        options = dataclasses.replace(options, site_pages=site_pages)
    given: dict[str, Any] = {
        "options": options,
        "pool": PoolOptions(workers, timeout_s, worker_bytes(worker_memory), in_process),
        "retry_failed": retry_failed,
        "only_flagged": only_flagged,
    }
    own = Path(corpus, RULES_FILE)  # of a folder of shards: the rules of all of them
    _rules(rules)  # a file that cannot be read is told before anything runs
    if rules is not None or own.is_file():
        given["rules"] = own if rules is None else rules
    wanted_tasks.check(engine, restart=restart)
    if task or finish:
        return _one_task(_shards(corpus, out), task, given, learn_sites=learn_sites)
    with opened_cluster(engine, spark_master, ray_address) as cluster:
        more = {"cluster": cluster, "n_tasks": tasks, "restart": restart}
        return _all_pages(_shards(corpus, out), {**given, **more})


def _refuse(given: Mapping[str, bool], why: str) -> None:
    """See that no option was given that would be ignored."""
    for name in filter(given.get, given):
        raise typer.BadParameter(why, param_hint=name)


# Archives


def _archive_folder(
    out: str,
    form: Form,
    *,
    only_flagged: bool,
    site_pages: int | None,
    rules: Path | None,
    tasks: _TaskWords,
) -> str:
    """Where the rows of an archive go, unless an option was given that no archive takes."""
    refused = {
        "--format": form != "text",
        "--only-flagged": only_flagged,
        "--site-pages": bool(site_pages),
        "--rules": rules is not None,
        "--learn-sites": tasks.learn_sites,
    }
    for name, is_given in refused.items():
        if is_given:
            raise typer.BadParameter("is not for archives", param_hint=name)
    if not out:
        raise typer.BadParameter("say where the rows of an archive go", param_hint="--out")
    return out


# Pages


@dataclasses.dataclass(frozen=True, slots=True)
class _Shown:
    title: bool
    blocks: bool
    spans: bool
    items: bool
    structure: bool
    rules: SiteRules | None
    field_rules: FieldRules | None


def _field_rules(path: Path | None) -> FieldRules | None:
    """Rules of fields, if a file of them was given."""
    if path is None:
        return None
    from quarkcrawl.content import read_field_rules  # noqa: PLC0415

    return read_field_rules(path)


def _rules(path: Path | None) -> SiteRules | None:
    """What people taught, if a file of it was given."""
    if path is None:
        return None
    from quarkcrawl.template.site import read_rules  # noqa: PLC0415

    return read_rules(path)


def _pages(sources: list[str], method: str, form: Form, shown: _Shown, url: str) -> int:
    from quarkcrawl import extract as extract_page  # noqa: PLC0415 - help needs no NumPy

    extract_page("", method=method)  # an unknown method is no fault of a page

    def text_of(word: str) -> str:
        text = _one(word, method, form, shown, url)
        is_headed = len(sources) > 1 and form in {"text", "markdown"}
        return f"==> {word} <==\n{text}\n" if is_headed else text

    return print_each(sources, text_of)


def _one(word: str, method: str, form: Form, shown: _Shown, url: str) -> str:
    """What is printed of one page."""
    from quarkcrawl import extract as extract_page  # noqa: PLC0415
    from quarkcrawl.cli.options import read_source  # noqa: PLC0415
    from quarkcrawl.content import plain_content  # noqa: PLC0415
    from quarkcrawl.page import PdfPage  # noqa: PLC0415

    source = read_source(word, url=url)
    page = source.page
    if isinstance(page, PdfPage):
        from quarkcrawl.analysis import read_apart  # noqa: PLC0415

        page = read_apart(page, word)
    try:
        content = plain_content(page) if source.is_plain else extract_page(page, method=method)
        content = _corrected(content, shown.rules)
        if content.failure:
            raise QuarkError(content.failure)  # noqa: TRY301 - one message for both
        return _shown_as(word, content, form, shown)
    except Exception as error:  # some of a content is worked out only when it is asked for
        raise QuarkError(f"the method {method!r} failed ({error})", where=word) from error


def _corrected(content: Content, rules: SiteRules | None) -> Content:
    """A content after what people taught about the host of its page."""
    if rules is None:
        return content
    from quarkcrawl.page import host_key  # noqa: PLC0415
    from quarkcrawl.template.site import corrected  # noqa: PLC0415

    return corrected(content, rules.of(host_key(content.page.url))).content


def _shown_as(word: str, content: Content, form: Form, shown: _Shown) -> str:
    if form == "json":
        return json.dumps(_fields(word, content, shown), ensure_ascii=False)
    if form == "html":
        from quarkcrawl.workbench.report import content_view  # noqa: PLC0415

        return content_view(content)
    text, title = content.text, content.title
    if form == "markdown":
        from quarkcrawl.content.markdown import escaped_heading, escaped_text  # noqa: PLC0415

        text, title = content.markdown, title and "# " + escaped_heading(escaped_text(title))
    return f"{title}\n\n{text}" if shown.title and title else text


def _fields(word: str, content: Content, shown: _Shown) -> dict[str, Any]:
    from quarkcrawl.content import block_columns, content_columns  # noqa: PLC0415

    fields: dict[str, Any] = {"input": word, "url": content.page.url}
    columns = content_columns(content, spans=shown.spans, items=shown.items)
    fields |= {name.removeprefix("content_"): value for name, value in columns.items()}
    if shown.blocks:
        table = block_columns(content.segmentation, spans=shown.spans)["blocks"].tolist()
        fields["blocks"] = table
    if shown.structure:
        fields["structure"] = content.structure
    if shown.field_rules is not None:
        fields["fields"] = shown.field_rules.read(content.page)
    return fields


# Corpus


def _show(show: Shown, report: ExtractionReport) -> None:
    note = f"{sum(report.failures.values()):,} failed"
    show("pages", report.done_before + report.extracted, report.pages, note)


def _all_pages(shards: list[tuple[Path | str, Path | str | None]], given: dict[str, Any]) -> int:
    from quarkcrawl.corpus import extract_corpus  # noqa: PLC0415

    for root, rows in shards:
        with progress_shown() as show:
            report = extract_corpus(root, out=rows, on_progress=partial(_show, show), **given)
        print_report(report)
    return 0


def _one_task(
    shards: list[tuple[Path | str, Path | str | None]],
    task: str,
    given: dict[str, Any],
    *,
    learn_sites: bool,
) -> int:
    """Do a task, or publish what all have made."""
    from quarkcrawl.corpus import extract_task, finish_extraction  # noqa: PLC0415

    part = task_of(task)
    for root, rows in shards:
        if part is None:
            print_report(finish_extraction(root, given["options"].method, out=rows))
            continue
        phase: Literal["sites", "pages"] = "sites" if learn_sites else "pages"
        with progress_shown() as show:
            show("tasks", 0, None)
            report = extract_task(root, task=part, out=rows, phase=phase, **given)
        print_report(report)
    return 0


@dataclasses.dataclass(frozen=True, slots=True)
class _TaskWords:
    task: str
    finish: bool
    learn_sites: bool
    tasks: int
    ray_address: str
    spark_master: str

    @property
    def is_given(self) -> bool:
        return bool(self.task or self.finish or self.learn_sites or self.tasks or self.ray_address)

    def one_of_archive(
        self, engine: ClusterName, *, restart: bool, retry_failed: bool, failures: bool
    ) -> tuple[int, int] | None:
        """The task of an archive, see `wanted_task`."""
        if self.finish or failures:
            check_no_cluster(engine, self.spark_master, self.ray_address, self.tasks)
        if engine != "local" and (restart or retry_failed):
            word = "--restart" if restart else "--retry-failed"
            raise typer.BadParameter("not on a cluster, for archives", param_hint=word)
        if (self.task or self.finish) and (failures or retry_failed):
            word = "--failures" if failures else "--retry-failed"
            raise typer.BadParameter("not with --task, --finish", param_hint=word)
        return wanted_task(self.task, finish=self.finish, restart=restart)

    def refuse(self) -> None:
        """They are for the extraction of a corpus."""
        if self.is_given:
            words = "--task, --tasks, --finish, --learn-sites, --ray-address"
            raise typer.BadParameter("is for the extraction of a corpus", param_hint=words)

    def check(self, engine: str, *, restart: bool) -> None:
        """See that they go together, and with the other options."""
        if not self.task and not self.finish:
            wrong = {
                "--learn-sites": (self.learn_sites, "is for tasks, see --task"),
                "--tasks": (bool(self.tasks) and engine == "local", "needs --engine spark or ray"),
            }
        else:
            words = (self.spark_master, self.ray_address, self.tasks)
            on_cluster = engine != "local" or any(words)
            finishes_too = self.finish and bool(self.task or self.learn_sites)
            wrong = {
                "--restart": (restart, "not with --task: it would take the rows of the others"),
                "--engine": (on_cluster, "not with --task: a cluster does all tasks by itself"),
                "--finish": (finishes_too, "not with --task: it comes when all tasks are done"),
            }
        for name, (is_wrong, reason) in wrong.items():
            if is_wrong:
                raise typer.BadParameter(reason, param_hint=name)


def _failures(root: str, method: str, out: str) -> int:
    from quarkcrawl.corpus import extraction_failures  # noqa: PLC0415

    for shard, rows in _shards(root, out):
        for row in extraction_failures(shard, method, out=rows):
            typer.echo(json.dumps(row, ensure_ascii=False))
    return 0


def _shards(root: str, out: str) -> list[tuple[Path | str, Path | str | None]]:
    """The corpora below a folder, several for a shared crawl, and where the rows of each go."""
    from quarkcrawl.store import StoragePath, corpus_places  # noqa: PLC0415

    shards = corpus_places(root)
    if not out:
        return [(shard, None) for shard in shards]
    if str(shards[0]) in {root, str(Path(root))}:
        return [(shards[0], out)]
    return [(shard, (StoragePath(out) / StoragePath(str(shard)).name).text) for shard in shards]
