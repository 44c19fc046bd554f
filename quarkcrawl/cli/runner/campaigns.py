"""Campaigns that somebody writes in a browser: checked as the commands check them, and then more.

All that a campaign writes lies in its own folder; what it reads, below the folder of campaigns. It
runs here, in this machine's processes, and starts no program that its file names.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarkcrawl.cli.campaign_file import STEPS, CampaignFile, campaign_of
from quarkcrawl.cli.frontierstatus import FRONTIER_FILE, WatchedCampaign
from quarkcrawl.cli.options import assigned
from quarkcrawl.cli.runner.folder import (
    FILE,
    SEEDS,
    CampaignFolder,
    is_below,
    last_error,
    shown_command,
    toml_value,
)
from quarkcrawl.config import CrawlConfig
from quarkcrawl.errors import ConfigError, EmptyFrontierError, InputError, QuarkError
from quarkcrawl.store import is_locked
from quarkcrawl.workbench.web import ApiError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from quarkcrawl.cli.campaign_file import Step


MOST_SEEDS: Final = 100_000
_SHOWN_REFUSALS: Final = 5
_TYPED: Final = "seeds"
_ELSEWHERE: Final = frozenset({"redis", "redis_starts", "render_browser", "out"})
"""Settings that would leave this machine, start a named program, or write elsewhere."""

_FILES: Final = ("opt_out", "template_file", "template_unknown", "class_file", "spam_list")
_READ: Final = {
    "count": ("lists",), "filter": ("spam_list",), "crawl": ("hosts", "replay"),
    "stats": ("ip_database",), "refine": ("lexicon", "benchmark", "perplexity", "quality"),
    "export": ("tokenizer",),
}  # fmt: skip
_CRAWLS: Final = ("check", "crawl", "freshness")
_METHODS: Final = (
    *((table, "method") for table in ("extract", "refine")),
    *((table, "content_method") for table in _CRAWLS),
)
_CRAWL_ONLY: Final = tuple(step for step in STEPS if step != "crawl")
_WITH_DATASET: Final = ("count", "check", "filter", "extract", "dedup", "sample", "stats", "report")


class LocalCampaigns(CampaignFolder):
    """Campaigns of this machine, as `CampaignRunner` of the workbench wants them."""

    def listed(self) -> list[dict[str, Any]]:
        """Name and state of each; why one cannot be read, where that is so."""
        return [self._line(name) for name in self.names()]

    def _line(self, name: str) -> dict[str, Any]:
        line = {"name": name, "is_running": self.is_running(name), "crawl": None, "failure": ""}
        try:
            crawl = self.crawl(name, 0, 0)
        except QuarkError as error:
            return line | {"failure": str(error)}
        if crawl is not None:
            keys = ("state", "order", "left", "stored", "hosts", "heard_at")
            line["crawl"] = {key: crawl[key] for key in keys}
        return line

    def told(self, name: str, n_hosts: int, first_host: int) -> dict[str, Any]:
        """What is known of a campaign: its process, steps, and crawl."""
        lines = self.log(name)
        is_running = self.is_running(name)
        error = "" if is_running else last_error(lines)
        return {
            "name": name, "is_running": is_running, "error": error,
            "started_at": self.process(name).get("started_at"),
            "steps": self.steps(name), "crawl": self.crawl(name, n_hosts, first_host),
            "corpus": str(self.load(name).corpus),
        }  # fmt: skip

    def crawl(self, name: str, n_hosts: int, first_host: int) -> dict[str, Any] | None:
        """What its crawl does, see `WatchedCampaign.status`; None before there is one."""
        corpus = self.load(name).corpus
        if not (corpus / FRONTIER_FILE).is_file():
            return None
        try:
            return WatchedCampaign(str(corpus)).status(n_hosts, first_host)
        except EmptyFrontierError:  # it is just being made
            return None

    def checked(self, name: str, toml: str, seeds: str) -> dict[str, Any]:
        """What a campaign of this name would do with these texts.

        Returns:
            Its commands, and how many seeds it has.

        Raises:
            ConfigError: a setting is unknown, wrong, or not for campaigns from a browser.
            InputError: a line is no host, or an address is not crawled.
        """
        _check_text(toml, FILE)
        _check_text(seeds, SEEDS)
        path = self.folder / name
        campaign = campaign_of(_parsed(toml), path / FILE)
        steps = [step for step in campaign.steps() if not step.is_skipped]
        self._check_places(campaign, path)
        config = _crawl_config(steps, path)
        urls = _seed_urls(campaign, steps, path / SEEDS, seeds)
        _check_public(urls, allow_private=config.allow_private)
        return {
            "commands": [shown_command(step) for step in steps if step.words],
            "seeds": len(urls),
        }  # fmt: skip

    def add(self, name: str, toml: str, seeds: str) -> None:
        """A new campaign, once its texts are checked; it is not started."""
        self.place(name, is_new=True)
        self.checked(name, toml, seeds)
        self.create(name, toml, seeds)

    def save(self, name: str, toml: str, seeds: str, version: str) -> str:
        """Other texts of a campaign, once they are checked; they hold from its next start on."""
        self.place(name)
        self.checked(name, toml, seeds)
        return self.change(name, toml, seeds, version)

    def order(self, name: str, state: str) -> None:
        """Start, stop, pause, resume or drain a campaign.

        Of one that is done, the crawl and what follows it are run again: URLs may wait anew.

        Raises:
            ApiError: that cannot be done now.
        """
        corpus = self.load(name).corpus
        has_crawl = (corpus / FRONTIER_FILE).is_file()
        if state == "stopped":
            self.stop(name)
        elif state == "started":
            files = self.files(name)  # they may have been changed by hand
            self.checked(name, files["toml"], files["seeds"])
            if not self.is_running(name) and is_locked(corpus):
                raise ApiError(409, "another process holds the corpus")
            if has_crawl:  # an order of before would end it at once
                WatchedCampaign(str(corpus)).steer("running")
            if all(step["state"] == "done" for step in self.steps(name)):
                self.forget_crawl(name)
            self.start(name)
        elif not has_crawl:
            raise ApiError(409, "its crawl has not begun")
        else:
            WatchedCampaign(str(corpus)).steer(state)

    def add_seeds(self, name: str, seeds: str) -> dict[str, Any]:
        """Give its crawl more seeds, also while it runs; its file of seeds stays as it is.

        Returns:
            What becomes of them, as ``quarkcrawl frontier add`` prints it.

        Raises:
            ApiError: its crawl has not begun.
            InputError: a line is no host, or an address is not crawled.
        """
        campaign = self.load(name)
        if not (campaign.corpus / FRONTIER_FILE).is_file():
            raise ApiError(409, "its crawl has not begun: edit its seeds instead")
        urls = typed_seeds(seeds)
        steps = [step for step in campaign.steps() if not step.is_skipped]
        config = _crawl_config(steps, self.folder / name)
        _check_public(list(urls), allow_private=config.allow_private, where=_TYPED)
        return WatchedCampaign(str(campaign.corpus)).add(urls)

    def written(self, name: str, settings: str, *, dataset: bool) -> str:
        """The file of a campaign that crawls its seeds, and then exports what it has if wanted.

        Args:
            name: what it is called.
            settings: lines ``NAME = VALUE``, as ``--set`` of a crawl takes them.
            dataset: whether labels and a data set follow.

        Raises:
            ConfigError: a line is none of that kind.
        """
        lines = [line for line in map(str.strip, settings.splitlines()) if line]
        values = assigned(line for line in lines if not line.startswith("#"))
        skip = _WITH_DATASET if dataset else _CRAWL_ONLY
        text = [
            "[campaign]", f"name = {toml_value(name)}", 'out = "."',
            f"skip = {toml_value(skip)}", "", "[crawl]", f"hosts = {toml_value(SEEDS)}",
            *(f"{toml_value(key)} = {toml_value(value)}" for key, value in values.items()),
        ]  # fmt: skip
        text += ["", "[refine]", "", "[export]"] if dataset else []
        return "\n".join(text) + "\n"

    def _check_places(self, campaign: CampaignFile, path: Path) -> None:
        """See that it writes in its own folder, reads below ours, and runs here."""
        places = {"out": campaign.out, "corpus": campaign.corpus, "seeds": campaign.seeds}
        for key, place in places.items():
            if not is_below(place, path):
                message = f"[campaign] {key} has to lie in {path}"
                raise ConfigError(message, where=str(place))
        self._check_files(campaign, path)
        for table in _CRAWLS:
            for key in _ELSEWHERE & campaign.tables.get(table, {}).keys():
                raise ConfigError(f"[{table}] {key} is for the command line only", where=FILE)
        engine = campaign.tables.get("engine", {})
        if engine.get("name", "duckdb") != "duckdb" or "spark_master" in engine:
            raise ConfigError("[engine] spark is for the command line only", where=FILE)
        if "where" in campaign.tables.get("export", {}):
            message = "[export] where is for the command line, or for an export of its corpus"
            raise ConfigError(message, where=FILE)

    def _check_files(self, campaign: CampaignFile, path: Path) -> None:
        tables = campaign.tables
        for table, keys in _READ.items():
            for key in keys:
                self._check_read(path, f"[{table}] {key}", tables.get(table, {}).get(key))
        for table in _CRAWLS:
            for key in _FILES:
                self._check_read(path, f"[{table}] {key}", tables.get(table, {}).get(key))
        for table, key in _METHODS:
            method = str(tables.get(table, {}).get(key, ""))
            if method.endswith(".toml"):  # else it is a name
                self._check_read(path, f"[{table}] {key}", method)

    def _check_read(self, path: Path, key: str, value: Any) -> None:
        for one in value if isinstance(value, list) else [value]:
            if one is None or not str(one):
                continue
            if "://" in str(one) or not is_below(path / str(one), self.folder):
                raise ConfigError(f"{key} has to lie below {self.folder}", where=str(one))


def typed_seeds(text: str) -> Counter[str]:
    """Seeds that somebody typed, each with the number of lines that mean it.

    Raises:
        InputError: a line is no host, there are none, or too many.
    """
    from quarkcrawl.crawl.campaign import count_hosts  # noqa: PLC0415 - Scrapy is slow to import

    _check_text(text, _TYPED)
    return count_hosts(_seed_lines(text, _TYPED), source=_TYPED)


def _seed_lines(text: str, where: str) -> list[str]:
    lines = text.splitlines()
    if len(lines) > MOST_SEEDS:
        raise InputError(f"{len(lines):,} lines, {MOST_SEEDS:,} at most", where=where)
    return lines


def _check_text(text: str, name: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("has half a character in it (a lone surrogate)", where=name) from None


def _parsed(toml: str) -> dict[str, Any]:
    try:
        return tomllib.loads(toml)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"is not TOML: {error}", where=FILE) from error


def _crawl_config(steps: Sequence[Step], path: Path) -> CrawlConfig:
    """The settings of the crawl as its command reads them; those of the check are read, too."""
    config = CrawlConfig()
    for step in steps:
        if step.name in {"check", "crawl"}:
            texts = [word for option, word in zip(step.words, step.words[1:], strict=False)
                     if option == "--set"]  # fmt: skip
            source = f"{path.name}: [{step.name}]"
            config = CrawlConfig.from_mapping(assigned(texts), source=source)
    return config


def _seed_urls(campaign: CampaignFile, steps: Sequence[Step], path: Path, seeds: str) -> list[str]:
    """The seeds as the crawl reads them; none if it crawls what the steps before it have left."""
    from quarkcrawl.crawl.campaign import parse_hosts  # noqa: PLC0415 - Scrapy is slow to import

    hosts = campaign.tables.get("crawl", {}).get("hosts")
    is_asked = hosts is not None and Path(str(hosts)).resolve() == path.resolve()
    if not is_asked or not any(step.name == "crawl" for step in steps):
        return []
    return parse_hosts(_seed_lines(seeds, SEEDS), source=SEEDS)


def _check_public(urls: Sequence[str], *, allow_private: bool, where: str = SEEDS) -> None:
    """Refuse seeds that the crawl would drop at once; names are looked up when it fetches them."""
    from quarkcrawl.crawl.http import url_refusal  # noqa: PLC0415

    refused = [(url, why) for url in urls if (why := url_refusal(url, allow_private=allow_private))]
    if refused:
        shown = ", ".join(f"{url} ({why})" for url, why in refused[:_SHOWN_REFUSALS])
        more = f" and {len(refused) - _SHOWN_REFUSALS} more" if refused[_SHOWN_REFUSALS:] else ""
        message = f"not crawled: {shown}{more}; the setting allow_private allows private addresses"
        raise InputError(message, where=where)
