"""The settings of a crawl: one frozen dataclass, filled from defaults, TOML and Scrapy settings.

Every field is also a Scrapy setting (``QUARKCRAWL_`` + the name in capitals) and a key of the
``[crawl]`` table of ``quarkcrawl.toml``, some also of ``[freshness]``. Sizes and times may carry a
unit there: ``"8 MiB"``, ``"20 s"``, ``"1 h"``. An unknown key is an error that names the nearest
known one.

    >>> CrawlConfig.from_mapping({"delay_s": "500 ms", "max_body_bytes": "2 MiB"}).delay_s
    0.5
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from quarkcrawl.errors import ConfigError, read_failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["FRESHNESS", "SETTING_PREFIX", "CrawlConfig", "byte_count", "load_toml", "read_toml"]


SETTING_PREFIX = "QUARKCRAWL_"

FRESHNESS = frozenset(
    {
        "refresh",
        "refresh_min_s",
        "refresh_max_s",
        "refresh_home_s",
        "watch",
        "sitemaps",
        "feeds",
        "listed_level",
        "max_sitemaps",
        "max_sitemap_urls",
        "max_sitemap_bytes",
    }
)
"""Settings that have a table of their own in files, ``[freshness]``."""

_UNITS_BYTES = {"": 1, "b": 1, "kb": 1000, "mb": 10**6, "gb": 10**9}
_UNITS_BYTES |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_UNITS_S = {"": 1.0, "s": 1.0, "ms": 0.001, "min": 60.0, "h": 3600.0, "d": 86400.0}
_CODE_METHODS = ("featurecode", "code-only", "three-codes")
"""How the names of methods by feature codes begin."""

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*\Z")


def _doc(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, slots=True)
class CrawlConfig:
    """Settings of one crawl; the help text of each field is its documentation."""

    out: str = _doc("", "folder of the corpus")
    levels: int = _doc(3, "levels to crawl; the home page is level 1")
    delay_s: float = _doc(1.0, "least time between two requests to one host")
    domain_delay_s: float = _doc(
        0.0,
        "least time between two requests to hosts of one registered domain, which then have "
        "host_concurrency together; 0: each host by itself",
    )
    host_concurrency: int = _doc(1, "most requests out to one host at once")
    ip_concurrency: int = _doc(
        0, "most requests out at once to one IP address, whatever the hosts; 0: no bound"
    )
    ip_exempt: tuple[str, ...] = _doc(
        ("loopback", "replay"),
        "to what ip_concurrency does not apply: loopback addresses, replay (crawls with host_map)",
    )
    concurrency: int = _doc(64, "most requests out at once")
    timeout_s: float = _doc(20.0, "time until a reply has begun, and longest silence in its body")
    total_timeout_s: float = _doc(
        180.0,
        "longest time for one request; what has come of a body by then is stored and marked as "
        "truncated",
    )
    least_bytes_per_s: int = _doc(
        4096, "bodies that come more slowly are ended when timeout_s is used up"
    )
    max_tries: int = _doc(3, "tries of one URL in its turn")
    late_tries: int = _doc(
        3,
        "further tries of a URL whose failures may pass, when nothing else of its host waits; one "
        "more for a home page; then it is dropped",
    )
    retry_delay_s: float = _doc(
        5.0, "wait before the second try; doubles for each further one, and anew for late ones"
    )
    host_patience_s: float = _doc(
        7200.0, "how long a host that has stopped answering is held back before tries go on"
    )
    lease_s: float = _doc(300.0, "validity of a lease; later it is given to another worker")
    max_host_pages: int = _doc(0, "most pages stored per host; 0: no bound")
    max_body_bytes: int = _doc(8 << 20, "bodies are cut here and marked as truncated")
    workers: int = _doc(0, "processes that analyze pages; 0: one a core")
    in_process: bool = _doc(False, "analyze pages in the crawl's own process, for debugging")
    page_cpu_s: float = _doc(10.0, "most CPU time for the analysis of one page")
    page_timeout_s: float = _doc(60.0, "longest time for the analysis of one page")
    page_memory_bytes: int = _doc(768 << 20, "most memory of a process that analyses pages")
    max_link_bytes: int = _doc(4 << 20, "most bytes of a page's links; more is counted, not kept")
    max_column_bytes: int = _doc(32 << 20, "most bytes of a page's columns")
    max_url_chars: int = _doc(2000, "longer URLs are refused (url_too_long)")
    max_path_segments: int = _doc(30, "URLs with deeper paths are refused (trap_depth)")
    max_segment_repeats: int = _doc(3, "most times one path segment may occur (trap_repeat)")
    pattern_pages: int = _doc(5000, "most URLs per host of one pattern of digits and queries")
    max_redirects: int = _doc(5, "most redirects in a row")
    robots: bool = _doc(True, "obey robots.txt and its crawl-delay")
    max_crawl_delay_s: float = _doc(60.0, "longest crawl-delay that is honoured")
    max_retry_after_s: float = _doc(600.0, "longest Retry-After that is honoured")
    obey_nofollow: bool = _doc(False, "do not follow links marked nofollow")
    refresh: bool = _doc(
        False,
        "ask again for stored pages that are due, and keep the versions of those that changed",
    )
    refresh_min_s: float = _doc(86400.0, "least time between two visits of a page")
    refresh_max_s: float = _doc(30 * 86400.0, "most time between two visits of a page")
    refresh_home_s: float = _doc(
        0.0, "time between two visits of a home page; 0: by its changes, as of other pages"
    )
    watch: bool = _doc(
        False, "do not end when nothing waits: go on with pages as they become due (news)"
    )
    robots_meta: str = _doc(
        "ignore",
        "what is obeyed of X-Robots-Tag lines and meta elements named robots, or after our user "
        "agent: ignore, nofollow (as obey_nofollow), noindex (such pages are not stored), obey "
        "(both, and noarchive)",
    )
    allow_private: bool = _doc(False, "allow hosts on private and loopback addresses")
    proxy: tuple[str, ...] = _doc(
        (),
        "proxies that everything is fetched through: http://HOST:PORT or socks5://HOST:PORT, with "
        "USER:PASSWORD@ before the host if need be; empty: none",
    )
    proxy_rotate: bool = _doc(False, "take several proxies in turn, request by request")
    mime_types: tuple[str, ...] = _doc(("text/html", "text/plain"), "media types that are stored")
    attachments: tuple[str, ...] = _doc(
        (),
        "files that are stored as documents besides mime_types: pdf (needs quarkcrawl[pdf]); none: "
        "links to them are not followed",
    )
    max_attachment_bytes: int = _doc(32 << 20, "attachments are cut here, not at max_body_bytes")
    user_agent: str = _doc("quarkcrawl/0.1 (research corpus crawler)", "sent with each request")
    contact: str = _doc("", "e-mail address or page of who runs the crawl; part of the user agent")
    opt_out: str = _doc("", "file of hosts that are never asked; read again when it changes")
    segmentation: bool = _doc(True, "cut pages into blocks and store the block tables")
    content: bool = _doc(True, "find the content of pages and store it")
    content_method: str = _doc(
        "default", "extraction method of the content stage, or a file of one (.toml)"
    )
    analysis_spans: bool = _doc(
        False, "note where blocks and content stand in the body; costs a second parse of each page"
    )
    analysis_metadata: bool = _doc(
        True,
        "read headline, date, source, author, site and kind; a third of what the analysis costs",
    )
    analysis_items: bool = _doc(False, "store paragraphs, data tables and pictures in order")
    sitemaps: str = _doc(
        "off",
        "sitemaps to find URLs in: off, seeds (of hosts whose seed is fetched), all (of every host "
        "of which a page is fetched)",
    )
    feeds: str = _doc(
        "off",
        "feeds to find URLs in: off, seeds (that pages of level 1 name), all (that any page names)",
    )
    listed_level: int = _doc(
        0, "level at which URLs of sitemaps and feeds are taken; 0: the last one (levels)"
    )
    max_sitemaps: int = _doc(200, "most sitemaps and feeds asked of a host")
    max_sitemap_urls: int = _doc(50_000, "most URLs taken of a host's sitemaps and feeds")
    max_sitemap_bytes: int = _doc(
        16 << 20, "sitemaps and feeds are cut here, as sent and once more when unpacked"
    )
    site_pages: int = _doc(
        80,
        "most pages of a host that are read again after the crawl, to find what the host repeats "
        "and to store contents without it (analysis/cleaned); 0: none",
    )
    template_file: str = _doc("", "templates to match pages with; empty: no template stage")
    template_unknown: str = _doc(
        "", "file that keeps pages without a template until they make new ones; empty: not kept"
    )
    template_buffer_pages: int = _doc(
        500, "pages without a template that come before new ones are looked for among them"
    )
    class_file: str = _doc("", "model of page classes (classify train); empty: no class stage")
    near_method: str = _doc(
        "", "mark near-duplicates by this method (simhash, minhash, featurecode); empty: not"
    )
    near_k: int = _doc(3, "most differing bits of 64 of near-duplicates by simhash")
    near_length_ratio: float = _doc(
        0.0,
        "longest text to shortest of near-duplicates by feature codes (a of the paper); 0: that of "
        "the method, 1.10",
    )
    near_slack: int = _doc(1, "characters of ten in which feature codes may differ, 2 at most")
    render: str = _doc(
        "",
        "pages to run in a browser: auto (those without the text their size and scripts let "
        "expect), all; empty: only those of render_hosts and render_pattern",
    )
    render_hosts: tuple[str, ...] = _doc((), "hosts whose pages are run in a browser")
    render_pattern: str = _doc("", "regular expression; URLs that it is found in are run in one")
    render_browser: str = _doc("", "path of a Chromium; empty: the first on PATH")
    render_timeout_s: float = _doc(15.0, "time for one page in the browser")
    render_max_requests: int = _doc(100, "most requests of one page in the browser")
    render_max_scrolls: int = _doc(10, "most times that a page is scrolled to its end")
    render_memory_bytes: int = _doc(1 << 30, "most that the browser may grow for one page")
    render_style_bytes: int = _doc(
        0,
        "most bytes of a page's style sheets that stand in rendered_html in place of the links to "
        "them; 0: none",
    )
    spam_list: str = _doc("", "file of spam-domain patterns; empty: seeds/spam_domains.txt")
    host_map: str = _doc("", "ADDRESS:HTTP_PORT:HTTPS_PORT that answers for every host (replay)")
    commit_pages: int = _doc(64, "pages per durable group")
    commit_interval_s: float = _doc(1.0, "longest time until a group is made durable")
    redis: str = _doc("", "URL of the Redis server that workers share, or URLs; then #CAMPAIGN")
    redis_wait_s: float = _doc(3600.0, "longest absence of the server before a worker gives up")
    redis_starts: str = _doc("", "start list of scrapy-redis on the server that is taken in too")
    max_campaign_pages: int = _doc(0, "most pages stored by all workers (redis only); 0: no bound")
    metrics_port: int = _doc(0, "port of 127.0.0.1 that serves Prometheus metrics; 0: none")
    progress: bool = _doc(True, "show progress on a terminal")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of all settings, in the order of their documentation."""
        return tuple(f.name for f in fields(cls))

    @classmethod
    def from_mapping(cls, values: Mapping[str, object], *, source: str = "") -> CrawlConfig:
        """Build a configuration from loosely typed values.

        Args:
            values: names and values; numbers, or text with units.
            source: what errors call them.

        Raises:
            ConfigError: unknown key (with the nearest known one) or a value of the wrong type.
        """
        check_keys(values, cls.names(), source=source)
        defaults = {f.name: f.default for f in fields(cls)}
        parsed: dict[str, Any] = {k: _coerce(k, v, defaults[k], source) for k, v in values.items()}
        config = cls(**parsed)
        config._check(source)
        return config

    @property
    def fetch_s(self) -> float:
        """Longest time that one request takes: its lease lasts longer."""
        return max(self.timeout_s, min(self.total_timeout_s, self.lease_s - self.timeout_s))

    @property
    def agent(self) -> str:
        """The user agent that is sent: with the contact, unless it is in there already."""
        if not self.contact or self.contact in self.user_agent:
            return self.user_agent
        if self.user_agent.endswith(")"):
            return f"{self.user_agent[:-1]}; +{self.contact})"
        return f"{self.user_agent} (+{self.contact})"

    @property
    def obeys_nofollow(self) -> bool:
        """Whether links are left that a page, or its reply, marks nofollow."""
        return self.obey_nofollow or self.robots_meta in {"nofollow", "obey"}

    def _check(self, source: str) -> None:
        self._check_numbers(source)
        if self.robots_meta not in {"ignore", "nofollow", "noindex", "obey"}:
            message = f"robots_meta is ignore, nofollow, noindex or obey, not {self.robots_meta!r}"
            raise ConfigError(message, where=source or None)
        if any(ord(c) < 32 or ord(c) > 126 for c in self.user_agent + self.contact):
            raise ConfigError("user_agent and contact must be plain ASCII", where=source or None)
        if self.lease_s <= self.timeout_s:
            raise ConfigError("lease_s must be longer than timeout_s", where=source or None)
        self._check_rendering(source)
        self._check_lists(source)
        self._check_papers(source)
        self._check_proxies(source)
        if unknown := set(self.ip_exempt) - {"loopback", "replay"}:
            message = f"ip_exempt is of loopback and replay, not {min(unknown)!r}"
            raise ConfigError(message, where=source or None)
        if unknown := set(self.attachments) - {"pdf"}:
            message = f"attachments is of pdf, not {min(unknown)!r}; mime_types has other types"
            raise ConfigError(message, where=source or None)
        if self.watch and not self.refresh:
            raise ConfigError("watch needs refresh", where=source or None)
        if self.refresh and self.redis:
            message = "refresh needs a frontier of its own: it cannot be shared (redis)"
            raise ConfigError(message, where=source or None)
        if not 0 < self.refresh_min_s <= self.refresh_max_s:
            message = "refresh_min_s must be positive and not longer than refresh_max_s"
            raise ConfigError(message, where=source or None)
        if not self.redis and (self.max_campaign_pages or self.redis_starts):
            message = "max_campaign_pages and redis_starts need a shared frontier (redis)"
            raise ConfigError(message, where=source or None)

    def _check_numbers(self, source: str) -> None:
        for name in ("levels", "host_concurrency", "concurrency", "max_tries", "commit_pages",
                     "template_buffer_pages"):  # fmt: skip
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1", where=source or None)
        for name in self.names():
            value = getattr(self, name)
            if isinstance(value, int | float) and value < 0:
                raise ConfigError(f"{name} must not be negative", where=source or None)
        for name in ("timeout_s", "total_timeout_s", "least_bytes_per_s"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} must be positive", where=source or None)

    def _check_papers(self, source: str) -> None:
        """Options of the papers that only one way of a stage has."""
        if self.near_slack > 2:
            raise ConfigError("near_slack must be at most 2", where=source or None)
        if 0 < self.near_length_ratio < 1:
            raise ConfigError("near_length_ratio must be at least 1", where=source or None)
        has_codes = bool(self.near_method) and self.near_method.startswith(_CODE_METHODS)
        if (self.near_slack != 1 or self.near_length_ratio) and not has_codes:
            message = "near_slack and near_length_ratio need a near_method by feature codes"
            raise ConfigError(message, where=source or None)
        if self.template_buffer_pages != 500 and not self.template_unknown:
            message = "template_buffer_pages needs template_unknown"
            raise ConfigError(message, where=source or None)

    def _check_lists(self, source: str) -> None:
        for name in ("sitemaps", "feeds"):
            if (given := getattr(self, name)) not in {"off", "seeds", "all"}:
                message = f"{name} is off, seeds or all, not {given!r}"
                raise ConfigError(message, where=source or None)
        if self.listed_level > self.levels:
            message = "listed_level must not be above levels"
            raise ConfigError(message, where=source or None)

    def _check_proxies(self, source: str) -> None:
        for url in self.proxy:
            try:
                parts = urlsplit(url)
                is_fit = bool(parts.hostname and parts.port and not parts.path.strip("/"))
            except ValueError:
                is_fit = False
            if not is_fit or parts.scheme not in {"http", "socks5", "socks5h"}:
                message = "a proxy is http://HOST:PORT or socks5://HOST:PORT (proxy)"
                raise ConfigError(message, where=source or None)
        if len(self.proxy) > 1 and not self.proxy_rotate:
            message = "several proxies are taken in turn only with proxy_rotate"
            raise ConfigError(message, where=source or None)
        if self.proxy and (self.host_map or self.ip_concurrency):
            message = "behind a proxy there is neither host_map nor ip_concurrency"
            raise ConfigError(message, where=source or None)

    @property
    def renders(self) -> bool:
        """Whether any page is run in a browser."""
        return bool(self.render or self.render_hosts or self.render_pattern)

    def _check_rendering(self, source: str) -> None:
        if self.render not in {"", "auto", "all"}:
            message = f"render is auto, all or empty, not {self.render!r}"
            raise ConfigError(message, where=source or None)
        try:
            re.compile(self.render_pattern)
        except re.error as error:
            raise ConfigError(f"render_pattern: {error}", where=source or None) from None
        if self.renders and self.lease_s <= 4 * self.render_timeout_s:
            message = "lease_s must be longer than four times render_timeout_s"
            raise ConfigError(message, where=source or None)


