"""``quarkcrawl serve``: the workbench in a browser."""

from __future__ import annotations

import socket
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from quarkcrawl.cli.options import TaughtRules
from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from quarkcrawl.workbench.web import CampaignService


_LOOPBACK = "127.0.0.1"
_SELECTIONS = (Path("seeds"), Path("seeds-work"))


def serve(  # noqa: PLR0913, PLR0917 - the options of a command are its arguments
    corpus: Annotated[Path | None, Argument(metavar="CORPUS", help="Corpus to look at.")] = None,
    port: Annotated[int, Option(min=0, max=65535, help="Port; 0: any free one.")] = 8021,
    campaign: Annotated[
        str,
        Option(metavar="CORPUS|URL", help="Crawl to follow.", show_default="that of the corpus"),
    ] = "",
    templates: Annotated[
        Path | None,
        Option(metavar="FILE", help="Template file.", show_default="CORPUS/templates.json"),
    ] = None,
    rules: TaughtRules = None,
    gold: Annotated[
        Path | None,
        Option(metavar="FOLDER", help="Folder for marks.", show_default="CORPUS/gold"),
    ] = None,
    work: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="Work folder of quarkcrawl select.",
            show_default="seeds or seeds-work beside the corpus; without one, here",
        ),
    ] = None,
    before: Annotated[
        Path | None, Option(metavar="CORPUS", help="An earlier run to compare with.")
    ] = None,
    campaigns: Annotated[
        Path | None,
        Option(
            metavar="FOLDER",
            help="Folder of campaigns to start.",
            show_default="CORPUS/campaigns",
        ),
    ] = None,
    method: Annotated[
        list[Path] | None,
        Option(metavar="FILE", help="Method with options of its own (.toml); may be repeated."),
    ] = None,
    token: Annotated[
        str,
        Option(
            envvar="QUARKCRAWL_TOKEN",
            metavar="TEXT",
            help="Token for writing.",
            show_default="a new one",
        ),
    ] = "",
) -> int:
    """Look at pages, blocks, templates and campaigns in a browser.

    Listens on this machine only (127.0.0.1). The printed address has a token; who comes without it
    may read, but not mark, label, teach, paste, fetch, start or steer.

    \b
    Examples:
      quarkcrawl serve
      quarkcrawl serve demo-out
      quarkcrawl serve --campaigns crawls
      quarkcrawl serve corpus --method thesis.toml
      quarkcrawl serve corpus --campaign redis://server/0#news --port 8100
    """
    try:
        import uvicorn  # noqa: PLC0415 - an extra

        from quarkcrawl.workbench.web import Services, create_app  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"the workbench needs {error.name}: pip install 'quarkcrawl[web]'"
        ) from None
    from quarkcrawl.cli.guard import guarded_fetch  # noqa: PLC0415
    from quarkcrawl.cli.runner import (  # noqa: PLC0415
        LocalCampaigns,
        LocalDatasets,
        LocalSelection,
    )

    _check(templates, rules, [folder for folder in (work,) if folder is not None])
    here = corpus if corpus is not None else Path()
    if work is None and corpus is None:
        work = selection_here()
    services = Services(
        guarded_fetch,
        campaign_service(campaign, corpus),
        LocalCampaigns(campaigns or here / "campaigns"),
        LocalDatasets(corpus) if corpus is not None else None,
        cache(LocalSelection),
    )
    app = create_app(
        corpus,
        services=services,
        token=token,
        gold=gold,
        templates=templates,
        seeds=work,
        before=before,
        rules=rules,
        methods=method or (),
    )
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


def _check(templates: Path | None, rules: Path | None, folders: list[Path]) -> None:
    """Refuse what was named and cannot be read, before the server is there.

    Raises:
        QuarkError: something of it.
    """
    from quarkcrawl.template.model import read_templates  # noqa: PLC0415 - help needs no NumPy
    from quarkcrawl.template.site import read_rules  # noqa: PLC0415

    if templates is not None and templates.exists():  # it is made when one is trained
        read_templates(templates)
    if rules is not None and rules.exists():  # it is made when somebody teaches
        read_rules(rules)
    for folder in folders:
        if not folder.is_dir():
            raise InputError("no such folder", where=folder)


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


def selection_here() -> Path | None:
    """The work folder of a selection in the current folder, if hosts were counted there."""
    from quarkcrawl.select import COUNTS_FILE  # noqa: PLC0415 - help needs no NumPy

    return next((folder for folder in _SELECTIONS if (folder / COUNTS_FILE).is_file()), None)


def campaign_service(where: str, corpus: Path | None) -> CampaignService | None:
    """The crawl that is meant: on a server, of another corpus, or of this one.

    Args:
        where: corpus or ``redis://`` URL; "": of the corpus that is looked at.
        corpus: that one, None if there is none.

    Raises:
        InputError: there is no such crawl.
    """
    from quarkcrawl.cli.frontierstatus import (  # noqa: PLC0415
        FRONTIER_FILE,
        WatchedCampaign,
        shown_address,
    )
    from quarkcrawl.cli.runner import typed_seeds  # noqa: PLC0415
    from quarkcrawl.workbench.web import CampaignService  # noqa: PLC0415

    if not where and (corpus is None or not (corpus / FRONTIER_FILE).is_file()):
        return None
    campaign = WatchedCampaign(where or str(corpus))
    name = shown_address(where) if where else str(corpus)

    def add(text: str) -> dict[str, Any]:
        return campaign.add(typed_seeds(text))

    return CampaignService(name, campaign.status, campaign.steer, add)
