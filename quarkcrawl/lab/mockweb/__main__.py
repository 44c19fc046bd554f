"""Serve a simulated or recorded web until SIGTERM, or until standard input is closed.

python -m quarkcrawl.lab.mockweb --replay stored/pages.jsonl.gz --replay corpus
python -m quarkcrawl.lab.mockweb --seed 7 --hosts 50 --pages 5000
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from quarkcrawl.errors import QuarkError
from quarkcrawl.lab.mockweb.listed import ListedWeb
from quarkcrawl.lab.mockweb.selection import SelectionWeb
from quarkcrawl.lab.mockweb.server import Replay, serve
from quarkcrawl.lab.mockweb.site import MiniWeb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quarkcrawl.lab.mockweb.web import Web


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m quarkcrawl.lab.mockweb",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--replay", action="append", metavar="PATH", help="stored pages; may be repeated")
    add("--demo", action="store_true", help="the generated web of `make demo`")
    add("--selection", type=int, metavar="HOSTS", help="a wide web to choose seed sites from")
    add("--most-pages", type=int, default=20_000, help="largest site of that web")
    add("--listed", action="store_true", help="add hosts with sitemaps and feeds of all kinds")
    add("--seed", type=int, default=0, help="of the generated web")
    add("--hosts", type=int, default=20, help="number of generated sites")
    add("--pages", type=int, default=1000, help="pages of all generated sites")
    add("--zipf", type=float, default=1.0, help="exponent of the size law; 0: equal sizes")
    add("--clean", action="store_true", help="without traps, errors and spam")
    add("--charsets", choices=["mixed", "declared", "utf-8"], help="default: mixed, or declared")
    add("--spam-share", type=float, default=0.0, help="share of topic pages that are spam")
    add("--upgrade-http", action="store_true", help="answer http by a 301 to recorded https pages")
    add("--http-port", type=int, default=0, help="default: a free one")
    add("--https-port", type=int, default=0, help="default: a free one")
    log = parser.add_mutually_exclusive_group()
    log.add_argument("--log", metavar="FILE", help="append one JSON line a request")
    log.add_argument("--log-fd", type=int, help=argparse.SUPPRESS)
    return parser


def _web(options: argparse.Namespace) -> Web:
    web = _plain_web(options)
    return ListedWeb(web) if options.listed else web


def _plain_web(options: argparse.Namespace) -> Web:
    if options.replay:
        return Replay(options.replay, upgrade_http=options.upgrade_http)
    if options.selection:
        return SelectionWeb(options.seed, options.selection, most_pages=options.most_pages)
    if options.demo:
        return MiniWeb.demo()
    web = MiniWeb(
        options.seed,
        options.hosts,
        options.pages,
        zipf=options.zipf,
        hostile=not options.clean,
        charsets=options.charsets,
    )
    return web.with_spam(options.spam_share) if options.spam_share else web


def _log_fd(options: argparse.Namespace) -> int | None:
    if options.log:
        return os.open(options.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    return options.log_fd  # type: ignore[no-any-return]


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; an error in the input is announced as a JSON line with the key ``error``."""
    options = _parser().parse_args(arguments)
    try:
        web = _web(options)
    except QuarkError as error:
        sys.stdout.write(json.dumps({"error": error.message, "where": error.where}) + "\n")
        if sys.stdout.isatty():  # a program that reads the line says it in its own words
            sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    serve(
        web,
        http_port=options.http_port,
        https_port=options.https_port,
        log_fd=_log_fd(options),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