def check_keys(keys: Iterable[str], setting_names: Iterable[str], *, source: str) -> None:
    """Raise ConfigError for the first key that is not known, naming the nearest one."""
    names = list(setting_names)
    for key in keys:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"unknown setting {key!r}{hint}", where=source or None)


def typed_values(
    values: Mapping[str, object], defaults: Mapping[str, object], *, source: str
) -> dict[str, Any]:
    """Settings of a file with the types of their defaults.

    Args:
        values: as they were read.
        defaults: all settings that there are.
        source: the file, for the message.

    Raises:
        ConfigError: an unknown setting, or a value of another type.
    """
    check_keys(values, defaults, source=source)
    return {name: _coerce(name, value, defaults[name], source) for name, value in values.items()}


def _coerce(name: str, value: object, default: object, source: str) -> object:
    try:
        if isinstance(default, bool):
            return _to_bool(value)
        if isinstance(default, int):
            return int(_to_quantity(value, _UNITS_BYTES))
        if isinstance(default, float):
            return _finite(float(_to_quantity(value, _UNITS_S)))
        if isinstance(default, tuple):
            return _to_tuple(value)
        return _to_text(value)
    except (ValueError, OverflowError) as error:
        raise ConfigError(f"{name}: {error}", where=source or None) from None


def _to_bool(value: object) -> bool:
    text = str(value).strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ValueError(f"{value!r} is neither true nor false")


