"""``quarkcrawl frontier``: look at a campaign's frontier and steer it."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from quarkcrawl.cli.options import AsJson, OtherSettings, assigned, printable
from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from quarkcrawl.frontier import Candidate, Frontier, SharedFrontier


app = typer.Typer(
    help="Look at a campaign's frontier and steer it; running or stopped.", no_args_is_help=True
)

_EXPORTED = ("url", "host", "level", "origin", "hops")
Where = Annotated[
    str,
    Argument(
        metavar="CORPUS|URL", help="Corpus (or its frontier.sqlite), or redis://server/0#NAME."
    ),
]


@app.command("status")
def status(
    where: Where,
    as_json: AsJson = False,
    top: Annotated[int, Option(min=0, help="How many hosts are listed, most waiting first.")] = 10,
    live: Annotated[bool, Option("--live", help="Go on, once a second, until Ctrl-C.")] = False,
) -> None:
    """Workers, hosts, queue, leases, rates and drops.

    \b
    Examples:
      quarkcrawl frontier status corpus
      quarkcrawl frontier status redis://server/0#news --live
      quarkcrawl frontier status redis://server/0#news --json
      quarkcrawl frontier status .scrapy/jobs/books     # a job of DurableAddon
    """
    from quarkcrawl.cli.frontierstatus import WatchedCampaign, show, show_job  # noqa: PLC0415

    if show_job(where, as_json=as_json):
        return
    with closing(WatchedCampaign(where)) as campaign:
        if not as_json:
            show(lambda: campaign.status(top), live=live)
            return
        typer.echo(json.dumps(campaign.status(top), ensure_ascii=False))
        while live:
            sys.stdout.flush()
            time.sleep(1)
            typer.echo(json.dumps(campaign.status(top), ensure_ascii=False))


def _order(where: str, state: str) -> None:
    from quarkcrawl.cli.frontierstatus import WatchedCampaign, shown_address  # noqa: PLC0415

    with closing(WatchedCampaign(where)) as campaign:
        campaign.steer(state)
    typer.echo(json.dumps({"frontier": shown_address(where), "state": state}))


@app.command("pause")
def pause(where: Where) -> None:
    """Hand out nothing more; workers wait. What is out is finished.

    \b
    Example:
      quarkcrawl frontier pause redis://server/0#news
    """
    _order(where, "paused")


@app.command("resume")
def resume(where: Where) -> None:
    """Go on after a pause, or after a drain (then start workers again).

    \b
    Example:
      quarkcrawl frontier resume redis://server/0#news
    """
    _order(where, "running")


@app.command("drain")
def drain(where: Where) -> None:
    """Hand out nothing more; workers finish what is out and end.

    \b
    Example:
      quarkcrawl frontier drain redis://server/0#news
    """
    _order(where, "draining")


@app.command("add")
def add(
    where: Where,
    hosts: Annotated[
        str | None, Argument(metavar="HOSTS", help="File of hosts or URLs, one a line; - is stdin.")
    ] = None,
    start_list: Annotated[
        str | None, Option(metavar="KEY", help="Start list of scrapy-redis to take in.")
    ] = None,
) -> None:
    """Add hosts to a campaign, also while it runs.

    A crawl by one process takes them in within a second, or at its next start; what had ended
    there without a page, for a failure, is tried again. It prints how many are new, were listed
    twice, or belong to hosts that were closed for good.

    \b
    Examples:
      quarkcrawl frontier add redis://server/0#news more.txt
      quarkcrawl frontier add redis://server/0#news --start-list news:start_urls
      echo www.pku.edu.cn | quarkcrawl frontier add corpus -
    """
    from quarkcrawl.cli.frontierstatus import WatchedCampaign, shared_frontier  # noqa: PLC0415
    from quarkcrawl.crawl.campaign import read_host_counts  # noqa: PLC0415

    if (hosts is None) == (start_list is None):
        raise ConfigError("give HOSTS or --start-list")
    if hosts is not None:
        seeds = read_host_counts(hosts)
        with closing(WatchedCampaign(where, create=True)) as campaign:
            typer.echo(json.dumps(campaign.add(seeds)))
        return
    frontier = shared_frontier(where, create=True)
    if frontier is None:
        raise ConfigError("a start list lies on a Redis server: give its URL")
    with closing(frontier):
        typer.echo(json.dumps(_moved(frontier, str(start_list))))


def _moved(frontier: SharedFrontier, start_list: str) -> dict[str, object]:
    """Take a start list in; how many of its URLs are new."""
    from quarkcrawl.frontier.redis import StartList  # noqa: PLC0415

    def queue(candidates: list[Candidate]) -> bool:
        frontier.push(candidates)
        return True

    starts = StartList(start_list, queue)
    before = frontier.counts().seen
    for part in frontier.parts:  # the list may lie on any of the servers
        while starts.take_in(part):
            pass
    new = frontier.counts().seen - before
    return {"offered": starts.taken, "refused": starts.refused, "new": new}


@app.command("retry")
def retry(
    where: Where,
    corpora: Annotated[
        list[Path] | None,
        Argument(metavar="CORPUS", help="What a campaign on a server has stored."),
    ] = None,
    reason: Annotated[
        list[str] | None,
        Option(
            metavar="CODE",
            help="Only what ended with this reason code; may be repeated.",
            show_default="what may pass",
        ),
    ] = None,
    host: Annotated[
        list[str] | None,
        Option(metavar="HOST", help="Only pages of this host; may be repeated."),
    ] = None,
) -> None:
    """Try URLs again that were given up: time-outs, broken connections, server errors, DNS.

    Hosts that were given up are opened, and asked for robots.txt first. A crawl by one process
    takes the URLs in within a second, or at its next start; workers of a server do at once. For
    those, give the corpora of all machines: what only a missing one has stored is fetched again.

    \b
    Examples:
      quarkcrawl frontier retry corpus
      quarkcrawl frontier retry corpus --reason timeout --host www.pku.edu.cn
      quarkcrawl frontier retry redis://server/0#news corpus
    """
    from quarkcrawl.cli.frontierstatus import corpus_with_frontier, shared_frontier  # noqa: PLC0415
    from quarkcrawl.crawl.campaign import PASSING, given_up, revive_urls  # noqa: PLC0415

    reasons = _known_reasons(reason or sorted(PASSING))
    frontier = shared_frontier(where)
    if (frontier is None) == bool(corpora):
        raise ConfigError("give the corpora of a campaign on a server, and of no other")
    roots = corpora or [corpus_with_frontier(where)]
    endings = given_up(roots, reasons=reasons, hosts=host or ())
    if frontier is None:
        revive_urls(roots[0], endings)
    else:
        with closing(frontier):
            revived = frontier.revive(endings)
            endings = [one for one, again in zip(endings, revived, strict=True) if again]
    counts = Counter(ending for _, ending in endings)
    typer.echo(json.dumps({"urls": len(endings), "reasons": dict(counts.most_common())}))


def _known_reasons(reasons: list[str]) -> list[str]:
    from quarkcrawl.crawl.campaign import REASONS  # noqa: PLC0415

    for reason in reasons:
        if reason not in REASONS and not re.fullmatch(r"http_[1-9]\d\d", reason):
            raise ConfigError(f"no reason code {reason!r}; docs/reasons.md lists them")
    return reasons


@app.command("export")
def export(where: Where) -> None:
    """Every URL that waits or is out, a JSON line each.

    \b
    Example:
      quarkcrawl frontier export redis://server/0#news > waiting.jsonl
    """
    from quarkcrawl.cli.frontierstatus import (  # noqa: PLC0415
        FRONTIER_FILE,
        corpus_with_frontier,
        shared_frontier,
    )
    from quarkcrawl.frontier import SqliteFrontier  # noqa: PLC0415

    frontier = shared_frontier(where)
    with closing(
        frontier or SqliteFrontier(corpus_with_frontier(where) / FRONTIER_FILE, readonly=True)
    ) as source:
        for candidate, tries, state in source.waiting():
            line = {name: getattr(candidate, name) for name in _EXPORTED}
            line |= {"tries": tries, "state": state}
            typer.echo(json.dumps(line, ensure_ascii=False))


@app.command("recover")
def recover(
    where: Where,
    corpora: Annotated[
        list[Path], Argument(metavar="CORPUS", help="What the campaign has stored.")
    ],
    levels: Annotated[int, Option(min=1, help="Levels; the home page is 1.")] = 3,
    fresh: Annotated[
        bool, Option("--fresh", help="Forget the frontier first; no worker may run.")
    ] = False,
    setting: OtherSettings = None,
) -> None:
    """Rebuild a frontier on a server from the stored corpus, after a crash of the server.

    Nothing that is stored is fetched again; every link that was found waits or has ended. Then
    start the workers again with the same HOSTS. Give the settings that say which links are crawled
    as the campaign has them: attachments, feeds, obey_nofollow, robots_meta.

    \b
    Examples:
      quarkcrawl frontier recover redis://server/0#news corpus
      quarkcrawl frontier recover redis://server/0#news corpus --set attachments=pdf
    """
    import dataclasses  # noqa: PLC0415

    from quarkcrawl.cli.frontierstatus import shared_frontier  # noqa: PLC0415
    from quarkcrawl.config import CrawlConfig  # noqa: PLC0415
    from quarkcrawl.crawl.campaign import (  # noqa: PLC0415
        Scope,
        rebuild_frontier,
    )

    given = {"levels": levels, **assigned(setting or [])}
    scope = Scope(CrawlConfig.from_mapping(given, source="--set"))
    frontier = shared_frontier(where, create=True, refill=True)
    if frontier is None:
        message = (
            "a frontier file recovers by itself when the crawl is started; give a redis:// URL"
        )
        raise ConfigError(message)
    try:
        if fresh:
            frontier = _emptied(frontier, where)
        counts = rebuild_frontier(corpora, frontier, scope)
        typer.echo(json.dumps(dataclasses.asdict(counts)))
    finally:
        frontier.close()


def _emptied(frontier: SharedFrontier, where: str) -> SharedFrontier:
    from quarkcrawl.frontier import open_shared  # noqa: PLC0415

    if frontier.others_at_work():
        raise ConfigError("workers are at work; drain the campaign first")
    options, budget = frontier.options, frontier.max_campaign_pages
    frontier.erase()
    fresh = open_shared(where, with_domains=options.domain_delay_s > 0)
    fresh.set_rules(options, budget)
    return fresh


@app.command("robots")
def robots(
    where: Where,
    host: Annotated[str, Argument(metavar="HOST", help="Such as www.pku.edu.cn, or host:port.")],
    urls: Annotated[
        list[str] | None, Argument(metavar="URL", help="Whether these may be fetched.")
    ] = None,
    agent: Annotated[
        str,
        Option(
            metavar="TEXT",
            help="User agent whose rules hold.",
            show_default="that of the settings",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """What a host said in robots.txt, when it was fetched, and what follows from it.

    \b
    Examples:
      quarkcrawl frontier robots corpus www.pku.edu.cn
      quarkcrawl frontier robots corpus www.pku.edu.cn http://www.pku.edu.cn/private/x --json
    """
    from quarkcrawl.cli.frontierstatus import (  # noqa: PLC0415
        FRONTIER_FILE,
        corpus_with_frontier,
        shared_frontier,
    )
    from quarkcrawl.frontier import SqliteFrontier  # noqa: PLC0415

    with closing(
        shared_frontier(where)
        or SqliteFrontier(corpus_with_frontier(where) / FRONTIER_FILE, readonly=True)
    ) as frontier:
        host_rules = _robots_of(frontier, host.strip().lower(), urls or [], agent)
    if as_json:
        typer.echo(json.dumps(host_rules, ensure_ascii=False))
        return
    for line in _robots_lines(host_rules):
        typer.echo(printable(line))


def _robots_of(frontier: Frontier, host: str, urls: list[str], agent: str) -> dict[str, Any]:
    """What is known of the rules of a host, as JSON values.

    Raises:
        InputError: the campaign does not know the host.
    """
    from quarkcrawl.config import CrawlConfig  # noqa: PLC0415
    from quarkcrawl.crawl.campaign import RobotsRules  # noqa: PLC0415
    from quarkcrawl.page import canonicalize  # noqa: PLC0415

    state = frontier.host(host)
    if state is None:
        raise InputError("the campaign has no such host", where=host)
    config = CrawlConfig(user_agent=agent) if agent else CrawlConfig()
    rules = RobotsRules(frontier, config)
    text = state.robots
    addresses = {url: canonicalize(url) or url for url in urls or [f"http://{host}/"]}
    return {
        "host": host,
        "agent": config.user_agent,
        "fetched_at": None if text is None else round(state.robots_time, 3),
        "crawl_delay_s": None if text is None else rules.learn(host, text),
        "delay_s": state.delay_s,
        "closed": state.closed,
        "allowed": {
            url: None if text is None else rules.allows(address, host)
            for url, address in addresses.items()
        },
        "text": text,
    }


def _robots_lines(host_rules: dict[str, Any]) -> list[str]:
    """The same for people: what follows as comments, then the text as it was sent."""
    text, closed = host_rules["text"], host_rules["closed"]
    if text is None:
        lines = [f"# {host_rules['host']}: robots.txt was not had"]
    else:
        at = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(host_rules["fetched_at"]))
        what = "fetched" if text.strip() else "no rules (none there, or empty)"
        lines = [f"# {host_rules['host']}: {what} {at}"]
    lines += [f"# closed: {closed}"] if closed else []
    if (delay_s := host_rules["crawl_delay_s"]) is not None:
        lines.append(f"# crawl-delay for us: {delay_s:g} s")
    words = {True: "allowed", False: "not allowed", None: "not known whether allowed"}
    lines += [f"# {words[ok]}: {url}" for url, ok in host_rules["allowed"].items()]
    return [*lines, *(text or "").splitlines()]
