"""Reaching a Redis or Valkey server: URLs, errors in our own words.

A URL names the server and, behind ``#``, the campaign:

    redis://host:6379/0#news            plain;  redis://USER:PASSWORD@host/… with an ACL user
    rediss://host:6380/0?ssl_ca_certs=ca.pem#news        TLS
    unix:///run/redis.sock?db=0#news
    redis+sentinel://h1:26379,h2:26379/MASTER/0#news
    redis+cluster://host:7000#news      a campaign lives on one node of it (hash tag)

Several URLs with commas between, one campaign at the end, name the servers of one campaign
(`quarkcrawl.frontier.spread`): redis://a/0,redis://b/0,redis://c/0#news.
"""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from quarkcrawl.errors import ConfigError, FrontierError

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis import Redis


logger = logging.getLogger(__name__)

T = TypeVar("T")

DEFAULT_CAMPAIGN: Final = "default"
_SCHEMES: Final = ("redis", "rediss", "unix", "redis+sentinel", "redis+cluster")
_BETWEEN: Final = re.compile(rf",(?=(?:{'|'.join(map(re.escape, _SCHEMES))})://)")
"""A comma between two URLs; one within a URL of sentinels, or in a password, is followed by other
things."""
_CAMPAIGN: Final = re.compile(r"[\w.-]{1,100}")
_DAMAGED: Final = "QCDAMAGED "
_SCHEMA: Final = "QCSCHEMA "


def is_redis_url(text: str) -> bool:
    """Whether a frontier is named by a server's URL and not by a file."""
    return text.partition("://")[0] in _SCHEMES and "://" in text


def _is_plain(url: str) -> bool:
    """Whether a URL ends with a server, or with the number of a database on it."""
    if not url.startswith(("redis://", "rediss://")):
        return True
    path = url.partition("://")[2].rpartition("@")[2].partition("?")[0].partition("/")[2]
    return "," not in path and (not path or path.isdecimal())


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """A server and a campaign on it; ``part`` is what the server is among several."""

    url: str
    campaign: str
    part: str = ""

    @classmethod
    def parse(cls, text: str) -> RedisAddress:
        """Split a URL from the campaign behind ``#``.

        Raises:
            ConfigError: not a URL of a Redis server, or no name of a campaign.
        """
        if _BETWEEN.search(text):
            raise ConfigError(
                "one server is meant here, not several", where=AddressList.parse(text)
            )
        url, _, campaign = text.partition("#")
        campaign = unquote(campaign) or DEFAULT_CAMPAIGN
        where = url.rpartition("@")[2]
        if not is_redis_url(url):
            raise ConfigError(f"not the URL of a Redis server ({', '.join(_SCHEMES)})", where=where)
        if re.search(r"\s", url) or not _is_plain(url):
            message = "not the URL of one server, nor of several with commas and no spaces between"
            raise ConfigError(message, where=where)
        if not _CAMPAIGN.fullmatch(campaign):
            name = campaign.rpartition("@")[2]  # before it there may be a part of a password
            raise ConfigError(f"not a name for a campaign: {name!r} (letters, digits, . - _)")
        return cls(url, campaign)

    @property
    def prefix(self) -> str:
        """Front of all keys of the campaign; the braces keep them on one node of a cluster."""
        return f"quarkcrawl:{{{self.campaign}}}:"

    @property
    def server(self) -> str:
        """The server's URL without password."""
        parts = urlsplit(self.url)
        where = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{where}{parts.path}"

    def with_part(self, part: str) -> RedisAddress:
        """The same server as one of several."""
        return replace(self, part=part)

    def __str__(self) -> str:
        """The address without password."""
        return f"{self.server}#{self.campaign}"


@dataclass(frozen=True, slots=True)
class AddressList:
    """The servers of one campaign, in their order; nearly always one."""

    servers: tuple[RedisAddress, ...]

    @classmethod
    def parse(cls, text: str) -> AddressList:
        """Split URLs from each other and from the campaign behind the last one.

        Raises:
            ConfigError: not URLs of Redis servers, one twice, or no name of a campaign.
        """
        urls, mark, campaign = text.partition("#")
        if _BETWEEN.search(campaign):
            message = "the servers of a campaign have one name of it, behind the last of them"
            raise ConfigError(message)
        addresses = tuple(RedisAddress.parse(url + mark + campaign) for url in _BETWEEN.split(urls))
        for at, address in enumerate(addresses):
            if address.url in {other.url for other in addresses[:at]}:
                raise ConfigError("the same server is named twice", where=address)
        return cls(addresses)

    def __str__(self) -> str:
        """The addresses without passwords."""
        servers = ",".join(address.server for address in self.servers)
        return f"{servers}#{self.servers[0].campaign}"


