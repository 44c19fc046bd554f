"""``quarkcrawl corpus replay``: a corpus as a local web."""

from __future__ import annotations

import json
import sys
import time
from typing import Annotated

import typer
from typer import Option

from quarkcrawl.cli.options import CorpusOrCollection, progress_shown


def replay(
    root: CorpusOrCollection,
    seconds: Annotated[
        float, Option("--for-s", min=0, help="Stop after so many seconds; 0: by Ctrl-C.")
    ] = 0.0,
) -> None:
    """Serve the stored pages on 127.0.0.1, each under its own host name, until Ctrl-C.

    Prints a JSON line with the ports; host_map is the setting that sends a crawl there. Redirects
    and duplicates answer as they did. `quarkcrawl crawl HOSTS --replay CORPUS` serves and crawls in
    one go.

    \b
    Examples:
      quarkcrawl corpus replay corpus
      curl -H "Host: www.example.cn" http://127.0.0.1:PORT/
    """
    from quarkcrawl.lab.mockweb import ServerProcess  # noqa: PLC0415
    from quarkcrawl.store import Corpus  # noqa: PLC0415

    Corpus.open(root)
    with progress_shown() as show:
        show("reading the pages", 0, None)
        process = ServerProcess.for_replay([root], upgrade_http=True)
    with process as server:
        info = server.info
        about = {
            "address": info.address,
            "http_port": info.http_port,
            "https_port": info.https_port,
            "host_map": info.crawl_settings()["host_map"],
        }
        typer.echo(json.dumps(about))
        sys.stdout.flush()
        _wait(seconds)


def _wait(seconds: float) -> None:
    """Until the time is over, or Ctrl-C."""
    end = time.monotonic() + seconds
    try:
        while not seconds or time.monotonic() < end:
            time.sleep(min(1.0, seconds or 1.0))
    except KeyboardInterrupt:
        return
