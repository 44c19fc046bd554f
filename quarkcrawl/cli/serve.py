"""``quarkcrawl serve``: the workbench in a browser."""

from __future__ import annotations

import http.client
import socket
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from quarkcrawl.errors import ConfigError, FetchError, InputError

if TYPE_CHECKING:
    from quarkcrawl.page import Page
    from quarkcrawl.workbench.web import CampaignService


_LOOPBACK = "127.0.0.1"


def serve(
    corpus: Annotated[Path | None, Argument(metavar="CORPUS", help="Corpus to look at.")] = None,
    port: Annotated[int, Option(min=0, max=65535, help="Port; 0: any free one.")] = 8021,
    campaign: Annotated[
        str, Option(metavar="CORPUS|URL", help="Crawl to follow. [the corpus' own]")
    ] = "",
    templates: Annotated[
        Path | None, Option(metavar="FILE", help="Templates. [CORPUS/templates.json]")
    ] = None,
    gold: Annotated[
        Path | None, Option(metavar="DIR", help="Folder for marks. [CORPUS/gold]")
    ] = None,
    token: Annotated[
        str, Option(envvar="QUARKCRAWL_TOKEN", help="Token for writing. [a new one]")
    ] = "",
) -> int:
    """Look at pages, blocks, templates and campaigns in a browser.

    Listens on this machine only (127.0.0.1). The printed address has a token; who comes without it
    may read, but not mark, label, paste, fetch or steer.

    \b
    Examples:
      quarkcrawl serve
      quarkcrawl serve demo-out
      quarkcrawl serve corpus --campaign redis://server/0#news --port 8100
    """
    try:
        import uvicorn  # noqa: PLC0415 - an extra

        from quarkcrawl.workbench.web import Services, create_app  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"the workbench needs {error.name}: pip install 'quarkcrawl[web]'"
        ) from None
    services = Services(guarded_fetch, campaign_service(campaign, corpus))
    app = create_app(corpus, services=services, token=token, gold=gold, templates=templates)
    listener = _listener(port)
    address = (
        f"http://{_LOOPBACK}:{listener.getsockname()[1]}/?token={app.state.bench.access.token}"
    )
    sys.stderr.write(f"workbench: {address}\n")
    sys.stderr.flush()
    config = uvicorn.Config(app, log_level="warning", server_header=False, lifespan="on",
                            timeout_graceful_shutdown=3)  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])
    return 0


def _listener(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_LOOPBACK, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(f"the port cannot be used ({error.strerror})", where=port) from error
    return listener


def campaign_service(where: str, corpus: Path | None) -> CampaignService | None:
    """The crawl that is meant: on a server, of another corpus, or of this one.

    Args:
        where: corpus or ``redis://`` URL; "": of the corpus that is looked at.
        corpus: that one, None if there is none.

    Raises:
        InputError: there is no such crawl.
    """
    from quarkcrawl.cli.frontierstatus import FRONTIER_FILE, WatchedCampaign  # noqa: PLC0415
    from quarkcrawl.workbench.web import CampaignService  # noqa: PLC0415

    if not where and (corpus is None or not (corpus / FRONTIER_FILE).is_file()):
        return None
    campaign = WatchedCampaign(where or str(corpus))
    name = where.rpartition("@")[2] or str(corpus)
    return CampaignService(name, campaign.status, campaign.steer)


def guarded_fetch(url: str) -> Page:
    """Fetch a page as the crawler would: nothing on private addresses, also after redirects.

    The address that a name leads to is checked and then connected to, so that it cannot change in
    between; proxies are not used, for they would look the name up themselves.

    Raises:
        FetchError: with a reason code.
    """
    from quarkcrawl.cli.options import fetch, opener_of  # noqa: PLC0415
    from quarkcrawl.page import canonicalize  # noqa: PLC0415

    asked = canonicalize(url)
    _refuse(asked or "")
    opener = opener_of(_GuardedHttp, _GuardedRedirects)
    return fetch(url, opener=opener).page


def _refuse(url: str) -> None:
    from quarkcrawl.crawl.http import url_refusal  # noqa: PLC0415

    reason = url_refusal(url, allow_private=False)
    if reason is not None:
        raise FetchError("this address is not fetched", reason=reason, where=url)


def _connect(address: tuple[str, int], timeout: Any = None, source: Any = None) -> socket.socket:
    """Connect to the first address of a name that answers, if all of them are public."""
    from quarkcrawl.crawl.http import address_is_public  # noqa: PLC0415

    host, port = address
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if not all(address_is_public(str(place[0])) for *_, place in found):
        raise FetchError(
            "the name leads to a private address", reason="private_address", where=host
        )
    refusal: OSError | None = None
    for *_, place in found:
        try:
            return socket.create_connection((str(place[0]), port), timeout, source)
        except OSError as error:
            refusal = error
    raise refusal or OSError(f"no address of {host}")


class _GuardedHttp(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    def do_open(self, http_class: Any, req: Any, **options: Any) -> http.client.HTTPResponse:
        def guarded(*args: Any, **more: Any) -> http.client.HTTPConnection:
            connection: Any = http_class(*args, **more)
            connection._create_connection = _connect  # noqa: SLF001 - there is no public way
            return connection  # type: ignore[no-any-return]

        return super().do_open(guarded, req, **options)


class _GuardedRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        _refuse(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)