def _to_quantity(value: object, units: Mapping[str, float]) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    match = _QUANTITY.match(str(value))
    if match is None or match[2].lower() not in units:
        allowed = ", ".join(u for u in units if u)
        raise ValueError(f"{value!r} is not a number (units: {allowed})")
    return float(match[1]) * units[match[2].lower()]


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a time")
    return value


def byte_count(text: str, *, source: str = "") -> int:
    """A size as people write it, in bytes.

    Args:
        text: a number, with a unit if need be.
        source: where it was written, for the error.

    Raises:
        ConfigError: it is no size.

    >>> byte_count("2 GiB"), byte_count("1500")
    (2147483648, 1500)
    """
    try:
        return int(_to_quantity(text, _UNITS_BYTES))
    except ValueError as error:
        raise ConfigError(str(error), where=source or None) from None


def _to_text(value: object) -> str:
    if isinstance(value, str | int | float | Path):
        return str(value)
    raise ValueError(f"{value!r} is not a text")


def _to_tuple(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list | tuple):
        return tuple(str(part) for part in value)
    raise ValueError(f"{value!r} is not a list")


def read_toml(path: str | Path) -> dict[str, Any]:
    """All tables of a TOML file.

    Args:
        path: the file.

    Raises:
        ConfigError: the file is missing, or is not TOML.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {read_failure(error)}", where=path) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"is not TOML: {error}", where=path) from error


def load_toml(path: str | Path) -> dict[str, object]:
    """Read the tables of a crawl in a TOML file, with known keys and right types.

    These are ``[crawl]``, any setting, and ``[freshness]``, those that have this table.

    Args:
        path: the file.

    Raises:
        ConfigError: the file is missing, is not TOML, or has an unknown table or key.
    """
    data = read_toml(path)
    check_keys(data, ["crawl", "freshness"], source=str(path))
    table: dict[str, object] = {}
    for name, values in sorted(data.items()):
        if not isinstance(values, dict):
            raise ConfigError(f"[{name}] must be a table", where=path)
        if name == "freshness":
            check_keys(values, sorted(FRESHNESS), source=f"{path}: [freshness]")
        table |= values
    CrawlConfig.from_mapping(table, source=str(path))
    return table
