"""Reaching a Redis or Valkey server: URLs, errors in our own words.

A URL names the server and, behind ``#``, the campaign:

    redis://host:6379/0#news            plain;  redis://USER:PASSWORD@host/… with an ACL user
    rediss://host:6380/0?ssl_ca_certs=ca.pem#news        TLS
    unix:///run/redis.sock?db=0#news
    redis+sentinel://h1:26379,h2:26379/MASTER/0#news
    redis+cluster://host:7000#news      a campaign lives on one node of it (hash tag)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from quarkcrawl.errors import ConfigError, FrontierError

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis import Redis


DEFAULT_CAMPAIGN: Final = "default"
_SCHEMES: Final = ("redis", "rediss", "unix", "redis+sentinel", "redis+cluster")
_CAMPAIGN: Final = re.compile(r"[\w.-]{1,100}")
_DAMAGED: Final = "QCDAMAGED "
_SCHEMA: Final = "QCSCHEMA "


def is_redis_url(text: str) -> bool:
    """Whether a frontier is named by a server's URL and not by a file."""
    return text.partition("://")[0] in _SCHEMES and "://" in text


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """A server and a campaign on it."""

    url: str
    campaign: str

    @classmethod
    def parse(cls, text: str) -> RedisAddress:
        """Split a URL from the campaign behind ``#``.

        Raises:
            ConfigError: not a URL of a Redis server, or no name of a campaign.
        """
        url, _, campaign = text.partition("#")
        campaign = unquote(campaign) or DEFAULT_CAMPAIGN
        if not is_redis_url(url):
            raise ConfigError(f"not the URL of a Redis server ({', '.join(_SCHEMES)})", where=url)
        if not _CAMPAIGN.fullmatch(campaign):
            raise ConfigError(f"not a name for a campaign: {campaign!r} (letters, digits, . - _)")
        return cls(url, campaign)

    @property
    def prefix(self) -> str:
        """Front of all keys of the campaign; the braces keep them on one node of a cluster."""
        return f"quarkcrawl:{{{self.campaign}}}:"

    def __str__(self) -> str:
        """The address without password."""
        parts = urlsplit(self.url)
        where = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{where}{parts.path}#{self.campaign}"


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


def unreachable(error: Exception) -> bool:
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


def busy(error: Exception) -> bool:
    """Whether the server is there and says that it cannot answer just now."""
    from redis.exceptions import BusyLoadingError, MasterDownError  # noqa: PLC0415

    told = str(error).startswith(("LOADING", "MASTERDOWN", "BUSY ", "NOREPLICAS"))
    return told or isinstance(error, BusyLoadingError | MasterDownError)


def frontier_error(error: Exception, address: RedisAddress) -> FrontierError:
    """What happened, in words a user understands."""
    text = str(error)
    if _SCHEMA in text:
        version = text.partition(_SCHEMA)[2].split()[0]
        gone = version in {"false", "nil"}
        what = (
            "the campaign is gone from the server" if gone else f"schema {version[:40]}, not ours"
        )
        return FrontierError(what, where=address)
    if _DAMAGED in text:
        return FrontierError(f"damaged: {text.partition(_DAMAGED)[2][:200]}", where=address)
    if "WRONGTYPE" in text:
        return FrontierError("damaged: a key is of another kind than it must be", where=address)
    if unreachable(error):
        return FrontierError(f"cannot be reached ({text[:200]})", where=address)
    return FrontierError(f"the server refuses: {text[:200]}", where=address)
