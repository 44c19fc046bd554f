"""Single replies over real sockets: what is stored by the media type that they are chosen by."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings

from quarkcrawl.config import SETTING_PREFIX, CrawlConfig
from quarkcrawl.crawl.http import GuardedFetcher
from quarkcrawl.crawl.http.download import DownloadHandler
from quarkcrawl.crawl.leases import LEASE_KEY
from quarkcrawl.errors import FetchError

UNTOLD, HTML, PDF = "application/octet-stream", "text/html", "application/pdf"
PAGE, FILE = b"<title>x</title>" + b"<p>y" * 99, b"%PDF-1.7 " + b"z" * 300
LIMITS = {"max_body_bytes": "200", "max_attachment_bytes": "1000"}


def replying(lines, body, ask):
    """What ``ask`` gives of the port of a server that sends this to everyone."""
    head = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), b"Connection: close"]
    reply = b"\r\n".join([*head, *(line.encode() for line in lines), b"", body])

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        await writer.drain()
        writer.close()

    async def run():
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            return await ask(server.sockets[0].getsockname()[1])

    return asyncio.run(run())


def downloaded(types, body, name="x.pdf", **settings):
    values = {"allow_private": "true", **LIMITS, **settings}
    named = Settings({SETTING_PREFIX + key.upper(): value for key, value in values.items()})

    async def ask(port):
        handler = DownloadHandler(SimpleNamespace(settings=named))
        request = Request(f"http://127.0.0.1:{port}/{name}", meta={LEASE_KEY: object()})
        try:
            return await handler.download_request(request)
        finally:
            await handler.close()

    return replying([f"Content-Type: {one}" for one in types], body, ask)


@pytest.mark.parametrize("wanted", ["", "pdf"])
@pytest.mark.parametrize(
    "types",
    [
        [UNTOLD, HTML],
        [f"{UNTOLD}, {HTML}"],
        [PDF, HTML],
        [";charset=gbk"],
        [],
    ],
)
def test_a_page_is_one_by_the_type_that_browsers_choose(types, wanted):
    if wanted:
        pytest.importorskip("pypdfium2")
    response = downloaded(types, PAGE, attachments=wanted)
    assert type(response) is HtmlResponse
    assert (response.body, response.flags) == (PAGE[:200], ["truncated"])


@pytest.mark.parametrize("types", [[HTML, PDF], [f"{HTML}, {UNTOLD}"], [UNTOLD]])
def test_an_attachment_is_one_by_the_same_type(types):
    pytest.importorskip("pypdfium2")
    response = downloaded(types, FILE, attachments="pdf")
    assert type(response) is Response
    assert (response.body, response.flags) == (FILE, [])
    with pytest.raises(FetchError) as refused:
        downloaded(types, FILE)
    assert refused.value.reason == "mime"


@pytest.mark.parametrize(("name", "types"), [("x.pdf", [HTML, UNTOLD]), ("x", [UNTOLD])])
def test_what_is_no_pdf_by_its_name_or_first_bytes_is_not_stored(name, types):
    pytest.importorskip("pypdfium2")
    with pytest.raises(FetchError, match=UNTOLD) as refused:
        downloaded(types, PAGE, name, attachments="pdf")
    assert refused.value.reason == "mime"


def test_a_type_that_the_setting_names_is_stored_without_a_look_at_its_bytes():
    response = downloaded([UNTOLD], PAGE, mime_types=f"{HTML},{UNTOLD}")
    assert response.body == PAGE[:200]
    assert type(downloaded(["text/plain"], PAGE)) is TextResponse


def test_the_browser_takes_heads_as_long_as_the_crawl_does():
    config = CrawlConfig(allow_private=True)
    policy = "Content-Security-Policy: " + "default-src 'self'; " * 2000

    async def ask(port):
        async with GuardedFetcher(config) as fetcher:
            return await fetcher.fetch(f"http://127.0.0.1:{port}/", 1000)

    assert replying([policy, "Content-Type: text/html"], PAGE, ask).body == PAGE
