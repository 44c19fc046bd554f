"""The ``quarkcrawl`` command: verbs, errors, exit codes."""

from __future__ import annotations

import codecs
import copy
import io
import json
import os
import re
import sys
from contextlib import suppress
from inspect import getdoc
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from quarkcrawl import __version__
from quarkcrawl.cli import (
    campaign,
    classify,
    config,
    crawl,
    demo,
    extract,
    frontier,
    items,
    pictures,
    rank,
    render,
    report,
    segment,
    select,
    serve,
)
from quarkcrawl.cli.corpus import app as corpus_app
from quarkcrawl.cli.dataset import explain, export, refine
from quarkcrawl.cli.evaluate import evaluate_app, mark, train_app
from quarkcrawl.cli.options import INTERRUPTED, USAGE, complain, renamed
from quarkcrawl.cli.template import app as template_app
from quarkcrawl.errors import QuarkError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer.models import CommandInfo, TyperInfo


_ESCAPE = "quarkcrawl-escape"

_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]  # typer carries click under a private name

app = typer.Typer(
    name="quarkcrawl",
    help="Build Chinese web corpora: crawl, clean, store, look.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo.demo)
app.command("campaign")(campaign.campaign)
app.command("crawl")(crawl.crawl)
app.command("extract")(extract.extract)
app.command("refine")(refine)
app.command("export")(export)
app.command("explain")(explain)
app.command("segment")(segment.segment)
app.command("items")(items.items)
app.command("render")(render.render)
app.command("mark")(mark)
app.command("serve")(serve.serve)
app.command("report")(report.report)
app.add_typer(corpus_app, name="corpus")
app.add_typer(evaluate_app, name="evaluate")
app.add_typer(select.app, name="select")
app.add_typer(train_app, name="train")
app.add_typer(template_app, name="template")
app.add_typer(rank.app, name="rank")
app.add_typer(frontier.app, name="frontier")
app.add_typer(classify.app, name="classify")
app.add_typer(pictures.app, name="pictures")
app.add_typer(config.app, name="config")


def _version(version: bool) -> None:
    if version:
        typer.echo(f"quarkcrawl {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Build Chinese web corpora: crawl, clean, store, look."""


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What the encoding of standard output lacks (emoji in GBK, say), written as JSON writes it."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(_ESCAPE, _escaped)


def run(arguments: Sequence[str] | None = None) -> int:  # noqa: PLR0911 - one for each way to end
    """Run the command line; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_ESCAPE)
    words = _modern(sys.argv[1:] if arguments is None else arguments)
    try:
        result = _reachable(app, words)(args=words, standalone_mode=False)
    except QuarkError as error:
        complain(error.message, where=error.where or _command(words), hint=_hint(error, words))
        return error.exit_code
    except typer.Exit as stop:
        return stop.exit_code
    except _USAGE_ERROR as error:
        _complain_of_usage(error, words)
        return 2
    except typer.Abort:
        return INTERRUPTED
    except SystemExit as stop:  # how typer ends when the reader of our output went away
        if not isinstance(stop.__context__, BrokenPipeError):
            raise
        _forget_output()
        return 0
    except OSError as error:
        if error.filename is None:  # most often: what standard output leads to is full
            _forget_output()
        complain(error.strerror or str(error), where=error.filename or "standard output")
        return 1
    return result if isinstance(result, int) else 0


def _modern(words: Sequence[str]) -> list[str]:
    """The words under the names of this version; old ones are told."""
    new, old = renamed(words)
    for one in old:
        sys.stderr.write(f"quarkcrawl: {one.old}: is an old name; write {one.new}\n")
    return new


def _command(words: Sequence[str]) -> str:
    """The command that words name, as far as they do."""
    part: typer.Typer | None = app
    names: list[str] = []
    for word in words:
        commands = {one.name for one in part.registered_commands} if part else set()
        groups = {one.name: one.typer_instance for one in part.registered_groups} if part else {}
        if word not in commands and word not in groups:
            break
        names.append(word)
        part = groups.get(word)
    return " ".join(names)


def _hint(error: QuarkError, words: Sequence[str]) -> str:
    """What to do about an error in what was given, where it does not say so itself."""
    is_said = ";" in error.message or "pip install" in error.message or error.exit_code != USAGE
    return "" if is_said else _see_help(words)


def _see_help(words: Sequence[str]) -> str:
    return f"see {' '.join(['quarkcrawl', _command(words), '--help']).replace('  ', ' ')}"


def _complain_of_usage(error: Any, words: Sequence[str]) -> None:
    """An error of the parser in a line: the option or the command, and what is wrong with it."""
    if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help
        error.show()
        return
    parameter = getattr(error, "param", None)
    option = getattr(error, "option_name", None)
    where = option or getattr(error, "param_hint", None) or ""
    if not where and parameter is not None:
        is_option = parameter.param_type_name == "option"
        where = parameter.opts[0] if is_option else parameter.metavar or parameter.name
    message = str(error.message).removeprefix("Value error, ").rstrip(".")
    if possible := getattr(error, "possibilities", None):
        message = f"no such option; did you mean {' or '.join(sorted(possible))}?"
    elif option and "No such option" in message:
        message = "no such option"
    elif type(error).__name__ == "MissingParameter":
        message = "is needed"
    where = where if isinstance(where, str) else ", ".join(where)
    if unknown := re.fullmatch(r"No such command '(.*?)'(?:\. )?(.*)", message):
        where, message = unknown[1], f"no such command; {unknown[2].lower()}".removesuffix("; ")
    message = message[:1].lower() + message[1:]
    complain(message, where=where or _command(words), hint=_see_help(words))


def _reachable(whole: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """The part of an app that words reach: typer reads the options of all commands that it has."""
    part = copy.copy(whole)
    if any(name.endswith("_COMPLETE") for name in os.environ):  # the shell asks, not in words
        return whole
    if all(word.startswith("-") for word in words):
        part.registered_commands = [_outline(command) for command in whole.registered_commands]
        part.registered_groups = [
            _with_app(group, _reachable(group.typer_instance, []))
            for group in whole.registered_groups
            if group.typer_instance
        ]
        return part
    part.registered_commands = [c for c in whole.registered_commands if c.name == words[0]]
    part.registered_groups = [
        _with_app(group, _reachable(group.typer_instance, words[1:]))
        for group in whole.registered_groups
        if group.name == words[0] and group.typer_instance
    ]
    return part if part.registered_commands or part.registered_groups else whole


def _outline(command: CommandInfo) -> CommandInfo:
    """A command without options, for a list of commands."""

    def listed_only() -> None:
        raise NotImplementedError(command.name)

    outline = copy.copy(command)
    outline.callback = listed_only
    outline.help = command.help or getdoc(command.callback)
    return outline


def _with_app(group: TyperInfo, part: typer.Typer) -> TyperInfo:
    """A group of commands that has only a part of them."""
    other = copy.copy(group)
    other.typer_instance = part
    return other


def _forget_output() -> None:
    """Keep Python from trying at its exit to write what is left."""
    with suppress(OSError):  # it may be no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
