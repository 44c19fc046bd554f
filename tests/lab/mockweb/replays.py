"""Replays of a few pages, and questions to them."""

import json

import pytest

from quarkcrawl.lab.mockweb import Ask, Replay

__all__ = ["ask", "needs_zstd", "pack_zstd", "page", "replay"]

try:
    from backports import zstd
except ModuleNotFoundError:
    zstd = None
needs_zstd = pytest.mark.skipif(zstd is None, reason="backports.zstd is not installed")


def pack_zstd(data):
    return zstd.compress(data)


def ask(web, url, visit=1):
    scheme, _, rest = url.partition("://")
    host, slash, target = rest.partition("/")
    return web.respond(Ask(scheme, host, (slash + target).encode().decode("latin-1"), visit=visit))


def replay(tmp_path, *rows, name="pages.jsonl", **options):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Replay([path], **options)


def page(url, html="页", **more):
    return {"url": url, "html": html, **more}
