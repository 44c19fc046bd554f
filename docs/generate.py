"""The reference pages that are made from the program: commands, settings, columns, API.

They are written when the site is built and not kept in git, so they cannot be out of date:
``python docs/generate.py`` writes them without Sphinx.
"""

from __future__ import annotations

import ast
import inspect
import os
import textwrap
from dataclasses import fields
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACKAGES = (
    "page", "render", "segment", "content", "dedup", "classify", "template", "select", "frontier",
    "store", "analysis", "corpus", "engines", "rank", "crawl", "lab.baselines", "lab.evaluate",
    "lab.mockweb", "workbench.report", "workbench.theme", "workbench.web", "config",
    "errors",
)  # fmt: skip
"""What the API reference lists, in this order: packages and modules with public names."""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name, as the program defines it."""
    import typer.main

    from quarkcrawl.cli.app import app

    yield from _leaves("quarkcrawl", typer.main.get_command(app))


def _leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        yield name, command
        return
    for word, one in below.items():
        yield from _leaves(f"{name} {word}", one)


def commands_page() -> str:
    """Commands: help text, arguments, options."""
    lines = [
        "# Commands", "",
        "`quarkcrawl VERB`, also `python -m quarkcrawl VERB`. JSON lines or tables go to standard",
        "output, words and progress to standard error. Exit codes: 0 done, 1 failed, 2 wrong use,",
        "130 interrupted. `-` is standard input. This page is made from the program.", "",
    ]  # fmt: skip
    for name, command in commands():
        lines += [f"## {name}", "", *_help_lines(command.help or ""), ""]
        lines += _table(("", "holds", "default", ""), [_option(one) for one in command.params])
    return "\n".join([*lines, *_old_names()]) + "\n"


def _old_names() -> list[str]:
    """Names that options had before, which are accepted for one version."""
    from quarkcrawl.cli.options import RENAMED

    rows = [
        (f"`{one.old}`", f"`{one.new}`", ", ".join(f"`{name}`" for name in one.commands))
        for one in RENAMED
    ]
    words = "These are accepted in this version, with a line on standard error."
    return ["## Old names of options", "", words, "", *_table(("old", "new", "commands"), rows)]


def _help_lines(text: str) -> list[str]:
    """Paragraphs as they are; what stands after the mark for examples keeps its lines."""
    words, _, marked = inspect.cleandoc(text).partition("\b")
    example, _, more = marked.strip("\n").partition("\n\n")
    lines = [words.strip(), ""]
    if example.strip():
        title, _, body = example.strip().partition("\n")
        lines += [title, "", "```text", textwrap.dedent(body).rstrip(), "```", ""]
    return [*lines, textwrap.dedent(more).strip(), ""]


def _option(parameter: Any) -> tuple[str, str, str, str]:
    is_argument = parameter.param_type_name == "argument"
    names = (
        [parameter.name.upper()] if is_argument else [*parameter.opts, *parameter.secondary_opts]
    )
    default = parameter.default
    is_nothing = default is None or default is False or default == "" or callable(default)
    shown = "" if is_nothing else f"`{default}`"
    if isinstance(parameter.show_default, str):
        shown = parameter.show_default
    if parameter.required:
        shown = "needed"
    holds = parameter.metavar or ""
    if (values := parameter.type_descriptor).is_choice:
        holds = "|".join(map(str, values.choices))
    holds = holds if not holds or is_argument else f"`{holds}`"
    return ", ".join(f"`{name}`" for name in names), holds, shown, parameter.help or ""


def settings_page() -> str:
    """Settings of a crawl: the fields of CrawlConfig."""
    from quarkcrawl.config import CrawlConfig

    rows = [
        (f"`{one.name}`", f"`{one.default!r}`", one.metadata["help"]) for one in fields(CrawlConfig)
    ]
    return _page(
        "Settings",
        """
        Keys of the table `[crawl]` of `quarkcrawl.toml` and of a campaign's file (those of
        [sitemaps and feeds](../lists.md) also of `[freshness]`), of
        `quarkcrawl crawl --set NAME=VALUE`, and, as `QUARKCRAWL_` with the name in capitals,
        settings of Scrapy. Names end in their unit (`_s` seconds, `_bytes`, `_chars`, `_pages`);
        times and sizes may be written with one (`"20 s"`, `"8 MiB"`). An unknown name is an error.
        `quarkcrawl config show` prints the values in force and where each comes from.
        """,
        _table(("setting", "default", "meaning"), rows),
    )


def columns_page() -> str:
    """Columns of the analysis tables."""
    from quarkcrawl.store.tables.columns import TABLES, column_docs, schema_of

    import_module("quarkcrawl.corpus")  # registers columns of collections
    meanings = column_docs() | CRAWL_COLUMNS
    lines: list[str] = []
    for kind, folder in TABLES.items():
        lines += [f"## {folder}", ""]
        lines += _table(
            ("column", "type", "meaning"),
            [
                (f"`{one.name}`", f"`{_type(one.type)}`", meanings.get(one.name, ""))
                for one in schema_of(kind)
            ],
        )
    return _page(
        "Analysis columns",
        """
        The Parquet tables below `CORPUS/analysis/`. The dataset `pages` is partitioned by `bucket`.
        Columns of analysis stages are NULL where the stage was off.
        """,
        lines,
    )


CRAWL_COLUMNS = {
    "url": "canonical URL",
    "host": "host key: name, with the port where it is not the scheme's",
    "level": "level in the walk of the site; the home page is 1",
    "bucket": "N of `data_N`",
    "offset": "first byte of the record in `page.dat`",
    "length": "bytes of the record",
    "fetched_at": "seconds since 1970, UTC",
    "status": "HTTP status",
    "mime": "media type that the server declared",
    "charset": "encoding that was decided on",
    "charset_source": "what decided: bom, utf-8, hz, header, meta, han score, detector",
    "md5": "of the body",
    "body_bytes": "length of the body without transfer and content encodings",
    "title": "title element",
    "origin": "URL of the page that this one was first found on",
    "hops": "redirects before this URL",
    "ip": "address that answered",
    "marks": "what was unusual: truncated, failed:STAGE",
    "links": "links: url, text, nofollow, kind, position",
    "other": "JSON of values that fit no column",
    "duplicate_of": "URL whose record has this body (URL == URL)",
    "target": "where the redirect leads (URL -> URL)",
    "in_scope": "whether the target belongs to the crawl",
    "reason": "reason code",
    "at": "seconds since 1970, UTC",
    "detail": "what exactly, where there is more to say",
}
"""Meanings of the columns that the crawl itself fills."""


def _type(kind: Any) -> str:
    text = str(kind).replace("element: ", "").replace(" not null", "")
    return text if len(text) < 60 else f"{text[:56]} …>"


def api_page() -> str:
    """The public names of each package, through autodoc."""
    text = _page(
        "Python interface",
        """
        What stands in `__all__` of a package is public. `quarkcrawl` itself offers the five names
        that most programs need: `Page`, `segment`, `extract`, `topic_items`, `fingerprint`.
        """,
        [],
    )
    return text + "\n".join(_module(f"quarkcrawl.{name}") for name in PACKAGES)


def _module(name: str) -> str:
    module = import_module(name)
    lines = [f"## {name}", "", "```{eval-rst}", f".. automodule:: {name}", "   :no-members:", ""]
    for public in public_names(name):
        lines += _directive(name, public, getattr(module, public))
    return "\n".join([*lines, "```", ""])


def public_names(name: str) -> list[str]:
    """What a module exports, in order."""
    return list(import_module(name).__all__)


def _directive(module: str, name: str, value: object) -> list[str]:
    if inspect.isclass(value):
        return [f".. autoclass:: {module}.{name}", "   :members:", ""]
    if inspect.isroutine(value):
        return [f".. autofunction:: {module}.{name}", ""]
    head = [f".. py:data:: {name}", f"   :module: {module}", ""]
    return [*head, f"   {_meaning(module, name)}", ""]


def _meaning(module: str, name: str) -> str:
    """The string below the assignment of a constant, in the module that defines it."""
    tree = ast.parse(Path(import_module(module).__file__ or "").read_text("utf-8"))
    for one, after in pairwise([*tree.body, ast.Pass()]):
        if isinstance(one, ast.ImportFrom) and one.module and name in {n.name for n in one.names}:
            return _meaning(one.module, name)
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        if name in {getattr(target, "id", "") for target in targets}:
            text = getattr(getattr(after, "value", None), "value", "")
            return " ".join(text.split()) if isinstance(text, str) else ""
    return ""


def _page(title: str, words: str, lines: Iterable[str]) -> str:
    return "\n".join([f"# {title}", "", textwrap.dedent(words).strip(), "", *lines]) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    cells = [tuple(" ".join(c.split()).replace("|", "\\|") for c in row) for row in rows]
    if not cells:
        return []
    line = ["|".join(("", *row, "")) for row in (head, tuple("---" for _ in head), *cells)]
    return [*line, ""]


PAGES = {
    "commands": commands_page,
    "settings": settings_page,
    "columns": columns_page,
    "api": api_page,
}


def write_all(folder: Path) -> None:
    """Write the pages that changed, each as a whole: two builds may run at once."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        path, text = folder / f"{name}.md", make()
        if not path.is_file() or path.read_text("utf-8") != text:
            new = path.with_suffix(f".{os.getpid()}")
            new.write_text(text, "utf-8")
            new.replace(path)


if __name__ == "__main__":
    write_all(Path(__file__).resolve().parent / "reference")