def connect(
    address: RedisAddress, *, timeout_s: float = 10.0, on_connect: Callable[[], None] | None = None
) -> Redis:
    """A client; nothing is sent before its first use.

    Args:
        address: where.
        timeout_s: longest wait for one answer.
        on_connect: called whenever a new connection was made (not of a cluster).

    Raises:
        ConfigError: the URL cannot be understood.
    """
    import redis  # noqa: PLC0415
    from redis.backoff import NoBackoff  # noqa: PLC0415
    from redis.retry import Retry  # noqa: PLC0415

    # A call whose answer was lost may have been done: who sent it decides what to do.
    options: dict[str, Any] = {
        "socket_timeout": timeout_s,
        "socket_connect_timeout": timeout_s,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
    }
    scheme = urlsplit(address.url).scheme
    if on_connect is not None and scheme != "redis+cluster":
        options["redis_connect_func"] = _greeting(on_connect)
    try:
        if scheme == "redis+sentinel":
            return _by_sentinel(address.url, options)
        if scheme == "redis+cluster":
            options["retry"] = Retry(NoBackoff(), 2)
            cluster: Any = redis.RedisCluster.from_url(
                address.url.replace("redis+cluster", "redis", 1), **options
            )
            return cluster  # type: ignore[no-any-return]
        return redis.Redis.from_url(address.url, **options)
    except ValueError as error:
        raise ConfigError(str(error), where=address) from error
    except redis.RedisError as error:
        raise frontier_error(error, address) from error


def _greeting(on_connect: Callable[[], None]) -> Callable[[Any], None]:
    """What the client does with a new connection: its own log-in first, then ours."""

    def greet(connection: Any) -> None:
        connection.on_connect()
        on_connect()

    return greet


def _by_sentinel(url: str, options: dict[str, Any]) -> Redis:
    from redis import sentinel  # noqa: PLC0415

    untyped: Any = sentinel
    parts = urlsplit(url)
    login, _, places = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    master, _, database = parts.path.strip("/").partition("/")
    if not master:
        raise ValueError("the path must name the master: redis+sentinel://host:26379/MASTER/0")
    pairs = [place.partition(":") for place in places.split(",")]
    sentinels = [(host, int(port or 26379)) for host, _, port in pairs]
    if login:
        options |= {"username": unquote(user) or None, "password": unquote(password)}
    options |= {"db": int(database or 0), **dict(parse_qsl(parts.query))}
    watch = untyped.Sentinel(sentinels, socket_timeout=options["socket_timeout"])
    client: Redis = watch.master_for(master, **options)
    return client


def patiently(
    action: Callable[[], T], address: RedisAddress, *, wait_s: float, busy_s: float = 0.0
) -> T:
    """Run something that talks to the server; its errors become ours.

    A server that is away is waited for, and the action is run again: what it does may then have
    been done before.
    """
    from redis import RedisError  # noqa: PLC0415

    since = time.monotonic()
    is_told = False
    while True:
        try:
            return action()
        except (RedisError, OSError) as error:
            away_s = time.monotonic() - since
            patience_s = wait_s if unreachable(error) else 0.0
            if away_s >= (max(patience_s, busy_s) if busy(error) else patience_s):
                raise frontier_error(error, address) from error
            if wait_s and not is_told:
                logger.warning("%s; waiting for it", frontier_error(error, address))
                is_told = True
            time.sleep(min(1.0, 0.05 + away_s))


def unreachable(error: BaseException) -> bool:
    """Whether an error may pass: no connection, time-out, server loading or switching over."""
    from redis import exceptions  # noqa: PLC0415

    passing = (
        exceptions.ConnectionError,
        exceptions.TimeoutError,
        exceptions.ReadOnlyError,
        exceptions.TryAgainError,
        exceptions.ClusterDownError,
    )
    lasting = (exceptions.AuthenticationError, exceptions.AuthorizationError)
    if isinstance(error, lasting):
        return False
    return isinstance(error, (*passing, OSError)) or busy(error)


def busy(error: BaseException) -> bool:
    """Whether the server is there and says that it cannot answer just now."""
    from redis.exceptions import BusyLoadingError, MasterDownError  # noqa: PLC0415

    is_named = str(error).startswith(("LOADING", "MASTERDOWN", "BUSY ", "NOREPLICAS"))
    return is_named or isinstance(error, BusyLoadingError | MasterDownError)


def frontier_error(error: Exception, address: RedisAddress) -> FrontierError:
    """What happened, in words a user understands."""
    text = str(error)
    if _SCHEMA in text:
        schema = text.partition(_SCHEMA)[2].strip()
        gone = schema in {"false", "nil"}
        what = "the campaign is gone from the server" if gone else f"schema {schema[:60]}, not ours"
        return FrontierError(what, where=address)
    if _DAMAGED in text:
        return FrontierError(f"damaged: {text.partition(_DAMAGED)[2][:200]}", where=address)
    if "WRONGTYPE" in text:
        return FrontierError("damaged: a key is of another kind than it must be", where=address)
    if unreachable(error):
        return FrontierError(f"cannot be reached ({text[:200]})", where=address)
    return FrontierError(f"the server refuses: {text[:200]}", where=address)
