"""One redis-server for the tests of this folder, and names of campaigns for each."""

from __future__ import annotations

from itertools import count

import pytest

from tests.redis.server import RedisServer

_NUMBERS = count()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def campaign_url(redis_server) -> str:
    return f"{redis_server.url}#campaign-{next(_NUMBERS)}"


@pytest.fixture
def databases(redis_server) -> list[str]:
    """Three databases of one server stand for three servers."""
    return [f"redis://127.0.0.1:{redis_server.port}/{number}" for number in range(3)]


@pytest.fixture
def where(databases) -> str:
    """A campaign over the three."""
    return f"{','.join(databases)}#spread-{next(_NUMBERS)}"
